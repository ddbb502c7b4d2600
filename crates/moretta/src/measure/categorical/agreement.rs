//! In which attributes a record agrees with how many originals.
//!
//! A pattern has a bit for each attribute, 1 where both have the same category. Of few attributes
//! the counts follow from the contingency tables of all their sets: from how many originals agree
//! at least in a set, how many agree in exactly it (Möbius inversion). Of more attributes the
//! record is compared with each different original.

use super::contingency::{ContingencyTable, subsets};
use super::nearest::Sorted;
use crate::data::Variable;
use foldhash::fast::FixedState;
use std::collections::HashMap;

/// Attributes of which all sets are counted.
const MOST_COUNTED: usize = 6;

/// Attributes that a pattern can have.
pub(super) const MOST_ATTRIBUTES: usize = 64;

/// What is known of originals.
#[derive(Clone, Debug)]
pub(super) enum Agreement {
    /// The tables of all sets of attributes, with their patterns, and how many originals there are.
    Tables(Vec<(u64, ContingencyTable)>, u64, usize),
    /// Too many attributes for tables.
    Compared,
}

impl Agreement {
    pub(super) fn new(variables: &[Variable], originals: &Sorted) -> Self {
        if variables.len() > MOST_COUNTED {
            return Agreement::Compared;
        }
        let mut tables: Vec<(u64, ContingencyTable)> = subsets(variables.len(), variables.len())
            .iter()
            .map(|set| {
                let pattern = set.iter().map(|attribute| 1 << attribute).sum();
                (pattern, ContingencyTable::new(variables, set))
            })
            .collect();
        let mut rows = 0;
        for place in 0..originals.len() {
            let (record, count) = originals.get(place);
            rows += count;
            for (_, table) in &mut tables {
                table.add(table.cell(record), count as i64);
            }
        }
        Agreement::Tables(tables, rows, variables.len())
    }

    /// Puts how many originals agree with a record in each pattern into `found`: patterns that
    /// occur, in ascending order.
    pub(super) fn count(&self, originals: &Sorted, record: &[u32], found: &mut Vec<(u64, u64)>) {
        found.clear();
        match self {
            Agreement::Tables(tables, rows, width) => {
                let mut counts = [0_i64; 1 << MOST_COUNTED];
                let counts = &mut counts[..1 << width];
                counts[0] = *rows as i64;
                for (pattern, table) in tables {
                    counts[*pattern as usize] = table.count(table.cell(record));
                }
                for bit in 0..*width {
                    for pattern in (0..counts.len()).filter(|pattern| pattern >> bit & 1 == 0) {
                        counts[pattern] -= counts[pattern | 1 << bit];
                    }
                }
                let counts = counts.iter().enumerate();
                let occur = counts.filter(|(_, count)| **count > 0);
                found.extend(occur.map(|(pattern, &count)| (pattern as u64, count as u64)));
            }
            Agreement::Compared => {
                let mut counts: HashMap<u64, u64, FixedState> = HashMap::default();
                for place in 0..originals.len() {
                    let (original, count) = originals.get(place);
                    *counts.entry(pattern(original, record)).or_insert(0) += count;
                }
                found.extend(counts);
                found.sort_unstable();
            }
        }
    }
}

/// In which of their first 64 attributes two records agree.
#[inline]
pub(super) fn pattern(a: &[u32], b: &[u32]) -> u64 {
    let both = a.iter().zip(b).take(MOST_ATTRIBUTES).enumerate();
    both.fold(0, |pattern, (bit, (a, b))| {
        pattern | u64::from(a == b) << bit
    })
}
