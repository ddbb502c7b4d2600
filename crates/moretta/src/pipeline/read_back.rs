//! Reads a release back from its file: it must hold the rows that were checked, cell by cell.

use crate::data::{Batch, Column, Field, Role, RowIds};
use crate::engine::judge::refused;
use crate::engine::masked::crowds;
use crate::engine::{Action, Progress, Stage};
use crate::error::{Error, Result};
use crate::guarantee::{Treatment, Truth};
use crate::io::{self, ColumnPlan, ReadAs, ReadOptions};
use crate::policy::{Policy, SinkPolicy};
use std::path::Path;
use std::sync::Arc;

/// Rows read back at a time.
const READ: usize = 1 << 18;

/// Rows that are counted again at a time.
const CHUNK: usize = 1 << 16;

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
    let reading = Reading {
        policy,
        sink,
        path,
        progress: Some(progress),
    };
    reading.compare(checked, None)
}

/// A file that is read back.
struct Reading<'a> {
    policy: &'a Policy,
    sink: &'a SinkPolicy,
    path: &'a Path,
    progress: Option<&'a Progress>,
}

impl Reading<'_> {
    /// Compares rows with those of the file: with all of them, or with those from a byte on.
    fn compare(&self, checked: &Batch, from: Option<u64>) -> Result<()> {
        let (policy, sink, path) = (self.policy, self.sink, self.path);
        let fields = checked.schema().fields();
        let names: Vec<String> = fields.iter().map(|field| field.name.to_string()).collect();
        let options = ReadOptions {
            names: names.clone(),
            stream: from.is_some(),
            ..reading(policy, sink)
        };
        let is_withheld = |name: &String| {
            let column = policy.plan.column(name);
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
        let mut source = io::open(path, &options, &plans)?;
        if let Some(from) = from.filter(|&from| from > 0)
            && !source.seek(from)?
        {
            return Err(Error::bug("a file that is written cannot be read back"));
        }
        let mut start = 0;
        for read in source {
            let read = read?;
            let end = start + read.len();
            if end > checked.len() {
                return Err(Error::bug("the file holds more rows than were released"));
            }
            truth.observe(&checked.slice(start, read.len()), &read)?;
            if let Some(progress) = self.progress {
                progress.add(read.len());
            }
            start = end;
        }
        match truth.findings(Some(checked.len() as u64)).first() {
            Some(fault) => Err(refused(fault)),
            None => Ok(()),
        }
    }
}

/// Rows at the end of a file that were not read back yet.
#[derive(Default)]
pub(super) struct Unread {
    rows: Vec<Batch>,
    /// How many they are.
    count: usize,
    /// The byte of the file at which they begin.
    start: u64,
}

/// Rows of a stream that are kept to be read back together.
const TOGETHER: usize = 1 << 16;

impl Unread {
    /// Of a file whose first bytes were read back.
    pub(super) fn after(bytes: u64) -> Self {
        Unread {
            start: bytes,
            ..Unread::default()
        }
    }

    /// Rows were written.
    pub(super) fn add(&mut self, rows: &Batch) {
        self.count += rows.len();
        self.rows.extend((!rows.is_empty()).then(|| rows.clone()));
    }

    /// Whether they are many.
    pub(super) fn is_long(&self) -> bool {
        self.count >= TOGETHER
    }

    /// Compares them with the file, which has so many bytes.
    ///
    /// # Errors
    /// Exit code 1 when it holds anything else.
    pub(super) fn read_back(
        &mut self,
        policy: &Policy,
        sink: &SinkPolicy,
        (path, bytes): (&Path, u64),
    ) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        let start = std::mem::replace(&mut self.start, bytes);
        self.count = 0;
        let Some(first) = rows.first() else {
            return Ok(());
        };
        let schema = Arc::clone(first.schema());
        let rows = Batch::concat(&schema, rows)?;
        let ids = RowIds::Range {
            start: 0,
            len: rows.len(),
        };
        let rows = Batch::new(schema, ids, rows.columns().to_vec())?;
        let reading = Reading {
            policy,
            sink,
            path,
            progress: None,
        };
        reading.compare(&rows, Some(start))
    }
}

/// Counts groups of records that must look alike again, from the file at `path`.
///
/// # Errors
/// Exit code 1 when one is too small.
pub(super) fn recount(policy: &Policy, sink: &SinkPolicy, path: &Path) -> Result<()> {
    let options = ReadOptions {
        batch_rows: Some(CHUNK),
        ..reading(policy, sink)
    };
    let names = io::names(path, &options)?;
    for crowd in crowds(&policy.plan)? {
        let plan = |name: &String| ColumnPlan {
            read: match crowd.columns.contains(name) {
                true => ReadAs::Category,
                false => ReadAs::Skip,
            },
            role: Role::Quasi,
            name: name.clone(),
        };
        let plans: Vec<ColumnPlan> = names.iter().map(plan).collect();
        let source = io::open(path, &options, &plans)?;
        let places = crowd.places(source.schema())?;
        let mut checker = crowd.checker();
        for batch in source {
            checker.observe(&batch?, &places)?;
        }
        checker.finish()?;
    }
    Ok(())
}

/// How to read back what was written: with the limits that the table was read with.
pub(super) fn reading(policy: &Policy, sink: &SinkPolicy) -> ReadOptions {
    ReadOptions {
        format: sink.options.format,
        compression: sink.options.compression,
        delimiter: sink.options.delimiter,
        missing: vec![sink.options.missing.clone()],
        batch_rows: Some(READ),
        names: released_names(policy),
        limits: policy.source.options.limits,
        ..ReadOptions::default()
    }
}

