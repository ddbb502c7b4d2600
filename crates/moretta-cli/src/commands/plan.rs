//! `moretta plan`: what a run would face, told before it is made.

use super::load;
use crate::args::PolicyArgs;
use crate::console::{Console, table, thousands};
use crate::failure::Failure;
use moretta::pipeline::{self, Plan, Progress};
use std::fmt::Write;
use std::process::ExitCode;

pub(crate) fn run(args: &PolicyArgs, console: &Console) -> Result<ExitCode, Failure> {
    let policy = load(args)?;
    let progress = Progress::default();
    let plan = console
        .watch(&progress, || pipeline::plan(&policy, &progress))
        .map_err(|error| Failure::of_policy(error, &args.policy))?;
    console.result(&plan, || text(&plan))
}

fn text(plan: &Plan) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{} rows, {} {}; about {} MB of memory",
        thousands(plan.rows),
        thousands(plan.persons),
        plan.unit,
        plan.megabytes
    );
    let _ = writeln!(
        text,
        "{} classes of quasi-identifiers; {:.2} % of the {} are alone in theirs, {:.2} % among fewer than k\n",
        thousands(plan.classes),
        plan.uniques * 100.0,
        plan.unit,
        plan.below_k * 100.0
    );
    let mut rows = vec![
        ["column", "role", "distinct", "missing", "hierarchy"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for column in &plan.columns {
        rows.push(vec![
            column.name.clone(),
            column.role.clone(),
            column.distinct.map_or_else(String::new, thousands),
            format!("{:.1} %", column.missing * 100.0),
            column
                .hierarchy_levels
                .map_or_else(String::new, |levels| format!("{levels} levels")),
        ]);
    }
    text.push_str(&table(&rows));
    for set in &plan.telling {
        let _ = writeln!(
            text,
            "\n{:.1} % of the rows are unique by {}: not all of these are quasi-identifiers",
            set.uniques * 100.0,
            set.columns.join(", ")
        );
    }
    for warning in &plan.warnings {
        let _ = writeln!(text, "\nwarning: {warning}");
    }
    text
}
