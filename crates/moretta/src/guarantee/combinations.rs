//! Counts what a release shows in combinations of a few columns: each at least k times, or never.
//!
//! For methods that promise k of combinations instead of all quasi-identifiers together, as
//! μ-Argus does. A combination with a cell that says nothing, missing or `*`, is not counted:
//! who knows a value there finds the row by no such combination. Persons are counted where a
//! subject is known, rows otherwise.
//!
//! Cost: a lookup for each row and combination; memory for what each combination shows. Cells
//! are told apart by 128 bits.

use super::crowd::{STATES, hashes};
use super::findings::{ClaimFinding, Findings};
use crate::data::hierarchy::TOP;
use crate::data::{Batch, Column, MISSING};
use crate::error::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::hash::BuildHasher;

/// Columns of which each combination of values is there at least `k` times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combination {
    /// Their names.
    pub columns: Vec<String>,
    /// The least number of persons, or of rows.
    pub k: u32,
}

/// Counts combinations.
pub struct CombinationChecker {
    counted: Vec<Counted>,
}

struct Counted {
    of: Combination,
    counts: HashMap<[u64; 2], u32, FixedState>,
    seen: HashSet<([u64; 2], u32), FixedState>,
}

/// What the cells of a column are told apart by, and which of them say nothing.
struct Cells {
    hashes: [Vec<u64>; 2],
    silent: Vec<bool>,
}

impl CombinationChecker {
    /// Of these combinations.
    pub fn new(combinations: impl IntoIterator<Item = Combination>) -> Self {
        let counted = combinations.into_iter().map(|of| Counted {
            of,
            counts: HashMap::default(),
            seen: HashSet::default(),
        });
        CombinationChecker {
            counted: counted.collect(),
        }
    }

    /// Looks at the next rows of a release; `subjects` gives the person of each.
    ///
    /// # Errors
    /// When a column is not in the release.
    pub fn observe(&mut self, release: &Batch, subjects: Option<&[u32]>) -> Result<()> {
        let names = self.counted.iter().flat_map(|counted| &counted.of.columns);
        let mut cells: BTreeMap<String, Cells> = BTreeMap::new();
        for name in names {
            if !cells.contains_key(name) {
                let column = release.column_named(name);
                let column =
                    column.ok_or_else(|| Error::bug("a counted column is not released"))?;
                cells.insert(name.clone(), Cells::of(column)?);
            }
        }
        let rows = release.len();
        self.counted.par_iter_mut().for_each(|counted| {
            let columns: Vec<&Cells> = counted.of.columns.iter().map(|name| &cells[name]).collect();
            for row in 0..rows {
                if columns.iter().any(|column| column.silent[row]) {
                    continue;
                }
                let key = [0, 1].map(|part: usize| {
                    let cells = columns.iter().map(|column| column.hashes[part][row]);
                    cells.fold(0, |key, cell| STATES[part].hash_one((key, cell)))
                });
                let is_new = subjects.is_none_or(|all| counted.seen.insert((key, all[row])));
                *counted.counts.entry(key).or_default() += u32::from(is_new);
            }
        });
        Ok(())
    }

    /// One claim for combinations of as many columns that must be there as often.
    pub fn finish(self) -> Vec<ClaimFinding> {
        let mut worst: BTreeMap<(usize, u32), (Option<u32>, u64)> = BTreeMap::new();
        for Counted { of, counts, .. } in self.counted {
            let (smallest, failing) = worst.entry((of.columns.len(), of.k)).or_default();
            *smallest = counts.values().copied().chain(*smallest).min();
            *failing += counts.values().filter(|&&count| count < of.k).count() as u64;
        }
        let claims = worst.into_iter();
        claims
            .map(|((size, k), (smallest, failing_classes))| ClaimFinding {
                name: match size {
                    1 => "k of single columns".to_owned(),
                    _ => format!("k of combinations of {size} columns"),
                },
                promised: format!("at least {k}"),
                promised_value: f64::from(k),
                found: smallest.map(f64::from),
                found_text: smallest.map_or("nothing shown".to_owned(), |n| n.to_string()),
                holds: failing_classes == 0,
                failing_classes,
            })
            .collect()
    }
}

