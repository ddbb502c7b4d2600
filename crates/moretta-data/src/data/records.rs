//! Records: rows as plain numbers, side by side, for methods that work with distances.
//!
//! A number stands for itself, an ordered category for its rank, any other
//! category for its code; NaN marks a missing value. Codes stay the same over all
//! batches that one [`Encoder`] has seen, so records of different batches compare.

use super::batch::{Batch, Column};
use super::categories::{Categories, MISSING};
use super::levels::{Levels, LevelsBuilder};
use super::numbers::Numbers;
use super::schema::{Kind, Schema};
use crate::error::{Error, Result};
use std::ops::Range;
use std::sync::Arc;

/// What the numbers of one attribute mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// Differences mean something.
    Number,
    /// Ranks of ordered categories, from 0.
    Ordinal {
        /// How many categories there are.
        levels: usize,
    },
    /// Codes that are equal or not.
    Nominal,
}

/// Records of one width, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Records {
    width: usize,
    values: Vec<f64>,
}

impl Records {
    /// No records, each of so many values.
    pub fn new(width: usize) -> Self {
        Records {
            width,
            values: Vec::new(),
        }
    }

    /// Values of a record.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.width).unwrap_or(0)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The values of a record.
    #[inline]
    pub fn record(&self, row: usize) -> &[f64] {
        &self.values[row * self.width..][..self.width]
    }

    /// The values of a record, to be changed.
    #[inline]
    pub fn record_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.width..][..self.width]
    }

    /// All values, record by record.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The records in order.
    pub fn iter(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.width.max(1))
    }

    /// One more record.
    #[inline]
    pub fn push(&mut self, record: &[f64]) {
        debug_assert_eq!(record.len(), self.width);
        self.values.extend_from_slice(record);
    }

    /// More records of the same width, those of `rows` among others.
    pub fn extend_from(&mut self, others: &Records, rows: Range<usize>) {
        debug_assert_eq!(others.width, self.width);
        let values = rows.start * self.width..rows.end * self.width;
        self.values.extend_from_slice(&others.values[values]);
    }

    /// Drops all records.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// Drops the first records.
    pub fn drop_front(&mut self, records: usize) {
        self.values.drain(..records * self.width);
    }

    /// The values of one attribute.
    pub fn column(&self, attribute: usize) -> impl ExactSizeIterator<Item = f64> + '_ {
        let values = self.values.get(attribute..).unwrap_or_default();
        values.iter().step_by(self.width.max(1)).copied()
    }
}

/// More categories than this are no categories, and would need memory without bound.
const MOST_LEVELS: usize = 1 << 20;

/// Makes records of some columns, and columns of records.
pub struct Encoder {
    columns: Vec<Coded>,
}

/// A column that is encoded.
struct Coded {
    place: usize,
    name: Arc<str>,
    kind: Kind,
    /// All categories so far, and a copy of them to share.
    builder: LevelsBuilder,
    levels: Arc<Levels>,
    /// Codes of the levels of the last batch.
    last: Option<(Arc<Levels>, Vec<f64>)>,
}

impl Encoder {
    /// Fails on columns that only pass through.
    pub fn new(schema: &Schema, columns: &[usize]) -> Result<Self> {
        let columns = columns.iter().map(|&place| {
            let field = &schema.fields()[place];
            if let Kind::Plain(_) = field.kind {
                let what = format!("column `{}` only passes through", field.name);
                return Err(Error::policy(what).help("give it a type: number, category or date"));
            }
            Ok(Coded {
                place,
                name: Arc::clone(&field.name),
                kind: field.kind.clone(),
                builder: LevelsBuilder::default(),
                levels: Arc::default(),
                last: None,
            })
        });
        Ok(Encoder {
            columns: columns.collect::<Result<_>>()?,
        })
    }

    /// The categories that a column can have: their places are their codes.
    pub fn declare(&mut self, attribute: usize, categories: &[String]) {
        for category in categories {
            self.columns[attribute].builder.intern(category);
        }
    }

