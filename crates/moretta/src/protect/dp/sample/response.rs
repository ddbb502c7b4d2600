//! k-ary randomised response: the true category with probability p, else another one.
//!
//! With p = e^ε / (e^ε + k − 1) it is ε-differentially private for the person who
//! answers; k = 2 is Warner's randomised response of 1965, any k is in Kairouz,
//! Bonawitz and Ramage, Discrete distribution estimation under local privacy,
//! 2016. Here p is a whole multiple of 2⁻⁶⁴, rounded down, so that the odds of
//! two answers differ by a factor of at most e^ε, exactly.

use super::Ratio;
use super::fixed_point::{exp_negative, quotient};
use crate::protect::dp::Entropy;

/// A sampler of answers among k categories.
#[derive(Clone, Debug)]
pub struct KaryResponse {
    categories: u32,
    /// 2⁶⁴ times the probability of the truth.
    truth: u64,
}

impl KaryResponse {
    /// The largest number of categories.
    pub const MOST: u32 = 1 << 16;

    /// Answers among `categories`, from 2 to 65 536, at the given ε below 256.
    pub fn new(categories: u32, epsilon: Ratio) -> Option<Self> {
        let too_large = epsilon.numerator() / epsilon.denominator() >= 256;
        if !(2..=Self::MOST).contains(&categories) || too_large {
            return None;
        }
        // Rounded up by more than its error, so that p below is rounded down.
        let power = (exp_negative(epsilon, 0) >> 21) + 2;
        let one = 1 << 107;
        let p = quotient(one, one + u128::from(categories - 1) * power);
        Some(KaryResponse {
            categories,
            truth: (p >> 64) as u64,
        })
    }

    /// The answer of somebody whose category is `truth`.
    pub fn answer(&self, entropy: &mut Entropy, truth: u32) -> u32 {
        if entropy.next_u64() < self.truth {
            return truth;
        }
        let other = entropy.below(self.categories - 1);
        other + u32::from(other >= truth)
    }

    /// The probability of the truth, with which frequencies are estimated from answers.
    pub fn probability_of_truth(&self) -> f64 {
        self.truth as f64 / 2f64.powi(64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protect::dp::acceptance::{accepts, rejects, tally};

    fn response(k: u32, a: u64, b: u64) -> KaryResponse {
        KaryResponse::new(k, Ratio::new(a, b).expect("in range")).expect("valid")
    }

    fn expected(k: u32, truth: u32, epsilon: f64) -> Vec<f64> {
        let total = epsilon.exp() + f64::from(k) - 1.0;
        (0..k)
            .map(|i| if i == truth { epsilon.exp() } else { 1.0 } / total)
            .collect()
    }

    #[test]
    fn answers_have_the_odds_of_the_definition() {
        let mut entropy = Entropy::fixed(1);
        for (k, truth, a, b) in [(2, 0, 1, 1), (2, 1, 3, 1), (3, 1, 1, 10), (10, 9, 2, 1)] {
            let response = response(k, a, b);
            let counts = tally(k as usize, 100_000, || {
                response.answer(&mut entropy, truth) as usize
            });
            accepts(&counts, &expected(k, truth, a as f64 / b as f64));
        }
    }

    #[test]
    fn planted_bugs_are_rejected() {
        let (right, doubled, short) = (response(4, 1, 1), response(4, 2, 1), response(3, 1, 1));
        let planted: [&dyn Fn(&mut Entropy) -> u32; 3] = [
            // Twice ε.
            &|entropy| doubled.answer(entropy, 2),
            // The other answer may be the truth again.
            &|entropy| match entropy.next_u64() < right.truth {
                true => 2,
                false => entropy.below(4),
            },
            // The last category is never drawn.
            &|entropy| short.answer(entropy, 2),
        ];
        for bug in planted {
            let mut entropy = Entropy::fixed(2);
            let counts = tally(4, 50_000, || bug(&mut entropy) as usize);
            rejects(&counts, &expected(4, 2, 1.0));
        }
    }

    #[test]
    fn the_odds_of_two_answers_never_exceed_e_to_epsilon() {
        for k in [2, 3, 10, 1000, KaryResponse::MOST] {
            for (a, b) in [(1, 1000), (1, 10), (1, 1), (5, 1), (20, 1), (200, 1)] {
                let response = response(k, a, b);
                let truth = u128::from(response.truth);
                let lie = ((1 << 64) - truth) as f64 / f64::from(k - 1);
                let loss = (truth as f64 / lie).ln();
                let epsilon = a as f64 / b as f64;
                assert!(loss <= epsilon + 1e-12, "k = {k}, ε = {epsilon}: {loss}");
                // Nothing is wasted while 2⁻⁶⁴ is fine enough.
                assert!(
                    epsilon > 20.0 || loss > epsilon * 0.999,
                    "k = {k}, ε = {epsilon}: {loss}"
                );
            }
        }
    }

    #[test]
    fn what_cannot_be_answered_is_refused() {
        let one = Ratio::new(1, 1).expect("in range");
        let much = Ratio::new(300, 1).expect("in range");
        assert!(KaryResponse::new(1, one).is_none());
        assert!(KaryResponse::new(KaryResponse::MOST + 1, one).is_none());
        assert!(KaryResponse::new(2, much).is_none());
    }
}
