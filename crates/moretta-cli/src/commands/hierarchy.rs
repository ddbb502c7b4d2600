//! `moretta hierarchy new|show|check`

use crate::args::{
    CoverArgs, HierarchyArgs, HierarchyCommand, NewArgs, NewKind, ReadingArgs, ShowArgs,
};
use crate::console::Console;
use crate::failure::Failure;
use moretta::config::unknown;
use moretta::data::hierarchy::{
    self, Hierarchy, automatic, coverage, distinct_texts, draw, read_file,
};
use moretta::data::{Batch, Column, Field, Kind, Role};
use moretta::io::{self, ColumnPlan, ReadAs};
use moretta::pipeline::check_outputs;
use moretta::{Error, Result as Answer};
use moretta_report::count;
use serde::Serialize;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(args: &HierarchyArgs, console: &Console) -> Result<ExitCode, Failure> {
    match &args.command {
        HierarchyCommand::New(args) => new(args, console),
        HierarchyCommand::Show(args) => show(args, console),
        HierarchyCommand::Check(args) => check(args, console),
    }
}

fn new(args: &NewArgs, console: &Console) -> Result<ExitCode, Failure> {
    check_outputs(&[&args.output], &[args.file.as_path()], args.force)?;
    let read = match args.kind {
        Some(NewKind::Prefixes) => ReadAs::Category,
        _ => ReadAs::Infer,
    };
    let (field, column) = read_column(&args.file, &args.column, read, &args.reading)?;
    let chains = build(args.kind, &field, &column)?;
    let mut csv = Vec::new();
    automatic::write(&chains, &mut csv, ';').map_err(|e| Error::io("write", &args.output, e))?;
    if args.output.as_os_str() == "-" {
        match std::io::stdout().lock().write_all(&csv) {
            // A reader such as `head` has read enough.
            Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => {}
            written => written.map_err(|e| Error::io("write", "standard output", e))?,
        }
    } else {
        std::fs::write(&args.output, &csv).map_err(|e| Error::io("write", &args.output, e))?;
        console.hint(&format!(
            "wrote {} values to {}",
            count(chains.len() as u64),
            args.output.display()
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn build(kind: Option<NewKind>, field: &Field, column: &Column) -> Answer<Vec<Vec<String>>> {
    let name = &field.name;
    let texts = || distinct_texts(&field.kind, column);
    match (kind, column, &field.kind) {
        (Some(NewKind::Quantiles), Column::Number(numbers), _) => {
            let numbers: Vec<f64> = numbers.iter().flatten().collect();
            Ok(automatic::quantiles(&numbers, &[16, 8, 4, 2]))
        }
        (Some(NewKind::Quantiles), ..) => Err(Error::usage(format!(
            "column `{name}` holds no numbers; quantiles need them"
        ))),
        (Some(NewKind::Prefixes), ..) => Ok(automatic::prefixes(&texts()?)),
        (Some(NewKind::Dates), _, Kind::Date(format)) => automatic::dates(&texts()?, *format),
        (Some(NewKind::Dates), ..) => Err(Error::usage(format!(
            "column `{name}` holds no dates of one known format"
        ))),
        (None, ..) => match hierarchy::propose(&field.kind, column) {
            Some(spec) => Ok(automatic::chains(&spec.build_for(field, column)?)),
            None => Ok(automatic::prefixes(&texts()?)),
        },
    }
}

#[derive(Serialize)]
struct Shown {
    leaves: usize,
    levels: usize,
    tree: String,
}

fn show(args: &ShowArgs, console: &Console) -> Result<ExitCode, Failure> {
    let hierarchy = Hierarchy::from_chains(&read_file(&args.hierarchy)?)?;
    let shown = Shown {
        leaves: hierarchy.leaf_count(),
        levels: hierarchy.level_count(),
        tree: draw(&hierarchy, args.children),
    };
    console.result(&shown, || shown.tree.clone())
}

#[derive(Serialize)]
struct Covered {
    values: usize,
    covered: usize,
    near_misses: usize,
}

fn check(args: &CoverArgs, console: &Console) -> Result<ExitCode, Failure> {
    let hierarchy = Hierarchy::from_chains(&read_file(&args.hierarchy)?)?;
    let (field, column) = read_column(&args.file, &args.column, ReadAs::Infer, &args.reading)?;
    let coverage = coverage(&hierarchy, &distinct_texts(&field.kind, &column)?);
    coverage.require(args.hierarchy.display(), &args.column)?;
    let covered = Covered {
        values: coverage.values,
        covered: coverage.covered,
        near_misses: coverage.near_misses,
    };
    console.result(&covered, || {
        format!(
            "{} covers all {} values of column `{}`",
            args.hierarchy.display(),
            covered.values,
            args.column
        )
    })
}

/// One column of a file, the others unread.
fn read_column(
    file: &Path,
    name: &str,
    read: ReadAs,
    reading: &ReadingArgs,
) -> Answer<(Field, Column)> {
    let options = reading.options()?;
    let names = io::names(file, &options)?;
    if !names.iter().any(|n| n == name) {
        // The names are cells then, and are not shown.
        if let Some(odd) = io::header_warning(file, &options)? {
            return Err(Error::usage(format!(
                "there is no column `{name}` in {}; {odd}",
                file.display()
            ))
            .help("if it is a row, add --no-header: the columns are `column1`, `column2`, …"));
        }
        let known: Vec<&str> = names.iter().map(String::as_str).collect();
        return Err(unknown(
            Error::usage(format!("there is no column `{name}` in {}", file.display())),
            name,
            &known,
        ));
    }
    let plan = |n: String| ColumnPlan {
        read: if n == name {
            read.clone()
        } else {
            ReadAs::Skip
        },
        role: Role::Quasi,
        name: n,
    };
    let plans: Vec<ColumnPlan> = names.into_iter().map(plan).collect();
    let source = io::open(file, &options, &plans)?;
    let schema = source.schema().clone();
    let batch = Batch::concat(&schema, source.collect::<Answer<Vec<_>>>()?)?;
    Ok((schema.fields()[0].clone(), batch.column(0).clone()))
}
