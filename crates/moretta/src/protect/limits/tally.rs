//! Counts of sensitive values that grow value by value.
//!
//! A class holds few of the values of a column, so counts are kept of those that
//! it holds: a question costs what the class is large, not what the column is.
//! Where only the number of values matters, counting stops when there are enough.

use super::ask::{Ask, diverse, weight};
use super::histogram::Histogram;
use super::whole::Whole;
use crate::data::MISSING;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

/// Counts of the values of one sensitive column; a person counts once a value.
pub(super) struct Tally {
    /// How often each value that is there occurs.
    counts: Counts,
    missing: u32,
    present: u32,
    /// How many values occur, up to those that are enough.
    pub(super) distinct: usize,
    /// So many values answer all that is asked; `None` when counts matter too.
    enough: Option<usize>,
    /// Sum of c ln c over the present values.
    entropy_sum: f64,
    pairs: HashSet<u64, FixedState>,
}

/// Counts by value. Columns with few values have a place for each.
enum Counts {
    Few(Vec<u32>),
    Many(HashMap<u32, u32, FixedState>),
}

/// The most values that have a place each.
const FEW: usize = 256;

impl Counts {
    fn new(value_count: usize) -> Self {
        if value_count <= FEW {
            Counts::Few(vec![0; value_count])
        } else {
            Counts::Many(HashMap::default())
        }
    }

    fn of(&mut self, value: u32) -> &mut u32 {
        match self {
            Counts::Few(counts) => &mut counts[value as usize],
            Counts::Many(counts) => counts.entry(value).or_default(),
        }
    }

    /// The values that occur, ascending, and how often.
    fn ascending(&self) -> Vec<(u32, u32)> {
        match self {
            Counts::Few(counts) => {
                let counts = (0..).zip(counts.iter().copied());
                counts.filter(|&(_, count)| count > 0).collect()
            }
            Counts::Many(counts) => {
                let mut counts: Vec<(u32, u32)> = counts.iter().map(|(&v, &c)| (v, c)).collect();
                counts.sort_unstable();
                counts
            }
        }
    }
}

impl Tally {
    /// Of a column with so many values, of which this is asked.
    pub(super) fn new(value_count: usize, asks: &[Ask]) -> Self {
        let distinct = asks.iter().map(|ask| match ask {
            Ask::Distinct(l) => Some(*l),
            _ => None,
        });
        Tally {
            counts: Counts::new(value_count),
            missing: 0,
            present: 0,
            distinct: 0,
            enough: distinct
                .collect::<Option<Vec<_>>>()
                .and_then(|l| l.into_iter().max()),
            entropy_sum: 0.0,
            pairs: HashSet::default(),
        }
    }

    /// Adds a value; a person who has it already adds nothing.
    pub(super) fn add(&mut self, value: u32, subject: Option<u32>) {
        match self.enough {
            Some(enough) if self.distinct >= enough || value == MISSING => return,
            // Who has a value does not matter to how many there are.
            Some(_) => {}
            None => {
                if let Some(subject) = subject
                    && !self
                        .pairs
                        .insert(u64::from(subject) << 32 | u64::from(value))
                {
                    return;
                }
            }
        }
        if value == MISSING {
            self.missing += 1;
            return;
        }
        let count = self.counts.of(value);
        let before = *count;
        *count += 1;
        self.present += 1;
        self.distinct += usize::from(before == 0);
        self.entropy_sum += weight(before + 1) - weight(before);
    }

    /// Whether the values so far meet what is asked, as part of this whole.
    pub(super) fn holds(&self, ask: &Ask, whole: &Whole) -> bool {
        match ask {
            Ask::Distinct(l) => self.distinct >= *l,
            Ask::Entropy(l) => diverse(self.present, self.entropy_sum, *l),
            _ => self.with_histogram(|class| ask.holds(class, whole)),
        }
    }

    /// What the values so far are as a whole; `repeats` tells of each value of the column
    /// whether it is the same number as the one before.
    pub(super) fn whole(&self, repeats: &[bool]) -> Whole {
        self.with_histogram(|all| Whole::new(all, repeats))
    }

    fn with_histogram<T>(&self, ask: impl FnOnce(&Histogram<'_>) -> T) -> T {
        ask(&Histogram {
            counts: &self.counts.ascending(),
            missing: self.missing,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_stops_when_there_are_enough_values() {
        let mut tally = Tally::new(1 << 20, &[Ask::Distinct(2), Ask::Distinct(3)]);
        for value in [7, 7, MISSING, 900_000, 5, 6, 8] {
            tally.add(value, Some(1));
        }
        assert_eq!(tally.distinct, 3);
        let Counts::Many(counts) = &tally.counts else {
            panic!("many values");
        };
        assert_eq!((counts.len(), tally.pairs.len()), (3, 0));
    }

    #[test]
    fn few_and_many_values_are_counted_alike() {
        for value_count in [250, 10_000] {
            let mut tally = Tally::new(value_count, &[Ask::Equal(1.0)]);
            for value in [9, 3, MISSING, 9, 240] {
                tally.add(value, None);
            }
            tally.with_histogram(|found| {
                assert_eq!(found.counts, [(3, 1), (9, 2), (240, 1)]);
                assert_eq!((found.missing, found.present()), (1, 4));
            });
        }
    }
}
