//! Reads a release back from its file: it must hold the rows that were checked, cell by cell.

use super::judge::{reading, refused};
use super::progress::{Progress, Stage};
use crate::data::{Batch, Column, Field, Kind};
use crate::error::{Error, Result};
use crate::guarantee::{Treatment, Truth};
use crate::io::{self, ColumnPlan, ReadAs, ReadOptions};
use crate::policy::{Action, Policy, SinkPolicy};
use std::path::Path;

/// Compares the file at `path` with the rows that were written into it.
///
/// # Errors
/// Exit code 1 when it holds anything else.
pub(super) fn read_back(
    policy: &Policy,
    sink: &SinkPolicy,
    path: &Path,
    checked: &Batch,
    progress: &Progress,
) -> Result<()> {
    progress.enter(Stage::Check);
    let fields = checked.schema().fields();
    let names: Vec<String> = fields.iter().map(|field| field.name.to_string()).collect();
    let options = ReadOptions {
        names: names.clone(),
        ..reading(policy, sink)
    };
    let is_withheld = |name: &String| {
        let column = policy.column(name);
        column.is_some_and(|column| column.action == Action::Drop)
    };
    if io::names(path, &options)? != names || names.iter().any(is_withheld) {
        return Err(Error::guarantee(
            "the file does not hold the columns that may be released",
        ));
    }
    let plans: Vec<ColumnPlan> = fields.iter().zip(checked.columns()).map(plan).collect();
    let kept = |field: &Field| (field.name.to_string(), Treatment::Kept);
    let treatments: Vec<(String, Treatment)> = fields.iter().map(kept).collect();
    let missing = io::unmarked_missing(&sink.path, &sink.options)?;
    let mut truth = Truth::new(checked.schema(), &treatments, sink.options.guard_formulas)?
        .with_missing(missing);
    let mut start = 0;
    for read in io::open(path, &options, &plans)? {
        let read = read?;
        let end = start + read.len();
        if end > checked.len() {
            return Err(Error::bug("the file holds more rows than were released"));
        }
        truth.observe(&checked.slice(start, read.len()), &read)?;
        progress.add(read.len());
        start = end;
    }
    match truth.findings(Some(checked.len() as u64)).first() {
        Some(fault) => Err(refused(fault)),
        None => Ok(()),
    }
}

fn plan((field, column): (&Field, &Column)) -> ColumnPlan {
    ColumnPlan {
        name: field.name.to_string(),
        role: field.role,
        read: match (column, &field.kind) {
            (Column::Plain(_), _) => ReadAs::Plain,
            (Column::Number(_), Kind::Number { .. }) => ReadAs::Number,
            _ => ReadAs::Category,
        },
    }
}
