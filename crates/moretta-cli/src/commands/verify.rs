//! `moretta verify`

use crate::args::VerifyArgs;
use crate::console::{Console, table, thousands};
use crate::failure::Failure;
use moretta::pipeline::{self, Progress};
use serde::Serialize;
use std::process::ExitCode;

#[derive(Serialize)]
struct Verified {
    file: String,
    passed: bool,
    unit: String,
    rows: u64,
    classes: u64,
    smallest_class: Option<u64>,
    claims: Vec<pipeline::report::Claim>,
    faults: Vec<String>,
}

pub(crate) fn run(args: &VerifyArgs, console: &Console) -> Result<ExitCode, Failure> {
    let (policy, options) = args.against.load()?;
    let progress = Progress::default();
    let found = console
        .watch(&progress, || {
            pipeline::verify(&policy, &args.file, &options, &progress)
        })
        .map_err(|error| Failure::of_policy(error, &args.against.policy))?;
    let verified = Verified {
        file: args.file.display().to_string(),
        passed: found.verdict.passed,
        unit: found.verdict.unit,
        rows: found.findings.rows,
        classes: found.findings.classes,
        smallest_class: found.findings.smallest_class,
        claims: found.verdict.claims,
        faults: found
            .findings
            .faults
            .iter()
            .map(ToString::to_string)
            .collect(),
    };
    console.result(&verified, || text(&verified))?;
    Ok(if verified.passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

fn text(verified: &Verified) -> String {
    let mut rows = vec![vec![
        "claim".to_owned(),
        "promised".to_owned(),
        "found".to_owned(),
        "holds".to_owned(),
    ]];
    for claim in &verified.claims {
        let holds = if claim.holds { "yes" } else { "NO" };
        rows.push(vec![
            claim.name.clone(),
            claim.promised.clone(),
            claim.found.clone(),
            holds.to_owned(),
        ]);
    }
    let mut text = format!(
        "{}: {} rows, {} classes, counted in {}\n\n{}",
        verified.file,
        thousands(verified.rows),
        thousands(verified.classes),
        verified.unit,
        table(&rows)
    );
    for fault in &verified.faults {
        text.push_str(&format!("fault: {fault}\n"));
    }
    text.push_str(if verified.passed {
        "\nthe guarantee is kept"
    } else {
        "\nthe guarantee is NOT kept"
    });
    text
}
