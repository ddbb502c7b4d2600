//! Released rows as Arrow arrays for typed formats.
//!
//! Categories become plain text made from the rows alone, so no dictionary
//! carries a value that no row shows.

use super::json_column;
use super::plain_text::plain_text;
use crate::data::{Batch, Column, Kind, Numbers, Schema};
use crate::error::{Error, Result};
use arrow_array::types::{Date32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, Float64Array, PrimitiveArray, RecordBatch, RecordBatchOptions, StringArray,
};
use arrow_schema::{DataType, Field, Schema as ArrowSchema};
use std::sync::Arc;

/// The schema that is written: names and types only, nothing from the input beside them.
pub(super) fn arrow_schema(schema: &Schema) -> Arc<ArrowSchema> {
    let fields: Vec<Field> = schema
        .fields()
        .iter()
        .map(|field| Field::new(&*field.name, written_type(&field.kind), true))
        .collect();
    Arc::new(ArrowSchema::new(fields))
}

fn written_type(kind: &Kind) -> DataType {
    match kind {
        Kind::Number { integer: true } => DataType::Int64,
        Kind::Number { integer: false } => DataType::Float64,
        Kind::Date(_) => DataType::Date32,
        Kind::Category { .. } => DataType::Utf8,
        Kind::Plain(data_type) if *data_type == json_column::data_type() => DataType::Utf8,
        Kind::Plain(data_type) => flat_type(data_type),
    }
}

/// A dictionary may hold values that no row shows, so its values are written instead.
fn flat_type(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Dictionary(_, value) => flat_type(value),
        other => other.clone(),
    }
}

/// The rows as arrays.
pub(super) fn record_batch(batch: &Batch, schema: &Arc<ArrowSchema>) -> Result<RecordBatch> {
    let arrays = batch
        .columns()
        .iter()
        .zip(batch.schema().fields())
        .map(|(column, field)| array(column, &field.kind))
        .collect::<Result<Vec<ArrayRef>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.len()));
    RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options)
        .map_err(|e| Error::bug(format!("columns for writing: {e}")))
}

fn array(column: &Column, kind: &Kind) -> Result<ArrayRef> {
    Ok(match (column, kind) {
        (Column::Number(numbers), Kind::Number { integer: true }) => Arc::new(integers(numbers)?),
        (Column::Number(numbers), Kind::Date(_)) => Arc::new(days(numbers)),
        (Column::Number(numbers), _) => Arc::new(Float64Array::new(
            numbers.values().to_vec().into(),
            numbers.present().cloned(),
        )),
        (Column::Category(categories), _) => {
            let rows = 0..categories.len();
            Arc::new(rows.map(|row| categories.get(row)).collect::<StringArray>())
        }
        (Column::Plain(array), _) => plain(array)?,
    })
}

fn plain(array: &ArrayRef) -> Result<ArrayRef> {
    if json_column::tokens(array).is_some() {
        return Ok(Arc::new(plain_text(array)?));
    }
    let flat = flat_type(array.data_type());
    if flat == *array.data_type() {
        return Ok(Arc::clone(array));
    }
    arrow_cast::cast(array, &flat).map_err(|e| Error::bug(format!("a dictionary is unpacked: {e}")))
}

fn integers(numbers: &Numbers) -> Result<PrimitiveArray<Int64Type>> {
    if numbers.iter().flatten().any(|n| n.fract() != 0.0) {
        return Err(Error::bug("a column of whole numbers holds a fraction"));
    }
    let values: Vec<i64> = numbers.values().iter().map(|&n| n as i64).collect();
    Ok(PrimitiveArray::new(
        values.into(),
        numbers.present().cloned(),
    ))
}

fn days(numbers: &Numbers) -> PrimitiveArray<Date32Type> {
    let values: Vec<i32> = numbers.values().iter().map(|&n| n as i32).collect();
    PrimitiveArray::new(values.into(), numbers.present().cloned())
}
