//! Where checked rows go: a file that appears when all is well, or standard output at once.

use super::place::Pending;
use super::read_back::{read_back, recount};
use crate::data::Schema;
use crate::engine::{Checked, Progress, Stage};
use crate::error::{Error, Result};
use crate::io::{self, Sink};
use crate::policy::{Policy, SinkPolicy};
use std::path::Path;
use std::sync::Arc;

/// Rows written at a time.
const CHUNK: usize = 1 << 16;

/// A release on its way.
pub(super) struct Output<'a> {
    policy: &'a Policy,
    sink: &'a SinkPolicy,
    progress: &'a Progress,
    /// The file aside; none where rows leave at once.
    pending: Option<Pending>,
    file: Option<Box<dyn Sink>>,
    escaped: u64,
}

impl<'a> Output<'a> {
    /// Nothing is created before the columns are known.
    pub(super) fn new(policy: &'a Policy, sink: &'a SinkPolicy, progress: &'a Progress) -> Self {
        Output {
            policy,
            sink,
            progress,
            pending: None,
            file: None,
            escaped: 0,
        }
    }

    /// Opens the sink of a stream; rows for standard output leave at once.
    pub(super) fn open(&mut self, schema: &Arc<Schema>) -> Result<()> {
        if self.sink.path != Path::new("-") || !self.policy.plan.is_buffered() {
            self.pending = Some(Pending::new(&self.sink.path)?);
        }
        let file = io::create(self.path(), &self.sink.options, schema);
        self.file = Some(file.map_err(|e| self.named(e))?);
        Ok(())
    }

    /// Writes rows that may leave now.
    pub(super) fn write(&mut self, rows: Option<Checked>) -> Result<()> {
        let Some(rows) = rows.filter(|rows| !rows.is_empty()) else {
            return Ok(());
        };
        self.append(&rows).map_err(|e| self.named(e))
    }

    /// Writes the last rows, ends the release, and reads it back.
    pub(super) fn end(&mut self, rest: &Checked) -> Result<()> {
        let ended = match self.file.is_some() {
            true => self.end_stream(rest),
            false => self.write_table(rest),
        };
        ended.map_err(|e| self.named(e))
    }

    fn end_stream(&mut self, rest: &Checked) -> Result<()> {
        self.append(rest)?;
        self.progress.enter(Stage::Check);
        self.close()?;
        match &self.pending {
            Some(pending) => recount(self.policy, self.sink, pending.temporary()),
            None => Ok(()),
        }
    }

    /// Writes a table aside and compares the file with it.
    fn write_table(&mut self, table: &Checked) -> Result<()> {
        self.progress.enter(Stage::Write);
        self.open(table.rows().schema())?;
        self.append(table)?;
        self.close()?;
        read_back(
            self.policy,
            self.sink,
            self.path(),
            table.rows(),
            self.progress,
        )
    }

    fn append(&mut self, rows: &Checked) -> Result<()> {
        let Some(file) = &mut self.file else {
            return Err(Error::bug("rows left before their columns were known"));
        };
        let rows = rows.rows();
        for start in (0..rows.len()).step_by(CHUNK) {
            let part = rows.slice(start, CHUNK.min(rows.len() - start));
            file.write(&part)?;
            self.progress.add(part.len());
        }
        match self.pending.is_none() {
            true => file.flush(),
            false => Ok(()),
        }
    }

    fn close(&mut self) -> Result<()> {
        if let Some(mut file) = self.file.take() {
            file.close()?;
            self.escaped = file.escaped();
        }
        Ok(())
    }

    fn named(&self, error: Error) -> Error {
        error.instead_of(self.path(), &self.sink.path)
    }

    /// Cells escaped against formulas.
    pub(super) fn escaped(&self) -> u64 {
        self.escaped
    }

    /// Where the file lies now.
    pub(super) fn path(&self) -> &Path {
        let pending = self.pending.as_ref();
        pending.map_or(&self.sink.path, Pending::temporary)
    }

    /// The file aside, to be put in place.
    pub(super) fn into_pending(self) -> Option<Pending> {
        self.pending
    }
}
