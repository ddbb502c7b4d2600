//! The exponential mechanism: candidate i with probability ∝ e^−γ·deficit(i).
//!
//! McSherry and Talwar, Mechanism design via differential privacy, 2007. The
//! deficit of a candidate is how much worse it is than the best one, a whole
//! number; with γ = ε / 2Δ, Δ being what one person changes of a deficit, the
//! choice is ε-differentially private. A candidate is proposed uniformly and
//! kept with probability e^−γ·deficit, so there is no error at all; the price
//! is a number of proposals that grows with ε, at most the number of candidates.

use super::Ratio;
use super::bernoulli::bernoulli_exp;
use crate::protect::dp::Entropy;

/// One of `candidates` (at least one), of which at least one must have the deficit 0.
pub fn exponential(
    entropy: &mut Entropy,
    candidates: u32,
    rate: Ratio,
    deficit: impl Fn(u32) -> u32,
) -> u32 {
    loop {
        let candidate = entropy.below(candidates);
        let exponent = u128::from(rate.numerator()) * u128::from(deficit(candidate));
        if bernoulli_exp(entropy, exponent, u128::from(rate.denominator())) {
            return candidate;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protect::dp::acceptance::{accepts, rejects, tally};

    fn expected(n: u32, best: u32, rate: f64) -> Vec<f64> {
        let weights: Vec<f64> = (0..n)
            .map(|i| (-rate * f64::from(i.abs_diff(best))).exp())
            .collect();
        let total: f64 = weights.iter().sum();
        weights.into_iter().map(|w| w / total).collect()
    }

    #[test]
    fn candidates_are_chosen_by_their_weight() {
        let mut entropy = Entropy::fixed(1);
        for (n, best, a, b) in [(1, 0, 1, 1), (2, 1, 1, 2), (5, 2, 1, 8), (20, 19, 3, 2)] {
            let rate = Ratio::new(a, b).expect("in range");
            let counts = tally(n as usize, 100_000, || {
                exponential(&mut entropy, n, rate, |i| i.abs_diff(best)) as usize
            });
            accepts(&counts, &expected(n, best, a as f64 / b as f64));
        }
    }

    #[test]
    fn a_rate_without_the_factor_two_and_a_lost_candidate_are_rejected() {
        let rate = Ratio::new(1, 4).expect("in range");
        for (n, factor) in [(5, 2), (4, 1)] {
            let mut entropy = Entropy::fixed(2);
            let counts = tally(5, 50_000, || {
                exponential(&mut entropy, n, rate, |i| factor * i.abs_diff(2)) as usize
            });
            rejects(&counts, &expected(5, 2, 0.25));
        }
    }
}
