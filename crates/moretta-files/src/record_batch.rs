//! Released rows as Arrow arrays for typed formats.
//!
//! Categories become plain text made from the rows alone. What passes through gets
//! dictionaries of the values that rows show instead of its own, and loses views and
//! runs, so that no buffer carries a value that no row shows.

use arrow_array::types::{Date32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, Float64Array, PrimitiveArray, RecordBatch, RecordBatchOptions, StringArray,
};
use arrow_schema::{DataType, Field, Schema as ArrowSchema};
use moretta_data::data::dictionary::{dictionary_type, shown_values};
use moretta_data::data::json_column;
use moretta_data::data::plain_text::{flat_type, plain_text};
use moretta_data::data::{Batch, Column, Declared, Field as TableField, Kind, Numbers, Schema};
use moretta_data::error::{Error, Result};
use rayon::prelude::*;
use std::sync::Arc;

/// The schema that is written: names and types only, nothing from the input beside them.
pub(super) fn arrow_schema(schema: &Schema) -> Arc<ArrowSchema> {
    let fields: Vec<Field> = schema
        .fields()
        .iter()
        .map(|field| {
            Field::new(&*field.name, written_type(&field.kind), true)
                .with_dict_is_ordered(is_ordered(field))
        })
        .collect();
    Arc::new(ArrowSchema::new(fields))
}

fn is_ordered(field: &TableField) -> bool {
    field.declared == Some(Declared::Ordered)
}

fn written_type(kind: &Kind) -> DataType {
    match kind {
        Kind::Number { integer: true } => DataType::Int64,
        Kind::Number { integer: false } => DataType::Float64,
        Kind::Date(_) => DataType::Date32,
        Kind::Category { .. } => DataType::Utf8,
        Kind::Plain(data_type) if *data_type == json_column::data_type() => DataType::Utf8,
        Kind::Plain(data_type) => {
            dictionary_type(data_type).unwrap_or_else(|| flat_type(data_type))
        }
    }
}

/// The rows as arrays.
pub(super) fn record_batch(batch: &Batch, schema: &Arc<ArrowSchema>) -> Result<RecordBatch> {
    let columns = batch.columns().par_iter().zip(batch.schema().fields());
    let arrays: Vec<Result<ArrayRef>> = columns
        .map(|(column, field)| array(column, field).map_err(|e| e.in_column(&*field.name)))
        .collect();
    let arrays = arrays.into_iter().collect::<Result<Vec<ArrayRef>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.len()));
    RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options)
        .map_err(|e| Error::bug(format!("columns for writing: {e}")))
}

fn array(column: &Column, field: &TableField) -> Result<ArrayRef> {
    Ok(match (column, &field.kind) {
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
        (Column::Plain(array), _) => plain(array, is_ordered(field))?,
    })
}

fn plain(array: &ArrayRef, ordered: bool) -> Result<ArrayRef> {
    if json_column::tokens(array).is_some() {
        return Ok(Arc::new(plain_text(array)?));
    }
    let flat = flat_type(array.data_type());
    if flat == *array.data_type() {
        return Ok(Arc::clone(array));
    }
    let rows = cast(array, &flat)?;
    let Some(dictionary) = dictionary_type(array.data_type()) else {
        return Ok(rows);
    };
    // A dictionary has its values as they come: first once each, in their order.
    let values = match shown_values(array, ordered)? {
        Some(cells) => {
            let values: ArrayRef = Arc::new(StringArray::from_iter_values(cells.levels().iter()));
            cast(&values, &flat)?
        }
        None => rows.slice(0, 0),
    };
    let all = arrow_select::concat::concat(&[&values, &rows])
        .map_err(|e| Error::bug(format!("values and rows of one type: {e}")))?;
    Ok(cast(&all, &dictionary)?.slice(values.len(), rows.len()))
}

fn cast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    arrow_cast::cast(array, to).map_err(|_| {
        Error::input("a column of a type that cannot be written")
            .help("drop it, or store its values without dictionaries, views and runs")
    })
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

#[cfg(test)]
mod tests {
    use super::super::{WriteOptions, create};
    use super::*;
    use arrow_array::types::Int32Type;
    use arrow_array::{DictionaryArray, ListArray, StringViewArray};
    use arrow_buffer::OffsetBuffer;
    use moretta_data::data::plain_text::has_text;
    use moretta_data::data::{Role, RowIds};

    /// Three cells, of which the first is a secret, in arrays that share their values.
    fn arrays() -> Vec<ArrayRef> {
        let texts = [
            "a secret of the first row",
            "an open text of a row",
            "another open text",
        ];
        let dictionary: DictionaryArray<Int32Type> = texts.into_iter().collect();
        let item = Arc::new(Field::new("item", dictionary.data_type().clone(), true));
        let offsets = OffsetBuffer::from_lengths([1, 1, 1]);
        let nested = ListArray::new(item, offsets, Arc::new(dictionary.clone()), None);
        vec![
            Arc::new(dictionary),
            Arc::new(StringViewArray::from_iter_values(texts)),
            Arc::new(StringArray::from_iter_values(texts)),
            Arc::new(nested),
        ]
    }

    #[test]
    fn rows_that_are_not_released_leave_no_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        for array in arrays() {
            let kind = Kind::Plain(array.data_type().clone());
            let schema = Schema::new(vec![TableField::new("p", Role::Plain, kind)]);
            let schema = Arc::new(schema.expect("one name"));
            let ids = RowIds::Range { start: 0, len: 3 };
            let columns = vec![Column::Plain(array.clone())];
            let batch = Batch::new(Arc::clone(&schema), ids, columns).expect("fits");
            let released = [batch.slice(1, 2), batch.take(&[2, 1]).expect("takes")];
            for ending in ["parquet", "arrow", "arrows", "csv", "jsonl", "arff"] {
                let name = &format!("a.{ending}");
                for part in &released {
                    let path = folder.path().join(name);
                    let sink = create(&path, &WriteOptions::default(), &schema);
                    if !has_text(array.data_type()) && ["csv", "jsonl", "arff"].contains(&ending) {
                        assert_eq!(sink.err().map(|e| e.exit_code()), Some(4), "{name}");
                        continue;
                    }
                    let mut sink = sink.expect("creates");
                    sink.write(part).expect("writes");
                    sink.close().expect("closes");
                    let bytes = std::fs::read(&path).expect("reads");
                    let secret = memchr::memmem::find(&bytes, b"secret");
                    assert_eq!(secret, None, "{} in {name}", array.data_type());
                }
            }
        }
    }
}
