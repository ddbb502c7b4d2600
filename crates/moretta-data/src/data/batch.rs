//! Rows that travel together, column by column.

use super::categories::Categories;
use super::levels::LevelsBuilder;
use super::numbers::Numbers;
use super::schema::{Kind, Schema};
use crate::error::{Error, Result};
use arrow_array::{Array, ArrayRef, UInt32Array};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::sync::Arc;

/// The ids that the source gave to the rows. They travel with the rows, so that
/// a released row finds its original, and never reach a sink.
#[derive(Clone, Debug, PartialEq)]
pub enum RowIds {
    /// Consecutive ids, as they come from a source.
    Range {
        /// The first id.
        start: u64,
        /// How many.
        len: usize,
    },
    /// Any ids, as they come from a operator.
    List(Arc<[u64]>),
}

impl RowIds {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self {
            RowIds::Range { len, .. } => *len,
            RowIds::List(ids) => ids.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of `row`.
    pub fn get(&self, row: usize) -> u64 {
        match self {
            RowIds::Range { start, .. } => start + row as u64,
            RowIds::List(ids) => ids[row],
        }
    }

    /// The ids in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        (0..self.len()).map(|row| self.get(row))
    }

    /// The ids at `rows`.
    pub fn take(&self, rows: &[u32]) -> Self {
        RowIds::List(rows.iter().map(|&r| self.get(r as usize)).collect())
    }

    /// A run of ids.
    pub fn slice(&self, start: usize, len: usize) -> Self {
        match self {
            RowIds::Range { start: first, .. } => RowIds::Range {
                start: first + start as u64,
                len,
            },
            RowIds::List(ids) => RowIds::List(ids[start..start + len].into()),
        }
    }
}

/// One column of a batch. Cheap to clone: the data is shared.
#[derive(Clone, Debug)]
pub enum Column {
    /// Numbers and dates.
    Number(Numbers),
    /// Codes into levels.
    Category(Categories),
    /// An Arrow array that only passes through.
    Plain(ArrayRef),
}

