//! Noise on ordered categories: so many steps up or down, inside the order.
//!
//! The step is normal or Laplace noise rounded to a whole number. What would go beyond the first or
//! the last category goes as far back inside, as if the end were a mirror: so no category is out of
//! reach, and those at the ends, which stand out, change as often as all others.

use super::Kind;
use crate::data::Attribute;
use rand_distr::{Distribution, Exp1, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

/// How ordered categories of a column are changed.
pub(super) struct Ordered {
    amount: Amount,
    /// How many categories there are, as far as that is known.
    levels: usize,
}

/// The standard deviation of the noise before it is rounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Amount {
    /// In steps from one category to the next.
    Steps(f64),
    /// As a share of the number of categories.
    Share(f64),
}

impl Ordered {
    pub(super) fn new(amount: Amount) -> Self {
        Ordered { amount, levels: 0 }
    }

    pub(super) fn know(&mut self, attribute: Attribute) {
        if let Attribute::Ordinal { levels } = attribute {
            self.levels = self.levels.max(levels);
        }
    }

    /// A category of a row, which is one of all.
    pub(super) fn observe(&mut self, code: f64) {
        if !code.is_nan() {
            self.levels = self.levels.max(code as usize + 1);
        }
    }

    /// What a category becomes; missing stays missing.
    pub(super) fn noisy(&self, code: f64, kind: Kind, generator: &mut Xoshiro256PlusPlus) -> f64 {
        let deviation = match self.amount {
            Amount::Steps(steps) => steps,
            Amount::Share(share) => share * self.levels as f64,
        };
        let steps = deviation * standard(kind, generator);
        if code.is_nan() {
            return code;
        }
        reflected(code + steps.round(), self.levels)
    }
}

/// Noise of mean 0 and standard deviation 1; what kinds of noise on numbers multiply by or have in
/// common means nothing for ranks.
fn standard(kind: Kind, generator: &mut Xoshiro256PlusPlus) -> f64 {
    match kind {
        Kind::Laplace => {
            let one: f64 = Exp1.sample(generator);
            let other: f64 = Exp1.sample(generator);
            (one - other) * std::f64::consts::FRAC_1_SQRT_2
        }
        _ => StandardNormal.sample(generator),
    }
}

/// The place between 0 and `levels` − 1 where a whole number ends up between two mirrors there.
fn reflected(place: f64, levels: usize) -> f64 {
    let last = levels.saturating_sub(1) as f64;
    if last == 0.0 {
        return 0.0;
    }
    let round = place.rem_euclid(2.0 * last);
    round.min(2.0 * last - round)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand_core::SeedableRng;

    /// One step after the other, turning round at the ends.
    fn walked(start: i64, steps: i64, levels: i64) -> i64 {
        let (mut place, mut way) = (start, steps.signum());
        for _ in 0..steps.abs() {
            if levels > 1 && !(0..levels).contains(&(place + way)) {
                way = -way;
            }
            if levels > 1 {
                place += way;
            }
        }
        place
    }

    proptest! {
        #[test]
        fn steps_turn_round_at_the_ends(levels in 1..9_i64, start in 0..9_i64, steps in -40..40_i64) {
            let start = start % levels;
            let found = reflected((start + steps) as f64, levels as usize);
            prop_assert_eq!(found, walked(start, steps, levels) as f64);
        }
    }

    /// The chance that a standard normal number is below this, by the series of its integral.
    fn below(x: f64) -> f64 {
        let (mut term, mut sum) = (x, x);
        for n in 1..200 {
            term *= x * x / f64::from(2 * n + 1);
            sum += term;
        }
        0.5 + sum * (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt()
    }

    #[test]
    fn categories_change_as_often_as_the_normal_distribution_says() {
        let rows = 40_000;
        for (amount, deviation) in [(Amount::Steps(1.0), 1.0), (Amount::Share(0.2), 0.8)] {
            let mut ordered = Ordered::new(amount);
            ordered.know(Attribute::Ordinal { levels: 4 });
            for code in 0..4_i64 {
                let mut expected = [0.0; 4];
                for steps in -6..=6_i64 {
                    let edge = |half: f64| below((steps as f64 + half) / deviation);
                    expected[walked(code, steps, 4) as usize] += edge(0.5) - edge(-0.5);
                }
                let mut generator = Xoshiro256PlusPlus::seed_from_u64(5);
                let mut found = [0.0; 4];
                for _ in 0..rows {
                    let noisy = ordered.noisy(code as f64, Kind::Uncorrelated, &mut generator);
                    found[noisy as usize] += 1.0 / f64::from(rows);
                }
                for (found, expected) in found.iter().zip(expected) {
                    let deviation = (expected * (1.0 - expected) / f64::from(rows)).sqrt();
                    assert!(
                        (found - expected).abs() < 5.0 * deviation + 1e-9,
                        "{code}: {found} {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn missing_stays_missing_and_the_only_category_itself() {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut ordered = Ordered::new(Amount::Steps(3.0));
        ordered.observe(0.0);
        ordered.observe(f64::NAN);
        for kind in [Kind::Laplace, Kind::Multiplicative] {
            assert_eq!(ordered.noisy(0.0, kind, &mut generator), 0.0);
            assert!(ordered.noisy(f64::NAN, kind, &mut generator).is_nan());
        }
    }
}
