//! Gray codes: neighbouring numbers differ in one bit, so that flipping one bit can be a small
//! step.

/// The Gray code of a number.
#[inline]
pub fn to_gray(number: u64) -> u64 {
    number ^ (number >> 1)
}

/// The number of a Gray code: each bit is flipped where the sum of those before it is odd.
#[inline]
pub fn from_gray(code: u64) -> u64 {
    let mut number = code;
    for shift in [1, 2, 4, 8, 16, 32] {
        number ^= number >> shift;
    }
    number
}

/// Numbers of an interval as whole steps of equal width, whose Gray codes are genes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fixed {
    low: f64,
    width: f64,
    bits: u32,
}

impl Fixed {
    /// 2^`bits` numbers from `low` to `high`, both included.
    pub fn new(low: f64, high: f64, bits: u32) -> Self {
        let bits = bits.clamp(1, 52);
        let steps = ((1_u64 << bits) - 1) as f64;
        Fixed {
            low,
            width: (high - low) / steps,
            bits,
        }
    }

    /// How many bits a number has.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The Gray code of the step that is nearest to a number.
    pub fn code(&self, number: f64) -> u64 {
        let most = (1_u64 << self.bits) - 1;
        let step = match self.width > 0.0 {
            true => ((number - self.low) / self.width).round(),
            false => 0.0,
        };
        to_gray((step.max(0.0) as u64).min(most))
    }

    /// The number of a Gray code.
    pub fn number(&self, code: u64) -> f64 {
        self.low + from_gray(code) as f64 * self.width
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn codes_come_back_and_neighbours_differ_in_one_bit(number in 0..u64::MAX) {
            prop_assert_eq!(from_gray(to_gray(number)), number);
            let step = to_gray(number) ^ to_gray(number + 1);
            prop_assert_eq!(step.count_ones(), 1);
        }

        #[test]
        fn a_number_comes_back_to_within_half_a_step(share in 0.0..=1.0_f64, bits in 1..30_u32) {
            let fixed = Fixed::new(-3.0, 9.0, bits);
            let number = -3.0 + share * 12.0;
            let back = fixed.number(fixed.code(number));
            let half = 6.0 / ((1_u64 << bits) - 1) as f64;
            prop_assert!((back - number).abs() <= half * 1.000_001);
            prop_assert_eq!(fixed.code(back), fixed.code(number));
        }
    }

    #[test]
    fn what_lies_outside_goes_to_the_nearest_end_and_a_point_has_one_number() {
        let fixed = Fixed::new(0.0, 1.0, 8);
        assert_eq!(fixed.number(fixed.code(-5.0)), 0.0);
        assert_eq!(fixed.number(fixed.code(5.0)), 1.0);
        let point = Fixed::new(4.0, 4.0, 8);
        assert_eq!(point.number(point.code(7.0)), 4.0);
    }
}
