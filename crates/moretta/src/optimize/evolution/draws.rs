//! Chance that follows from a seed and the number of a step.

use crate::math::uniform::{Uniform, below};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// What is drawn for one purpose of one step.
pub struct Draws(Xoshiro256PlusPlus);

/// What a step draws for. Each has draws of its own, so that a step can be done again when some of
/// its choices are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Variation = 1,
    Parents = 2,
    Exchange = 3,
    FirstChild = 4,
    SecondChild = 5,
}

impl Draws {
    /// Those of a step.
    pub(super) fn of(seed: u64, step: u64, purpose: Purpose) -> Self {
        let place = mix(seed ^ mix(step.wrapping_mul(8) + purpose as u64));
        Draws(Xoshiro256PlusPlus::seed_from_u64(place))
    }

    /// Draws for what is no step, such as tests.
    pub fn new(seed: u64) -> Self {
        Draws(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// A number below `end`, each with the same chance; 0 where `end` is 0.
    #[inline]
    pub fn below(&mut self, end: usize) -> usize {
        below(&mut self.0, end as u64) as usize
    }

    /// A number from 0 to less than 1.
    #[inline]
    pub fn share(&mut self) -> f64 {
        self.0.draw()
    }

    /// How often something happens that happens `mean` times on average (Poisson).
    pub fn poisson(&mut self, mean: f64) -> usize {
        // Knuth's product of uniform draws; long means are cut so that the limit stays above 0.
        let mut left = mean;
        let mut count = 0;
        while left > 0.0 {
            let part = left.min(500.0);
            let limit = (-part).exp();
            let mut product = self.share();
            while product > limit {
                count += 1;
                product *= self.share();
            }
            left -= part;
        }
        count
    }
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood, 2014): near numbers become far ones.
fn mix(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_draws_the_same_whenever_it_is_asked_and_others_something_else() {
        let first =
            |seed, step, purpose| -> u64 { Draws::of(seed, step, purpose).share().to_bits() };
        let mut seen = std::collections::HashSet::new();
        for seed in 0..20 {
            for step in 0..50 {
                for purpose in [Purpose::Variation, Purpose::Parents, Purpose::SecondChild] {
                    let draw = first(seed, step, purpose);
                    assert_eq!(draw, first(seed, step, purpose));
                    assert!(seen.insert(draw), "{seed} {step} {purpose:?}");
                }
            }
        }
    }

    #[test]
    fn draws_of_neighbouring_steps_are_uniform() {
        let mut counts = [0_i32; 10];
        for step in 0..20_000 {
            counts[Draws::of(7, step, Purpose::Parents).below(10)] += 1;
        }
        // Five standard deviations of a count.
        assert!(counts.iter().all(|count| (count - 2000).abs() < 212));
    }

    #[test]
    fn poisson_numbers_have_their_mean_and_variance() {
        for mean in [0.5, 3.0, 700.0] {
            let mut draws = Draws::new(3);
            let all: Vec<f64> = (0..4000).map(|_| draws.poisson(mean) as f64).collect();
            let average = all.iter().sum::<f64>() / 4000.0;
            let variance = all.iter().map(|n| (n - average).powi(2)).sum::<f64>() / 4000.0;
            // Five standard errors.
            assert!(
                (average - mean).abs() < 5.0 * (mean / 4000.0).sqrt(),
                "{average}"
            );
            assert!((variance / mean - 1.0).abs() < 0.2, "{mean}: {variance}");
        }
        assert_eq!(Draws::new(1).poisson(0.0), 0);
    }
}