    /// Declares the values of nominal columns that the source declares, in its order.
    pub fn with_declared(mut self, schema: &Schema) -> Self {
        for column in &mut self.columns {
            let field = &schema.fields()[column.place];
            if field.kind == (Kind::Category { ordered: false })
                && let Some(values) = field.declared_values()
            {
                column.builder = LevelsBuilder::from_levels(values);
            }
        }
        self
    }

    /// The categories of a column so far: their places are their codes.
    pub fn levels(&self, attribute: usize) -> &Levels {
        self.columns[attribute].builder.levels()
    }

    /// The places of the columns in the schema.
    pub fn places(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.columns.iter().map(|column| column.place)
    }

    /// What the numbers of each attribute mean. The levels of an ordinal are known
    /// once a batch was seen.
    pub fn attributes(&self) -> Vec<Attribute> {
        let attribute = |column: &Coded| match column.kind {
            Kind::Category { ordered: true } => Attribute::Ordinal {
                levels: column.builder.len(),
            },
            Kind::Category { ordered: false } => Attribute::Nominal,
            _ => Attribute::Number,
        };
        self.columns.iter().map(attribute).collect()
    }

    /// Puts the rows of a batch into `records`, whose content is dropped.
    pub fn encode(&mut self, batch: &Batch, records: &mut Records) -> Result<()> {
        let places: Vec<usize> = self.places().collect();
        self.encode_at(batch, &places, records)
    }

    /// As [`encode`](Self::encode), of a batch that has the columns at other places.
    pub fn encode_at(
        &mut self,
        batch: &Batch,
        places: &[usize],
        records: &mut Records,
    ) -> Result<()> {
        debug_assert_eq!(places.len(), self.columns.len());
        let width = self.columns.len();
        records.width = width;
        records.values.clear();
        records.values.resize(batch.len() * width, 0.0);
        let columns = self.columns.iter_mut().zip(places);
        for (attribute, (coded, &place)) in columns.enumerate() {
            let values = records.values.get_mut(attribute..).unwrap_or_default();
            let slots = values.iter_mut().step_by(width);
            match batch.column(place) {
                Column::Number(numbers) => encode_numbers(numbers, slots),
                Column::Category(categories) => {
                    let codes = coded.codes(categories.levels())?;
                    for (slot, &code) in slots.zip(categories.codes()) {
                        *slot = codes.get(code as usize).copied().unwrap_or(f64::NAN);
                    }
                }
                Column::Plain(_) => return Err(Error::bug("a plain column among records")),
            }
        }
        Ok(())
    }

    /// The columns that hold `records`, in the order of [`places`](Self::places).
    pub fn decode(&mut self, records: &Records) -> Vec<Column> {
        let decoded = self.columns.iter_mut().enumerate();
        decoded
            .map(|(attribute, coded)| coded.decode(records.column(attribute)))
            .collect()
    }
}

fn encode_numbers<'a>(numbers: &Numbers, slots: impl Iterator<Item = &'a mut f64>) {
    match numbers.present() {
        None => {
            for (slot, &value) in slots.zip(numbers.values()) {
                *slot = value;
            }
        }
        Some(present) => {
            for (slot, (&value, present)) in slots.zip(numbers.values().iter().zip(present)) {
                *slot = if present { value } else { f64::NAN };
            }
        }
    }
}

impl Coded {
    /// The codes, over all batches, of the levels of one.
    fn codes(&mut self, levels: &Arc<Levels>) -> Result<&[f64]> {
        let same = matches!(&self.last, Some((last, _)) if Arc::ptr_eq(last, levels));
        if !same {
            let builder = &mut self.builder;
            let codes = levels.iter().map(|text| f64::from(builder.intern(text)));
            self.last = Some((Arc::clone(levels), codes.collect()));
            if self.builder.len() > MOST_LEVELS {
                let what = format!("more than {MOST_LEVELS} different values");
                return Err(Error::input(what)
                    .in_column(&*self.name)
                    .help("group them first, or take the column out of the method"));
            }
        }
        Ok(self.last.as_ref().map_or(&[], |(_, codes)| codes))
    }

