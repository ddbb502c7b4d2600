//! Coins whose probability is a fraction p/q or e⁻ˣ of a fraction x, without any error.
//!
//! e⁻ˣ after Canonne, Kamath and Steinke 2020, Algorithm 1, which is von
//! Neumann's: for x ≤ 1 the number of successes in a row of coins x/1, x/2,
//! x/3, … is even with probability 1 − x + x²/2! − … = e⁻ˣ.

use crate::protect::dp::Entropy;

/// True with probability numerator / denominator; one or more is always true.
pub fn bernoulli(entropy: &mut Entropy, numerator: u128, denominator: u128) -> bool {
    entropy.below_wide(denominator) < numerator
}

/// True with probability e⁻ˣ for x = numerator / denominator; denominator below 2¹²⁰.
pub fn bernoulli_exp(entropy: &mut Entropy, numerator: u128, denominator: u128) -> bool {
    debug_assert!(denominator < 1 << 120);
    let whole = numerator / denominator;
    // Each step goes on with probability 1/e, so a large `whole` costs no more than a small one.
    (0..whole).all(|_| at_most_one(entropy, 1, 1))
        && at_most_one(entropy, numerator % denominator, denominator)
}

/// The same for x ≤ 1.
fn at_most_one(entropy: &mut Entropy, numerator: u128, denominator: u128) -> bool {
    let mut successes = 0;
    // After 255 successes in a row, of probability below 2⁻¹⁶⁰⁰, the sun has gone out.
    while successes < 255 && bernoulli(entropy, numerator, denominator * (successes + 1)) {
        successes += 1;
    }
    successes % 2 == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protect::dp::acceptance::{accepts, rejects, tally};

    #[test]
    fn coins_have_the_probability_they_claim() {
        let mut entropy = Entropy::fixed(1);
        for (a, b) in [(0, 3), (1, 3), (2, 3), (3, 3), (1 << 90, 3 << 90)] {
            let p = a as f64 / b as f64;
            let counts = tally(2, 50_000, || bernoulli(&mut entropy, a, b).into());
            accepts(&counts, &[1.0 - p, p]);
        }
        for (a, b) in [(0, 1), (1, 1), (1, 10), (1, 2), (5, 2), (7 << 90, 3 << 90)] {
            let p = (-(a as f64) / b as f64).exp();
            let counts = tally(2, 50_000, || bernoulli_exp(&mut entropy, a, b).into());
            accepts(&counts, &[1.0 - p, p]);
        }
    }

    #[test]
    fn an_exponential_coin_with_odd_and_even_mixed_up_is_rejected() {
        let mut entropy = Entropy::fixed(2);
        let p = (-0.5f64).exp();
        let counts = tally(2, 50_000, || (!bernoulli_exp(&mut entropy, 1, 2)).into());
        rejects(&counts, &[1.0 - p, p]);
    }
}
