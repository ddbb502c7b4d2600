//! Numbers as ranks: the distinct values and the place of each slot among them.

use crate::data::Numbers;
use rayon::slice::ParallelSliceMut;

/// The distinct values, ascending, and the rank of each slot; of a missing slot
/// the number of distinct values.
pub(super) fn ranks(numbers: &Numbers) -> (Vec<f64>, Vec<u32>) {
    let Some(present) = numbers.present() else {
        return rank(numbers.values());
    };
    // A missing slot must not add a value of its own, so it borrows one.
    let some = numbers.iter().flatten().next();
    let filled: Vec<f64> = numbers
        .iter()
        .map(|slot| slot.or(some).unwrap_or(0.0))
        .collect();
    let (values, mut codes) = rank(&filled);
    let values = if some.is_some() { values } else { Vec::new() };
    for (code, present) in codes.iter_mut().zip(present.iter()) {
        if !present {
            *code = values.len() as u32;
        }
    }
    (values, codes)
}

/// The distinct values, ascending, and the rank of each slot among them.
fn rank(slots: &[f64]) -> (Vec<f64>, Vec<u32>) {
    if let Some(ranked) = rank_whole_numbers(slots) {
        return ranked;
    }
    let mut order: Vec<(f64, u32)> = slots.iter().copied().zip(0..).collect();
    order.par_sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut values: Vec<f64> = Vec::new();
    let mut codes = vec![0; slots.len()];
    for (value, row) in order {
        if values.last() != Some(&value) {
            values.push(value);
        }
        codes[row as usize] = values.len() as u32 - 1;
    }
    (values, codes)
}

/// Ranks by counting, when all values are whole and lie close together.
fn rank_whole_numbers(slots: &[f64]) -> Option<(Vec<f64>, Vec<u32>)> {
    let (low, high) = slots
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| {
            (low.min(v), high.max(v))
        });
    let span = high - low;
    if span.is_nan()
        || span >= 4.0 * slots.len() as f64 + 256.0
        || slots.iter().any(|v| v.fract() != 0.0)
    {
        return None;
    }
    let mut rank_of = vec![0u32; span as usize + 1];
    for &v in slots {
        rank_of[(v - low) as usize] = 1;
    }
    let mut values = Vec::new();
    for (offset, rank) in rank_of.iter_mut().enumerate() {
        if *rank == 1 {
            *rank = values.len() as u32;
            values.push(low + offset as f64);
        }
    }
    let codes = slots.iter().map(|&v| rank_of[(v - low) as usize]).collect();
    Some((values, codes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_ranked_and_missing_comes_last() {
        for (slots, codes, values) in [
            (
                vec![Some(7.0), Some(-1.0), Some(7.0)],
                vec![1, 0, 1],
                vec![-1.0, 7.0],
            ),
            (vec![None, Some(2.5), None], vec![1, 0, 1], vec![2.5]),
            (vec![None, None], vec![0, 0], vec![]),
            (vec![Some(0.0), Some(-0.0)], vec![0, 0], vec![0.0]),
            (
                vec![Some(1e300), None, Some(-1e300)],
                vec![1, 2, 0],
                vec![-1e300, 1e300],
            ),
        ] {
            assert_eq!(ranks(&slots.into_iter().collect()), (values, codes));
        }
    }

    proptest! {
        #[test]
        fn a_rank_counts_the_smaller_values(
            slots in proptest::collection::vec(
                proptest::option::of(prop_oneof![(-5i32..5).prop_map(f64::from), -1e6..1e6f64]),
                0..40,
            ),
        ) {
            let (found, codes) = ranks(&slots.iter().copied().collect());
            let mut values: Vec<f64> = slots.iter().flatten().copied().collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            for (slot, &code) in slots.iter().zip(&codes) {
                let smaller = slot.map_or(values.len(), |v| values.iter().filter(|x| **x < v).count());
                prop_assert_eq!(code as usize, smaller);
            }
            prop_assert_eq!(found, values);
        }
    }
}
