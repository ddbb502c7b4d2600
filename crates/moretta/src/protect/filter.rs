//! Lifts a method on records to an operator: what comes is encoded, what leaves decoded.
//!
//! A filter sees the masked columns as [`Records`] and lets them leave in the order
//! in which they came. The other columns wait here until their record leaves.

use super::transition::{CodedTransition, Transition};
use super::{Among, Company, Operator};
use crate::cancel::Cancel;
use crate::data::{Attribute, Batch, Column, Encoder, Field, Kind, Records, Role, Schema};
use crate::error::{Error, Result};
use std::collections::VecDeque;
use std::sync::Arc;

/// A method that masks records one after the other.
///
/// Each record that was pushed is released or suppressed once, in the order of
/// arrival; a filter may hold some back, and holds none after `finish`.
pub trait Filter: Send {
    /// Takes a record and decides those that can be decided now.
    fn push(&mut self, record: &[f64], out: &mut Masked) -> Result<()>;
    /// Decides what is left.
    fn finish(&mut self, out: &mut Masked) -> Result<()>;
    /// Takes note of what the attributes of records are by now, before those of a batch come: of
    /// ordered categories it is known how many there are.
    fn know(&mut self, _attributes: &[Attribute]) {}
    /// The matrices by which it has changed categories.
    fn transitions(&self) -> Vec<CodedTransition> {
        Vec::new()
    }
    /// After how many more records it holds none back; none where that is not known.
    fn settles_in(&self) -> Option<u64> {
        None
    }
    /// An earlier run has decided `records` records, and none of them waited when it stopped.
    ///
    /// # Errors
    /// When what they have cost leaves nothing.
    fn skip(&mut self, _records: u64) -> Result<()> {
        Ok(())
    }
}

/// The columns that a policy names; none where it names none.
pub(super) fn chosen(columns: &Option<Vec<String>>) -> Option<Vec<&str>> {
    let columns = columns.as_ref()?.iter();
    Some(columns.map(String::as_str).collect())
}

