//! `moretta compare`: risk and loss of two files side by side.

use crate::args::CompareArgs;
use crate::console::{Console, table};
use crate::failure::Failure;
use moretta::pipeline::{self, Counted, EstimatedTable, Progress};
use moretta_report::number;
use serde::Serialize;
use std::process::ExitCode;

#[derive(Serialize)]
struct Compared {
    files: [String; 2],
    #[serde(flatten)]
    found: pipeline::Compared,
}

pub(crate) fn run(args: &CompareArgs, console: &Console) -> Result<ExitCode, Failure> {
    let (policy, options) = args.against.load()?;
    let progress = Progress::default();
    let found = console
        .watch(&progress, || {
            pipeline::compare(&policy, [&args.a, &args.b], &options, &progress)
        })
        .map_err(|error| Failure::of_policy(error, &args.against.policy))?;
    for note in &found.notes {
        console.hint(&format!("note: {note}"));
    }
    let compared = Compared {
        files: [&args.a, &args.b].map(|path| path.display().to_string()),
        found,
    };
    console.result(&compared, || text(&compared))
}

fn text(compared: &Compared) -> String {
    let measures = match compared.found.measures.is_empty() {
        true => None,
        false => Some(measures(compared)),
    };
    let estimates = compared.found.estimates.iter();
    let estimates = estimates.map(|table| estimated(table, &compared.files));
    let parts: Vec<String> = measures.into_iter().chain(estimates).collect();
    parts.join("\n")
}

/// Frequencies of the original, estimated from each file.
fn estimated(found: &EstimatedTable, files: &[String; 2]) -> String {
    let mut head = found.columns.clone();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in &found.rows {
        let texts = row.category.iter();
        let mut cells: Vec<String> = texts
            .map(|text| text.as_deref().unwrap_or("(missing)").to_owned())
            .collect();
        cells.extend(counted(&row.a));
        cells.extend(counted(&row.b));
        rows.push(cells);
    }
    let is_original = |of: fn(&pipeline::EstimatedRow) -> &Counted| {
        found.rows.iter().all(|row| of(row).estimate.is_none())
    };
    let originals = [is_original(|row| &row.a), is_original(|row| &row.b)];
    for (file, is_original) in files.iter().zip(originals) {
        head.push(format!("rows in {file}"));
        if !is_original {
            head.push("estimated original".to_owned());
        }
    }
    rows.insert(0, head);
    let what = found.columns.join(" and ");
    let epsilon = match found.epsilon {
        Some(epsilon) => format!("by e^{epsilon:.3} at most"),
        None => "without a bound: a released category rules others out".to_owned(),
    };
    let odds = format!("the matrix of {what} changes the odds of any two categories {epsilon}\n");
    format!("{}{odds}", table(&rows))
}

/// "110" of an original, else "110" and "112.5 ± 4.2".
fn counted(counted: &Counted) -> Vec<String> {
    let estimate = counted.estimate.zip(counted.standard_error);
    let estimate = estimate.map(|(estimate, error)| format!("{estimate:.1} ± {error:.1}"));
    let count = number(counted.count);
    std::iter::once(count).chain(estimate).collect()
}

fn measures(compared: &Compared) -> String {
    let mut rows = vec![vec![
        "measure".to_owned(),
        compared.files[0].clone(),
        compared.files[1].clone(),
        "better".to_owned(),
    ]];
    for standing in &compared.found.measures {
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
