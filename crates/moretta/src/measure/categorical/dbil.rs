//! Distance-based information loss, DBIL: the sum of the distances of all values from their
//! masked values.
//!
//! `d(a, b)` is |a - b| / L of ordered categories, and 0 or 1 of others. As a percentage it is
//! `100 · Σ d / (n · m)` of n records with m attributes.

use crate::data::Units;

/// The distances so far, in whole units.
#[derive(Clone, Debug, Default)]
pub(super) struct Dbil {
    sum: i128,
}

impl Dbil {
    /// Adds pairs of one attribute, or with a negative weight takes them out.
    #[inline]
    pub(super) fn add(
        &mut self,
        units: &Units,
        attribute: usize,
        (original, masked): (u32, u32),
        weight: i64,
    ) {
        self.sum += i128::from(units.distance(attribute, original, masked)) * i128::from(weight);
    }

    /// The sum of the distances.
    pub(super) fn sum(&self, units: &Units) -> f64 {
        self.sum as f64 / units.one() as f64
    }
}