/// The columns of a release under the policy.
pub(super) fn released_names(policy: &Policy) -> Vec<String> {
    let columns = policy.plan.columns.iter();
    let released = columns.filter(|column| column.action != Action::Drop);
    released.map(|column| column.name.clone()).collect()
}

fn plan((field, column): (&Field, &Column)) -> ColumnPlan {
    ColumnPlan {
        name: field.name.to_string(),
        role: field.role,
        read: match column {
            Column::Category(_) => ReadAs::Category,
            // Nearly all numbers may be different: a table of them would be of no use.
            Column::Number(_) | Column::Plain(_) => ReadAs::Plain,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Kind, Numbers, Role, Schema};
    use crate::policy::Root;

    const POLICY: &str = r#"
        version = 1
        [source]
        path = "in.csv"
        [columns]
        person = { role = "subject" }
        age = { role = "quasi" }
        pay = { role = "plain" }
        [[protect]]
        method = "noise"
        [sink]
        path = "out.csv"
    "#;

    /// Three rows that may leave.
    fn checked() -> Batch {
        let fields = vec![
            Field::new("age", Role::Quasi, Kind::Category { ordered: false }),
            Field::new("pay", Role::Plain, Kind::Number { integer: false }),
        ];
        let ages = [Some("20..30"), None, Some("=1+1")];
        let columns = vec![
            Column::Category(Categories::from_iter(ages)),
            Column::Number(Numbers::from_iter([Some(0.1), Some(-3.0), None])),
        ];
        let ids = RowIds::Range { start: 0, len: 3 };
        Batch::new(
            Arc::new(Schema::new(fields).expect("two names")),
            ids,
            columns,
        )
        .expect("fits")
    }

    /// What is said of a file that holds the rows after a `change` of its text.
    fn read(format: &str, change: impl Fn(String) -> String) -> Result<()> {
        let folder = tempfile::tempdir().expect("a folder");
        let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
        let text = POLICY.replace("out.csv", &format!("out.{format}"));
        let policy = Policy::parse(&text, &root).expect("a policy");
        let sink = policy.sink.as_ref().expect("a sink");
        let checked = checked();
        let mut file = io::create(&sink.path, &sink.options, checked.schema()).expect("a file");
        file.write(&checked).expect("written");
        file.close().expect("closed");
        if format == "csv" {
            let text = std::fs::read_to_string(&sink.path).expect("a text");
            std::fs::write(&sink.path, change(text)).expect("changed");
        }
        read_back(&policy, sink, &sink.path, &checked, &Progress::default())
    }

    #[test]
    fn a_file_that_holds_what_was_checked_is_good_in_every_format() {
        for format in ["csv", "jsonl", "parquet", "arrow", "csv.gz"] {
            read(format, |text| text).expect(format);
        }
    }

    /// Rows of a stream are read back piece by piece, where the file can be gone on with.
    #[test]
    fn pieces_of_a_stream_are_held_against_what_was_checked() {
        for (format, from, to) in [
            ("csv", "", ""),
            ("jsonl", "", ""),
            ("csv", "20..30", "20..31"),
            ("csv", "0.1", "0.2"),
            ("jsonl", "-3", "-4"),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
            let text = POLICY.replace("out.csv", &format!("out.{format}"));
            let policy = Policy::parse(&text, &root).expect("a policy");
            let sink = policy.sink.as_ref().expect("a sink");
            let checked = checked();
            let mut file = io::create(&sink.path, &sink.options, checked.schema()).expect("a file");
            let mut unread = Unread::default();
            for piece in 0..3 {
                for _ in 0..=piece {
                    file.write(&checked).expect("written");
                    unread.add(&checked);
                }
                let bytes = file.sync().expect("on disk");
                if piece == 2 && !from.is_empty() {
                    let text = std::fs::read_to_string(&sink.path).expect("a text");
                    let place = text.rfind(from).expect("a cell");
                    let changed = format!("{}{to}{}", &text[..place], &text[place + from.len()..]);
                    std::fs::write(&sink.path, changed).expect("changed");
                }
                let found = unread.read_back(&policy, sink, (&sink.path, bytes));
                match piece == 2 && !from.is_empty() {
                    false => found.expect("what was written"),
                    true => assert_eq!(found.expect_err(from).exit_code(), 1, "{format}"),
                }
            }
        }
    }

    #[test]
    fn a_file_that_holds_anything_else_is_refused() {
        let line = |text: &str, from: &str, to: &str| {
            assert!(text.contains(from), "{text}");
            text.replacen(from, to, 1)
        };
        for (from, to) in [
            ("20..30", "20..31"),
            ("0.1", "0.2"),
            ("-3", "3"),
            ("age,pay", "age,wage"),
            ("age,pay", "pay,age"),
            ("age,pay", "person,pay"),
        ] {
            let error = read("csv", |text| line(&text, from, to)).expect_err(from);
            assert_eq!(error.exit_code(), 1, "{from}: {error}");
        }
        let shorter = |text: String| text.lines().take(3).map(|l| format!("{l}\n")).collect();
        assert_eq!(read("csv", shorter).expect_err("a row").exit_code(), 1);
        let longer = |text: String| format!("{text}20..30,0.1\n");
        assert!(read("csv", longer).is_err());
    }
}
