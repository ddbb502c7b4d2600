//! Chunks gathered into batches, in the order of the file.
//!
//! Codes follow first appearance in the batch, lines those of the file, so the
//! result is the same for any cut into chunks. Cells that do not fit are counted
//! over the whole batch before the first is reported; a flaw of the structure
//! is reported once the batches before it are out.

use super::Source;
use super::chunk::{Chunk, Chunks, Layout};
use super::feed::Feed;
use super::misfit::grouped;
use super::options::{Limits, ReadOptions};
use super::slots::{Gathered, check_distinct};
use super::stream::Stream;
use moretta_data::data::{Batch, Schema};
use moretta_data::error::{Error, Result};
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

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
    let feed = Feed::new(chunks, schema, layout, path, first_line, options);
    match options.stream {
        true => Box::new(Stream::new(feed)),
        false => Box::new(Gather::new(feed, options.batch_rows)),
    }
}

/// A source that gathers chunks.
struct Gather<C> {
    feed: Feed<C>,
    batch_rows: Option<usize>,
    columns: Vec<Gathered>,
    rows: usize,
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
    fn new(feed: Feed<C>, batch_rows: Option<usize>) -> Self {
        let columns = feed.schema.fields().iter().zip(&feed.ordered);
        let columns = columns.map(|(field, ordered)| Gathered::new(&field.kind, ordered.clone()));
        Gather {
            columns: columns.collect(),
            feed,
            batch_rows: batch_rows.map(|rows| rows.max(1)),
            rows: 0,
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
                    return Err(self.feed.flaw_error(flaw, first_line));
                }
            }
            match self.feed.next_chunk()? {
                Some((chunk, first_line)) => {
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
        self.feed.tell(rows);
        self.check_memory()?;
        self.check_categories()
    }

    /// Fails before the batch, and what is done with it, would need too much memory.
    fn check_memory(&self) -> Result<()> {
        let limits = &self.feed.limits;
        let mut needs = limits.needs;
        needs.row = needs.row.max(8 * self.columns.len() as u64);
        let texts = self.columns.iter().map(Gathered::text_bytes).sum();
        let needed = needs.bytes(self.rows as u64, texts);
        if needed <= limits.memory {
            return Ok(());
        }
        let error = too_much_memory(needed, self.rows as u64, limits);
        Err(self.feed.in_file(error))
    }

    fn check_categories(&self) -> Result<()> {
        for (column, field) in self.columns.iter().zip(self.feed.schema.fields()) {
            check_distinct(column.distinct(), field, &self.feed.limits)
                .map_err(|e| self.feed.in_file(e))?;
        }
        Ok(())
    }

    fn finish_batch(&mut self) -> Result<Batch> {
        let rows = std::mem::take(&mut self.rows);
        let feed = &self.feed;
        for (column, field) in self.columns.iter_mut().zip(feed.schema.fields()) {
            if let Some(misfits) = column.misfits.take() {
                let error = misfits.error(&field.name, rows as u64, feed.has_lines());
                return Err(feed.in_file(error));
            }
        }
        let columns = self
            .columns
            .iter_mut()
            .zip(feed.schema.fields())
            .map(|(column, field)| {
                let column = column.finish();
                column.map_err(|e| feed.in_file(e).in_column(&*field.name))
            })
            .collect::<Result<_>>()?;
        self.feed.batch(rows, columns)
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
        &self.feed.schema
    }

    fn notes(&self) -> Vec<String> {
        self.feed.notes()
    }
}
