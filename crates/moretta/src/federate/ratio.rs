//! Shares as two whole numbers, and whether a record is troublesome by them.
//!
//! A source forwards a record iff its rank q is below TF/(r·L). Ties are frequent, since q is a
//! count over a count, and a quotient of doubles falls on either side of them. So everything
//! that enters stays a pair of integers, and both sides are multiplied out.

/// A share that is not negative: `over` is 0 in no share that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// What is divided.
    pub part: u32,
    /// What it is divided by.
    pub over: u32,
}

impl Ratio {
    /// Nothing is left out.
    pub const ONE: Ratio = Ratio { part: 1, over: 1 };

    /// A share.
    pub fn new(part: u32, over: u32) -> Self {
        Ratio { part, over }
    }

    /// The nearest share of a double between 0 and 2^31, to a millionth where it is small.
    pub fn near(value: f64) -> Self {
        let over = match value {
            v if v < 2000.0 => 1_000_000,
            v if v < 2_000_000.0 => 1_000,
            _ => 1,
        };
        let part = (value * f64::from(over))
            .round()
            .clamp(0.0, f64::from(u32::MAX)) as u32;
        Ratio { part, over }.reduced()
    }

    /// The share as a double; 0 of nothing.
    pub fn value(self) -> f64 {
        match self.over {
            0 => 0.0,
            over => f64::from(self.part) / f64::from(over),
        }
    }

    fn reduced(self) -> Self {
        let (mut a, mut b) = (self.part, self.over);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        match a {
            0 => self,
            common => Ratio::new(self.part / common, self.over / common),
        }
    }
}

/// How a confidence stands in its window: `at_most` of the `size` are not above it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rank {
    /// Confidences of the window that are at most this one, itself included.
    pub at_most: u32,
    /// Confidences in the window.
    pub size: u32,
}

/// How much of the stream a source answers, r: agreement a and TF/L of a trouble node, capped at
/// 1; both are 1 at a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    agreement: Ratio,
    factor: Ratio,
    length: u64,
}

impl Reach {
    /// That of a site, which answers every record.
    pub(super) const SITE: Reach = Reach {
        agreement: Ratio::ONE,
        factor: Ratio::ONE,
        length: 1,
    };

    /// That of a trouble node.
    pub(super) fn of_node(agreement: Ratio, factor: Ratio, length: u64) -> Self {
        Reach {
            agreement,
            factor,
            length,
        }
    }

    /// r as a fraction.
    fn parts(self) -> (u128, u128) {
        let (part, over) = (u128::from(self.factor.part), u128::from(self.factor.over));
        let long = over * u128::from(self.length);
        let (a, b) = (
            u128::from(self.agreement.part),
            u128::from(self.agreement.over),
        );
        match part < long {
            true => (a * part, b * long),
            false => (a, b),
        }
    }
}

/// Whether a record of this rank is forwarded: q < TF/(r·L). Where r·L is 0 the threshold is 1.
pub(super) fn is_troubled(rank: Rank, factor: Ratio, reach: Reach, length: u64) -> bool {
    let (part, over) = reach.parts();
    if part == 0 || length == 0 {
        return rank.at_most < rank.size;
    }
    let left = u128::from(rank.at_most) * part * u128::from(length);
    let right = u128::from(rank.size) * over;
    // Each side stays below 2^127: counts and lengths are below 2^32, shares below 2^64.
    left.saturating_mul(u128::from(factor.over)) < right.saturating_mul(u128::from(factor.part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_are_not_troubled() {
        let check = |at_most, size, factor: Ratio, length, expected| {
            let rank = Rank { at_most, size };
            let found = is_troubled(rank, factor, Reach::SITE, length);
            assert_eq!(found, expected, "{at_most}/{size} {factor:?} {length}");
        };
        check(1, 2, Ratio::new(1, 1), 2, false);
        check(499, 1000, Ratio::new(1, 1), 2, true);
        check(1, 3, Ratio::new(1, 1), 3, false);
        check(1, 1, Ratio::new(3, 2), 1, true);
        check(1, 1, Ratio::new(1, 1), 1, false);
        check(3, 4, Ratio::new(3, 2), 2, false);
    }

    #[test]
    fn a_node_forwards_more_of_what_it_answers() {
        let rank = Rank {
            at_most: 1,
            size: 1,
        };
        let rare = Reach::of_node(Ratio::new(1, 4), Ratio::ONE, 2);
        assert!(is_troubled(rank, Ratio::ONE, rare, 3), "1 < 1/(1/8 · 3)");
        let often = Reach::of_node(Ratio::ONE, Ratio::new(9, 1), 2);
        assert!(!is_troubled(rank, Ratio::ONE, often, 3), "the cap is 1");
        let never = Reach::of_node(Ratio::new(0, 7), Ratio::ONE, 2);
        assert!(
            !is_troubled(rank, Ratio::ONE, never, 3),
            "the threshold is 1"
        );
    }

    #[test]
    fn doubles_become_near_shares() {
        assert_eq!(Ratio::near(1.5), Ratio::new(3, 2));
        assert_eq!(Ratio::near(0.0).value(), 0.0);
        assert_eq!(Ratio::near(4096.0), Ratio::new(4096, 1));
        assert!((Ratio::near(0.123_456).value() - 0.123_456).abs() < 1e-6);
    }
}
