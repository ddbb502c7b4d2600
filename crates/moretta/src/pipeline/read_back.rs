//! Reads a release back from its file: it must hold the rows that were checked, cell by cell.
//!
//! A table is compared when all of it was written; a stream piece by piece, where its format can
//! be read before its end. Of other formats the cells are added up as they are written
//! ([`Digest`]), and those of the whole file when it has ended.

use super::checkpoint::Sum;
use crate::data::{Batch, Field, Kind, RowIds, Schema};
use crate::engine::judge::refused;
use crate::engine::{Action, Progress, Stage};
use crate::error::{Error, Result};
use crate::guarantee::{Digest, Treatment, Truth};
use crate::io::{self, ColumnPlan, Header, Limits, ReadAs, ReadOptions};
use crate::policy::{Policy, SinkPolicy};
use std::path::Path;
use std::sync::Arc;

/// Rows read back at a time.
const READ: usize = 1 << 18;

/// Rows of a stream that are kept to be read back together.
const TOGETHER: usize = 1 << 16;

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
        schema: Arc::clone(checked.schema()),
    };
    reading.check_columns(path)?;
    let source = reading.open(path, false)?;
    let found = reading.compare(source, checked, |rows| progress.add(rows));
    found.map(drop)
}

/// A file of these columns that is read back.
struct Reading<'a> {
    policy: &'a Policy,
    sink: &'a SinkPolicy,
    schema: Arc<Schema>,
}

impl Reading<'_> {
    /// Opens the file. A piece of CSV is compared text by text.
    fn open(&self, path: &Path, live: bool) -> Result<Box<dyn io::Source>> {
        let texts = live && self.is_csv()?;
        let plans = self.schema.fields().iter().map(|field| plan(field, texts));
        let plans: Vec<ColumnPlan> = plans.collect();
        io::open(path, &self.options(live)?, &plans)
    }

    /// The file must hold the columns that may be released.
    fn check_columns(&self, path: &Path) -> Result<()> {
        let is_withheld = |name: &String| {
            let column = self.policy.plan.column(name);
            column.is_some_and(|column| column.action == Action::Drop)
        };
        let names = self.names();
        if io::names(path, &self.options(false)?)? != names || names.iter().any(is_withheld) {
            return Err(Error::guarantee(
                "the file does not hold the columns that may be released",
            ));
        }
        Ok(())
    }

    fn names(&self) -> Vec<String> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name.to_string()).collect()
    }

    /// How to read back what was written: with the limits that the rows were read with; `live`
    /// lets the file tell where each row begins.
    fn options(&self, live: bool) -> Result<ReadOptions> {
        let written = &self.sink.options;
        Ok(ReadOptions {
            format: written.format,
            compression: written.compression,
            delimiter: written.delimiter,
            missing: vec![written.missing.clone()],
            header: match written.header || !self.is_csv()? {
                true => Header::First,
                false => Header::None,
            },
            batch_rows: Some(READ),
            stream: live,
            names: self.names(),
            graph: written.graph.clone(),
            limits: Limits {
                // It was packed here.
                unpacked_bytes: u64::MAX,
                ..self.policy.source.options.limits
            },
            files: self.policy.files.clone(),
            ..ReadOptions::default()
        })
    }

    /// Compares rows with those of the file; gives the byte behind them, where there is one.
    fn compare(
        &self,
        mut source: Box<dyn io::Source>,
        checked: &Batch,
        read_rows: impl Fn(usize),
    ) -> Result<Option<u64>> {
        let kept = |field: &Field| (field.name.to_string(), Treatment::Kept);
        let treatments: Vec<(String, Treatment)> = self.schema.fields().iter().map(kept).collect();
        let mut truth =
            Truth::new(&self.schema, &treatments, self.escapes()?)?.with_missing(self.missing()?);
        let mut start = 0;
        for read in &mut source {
            let read = read?;
            let end = start + read.len();
            if end > checked.len() {
                return Err(longer());
            }
            truth.observe(&checked.slice(start, read.len()), &read)?;
            read_rows(read.len());
            start = end;
        }
        match truth.findings(Some(checked.len() as u64)).first() {
            Some(fault) => Err(refused(fault)),
            None => Ok(source.offset()),
        }
    }

    /// A file of no rows holds their names at most.
    fn is_empty(&self, path: &Path) -> Result<()> {
        let length = self.policy.files.length(path);
        let length = length.map_err(|e| Error::io("read", path, e))?;
        if length.unwrap_or_default() == 0 {
            return Ok(());
        }
        self.check_columns(path)?;
        let none = Batch::empty(Arc::clone(&self.schema));
        self.compare(self.open(path, false)?, &none, |_| ())
            .map(drop)
    }

    /// Whether cells may have got a quote that guards them.
    fn escapes(&self) -> Result<bool> {
        Ok(self.sink.options.guard_formulas && self.is_csv()?)
    }

    fn is_csv(&self) -> Result<bool> {
        Ok(self.missing()?.is_some())
    }

    /// What a missing cell is written as, where the format cannot mark it: in CSV alone.
    fn missing(&self) -> Result<Option<&str>> {
        io::unmarked_missing(&self.sink.path, &self.sink.options)
    }
}

