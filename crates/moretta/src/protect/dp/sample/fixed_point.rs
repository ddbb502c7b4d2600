//! e⁻ˣ and quotients as whole multiples of 2⁻¹²⁸, for thresholds that are computed once.

use super::Ratio;

/// ⌊2¹²⁸ a / b⌋ for a < b < 2¹²⁷, by long division.
pub(super) fn quotient(a: u128, b: u128) -> u128 {
    debug_assert!(a < b && b < 1 << 127);
    let (mut rest, mut bits) = (a, 0);
    for _ in 0..128 {
        rest <<= 1;
        bits <<= 1;
        if rest >= b {
            rest -= b;
            bits |= 1;
        }
    }
    bits
}

/// 2¹²⁸ e⁻ˣ for x = rate · 2^doublings below 256, to within 2¹⁰.
///
/// The series of e⁻ˣ at x / 2^halvings < 1 has at most 35 terms that count,
/// each off by at most two units; squaring it `halvings` ≤ 8 times multiplies
/// the error by at most 2 · 0.61 · 2 · 0.37 · … < 2.
pub(super) fn exp_negative(rate: Ratio, doublings: u32) -> u128 {
    let a = u128::from(rate.numerator()) << doublings;
    let mut b = u128::from(rate.denominator());
    let mut halvings = 0;
    while a >= b {
        b <<= 1;
        halvings += 1;
    }
    let mut power = series(quotient(a, b));
    for _ in 0..halvings {
        power = high_product(power, power);
    }
    power
}

/// 2¹²⁸ e⁻ᶠ modulo 2¹²⁸ for f = fraction / 2¹²⁸ > 0.
fn series(fraction: u128) -> u128 {
    let (mut sum, mut term, mut n) = (0u128, fraction, 1u128);
    while term > 0 {
        sum = if n % 2 == 1 {
            sum.wrapping_sub(term)
        } else {
            sum.wrapping_add(term)
        };
        n += 1;
        term = high_product(term, fraction) / n;
    }
    sum
}

/// ⌊a b / 2¹²⁸⌋.
fn high_product(a: u128, b: u128) -> u128 {
    const LOW: u128 = u64::MAX as u128;
    let (a1, a0) = (a >> 64, a & LOW);
    let (b1, b0) = (b >> 64, b & LOW);
    let (low, cross, other) = (a0 * b0, a1 * b0, a0 * b1);
    let carry = (low >> 64) + (cross & LOW) + (other & LOW);
    a1 * b1 + (cross >> 64) + (other >> 64) + (carry >> 64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(a: u64, b: u64) -> Ratio {
        Ratio::new(a, b).expect("in range")
    }

    #[test]
    fn known_digits_of_e_are_met() {
        // 2^128 / e, and 2^128 e^(-1/2), from 60 decimal digits of each.
        for (rate, doublings, expected) in [
            (
                ratio(1, 1),
                0,
                125_182_886_983_370_532_117_250_726_298_150_828_301_u128,
            ),
            (
                ratio(1, 8),
                3,
                125_182_886_983_370_532_117_250_726_298_150_828_301,
            ),
            (
                ratio(1, 2),
                0,
                206_391_688_497_133_195_273_760_705_512_282_642_279,
            ),
        ] {
            let found = exp_negative(rate, doublings);
            assert!(found.abs_diff(expected) < 1 << 10, "{found}");
        }
    }

    #[test]
    fn it_agrees_with_floating_point_over_the_whole_range() {
        for a in [1, 3, 1_000, 123_456_789] {
            for b in [1, 2, 7, 999, 1 << 40] {
                for doublings in 0..50 {
                    let x = a as f64 / b as f64 * 2f64.powi(doublings);
                    if x < 200.0 && x > 1e-12 {
                        let found =
                            exp_negative(ratio(a, b), doublings as u32) as f64 / 2f64.powi(128);
                        assert!((found - (-x).exp()).abs() < 1e-15, "{x}");
                    }
                }
            }
        }
    }
}
