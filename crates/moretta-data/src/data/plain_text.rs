//! The text of columns that pass through, for formats that know only text.
//!
//! | type | text |
//! |---|---|
//! | text | itself |
//! | whole numbers, floats | `-12`, `0.1`, `1e20` |
//! | decimals | with all digits of their scale: `1.50` |
//! | booleans | `true`, `false` |
//! | dates | `2024-03-01` |
//! | times of day | `12:30:00.5` |
//! | timestamps | `2024-03-01T12:30:00.5` |
//! | timestamps with a zone | the same in UTC: `2024-03-01T11:30:00.5Z` |
//! | values of JSON | the token, a string without its quotes |
//!
//! Bytes, lists, structures, maps, unions, durations and intervals have no text
//! that other programs would read, so they are refused; typed formats hold them.

use super::json_column;
use crate::error::{Error, Result};
use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date64Type, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, Field, FieldRef, TimeUnit};
use std::sync::Arc;

/// The cells as text.
pub fn plain_text(array: &ArrayRef) -> Result<StringArray> {
    if let Some(text) = array.as_any().downcast_ref::<StringArray>() {
        return Ok(text.clone());
    }
    if let Some(tokens) = json_column::tokens(array) {
        return Ok(tokens.iter().map(|t| t.map(json_column::text)).collect());
    }
    if !has_text(array.data_type()) {
        return Err(no_text(array.data_type()));
    }
    match array.data_type() {
        DataType::Null => Ok(StringArray::new_null(array.len())),
        DataType::Timestamp(unit, Some(_)) => {
            let utc = formatted(&without_zone(array, *unit))?;
            Ok(utc.iter().map(|t| t.map(|t| format!("{t}Z"))).collect())
        }
        DataType::Date64 if is_at_midnight(array) => plain_text(&cast(array, &DataType::Date32)?),
        other => match flat_type(other) {
            flat if flat != *other => plain_text(&cast(array, &flat)?),
            _ => formatted(array),
        },
    }
}

/// Whether columns of this type have a text.
pub fn has_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, value) => has_text(value),
        DataType::RunEndEncoded(_, values) => has_text(values.data_type()),
        DataType::Null
        | DataType::Boolean
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Timestamp(..) => true,
        json if *json == json_column::data_type() => true,
        other => other.is_numeric(),
    }
}

/// The error of a column that text formats cannot hold.
pub fn no_text(data_type: &DataType) -> Error {
    Error::input(format!("a column of type {} has no text", word(data_type)))
        .help("write parquet or arrow, which hold it as it is, or drop the column")
}

/// The type in a word: a full one would name the fields inside.
fn word(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Dictionary(_, value) => word(value),
        DataType::RunEndEncoded(_, values) => word(values.data_type()),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => "binary",
        DataType::FixedSizeBinary(_) => "fixed-size binary",
        DataType::Struct(_) => "struct",
        DataType::Map(..) => "map",
        DataType::Union(..) => "union",
        DataType::Duration(_) => "duration",
        DataType::Interval(_) => "interval",
        _ => "list",
    }
}

/// Dictionaries, views and runs may hold values that no row shows, at any depth,
/// so the types that hold the values themselves are written instead.
pub fn flat_type(data_type: &DataType) -> DataType {
    let flat = |field: &FieldRef| {
        let inner = flat_type(field.data_type());
        Arc::new(Field::new(field.name(), inner, field.is_nullable()))
    };
    match data_type {
        json if *json == json_column::data_type() => json.clone(),
        DataType::Dictionary(_, value) => flat_type(value),
        DataType::RunEndEncoded(_, values) => flat_type(values.data_type()),
        DataType::Utf8View => DataType::Utf8,
        DataType::BinaryView => DataType::Binary,
        DataType::List(item) | DataType::ListView(item) => DataType::List(flat(item)),
        DataType::LargeList(item) | DataType::LargeListView(item) => {
            DataType::LargeList(flat(item))
        }
        DataType::FixedSizeList(item, n) => DataType::FixedSizeList(flat(item), *n),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(flat).collect()),
        DataType::Map(entries, sorted) => DataType::Map(flat(entries), *sorted),
        other => other.clone(),
    }
}

/// Whether none of these texts of floats is `NaN` or infinite.
pub fn is_finite(text: &StringArray) -> bool {
    let letters = |text: &str| text.ends_with(|c: char| c.is_ascii_alphabetic());
    !text.iter().flatten().any(letters)
}

/// A cell for each row as Arrow shows it, for comparing and ordering only; also
/// where [`plain_text`] refuses.
pub fn shown(array: &ArrayRef) -> Result<StringArray> {
    if has_text(array.data_type()) {
        return plain_text(array);
    }
    let flat = cast(array, &flat_type(array.data_type()))?;
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(flat.as_ref(), &options).map_err(|_| {
        Error::input("nested times with a named zone cannot be put in order")
            .help("store them in UTC without a zone, or drop the column")
    })?;
    Ok((0..flat.len())
        .map(|row| flat.is_valid(row).then(|| formatter.value(row).to_string()))
        .collect())
}

