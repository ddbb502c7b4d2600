//! Typed formats: columns of Arrow arrays turned into numbers, dates and categories.
//!
//! The types of the file decide what is inferred: integers, floats and decimals
//! are numbers, dates are dates, text and the rest are categories. Of a timestamp
//! the date is read, in UTC where it has a zone; its time of day is left out, as in text
//! formats. A time column passes through with its type.
//! Text in a declared number or date column is parsed as in CSV.

use super::chunk::{Cells, Chunk, ChunkBuilder, ChunkColumn, Layout, Values};
use super::misfit::{Misfit, Unfit};
use super::number::EXACT;
use super::options::{ColumnPlan, ReadAs};
use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, TimeUnit};
use moretta_data::data::plain_text::{has_text, no_text, plain_text};
use moretta_data::data::{DateFormat, LevelsBuilder, MISSING, Role};
use moretta_data::error::{Error, Result};
use rayon::prelude::*;

/// Decides what the columns to be inferred are; `types` are those of the file.
pub(super) fn resolve(plans: &mut [ColumnPlan], types: &[DataType]) -> Result<()> {
    for (plan, data_type) in plans.iter_mut().zip(types) {
        if !matches!(plan.read, ReadAs::Skip | ReadAs::Plain) && is_nested(data_type) {
            return Err(Error::input("a nested column cannot be protected")
                .in_column(&plan.name)
                .help("flatten it, drop it, or give it the role plain"));
        }
        if plan.read == ReadAs::Infer {
            plan.read = inferred(data_type, plan.role);
        }
    }
    Ok(())
}

/// What a column of this type and role is read as when nothing is declared.
pub(super) fn inferred(data_type: &DataType, role: Role) -> ReadAs {
    match data_type {
        DataType::Dictionary(_, value) => inferred(value, role),
        DataType::Timestamp(..) if role == Role::Time => ReadAs::Plain,
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => {
            ReadAs::Date(DateFormat::ISO)
        }
        data_type if data_type.is_nested() => ReadAs::Plain,
        data_type if data_type.is_integer() => ReadAs::Integer,
        data_type if data_type.is_numeric() => ReadAs::Number,
        _ => ReadAs::Category,
    }
}

fn is_nested(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, value) => is_nested(value),
        other => other.is_nested(),
    }
}

/// The chunk of a batch of arrays, one for each column that is read.
pub(super) fn chunk(batch: &RecordBatch, layout: &Layout) -> Result<Chunk> {
    let plans = layout.plans.iter().enumerate();
    let read: Vec<(usize, &ColumnPlan)> = plans
        .filter(|(_, plan)| plan.read != ReadAs::Skip)
        .collect();
    let columns: Vec<Result<ChunkColumn>> = read
        .par_iter()
        .zip(batch.columns())
        .map(|(&(place, plan), array)| {
            column(array, place, layout).map_err(|e| e.in_column(&plan.name))
        })
        .collect();
    let columns = columns.into_iter().collect::<Result<_>>()?;
    Ok(Chunk {
        rows: batch.num_rows(),
        lines: batch.num_rows() as u64,
        columns,
        ..Chunk::default()
    })
}

fn column(array: &ArrayRef, place: usize, layout: &Layout) -> Result<ChunkColumn> {
    let plan = &layout.plans[place];
    match (&plan.read, array.data_type()) {
        (ReadAs::Plain | ReadAs::Skip | ReadAs::Infer, _) => Ok(ChunkColumn {
            values: Values::Array(array.clone()),
            misfits: Vec::new(),
        }),
        (ReadAs::Category, _) => Ok(categories(&text(array)?, plan, layout)),
        (ReadAs::Number | ReadAs::Integer, data_type) if is_number(data_type) => {
            numbers(array, plan.read == ReadAs::Integer)
        }
        (ReadAs::Date(format), DataType::Date32 | DataType::Date64 | DataType::Timestamp(..)) => {
            dates(array, *format)
        }
        _ => Ok(parsed(&text(array)?, place, layout)),
    }
}

fn is_number(data_type: &DataType) -> bool {
    data_type.is_numeric() || matches!(data_type, DataType::Timestamp(..) | DataType::Boolean)
}

fn cast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let options = CastOptions {
        safe: false,
        ..CastOptions::default()
    };
    cast_with_options(array, to, &options).map_err(|_| {
        Error::input(format!(
            "values of type {} cannot be read as declared",
            array.data_type()
        ))
        .help("declare another `type` for the column, or give it the role plain")
    })
}

fn text(array: &ArrayRef) -> Result<StringArray> {
    if !has_text(array.data_type()) {
        return Err(no_text(array.data_type()).help("give the column the role plain, or drop it"));
    }
    plain_text(array)
}

