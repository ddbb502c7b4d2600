//! The discrete Gaussian distribution: P(x) ∝ e^−x²/2σ² on whole numbers.
//!
//! Canonne, Kamath and Steinke 2020, Algorithm 3: a discrete Laplace number of
//! scale t = ⌊σ⌋ + 1 is kept with probability exp(−(|x| − σ²/t)² / 2σ²). Added
//! to a whole number of sensitivity Δ it gives Δ²/2σ²-zCDP (their Theorem 4),
//! the same as continuous Gaussian noise.

use super::bernoulli::bernoulli_exp;
use super::{DiscreteLaplace, Ratio};
use crate::protect::dp::Entropy;

/// A sampler of discrete Gaussian noise.
#[derive(Clone, Debug)]
pub struct DiscreteGaussian {
    variance: u64,
    scale: u64,
    proposal: DiscreteLaplace,
}

impl DiscreteGaussian {
    /// The largest σ²: beyond it the arithmetic could overflow.
    pub const MOST: u64 = 1 << 44;

    /// Noise with the parameter σ², which is very nearly its variance.
    pub fn new(variance: u64) -> Option<Self> {
        if !(1..=Self::MOST).contains(&variance) {
            return None;
        }
        let scale = variance.isqrt() + 1;
        Some(DiscreteGaussian {
            variance,
            scale,
            proposal: DiscreteLaplace::new(Ratio::new(1, scale)?),
        })
    }

    /// σ².
    pub fn variance(&self) -> u64 {
        self.variance
    }

    /// One sample.
    pub fn sample(&self, entropy: &mut Entropy) -> i64 {
        loop {
            let x = self.proposal.sample(entropy);
            if self.keeps(entropy, x.unsigned_abs()) {
                return x;
            }
        }
    }

    /// (|x| − σ²/t)² / 2σ² over the common denominator 2σ²t² < 2⁹⁰; the top is below 2¹⁰⁶.
    fn keeps(&self, entropy: &mut Entropy, magnitude: u64) -> bool {
        let (variance, scale) = (u128::from(self.variance), u128::from(self.scale));
        let off = (u128::from(magnitude) * scale).abs_diff(variance);
        bernoulli_exp(entropy, off * off, 2 * variance * scale * scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protect::dp::acceptance::{accepts, cell, rejects, tally, two_sided};

    fn expected(reach: i64, variance: f64) -> Vec<f64> {
        two_sided(reach, |x| (-x * x / (2.0 * variance)).exp())
    }

    fn sampler(variance: u64) -> DiscreteGaussian {
        DiscreteGaussian::new(variance).expect("in range")
    }

    #[test]
    fn samples_are_gaussian() {
        let mut entropy = Entropy::fixed(1);
        for (variance, reach) in [(1, 5), (2, 7), (100, 45), (1_000, 140)] {
            let sampler = sampler(variance);
            let counts = tally(2 * reach as usize + 1, 60_000, || {
                cell(reach, sampler.sample(&mut entropy))
            });
            accepts(&counts, &expected(reach, variance as f64));
        }
    }

    #[test]
    fn wide_noise_has_the_moments_of_a_gaussian() {
        let mut entropy = Entropy::fixed(2);
        for variance in [1 << 30, DiscreteGaussian::MOST] {
            let sampler = sampler(variance);
            let sigma = (variance as f64).sqrt();
            let x: Vec<f64> = (0..50_000)
                .map(|_| sampler.sample(&mut entropy) as f64 / sigma)
                .collect();
            let moment = |n| x.iter().map(|x| x.powi(n)).sum::<f64>() / x.len() as f64;
            for (n, expected, spread) in
                [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0)]
            {
                let error = (moment(n) - expected) / (spread / x.len() as f64).sqrt();
                assert!(error.abs() < 4.0, "moment {n} is off by {error} deviations");
            }
        }
    }

    #[test]
    fn planted_bugs_are_rejected() {
        let (right, wide) = (sampler(100), sampler(110));
        let planted: [&dyn Fn(&mut Entropy) -> i64; 4] = [
            &|entropy| right.proposal.sample(entropy),
            &|entropy| wide.sample(entropy),
            &|entropy| right.sample(entropy).abs(),
            &|entropy| right.sample(entropy) + 1,
        ];
        for bug in planted {
            let mut entropy = Entropy::fixed(3);
            let counts = tally(91, 50_000, || cell(45, bug(&mut entropy)));
            rejects(&counts, &expected(45, 100.0));
        }
    }

    #[test]
    fn what_would_overflow_is_refused() {
        assert!(DiscreteGaussian::new(0).is_none());
        assert!(DiscreteGaussian::new(DiscreteGaussian::MOST + 1).is_none());
    }
}
