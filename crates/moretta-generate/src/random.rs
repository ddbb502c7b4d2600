//! Draws from a seeded generator. Nothing secret may depend on them.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Xoshiro256++ with the few distributions that made-up data needs.
#[derive(Clone, Debug)]
pub(super) struct Random(Xoshiro256PlusPlus);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// A stream of its own for each `number` under one seed.
    pub(super) fn numbered(seed: u64, number: u64) -> Self {
        Random::new(seed ^ number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Uniform in [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in 0..`n`; the bias is below n / 2⁶⁴.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// True with probability `p`.
    pub(super) fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// A waiting time: many short ones, none above three times the `mean`.
    pub(super) fn wait(&mut self, mean: f64) -> f64 {
        let unit = self.unit();
        3.0 * mean * unit * unit
    }

    /// One of `items`, which are not empty.
    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }

    /// A place among `weights` with probability proportional to its weight.
    pub(super) fn weighted(&mut self, weights: impl Iterator<Item = u32> + Clone) -> usize {
        let total: u64 = weights.clone().map(u64::from).sum();
        let mut left = self.below(total.max(1));
        for (place, weight) in weights.enumerate() {
            match left.checked_sub(u64::from(weight)) {
                Some(rest) => left = rest,
                None => return place,
            }
        }
        0
    }

    /// Nearly standard normal, within ±6: the sum of twelve uniforms, which is
    /// the same on every machine.
    pub(super) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_have_the_moments_they_should_have() {
        let mut random = Random::new(7);
        let n = 100_000;
        let normals: Vec<f64> = (0..n).map(|_| random.normal()).collect();
        let mean = normals.iter().sum::<f64>() / f64::from(n);
        let variance = normals.iter().map(|x| x * x).sum::<f64>() / f64::from(n);
        assert!(
            mean.abs() < 0.02 && (variance - 1.0).abs() < 0.02,
            "{mean} {variance}"
        );
        let mut counts = [0; 3];
        for _ in 0..n {
            counts[random.weighted([1, 0, 3].into_iter())] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((f64::from(counts[0]) / f64::from(n) - 0.25).abs() < 0.01);
        assert!((0..1000).all(|_| random.below(7) < 7));
        let waits = (0..n).map(|_| random.wait(20.0)).sum::<f64>() / f64::from(n);
        assert!((waits - 20.0).abs() < 0.2, "{waits}");
        let hits = (0..n).filter(|_| random.chance(0.3)).count() as f64 / f64::from(n);
        assert!((hits - 0.3).abs() < 0.01, "{hits}");
    }
}
