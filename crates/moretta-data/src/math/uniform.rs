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
}
