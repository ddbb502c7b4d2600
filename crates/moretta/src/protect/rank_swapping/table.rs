//! Rank swapping of whole columns.
//!
//! The values of a column are sorted once. In that order each value that was not
//! swapped yet changes places with one that was not either, at most p ranks ahead,
//! and each such partner is equally likely. What finds none stays.

use super::{Direction, Within};
use crate::cancel::Cancel;
use crate::data::Records;
use crate::error::Result;
use crate::math::uniform::{Uniform, step};
use crate::protect::window::Mask;

pub(super) struct Columns<U> {
    pub(super) within: Within,
    pub(super) direction: Direction,
    /// A value may find no partner by lot, too.
    pub(super) may_stay: bool,
    pub(super) uniform: U,
}

impl<U: Uniform> Mask for Columns<U> {
    fn mask(&mut self, records: &mut Records, rows: usize, _: &Cancel) -> Result<Vec<Vec<usize>>> {
        let ranks = self.within.ranks(rows);
        let mut column = Vec::with_capacity(rows);
        for attribute in 0..records.width() {
            column.clear();
            let values = records.column(attribute).take(rows).zip(0_usize..);
            column.extend(values.filter(|(value, _)| !value.is_nan()));
            let key = |value: f64| self.direction.key(value);
            column.sort_by(|(a, _), (b, _)| key(*a).total_cmp(&key(*b)));
            for (rank, partner) in self.partners(column.len(), ranks) {
                let ((value, row), (other, partner)) = (column[rank], column[partner]);
                records.record_mut(row)[attribute] = other;
                records.record_mut(partner)[attribute] = value;
            }
        }
        Ok(Vec::new())
    }
}

impl<U: Uniform> Columns<U> {
    /// Pairs of ranks that swap.
    fn partners(&mut self, values: usize, ranks: usize) -> Vec<(usize, usize)> {
        let mut left = Left::all(values);
        let mut pairs = Vec::with_capacity(values / 2);
        for rank in 0..values {
            if !left.remove(rank) {
                continue;
            }
            // All before this rank are swapped, so those left up to `last` lie ahead of it.
            let last = (rank + ranks).min(values - 1);
            let partners = left.up_to(last);
            if partners == 0 {
                continue;
            }
            let lot = step(self.uniform.draw(), partners + usize::from(self.may_stay));
            if lot <= partners {
                let partner = left.find(lot);
                left.remove(partner);
                pairs.push((rank, partner));
            }
        }
        pairs
    }
}

/// The ranks that are left, counted in a Fenwick tree.
struct Left {
    present: Vec<bool>,
    /// At i, how many are left of the lowbit(i) ranks that end before i.
    sums: Vec<usize>,
}

impl Left {
    fn all(ranks: usize) -> Self {
        let lowbit = |node: usize| node & node.wrapping_neg();
        Left {
            present: vec![true; ranks],
            sums: (0..=ranks).map(lowbit).collect(),
        }
    }

    /// Whether it was there.
    fn remove(&mut self, rank: usize) -> bool {
        if !std::mem::take(&mut self.present[rank]) {
            return false;
        }
        let mut node = rank + 1;
        while node < self.sums.len() {
            self.sums[node] -= 1;
            node += node & node.wrapping_neg();
        }
        true
    }

    /// How many are left up to a rank, with it.
    fn up_to(&self, rank: usize) -> usize {
        let (mut node, mut sum) = (rank + 1, 0);
        while node > 0 {
            sum += self.sums[node];
            node &= node - 1;
        }
        sum
    }

    /// The rank of the `nth` that is left, counted from 1.
    fn find(&self, nth: usize) -> usize {
        let (mut node, mut before) = (0, nth);
        let mut width = self.sums.len().next_power_of_two() / 2;
        while width > 0 {
            if let Some(&sum) = self.sums.get(node + width)
                && sum < before
            {
                node += width;
                before -= sum;
            }
            width /= 2;
        }
        node
    }
}
