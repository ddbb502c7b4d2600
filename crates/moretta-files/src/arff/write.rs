//! Writing ARFF. Nominal attributes declare exactly the values that the rows have: in the
//! order that the source declares, if it declares all of them, else as they appear.
//! Columns of text keep the type that the source declares as far as their cells have it.

use super::super::Sink;
use super::super::output::Output;
use super::token::push_value;
use arrow_array::cast::AsArray;
use arrow_array::{Array, StringArray};
use arrow_schema::DataType;
use moretta_data::data::dictionary::shown_values;
use moretta_data::data::plain_text::{flat_type, is_finite, plain_text};
use moretta_data::data::push_number;
use moretta_data::data::{
    Batch, Categories, Column, DateFormat, Declared, Field, Kind, Levels, Schema,
};
use moretta_data::error::Result;
use std::sync::Arc;

/// Holds the released table and writes it when it is closed.
pub(super) struct ArffSink {
    output: Output,
    schema: Arc<Schema>,
    batches: Vec<Batch>,
    closed: bool,
}

impl ArffSink {
    pub(super) fn new(output: Output, schema: &Arc<Schema>) -> Self {
        ArffSink {
            output,
            schema: Arc::clone(schema),
            batches: Vec::new(),
            closed: false,
        }
    }

    fn write_table(&mut self) -> Result<()> {
        let table = Batch::concat(&self.schema, std::mem::take(&mut self.batches))?;
        let columns = table
            .columns()
            .iter()
            .zip(self.schema.fields())
            .map(|(column, field)| compacted(column, field).map_err(|e| e.in_column(&*field.name)))
            .collect::<Result<Vec<_>>>()?;
        let mut out = b"@relation release\n\n".to_vec();
        for (column, field) in columns.iter().zip(self.schema.fields()) {
            out.extend_from_slice(b"@attribute ");
            push_value(&mut out, &field.name);
            out.push(b' ');
            push_type(&mut out, column, field);
            out.push(b'\n');
        }
        out.extend_from_slice(b"\n@data\n");
        for row in 0..table.len() {
            for (i, (column, field)) in columns.iter().zip(self.schema.fields()).enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                push_cell(&mut out, column, &field.kind, row);
            }
            out.push(b'\n');
            if out.len() > 1 << 20 {
                self.output.write(&out)?;
                out.clear();
            }
        }
        self.output.write(&out)
    }
}

impl Sink for ArffSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        if !batch.is_empty() {
            self.batches.push(batch.clone());
        }
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        if !std::mem::replace(&mut self.closed, true) {
            self.write_table()?;
        }
        self.output.close()
    }
}

/// Only the levels that rows show, also of dictionaries, and text instead of other arrays.
fn compacted(column: &Column, field: &Field) -> Result<Column> {
    Ok(match column {
        Column::Category(categories) => Column::Category(categories.compact()),
        Column::Plain(array) => {
            match shown_values(array, field.declared == Some(Declared::Ordered))? {
                Some(cells) => Column::Category(cells),
                None => Column::Plain(Arc::new(plain_text(array)?)),
            }
        }
        Column::Number(_) => column.clone(),
    })
}

fn push_type(out: &mut Vec<u8>, column: &Column, field: &Field) {
    match (column, &field.kind) {
        (Column::Category(categories), _) => push_nominal(out, categories.levels(), field),
        (_, Kind::Number { integer: true }) => out.extend_from_slice(b"integer"),
        (_, Kind::Number { integer: false }) => out.extend_from_slice(b"numeric"),
        (_, Kind::Date(DateFormat::ISO)) => out.extend_from_slice(b"date \"yyyy-MM-dd\""),
        (Column::Plain(array), Kind::Plain(data_type)) => match array.as_string_opt::<i32>() {
            Some(text) => push_text_type(out, text, data_type, field),
            None => out.extend_from_slice(b"string"),
        },
        _ => out.extend_from_slice(b"string"),
    }
}

fn push_text_type(out: &mut Vec<u8>, text: &StringArray, data_type: &DataType, field: &Field) {
    let numbers = || {
        text.iter()
            .flatten()
            .all(|t| t.parse().is_ok_and(f64::is_finite))
    };
    match &field.declared {
        Some(Declared::Nominal(_)) => {
            let shown: Categories = text.iter().collect();
            push_nominal(out, shown.levels(), field);
        }
        Some(Declared::Number { integer: true }) if numbers() => out.extend_from_slice(b"integer"),
        Some(Declared::Number { integer: false }) if numbers() => {
            out.extend_from_slice(b"numeric");
        }
        None if flat_type(data_type).is_numeric() && is_finite(text) => {
            out.extend_from_slice(b"numeric");
        }
        _ => out.extend_from_slice(b"string"),
    }
}

/// The values in braces. An order is kept only among values that rows show.
fn push_nominal(out: &mut Vec<u8>, shown: &Levels, field: &Field) {
    let mut values: Vec<&str> = shown.iter().collect();
    if let Some(declared) = field.declared_values()
        && let Some(places) = values
            .iter()
            .map(|v| declared.find(v))
            .collect::<Option<Vec<_>>>()
    {
        let mut placed: Vec<(u32, &str)> = places.into_iter().zip(values).collect();
        placed.sort_unstable();
        values = placed.into_iter().map(|(_, value)| value).collect();
    }
    out.push(b'{');
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        push_value(out, value);
    }
    out.push(b'}');
}

fn push_cell(out: &mut Vec<u8>, column: &Column, kind: &Kind, row: usize) {
    let missing = b"?";
    match (column, kind) {
        (Column::Number(numbers), Kind::Date(format)) => match numbers.get(row) {
            Some(day) => push_value(out, &format.format(day as i32)),
            None => out.extend_from_slice(missing),
        },
        (Column::Number(numbers), _) => match numbers.get(row) {
            Some(number) => push_number(out, number),
            None => out.extend_from_slice(missing),
        },
        (Column::Category(categories), _) => match categories.get(row) {
            Some(text) => push_value(out, text),
            None => out.extend_from_slice(missing),
        },
        (Column::Plain(array), _) => match array.as_any().downcast_ref::<StringArray>() {
            Some(text) if text.is_valid(row) => push_value(out, text.value(row)),
            _ => out.extend_from_slice(missing),
        },
    }
}
