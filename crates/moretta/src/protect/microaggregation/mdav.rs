//! MDAV: groups around the records that lie farthest out.
//!
//! As long as 3k records are left, the one farthest from their centroid and its
//! k - 1 nearest are a group, then the one farthest from it and its k - 1 nearest.
//! Of 2k or more one more such group is made; what is left is the last group. So
//! each has k to 2k - 1 records.
//!
//! From Domingo-Ferrer and Torra, Ordinal, continuous and heterogeneous k-anonymity
//! through microaggregation, DMKD 2005 (MDAV-generic).

use super::pool::Pool;
use crate::cancel::Cancel;

/// Groups all records of the pool, which are at least k; once it is cancelled, in any way.
pub(super) fn mdav(pool: &mut Pool, k: usize, cancel: &Cancel) -> Vec<Vec<usize>> {
    let mut groups = Vec::with_capacity(pool.len() / k);
    while pool.len() >= 3 * k && !cancel.is_cancelled() {
        let extreme = farthest_out(pool);
        groups.push(pool.gather(extreme, k));
        // What was measured last are the distances to the extreme.
        let opposite = pool.farthest();
        groups.push(pool.gather(opposite, k));
    }
    if pool.len() >= 2 * k {
        let extreme = farthest_out(pool);
        groups.push(pool.gather(extreme, k));
    }
    groups.push(pool.take_all());
    groups
}

fn farthest_out(pool: &mut Pool) -> usize {
    let centre = pool.centroid();
    pool.measure(&centre);
    pool.farthest()
}
