//! Contingency tables: how often each combination of categories of some attributes occurs.

use crate::data::Variable;
use foldhash::fast::FixedState;
use std::collections::HashMap;

/// Cells of a table that are all kept; of larger ones those that are not 0.
const MOST_CELLS: u128 = 1 << 16;

/// Counts by the combination of categories of some attributes.
#[derive(Clone, Debug)]
pub(super) struct ContingencyTable {
    /// The attributes, each with what a step in it adds to the place of a cell.
    strides: Vec<(usize, u128)>,
    counts: Counts,
}

#[derive(Clone, Debug)]
enum Counts {
    Dense(Vec<i64>),
    Sparse(HashMap<u128, i64, FixedState>),
}

impl ContingencyTable {
    /// An empty table of some attributes, at most 6 of them.
    pub(super) fn new(variables: &[Variable], attributes: &[usize]) -> Self {
        let mut cells: u128 = 1;
        let mut strides = Vec::with_capacity(attributes.len());
        for &attribute in attributes {
            strides.push((attribute, cells));
            // Domains have at most 2²⁰ categories, so that nothing saturates.
            cells = cells.saturating_mul(variables[attribute].levels.max(1) as u128);
        }
        let counts = if cells <= MOST_CELLS {
            Counts::Dense(vec![0; cells as usize])
        } else {
            Counts::Sparse(HashMap::default())
        };
        ContingencyTable { strides, counts }
    }

    /// The attributes.
    pub(super) fn attributes(&self) -> impl Iterator<Item = usize> + '_ {
        self.strides.iter().map(|(attribute, _)| *attribute)
    }

    /// The cell of a record.
    #[inline]
    pub(super) fn cell(&self, record: &[u32]) -> u128 {
        let strides = self.strides.iter();
        let places = strides.map(|&(attribute, stride)| u128::from(record[attribute]) * stride);
        places.sum()
    }

    /// The cell of a record whose cell is `cell`, after `attribute` has become `after`.
    #[inline]
    pub(super) fn moved(&self, cell: u128, attribute: usize, before: u32, after: u32) -> u128 {
        let mut strides = self.strides.iter();
        match strides.find(|(of, _)| *of == attribute) {
            Some((_, stride)) => cell + u128::from(after) * stride - u128::from(before) * stride,
            None => cell,
        }
    }

    /// How often a cell occurs.
    #[inline]
    pub(super) fn count(&self, cell: u128) -> i64 {
        match &self.counts {
            Counts::Dense(counts) => counts[cell as usize],
            Counts::Sparse(counts) => counts.get(&cell).copied().unwrap_or(0),
        }
    }

    /// Adds to a cell and returns what it held before.
    #[inline]
    pub(super) fn add(&mut self, cell: u128, weight: i64) -> i64 {
        match &mut self.counts {
            Counts::Dense(counts) => {
                let count = &mut counts[cell as usize];
                *count += weight;
                *count - weight
            }
            Counts::Sparse(counts) => {
                let count = counts.entry(cell).or_insert(0);
                *count += weight;
                let before = *count - weight;
                if *count == 0 {
                    counts.remove(&cell);
                }
                before
            }
        }
    }
}

/// All sets of 1 to `order` of so many attributes, smaller sets first.
pub(super) fn subsets(attributes: usize, order: usize) -> Vec<Vec<usize>> {
    let mut sets = Vec::new();
    let mut last: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..order {
        let longer = |set: &Vec<usize>| {
            let next = set.last().map_or(0, |&last| last + 1);
            let set = set.clone();
            (next..attributes).map(move |attribute| [set.as_slice(), &[attribute]].concat())
        };
        last = last.iter().flat_map(longer).collect();
        sets.extend_from_slice(&last);
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_are_listed_once_smaller_ones_first() {
        assert_eq!(
            subsets(3, 2),
            [
                vec![0],
                vec![1],
                vec![2],
                vec![0, 1],
                vec![0, 2],
                vec![1, 2]
            ]
        );
        assert_eq!(subsets(4, 3).len(), 4 + 6 + 4);
        assert_eq!(subsets(2, 3).len(), 3);
        assert!(subsets(0, 2).is_empty());
    }

    #[test]
    fn small_and_large_tables_count_alike() {
        for levels in [3, 1 << 20] {
            let variables = [Variable::ordinal(levels), Variable::nominal(levels)];
            let mut table = ContingencyTable::new(&variables, &[0, 1]);
            let cell = table.cell(&[2, 1]);
            assert_eq!(table.add(cell, 3), 0);
            assert_eq!(table.add(cell, -2), 3);
            assert_eq!(table.count(cell), 1);
            let moved = table.moved(cell, 1, 1, 0);
            assert_eq!(moved, table.cell(&[2, 0]));
            assert_eq!(table.moved(cell, 7, 1, 0), cell);
            assert_eq!(table.count(moved), 0);
            assert_eq!(table.add(cell, -1), 1);
            assert_eq!(table.count(cell), 0);
        }
    }
}
