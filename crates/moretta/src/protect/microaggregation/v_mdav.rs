//! V-MDAV: groups around the records that lie farthest out, of variable size.
//!
//! The record farthest from the centroid of all and its k - 1 nearest are a group.
//! The record nearest to the group joins it, while the group has fewer than 2k - 1,
//! if it is nearer to the group than γ times its distance to the next record
//! outside. The fewer than k records left at the end join the groups whose
//! centroids are nearest.
//!
//! From Solanas and Martínez-Ballesté, V-MDAV: a multivariate microaggregation with
//! variable group size, COMPSTAT 2006.

use super::centroid::Centroid;
use super::points::Points;
use super::pool::Pool;
use crate::cancel::Cancel;
use crate::data::Records;

/// Groups all points, at least k.
pub(super) fn v_mdav(
    points: &Points<'_>,
    (k, gamma): (usize, f64),
    cancel: &Cancel,
) -> Vec<Vec<usize>> {
    let pool = &mut points.pool();
    let mut centre = pool.centroid();
    let mut groups = Vec::with_capacity(pool.len() / k);
    while pool.len() >= k {
        if cancel.is_cancelled() {
            groups.push(pool.take_all());
            return groups;
        }
        pool.measure(&centre);
        let extreme = pool.farthest();
        let mut group = pool.gather(extreme, k);
        extend(&mut group, points.records, pool, (k, gamma));
        groups.push(group);
    }
    let left = pool.take_all();
    if left.is_empty() {
        return groups;
    }
    let mut centres = Pool::new(points.axes);
    centres.weigh(points.weights);
    let mut centroid = Centroid::new(points.axes.columns());
    for (place, group) in groups.iter().enumerate() {
        points.centre(&mut centroid, group, &mut centre);
        centres.push(place, &centre);
    }
    for row in left {
        centres.measure(points.records.record(row));
        groups[centres.closest(centres.distances())].push(row);
    }
    groups
}

/// Lets the nearest outside join as long as they lie nearer to the group than to others.
fn extend(group: &mut Vec<usize>, records: &Records, pool: &mut Pool, (k, gamma): (usize, f64)) {
    let mut to_group = vec![f64::INFINITY; pool.len()];
    for &row in group.iter() {
        pool.measure(records.record(row));
        shorten(&mut to_group, pool.distances());
    }
    while group.len() < 2 * k - 1 && !pool.is_empty() {
        let candidate = pool.closest(&to_group);
        pool.measure_from(candidate);
        let outside = pool.distances().iter().enumerate();
        let others = outside.filter(|&(slot, _)| slot != candidate);
        let next = others.fold(f64::INFINITY, |least, (_, &other)| least.min(other));
        // Distances are squared, and so is γ.
        let joins = to_group[candidate] < gamma * gamma * next;
        if !joins {
            return;
        }
        group.push(pool.take(candidate));
        to_group.swap_remove(candidate);
        shorten(&mut to_group, pool.distances());
    }
}

fn shorten(to_group: &mut [f64], distances: &[f64]) {
    for (least, &distance) in to_group.iter_mut().zip(distances) {
        *least = least.min(distance);
    }
}