/// What a method that masks records says of itself, once its parameters are read.
pub trait Masking {
    /// Rows that it may hold back; none for a whole table.
    fn buffer(&self) -> Option<usize>;
    /// The columns that it masks; none for all quasi-identifiers.
    fn columns(&self) -> Option<Vec<&str>>;
    /// Columns that its filter sees behind those that it masks, and gives back as they were.
    fn beside(&self) -> Vec<&str> {
        Vec::new()
    }
    /// The categories that were declared for a column; their places are their codes.
    fn categories(&self, _column: &str) -> Option<&[String]> {
        None
    }
    /// Whether it masks columns with the role class, too.
    fn masks_classes(&self) -> bool {
        false
    }
    /// Whether values change places only between rows that are alike in all quasi-identifiers.
    fn inside_classes(&self) -> bool {
        false
    }
    /// The least number of released records that look alike, where it promises one.
    fn k(&self) -> Option<u32> {
        None
    }
    /// The least number of records among which one can be masked; fewer are suppressed.
    fn least(&self) -> usize {
        self.k().map_or(2, |k| k as usize)
    }
    /// The columns in which records look alike, where they do so in each list by itself and
    /// not in all masked columns together.
    fn parts(&self) -> Option<Vec<Vec<&str>>> {
        None
    }
    /// Whether `k` counts persons where a column tells them, not records.
    fn counts_persons(&self) -> bool {
        false
    }
    /// Whether categories are as far apart as their hierarchies say.
    fn follows_hierarchies(&self) -> bool {
        false
    }
    /// The setting that means something only in the order of the input, as a policy
    /// says it.
    fn needs_order(&self) -> Option<&'static str> {
        None
    }
    /// What a record loses at most, in words, where it is differentially private.
    fn loss(&self) -> Option<String> {
        None
    }
    /// The ε of that, where it is differentially private.
    fn epsilon(&self) -> Option<f64> {
        None
    }
    /// How losses add up to that, and to that of a person with several records, in sentences;
    /// of so many rows, where that is known.
    fn composition(&self, _rows: Option<u64>) -> Vec<String> {
        Vec::new()
    }
    /// The names of the numbers that leave in place of the masked columns, where
    /// these are not the same columns with other values.
    fn replaced_by(&self, _columns: &[MaskedColumn<'_>]) -> Result<Option<Vec<String>>> {
        Ok(None)
    }
    /// The filter on records with these attributes, those of columns with these
    /// names and roles, the masked ones first; `seed` is for randomness that is not a secret.
    fn filter(&self, columns: &[MaskedColumn<'_>], seed: u64) -> Result<Box<dyn Filter>>;

    /// Whether it can mask such columns, as far as can be said without a row.
    ///
    /// # Errors
    /// When it cannot.
    fn check(&self, columns: &[MaskedColumn<'_>]) -> Result<()> {
        self.filter(columns, 0).map(drop)
    }

    /// The public parameter that says how much it hides, and its value, as a certificate
    /// repeats them.
    fn strength(&self) -> Option<(&'static str, String)> {
        self.k().map(|k| ("k", k.to_string()))
    }

    /// Among which records of a stream it masks each of them.
    fn company(&self) -> Company {
        match self.k() {
            Some(_) => Company::Group,
            None => Company::Alone,
        }
    }

    /// Whether each record is masked by itself, as soon as it comes.
    fn is_row_local(&self) -> bool {
        false
    }

    /// Whether a masked value can be held against its original.
    fn is_comparable(&self) -> bool {
        true
    }

    /// The places of the columns that it masks.
    fn places(&self, schema: &Schema) -> Result<Vec<usize>> {
        if let Some(names) = self.columns() {
            let twice = (1..names.len()).find(|&i| names[..i].contains(&names[i]));
            if let Some(twice) = twice {
                let what = format!("column `{}` is named twice", names[twice]);
                return Err(Error::policy(what).help("name each column once under `columns`"));
            }
            if names.is_empty() {
                return Err(Error::policy("`columns` names no column")
                    .help("leave it out for all quasi-identifiers"));
            }
            return named(&names, schema);
        }
        let mut places = schema.with_role(Role::Quasi);
        if self.masks_classes() {
            places.extend(schema.with_role(Role::Class));
        }
        match places.is_empty() {
            true => Err(Error::policy("there is nothing to mask")
                .help("give columns the role quasi, or name them with `columns`")),
            false => Ok(places),
        }
    }
}

/// The places of the columns with these names.
fn named(names: &[&str], schema: &Schema) -> Result<Vec<usize>> {
    let place = |&name: &&str| {
        schema.index_of(name).ok_or_else(|| {
            Error::policy(format!("there is no column `{name}` to mask"))
                .help("name columns of [columns] that are read")
        })
    };
    names.iter().map(place).collect()
}

/// A column that is masked.
#[derive(Clone, Debug)]
pub struct MaskedColumn<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its role.
    pub role: Role,
    /// What its numbers mean.
    pub attribute: Attribute,
}

impl<'a> MaskedColumn<'a> {
    /// Quasi-identifiers that are numbers.
    pub fn numbers(names: &'a [String]) -> Vec<Self> {
        let column = |name: &'a String| MaskedColumn {
            name,
            role: Role::Quasi,
            attribute: Attribute::Number,
        };
        names.iter().map(column).collect()
    }
}

/// Fails if categories have no order; `what` is the method that needs their ranks.
pub(super) fn only_ranked(what: &str, columns: &[MaskedColumn<'_>]) -> Result<()> {
    let nominal = |column: &&MaskedColumn<'_>| column.attribute == Attribute::Nominal;
    match columns.iter().find(nominal) {
        None => Ok(()),
        Some(column) => Err(
            Error::policy(format!("{what} needs ranks, and `{}` has no order", column.name)).help(
                "give it an `order` under [columns], or mask it by `pram` or `rank-swapping`; name the others under `columns`",
            ),
        ),
    }
}

/// Makes records of the columns that a method masks.
pub fn encoder(masking: &dyn Masking, schema: &Schema) -> Result<Encoder> {
    let places = masking.places(schema)?;
    let mut encoder = Encoder::new(schema, &places)?;
    for (attribute, &place) in places.iter().enumerate() {
        if let Some(categories) = masking.categories(&schema.fields()[place].name) {
            encoder.declare(attribute, categories);
        }
    }
    Ok(encoder)
}

/// The columns that an encoder makes records of.
pub fn masked_columns<'a>(encoder: &Encoder, schema: &'a Schema) -> Vec<MaskedColumn<'a>> {
    let places = encoder.places().zip(encoder.attributes());
    places
        .map(|(place, attribute)| MaskedColumn {
            name: &schema.fields()[place].name,
            role: schema.fields()[place].role,
            attribute,
        })
        .collect()
}

