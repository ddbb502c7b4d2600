//! `moretta plan`: what a run would face, told before it is made.

use super::load;
use crate::args::PolicyArgs;
use crate::console::{Console, figure, table};
use crate::failure::Failure;
use moretta::pipeline::{self, Found, Plan, Progress};
use moretta_report::{count, number};
use std::fmt::Write;
use std::process::ExitCode;

/// Sets of columns that are printed.
const MOST_SETS: usize = 8;

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
    let persons = match plan.unit {
        "rows" => String::new(),
        unit => format!(", {} {unit}", count(plan.persons)),
    };
    let _ = writeln!(
        text,
        "{} rows{persons}; about {} MB of memory",
        count(plan.rows),
        plan.megabytes
    );
    let _ = writeln!(
        text,
        "{} classes of quasi-identifiers; {:.2} % of the {} are alone in theirs{}",
        count(plan.classes),
        plan.uniques * 100.0,
        plan.unit,
        plan.below_k.map_or_else(String::new, |share| format!(
            ", {:.2} % among fewer than k",
            share * 100.0
        ))
    );
    for sentence in &plan.privacy {
        let _ = writeln!(text, "{sentence}");
    }
    text.push('\n');
    let mut rows = vec![
        ["column", "role", "distinct", "missing", "hierarchy"]
            .map(str::to_owned)
            .to_vec(),
    ];
    for column in &plan.columns {
        rows.push(vec![
            column.name.clone(),
            column.role.clone(),
            column.distinct.map_or_else(String::new, count),
            format!("{:.1} %", column.missing * 100.0),
            column
                .hierarchy_levels
                .map_or_else(String::new, |levels| format!("{levels} levels")),
        ]);
    }
    text.push_str(&table(&rows));
    text.push_str(&telling(plan));
    if let Some(found) = &plan.goal {
        text.push_str(&goal(found));
    }
    text.push_str(&column_sets(plan));
    if !plan.warnings.is_empty() {
        text.push('\n');
    }
    for warning in &plan.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    text
}

/// What was tried for a goal: the front, what keeps the limits, and the choice.
fn goal(found: &Found) -> String {
    let mut text = String::from("\nwhat was tried for [goal]\n");
    let mut names = found.measures.clone();
    names.extend(
        found
            .axes
            .iter()
            .filter(|axis| !found.measures.contains(axis))
            .cloned(),
    );
    let head = ["method", "number"].map(str::to_owned).into_iter();
    let head = head.chain(names.iter().cloned());
    let mut rows = vec![
        head.chain(["keeps limits", "front", ""].map(str::to_owned))
            .collect(),
    ];
    for (place, point) in found.tried.iter().enumerate() {
        let mut row = vec![
            point.method.clone(),
            format!("{} = {}", point.parameter, number(point.value)),
        ];
        row.extend(names.iter().map(|name| {
            let measured = found.measures.iter().zip(&point.measures);
            let axes = found.axes.iter().zip(&point.trade_off);
            let value = measured.chain(axes).find(|(measured, _)| *measured == name);
            figure(name, value.and_then(|(_, value)| *value))
        }));
        let yes = |is: bool| if is { "yes" } else { "" }.to_owned();
        row.extend([yes(point.meets), yes(point.on_front)]);
        row.push(match (found.chosen == Some(place), &point.refused) {
            (true, _) => "← chosen".to_owned(),
            (false, Some(_)) => "refused".to_owned(),
            (false, None) => String::new(),
        });
        rows.push(row);
    }
    text.push_str(&table(&rows));
    let _ = writeln!(text, "{}", found.why);
    text
}

/// The sets that tell most, the open columns in each of them marked.
fn telling(plan: &Plan) -> String {
    let mut text = String::new();
    if plan.telling.is_empty() {
        return text;
    }
    text.push_str("\nrows unique by columns of which those with ! are not quasi-identifiers\n");
    let is_quasi = |name: &str| {
        let mut columns = plan.columns.iter();
        columns.any(|column| column.name == name && column.role == "quasi")
    };
    let mut sets: Vec<_> = plan.telling.iter().collect();
    sets.sort_by(|one, other| other.uniques.total_cmp(&one.uniques));
    for set in sets.iter().take(MOST_SETS) {
        let names = set.columns.iter().map(|name| match is_quasi(name) {
            true => name.clone(),
            false => format!("{name}!"),
        });
        let names: Vec<String> = names.collect();
        let share = set.uniques * 100.0;
        let _ = writeln!(text, "  {share:5.1} %  {}", names.join(", "));
    }
    if let Some(more @ 1..) = sets.len().checked_sub(MOST_SETS) {
        let _ = writeln!(text, "  and by {more} more sets of columns");
    }
    text
}

/// The sets of each size that single most persons out.
fn column_sets(plan: &Plan) -> String {
    let mut text = String::new();
    if plan.column_sets.is_empty() {
        return text;
    }
    let _ = writeln!(text, "\n{} that columns single out together", plan.unit);
    let mut size = 0;
    for set in &plan.column_sets {
        if set.columns.len() > size {
            size = set.columns.len();
            let names = set.columns.join(", ");
            let _ = writeln!(text, "  {:>9}  {names}", count(set.singled_out));
        }
    }
    text
}
