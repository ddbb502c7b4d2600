//! Cuts that are refused by chance, though they are allowed.
//!
//! Where a method cuts whenever it may, a class that was not cut tells that no cut was allowed, and
//! so how its rows lie: see `attack::table::downcoding`. If each allowed cut is refused with
//! probability r, what would be excluded keeps the weight r.
//!
//! The draw is a function of the seed and of the set of rows, so that it does not depend on
//! threads. It is a secret as long as the seed is.

use foldhash::fast::FixedState;
use std::hash::{BuildHasher, Hash};

/// How often, and by which seed, allowed cuts are refused.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Refusal {
    /// The probability.
    pub(super) share: f64,
    /// What the draws follow from.
    pub(super) seed: u64,
}

impl Refusal {
    /// Whether a cut along this axis of a set of rows, told by what it is, is refused.
    pub(super) fn refuses(&self, axis: usize, set: impl Hash) -> bool {
        if self.share <= 0.0 {
            return false;
        }
        let state = FixedState::with_seed(self.seed);
        // Hashed twice, since the first has only so many bits that all depend on all others.
        let drawn = state.hash_one(state.hash_one((axis, set)));
        (drawn >> 11) as f64 / (1_u64 << 53) as f64 <= self.share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_refused_as_asked_for() {
        for share in [0.0, 0.1, 0.5] {
            let refusal = Refusal { share, seed: 7 };
            let refused = (0..20_000_u32).filter(|&set| refusal.refuses(1, [set, set + 3]));
            let found = refused.count() as f64 / 20_000.0;
            assert!((found - share).abs() < 0.012, "{share}: {found}");
        }
    }

    #[test]
    fn axes_and_seeds_are_drawn_apart() {
        let of = |seed, axis| -> Vec<bool> {
            let refusal = Refusal { share: 0.5, seed };
            (0..64_u32).map(|set| refusal.refuses(axis, set)).collect()
        };
        assert_eq!(of(1, 0), of(1, 0));
        assert!(of(1, 0) != of(1, 1) && of(1, 0) != of(2, 0));
    }
}
