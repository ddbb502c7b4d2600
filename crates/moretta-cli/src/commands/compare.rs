//! `moretta compare`: risk and loss of two files side by side.

use crate::args::CompareArgs;
use crate::console::{Console, table};
use crate::failure::Failure;
use moretta::pipeline::{self, Progress, Standing};
use moretta_report::number;
use serde::Serialize;
use std::process::ExitCode;

#[derive(Serialize)]
struct Compared {
    files: [String; 2],
    measures: Vec<Standing>,
}

pub(crate) fn run(args: &CompareArgs, console: &Console) -> Result<ExitCode, Failure> {
    let (policy, options) = args.against.load()?;
    let progress = Progress::default();
    let measures = console
        .watch(&progress, || {
            pipeline::compare(&policy, [&args.a, &args.b], &options, &progress)
        })
        .map_err(|error| Failure::of_policy(error, &args.against.policy))?;
    let compared = Compared {
        files: [&args.a, &args.b].map(|path| path.display().to_string()),
        measures,
    };
    console.result(&compared, || text(&compared))
}

fn text(compared: &Compared) -> String {
    let mut rows = vec![vec![
        "measure".to_owned(),
        compared.files[0].clone(),
        compared.files[1].clone(),
        "better".to_owned(),
    ]];
    for standing in &compared.measures {
        let show = |value: f64| {
            if standing.percent {
                format!("{:.3} %", value * 100.0)
            } else {
                number(value)
            }
        };
        let better = match standing.a.total_cmp(&standing.b) {
            std::cmp::Ordering::Less if standing.lower_is_better => "first",
            std::cmp::Ordering::Greater if standing.lower_is_better => "second",
            std::cmp::Ordering::Less => "second",
            std::cmp::Ordering::Greater => "first",
            std::cmp::Ordering::Equal => "",
        };
        rows.push(vec![
            standing.name.clone(),
            show(standing.a),
            show(standing.b),
            better.to_owned(),
        ]);
    }
    table(&rows)
}
