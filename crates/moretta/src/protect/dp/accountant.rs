//! The accountant: adds up what releases cost and refuses the one that costs too much.
//!
//! A [`Loss`] is kept in two currencies at once, because neither is always the
//! better one: (ε, δ), whose sums bound the whole (Dwork and Roth, Theorem
//! 3.16), and ρ of zero-concentrated privacy, which adds up too and gives
//! ε = ρ + 2√(ρ ln(1/δ)) for any δ (Bun and Steinke, Concentrated differential
//! privacy, 2016). A release is allowed if either way stays within the budget.
//!
//! Which releases are added up is the [`Scope`]: what the budget protects.

use super::Epsilon;
use crate::error::{Error, Result};
use std::collections::VecDeque;

/// What a release reveals of a record at most.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loss {
    epsilon: Epsilon,
    delta: f64,
    rho: f64,
}

impl Loss {
    /// The loss of a mechanism with pure ε, which is (ε²/2)-zCDP.
    pub fn pure(epsilon: Epsilon) -> Self {
        Loss {
            epsilon,
            delta: 0.0,
            rho: epsilon.value() * epsilon.value() / 2.0,
        }
    }

    /// The loss of a Gaussian mechanism that is both (ε, δ) and ρ-zCDP.
    pub fn gaussian(epsilon: Epsilon, delta: f64, rho: f64) -> Self {
        Loss {
            epsilon,
            delta,
            rho,
        }
    }

    /// Both losses on the same record.
    pub fn plus(self, other: Self) -> Self {
        Loss {
            epsilon: self.epsilon.plus(other.epsilon),
            delta: self.delta + other.delta,
            rho: self.rho + other.rho,
        }
    }

    /// ε by simple addition.
    pub fn epsilon(&self) -> Epsilon {
        self.epsilon
    }

    /// δ by simple addition.
    pub fn delta(&self) -> f64 {
        self.delta
    }

    fn is_within(&self, budget: &Budget) -> bool {
        // Sums of decimal fractions are off by a few last bits.
        let slack = 1.0 + 1e-12;
        let plain = self.epsilon <= budget.epsilon && self.delta <= budget.delta * slack;
        plain || self.rho <= rho_of(budget.epsilon, budget.delta)
    }
}

/// The largest ρ of which ρ-zCDP gives (ε, δ); 0 for δ = 0.
///
/// √ρ = √(L + ε) − √L for L = ln(1/δ), written without the difference.
pub(super) fn rho_of(epsilon: Epsilon, delta: f64) -> f64 {
    if delta <= 0.0 {
        return 0.0;
    }
    let log = -delta.ln();
    let root = epsilon.value() / ((log + epsilon.value()).sqrt() + log.sqrt());
    root * root * (1.0 - 1e-12)
}

/// What may be lost in all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// ε.
    pub epsilon: Epsilon,
    /// δ, 0 for pure differential privacy.
    pub delta: f64,
}

/// Which releases share one budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Each release is about other records, so each may spend the whole budget: one event is protected.
    Event,
    /// Any so many successive releases share it: whoever has one record in each of
    /// them is protected (w-event privacy, Kellaris and others, VLDB 2014).
    Windows(usize),
    /// All releases share it, whoever is in them.
    Stream,
}

/// Keeps to a budget.
#[derive(Clone, Debug)]
pub struct Accountant {
    budget: Budget,
    scope: Scope,
    /// The losses that still count, the latest last.
    recent: VecDeque<Loss>,
    spent: Loss,
}

impl Accountant {
    /// Nothing spent yet.
    pub fn new(budget: Budget, scope: Scope) -> Self {
        Accountant {
            budget,
            scope,
            recent: VecDeque::new(),
            spent: Loss::default(),
        }
    }

    /// Spends `loss` before a release, or refuses and spends nothing.
    pub fn spend(&mut self, loss: Loss) -> Result<()> {
        let together = self.counted().plus(loss);
        if !together.is_within(&self.budget) {
            return Err(self.refusal(loss));
        }
        match self.scope {
            Scope::Event => {}
            Scope::Stream => self.spent = together,
            Scope::Windows(w) => {
                self.recent.push_back(loss);
                while self.recent.len() >= w.max(1) {
                    self.recent.pop_front();
                }
            }
        }
        Ok(())
    }

    /// What is added to the next loss.
    fn counted(&self) -> Loss {
        match self.scope {
            Scope::Event => Loss::default(),
            Scope::Stream => self.spent,
            Scope::Windows(_) => self
                .recent
                .iter()
                .fold(Loss::default(), |sum, &loss| sum.plus(loss)),
        }
    }

