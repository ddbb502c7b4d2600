//! Chunks gathered into batches, in the order of the file.
//!
//! Codes follow first appearance in the batch, lines those of the file, so the
//! result is the same for any cut into chunks. Cells that do not fit are counted
//! over the whole batch before the first is reported; a flaw of the structure
//! is reported once the batches before it are out.

use super::Source;
use super::chunk::{Chunk, Chunks, Flaw, Layout, flaw_error};
use super::line_ends::LineEnds;
use super::misfit::grouped;
use super::options::{Limits, ReadAs, ReadOptions};
use super::slots::{Gathered, check_distinct};
use super::stream::Stream;
use moretta_data::data::{Batch, RowIds, Schema};
use moretta_data::error::{Error, Result};
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The source that hands on or gathers `chunks`; `first_line` is the line of
/// the first row, none for formats without lines.
pub(super) fn source<C: Chunks + 'static>(
    chunks: C,
    schema: Arc<Schema>,
    layout: &Layout,
    path: PathBuf,
    first_line: Option<u64>,
    options: &ReadOptions,
) -> Box<dyn Source> {
    if options.stream {
        Box::new(Stream::new(
            chunks, schema, layout, path, first_line, options,
        ))
    } else {
        Box::new(Gather::new(
            chunks, schema, layout, path, first_line, options,
        ))
    }
}

/// A source that gathers chunks.
struct Gather<C> {
    chunks: C,
    schema: Arc<Schema>,
    path: PathBuf,
    /// The names of all columns of the file.
    names: Vec<String>,
    /// The line of the first row; none for formats without lines.
    next_line: Option<u64>,
    line_ends: LineEnds,
    batch_rows: Option<usize>,
    limits: Limits,
    progress: Option<Arc<AtomicU64>>,
    columns: Vec<Gathered>,
    rows: usize,
    next_id: u64,
    current: Option<Pending>,
    done: bool,
}

/// A chunk of which the first `used` rows are gathered.
struct Pending {
    chunk: Chunk,
    used: usize,
    first_line: u64,
}

impl<C: Chunks> Gather<C> {
    fn new(
        chunks: C,
        schema: Arc<Schema>,
        layout: &Layout,
        path: PathBuf,
        first_line: Option<u64>,
        options: &ReadOptions,
    ) -> Self {
        let columns = layout
            .plans
            .iter()
            .zip(&layout.ordered)
            .filter(|(plan, _)| plan.read != ReadAs::Skip)
            .zip(schema.fields())
            .map(|((_, ordered), field)| {
                let levels = ordered.as_ref().map(|b| Arc::new(b.levels().clone()));
                Gathered::new(&field.kind, levels)
            })
            .collect();
        Gather {
            chunks,
            schema,
            path,
            names: layout.plans.iter().map(|plan| plan.name.clone()).collect(),
            next_line: first_line,
            line_ends: LineEnds::default(),
            batch_rows: options.batch_rows.map(|rows| rows.max(1)),
            limits: options.limits,
            progress: options.progress.clone(),
            columns,
            rows: 0,
            next_id: 0,
            current: None,
            done: false,
        }
    }

    /// The next batch; none at the end.
    fn next_batch(&mut self) -> Result<Option<Batch>> {
        loop {
            if self.batch_rows.is_some_and(|most| self.rows >= most) {
                return self.finish_batch().map(Some);
            }
            if let Some(pending) = &mut self.current {
                let left = pending.chunk.rows - pending.used;
                if left > 0 {
                    let room = self.batch_rows.map_or(left, |most| most - self.rows);
                    self.append(left.min(room))?;
                    continue;
                }
                let flaw = pending.chunk.flaw.take();
                let first_line = pending.first_line;
                self.current = None;
                if let Some(flaw) = flaw {
                    return Err(self.flaw_error(flaw, first_line));
                }
            }
            match self.chunks.next_chunk()? {
                Some(chunk) => {
                    let first_line = self
                        .next_line
                        .unwrap_or(self.next_id + self.rows as u64 + 1);
                    if let Some(line) = &mut self.next_line {
                        *line += chunk.lines;
                    }
                    self.line_ends.merge(chunk.line_ends);
                    self.current = Some(Pending {
                        chunk,
                        used: 0,
                        first_line,
                    });
                }
                None => {
                    self.done = true;
                    // A whole input is one batch even if it has no row.
                    let whole = self.batch_rows.is_none();
                    return (self.rows > 0 || whole)
                        .then(|| self.finish_batch())
                        .transpose();
                }
            }
        }
    }

