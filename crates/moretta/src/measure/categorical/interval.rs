//! Interval disclosure of categories: how often an original is near its masked value.
//!
//! Ordered categories are compared by their mid-ranks in the masked column,
//! `(#{masked < v} + #{masked ≤ v} + 1) / 2`: an original is found when its rank differs from that
//! of its masked value by at most `p · n / 200`, half of an interval that is p percent of the
//! n ranks wide. Other categories are found when they are equal. The percentage is the mean over
//! all p and all attributes.

use super::joint::Joint;

/// The originals of an attribute that are found, each as often as there are percents with which it
/// is. Costs the categories and the different pairs of them.
pub(super) fn found(joint: &Joint, percents: &[u32]) -> u64 {
    let mut found = 0;
    if !joint.variable().ordered {
        joint.each(|original, masked, count| {
            found += if original == masked { count } else { 0 };
        });
        return found * percents.len() as u64;
    }
    let rows = joint.rows();
    // Twice a difference of mid-ranks is whole, and is held against p · n / 100.
    let mut widths: Vec<u64> = percents
        .iter()
        .map(|&p| u64::from(p) * rows / 100)
        .collect();
    widths.sort_unstable();
    let mut below = 0;
    let twice_rank = |&count: &u64| {
        let rank = below + below + count;
        below += count;
        rank
    };
    let ranks: Vec<u64> = joint.masked().iter().map(twice_rank).collect();
    joint.each(|original, masked, count| {
        let difference = ranks[original as usize].abs_diff(ranks[masked as usize]);
        let too_narrow = widths.partition_point(|&width| width < difference);
        found += count * (widths.len() - too_narrow) as u64;
    });
    found
}
