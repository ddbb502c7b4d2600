//! Uniform draws, whatever makes them.

use super::java_random::JavaRandom;
use rand_core::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Makes numbers that are uniform in [0, 1).
pub trait Uniform: Send {
    /// The next number.
    fn draw(&mut self) -> f64;
}

impl Uniform for Xoshiro256PlusPlus {
    #[inline]
    fn draw(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }
}

impl Uniform for JavaRandom {
    #[inline]
    fn draw(&mut self) -> f64 {
        self.next_double()
    }
}

/// A number from 1 to `choices`, uniform if `u` is; as java.util.Random users do it.
#[inline]
pub fn step(u: f64, choices: usize) -> usize {
    let step = (u / (1.0 / choices as f64) + 1.0) as usize;
    // The quotient may be rounded up to `choices`.
    step.min(choices)
}

/// A number below `end`, each with exactly the same chance; 0 where `end` is 0.
#[inline]
pub fn below(generator: &mut impl Rng, end: u64) -> u64 {
    // The product of a draw and `end` falls into `end` ranges of 2⁶⁴; the first draws of each,
    // 2⁶⁴ modulo `end` of them, are one too many for some ranges and are drawn again.
    let mut product = u128::from(generator.next_u64()) * u128::from(end);
    if (product as u64) < end {
        let surplus = end.wrapping_neg() % end;
        while (product as u64) < surplus {
            product = u128::from(generator.next_u64()) * u128::from(end);
        }
    }
    (product >> 64) as u64
}

/// Puts items in a random order, all orders alike.
pub fn shuffle<T>(items: &mut [T], generator: &mut impl Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(generator, last as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;

    #[test]
    fn steps_are_uniform_and_never_too_far() {
        let last = 1.0 - f64::EPSILON / 2.0;
        for choices in 1..5000 {
            assert_eq!(step(0.0, choices), 1);
            assert_eq!(step(last, choices), choices);
        }
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut counts = [0_i32; 7];
        for _ in 0..70_000 {
            counts[step(generator.draw(), 7) - 1] += 1;
        }
        // Five standard deviations of a count.
        assert!(
            counts.iter().all(|count| (count - 10_000).abs() < 465),
            "{counts:?}"
        );
    }
    #[test]
    fn numbers_below_an_end_are_all_alike_whatever_the_end() {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(2);
        for end in [1, 2, 3, 7, 1 << 32, (1 << 63) + 1, u64::MAX] {
            let draws = (0..2000).map(|_| below(&mut generator, end));
            let draws: Vec<u64> = draws.collect();
            assert!(draws.iter().all(|&draw| draw < end), "{end}");
            // Of an end just above half of all numbers, a plain remainder would favour the lower
            // half two to one. Five standard deviations.
            let low = draws.iter().filter(|&&draw| draw < end / 2).count();
            let share = (end / 2) as f64 / end as f64;
            assert!((low as f64 - 2000.0 * share).abs() < 112.0, "{end}: {low}");
        }
        assert_eq!(below(&mut generator, 0), 0);
    }

    #[test]
    fn every_order_is_as_likely() {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(3);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let mut items = [0, 1, 2, 3];
            shuffle(&mut items, &mut generator);
            *counts.entry(items).or_insert(0_i32) += 1;
        }
        assert_eq!(counts.len(), 24);
        // Five standard deviations of a count.
        assert!(
            counts.values().all(|count| (count - 1000).abs() < 155),
            "{counts:?}"
        );
    }
}
