//! Beta-likeness and delta-disclosure of one class: how its shares differ from those of the
//! whole release, value by value.
//!
//! Beta-likeness is after Cao and Karras, "Publishing microdata with a robust privacy guarantee"
//! (2012), delta-disclosure after Brickell and Shmatikov, "The cost of privacy" (2008). Missing is
//! a value of its own, as for t-closeness with equal distance. The papers compare with the
//! original table; here it is the release, which is all that its reader sees.

use super::diversity::TOLERANCE;
use super::worst::Judged;
use super::{Absence, BetaLikeness, DeltaDisclosure, Likeness};

/// The shares of the values in the whole release.
pub(super) struct Shares {
    /// Of each code; the last one is that of missing values.
    shares: Vec<f64>,
    /// How many of them are above 0.
    held: usize,
}

impl Shares {
    /// `totals` counts each code, and missing values last.
    pub(super) fn new(totals: &[u64]) -> Self {
        let all: u64 = totals.iter().sum();
        Shares {
            shares: totals.iter().map(|&n| n as f64 / all as f64).collect(),
            held: totals.iter().filter(|&&n| n > 0).count(),
        }
    }

    /// The largest relative gain of a value of the class, given as counts of codes.
    pub(super) fn gain(&self, beta: &BetaLikeness, class: &[(u32, u32)]) -> Judged {
        let mut judged = Judged {
            figure: 0.0,
            holds: true,
        };
        for (here, whole) in self.beside(class) {
            let gain = here / whole - 1.0;
            let most = match beta.kind {
                Likeness::Basic => beta.beta,
                Likeness::Enhanced => beta.beta.min((1.0 / whole).ln()),
            };
            judged.figure = judged.figure.max(gain);
            judged.holds &= gain <= most + TOLERANCE * (1.0 + most);
        }
        judged
    }

    /// By how many doublings a value is more or less frequent in the class than in the whole,
    /// at most.
    pub(super) fn doublings(&self, delta: &DeltaDisclosure, class: &[(u32, u32)]) -> Judged {
        let ratios = self.beside(class).map(|(here, whole)| here / whole);
        let largest = ratios.map(|ratio| ratio.log2().abs()).fold(0.0, f64::max);
        let figure = match delta.absent {
            Absence::Infinite if class.len() < self.held => f64::INFINITY,
            _ => largest,
        };
        Judged {
            figure,
            // Equality fails, so rounding must not let it pass.
            holds: figure < delta.delta - TOLERANCE,
        }
    }

    /// The share of each value of the class there and in the whole.
    fn beside<'a>(&'a self, class: &'a [(u32, u32)]) -> impl Iterator<Item = (f64, f64)> + 'a {
        let total: f64 = class.iter().map(|&(_, n)| f64::from(n)).sum();
        class.iter().map(move |&(code, n)| {
            let place = (code as usize).min(self.shares.len() - 1);
            (f64::from(n) / total, self.shares[place])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MISSING;

    fn beta(beta: f64, kind: Likeness) -> BetaLikeness {
        let column = "s".to_owned();
        BetaLikeness { column, beta, kind }
    }

    fn delta(absent: Absence) -> DeltaDisclosure {
        DeltaDisclosure {
            column: "s".to_owned(),
            delta: 1.0,
            absent,
        }
    }

    /// Eight diagnoses: flu 5, hiv 2, ulcer 1; classes by age, and women of twenty to twenty-nine.
    #[test]
    fn figures_of_the_worked_example() {
        let shares = Shares::new(&[5, 2, 1, 0]);
        let basic = beta(1.0, Likeness::Basic);
        let twenties = [(0, 3), (1, 1)];
        let thirties = [(0, 2), (1, 1), (2, 1)];
        let women = [(0, 2)];
        let close = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-4, "{found} {expected}");
        };
        close(shares.gain(&basic, &twenties).figure, 0.2);
        close(shares.gain(&basic, &thirties).figure, 1.0);
        close(shares.gain(&basic, &women).figure, 0.6);
        close(
            shares.doublings(&delta(Absence::Ignore), &twenties).figure,
            0.2630,
        );
        for absent in [Absence::Ignore, Absence::Infinite] {
            let found = shares.doublings(&delta(absent), &thirties);
            close(found.figure, 1.0);
            assert!(!found.holds, "at the bound");
        }
        let strict = shares.doublings(&delta(Absence::Infinite), &twenties);
        assert_eq!((strict.figure, strict.holds), (f64::INFINITY, false));
        assert!(shares.gain(&basic, &women).holds);
        // 0.6 > −ln(5/8) = 0.47.
        assert!(!shares.gain(&beta(1.0, Likeness::Enhanced), &women).holds);
    }

    #[test]
    fn a_missing_value_is_a_value_of_its_own() {
        let shares = Shares::new(&[2, 2]);
        let found = shares.gain(&beta(1.0, Likeness::Basic), &[(0, 1), (MISSING, 3)]);
        assert!((found.figure - 0.5).abs() < 1e-12);
        let found = shares.doublings(&delta(Absence::Infinite), &[(MISSING, 2)]);
        assert_eq!(found.figure, f64::INFINITY);
    }
}