fn longer() -> Error {
    Error::guarantee("the file holds more rows than were released")
}

/// A stream on its way into a file, which is read back.
pub(super) struct Following<'a> {
    reading: Reading<'a>,
    written: Written,
}

/// What was written and not read back yet.
enum Written {
    /// Rows at the end of a file that can be read before its end.
    Piece {
        rows: Vec<Batch>,
        /// How many they are.
        count: usize,
        /// The byte of the file at which they begin.
        start: u64,
        /// The sum of the bytes before it; none where others can read them already.
        sum: Option<Sum>,
    },
    /// All rows of another one.
    Whole(Digest),
}

impl<'a> Following<'a> {
    /// Of rows of these columns; the first bytes of the file were read back before, and have
    /// this sum, which is none where others can read them already. `whole`: the file can be
    /// read only when it has ended.
    pub(super) fn new(
        (policy, sink): (&'a Policy, &'a SinkPolicy),
        schema: &Arc<Schema>,
        (bytes, sum): (u64, Option<Sum>),
        whole: bool,
    ) -> Result<Self> {
        let reading = Reading {
            policy,
            sink,
            schema: Arc::clone(schema),
        };
        let written = match whole {
            true => {
                let (escapes, missing) = (reading.escapes()?, reading.missing()?);
                Written::Whole(Digest::new(schema, escapes, missing))
            }
            false => Written::Piece {
                rows: Vec::new(),
                count: 0,
                start: bytes,
                sum,
            },
        };
        Ok(Following { reading, written })
    }

    /// Rows were written.
    pub(super) fn add(&mut self, added: &Batch) -> Result<()> {
        match &mut self.written {
            Written::Whole(digest) => digest.observe(added)?,
            Written::Piece { rows, count, .. } => {
                *count += added.len();
                rows.extend((!added.is_empty()).then(|| added.clone()));
            }
        }
        Ok(())
    }

    /// The sum of what was read back; none where others can read it already.
    pub(super) fn sum(&self) -> Option<Sum> {
        match &self.written {
            Written::Piece { sum, .. } => *sum,
            Written::Whole(_) => None,
        }
    }

    /// Whether many wait to be read back.
    pub(super) fn is_long(&self) -> bool {
        matches!(self.written, Written::Piece { count, .. } if count >= TOGETHER)
    }

    /// Compares what was written with the file at `path`, as far as that can be read before its
    /// end. All of it was handed to the operating system.
    ///
    /// # Errors
    /// Exit code 1 when it holds anything else.
    pub(super) fn read_back(&mut self, path: &Path) -> Result<()> {
        let reading = &self.reading;
        let Written::Piece {
            rows,
            count,
            start,
            sum,
        } = &mut self.written
        else {
            return Ok(());
        };
        if std::mem::take(count) == 0 {
            return Ok(());
        }
        let rows = Batch::concat(&reading.schema, std::mem::take(rows))?;
        let ids = RowIds::Range {
            start: 0,
            len: rows.len(),
        };
        let rows = Batch::new(Arc::clone(&reading.schema), ids, rows.columns().to_vec())?;
        if *start == 0 {
            reading.check_columns(path)?;
        }
        let mut source = reading.open(path, true)?;
        if *start > 0 && !source.seek(*start)? {
            return Err(cannot_be_read());
        }
        let end = reading.compare(source, &rows, |_| ())?;
        *start = end.ok_or_else(cannot_be_read)?;
        if let Some(sum) = sum {
            *sum = sum.up_to(path, &reading.policy.files, *start)?;
        }
        Ok(())
    }