fn cast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    if array.data_type() == to {
        return Ok(Arc::clone(array));
    }
    arrow_cast::cast(array, to).map_err(|_| {
        Error::input("a column of a type that cannot be written")
            .help("drop it, or store its values without dictionaries, views and runs")
    })
}

/// The same moments as times of UTC; the names of zones need not be known for that.
fn without_zone(array: &ArrayRef, unit: TimeUnit) -> ArrayRef {
    let none = None::<Arc<str>>;
    match unit {
        TimeUnit::Second => Arc::new(
            array
                .as_primitive::<TimestampSecondType>()
                .clone()
                .with_timezone_opt(none),
        ),
        TimeUnit::Millisecond => Arc::new(
            array
                .as_primitive::<TimestampMillisecondType>()
                .clone()
                .with_timezone_opt(none),
        ),
        TimeUnit::Microsecond => Arc::new(
            array
                .as_primitive::<TimestampMicrosecondType>()
                .clone()
                .with_timezone_opt(none),
        ),
        TimeUnit::Nanosecond => Arc::new(
            array
                .as_primitive::<TimestampNanosecondType>()
                .clone()
                .with_timezone_opt(none),
        ),
    }
}

fn is_at_midnight(array: &ArrayRef) -> bool {
    let milliseconds = array.as_primitive::<Date64Type>();
    milliseconds.iter().flatten().all(|t| t % 86_400_000 == 0)
}

fn formatted(array: &ArrayRef) -> Result<StringArray> {
    let beyond = || {
        Error::input("a date or time outside the years 0 to 9999 has no text")
            .help("correct it, or write parquet or arrow")
    };
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(array.as_ref(), &options).map_err(|_| beyond())?;
    let temporal = array.data_type().is_temporal();
    let mut texts = StringBuilder::with_capacity(array.len(), 8 * array.len());
    let mut text = String::new();
    for row in 0..array.len() {
        if array.is_null(row) {
            texts.append_null();
            continue;
        }
        text.clear();
        let written = formatter.value(row).write(&mut text);
        written.map_err(|_| beyond())?;
        if temporal && text.starts_with(['+', '-']) {
            return Err(beyond());
        }
        texts.append_value(&text);
    }
    Ok(texts.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{
        BinaryArray, BooleanArray, Date32Array, Date64Array, Decimal128Array, Float32Array,
        NullArray, Time32MillisecondArray, TimestampSecondArray,
    };

    #[test]
    fn every_type_has_the_text_of_the_table() {
        let zoned = TimestampSecondArray::from(vec![Some(1_709_290_800), None]);
        let cases: Vec<(ArrayRef, [Option<&str>; 2])> = vec![
            (Arc::new(NullArray::new(2)), [None, None]),
            (
                Arc::new(BooleanArray::from(vec![Some(true), None])),
                [Some("true"), None],
            ),
            (
                Arc::new(Float32Array::from(vec![0.1, -2.0])),
                [Some("0.1"), Some("-2.0")],
            ),
            (
                Arc::new(
                    Decimal128Array::from(vec![Some(150), None])
                        .with_precision_and_scale(5, 2)
                        .expect("fits"),
                ),
                [Some("1.50"), None],
            ),
            (
                Arc::new(Date32Array::from(vec![Some(19_783), None])),
                [Some("2024-03-01"), None],
            ),
            (
                Arc::new(Date64Array::from(vec![Some(86_400_000), None])),
                [Some("1970-01-02"), None],
            ),
            (
                Arc::new(Time32MillisecondArray::from(vec![Some(45_000_500), None])),
                [Some("12:30:00.500"), None],
            ),
            (Arc::new(zoned.clone()), [Some("2024-03-01T11:00:00"), None]),
            (
                Arc::new(zoned.with_timezone("Europe/Rome")),
                [Some("2024-03-01T11:00:00Z"), None],
            ),
        ];
        for (array, expected) in cases {
            let text = plain_text(&array).expect("a text");
            let cells: Vec<Option<&str>> = text.iter().collect();
            assert_eq!(cells, expected, "{}", array.data_type());
        }
    }

    #[test]
    fn what_has_no_text_is_refused_without_showing_it() {
        let bytes: ArrayRef = Arc::new(BinaryArray::from_vec(vec![b"secret"]));
        let late: ArrayRef = Arc::new(Date32Array::from(vec![4_000_000]));
        for array in [bytes, late] {
            let error = plain_text(&array).expect_err("refused");
            assert_eq!(error.exit_code(), 4);
            assert!(
                error
                    .help_text()
                    .is_some_and(|help| help.contains("parquet"))
            );
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