impl Findings {
    /// Adds what combinations keep and, where some are promised, the k of all quasi-identifiers
    /// together, which is not.
    pub fn tell_combinations(&mut self, combinations: CombinationChecker) {
        let claims = combinations.finish();
        if claims.is_empty() {
            return;
        }
        self.claims.extend(claims);
        self.claims.push(ClaimFinding {
            name: "k of all quasi-identifiers together".to_owned(),
            promised: "nothing".to_owned(),
            promised_value: 0.0,
            found: self.smallest_class.map(|k| k as f64),
            found_text: self
                .smallest_class
                .map_or("no rows".to_owned(), |k| k.to_string()),
            holds: true,
            failing_classes: 0,
        });
    }
}

impl Cells {
    fn of(column: &Column) -> Result<Self> {
        let silent = match column {
            Column::Category(categories) => {
                let top = categories.levels().iter().position(|text| text == TOP);
                let top = top.map_or(MISSING, |top| top as u32);
                let codes = categories.codes().iter();
                codes.map(|&code| code == MISSING || code == top).collect()
            }
            Column::Number(numbers) => numbers.iter().map(|number| number.is_none()).collect(),
            Column::Plain(_) => return Err(Error::bug("a plain column is counted")),
        };
        Ok(Cells {
            hashes: [hashes(column, &STATES[0])?, hashes(column, &STATES[1])?],
            silent,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Field, Kind, Role, RowIds, Schema};
    use std::sync::Arc;

    fn release(rows: &[[&str; 3]]) -> Batch {
        let fields = ["a", "b", "c"]
            .map(|name| Field::new(name, Role::Quasi, Kind::Category { ordered: false }));
        let schema = Arc::new(Schema::new(fields.to_vec()).expect("names differ"));
        let column = |place: usize| {
            let cells = rows.iter().map(|row| row[place]);
            Column::Category(
                cells
                    .map(|cell| (!cell.is_empty()).then_some(cell))
                    .collect(),
            )
        };
        let ids = RowIds::Range {
            start: 0,
            len: rows.len(),
        };
        Batch::new(schema, ids, (0..3).map(column).collect()).expect("fits")
    }

    fn check(rows: &[[&str; 3]], sets: &[(&[&str], u32)], persons: Option<&[u32]>) -> Vec<bool> {
        let sets = sets.iter().map(|(columns, k)| Combination {
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            k: *k,
        });
        let mut checker = CombinationChecker::new(sets);
        checker.observe(&release(rows), persons).expect("columns");
        checker.finish().iter().map(|claim| claim.holds).collect()
    }

    #[test]
    fn pairs_may_be_frequent_where_every_row_is_unique() {
        let bit = |n: usize, place: usize| if n >> place & 1 == 0 { "0" } else { "1" };
        let cube: Vec<[&str; 3]> = (0..8).map(|n| [bit(n, 0), bit(n, 1), bit(n, 2)]).collect();
        let pairs: &[(&[&str], u32)] = &[(&["a", "b"], 2), (&["a", "c"], 2), (&["b", "c"], 2)];
        assert_eq!(check(&cube, pairs, None), [true]);
        assert_eq!(check(&cube, &[(&["a", "b", "c"], 2)], None), [false]);
        assert_eq!(
            check(&cube, &[(&["a"], 4), (&["a", "b"], 3)], None),
            [true, false]
        );
    }

    #[test]
    fn cells_that_say_nothing_are_not_counted() {
        let rows = [["x", "1", ""], ["x", "1", "p"], ["x", "*", "q"]];
        let pair: &[(&[&str], u32)] = &[(&["a", "b"], 2)];
        assert_eq!(check(&rows, pair, None), [true]);
        assert_eq!(check(&rows, &[(&["a", "c"], 2)], None), [false]);
        // One person twice is one.
        assert_eq!(check(&rows, pair, Some(&[7, 7, 8])), [false]);
        assert_eq!(check(&rows, pair, Some(&[7, 8, 8])), [true]);
    }
}
