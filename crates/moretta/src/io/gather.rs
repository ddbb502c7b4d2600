//! Chunks gathered into batches, in the order of the file.
//!
//! Codes follow first appearance in the batch, lines those of the file, so the
//! result is the same for any cut into chunks. Cells that do not fit are counted
//! over the whole batch before the first is reported; a flaw of the structure
//! is reported once the batches before it are out.

use super::Source;
use super::chunk::{Chunk, ChunkColumn, Flaw, Layout, Values};
use super::json_column;
use super::line_ends::LineEnds;
use super::misfit::{Misfit, Misfits, grouped};
use super::options::{Limits, ReadAs, ReadOptions};
use crate::data::{
    Batch, Categories, Column, Kind, Levels, LevelsBuilder, MISSING, Numbers, Role, RowIds, Schema,
};
use crate::error::{Error, Result};
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_buffer::{Buffer, NullBufferBuilder, OffsetBuffer};
use arrow_schema::DataType;
use rayon::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Gives the chunks of an input in order.
pub(super) trait Chunks {
    /// The next chunk; none at the end.
    fn next_chunk(&mut self) -> Result<Option<Chunk>>;
}

/// A source that gathers chunks.
pub(super) struct Gather<C> {
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
    /// `first_line` is the line of the first row, none for formats without lines.
    pub(super) fn new(
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
        self.check_categories()
    }