/// What was decided of the next records, in the order in which they came.
#[derive(Debug, Default)]
pub struct Masked {
    /// Long work looks at it now and then.
    pub(crate) cancel: Cancel,
    records: Records,
    /// For each decided record, whether it is released.
    released: Vec<bool>,
    /// Among which records each of those that leave was masked, where somebody has asked.
    among: Option<Vec<Option<Among>>>,
}

impl Masked {
    /// For records of `width` values.
    pub fn new(width: usize) -> Self {
        Masked {
            cancel: Cancel::default(),
            records: Records::new(width),
            released: Vec::new(),
            among: None,
        }
    }

    /// The next record, which was masked by itself, leaves with these values.
    pub fn release(&mut self, record: &[f64]) {
        self.leave(record, None);
    }

    /// The next record, which was masked among others, leaves with these values.
    pub fn release_among(&mut self, record: &[f64], among: Among) {
        self.leave(record, Some(among));
    }

    fn leave(&mut self, record: &[f64], among: Option<Among>) {
        self.records.push(record);
        self.released.push(true);
        if let Some(notes) = &mut self.among {
            notes.push(among);
        }
    }

    /// The next record never leaves.
    pub fn suppress(&mut self) {
        self.released.push(false);
    }

    /// The records that leave.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// The records that leave, to keep.
    pub fn into_records(self) -> Records {
        self.records
    }

    /// For each decided record, whether it leaves.
    pub fn decided(&self) -> &[bool] {
        &self.released
    }

    /// Forgets what was decided.
    pub fn clear(&mut self) {
        self.records.clear();
        self.released.clear();
    }
}

/// Records between which work can be stopped.
const RECORDS: usize = 256;

/// Why a record never leaves.
pub(super) const TOO_FEW: &str = "too few records were left to hide among";

/// A filter on some columns of batches.
pub struct Filtered {
    filter: Box<dyn Filter>,
    encoder: Encoder,
    /// How many columns of the encoder leave with other values.
    changed: usize,
    schema: Arc<Schema>,
    /// Rows whose records have not left; of the first batch some may have.
    waiting: VecDeque<Batch>,
    gone: usize,
    records: Records,
    masked: Masked,
    suppressed: u64,
    /// The masked columns leave as other ones.
    replaces: bool,
    /// The rows that have left, and among which records each was masked, until somebody asks.
    among: Vec<(u64, Option<Among>)>,
}

impl Filtered {
    /// The filter that `masking` makes for rows of this schema.
    pub fn build(
        masking: &dyn Masking,
        schema: &Schema,
        seed: u64,
        cancel: &Cancel,
    ) -> Result<Self> {
        let mut encoder = encoder(masking, schema)?;
        let changed = encoder.places().len();
        let beside = masking.beside();
        if !beside.is_empty() {
            let more = named(&beside, schema)?;
            let places: Vec<usize> = encoder.places().chain(more).collect();
            encoder = Encoder::new(schema, &places)?;
        }
        let columns = masked_columns(&encoder, schema);
        let filter = masking.filter(&columns, seed)?;
        let replaced_by = masking.replaced_by(&columns)?;
        let mut filtered = Filtered::new(filter, encoder, schema)?;
        filtered.keep_from(changed, schema)?;
        if let Some(names) = replaced_by {
            filtered = filtered.replace_by(&names)?;
        }
        filtered.masked.cancel = cancel.clone();
        Ok(filtered)
    }

    /// `filter` gets the columns of `encoder`, which are of `schema`.
    pub fn new(filter: Box<dyn Filter>, encoder: Encoder, schema: &Schema) -> Result<Self> {
        let places: Vec<usize> = encoder.places().collect();
        let width = places.len();
        Ok(Filtered {
            filter,
            encoder,
            changed: width,
            schema: Arc::new(masked_schema(schema, &places)?),
            waiting: VecDeque::new(),
            gone: 0,
            records: Records::new(width),
            masked: Masked::new(width),
            suppressed: 0,
            replaces: false,
            among: Vec::new(),
        })
    }

    /// Only the first so many columns of the encoder are changed; the others leave as they came.
    fn keep_from(&mut self, changed: usize, schema: &Schema) -> Result<()> {
        let places: Vec<usize> = self.encoder.places().take(changed).collect();
        self.schema = Arc::new(masked_schema(schema, &places)?);
        self.changed = changed;
        Ok(())
    }

