//! The discrete Laplace (two-sided geometric) distribution: P(x) ∝ e^−γ|x| on whole numbers.
//!
//! Added to a whole number of sensitivity Δ it gives ε-differential privacy for
//! γ = ε / Δ, and no mechanism of that ε is better for counts (Ghosh,
//! Roughgarden and Sundararajan, Universally utility-maximizing privacy
//! mechanisms, 2009). A sample is a geometric number with a sign; "minus zero"
//! is drawn again, or zero would come twice as often.

use super::{Geometric, Ratio};
use crate::protect::dp::Entropy;

/// A sampler of discrete Laplace noise.
#[derive(Clone, Debug)]
pub struct DiscreteLaplace {
    magnitude: Geometric,
}

impl DiscreteLaplace {
    /// Noise that falls off at the rate γ = 1 / scale.
    pub fn new(rate: Ratio) -> Self {
        DiscreteLaplace {
            magnitude: Geometric::new(rate),
        }
    }

    /// One sample; its magnitude is below 2⁵⁶.
    #[inline]
    pub fn sample(&self, entropy: &mut Entropy) -> i64 {
        loop {
            let (magnitude, negative) = self.magnitude.sample_and_bit(entropy);
            match (magnitude, negative) {
                (0, true) => {}
                (magnitude, true) => return -(magnitude as i64),
                (magnitude, false) => return magnitude as i64,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::bernoulli::bernoulli_exp;
    use super::*;
    use crate::protect::dp::acceptance::{accepts, cell, rejects, tally, two_sided};

    const CASES: [(u64, u64); 5] = [(1, 100), (2, 7), (1, 1), (5, 2), (1_000_003, 50_000_017)];

    fn sampler(a: u64, b: u64) -> DiscreteLaplace {
        DiscreteLaplace::new(Ratio::new(a, b).expect("in range"))
    }

    fn reach(a: u64, b: u64) -> i64 {
        (6 * b / a + 3) as i64
    }

    fn expected(a: u64, b: u64) -> Vec<f64> {
        two_sided(reach(a, b), |x| (-x * a as f64 / b as f64).exp())
    }

    /// Canonne, Kamath and Steinke, Algorithm 2: slow, and without any error.
    fn reference(entropy: &mut Entropy, a: u64, b: u64) -> i64 {
        let (a, b) = (u128::from(a), u128::from(b));
        loop {
            let low = entropy.below_wide(b);
            if !bernoulli_exp(entropy, low, b) {
                continue;
            }
            let mut high = 0;
            while bernoulli_exp(entropy, 1, 1) {
                high += 1;
            }
            let magnitude = ((low + b * high) / a) as i64;
            match entropy.below(2) {
                0 => return magnitude,
                _ if magnitude > 0 => return -magnitude,
                _ => {}
            }
        }
    }

    fn counts(a: u64, b: u64, mut draw: impl FnMut() -> i64) -> Vec<u64> {
        let reach = reach(a, b);
        tally(2 * reach as usize + 1, 50_000, || cell(reach, draw()))
    }

    #[test]
    fn samples_and_the_slow_exact_reference_are_laplacian() {
        let mut entropy = Entropy::fixed(1);
        for (a, b) in CASES {
            let sampler = sampler(a, b);
            accepts(
                &counts(a, b, || sampler.sample(&mut entropy)),
                &expected(a, b),
            );
            accepts(
                &counts(a, b, || reference(&mut entropy, a, b)),
                &expected(a, b),
            );
        }
    }

    #[test]
    fn planted_bugs_are_rejected() {
        let (a, b) = (1, 5);
        let (right, doubled) = (sampler(a, b), sampler(2 * a, b));
        let planted: [&dyn Fn(&mut Entropy) -> i64; 5] = [
            // One-sided.
            &|entropy| right.sample(entropy).abs(),
            // Zero comes twice as often.
            &|entropy| {
                let magnitude = right.magnitude.sample(entropy) as i64;
                magnitude * (1 - 2 * i64::from(entropy.below(2)))
            },
            // ε doubled.
            &|entropy| doubled.sample(entropy),
            // Off by one.
            &|entropy| right.sample(entropy) + 1,
            // One seed for all.
            &|_| right.sample(&mut Entropy::fixed(7)),
        ];
        for bug in planted {
            let mut entropy = Entropy::fixed(2);
            let reach = reach(a, b);
            let counts = tally(2 * reach as usize + 1, 20_000, || {
                cell(reach, bug(&mut entropy))
            });
            rejects(&counts, &expected(a, b));
        }
    }
}
