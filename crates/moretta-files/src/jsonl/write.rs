//! Writing JSON lines: numbers as numbers, raw tokens as they came, the rest as strings.

use super::super::Sink;
use super::super::output::Output;
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_schema::DataType;
use moretta_data::data::json_column;
use moretta_data::data::plain_text::{flat_type, is_finite, plain_text};
use moretta_data::data::push_number;
use moretta_data::data::{Batch, Categories, Column, DateFormat, Kind, MISSING, Numbers, Schema};
use moretta_data::error::{Error, Result};

/// Writes JSON lines.
pub(super) struct JsonlSink {
    output: Output,
    /// `"name":` of each column.
    keys: Vec<Vec<u8>>,
}

impl JsonlSink {
    pub(super) fn new(output: Output, schema: &Schema) -> Result<Self> {
        let keys = schema
            .fields()
            .iter()
            .map(|field| {
                let mut key = Vec::new();
                push_string(&mut key, &field.name)?;
                key.push(b':');
                Ok(key)
            })
            .collect::<Result<_>>()?;
        Ok(JsonlSink { output, keys })
    }
}

impl Sink for JsonlSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let columns = batch
            .columns()
            .iter()
            .zip(batch.schema().fields())
            .map(|(column, field)| {
                let prepared = prepare(column, &field.kind, batch.len());
                prepared.map_err(|e| e.in_column(&*field.name))
            })
            .collect::<Result<Vec<Prepared>>>()?;
        let mut out = Vec::new();
        for row in 0..batch.len() {
            out.push(b'{');
            for (i, column) in columns.iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                out.extend_from_slice(&self.keys[i]);
                push_value(&mut out, column, row)?;
            }
            out.extend_from_slice(b"}\n");
            if out.len() > 1 << 20 {
                self.output.write(&out)?;
                out.clear();
            }
        }
        self.output.write(&out)
    }

    fn flush(&mut self) -> Result<()> {
        self.output.flush()
    }

    fn sync(&mut self) -> Result<u64> {
        self.output.sync()
    }

    fn close(&mut self) -> Result<()> {
        self.output.close()
    }
}

enum Prepared<'a> {
    Number(&'a Numbers),
    Date(&'a Numbers, DateFormat),
    /// The codes and the quoted levels.
    Category(Categories, Vec<Vec<u8>>),
    Text(StringArray),
    Tokens(StringArray),
}

fn prepare<'a>(column: &'a Column, kind: &Kind, rows: usize) -> Result<Prepared<'a>> {
    Ok(match (column, kind) {
        (Column::Number(numbers), Kind::Date(format)) => Prepared::Date(numbers, *format),
        (Column::Number(numbers), _) => Prepared::Number(numbers),
        (Column::Category(categories), _) => {
            let categories = if categories.levels().len() > rows {
                categories.compact()
            } else {
                categories.clone()
            };
            let quoted = categories
                .levels()
                .iter()
                .map(quoted)
                .collect::<Result<_>>()?;
            Prepared::Category(categories, quoted)
        }
        (Column::Plain(array), _) => prepare_plain(array)?,
    })
}

fn prepare_plain(array: &ArrayRef) -> Result<Prepared<'static>> {
    if let Some(tokens) = json_column::tokens(array) {
        return Ok(Prepared::Tokens(tokens));
    }
    let text = plain_text(array)?;
    let data_type = flat_type(array.data_type());
    if !data_type.is_numeric() && data_type != DataType::Boolean {
        return Ok(Prepared::Text(text));
    }
    // JSON has no word for numbers that are not finite.
    if data_type.is_floating() && !is_finite(&text) {
        return Err(Error::input("JSON cannot hold numbers that are not finite")
            .help("write csv, parquet or arrow, or correct the values"));
    }
    Ok(Prepared::Tokens(text))
}

fn push_value(out: &mut Vec<u8>, column: &Prepared, row: usize) -> Result<()> {
    let null = b"null";
    match column {
        Prepared::Number(numbers) => match numbers.get(row) {
            Some(number) => push_number(out, number),
            None => out.extend_from_slice(null),
        },
        Prepared::Date(numbers, format) => match numbers.get(row) {
            Some(day) => push_string(out, &format.format(day as i32))?,
            None => out.extend_from_slice(null),
        },
        Prepared::Category(categories, quoted) => match categories.codes()[row] {
            MISSING => out.extend_from_slice(null),
            code => out.extend_from_slice(&quoted[code as usize]),
        },
        Prepared::Text(text) if text.is_valid(row) => push_string(out, text.value(row))?,
        Prepared::Tokens(text) if text.is_valid(row) => {
            out.extend_from_slice(text.value(row).as_bytes());
        }
        Prepared::Text(_) | Prepared::Tokens(_) => out.extend_from_slice(null),
    }
    Ok(())
}

fn quoted(text: &str) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() + 2);
    push_string(&mut out, text)?;
    Ok(out)
}

fn push_string(out: &mut Vec<u8>, text: &str) -> Result<()> {
    serde_json::to_writer(out, text).map_err(|_| Error::bug("a text is always a JSON string"))
}
