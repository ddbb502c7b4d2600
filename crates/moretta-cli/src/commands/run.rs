//! `moretta run`

use super::load;
use crate::args::RunArgs;
use crate::console::{Console, thousands};
use crate::failure::Failure;
use crate::report;
use moretta::pipeline::{self, Options, Outcome, Progress};
use std::fmt::Write;
use std::process::ExitCode;

pub(crate) fn run(args: &RunArgs, console: &Console) -> Result<ExitCode, Failure> {
    let policy = load(&args.policy)?;
    let progress = Progress::default();
    let options = Options {
        command: command(args),
        force: args.force,
        strict: args.strict,
        render: &report::html,
        progress: &progress,
    };
    let outcome = console
        .watch(&progress, || pipeline::run(&policy, &options))
        .map_err(|error| Failure::of_policy(error, &args.policy.policy))?;
    for warning in &outcome.report.warnings {
        console.hint(&format!("warning: {warning}"));
    }
    let to_stdout = policy
        .sink
        .as_ref()
        .is_some_and(|sink| sink.path.as_os_str() == "-");
    let text = summary(&outcome, policy.report.as_deref());
    if to_stdout {
        console.hint(&text);
        return Ok(ExitCode::SUCCESS);
    }
    console.result(&outcome.report, || text)
}

/// The command that makes the same release again.
fn command(args: &RunArgs) -> String {
    let mut command = format!("moretta run {}", args.policy.policy.display());
    if let Some(root) = &args.policy.root {
        let _ = write!(command, " --root {}", root.display());
    }
    if args.strict {
        command.push_str(" --strict");
    }
    command
}

fn summary(outcome: &Outcome, page: Option<&std::path::Path>) -> String {
    let (report, read) = (&outcome.report, outcome.read);
    let rows = &report.rows;
    let mut text = String::new();
    let sink = report.sink.as_ref().map_or("", |sink| sink.path.as_str());
    let suppressed = read - rows.released;
    let _ = writeln!(
        text,
        "released {} of {} rows in {} classes to {sink}",
        thousands(rows.released),
        thousands(read),
        thousands(rows.classes_after)
    );
    if suppressed > 0 {
        let _ = writeln!(
            text,
            "suppressed {} rows, {:.2} % of them",
            thousands(suppressed),
            100.0 * suppressed as f64 / read as f64
        );
    }
    for claim in &report.verdict.claims {
        let mark = if claim.holds { "✓" } else { "✗" };
        let _ = writeln!(
            text,
            "{mark} {}: promised {}, found {}",
            claim.name, claim.promised, claim.found
        );
    }
    for name in ["gcp", "prosecutor_risk"] {
        if let Some(measure) = report.measures.iter().find(|m| m.name == name) {
            let _ = writeln!(text, "  {name} {:.2} %", measure.after * 100.0);
        }
    }
    if let Some(page) = page {
        let _ = writeln!(text, "report: {}", page.display());
    }
    text
}