    /// The filter makes numbers of these names, which leave at the place of the
    /// first masked column; the masked columns do not leave.
    fn replace_by(self, names: &[String]) -> Result<Self> {
        let number =
            |name: &String| Field::new(name.as_str(), Role::Quasi, Kind::Number { integer: false });
        let fields = self.spliced(self.schema.fields(), names.iter().map(number));
        Ok(Filtered {
            schema: Arc::new(Schema::new(fields)?),
            masked: Masked::new(names.len()),
            replaces: true,
            ..self
        })
    }

    /// What belongs to columns, those of the masked ones exchanged for others.
    fn spliced<T: Clone>(&self, all: &[T], others: impl Iterator<Item = T>) -> Vec<T> {
        let masked: Vec<usize> = self.encoder.places().collect();
        let kept = |places: std::ops::Range<usize>| {
            let kept = places.filter(|place| !masked.contains(place));
            kept.map(|place| all[place].clone())
        };
        let first = masked.iter().copied().min().unwrap_or(0);
        kept(0..first)
            .chain(others)
            .chain(kept(first..all.len()))
            .collect()
    }

    /// A matrix by the texts of its categories.
    fn told(&self, coded: CodedTransition) -> Transition {
        let places: Vec<usize> = self.encoder.places().collect();
        let name = |&place: &usize| self.schema.fields()[places[place]].name.to_string();
        let text = |(&place, &code): (&usize, &f64)| {
            let level = (!code.is_nan()).then_some(code as u32)?;
            Some(self.encoder.levels(place).get(level).to_owned())
        };
        let texts = |codes: &Vec<f64>| coded.places.iter().zip(codes).map(text).collect();
        Transition {
            columns: coded.places.iter().map(name).collect(),
            categories: coded.categories.iter().map(texts).collect(),
            matrix: coded.matrix,
            fewest: coded.fewest,
        }
    }

    /// The columns that hold what was released.
    fn decode(&mut self) -> Vec<Column> {
        let records = &self.masked.records;
        match self.replaces {
            false => self.encoder.decode(records),
            true => (0..records.width())
                .map(|place| Column::Number(records.column(place).map(present).collect()))
                .collect(),
        }
    }

    /// The rows that were decided, as they leave.
    fn leave(&mut self) -> Result<Batch> {
        let mut parts = Vec::new();
        let columns = self.decode();
        let mut decided = &self.masked.released[..];
        let mut from = 0;
        while !decided.is_empty() {
            let first = self.waiting.front().ok_or_else(too_many)?;
            let rows = decided.len().min(first.len() - self.gone);
            let (now, later) = decided.split_at(rows);
            let kept = now.iter().filter(|&&kept| kept).count();
            let original = match kept == rows {
                true => first.slice(self.gone, rows),
                false => first.take(&places(now, self.gone))?,
            };
            parts.push(self.masked_rows(original, &columns, from)?);
            (decided, from) = (later, from + kept);
            self.suppressed += (rows - kept) as u64;
            self.gone += rows;
            if self.gone == self.waiting[0].len() {
                self.waiting.pop_front();
                self.gone = 0;
            }
        }
        if let Some(notes) = &mut self.masked.among {
            let ids = parts.iter().flat_map(|part| part.rows().iter());
            self.among.extend(ids.zip(notes.drain(..)));
        }
        self.masked.clear();
        Batch::concat(&self.schema, parts)
    }

    /// `original` with the masked columns from record `from` on.
    fn masked_rows(&self, original: Batch, masked: &[Column], from: usize) -> Result<Batch> {
        let rows = original.len();
        let masked = masked.iter().map(|column| column.slice(from, rows));
        let columns = match self.replaces {
            true => self.spliced(original.columns(), masked),
            false => {
                let mut columns = original.columns().to_vec();
                for (place, column) in self.encoder.places().zip(masked).take(self.changed) {
                    columns[place] = column;
                }
                columns
            }
        };
        Batch::new(Arc::clone(&self.schema), original.rows().clone(), columns)
    }
}

/// The columns of rows of which those at these places were masked.
pub(super) fn masked_schema(original: &Schema, places: &[usize]) -> Result<Schema> {
    let mut fields: Vec<Field> = original.fields().to_vec();
    for &place in places {
        // A mean of whole numbers need not be one.
        if let Kind::Number { integer } = &mut fields[place].kind {
            *integer = false;
        }
    }
    Schema::new(fields)
}

fn present(value: f64) -> Option<f64> {
    (!value.is_nan()).then_some(value)
}

fn too_many() -> Error {
    Error::bug("a filter decided more records than it got")
}

