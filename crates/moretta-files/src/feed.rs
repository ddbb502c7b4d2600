//! What a source knows of its input, however it cuts it into batches: chunks in order, with
//! the lines at which they start.

use super::chunk::{Chunk, Chunks, Flaw, Layout, flaw_error};
use super::line_ends::{LineEnds, lines_before};
use super::options::{Limits, ReadAs, ReadOptions};
use moretta_data::data::{Batch, Column, Levels, RowIds, Schema};
use moretta_data::error::{Error, Result};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The chunks of an input and what batches are made of them with.
pub(super) struct Feed<C> {
    chunks: C,
    pub(super) schema: Arc<Schema>,
    /// The declared levels of ordered columns, of those that are read.
    pub(super) ordered: Vec<Option<Arc<Levels>>>,
    pub(super) limits: Limits,
    path: PathBuf,
    /// The names of all columns of the file.
    names: Vec<String>,
    /// The line of the next row; none for formats without lines.
    next_line: Option<u64>,
    /// The byte of the file after the last chunk, where it can be gone to.
    position: Option<u64>,
    /// The byte at which reading began, as long as nobody has asked on which line that is.
    sought: Option<u64>,
    /// Rows of all chunks so far.
    rows: u64,
    /// The id of the first row of the next batch.
    next_id: u64,
    line_ends: LineEnds,
    progress: Option<Arc<AtomicU64>>,
}

impl<C: Chunks> Feed<C> {
    /// `first_line` is the line of the first row, none for formats without lines.
    pub(super) fn new(
        chunks: C,
        schema: Arc<Schema>,
        layout: &Layout,
        path: PathBuf,
        first_line: Option<u64>,
        options: &ReadOptions,
    ) -> Self {
        let read = layout.plans.iter().zip(&layout.ordered);
        let read = read.filter(|(plan, _)| plan.read != ReadAs::Skip);
        let declared = read.map(|(_, levels)| levels.as_ref().map(|b| b.levels().clone()));
        Feed {
            chunks,
            schema,
            ordered: declared.map(|levels| levels.map(Arc::new)).collect(),
            limits: options.limits,
            path,
            names: layout.plans.iter().map(|plan| plan.name.clone()).collect(),
            next_line: first_line,
            position: None,
            sought: None,
            rows: 0,
            next_id: 0,
            line_ends: LineEnds::default(),
            progress: options.progress.clone(),
        }
    }

    /// The next chunk and the line at which it starts, or its row where there are no lines.
    pub(super) fn next_chunk(&mut self) -> Result<Option<(Chunk, u64)>> {
        let Some(chunk) = self.chunks.next_chunk()? else {
            return Ok(None);
        };
        let misfits = chunk
            .columns
            .iter()
            .any(|column| !column.misfits.is_empty());
        if chunk.flaw.is_some() || misfits {
            self.find_line()?;
        }
        self.position = chunk.end;
        let first_line = self.next_line.unwrap_or(self.rows + 1);
        if let Some(line) = &mut self.next_line {
            *line += chunk.lines;
        }
        self.rows += chunk.rows as u64;
        self.line_ends.merge(chunk.line_ends);
        Ok(Some((chunk, first_line)))
    }

    /// Goes to a byte at which a row begins; false where it cannot.
    pub(super) fn seek(&mut self, position: u64) -> Result<bool> {
        let found = self.chunks.seek(position)?;
        if found {
            self.position = Some(position);
            self.sought = Some(position);
            // Lines from there on; those before are counted when somebody wants to know.
            self.next_line = self.next_line.map(|_| 1);
        }
        Ok(found)
    }

    /// The byte of the file after the last chunk, where it can be gone to.
    pub(super) fn offset(&self) -> Option<u64> {
        self.position
    }

    /// Counts the lines before the byte at which reading began.
    fn find_line(&mut self) -> Result<()> {
        if let (Some(sought), Some(line)) = (self.sought.take(), &mut self.next_line) {
            *line += lines_before(&self.path, sought)?;
        }
        Ok(())
    }

    /// The next rows of the input as a batch.
    pub(super) fn batch(&mut self, rows: usize, columns: Vec<Column>) -> Result<Batch> {
        let ids = RowIds::Range {
            start: self.next_id,
            len: rows,
        };
        self.next_id += rows as u64;
        Batch::new(Arc::clone(&self.schema), ids, columns)
    }

    /// Tells whoever watches that so many rows more were read.
    pub(super) fn tell(&self, rows: usize) {
        if let Some(progress) = &self.progress {
            progress.fetch_add(rows as u64, Ordering::Relaxed);
        }
    }

    /// Whether places in the input are told as lines.
    pub(super) fn has_lines(&self) -> bool {
        self.next_line.is_some()
    }

    /// The error with the name of the file.
    pub(super) fn in_file(&self, error: Error) -> Error {
        error.in_file(&self.path)
    }

    /// The error of a flaw in a chunk that starts at `first_line`.
    pub(super) fn flaw_error(&self, flaw: Flaw, first_line: u64) -> Error {
        self.in_file(flaw_error(flaw, first_line, &self.names))
    }

    /// What was odd about the rows so far.
    pub(super) fn notes(&self) -> Vec<String> {
        self.line_ends.notes()
    }
}
