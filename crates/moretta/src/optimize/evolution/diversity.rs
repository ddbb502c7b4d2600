//! How much members of a population differ.

use super::Individual;

/// The mean share of genes in which members differ from the next one, the last from the first:
/// 0 where all are equal.
pub(super) fn diversity<I: Individual>(members: &[I]) -> f64 {
    if members.len() < 2 {
        return 0.0;
    }
    let (mut differ, mut all) = (0, 0);
    for (one, next) in members.iter().zip(members.iter().cycle().skip(1)) {
        let genes = one.len().max(next.len());
        differ += genes - one.shared(next);
        all += genes;
    }
    differ as f64 / all.max(1) as f64
}
