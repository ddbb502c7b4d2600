//! Counts released records that look alike: each must be one of k in the release.
//!
//! For methods that release one record for a group, as microaggregation does. Of a
//! table all records are counted; of a stream the others of a crowd must follow
//! within so many rows, since nobody can wait for its end, and what is kept here is
//! bounded by that. A record that looks like an old crowd of k needs none of its own
//! as long as the crowd was last seen within those rows. Where a column of a table tells
//! persons, these are counted, each once in a crowd however many records they have there.
//!
//! Cost: a table lookup a record, two where persons are counted; memory for the records of two
//! windows, or for the distinct ones of a table. Records are told apart by 128 bits of their
//! values.

use crate::data::{Batch, Column};
use crate::error::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use std::collections::VecDeque;
use std::hash::BuildHasher;

/// Counts records that look alike.
pub struct CrowdChecker {
    k: u64,
    /// Rows within which a crowd must come together; none for a table.
    within: Option<u64>,
    rows: u64,
    crowds: HashMap<[u64; 2], Crowd, FixedState>,
    /// Crowds in the order in which they must be looked at, and from which row on.
    due: VecDeque<(u64, [u64; 2])>,
    smallest: Option<u64>,
    /// Who was seen in which crowd, where persons are counted.
    seen: HashSet<([u64; 2], u32), FixedState>,
}

/// Records that look alike.
#[derive(Clone, Copy)]
struct Crowd {
    count: u64,
    last: u64,
}

pub(super) const STATES: [FixedState; 2] = [
    FixedState::with_seed(0x6372_6f77),
    FixedState::with_seed(0x6421_0a0d),
];

impl CrowdChecker {
    /// Each record must be one of `k`, in a stream within so many rows.
    pub fn new(k: u32, within: Option<u64>) -> Self {
        CrowdChecker {
            k: u64::from(k),
            within,
            rows: 0,
            crowds: HashMap::default(),
            due: VecDeque::new(),
            smallest: None,
            seen: HashSet::default(),
        }
    }

    /// Looks at the next rows of the release: at these columns of them.
    ///
    /// # Errors
    /// Exit code 1 when a crowd did not come together.
    pub fn observe(&mut self, batch: &Batch, columns: &[usize]) -> Result<()> {
        let mut records = records(batch, columns)?.into_iter();
        records.try_for_each(|record| self.count(record))
    }

    /// Looks at the next rows of a table whose persons `persons` tells; rows without one count
    /// as one person's.
    ///
    /// # Errors
    /// Exit code 1 when a crowd did not come together.
    pub fn observe_persons(
        &mut self,
        batch: &Batch,
        columns: &[usize],
        persons: &Column,
    ) -> Result<()> {
        let persons = persons.as_categories();
        let persons = persons.ok_or_else(|| Error::bug("persons were not read as categories"))?;
        for (record, &person) in records(batch, columns)?.into_iter().zip(persons.codes()) {
            if self.seen.insert((record, person)) {
                self.count(record)?;
            }
        }
        Ok(())
    }

    /// All rows were seen; gives the size of the smallest crowd.
    ///
    /// # Errors
    /// Exit code 1 when a crowd is too small.
    pub fn finish(mut self) -> Result<Option<u64>> {
        let (crowds, rows) = (std::mem::take(&mut self.crowds), self.rows);
        for crowd in crowds.into_values() {
            self.judge(crowd, rows)?;
        }
        Ok(self.smallest)
    }

    fn count(&mut self, record: [u64; 2]) -> Result<()> {
        self.rows += 1;
        let last = self.rows;
        self.judge_due()?;
        let crowd = self
            .crowds
            .entry(record)
            .or_insert(Crowd { count: 0, last });
        crowd.count += 1;
        crowd.last = last;
        if let (1, Some(within)) = (crowd.count, self.within) {
            self.due.push_back((last + within, record));
        }
        Ok(())
    }

    /// Looks at crowds that had to come together before this row, and forgets old ones.
    fn judge_due(&mut self) -> Result<()> {
        while let (Some(&(row, record)), Some(within)) = (self.due.front(), self.within)
            && row < self.rows
        {
            self.due.pop_front();
            let Some(&crowd) = self.crowds.get(&record) else {
                return Err(Error::bug("a crowd that is due was forgotten"));
            };
            self.judge(crowd, row)?;
            match crowd.last + within > row {
                true => self.due.push_back((self.rows + within, record)),
                false => {
                    self.crowds.remove(&record);
                }
            }
        }
        Ok(())
    }

    fn judge(&mut self, crowd: Crowd, row: u64) -> Result<()> {
        if crowd.count < self.k {
            let what = match self.seen.is_empty() {
                true => format!(
                    "{} of the records up to row {row} look alike where {} must",
                    crowd.count, self.k
                ),
                false => format!(
                    "records of {} persons look alike where those of {} must",
                    crowd.count, self.k
                ),
            };
            return Err(Error::guarantee(what));
        }
        let smallest = self.smallest.unwrap_or(u64::MAX);
        self.smallest = Some(smallest.min(crowd.count));
        Ok(())
    }
}

