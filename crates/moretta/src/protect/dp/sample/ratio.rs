//! A positive fraction of whole numbers in lowest terms.

/// numerator / denominator, between 2⁻⁴⁸ and 2⁴⁸.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    numerator: u64,
    denominator: u64,
}

impl Ratio {
    /// The fraction, if it is neither too small nor too large.
    pub fn new(numerator: u64, denominator: u64) -> Option<Self> {
        let common = greatest_common_divisor(numerator, denominator);
        if numerator == 0 || denominator == 0 {
            return None;
        }
        let (numerator, denominator) = (numerator / common, denominator / common);
        let fits = |a: u64, b: u64| u128::from(a) <= u128::from(b) << 48;
        let between = fits(numerator, denominator) && fits(denominator, numerator);
        between.then_some(Ratio {
            numerator,
            denominator,
        })
    }

    /// Above the line.
    pub fn numerator(self) -> u64 {
        self.numerator
    }

    /// Below the line.
    pub fn denominator(self) -> u64 {
        self.denominator
    }
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_kept_in_lowest_terms_and_within_bounds() {
        assert_eq!(Ratio::new(6, 4), Ratio::new(3, 2));
        assert_eq!(Ratio::new(0, 1), None);
        assert_eq!(Ratio::new(1, 0), None);
        assert_eq!(Ratio::new(1, u64::MAX), None);
        assert_eq!(Ratio::new(u64::MAX, 1), None);
    }
}
