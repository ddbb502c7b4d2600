//! The Nemenyi test: which of many methods differ?

use super::studentized_range::quantile;
use std::f64::consts::SQRT_2;
use std::ops::Range;

/// Methods whose average ranks over so many data sets are at least this far apart
/// differ, with a probability of `alpha` that some pair is called different by chance.
pub(crate) fn critical_difference(methods: usize, data_sets: usize, alpha: f64) -> f64 {
    let (k, n) = (methods as f64, data_sets as f64);
    quantile(methods, alpha) / SQRT_2 * (k * (k + 1.0) / (6.0 * n)).sqrt()
}

/// Groups of methods that do not differ, as places in the ascending `ranks`: each as
/// large as it can be, none of one method, none within another.
pub(crate) fn groups(ranks: &[f64], difference: f64) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for start in 0..ranks.len() {
        let end = ranks.partition_point(|rank| rank - ranks[start] < difference);
        let is_new = groups.last().is_none_or(|last| end > last.end);
        if is_new && end - start > 1 {
            groups.push(start..end);
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn critical_values_are_those_of_the_table() {
        // The table cuts off what follows the third decimal.
        let table = [
            1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164,
        ];
        for (methods, expected) in (2..).zip(table) {
            let found = quantile(methods, 0.05) / SQRT_2;
            assert!((found - expected).abs() < 0.001, "{methods}: {found}");
        }
        let tenth = [1.645, 2.052, 2.291];
        for (methods, expected) in (2..).zip(tenth) {
            let found = quantile(methods, 0.1) / SQRT_2;
            assert!((found - expected).abs() < 0.001, "{methods}: {found}");
        }
    }

    #[test]
    fn the_worked_example_of_demsar_comes_out() {
        assert!((critical_difference(4, 14, 0.05) - 1.25).abs() < 0.005);
        assert!((critical_difference(4, 14, 0.10) - 1.12).abs() < 0.005);
    }

    #[test]
    fn groups_are_as_large_as_they_can_be() {
        for (ranks, difference, expected) in [
            (&[1.0, 2.0, 3.0, 4.0][..], 1.5, &[0..2, 1..3, 2..4][..]),
            (&[1.0, 1.5, 3.9, 4.0], 1.0, &[0..2, 2..4]),
            (&[1.0, 2.0, 3.0], 5.0, &[0..3, 0..3][..1]),
            (&[1.0, 4.0], 2.0, &[]),
            (&[1.0, 3.0], 2.0, &[]),
            (&[], 2.0, &[]),
        ] {
            assert_eq!(groups(ranks, difference), expected, "{ranks:?}");
        }
    }
}
