//! Ranks of the values of a column, and the normal scores of ranks.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// The rank of each value from 1 on, equal values at the mean of their ranks; NaN where it is
/// missing.
pub(super) fn average_ranks(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut ranks: Vec<f64> = Vec::new();
    let mut order: Vec<(f64, usize)> = Vec::new();
    for (row, value) in values.enumerate() {
        ranks.push(f64::NAN);
        if !value.is_nan() {
            // Both zeros are one value.
            order.push((value + 0.0, row));
        }
    }
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut before = 0;
    for equals in order.chunk_by(|a, b| a.0 == b.0) {
        let rank = before as f64 + (equals.len() + 1) as f64 / 2.0;
        equals.iter().for_each(|&(_, row)| ranks[row] = rank);
        before += equals.len();
    }
    ranks
}

/// The normal score of a rank among so many: the value below which a standard normal one lies
/// with the chance rank over one more than all.
pub(super) fn normal_score(rank: f64, of: usize) -> f64 {
    quantile(rank / (of as f64 + 1.0))
}

/// The value below which a standard normal one lies with this chance, between 0 and 1 without the
/// ends. It begins with √(−2 ln p), which is close in the tail, and takes Halley's steps, each of
/// which triples the digits.
fn quantile(chance: f64) -> f64 {
    if chance > 0.5 {
        return -quantile(1.0 - chance);
    }
    let t = (-2.0 * chance.ln()).sqrt();
    // Exact at 1/2, and nearly so in the tail.
    let mut x = -(t - t.mul_add(0.3, 2.3) / t.mul_add(t.mul_add(0.045, 1.0), 1.0));
    for _ in 0..4 {
        let error = 0.5 * libm::erfc(-x * FRAC_1_SQRT_2) - chance;
        let step = error * (2.0 * PI).sqrt() * (x * x / 2.0).exp();
        x -= step / (1.0 + x * step / 2.0);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_smaller_values_and_half_of_the_equal_ones() {
        let values = [3.0, 1.0, f64::NAN, 3.0, -0.0, 0.0, 7.0];
        let ranks = average_ranks(values.into_iter());
        for (row, rank) in ranks.iter().enumerate() {
            let smaller = values.iter().filter(|other| **other < values[row]).count();
            let equal = values.iter().filter(|other| **other == values[row]).count();
            let expected = smaller as f64 + (equal as f64 + 1.0) / 2.0;
            assert!(values[row].is_nan() && rank.is_nan() || *rank == expected);
        }
        assert!(average_ranks(std::iter::empty()).is_empty());
    }

    #[test]
    fn scores_are_those_of_the_tables() {
        for (chance, expected) in [
            (0.5, 0.0),
            (0.841_344_746_068_542_9, 1.0),
            (0.975, 1.959_963_984_540_054),
            (0.001, -3.090_232_306_167_813_5),
            (1e-7, -5.199_337_582_192_817),
            (0.25, -0.674_489_750_196_081_7),
        ] {
            assert!((quantile(chance) - expected).abs() < 1e-12, "{chance}");
        }
        for rank in 1..2000 {
            let score = normal_score(f64::from(rank), 1999);
            let chance = 0.5 * libm::erfc(-score * FRAC_1_SQRT_2);
            assert!((chance - f64::from(rank) / 2000.0).abs() < 1e-14);
        }
        // The smallest of ten million.
        let score = normal_score(1.0, 10_000_000);
        assert!((0.5 * libm::erfc(-score * FRAC_1_SQRT_2) * 10_000_001.0 - 1.0).abs() < 1e-9);
    }
}