/// Text cells read as in CSV.
fn parsed(text: &StringArray, place: usize, layout: &Layout) -> ChunkColumn {
    let one = Layout {
        plans: vec![layout.plans[place].clone()],
        ordered: vec![layout.ordered[place].clone()],
        missing: layout.missing.clone(),
        decimal_comma: layout.decimal_comma,
    };
    let mut builder = ChunkBuilder::new(&one);
    for (row, cell) in text.iter().enumerate() {
        match cell {
            Some(cell) => builder.cell(0, cell, row as u64),
            None => builder.missing(0, row as u64),
        }
        builder.end_row();
    }
    let mut chunk = builder.finish(text.len() as u64, None);
    chunk.columns.pop().expect("one column was planned")
}

fn categories(text: &StringArray, plan: &ColumnPlan, layout: &Layout) -> ChunkColumn {
    let mut levels = LevelsBuilder::default();
    let mut misfits = Vec::new();
    let codes = text
        .iter()
        .enumerate()
        .map(|(row, cell)| match cell {
            Some(cell) if !layout.is_missing(cell) => levels.intern(cell),
            _ => {
                if plan.role == Role::Subject {
                    misfits.push(misfit(row, Unfit::Subject));
                }
                MISSING
            }
        })
        .collect();
    ChunkColumn {
        values: Values::Category {
            codes,
            levels: levels.finish(),
        },
        misfits,
    }
}

fn misfit(row: usize, why: Unfit) -> Misfit {
    Misfit {
        row: row as u32,
        line: row as u32,
        why,
    }
}

/// Numbers with the rows that are missing or do not fit.
fn collect(slots: impl Iterator<Item = Option<std::result::Result<f64, Unfit>>>) -> ChunkColumn {
    let (mut values, mut missing, mut misfits) = (Vec::new(), Vec::new(), Vec::new());
    for (row, slot) in slots.enumerate() {
        values.push(match slot {
            // Adding 0 makes −0 a 0.
            Some(Ok(value)) => value + 0.0,
            Some(Err(why)) => {
                misfits.push(misfit(row, why));
                0.0
            }
            None => {
                missing.push(row as u32);
                0.0
            }
        });
    }
    ChunkColumn {
        values: Values::Number { values, missing },
        misfits,
    }
}

fn numbers(array: &ArrayRef, integer: bool) -> Result<ChunkColumn> {
    if let DataType::Timestamp(unit, _) = array.data_type() {
        let ticks = cast(array, &DataType::Int64)?;
        let second = ticks_per_second(*unit) as f64;
        let seconds = ticks.as_primitive::<Int64Type>();
        return Ok(collect(
            seconds.iter().map(|t| t.map(|t| Ok(t as f64 / second))),
        ));
    }
    if array.data_type().is_integer() {
        return whole_numbers(array);
    }
    let floats = cast(array, &DataType::Float64)?;
    let fit = |n: f64| {
        if !n.is_finite() {
            Err(Unfit::Finite)
        } else if integer && n.fract() != 0.0 {
            Err(Unfit::Whole)
        } else if integer && n.abs() > EXACT as f64 {
            Err(Unfit::Inexact)
        } else {
            Ok(n)
        }
    };
    Ok(collect(
        floats
            .as_primitive::<Float64Type>()
            .iter()
            .map(|n| n.map(fit)),
    ))
}

fn whole_numbers(array: &ArrayRef) -> Result<ChunkColumn> {
    if let DataType::UInt64 = array.data_type() {
        let whole = array.as_primitive::<arrow_array::types::UInt64Type>();
        return Ok(collect(whole.iter().map(|n| n.map(|n| exact(n, n as f64)))));
    }
    let whole = cast(array, &DataType::Int64)?;
    let whole = whole.as_primitive::<Int64Type>();
    Ok(collect(
        whole
            .iter()
            .map(|n| n.map(|n| exact(n.unsigned_abs(), n as f64))),
    ))
}

fn exact(magnitude: u64, value: f64) -> std::result::Result<f64, Unfit> {
    match magnitude {
        0..=EXACT => Ok(value),
        n if n > i64::MAX as u64 => Err(Unfit::Overflow),
        _ => Err(Unfit::Inexact),
    }
}

fn dates(array: &ArrayRef, format: DateFormat) -> Result<ChunkColumn> {
    let day = |ticks: i64, ticks_per_day: i64| {
        let day = ticks.div_euclid(ticks_per_day);
        if is_written(day) {
            Ok(day as f64)
        } else {
            Err(Unfit::Date(format))
        }
    };
    let ticks_per_day = match array.data_type() {
        DataType::Timestamp(unit, _) => 86_400 * ticks_per_second(*unit),
        DataType::Date64 => 86_400_000,
        _ => {
            let days = array.as_primitive::<Date32Type>();
            return Ok(collect(
                days.iter().map(|d| d.map(|d| day(i64::from(d), 1))),
            ));
        }
    };
    let ticks = cast(array, &DataType::Int64)?;
    let ticks = ticks.as_primitive::<Int64Type>();
    Ok(collect(
        ticks.iter().map(|t| t.map(|t| day(t, ticks_per_day))),
    ))
}

/// Whether the year of the day has four digits, so that it can be written and read again.
fn is_written(day: i64) -> bool {
    (-719_528..=2_932_896).contains(&day)
}

fn ticks_per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}
