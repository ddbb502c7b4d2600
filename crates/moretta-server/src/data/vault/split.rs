//! Takes what names persons out of a file that has arrived.
//!
//! The file is read once, some rows at a time, and written again in its own format; each pseudonym is
//! kept in memory once, in 16 bytes. Nothing is written but sealed.

use super::pseudonym::{Entry, Pseudonyms};
use crate::app::App;
use crate::clock::Millis;
use crate::data::one_file::SealedTable;
use crate::data::version::DataVersion;
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::seal::{SealedReader, SealedWriter, Written, problem};
use crate::store::Act;
use crate::zone::{Leftover, Object, Placed, RawZone, VaultZone};
use moretta::data::{Batch, Categories, Column};
use moretta::io::{self, Files, Provider, Readable, Writable, WriteOptions};
use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{Error, ErrorKind, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// How many rows are worked on at a time.
const ROWS: usize = 50_000;

/// A file in two parts.
pub(in crate::data) struct Parts {
    /// The data, with pseudonyms.
    pub(in crate::data) data: (Object, Written),
    /// What they stand for.
    pub(in crate::data) vault: (Object, Written),
    /// How many there are.
    pub(in crate::data) entries: i64,
}

impl Parts {
    /// Records what goes to the vault.
    pub(in crate::data) fn keep(
        &self,
        app: &App,
        act: &mut Act<'_>,
        version: &DataVersion,
        (project, at): (Id, Millis),
    ) -> Result<()> {
        let (kept, written) = &self.vault;
        VaultZone::of(app)?.record(act, kept, written, (project, None), at)?;
        act.execute(
            "INSERT INTO vaults (dataset_id, data_version_id, object_id, entries) VALUES ($1, $2, $3, $4)",
            values![version.dataset, version.id, kept.id, self.entries],
        )
        .map(drop)
    }

    /// Both files, when they will not be recorded.
    pub(in crate::data) fn leftover(&self, app: &App) -> Result<Leftover> {
        let mut leftover = Leftover::of(RawZone::of(app)?.path(self.data.0.id));
        leftover.and(Leftover::of(VaultZone::of(app)?.path(self.vault.0.id)));
        Ok(leftover)
    }
}

/// Splits a file; `earlier` is what the vault has of it already. Neither part is recorded yet.
pub(in crate::data) fn split(
    app: &App,
    placed: Placed,
    name: &str,
    (dataset, identifiers): (Id, &[String]),
    earlier: Option<(SealedReader<File>, i64)>,
) -> Result<Parts> {
    let table = SealedTable::open(app, placed, name)?;
    let absent = identifiers
        .iter()
        .find(|column| !table.columns.contains(column));
    if absent.is_some() {
        return Err(Problem::unusable(
            "the file lacks a column that names persons in this data set",
        )
        .help("the data set tells its identifiers: give the file these columns"));
    }
    let (raw, vault) = (RawZone::of(app)?, VaultZone::of(app)?);
    let (data, data_writer) = raw.create()?;
    let begun = vault.create();
    let made = begun.and_then(|(kept, mut kept_writer)| {
        let mut before = 0;
        if let Some((mut lines, entries)) = earlier {
            std::io::copy(&mut lines, &mut kept_writer).map_err(|e| problem(&e))?;
            before = entries;
        }
        let split = Split {
            pseudonyms: Pseudonyms::of(app.keys()?, dataset),
            identifiers,
            seen: HashSet::new(),
            vault: kept_writer,
        };
        let made = split.run(&table, Path::new(name), data_writer);
        if made.is_err() {
            Leftover::of(vault.path(kept.id)).remove(&app.store);
        }
        made.map(|(written, kept_written, entries)| Parts {
            data: (data.clone(), written),
            vault: (kept, kept_written),
            entries: before + entries,
        })
    });
    if made.is_err() {
        Leftover::of(raw.path(data.id)).remove(&app.store);
    }
    made
}

struct Split<'a> {
    pseudonyms: Pseudonyms,
    identifiers: &'a [String],
    seen: HashSet<String>,
    vault: SealedWriter,
}