/// The places of the rows that leave.
fn places(kept: &[bool], first: usize) -> Vec<u32> {
    let rows = kept.iter().zip(first as u32..);
    rows.filter_map(|(&kept, row)| kept.then_some(row))
        .collect()
}

impl Operator for Filtered {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn push(&mut self, batch: Batch) -> Result<Batch> {
        self.encoder.encode(&batch, &mut self.records)?;
        self.filter.know(&self.encoder.attributes());
        if !batch.is_empty() {
            self.waiting.push_back(batch);
        }
        for (row, record) in self.records.iter().enumerate() {
            if row % RECORDS == 0 {
                self.masked.cancel.check()?;
            }
            self.filter.push(record, &mut self.masked)?;
        }
        self.leave()
    }

    fn finish(&mut self) -> Result<Batch> {
        self.filter.finish(&mut self.masked)?;
        let left = self.leave()?;
        match self.waiting.is_empty() {
            true => Ok(left),
            false => Err(Error::bug("a filter kept records back")),
        }
    }

    fn settles_in(&self) -> Option<u64> {
        match self.waiting.is_empty() {
            true => Some(0),
            false => self.filter.settles_in(),
        }
    }

    fn skip(&mut self, rows: u64) -> Result<()> {
        self.filter.skip(rows)
    }

    fn among(&mut self) -> Vec<Vec<(u64, Option<Among>)>> {
        self.masked.among.get_or_insert_default();
        vec![std::mem::take(&mut self.among)]
    }

    fn transitions(&self) -> Vec<Transition> {
        let told = self.filter.transitions().into_iter();
        told.map(|coded| self.told(coded)).collect()
    }

    fn suppressed(&self) -> Vec<(String, u64)> {
        match self.suppressed {
            0 => Vec::new(),
            rows => vec![(TOO_FEW.to_owned(), rows)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Role, RowIds};

    /// Doubles each number one record late, and suppresses negative ones.
    #[derive(Default)]
    struct Late(Option<Vec<f64>>);

    impl Late {
        fn decide(&mut self, out: &mut Masked) {
            match self.0.take() {
                Some(record) if record[0] < 0.0 => out.suppress(),
                Some(record) => out.release(&[2.0 * record[0]]),
                None => {}
            }
        }
    }

    impl Filter for Late {
        fn push(&mut self, record: &[f64], out: &mut Masked) -> Result<()> {
            self.decide(out);
            self.0 = Some(record.to_vec());
            Ok(())
        }

        fn finish(&mut self, out: &mut Masked) -> Result<()> {
            self.decide(out);
            Ok(())
        }
    }

    fn batch(start: u64, values: &[f64]) -> Batch {
        let number = || Kind::Number { integer: true };
        let fields = vec![
            Field::new("id", Role::Plain, number()),
            Field::new("x", Role::Quasi, number()),
        ];
        let schema = Arc::new(Schema::new(fields).expect("two names"));
        let len = values.len();
        let ids = (start..).take(len).map(|id| Some(id as f64));
        let columns = vec![
            Column::Number(ids.collect()),
            Column::Number(values.iter().copied().map(Some).collect()),
        ];
        Batch::new(schema, RowIds::Range { start, len }, columns).expect("fits")
    }

    #[test]
    fn records_leave_with_the_rest_of_their_rows_whatever_the_batches() {
        let values = [1.0, -1.0, 3.0, 4.0, -5.0, -6.0, 7.0];
        for size in 1..=values.len() {
            let schema = Arc::clone(batch(0, &[]).schema());
            let encoder = Encoder::new(&schema, &[1]).expect("numbers");
            let filter = Box::<Late>::default();
            let mut filtered = Filtered::new(filter, encoder, &schema).expect("fits");
            let mut released = Vec::new();
            for (place, chunk) in values.chunks(size).enumerate() {
                let rows = batch((place * size) as u64, chunk);
                released.push(filtered.push(rows).expect("taken"));
            }
            released.push(filtered.finish().expect("done"));
            let all = Batch::concat(filtered.schema(), released).expect("one schema");
            assert_eq!(all.rows().iter().collect::<Vec<_>>(), [0, 2, 3, 6]);
            let numbers = |column: usize| {
                let column = all.column(column).as_numbers().expect("numbers");
                column.values().to_vec()
            };
            assert_eq!(numbers(0), [0.0, 2.0, 3.0, 6.0]);
            assert_eq!(numbers(1), [2.0, 6.0, 8.0, 14.0]);
            assert_eq!(filtered.suppressed()[0].1, 3);
        }
    }
}
