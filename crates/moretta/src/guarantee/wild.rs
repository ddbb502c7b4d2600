//! Counts rows that match each other where a missing cell could be anything.
//!
//! A cell that says nothing, missing or `*`, matches every value. Two counts are made: how many
//! released rows each released row matches, and how many released rows the true values of each
//! person match. The second one is what somebody sees who knows these values: it can be far
//! smaller, where an emptied value was rare.
//!
//! Cost: for each pair of sets of silent columns that occur, a table of what rows show in the other
//! columns.

use super::crowd::{STATES, hashes};
use super::findings::ClaimFinding;
use crate::data::hierarchy::TOP;
use crate::data::{Batch, Column, MISSING};
use crate::error::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::hash::BuildHasher;

/// What a missing quasi-identifier means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// A value of its own.
    #[default]
    Own,
    /// Any value.
    Wild {
        /// k need not hold for somebody who knows true values.
        ignore_attacker: bool,
    },
}

/// Whether every row of a release matches k rows, and the true values of every person, where
/// `originals` gives them row by row, match k rows.
///
/// # Errors
/// When a column is not there, or there are more than 32.
pub fn wild_claims(
    release: &Batch,
    originals: Option<&Batch>,
    columns: &[String],
    k: u32,
    ignore_attacker: bool,
) -> Result<Vec<ClaimFinding>> {
    let released = Tuples::new(release, columns)?;
    let mut index = Index::new(&released);
    let mut claims = vec![claim(
        "k of rows that match, empty cells being anything",
        Some(k),
        index.smallest(&released, &released),
    )];
    if let Some(originals) = originals {
        let true_values = Tuples::new(originals, columns)?;
        claims.push(claim(
            "k of rows that match the true values of a person",
            (!ignore_attacker).then_some(k),
            index.smallest(&released, &true_values),
        ));
    }
    Ok(claims)
}

fn claim(
    name: &str,
    k: Option<u32>,
    (smallest, failing): (Option<u64>, impl Fn(u64) -> u64),
) -> ClaimFinding {
    let least = u64::from(k.unwrap_or(0));
    let failing_classes = failing(least);
    ClaimFinding {
        name: name.to_owned(),
        promised: k.map_or("nothing".to_owned(), |k| format!("at least {k}")),
        promised_value: f64::from(k.unwrap_or(0)),
        found: smallest.map(|count| count as f64),
        found_text: smallest.map_or("no rows".to_owned(), |count| count.to_string()),
        holds: failing_classes == 0,
        failing_classes,
    }
}

/// Rows as prints of their cells, and which cells say nothing.
struct Tuples {
    prints: Vec<[Vec<u64>; 2]>,
    silent: Vec<u32>,
}

impl Tuples {
    fn new(rows: &Batch, columns: &[String]) -> Result<Self> {
        if columns.len() > 32 {
            return Err(Error::bug("more columns than are counted"));
        }
        let mut tuples = Tuples {
            prints: Vec::new(),
            silent: vec![0; rows.len()],
        };
        for (bit, name) in columns.iter().enumerate() {
            let column = rows.column_named(name);
            let Some(Column::Category(cells)) = column else {
                return Err(Error::bug("a counted column was not read as categories"));
            };
            let top = cells.levels().iter().position(|text| text == TOP);
            let top = top.map_or(MISSING, |top| top as u32);
            for (silent, &code) in tuples.silent.iter_mut().zip(cells.codes()) {
                *silent |= u32::from(code == MISSING || code == top) << bit;
            }
            let column = Column::Category(cells.clone());
            tuples
                .prints
                .push([hashes(&column, &STATES[0])?, hashes(&column, &STATES[1])?]);
        }
        Ok(tuples)
    }

    fn print(&self, row: usize, columns: u32) -> [u64; 2] {
        let shown = || {
            self.prints
                .iter()
                .enumerate()
                .filter(|(bit, _)| columns >> bit & 1 == 1)
        };
        [0, 1].map(|part: usize| {
            shown().fold(0, |key, (_, prints)| {
                STATES[part].hash_one((key, prints[part][row]))
            })
        })
    }
}

/// By prints of what is shown.
type Counts = HashMap<[u64; 2], u64, FixedState>;

/// How often released rows show something.
struct Index {
    /// The rows with each set of silent columns.
    patterns: BTreeMap<u32, Vec<u32>>,
    counts: HashMap<(u32, u32), Counts, FixedState>,
}

impl Index {
    fn new(released: &Tuples) -> Self {
        let mut patterns: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (row, &silent) in (0..).zip(&released.silent) {
            patterns.entry(silent).or_default().push(row);
        }
        Index {
            patterns,
            counts: HashMap::default(),
        }
    }

    /// The fewest released rows that one of the tuples matches, and how many match fewer than a
    /// number.
    fn smallest(
        &mut self,
        released: &Tuples,
        tuples: &Tuples,
    ) -> (Option<u64>, impl Fn(u64) -> u64 + use<>) {
        let all = ((1_u64 << tuples.prints.len()) - 1) as u32;
        let mut sizes: BTreeMap<u64, u64> = BTreeMap::new();
        for row in 0..tuples.silent.len() {
            let mut matching = 0;
            for (&pattern, rows) in &self.patterns {
                let both = all & !pattern & !tuples.silent[row];
                let counts = self.counts.entry((pattern, both)).or_insert_with(|| {
                    let mut counts = HashMap::default();
                    for &other in rows {
                        let print = released.print(other as usize, both);
                        *counts.entry(print).or_default() += 1;
                    }
                    counts
                });
                matching += counts.get(&tuples.print(row, both)).copied().unwrap_or(0);
            }
            *sizes.entry(matching).or_default() += 1;
        }
        let smallest = sizes.keys().next().copied();
        (smallest, move |k| {
            sizes.range(..k).map(|(_, rows)| rows).sum()
        })
    }
}
