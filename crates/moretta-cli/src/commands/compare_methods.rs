//! `moretta compare-methods`: what every method would lose and risk.

use super::load;
use crate::args::CompareMethodsArgs;
use crate::console::{Console, figure, table};
use crate::failure::Failure;
use moretta::Error;
use moretta::pipeline::{self, Comparison, ComparisonSettings, Outputs, Progress, TriedMethod};
use moretta_report::{comparison_html, count};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

/// Measures that are printed; the page and JSON have all.
const PRINTED: usize = 6;

pub(crate) fn run(args: &CompareMethodsArgs, console: &Console) -> Result<ExitCode, Failure> {
    let policy = load(&args.policy)?;
    let written: Vec<_> = args.output.iter().collect();
    let mut read = policy.inputs();
    read.push(&args.policy.policy);
    pipeline::check_outputs(&written, &read, args.force)?;
    let settings = ComparisonSettings {
        methods: Vec::new(),
        k: args.k.clone(),
        clusters: args.clusters.clone(),
        risk: args.risk.clone(),
        loss: args.loss.clone(),
    };
    let progress = Progress::default();
    let comparison = console
        .watch(&progress, || {
            pipeline::compare_methods(&policy, &settings, &progress)
        })
        .map_err(|error| Failure::of_policy(error, &args.policy.policy))?;
    let mut outputs = Outputs::default();
    if let Some(output) = &args.output {
        outputs.add(output, comparison_html(&comparison).as_bytes())?;
    }
    outputs.commit(args.force)?;
    if args.output.as_deref() == Some(Path::new("-")) {
        console.aside(&comparison, || text(&comparison, args));
        return Ok(ExitCode::SUCCESS);
    }
    let code = console.result(&comparison, || text(&comparison, args))?;
    let mut tried = comparison.tried.iter();
    match tried.all(|tried| tried.refused.is_some() || tried.promises_less.is_some()) {
        true => Err(Error::guarantee("no method keeps the promises")
            .help("lower k, allow suppression, or give columns a `hierarchy`")
            .into()),
        false => Ok(code),
    }
}

fn text(comparison: &Comparison, args: &CompareMethodsArgs) -> String {
    let measures = comparison.measures.iter().take(PRINTED);
    let head = ["method", "k", "rows"].map(str::to_owned).into_iter();
    let head = head.chain(measures.cloned());
    let head = head.chain(["seconds", "front"].map(str::to_owned));
    let mut rows = vec![head.collect::<Vec<String>>()];
    rows.extend(comparison.tried.iter().map(|tried| row(comparison, tried)));
    let mut text = table(&rows);
    let mut told: Vec<(&str, &str)> = Vec::new();
    for tried in &comparison.tried {
        for why in [&tried.refused, &tried.promises_less].into_iter().flatten() {
            // What holds for every k is said once.
            if !told.contains(&(&tried.method, why)) {
                told.push((&tried.method, why));
                let _ = writeln!(text, "{}: {why}", tried.method);
            }
        }
    }
    if let Some(output) = &args.output {
        let _ = writeln!(text, "page: {}", output.display());
    }
    text
}

fn row(comparison: &Comparison, tried: &TriedMethod) -> Vec<String> {
    let mut cells = vec![
        tried.method.clone(),
        tried.k.map_or_else(String::new, |k| k.to_string()),
        match tried.refused {
            Some(_) => "refused".to_owned(),
            None => count(tried.released),
        },
    ];
    let measures = comparison.measures.iter().zip(&tried.values).take(PRINTED);
    cells.extend(measures.map(|(name, value)| figure(name, *value)));
    cells.push(format!("{:.2}", tried.seconds));
    cells.push(if tried.on_front { "yes" } else { "" }.to_owned());
    cells
}
