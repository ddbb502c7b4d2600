//! The times of the rows of a batch.

use super::{Batch, Column, TimeFormat};
use crate::error::{Error, Result};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, StringArray};
use arrow_schema::{DataType, TimeUnit};

/// Milliseconds since 1970 of each row. The format is guessed from the first row when it is not given.
pub fn times(batch: &Batch, place: usize, format: &mut Option<TimeFormat>) -> Result<Vec<i64>> {
    let name = &batch.schema().fields()[place].name;
    let Column::Plain(array) = batch.column(place) else {
        return Err(Error::bug("times were not read as they are"));
    };
    let times = match array.data_type() {
        DataType::Utf8 => texts(array.as_string::<i32>(), format),
        // Tokens of JSON: a number, or a text in quotes.
        DataType::Struct(fields) if fields.len() == 1 && fields[0].name() == "json" => {
            texts(array.as_struct().column(0).as_string::<i32>(), format)
        }
        DataType::Int64 => {
            let whole = array.as_primitive::<Int64Type>();
            let unit = match format {
                Some(TimeFormat::Milliseconds) => 1,
                _ => 1000,
            };
            all(whole.len(), |row| {
                whole
                    .is_valid(row)
                    .then(|| whole.value(row).checked_mul(unit))?
            })
        }
        DataType::Float64 => {
            let seconds = array.as_primitive::<Float64Type>();
            all(seconds.len(), |row| {
                let milliseconds = (seconds.value(row) * 1000.0).floor();
                (seconds.is_valid(row) && milliseconds.abs() < 9e15).then_some(milliseconds as i64)
            })
        }
        DataType::Timestamp(unit, _) => {
            let ticks = milliseconds(array, *unit);
            all(array.len(), |row| {
                array.is_valid(row).then(|| ticks(row))?
            })
        }
        _ => {
            return Err(Error::policy(format!("column `{name}` holds no times"))
                .help("a time is a number of seconds, a timestamp, or text such as 2024-05-01T12:00:00Z"));
        }
    };
    times.map_err(|row| {
        let id = batch.rows().get(row) & ((1 << 48) - 1);
        Error::input(format!("row {} has no time that can be read", id + 1))
            .in_column(&**name)
            .help("times are seconds (1494809738.217), milliseconds (unit = \"ms\") or 2017-05-15T00:55:38Z")
    })
}

type Found = std::result::Result<Vec<i64>, usize>;

fn all(rows: usize, time: impl Fn(usize) -> Option<i64>) -> Found {
    (0..rows).map(|row| time(row).ok_or(row)).collect()
}

fn texts(texts: &StringArray, format: &mut Option<TimeFormat>) -> Found {
    let text = |row: usize| {
        let text = texts.value(row);
        match text.starts_with('"') {
            true => text.trim_matches('"'),
            false => text,
        }
    };
    if format.is_none() && !texts.is_empty() {
        *format = TimeFormat::guess(text(0));
    }
    let Some(format) = *format else {
        return if texts.is_empty() {
            Ok(Vec::new())
        } else {
            Err(0)
        };
    };
    all(texts.len(), |row| format.parse(text(row)))
}

/// Milliseconds of a timestamp, cut.
fn milliseconds(array: &dyn Array, unit: TimeUnit) -> impl Fn(usize) -> Option<i64> + '_ {
    use arrow_array::types::{
        TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
        TimestampSecondType,
    };
    move |row| match unit {
        TimeUnit::Second => array
            .as_primitive::<TimestampSecondType>()
            .value(row)
            .checked_mul(1000),
        TimeUnit::Millisecond => Some(array.as_primitive::<TimestampMillisecondType>().value(row)),
        TimeUnit::Microsecond => Some(
            array
                .as_primitive::<TimestampMicrosecondType>()
                .value(row)
                .div_euclid(1000),
        ),
        TimeUnit::Nanosecond => Some(
            array
                .as_primitive::<TimestampNanosecondType>()
                .value(row)
                .div_euclid(1_000_000),
        ),
    }
}