    /// Compares what is left with the file at `path`, which has ended and in which so many cells
    /// were escaped.
    ///
    /// # Errors
    /// Exit code 1 when it holds anything else.
    pub(super) fn end(mut self, path: &Path, escaped: u64, progress: &Progress) -> Result<()> {
        self.read_back(path)?;
        let digest = match self.written {
            Written::Whole(digest) => digest,
            Written::Piece { start: 0, .. } => return self.reading.is_empty(path),
            Written::Piece { start, sum, .. } => {
                let files = &self.reading.policy.files;
                let length = files.length(path);
                let length = length.map_err(|e| Error::io("read", path, e))?;
                if length.unwrap_or_default() != start {
                    return Err(longer());
                }
                // Somebody may have changed rows that were read back long before.
                return match sum {
                    Some(sum) if Sum::default().up_to(path, files, start)? != sum => Err(
                        Error::guarantee("the file holds other rows than were read back before"),
                    ),
                    _ => Ok(()),
                };
            }
        };
        self.reading.check_columns(path)?;
        let mut read = digest.anew();
        for rows in self.reading.open(path, false)? {
            let rows = rows?;
            read.observe(&rows)?;
            progress.add(rows.len());
            if read.rows() > digest.rows() {
                return Err(longer());
            }
        }
        match digest.faults(&read, escaped).first() {
            Some(fault) => Err(refused(fault)),
            None => Ok(()),
        }
    }
}

fn cannot_be_read() -> Error {
    Error::bug("a file that is written cannot be read back")
}

/// The columns of a release under the policy.
pub(super) fn released_names(policy: &Policy) -> Vec<String> {
    let columns = policy.plan.columns.iter();
    let released = columns.filter(|column| column.action != Action::Drop);
    released.map(|column| column.name.clone()).collect()
}

