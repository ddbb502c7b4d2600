//! MDAV of large tables: the groups are found by an index.
//!
//! The record that is farthest from the centre of all and its k - 1 nearest among those left are
//! a group, then the next one, and so on inwards; the last k to 2k - 1 are the last group. That
//! is MDAV without the opposite records and with a centre that stays. A k-d tree finds the
//! nearest; a search ends when it has looked at some thousand records. Some searches are
//! made at a time, and those whose records were taken by another one before are made again; how
//! many threads make them does not matter.
//!
//! **Costs** a sort and n/k searches. The loss is that of MDAV to within 1 % on the data where
//! both were run (`bench/costs`, `table_cost`).
//!
//! **From** Laszlo and Mukherjee, Minimum spanning tree partitioning algorithm for
//! microaggregation, TKDE 2005, who name it centroid-based fixed size.

use super::centroid::Centroid;
use super::points::Points;
use crate::cancel::Cancel;
use crate::data::Attribute;
use crate::math::distance::weighted_distance;
use crate::math::kd_tree::{KdTree, Remaining, Search};
use rayon::prelude::*;

/// Records that a search looks at: of more, hardly any is nearer.
pub(super) const LOOKED_AT: usize = 1 << 12;

/// Searches that are made at a time, on all threads.
const SEARCHES: usize = 32;

/// Groups all points, at least k; once it is cancelled, in any way.
pub(super) fn mdav_by_index(points: &Points<'_>, k: usize, cancel: &Cancel) -> Vec<Vec<usize>> {
    let records = points.records;
    let mut left = Left::new(points, (0..records.len()).collect());
    let mut groups = Vec::with_capacity(records.len() / k);
    let mut order = from_outside(points).into_iter();
    while left.len() >= 2 * k && !cancel.is_cancelled() {
        left.renew(points);
        let next: Vec<usize> = order
            .by_ref()
            .filter(|&row| left.has(row))
            .take(SEARCHES)
            .collect();
        let nearest = |search: &mut Search, &row: &usize| {
            // It finds itself, too.
            let found = left.nearest(records.record(row), k, search);
            found.filter(|&other| other != row).take(k - 1).collect()
        };
        let found: Vec<Vec<usize>> = next.par_iter().map_init(Search::default, nearest).collect();
        for (row, mut group) in next.into_iter().zip(found) {
            if !left.has(row) || left.len() < 2 * k {
                continue;
            }
            left.take(row);
            if group.iter().any(|&member| !left.has(member)) {
                // One of those before has taken it.
                let mut search = Search::default();
                group = left
                    .nearest(records.record(row), k - 1, &mut search)
                    .collect();
            }
            group.iter().for_each(|&member| left.take(member));
            group.push(row);
            groups.push(group);
        }
    }
    groups.push((0..records.len()).filter(|&row| left.has(row)).collect());
    groups
}

/// Points that are in no group, in a tree.
struct Left {
    tree: Remaining,
    /// The rows of the tree's records, in order.
    rows: Vec<usize>,
}

impl Left {
    /// These rows, which are in order.
    fn new(points: &Points<'_>, rows: Vec<usize>) -> Self {
        let values = rows.iter().flat_map(|&row| points.records.record(row));
        let values: Vec<f64> = values.copied().collect();
        let tree = KdTree::new(&values, points.weights, &points.nominal());
        Left {
            tree: Remaining::new(tree),
            rows,
        }
    }

    /// Builds the tree anew when most of its records are gone: searches would look into many
    /// boxes that are nearly empty.
    fn renew(&mut self, points: &Points<'_>) {
        if 2 * self.len() < self.rows.len() {
            let left = (0..self.rows.len()).filter(|&record| self.tree.has(record));
            let rows = left.map(|record| self.rows[record]).collect();
            *self = Left::new(points, rows);
        }
    }

    fn len(&self) -> usize {
        self.tree.len()
    }

    fn record(&self, row: usize) -> Option<usize> {
        let record = self.rows.binary_search(&row).ok()?;
        self.tree.has(record).then_some(record)
    }

    fn has(&self, row: usize) -> bool {
        self.record(row).is_some()
    }

    fn take(&mut self, row: usize) {
        if let Some(record) = self.record(row) {
            self.tree.take(record);
        }
    }

    fn nearest<'a>(
        &'a self,
        target: &[f64],
        count: usize,
        search: &'a mut Search,
    ) -> impl Iterator<Item = usize> + 'a {
        self.tree.nearest(target, count, LOOKED_AT, search);
        search
            .found
            .iter()
            .map(|&(_, record)| self.rows[record as usize])
    }
}

/// All points, those farthest from the centre first.
fn from_outside(points: &Points<'_>) -> Vec<usize> {
    let mut centre = vec![0.0; points.weights.len()];
    Centroid::new(points.axes.columns()).of(points.records.iter(), &mut centre);
    points.axes.climb(&mut centre);
    let nominal = points.nominal();
    let out = |record: &[f64]| weighted_distance(record, &centre, points.weights, &nominal);
    let mut order: Vec<(f64, usize)> = points.records.iter().map(out).zip(0..).collect();
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order.into_iter().map(|(_, row)| row).collect()
}

impl Points<'_> {
    /// All points in a tree.
    pub(super) fn index(&self) -> Remaining {
        Remaining::new(KdTree::new(
            self.records.values(),
            self.weights,
            &self.nominal(),
        ))
    }

    /// Which axes are nominal.
    pub(super) fn nominal(&self) -> Vec<bool> {
        let attributes = self.axes.attributes().iter();
        attributes
            .map(|attribute| *attribute == Attribute::Nominal)
            .collect()
    }
}
