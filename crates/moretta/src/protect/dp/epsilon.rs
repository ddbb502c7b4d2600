//! ε as a whole number of 2⁻³², so that budgets are split and added without rounding.

use super::sample::Ratio;
use crate::config::{Accepts, Placed};
use crate::error::{Error, Result};

const UNIT: f64 = 4_294_967_296.0;

/// A privacy budget ε from 2⁻²⁰ to 1024 (or what is left of one), in units of 2⁻³².
///
/// A number that is no multiple of the unit is rounded down: more noise, never less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epsilon(u64);

impl Epsilon {
    /// The smallest that can be declared.
    pub const LEAST: f64 = 1.0 / 1_048_576.0;
    /// The largest that can be declared; it protects nothing any more.
    pub const MOST: f64 = 1024.0;

    /// ε, if it lies between [`Epsilon::LEAST`] and [`Epsilon::MOST`].
    pub fn new(epsilon: f64) -> Option<Self> {
        let fits = (Self::LEAST..=Self::MOST).contains(&epsilon);
        fits.then_some(Epsilon((epsilon * UNIT) as u64))
    }

    /// What a policy can give.
    pub(in crate::protect) const ACCEPTED: Accepts = Accepts::Number(Self::LEAST, Self::MOST);

    /// Reads a number of this kind.
    pub(in crate::protect) fn read(placed: &Placed, name: &str) -> Result<Self> {
        Epsilon::new(placed.number(name)?).ok_or_else(|| Error::bug("epsilon is not checked"))
    }

    /// The number.
    pub fn value(self) -> f64 {
        self.0 as f64 / UNIT
    }

    /// One of `n` equal parts, which together are at most the whole.
    pub fn split(self, n: usize) -> Self {
        Epsilon(self.0 / n.max(1) as u64)
    }

    /// Both together.
    pub fn plus(self, other: Self) -> Self {
        Epsilon(self.0.saturating_add(other.0))
    }

    /// The rate γ = ε / sensitivity at which noise on whole numbers may fall off;
    /// none if the noise would be wider than whole numbers of 64 bits hold.
    pub fn per(self, sensitivity: u64) -> Option<Ratio> {
        let scaled = sensitivity.checked_mul(1 << 32)?;
        Ratio::new(self.0, scaled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_never_exceed_the_whole(epsilon in Epsilon::LEAST..Epsilon::MOST, n in 1usize..100) {
            let whole = Epsilon::new(epsilon).expect("in range");
            prop_assert!(whole.value() <= epsilon);
            prop_assert!(whole.value() > epsilon - 1.0 / UNIT);
            let part = whole.split(n);
            let sum = (0..n).fold(Epsilon::default(), |sum, _| sum.plus(part));
            prop_assert!(sum <= whole);
        }
    }

    #[test]
    fn what_is_no_budget_is_refused() {
        for epsilon in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-9, 1025.0] {
            assert_eq!(Epsilon::new(epsilon), None, "{epsilon}");
        }
        assert_eq!(Epsilon::new(1.0).and_then(|e| e.per(u64::MAX)), None);
        assert_eq!(Epsilon::new(0.5).and_then(|e| e.per(3)), Ratio::new(1, 6));
    }
}