impl Split<'_> {
    fn run(
        mut self,
        table: &SealedTable,
        name: &Path,
        writer: SealedWriter,
    ) -> Result<(Written, Written, i64)> {
        let output = Output::new(writer);
        let options = WriteOptions {
            delimiter: table.options.delimiter,
            // It is read by programs, and has to stay what it was.
            guard_formulas: false,
            files: Files::provided(output.clone()),
            ..WriteOptions::default()
        };
        let source = table.rows(ROWS, self.identifiers)?;
        let mut sink = io::create(name, &options, &Arc::clone(source.schema()))?;
        for batch in source {
            sink.write(&self.replaced(&batch?)?)?;
        }
        sink.close()?;
        drop(sink);
        let entries = self.seen.len() as i64;
        let kept = self.vault.finish().map_err(|e| problem(&e))?;
        Ok((output.finish()?, kept, entries))
    }

    fn replaced(&mut self, batch: &Batch) -> Result<Batch> {
        let mut columns = Vec::with_capacity(batch.columns().len());
        for (column, field) in batch.columns().iter().zip(batch.schema().fields()) {
            columns.push(match column {
                Column::Category(values) if self.is_identifier(&field.name) => {
                    Column::Category(self.pseudonymised(&field.name, values)?)
                }
                other => other.clone(),
            });
        }
        let schema = Arc::clone(batch.schema());
        Ok(Batch::new(schema, batch.rows().clone(), columns)?)
    }

    fn is_identifier(&self, name: &str) -> bool {
        self.identifiers.iter().any(|own| own == name)
    }

    fn pseudonymised(&mut self, column: &str, values: &Categories) -> Result<Categories> {
        let mut pseudonyms = Vec::with_capacity(values.levels().len());
        for value in values.levels().iter() {
            let pseudonym = self.pseudonyms.of_value(column, value);
            if !self.seen.contains(&pseudonym) {
                self.keep(&pseudonym, column, value)?;
                self.seen.insert(pseudonym.clone());
            }
            pseudonyms.push(pseudonym);
        }
        let levels = Arc::new(pseudonyms.into_iter().collect());
        Ok(Categories::new(values.codes().to_vec(), levels))
    }

    fn keep(&mut self, pseudonym: &str, column: &str, value: &str) -> Result<()> {
        let entry = Entry {
            pseudonym: pseudonym.to_owned(),
            column: column.to_owned(),
            value: value.to_owned(),
        };
        let mut line = serde_json::to_vec(&entry)
            .map_err(|_| Problem::bug("an entry of the vault cannot be written"))?;
        line.push(b'\n');
        self.vault.write_all(&line).map_err(|e| problem(&e))
    }
}

/// The one file that is written, sealed.
#[derive(Clone)]
struct Output(Arc<Mutex<State>>);

enum State {
    Waiting(Box<SealedWriter>),
    Open,
    Done(Written),
    Failed,
}

impl Output {
    fn new(writer: SealedWriter) -> Self {
        Output(Arc::new(Mutex::new(State::Waiting(Box::new(writer)))))
    }

    fn put(&self, state: State) -> State {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut held, state)
    }

    fn finish(&self) -> Result<Written> {
        match self.put(State::Failed) {
            State::Done(written) => Ok(written),
            _ => Err(Problem::bug("a file was not closed")),
        }
    }
}

impl Provider for Output {
    fn open(&self, _: &Path) -> std::io::Result<Box<dyn Readable>> {
        Err(ErrorKind::NotFound.into())
    }

    fn create(&self, _: &Path) -> std::io::Result<Box<dyn Writable>> {
        match self.put(State::Open) {
            State::Waiting(writer) => Ok(Box::new(Sealing {
                writer: Some(*writer),
                output: self.clone(),
            })),
            _ => Err(ErrorKind::AlreadyExists.into()),
        }
    }

    fn reopen(&self, _: &Path, _: u64) -> std::io::Result<Box<dyn Writable>> {
        Err(ErrorKind::NotFound.into())
    }

    fn rename(&self, _: &Path, _: &Path, _: bool) -> std::io::Result<()> {
        Err(ErrorKind::PermissionDenied.into())
    }

    fn remove(&self, _: &Path) -> std::io::Result<()> {
        Err(ErrorKind::PermissionDenied.into())
    }

    fn exists(&self, _: &Path) -> bool {
        false
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Output")
    }
}

/// What the library writes into; at its close the last frame is written.
struct Sealing {
    writer: Option<SealedWriter>,
    output: Output,
}

impl Write for Sealing {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut self.writer {
            Some(writer) => writer.write(bytes),
            None => Err(Error::other("the file was closed")),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Writable for Sealing {
    fn sync(&mut self) -> std::io::Result<()> {
        Ok(())
    }

    fn close(&mut self) -> std::io::Result<()> {
        if let Some(writer) = self.writer.take() {
            let written = writer.finish()?;
            self.output.put(State::Done(written));
        }
        Ok(())
    }
}
