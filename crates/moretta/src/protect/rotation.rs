//! Keyed pseudonyms for the persons of a stream, which may change with time.
//!
//! With a period, time is cut into spans of that length, counted from 1970, and
//! a person gets another pseudonym in each: HMAC-SHA-256 under the secret key of
//! the column's domain, the number of the span and the person. Without one, a
//! person keeps the same pseudonym, as in tables.
//!
//! **Protects against** collecting what a person did over many spans: rows of one
//! person in two spans cannot be told to be of one person without the key.
//! **Does not protect against** linking rows within a span, nor against whoever
//! has the key, nor against guessing that similar habits are one person's.
//!
//! **Costs** one HMAC for each person and span; no delay.
//!
//! **From** RFC 2104; rotating pseudonyms are common in traffic measurements.

use super::identifiers::Key;
use crate::data::{Batch, Categories, Column, LevelsBuilder, MISSING, TimeFormat, times};
use crate::error::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::sync::Arc;

/// Pseudonyms that are remembered, so that a person's is not computed for every batch.
const REMEMBERED: usize = 1 << 20;

/// Replaces the subjects of a stream by pseudonyms.
pub struct Rotation {
    /// Place of the subject.
    subject: usize,
    /// Place of the time.
    time: usize,
    format: Option<TimeFormat>,
    period: Option<i64>,
    domain: String,
    key: Key,
    known: HashMap<(i64, Box<str>), Box<str>, FixedState>,
}

impl Rotation {
    /// Pseudonyms of the column at `subject`; with a period in milliseconds they
    /// change with the times of the column at `time`.
    pub fn new(
        subject: usize,
        time: usize,
        format: Option<TimeFormat>,
        domain: &str,
        key: Key,
        period: Option<i64>,
    ) -> Self {
        Rotation {
            subject,
            time,
            format,
            period,
            domain: domain.to_owned(),
            key,
            known: HashMap::default(),
        }
    }

    /// Whether pseudonyms change with time.
    pub fn rotates(&self) -> bool {
        self.period.is_some()
    }

    /// The rows with pseudonyms.
    pub fn apply(&mut self, batch: &Batch) -> Result<Batch> {
        let Column::Category(subjects) = batch.column(self.subject) else {
            return Err(Error::bug("a pseudonym of a column that is no category"));
        };
        let spans: Vec<i64> = match self.period {
            None => vec![0; batch.len()],
            Some(period) => times(batch, self.time, &mut self.format)?
                .into_iter()
                .map(|time| time.div_euclid(period))
                .collect(),
        };
        let mut levels = LevelsBuilder::default();
        let mut codes_of: HashMap<(i64, u32), u32, FixedState> = HashMap::default();
        let codes = spans
            .iter()
            .zip(subjects.codes())
            .map(|(&span, &code)| match code {
                MISSING => MISSING,
                code => *codes_of.entry((span, code)).or_insert_with(|| {
                    levels.intern(self.pseudonym(span, subjects.levels().get(code)))
                }),
            })
            .collect();
        let mut columns = batch.columns().to_vec();
        columns[self.subject] = Column::Category(Categories::new(codes, Arc::new(levels.finish())));
        Batch::new(Arc::clone(batch.schema()), batch.rows().clone(), columns)
    }

    fn pseudonym(&mut self, span: i64, person: &str) -> &str {
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        let (domain, key) = (&self.domain, &self.key);
        let domain = match self.period {
            None => domain.clone(),
            Some(period) => format!("{domain}/{period}/{span}"),
        };
        self.known
            .entry((span, person.into()))
            .or_insert_with(|| key.pseudonym(&domain, person).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Field, Kind, Role, RowIds, Schema};
    use arrow_array::StringArray;
    use arrow_schema::DataType;

    fn batch(rows: &[(&str, &str)]) -> Batch {
        let fields = vec![
            Field::new("t", Role::Time, Kind::Plain(DataType::Utf8)),
            Field::new("user", Role::Subject, Kind::Category { ordered: false }),
        ];
        let times = StringArray::from_iter_values(rows.iter().map(|row| row.0));
        let users = Categories::from_iter(rows.iter().map(|row| Some(row.1)));
        Batch::new(
            Arc::new(Schema::new(fields).expect("names")),
            RowIds::Range {
                start: 0,
                len: rows.len(),
            },
            vec![Column::Plain(Arc::new(times)), Column::Category(users)],
        )
        .expect("fits")
    }

    fn pseudonyms(period: Option<i64>, rows: &[(&str, &str)]) -> Vec<String> {
        let key = Key::new(b"0123456789abcdef".to_vec()).expect("long enough");
        let mut rotation = Rotation::new(1, 0, None, "user", key, period);
        let released = rotation.apply(&batch(rows)).expect("released");
        let users = released.column(1).as_categories().expect("users");
        (0..rows.len())
            .map(|row| users.get(row).expect("there").to_owned())
            .collect()
    }

    #[test]
    fn a_person_has_one_pseudonym_in_a_span_and_another_in_the_next() {
        let rows = [
            ("0", "a"),
            ("3599.999", "a"),
            ("3600", "a"),
            ("10", "b"),
            ("-1", "a"),
        ];
        let found = pseudonyms(Some(3_600_000), &rows);
        assert_eq!(found[0], found[1]);
        let mut distinct = found.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), 4, "a in three spans and b in one");
        let fixed = pseudonyms(None, &rows);
        assert!(fixed[0] == fixed[2] && fixed[0] == fixed[4] && fixed[0] != fixed[3]);
        assert!(found.iter().chain(&fixed).all(|name| name.len() == 32));
    }
}