    fn append(&mut self, rows: usize) -> Result<()> {
        let Some(pending) = &mut self.current else {
            return Ok(());
        };
        let (start, first_line) = (pending.used, pending.first_line);
        let pairs = (&mut self.columns, &pending.chunk.columns);
        if rows >= 4096 {
            pairs
                .into_par_iter()
                .try_for_each(|(to, from)| to.append(from, start, rows, first_line))?;
        } else {
            let (to, from) = pairs;
            for (to, from) in to.iter_mut().zip(from) {
                to.append(from, start, rows, first_line)?;
            }
        }
        pending.used += rows;
        self.rows += rows;
        if let Some(progress) = &self.progress {
            progress.fetch_add(rows as u64, Ordering::Relaxed);
        }
        self.check_memory()?;
        self.check_categories()
    }

    /// Fails before the batch, and what is done with it, would need too much memory.
    fn check_memory(&self) -> Result<()> {
        let mut needs = self.limits.needs;
        needs.row = needs.row.max(8 * self.columns.len() as u64);
        let texts = self.columns.iter().map(Gathered::text_bytes).sum();
        let needed = needs.bytes(self.rows as u64, texts);
        if needed <= self.limits.memory {
            return Ok(());
        }
        Err(too_much_memory(needed, self.rows as u64, &self.limits).in_file(&self.path))
    }

    fn check_categories(&self) -> Result<()> {
        for (column, field) in self.columns.iter().zip(self.schema.fields()) {
            check_distinct(column.distinct(), field, &self.limits)
                .map_err(|e| e.in_file(&self.path))?;
        }
        Ok(())
    }

    fn finish_batch(&mut self) -> Result<Batch> {
        let rows = std::mem::take(&mut self.rows);
        let lines = self.next_line.is_some();
        for (column, field) in self.columns.iter_mut().zip(self.schema.fields()) {
            if let Some(misfits) = column.misfits.take() {
                return Err(misfits
                    .error(&field.name, rows as u64, lines)
                    .in_file(&self.path));
            }
        }
        let columns = self
            .columns
            .iter_mut()
            .zip(self.schema.fields())
            .map(|(column, field)| {
                column
                    .finish()
                    .map_err(|e| e.in_file(&self.path).in_column(&*field.name))
            })
            .collect::<Result<_>>()?;
        let ids = RowIds::Range {
            start: self.next_id,
            len: rows,
        };
        self.next_id += rows as u64;
        Batch::new(Arc::clone(&self.schema), ids, columns)
    }

    fn flaw_error(&self, flaw: Flaw, first_line: u64) -> Error {
        flaw_error(flaw, first_line, &self.names).in_file(&self.path)
    }
}

fn too_much_memory(needed: u64, rows: u64, limits: &Limits) -> Error {
    let megabytes = |bytes: u64| grouped(bytes.div_ceil(1_000_000));
    Error::input(format!(
        "its first {} rows need about {} MB of memory, the limit is {} MB",
        grouped(rows),
        megabytes(needed),
        megabytes(limits.memory)
    ))
    .help("raise the limit with --memory or `memory` in the `limits` of [source], take fewer rows or columns, or use a method with a `buffer`")
}

impl<C: Chunks> Iterator for Gather<C> {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let batch = self.next_batch();
        self.done |= batch.is_err();
        batch.transpose()
    }
}

impl<C: Chunks> Source for Gather<C> {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn notes(&self) -> Vec<String> {
        self.line_ends.notes()
    }
}
