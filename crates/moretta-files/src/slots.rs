//! One column of a batch while chunks are gathered into it.

use super::chunk::{ChunkColumn, Values};
use super::misfit::{Misfit, Misfits, grouped};
use super::options::Limits;
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_buffer::{Buffer, NullBuffer, NullBufferBuilder, OffsetBuffer};
use arrow_schema::DataType;
use moretta_data::data::{
    Categories, Column, Field, Kind, Levels, LevelsBuilder, MISSING, Numbers, Role, json_column,
};
use moretta_data::error::{Error, Result};
use std::sync::Arc;

/// One column of the batch that is being gathered.
pub(super) struct Gathered {
    slots: Slots,
    pub(super) misfits: Option<Misfits>,
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
    pub(super) fn new(kind: &Kind, ordered: Option<Arc<Levels>>) -> Self {
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

    pub(super) fn append(
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

    /// How many distinct values were met, in a column of categories that are not declared.
    pub(super) fn distinct(&self) -> usize {
        match &self.slots {
            Slots::Category { levels, .. } => levels.len(),
            _ => 0,
        }
    }

    /// Bytes of texts and of arrays that pass through.
    pub(super) fn text_bytes(&self) -> u64 {
        let bytes = match &self.slots {
            Slots::Category { levels, .. } => levels.levels().text().len(),
            Slots::Text { text, .. } => text.len(),
            Slots::Arrays(arrays, _) => arrays.iter().map(|a| a.get_array_memory_size()).sum(),
            Slots::Number { .. } | Slots::Ordered { .. } => 0,
        };
        bytes as u64
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

    pub(super) fn finish(&mut self) -> Result<Column> {
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
                text_column(offsets, std::mem::take(text), present.finish(), *json)?
            }
            Slots::Arrays(arrays, data_type) => {
                Column::Plain(join(&std::mem::take(arrays), data_type)?)
            }
        })
    }
}

/// A column of text that passes through; `json` tells that it is tokens of JSON.
pub(super) fn text_column(
    offsets: Vec<i32>,
    text: Vec<u8>,
    present: Option<NullBuffer>,
    json: bool,
) -> Result<Column> {
    let offsets = OffsetBuffer::new(offsets.into());
    let array = StringArray::try_new(offsets, Buffer::from_vec(text), present)
        .map_err(|e| Error::bug(format!("a column of text: {e}")))?;
    Ok(Column::Plain(if json {
        json_column::column(array)
    } else {
        Arc::new(array)
    }))
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

/// The marks of `rows` slots of which `missing` hold no value; none when all do.
pub(super) fn present(missing: &[u32], rows: usize) -> Option<NullBuffer> {
    let mut present = NullBufferBuilder::new(rows);
    append_present(&mut present, missing, 0, rows);
    present.finish()
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
    if new.len() < theirs.len() / 4 {
        // For a few rows of a large chunk a table of all its codes costs more than looking up each.
        let look_up = |&code: &u32| match code {
            MISSING => MISSING,
            code => levels.intern(theirs.get(code)),
        };
        codes.extend(new.iter().map(look_up));
        return;
    }
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

pub(super) fn too_much_text() -> Error {
    Error::input("a batch holds more than 2 GiB of text in one column that passes through")
        .help("read the table in batches, or drop the column")
}

/// Fails when a column whose values are compared has too many of them in one batch.
pub(super) fn check_distinct(distinct: usize, field: &Field, limits: &Limits) -> Result<()> {
    let counted = matches!(field.role, Role::Quasi | Role::Sensitive | Role::Class);
    if !counted || distinct <= limits.categories {
        return Ok(());
    }
    let most = grouped(limits.categories as u64);
    Err(Error::input(format!("more than {most} distinct values"))
        .in_column(&*field.name)
        .help("declare a number or date, generalise the column first, or give it another role"))
}
