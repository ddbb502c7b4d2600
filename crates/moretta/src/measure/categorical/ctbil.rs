//! Contingency-table-based information loss, CTBIL: how far the tables of masked categories differ
//! from those of the originals.
//!
//! For every set of 1 to K attributes, the absolute differences between both contingency tables are
//! added up. Of n records a table differs by at most 2n, so that the percentage is
//! `100 · Σ |difference| / (2 n · tables)`.

use super::contingency::{ContingencyTable, subsets};
use crate::data::Variable;

/// Differences between the tables of originals and of masked records.
#[derive(Clone, Debug)]
pub(super) struct Ctbil {
    /// Masked less original counts.
    tables: Vec<ContingencyTable>,
    /// The tables that each attribute is in.
    of_attribute: Vec<Vec<usize>>,
    sum: u64,
}

impl Ctbil {
    pub(super) fn new(variables: &[Variable], order: usize) -> Self {
        let tables: Vec<ContingencyTable> = subsets(variables.len(), order)
            .iter()
            .map(|attributes| ContingencyTable::new(variables, attributes))
            .collect();
        let mut of_attribute = vec![Vec::new(); variables.len()];
        for (place, table) in tables.iter().enumerate() {
            table
                .attributes()
                .for_each(|attribute| of_attribute[attribute].push(place));
        }
        Ctbil {
            tables,
            of_attribute,
            sum: 0,
        }
    }

    /// Adds a pair of records.
    pub(super) fn add(&mut self, original: &[u32], masked: &[u32], weight: i64) {
        for table in &mut self.tables {
            let (from, to) = (table.cell(original), table.cell(masked));
            shift(table, &mut self.sum, from, to, weight);
        }
    }

    /// One attribute of a masked record has become another category.
    #[inline]
    pub(super) fn replace(&mut self, masked: &[u32], attribute: usize, code: u32, weight: i64) {
        for &place in &self.of_attribute[attribute] {
            let table = &mut self.tables[place];
            let from = table.cell(masked);
            let to = table.moved(from, attribute, masked[attribute], code);
            shift(table, &mut self.sum, from, to, weight);
        }
    }

    /// The sum of all absolute differences.
    pub(super) fn sum(&self) -> u64 {
        self.sum
    }

    /// How many tables there are.
    pub(super) fn tables(&self) -> usize {
        self.tables.len()
    }
}

/// Takes a weight out of one cell and puts it into another.
#[inline]
fn shift(table: &mut ContingencyTable, sum: &mut u64, from: u128, to: u128, weight: i64) {
    if from == to {
        return;
    }
    for (cell, weight) in [(from, -weight), (to, weight)] {
        let before = table.add(cell, weight);
        *sum = *sum - before.unsigned_abs() + (before + weight).unsigned_abs();
    }
}