    fn check_categories(&self) -> Result<()> {
        for (column, field) in self.columns.iter().zip(self.schema.fields()) {
            let Slots::Category { levels, .. } = &column.slots else {
                continue;
            };
            let counted = matches!(field.role, Role::Quasi | Role::Sensitive | Role::Class);
            if counted && levels.len() > self.limits.categories {
                return Err(Error::input(format!(
                    "more than {} distinct values",
                    grouped(self.limits.categories as u64)
                ))
                .in_file(&self.path)
                .in_column(&*field.name)
                .help("declare a number or date, generalise the column first, or give it another role"));
            }
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

/// The error of a flaw in a chunk that starts at `first_line`; `names` are those of the file.
pub(super) fn flaw_error(flaw: Flaw, first_line: u64, names: &[String]) -> Error {
    let mut error = Error::input(flaw.what);
    if let Some(line) = flaw.line {
        error = error.on_line(first_line + line);
    }
    if let Some(name) = flaw.column.and_then(|c| names.get(c)) {
        error = error.in_column(name);
    }
    match flaw.help {
        Some(help) => error.help(help),
        None => error,
    }
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
        self.line_ends
            .note()
            .map(str::to_owned)
            .into_iter()
            .collect()
    }
}

/// One column of the batch that is being gathered.
struct Gathered {
    slots: Slots,
    misfits: Option<Misfits>,
}

enum Slots {
    Number {
        values: Vec<f64>,
        present: NullBufferBuilder,
    },
    Category {
        codes: Vec<u32>,
        levels: LevelsBuilder,
    },
    Ordered {
        codes: Vec<u32>,
        levels: Arc<Levels>,
    },
    Text {
        offsets: Vec<i32>,
        text: Vec<u8>,
        present: NullBufferBuilder,
        /// The text is tokens of JSON.
        json: bool,
    },
    Arrays(Vec<ArrayRef>, DataType),
}

impl Gathered {
    fn new(kind: &Kind, ordered: Option<Arc<Levels>>) -> Self {
        let slots = match (kind, ordered) {
            (Kind::Number { .. } | Kind::Date(_), _) => Slots::Number {
                values: Vec::new(),
                present: NullBufferBuilder::new(0),
            },
            (Kind::Category { .. }, Some(levels)) => Slots::Ordered {
                codes: Vec::new(),
                levels,
            },
            (Kind::Category { .. }, None) => Slots::Category {
                codes: Vec::new(),
                levels: LevelsBuilder::default(),
            },
            (Kind::Plain(data_type), _) if holds_text(data_type) => Slots::Text {
                offsets: vec![0],
                text: Vec::new(),
                present: NullBufferBuilder::new(0),
                json: *data_type != DataType::Utf8,
            },
            (Kind::Plain(data_type), _) => Slots::Arrays(Vec::new(), data_type.clone()),
        };
        Gathered {
            slots,
            misfits: None,
        }
    }

    fn append(
        &mut self,
        from: &ChunkColumn,
        start: usize,
        rows: usize,
        first_line: u64,
    ) -> Result<()> {
        self.count_misfits(&from.misfits, start, rows, first_line);
        match (&mut self.slots, &from.values) {
            (
                Slots::Number { values, present },
                Values::Number {
                    values: new,
                    missing,
                },
            ) => {
                values.extend_from_slice(&new[start..start + rows]);
                append_present(present, missing, start, rows);
            }
            (
                Slots::Category { codes, levels },
                Values::Category {
                    codes: new,
                    levels: theirs,
                },
            ) => {
                append_codes(codes, levels, &new[start..start + rows], theirs);
            }
            (Slots::Ordered { codes, .. }, Values::Ordered { codes: new }) => {
                codes.extend_from_slice(&new[start..start + rows]);
            }
            (
                Slots::Text {
                    offsets,
                    text,
                    present,
                    ..
                },
                Values::Text {
                    ends,
                    text: new,
                    missing,
                },
            ) => {
                append_text(offsets, text, &ends[..start + rows], start, new)?;
                append_present(present, missing, start, rows);
            }
            (slots @ Slots::Text { .. }, Values::Array(array)) => {
                *slots = Slots::Arrays(vec![array.slice(start, rows)], array.data_type().clone());
            }
            (Slots::Arrays(arrays, _), Values::Array(array)) => {
                arrays.push(array.slice(start, rows))
            }
            _ => return Err(Error::bug("a chunk does not fit its table")),
        }
        Ok(())
    }

    fn count_misfits(&mut self, misfits: &[Misfit], start: usize, rows: usize, first_line: u64) {
        let inside = |m: &&Misfit| (start..start + rows).contains(&(m.row as usize));
        for misfit in misfits.iter().filter(inside) {
            self.misfits
                .get_or_insert(Misfits {
                    count: 0,
                    first_line: first_line + u64::from(misfit.line),
                    first: misfit.why,
                })
                .count += 1;
        }
    }

    fn finish(&mut self) -> Result<Column> {
        Ok(match &mut self.slots {
            Slots::Number { values, present } => Column::Number(Numbers::with_missing(
                std::mem::take(values),
                present.finish(),
            )),
            Slots::Category { codes, levels } => {
                let levels = std::mem::take(levels).finish();
                Column::Category(Categories::new(std::mem::take(codes), Arc::new(levels)))
            }
            Slots::Ordered { codes, levels } => {
                Column::Category(Categories::new(std::mem::take(codes), Arc::clone(levels)))
            }
            Slots::Text {
                offsets,
                text,
                present,
                json,
            } => {
                let offsets = std::mem::replace(offsets, vec![0]);
                let array = StringArray::try_new(
                    OffsetBuffer::new(offsets.into()),
                    Buffer::from_vec(std::mem::take(text)),
                    present.finish(),
                )
                .map_err(|e| Error::bug(format!("a column of text: {e}")))?;
                Column::Plain(if *json {
                    json_column::column(array)
                } else {
                    Arc::new(array)
                })
            }
            Slots::Arrays(arrays, data_type) => {
                Column::Plain(join(&std::mem::take(arrays), data_type)?)
            }
        })
    }
}

/// Whether text formats give the column as text.
fn holds_text(data_type: &DataType) -> bool {
    *data_type == DataType::Utf8 || *data_type == json_column::data_type()
}

fn join(arrays: &[ArrayRef], data_type: &DataType) -> Result<ArrayRef> {
    match arrays {
        [] => Ok(arrow_array::new_empty_array(data_type)),
        [one] => Ok(Arc::clone(one)),
        many => {
            let many: Vec<&dyn Array> = many.iter().map(AsRef::as_ref).collect();
            arrow_select::concat::concat(&many).map_err(|_| too_much_text())
        }
    }
}

fn append_present(present: &mut NullBufferBuilder, missing: &[u32], start: usize, rows: usize) {
    let end = start + rows;
    let first = missing.partition_point(|&row| (row as usize) < start);
    let mut at = start;
    for &row in missing[first..]
        .iter()
        .take_while(|&&row| (row as usize) < end)
    {
        present.append_n_non_nulls(row as usize - at);
        present.append_null();
        at = row as usize + 1;
    }
    present.append_n_non_nulls(end - at);
}

/// Each code of the chunk is looked up once, when it is first met.
fn append_codes(codes: &mut Vec<u32>, levels: &mut LevelsBuilder, new: &[u32], theirs: &Levels) {
    let mut ours = vec![MISSING; theirs.len()];
    codes.extend(new.iter().map(|&code| {
        if code == MISSING {
            return MISSING;
        }
        let our = &mut ours[code as usize];
        if *our == MISSING {
            *our = levels.intern(theirs.get(code));
        }
        *our
    }));
}

fn append_text(
    offsets: &mut Vec<i32>,
    text: &mut Vec<u8>,
    ends: &[u32],
    start: usize,
    new: &str,
) -> Result<()> {
    let from = if start == 0 {
        0
    } else {
        ends[start - 1] as usize
    };
    let to = ends.last().map_or(from, |&end| end as usize);
    if text.len() + (to - from) > i32::MAX as usize {
        return Err(too_much_text());
    }
    let shift = text.len() as i64 - from as i64;
    text.extend_from_slice(&new.as_bytes()[from..to]);
    offsets.extend(
        ends[start..]
            .iter()
            .map(|&end| (i64::from(end) + shift) as i32),
    );
    Ok(())
}

fn too_much_text() -> Error {
    Error::input("a batch holds more than 2 GiB of text in one column that passes through")
        .help("read the table in batches, or drop the column")
}