    fn decode(&mut self, values: impl ExactSizeIterator<Item = f64>) -> Column {
        match self.kind {
            Kind::Category { .. } => {
                if self.levels.len() < self.builder.len() {
                    self.levels = Arc::new(self.builder.levels().clone());
                }
                let code = |value: f64| match value.is_nan() {
                    true => MISSING,
                    false => value as u32,
                };
                let codes = values.map(code).collect();
                Column::Category(Categories::new(codes, Arc::clone(&self.levels)))
            }
            Kind::Date(_) => Column::Number(values.map(|day| present(a_day(day))).collect()),
            _ => Column::Number(values.map(present).collect()),
        }
    }
}

/// A day from 0001-01-01 to 9999-12-31, which can be written.
fn a_day(value: f64) -> f64 {
    value.round().clamp(-719_162.0, 2_932_896.0)
}

fn present(value: f64) -> Option<f64> {
    (!value.is_nan()).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Field, Role, RowIds};

    fn batch(start: u64, numbers: &[Option<f64>], words: &[Option<&str>]) -> Batch {
        let fields = vec![
            Field::new("n", Role::Quasi, Kind::Number { integer: false }),
            Field::new("c", Role::Quasi, Kind::Category { ordered: false }),
        ];
        let schema = Arc::new(Schema::new(fields).expect("two names"));
        let words: Categories = words.iter().map(|word| word.map(str::to_owned)).collect();
        let columns = vec![
            Column::Number(numbers.iter().copied().collect()),
            Column::Category(words),
        ];
        let len = numbers.len();
        Batch::new(schema, RowIds::Range { start, len }, columns).expect("fits")
    }

    #[test]
    fn codes_are_the_same_in_every_batch_and_come_back_as_words() {
        let first = batch(0, &[Some(1.5), None], &[Some("b"), Some("a")]);
        let second = batch(2, &[Some(-2.0), Some(0.0)], &[Some("a"), None]);
        let mut encoder = Encoder::new(first.schema(), &[0, 1]).expect("no plain column");
        let mut records = Records::default();
        encoder.encode(&first, &mut records).expect("encoded");
        assert_eq!(records.record(0), [1.5, 0.0]);
        assert!(records.record(1)[0].is_nan());
        assert_eq!(records.record(1)[1], 1.0);
        encoder.encode(&second, &mut records).expect("encoded");
        assert_eq!((records.len(), records.record(0)), (2, &[-2.0, 1.0][..]));
        let columns = encoder.decode(&records);
        assert_eq!(columns[0].as_numbers(), second.column(0).as_numbers());
        let words = columns[1].as_categories().expect("categories");
        assert_eq!([words.get(0), words.get(1)], [Some("a"), None]);
        assert_eq!(
            encoder.attributes(),
            [Attribute::Number, Attribute::Nominal]
        );
    }

    #[test]
    fn declared_categories_have_their_places_as_codes() {
        let batch = batch(0, &[None, None], &[Some("b"), Some("c")]);
        let mut encoder = Encoder::new(batch.schema(), &[1]).expect("no plain column");
        encoder.declare(0, &["a".to_owned(), "b".to_owned()]);
        let mut records = Records::default();
        encoder.encode(&batch, &mut records).expect("encoded");
        assert_eq!(records.column(0).collect::<Vec<_>>(), [1.0, 2.0]);
        records.record_mut(0)[0] = 0.0;
        let columns = encoder.decode(&records);
        let words = columns[0].as_categories().expect("categories");
        assert_eq!([words.get(0), words.get(1)], [Some("a"), Some("c")]);
    }

    #[test]
    fn records_of_no_width_and_no_rows_are_no_trouble() {
        let mut records = Records::new(0);
        assert_eq!((records.len(), records.iter().count()), (0, 0));
        records.push(&[]);
        assert_eq!(records.column(0).count(), 0);
        let empty = batch(0, &[], &[]);
        let mut encoder = Encoder::new(empty.schema(), &[0, 1]).expect("no plain column");
        encoder.encode(&empty, &mut records).expect("encoded");
        assert!(records.is_empty());
        assert_eq!(encoder.decode(&records).len(), 2);
    }
}