    fn refusal(&self, loss: Loss) -> Error {
        let show = |epsilon: Epsilon, delta: f64| match delta > 0.0 {
            true => format!("ε = {}, δ = {delta:e}", epsilon.value()),
            false => format!("ε = {}", epsilon.value()),
        };
        let spent = self.counted();
        Error::budget(format!(
            "the privacy budget ({}) is spent: {} is used and the next release needs {}",
            show(self.budget.epsilon, self.budget.delta),
            show(spent.epsilon, spent.delta),
            show(loss.epsilon, loss.delta),
        ))
        .help("release less, spend less on each release, or argue for a larger budget")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn epsilon(value: f64) -> Epsilon {
        Epsilon::new(value).expect("in range")
    }

    fn accountant(scope: Scope) -> Accountant {
        let budget = Budget {
            epsilon: epsilon(1.0),
            delta: 0.0,
        };
        Accountant::new(budget, scope)
    }

    fn pure(value: f64) -> Loss {
        Loss::pure(epsilon(value))
    }

    #[test]
    fn a_stream_spends_its_budget_to_the_last_bit_and_not_one_more() {
        let mut accountant = accountant(Scope::Stream);
        for _ in 0..8 {
            accountant.spend(pure(0.125)).expect("within");
        }
        let error = accountant.spend(pure(Epsilon::LEAST)).expect_err("spent");
        assert_eq!(error.exit_code(), 7);
        assert!(
            error
                .to_string()
                .starts_with("the privacy budget (ε = 1) is spent: ε = 1 is used")
        );
    }

    #[test]
    fn one_event_is_in_one_release_only() {
        let mut accountant = accountant(Scope::Event);
        for _ in 0..100 {
            accountant.spend(pure(1.0)).expect("within");
        }
        assert!(accountant.spend(pure(1.001)).is_err());
    }

    #[test]
    fn concentrated_losses_of_many_gaussians_add_up_to_less() {
        let budget = Budget {
            epsilon: epsilon(1.0),
            delta: 1e-6,
        };
        let each = Loss::gaussian(epsilon(0.1), 1e-6, rho_of(epsilon(0.1), 1e-6));
        let mut accountant = Accountant::new(budget, Scope::Stream);
        let releases = (0..1000)
            .take_while(|_| accountant.spend(each).is_ok())
            .count();
        // By simple addition there would be one, since δ is used up.
        assert!((90..110).contains(&releases), "{releases}");
    }

    #[test]
    fn concentrated_budgets_are_those_of_the_formula() {
        for (value, delta) in [(0.1, 1e-5), (1.0, 1e-6), (8.0, 1e-9)] {
            let rho = rho_of(epsilon(value), delta);
            let back = rho + 2.0 * (rho * -f64::ln(delta)).sqrt();
            assert!(
                (back - value).abs() < 1e-9 && back <= value + 1e-15,
                "{back}"
            );
        }
    }

    proptest! {
        #[test]
        fn no_w_successive_releases_exceed_the_budget(
            wishes in prop::collection::vec(0.001f64..0.7, 1..60), w in 1usize..8,
        ) {
            let mut accountant = accountant(Scope::Windows(w));
            let mut allowed: Vec<f64> = Vec::new();
            for wish in wishes {
                let from = allowed.len().saturating_sub(w - 1);
                let used: f64 = allowed[from..].iter().sum();
                let fits = accountant.spend(pure(wish)).is_ok();
                // Away from the rounding of ε to its unit, it is refused exactly when it must be.
                if (used + wish - 1.0).abs() > 1e-6 {
                    prop_assert_eq!(fits, used + wish <= 1.0);
                }
                if fits {
                    allowed.push(epsilon(wish).value());
                }
                for window in allowed.windows(w) {
                    prop_assert!(window.iter().sum::<f64>() <= 1.0 + 1e-12);
                }
            }
        }

        #[test]
        fn a_stream_never_exceeds_its_budget(wishes in prop::collection::vec(0.001f64..0.7, 1..60)) {
            let mut accountant = accountant(Scope::Stream);
            let allowed: f64 = wishes
                .into_iter()
                .filter(|&wish| accountant.spend(pure(wish)).is_ok())
                .map(|wish| epsilon(wish).value())
                .sum();
            prop_assert!(allowed <= 1.0 + 1e-12);
        }
    }
}
