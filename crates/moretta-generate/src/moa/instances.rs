//! A generator as a source: so many records in batches of columns, the class last.
//!
//! Attributes have the role `quasi`, the class has `class`. Nominal values and
//! classes are categories, written as their indexes.

use super::{Generator, Header, Values};
use crate::names::Names;
use moretta_data::data::{Batch, Column, Field, Kind, Numbers, Role, RowIds, Schema};
use moretta_data::error::Result;
use moretta_files::Source;
use std::fmt::Write;
use std::sync::Arc;

/// Rows of a batch, unless told otherwise.
const BATCH: usize = 8192;

/// The first records of a generator, batch by batch.
#[derive(Debug)]
pub struct Instances {
    generator: Box<dyn Generator>,
    schema: Arc<Schema>,
    /// The names of each nominal column, the class among them.
    names: Vec<Option<Names>>,
    record: Vec<f64>,
    rows: usize,
    given: usize,
    batch: usize,
}

impl Instances {
    /// The next `rows` records of `generator`.
    pub fn new(generator: Box<dyn Generator>, rows: usize) -> Result<Self> {
        let header = generator.header();
        let nominal = |values: &Values| match *values {
            Values::Number => None,
            Values::Nominal(count) => Some(Names::new(count)),
        };
        let attributes = header.attributes.iter().map(|(_, values)| nominal(values));
        Ok(Instances {
            schema: Arc::new(schema(&header)?),
            names: attributes
                .chain([Some(Names::new(header.classes))])
                .collect(),
            record: vec![0.0; header.attributes.len()],
            generator,
            rows,
            given: 0,
            batch: BATCH,
        })
    }

    /// The same rows in batches of another size.
    pub fn in_batches_of(mut self, rows: usize) -> Self {
        self.batch = rows.max(1);
        self
    }

    /// The next `len` records, column by column.
    fn values(&mut self, len: usize) -> Vec<Vec<f64>> {
        let mut columns = vec![Vec::with_capacity(len); self.names.len()];
        for _ in 0..len {
            let class = self.generator.next(&mut self.record);
            let row = self.record.iter().copied().chain([f64::from(class)]);
            for (column, value) in columns.iter_mut().zip(row) {
                column.push(value);
            }
        }
        columns
    }
}

impl Iterator for Instances {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        let len = self.batch.min(self.rows - self.given);
        if len == 0 {
            return None;
        }
        let values = self.values(len);
        let columns = values
            .into_iter()
            .zip(&mut self.names)
            .map(|(values, names)| match names {
                None => Column::Number(Numbers::new(values)),
                Some(names) => {
                    let indexes = values.into_iter().map(|value| value as u32);
                    Column::Category(names.column(indexes, |index, text| {
                        write!(text, "{index}").expect("a string takes every write");
                    }))
                }
            })
            .collect();
        let rows = RowIds::Range {
            start: self.given as u64,
            len,
        };
        self.given += len;
        Some(Batch::new(Arc::clone(&self.schema), rows, columns))
    }
}

impl Source for Instances {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }
}

fn schema(header: &Header) -> Result<Schema> {
    let number = Kind::Number { integer: false };
    let category = Kind::Category { ordered: false };
    let mut fields: Vec<Field> = header
        .attributes
        .iter()
        .map(|(name, values)| match values {
            Values::Number => Field::new(name.as_str(), Role::Quasi, number.clone()),
            Values::Nominal(_) => Field::new(name.as_str(), Role::Quasi, category.clone()),
        })
        .collect();
    fields.push(Field::new("class", Role::Class, category));
    Schema::new(fields)
}

#[cfg(test)]
mod tests {
    use super::super::Agrawal;
    use super::*;

    /// The cells as they are written, row by row.
    fn rows(instances: Instances) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        for batch in instances {
            let batch = batch.expect("rows");
            for row in 0..batch.len() {
                let cell = |column: &Column| match column {
                    Column::Number(numbers) => numbers.get(row).expect("a number").to_string(),
                    Column::Category(c) => c.get(row).expect("a value").to_owned(),
                    Column::Plain(_) => panic!("no column is plain"),
                };
                let columns = 0..batch.schema().len();
                rows.push(columns.map(|index| cell(batch.column(index))).collect());
            }
        }
        rows
    }

    fn instances(count: usize) -> Instances {
        let generator = Agrawal::default().generator().expect("sound options");
        Instances::new(Box::new(generator), count).expect("names differ")
    }

    #[test]
    fn rows_do_not_depend_on_the_batches() {
        let whole = rows(instances(1000));
        assert_eq!(whole.len(), 1000);
        for size in [1, 7, 1000, 1 << 20] {
            assert_eq!(rows(instances(1000).in_batches_of(size)), whole);
        }
        assert_eq!(rows(instances(0)), Vec::<Vec<String>>::new());
    }

    #[test]
    fn numbers_are_numbers_and_nominal_values_are_indexes() {
        let source = instances(1);
        let kinds: Vec<bool> = source
            .schema()
            .fields()
            .iter()
            .map(|field| matches!(field.kind, Kind::Number { .. }))
            .collect();
        let expected = [
            true, true, true, false, false, false, true, true, true, false,
        ];
        assert_eq!(kinds, expected);
        assert_eq!(rows(source)[0][2..7], ["54", "3", "14", "4", "135000"]);
    }
}
