//! Records as points that are to be grouped, with what their differences count.

use super::axes::Axes;
use super::centroid::Centroid;
use super::pool::Pool;
use crate::data::Records;

/// Points: rows of a table, or its persons.
#[derive(Clone, Copy)]
pub(super) struct Points<'a> {
    pub(super) axes: &'a Axes,
    pub(super) records: &'a Records,
    /// What the squared difference on each axis counts.
    pub(super) weights: &'a [f64],
}

impl Points<'_> {
    /// All points, in no group yet.
    pub(super) fn pool(&self) -> Pool {
        let mut pool = Pool::new(self.axes);
        pool.weigh(self.weights);
        for (row, record) in self.records.iter().enumerate() {
            pool.push(row, record);
        }
        pool
    }

    /// The centre of a group: its columns, and their ancestors behind them.
    pub(super) fn centre(&self, centroid: &mut Centroid, group: &[usize], centre: &mut [f64]) {
        let members = group.iter().map(|&row| self.records.record(row));
        centroid.of(members, centre);
        self.axes.climb(centre);
    }
}
