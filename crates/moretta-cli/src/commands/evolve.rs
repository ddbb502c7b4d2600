//! `moretta evolve`: searches for a better protection than any method gives, and releases it.

use super::load;
use super::run::{is_standard, quoted, today};
use crate::args::EvolveArgs;
use crate::console::{Console, table};
use crate::failure::Failure;
use moretta::pipeline::{self, Evolved, Options, Progress, Wish};
use moretta_report::{html, summary};
use std::fmt::Write;
use std::process::ExitCode;

pub(crate) fn run(args: &EvolveArgs, console: &Console) -> Result<ExitCode, Failure> {
    let policy = load(&args.policy)?;
    let progress = Progress::default();
    let options = Options {
        command: command(args),
        date: today(),
        force: args.force,
        strict: args.strict,
        render: &html,
        progress: &progress,
    };
    let wish = Wish {
        pick: args.pick.map(|pick| pick as usize),
        list: args.list,
        restart: args.restart,
    };
    let evolved = console
        .watch(&progress, || pipeline::evolve(&policy, &wish, &options))
        .map_err(|error| Failure::of_policy(error, &args.policy.policy))?;
    let Some(outcome) = &evolved.outcome else {
        let code = console.result(&evolved.facts, || listed(&evolved))?;
        console.hint("`--pick NUMBER` releases one of them");
        return Ok(code);
    };
    let report = &outcome.report;
    console.warnings(&report.warnings);
    if args.pick.is_some() {
        console.hint("the search is kept beside the release for another --pick: delete its file that ends in .evolve when you have decided");
    }
    let mut text = summary(report);
    if let Some(page) = &policy.report {
        let _ = writeln!(text, "report: {}", page.display());
    }
    let standard = |path| is_standard(path);
    match policy
        .sink
        .as_ref()
        .is_some_and(|sink| standard(&sink.path))
    {
        true => {
            console.aside(report, || text);
            Ok(ExitCode::SUCCESS)
        }
        false => console.result(report, || text),
    }
}

/// The front as a table.
fn listed(evolved: &Evolved) -> String {
    let head = ["number", "loss", "risk", "mean", "max", ""].map(str::to_owned);
    let mut rows = vec![head.to_vec()];
    for (of, number) in evolved.front.iter().zip(1..) {
        let released = evolved.would_release == Some(number);
        rows.push(vec![
            number.to_string(),
            format!("{:.2}", of.loss),
            format!("{:.2}", of.risk),
            format!("{:.2}", (of.loss + of.risk) / 2.0),
            format!("{:.2}", of.loss.max(of.risk)),
            if released { WITHOUT_PICK } else { "" }.to_owned(),
        ]);
    }
    table(&rows)
}

/// Marks what is released where none is picked.
const WITHOUT_PICK: &str = "released without --pick";

/// The command that makes the same release again in place of what it has made.
fn command(args: &EvolveArgs) -> String {
    let mut command = format!("moretta evolve {}", quoted(&args.policy.policy));
    if let Some(root) = &args.policy.root {
        let _ = write!(command, " --root {}", quoted(root));
    }
    if let Some(pick) = args.pick {
        let _ = write!(command, " --pick {pick}");
    }
    if args.strict {
        command.push_str(" --strict");
    }
    command.push_str(" --force");
    command
}