impl Column {
    /// How many slots there are.
    pub fn len(&self) -> usize {
        match self {
            Column::Number(c) => c.len(),
            Column::Category(c) => c.len(),
            Column::Plain(c) => c.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether slot `row` holds no value.
    pub fn is_missing(&self, row: usize) -> bool {
        match self {
            Column::Number(numbers) => numbers.is_missing(row),
            Column::Category(categories) => categories.is_missing(row),
            Column::Plain(array) => array.is_null(row),
        }
    }

    /// How many slots hold no value.
    pub fn missing_count(&self) -> usize {
        match self {
            Column::Number(c) => c.missing_count(),
            Column::Category(c) => c.missing_count(),
            Column::Plain(c) => c.null_count(),
        }
    }

    /// The slots at `rows`, in that order.
    pub fn take(&self, rows: &[u32]) -> Result<Self> {
        Ok(match self {
            Column::Number(c) => Column::Number(c.take(rows)),
            Column::Category(c) => Column::Category(c.take(rows)),
            Column::Plain(c) => {
                let rows = UInt32Array::from(rows.to_vec());
                Column::Plain(
                    arrow_select::take::take(c, &rows, None)
                        .map_err(|e| Error::bug(format!("taking rows: {e}")))?,
                )
            }
        })
    }

    /// A run of slots, shared with this column.
    pub fn slice(&self, start: usize, len: usize) -> Self {
        match self {
            Column::Number(c) => Column::Number(c.slice(start, len)),
            Column::Category(c) => Column::Category(c.slice(start, len)),
            Column::Plain(c) => Column::Plain(c.slice(start, len)),
        }
    }

    /// The same column of this kind without the categories that no row holds, in the order of
    /// their texts; a declared order stays whole.
    pub fn used(&self, kind: &Kind) -> Self {
        match (self, kind) {
            (Column::Category(categories), Kind::Category { ordered: false }) => {
                Column::Category(categories.sorted())
            }
            _ => self.clone(),
        }
    }

    /// The numbers, when that is what it holds.
    pub fn as_numbers(&self) -> Option<&Numbers> {
        match self {
            Column::Number(c) => Some(c),
            _ => None,
        }
    }

    /// The categories, when that is what it holds.
    pub fn as_categories(&self) -> Option<&Categories> {
        match self {
            Column::Category(c) => Some(c),
            _ => None,
        }
    }

    /// One column of the slots of all, at least one; their texts get codes of their own.
    ///
    /// # Errors
    /// When they are of different kinds.
    pub fn concat(parts: &[&Column]) -> Result<Column> {
        let mixed = || Error::bug("batches of one source differ in the kind of a column");
        match parts[0] {
            Column::Number(_) => parts
                .iter()
                .map(|part| part.as_numbers().ok_or_else(mixed))
                .collect::<Result<Vec<_>>>()
                .map(|parts| Column::Number(parts.into_iter().flat_map(Numbers::iter).collect())),
            Column::Category(_) => parts
                .iter()
                .map(|part| part.as_categories().ok_or_else(mixed))
                .collect::<Result<Vec<_>>>()
                .map(|parts| Column::Category(concat_categories(&parts))),
            Column::Plain(_) => {
                let arrays = parts
                    .iter()
                    .map(|part| match part {
                        Column::Plain(array) => Ok(array.as_ref()),
                        _ => Err(mixed()),
                    })
                    .collect::<Result<Vec<&dyn Array>>>()?;
                arrow_select::concat::concat(&arrays)
                    .map(Column::Plain)
                    .map_err(|e| Error::bug(format!("joining batches: {e}")))
            }
        }
    }
}

fn concat_categories(parts: &[&Categories]) -> Categories {
    let mut builder = LevelsBuilder::from_levels(parts[0].levels());
    let mut codes = Vec::with_capacity(parts.iter().map(|p| p.len()).sum());
    for part in parts {
        let new: Vec<u32> = part.levels().iter().map(|t| builder.intern(t)).collect();
        codes.extend(
            part.codes()
                .iter()
                .map(|&c| new.get(c as usize).copied().unwrap_or(super::MISSING)),
        );
    }
    Categories::new(codes, Arc::new(builder.finish()))
}

/// Rows that travel together, with their schema and ids. A table is one batch,
/// a stream is many.
#[derive(Clone, Debug)]
pub struct Batch {
    schema: Arc<Schema>,
    rows: RowIds,
    columns: Vec<Column>,
}

impl Batch {
    /// Fails, as a bug of ours, when the columns do not fit the schema or the ids.
    pub fn new(schema: Arc<Schema>, rows: RowIds, columns: Vec<Column>) -> Result<Self> {
        if columns.len() != schema.len() {
            return Err(Error::bug(format!(
                "{} columns for a schema of {}",
                columns.len(),
                schema.len()
            )));
        }
        if let Some(bad) = columns.iter().position(|c| c.len() != rows.len()) {
            return Err(Error::bug(format!(
                "column `{}` has {} slots for {} rows",
                schema.fields()[bad].name,
                columns[bad].len(),
                rows.len()
            )));
        }
        Ok(Batch {
            schema,
            rows,
            columns,
        })
    }

    /// No rows.
    pub fn empty(schema: Arc<Schema>) -> Self {
        use super::schema::Kind;
        let columns = schema
            .fields()
            .iter()
            .map(|field| match &field.kind {
                Kind::Number { .. } | Kind::Date(_) => Column::Number(Numbers::new(Vec::new())),
                Kind::Category { .. } => {
                    Column::Category(Categories::new(Vec::new(), Arc::default()))
                }
                Kind::Plain(data_type) => Column::Plain(arrow_array::new_empty_array(data_type)),
            })
            .collect();
        Batch {
            schema,
            rows: RowIds::Range { start: 0, len: 0 },
            columns,
        }
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Names, roles and kinds of the columns.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The ids of the rows.
    pub fn rows(&self) -> &RowIds {
        &self.rows
    }

    /// The columns, in the order of the schema.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column at place `index` of the schema.
    pub fn column(&self, index: usize) -> &Column {
        &self.columns[index]
    }

    /// The column named `name`.
    pub fn column_named(&self, name: &str) -> Option<&Column> {
        self.schema.index_of(name).map(|i| &self.columns[i])
    }

    /// The categories at place `index` of the schema, of a column that was read as such.
    pub fn categories(&self, index: usize) -> Result<&Categories> {
        self.column(index).as_categories().ok_or_else(|| {
            let name = &self.schema.fields()[index].name;
            Error::bug(format!("column `{name}` was not read as categories"))
        })
    }

    /// The rows at `rows`, in that order.
    pub fn take(&self, rows: &[u32]) -> Result<Self> {
        Ok(Batch {
            schema: Arc::clone(&self.schema),
            rows: self.rows.take(rows),
            columns: self
                .columns
                .par_iter()
                .map(|c| c.take(rows))
                .collect::<Result<_>>()?,
        })
    }

    /// A run of rows, shared with this batch.
    pub fn slice(&self, start: usize, len: usize) -> Self {
        Batch {
            schema: Arc::clone(&self.schema),
            rows: self.rows.slice(start, len),
            columns: self.columns.iter().map(|c| c.slice(start, len)).collect(),
        }
    }

    /// One batch of all rows; a single batch is passed on as it is.
    pub fn concat(schema: &Arc<Schema>, mut batches: Vec<Batch>) -> Result<Self> {
        match batches.len() {
            0 => return Ok(Batch::empty(Arc::clone(schema))),
            1 => return Ok(batches.remove(0)),
            _ => {}
        }
        let columns = (0..schema.len())
            .map(|i| Column::concat(&batches.iter().map(|b| b.column(i)).collect::<Vec<_>>()))
            .collect::<Result<_>>()?;
        let ids = batches.iter().flat_map(|b| b.rows.iter()).collect();
        Batch::new(Arc::clone(schema), RowIds::List(ids), columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Field, Kind, Role};
    use arrow_array::StringArray;

    fn batch(start: u64, names: &[&str]) -> Batch {
        let fields = vec![
            Field::new("n", Role::Quasi, Kind::Number { integer: true }),
            Field::new("c", Role::Quasi, Kind::Category { ordered: false }),
            Field::new("p", Role::Plain, Kind::Plain(arrow_schema::DataType::Utf8)),
        ];
        let columns = vec![
            Column::Number(
                (0..names.len())
                    .map(|i| (i > 0).then_some(i as f64))
                    .collect(),
            ),
            Column::Category(names.iter().map(Some).collect()),
            Column::Plain(Arc::new(StringArray::from(names.to_vec()))),
        ];
        let rows = RowIds::Range {
            start,
            len: names.len(),
        };
        Batch::new(
            Arc::new(Schema::new(fields).expect("names differ")),
            rows,
            columns,
        )
        .expect("fits")
    }

    #[test]
    fn joined_batches_keep_ids_values_and_missing_slots() {
        let (a, b) = (batch(0, &["x", "y"]), batch(2, &["z", "x"]));
        let all = Batch::concat(&Arc::clone(a.schema()), vec![a, b]).expect("joins");
        assert_eq!(all.rows().iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
        let c = all.column(1).as_categories().expect("category");
        assert_eq!(c.codes(), [0, 1, 2, 0]);
        let n = all.column(0).as_numbers().expect("number");
        assert_eq!(
            n.iter().collect::<Vec<_>>(),
            [None, Some(1.0), None, Some(1.0)]
        );
        let part = all.take(&[3, 0]).expect("takes").slice(1, 1);
        assert_eq!(part.rows().get(0), 0);
        assert!(part.column(0).as_numbers().expect("number").is_missing(0));
    }

    #[test]
    fn a_column_of_another_length_is_a_bug() {
        let a = batch(0, &["x", "y"]);
        let bad = Batch::new(
            Arc::clone(a.schema()),
            RowIds::Range { start: 0, len: 3 },
            a.columns().to_vec(),
        );
        assert_eq!(bad.err().map(|e| e.exit_code()), Some(8));
    }
}
