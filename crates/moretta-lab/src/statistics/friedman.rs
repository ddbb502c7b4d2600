//! The Friedman test: could the average ranks of methods be chance?

use super::beta::f_tail;
use super::gamma::chi_square_tail;

/// Friedman's χ² and the F of Iman and Davenport, which is less conservative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Friedman {
    pub(crate) chi_square: f64,
    /// How probable a larger χ² is if methods do not differ.
    pub(crate) chi_square_p: f64,
    pub(crate) f: f64,
    /// How probable a larger F is if methods do not differ.
    pub(crate) f_p: f64,
}

impl Friedman {
    /// Of average ranks over so many data sets; none with fewer than two of either.
    /// Ties are not corrected for, as in Demšar's paper.
    pub(crate) fn of(ranks: &[f64], data_sets: usize) -> Option<Self> {
        if ranks.len() < 2 || data_sets < 2 {
            return None;
        }
        let (k, n) = (ranks.len() as f64, data_sets as f64);
        let squares: f64 = ranks.iter().map(|rank| rank * rank).sum();
        let spread = squares - k * (k + 1.0) * (k + 1.0) / 4.0;
        // Rounding may leave a little less than nothing.
        let chi_square = (12.0 * n / (k * (k + 1.0)) * spread).max(0.0);
        let most = n * (k - 1.0);
        // Ranks that are the same everywhere leave nothing to divide by.
        let f = match chi_square < most * (1.0 - 1e-12) {
            true => (n - 1.0) * chi_square / (most - chi_square),
            false => f64::INFINITY,
        };
        Some(Friedman {
            chi_square,
            chi_square_p: chi_square_tail(chi_square, k - 1.0),
            f,
            f_p: f_tail(f, [k - 1.0, (k - 1.0) * (n - 1.0)]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example_of_demsar_comes_out() {
        let test = Friedman::of(&[3.143, 2.000, 2.893, 1.964], 14).expect("enough");
        assert!((test.chi_square - 9.28).abs() < 0.005, "{test:?}");
        assert!((test.f - 3.69).abs() < 0.005, "{test:?}");
        // F(3, 39) is 2.85 at 0.05 and 4.33 at 0.01; χ²(3) 7.81 and 11.34.
        assert!(test.f_p < 0.05 && test.f_p > 0.01, "{test:?}");
        assert!(
            test.chi_square_p < 0.05 && test.chi_square_p > 0.01,
            "{test:?}"
        );
    }

    #[test]
    fn equal_ranks_are_chance_and_the_same_ranks_everywhere_are_not() {
        let equal = Friedman::of(&[2.0, 2.0, 2.0], 5).expect("enough");
        assert_eq!((equal.chi_square, equal.f), (0.0, 0.0));
        assert_eq!((equal.chi_square_p, equal.f_p), (1.0, 1.0));
        let same = Friedman::of(&[1.0, 2.0, 3.0], 5).expect("enough");
        assert_eq!(
            (same.chi_square, same.f, same.f_p),
            (10.0, f64::INFINITY, 0.0)
        );
        assert_eq!(Friedman::of(&[1.0], 5), None);
        assert_eq!(Friedman::of(&[1.0, 2.0], 1), None);
    }
}
