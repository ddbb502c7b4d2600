//! MDAV of large tables: the groups are found by an index.
//!
//! The record that is farthest from the centre of all and its k - 1 nearest among those left are
//! a group, then the next one, and so on inwards; the last k to 2k - 1 are the last group. That
//! is MDAV without the opposite records and with a centre that stays. A k-d tree finds the nearest; a search ends when
//! it has looked at some thousand records.
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
use crate::math::kd_tree::{KdTree, Remaining};

/// Records that a search looks at: of more, hardly any is nearer.
pub(super) const LOOKED_AT: usize = 1 << 13;

/// Groups all points, at least k; once it is cancelled, in any way.
pub(super) fn mdav_by_index(points: &Points<'_>, k: usize, cancel: &Cancel) -> Vec<Vec<usize>> {
    let records = points.records;
    let mut left = points.index();
    let mut groups = Vec::with_capacity(records.len() / k);
    let mut found = Vec::with_capacity(k + 1);
    for row in from_outside(points) {
        if left.len() < 2 * k || cancel.is_cancelled() {
            break;
        }
        if !left.has(row) {
            continue;
        }
        left.take(row);
        left.nearest(records.record(row), k - 1, LOOKED_AT, &mut found);
        let mut group = vec![row];
        group.extend(found.iter().map(|&(_, other)| other as usize));
        group.iter().for_each(|&member| left.take(member));
        groups.push(group);
    }
    groups.push((0..records.len()).filter(|&row| left.has(row)).collect());
    groups
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