/// What tells the rows apart in these columns.
fn records(batch: &Batch, columns: &[usize]) -> Result<Vec<[u64; 2]>> {
    let mut records: Vec<[u64; 2]> = vec![[0; 2]; batch.len()];
    for &column in columns {
        for (state, part) in STATES.iter().zip(0..2) {
            let cells = hashes(batch.column(column), state)?;
            for (record, cell) in records.iter_mut().zip(cells) {
                record[part] = state.hash_one((record[part], cell));
            }
        }
    }
    Ok(records)
}

/// A number for each cell; a missing cell has one of its own.
pub(super) fn hashes(column: &Column, state: &FixedState) -> Result<Vec<u64>> {
    Ok(match column {
        Column::Number(numbers) => numbers
            .iter()
            // 0 and -0 are the same number.
            .map(|number| state.hash_one(number.map(|number| (number + 0.0).to_bits())))
            .collect(),
        Column::Category(categories) => {
            let texts = categories.levels().iter().map(|text| state.hash_one(text));
            let texts: Vec<u64> = texts.collect();
            let codes = categories.codes().iter();
            codes
                .map(|&code| texts.get(code as usize).copied().unwrap_or(1))
                .collect()
        }
        Column::Plain(_) => return Err(Error::bug("a plain column among masked ones")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Field, Kind, Role, RowIds, Schema};
    use proptest::prelude::*;
    use std::sync::Arc;

    fn batch(values: &[u8]) -> Batch {
        let fields = vec![
            Field::new("x", Role::Quasi, Kind::Number { integer: false }),
            Field::new("c", Role::Quasi, Kind::Category { ordered: false }),
        ];
        let schema = Arc::new(Schema::new(fields).expect("two names"));
        let numbers = values
            .iter()
            .map(|&value| (value > 3).then_some(f64::from(value / 2)));
        let texts = values.iter().map(|&value| Some((value % 2).to_string()));
        let columns = vec![
            Column::Number(numbers.collect()),
            Column::Category(texts.collect()),
        ];
        let len = values.len();
        Batch::new(schema, RowIds::Range { start: 0, len }, columns).expect("fits")
    }

    fn check(values: &[u8], k: u32, within: Option<u64>, size: usize) -> Result<Option<u64>> {
        let mut checker = CrowdChecker::new(k, within);
        for chunk in values.chunks(size) {
            checker.observe(&batch(chunk), &[0, 1])?;
        }
        checker.finish()
    }

    fn looks(value: u8) -> (Option<u8>, u8) {
        ((value > 3).then_some(value / 2), value % 2)
    }

    proptest! {
        #[test]
        fn a_table_passes_if_each_record_has_enough_like_it(
            values in prop::collection::vec(0..12_u8, 0..80), k in 1..6_u32, size in 1..30_usize,
        ) {
            let alike = |value: &u8| values.iter().filter(|&&v| looks(v) == looks(*value)).count() as u64;
            let smallest = values.iter().map(alike).min();
            let found = check(&values, k, None, size);
            match smallest {
                Some(smallest) if smallest < u64::from(k) => prop_assert_eq!(found.expect_err("too few").exit_code(), 1),
                _ => prop_assert_eq!(found.expect("enough"), smallest),
            }
        }

        #[test]
        fn a_stream_of_whole_groups_passes_and_one_without_a_record_does_not(
            groups in prop::collection::vec(0..40_u8, 1..40), k in 2..5_u32,
            pick in any::<prop::sample::Index>(), size in 1..30_usize,
        ) {
            // Groups of k that interleave with their neighbours.
            let mut values = Vec::new();
            for pair in groups.chunks(2) {
                for _ in 0..k {
                    values.extend(pair);
                }
            }
            let within = 2 * u64::from(k);
            prop_assert!(check(&values, k, Some(within), size).is_ok());
            let gone = pick.index(values.len());
            let value = values.remove(gone);
            if values.iter().filter(|&&v| looks(v) == looks(value)).count() < k as usize {
                prop_assert!(check(&values, k, Some(within), size).is_err());
            }
        }
    }

    #[test]
    fn persons_count_once_in_a_crowd_however_many_records_they_have() {
        let check = |values: &[u8], persons: &str, k: u32| {
            let persons: Vec<String> = persons.chars().map(|c| c.to_string()).collect();
            let persons = Column::Category(persons.iter().map(Some).collect());
            let mut checker = CrowdChecker::new(k, None);
            checker.observe_persons(&batch(values), &[0, 1], &persons)?;
            checker.finish()
        };
        assert_eq!(check(&[8, 8, 8, 8], "abab", 2).expect("two"), Some(2));
        assert_eq!(check(&[8, 8, 9, 9], "abab", 2).expect("two each"), Some(2));
        let error = check(&[8, 8, 8, 9, 9], "aaaab", 2).expect_err("one person's three records");
        assert_eq!(error.exit_code(), 1);
        assert!(check(&[8, 8, 8, 8], "abab", 3).is_err());
    }

    #[test]
    fn members_that_come_too_late_do_not_count() {
        let far: Vec<u8> = [9].into_iter().chain([8; 20]).chain([9]).collect();
        assert!(check(&far, 2, None, 5).is_ok());
        assert!(check(&far, 2, Some(21), 5).is_ok());
        assert!(check(&far, 2, Some(10), 5).is_err());
    }
}