fn plan(field: &Field, texts: bool) -> ColumnPlan {
    ColumnPlan {
        name: field.name.to_string(),
        role: field.role,
        read: match field.kind {
            Kind::Category { .. } if !texts => ReadAs::Category,
            // Nearly all numbers may be different: a table of them would be of no use.
            _ => ReadAs::Plain,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Column, Numbers, Role};
    use crate::policy::Root;

    /// A file of which nothing was read back.
    const START: (u64, Option<Sum>) = (0, None);

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
        for format in ["csv", "jsonl", "graphml", "parquet", "arrow", "csv.gz"] {
            read(format, |text| text).expect(format);
        }
    }

    /// Every format, as the ending of a name.
    const FORMATS: [&str; 10] = [
        "csv", "jsonl", "csv.gz", "csv.zst", "jsonl.gz", "arff", "graphml", "parquet", "arrow",
        "arrows",
    ];

    /// The rows with another cell at a place.
    fn with_cell(row: usize, column: usize) -> Batch {
        let checked = checked();
        let mut columns = checked.columns().to_vec();
        columns[column] = match &columns[column] {
            Column::Number(numbers) => {
                let mut cells: Vec<Option<f64>> = numbers.iter().collect();
                cells[row] = cells[row].map_or(Some(0.0), |_| None);
                Column::Number(cells.into_iter().collect())
            }
            Column::Category(categories) => {
                let mut cells: Vec<Option<&str>> = (0..3).map(|row| categories.get(row)).collect();
                cells[row] = Some("'=1+1");
                Column::Category(cells.into_iter().collect())
            }
            Column::Plain(_) => panic!("no such column"),
        };
        let schema = Arc::clone(checked.schema());
        Batch::new(schema, checked.rows().clone(), columns).expect("fits")
    }

    /// What is said of a file into which other rows were written than were to be, in pieces, of
    /// which the last is the `changed` one.
    fn follow(format: &str, changed: &Batch, shorter: bool) -> Result<()> {
        let folder = tempfile::tempdir().expect("a folder");
        let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
        let text = POLICY.replace("out.csv", &format!("out.{format}"));
        let policy = Policy::parse(&text, &root).expect("a policy");
        let sink = policy.sink.as_ref().expect("a sink");
        let (path, checked) = (&sink.path, checked());
        let whole = io::resumable(path, &sink.options).is_err();
        let mut file = io::create(path, &sink.options, checked.schema()).expect("a file");
        let mut following = Following::new((&policy, sink), checked.schema(), START, whole)?;
        for piece in 0..3 {
            for _ in 0..=piece {
                file.write(&checked).expect("written");
                following.add(&checked)?;
            }
            file.flush().expect("handed on");
            following.read_back(path).expect("what was written");
        }
        file.write(changed).expect("written");
        following.add(&checked)?;
        if shorter {
            following.add(&checked)?;
        }
        file.close().expect("closed");
        following.end(path, file.escaped(), &Progress::default())
    }

    #[test]
    fn streams_are_held_against_what_was_checked_in_every_format() {
        for format in FORMATS {
            follow(format, &checked(), false).expect(format);
            let shorter = follow(format, &checked(), true).expect_err(format);
            assert_eq!(shorter.exit_code(), 1, "{format}: {shorter}");
            let longer = Batch::concat(checked().schema(), vec![checked(), checked()]);
            let longer = follow(format, &longer.expect("six rows"), false).expect_err(format);
            assert_eq!(longer.exit_code(), 1, "{format}: {longer}");
            for (row, column) in [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)] {
                let found = follow(format, &with_cell(row, column), false);
                // Both are the same bytes, and no count of guarded cells is at hand.
                let alike = format == "csv" && (row, column) == (2, 0);
                match alike {
                    true => found.expect("the guard against formulas"),
                    false => assert_eq!(found.expect_err(format).exit_code(), 1, "{format}"),
                }
            }
            // Rows that changed places.
            let turned = checked().take(&[1, 0, 2]).expect("rows");
            let turned = follow(format, &turned, false).expect_err(format);
            assert_eq!(turned.exit_code(), 1, "{format}: {turned}");
        }
    }

    /// Bytes that come behind the last row that was read back.
    #[test]
    fn a_stream_that_somebody_adds_to_is_refused() {
        for (format, more) in [
            ("csv", "20..30,0.1\n"),
            ("jsonl", "{\"age\":null,\"pay\":1}\n"),
        ] {
            for rows in [0, 1] {
                let folder = tempfile::tempdir().expect("a folder");
                let root =
                    Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
                let text = POLICY.replace("out.csv", &format!("out.{format}"));
                let policy = Policy::parse(&text, &root).expect("a policy");
                let sink = policy.sink.as_ref().expect("a sink");
                let checked = checked();
                let file = io::create(&sink.path, &sink.options, checked.schema());
                let mut file = file.expect("a file");
                let follow = || Following::new((&policy, sink), checked.schema(), START, false);
                let (mut following, mut good) =
                    (follow().expect("ready"), follow().expect("ready"));
                for _ in 0..rows {
                    file.write(&checked).expect("written");
                    following.add(&checked).expect("added");
                    good.add(&checked).expect("added");
                }
                file.close().expect("closed");
                let progress = Progress::default();
                good.end(&sink.path, file.escaped(), &progress)
                    .expect("as written");
                following.read_back(&sink.path).expect("as written");
                let mut text = std::fs::read_to_string(&sink.path).expect("a text");
                text.push_str(more);
                std::fs::write(&sink.path, text).expect("changed");
                let found = following.end(&sink.path, file.escaped(), &progress);
                assert_eq!(found.expect_err(format).exit_code(), 1, "{rows} rows");
            }
        }
    }

    #[test]
    fn a_release_without_a_header_is_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
        let text = format!("{POLICY}\nheader = false");
        let policy = Policy::parse(&text, &root).expect("a policy");
        let sink = policy.sink.as_ref().expect("a sink");
        let checked = checked();
        let mut file = io::create(&sink.path, &sink.options, checked.schema()).expect("a file");
        file.write(&checked).expect("written");
        file.close().expect("closed");
        let progress = Progress::default();
        read_back(&policy, sink, &sink.path, &checked, &progress).expect("as written");
        let mut following =
            Following::new((&policy, sink), checked.schema(), START, false).expect("ready");
        following.add(&checked).expect("added");
        following.end(&sink.path, 1, &progress).expect("as written");
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
        assert_eq!(read("csv", longer).expect_err("a row").exit_code(), 1);
    }
}
