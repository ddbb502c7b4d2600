//! How much members of a population differ.

use super::Individual;

/// The mean share of genes in which members differ from the next one, the last from the first:
/// 0 where all are equal.
pub(super) fn diversity<I: Individual>(members: &[I]) -> f64 {
    let genes = members.first().map_or(0, Individual::len);
    if genes == 0 || members.len() < 2 {
        return 0.0;
    }
    let next = members.iter().cycle().skip(1);
    let differ = members
        .iter()
        .zip(next)
        .map(|(one, next)| genes - one.shared(next));
    differ.sum::<usize>() as f64 / (genes * members.len()) as f64
}
