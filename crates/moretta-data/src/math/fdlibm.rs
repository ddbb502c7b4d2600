//! The natural logarithm of fdlibm, bit for bit, which Java's `StrictMath` prescribes.
//!
//! Descendants of fdlibm add the same terms in another order, and the libraries of
//! platforms use other tables: all of them differ from it in the last bit now and
//! then. x = 2^k (1 + f) with 1 + f between √½ and √2; with s = f/(2 + f),
//! ln(1 + f) = f - s (f - R), where R is a polynomial in s². The error is below
//! one unit in the last place. After K. C. Ng's `e_log.c`, Sun Microsystems, 1993.

const LN2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
const LN2_LOW: f64 = f64::from_bits(0x3DEA_39EF_3579_3C76);

/// The polynomial: even and odd powers of s⁴.
const LG1: f64 = f64::from_bits(0x3FE5_5555_5555_5593);
const LG2: f64 = f64::from_bits(0x3FD9_9999_9997_FA04);
const LG3: f64 = f64::from_bits(0x3FD2_4924_9422_9359);
const LG4: f64 = f64::from_bits(0x3FCC_71C5_1D8E_78AF);
const LG5: f64 = f64::from_bits(0x3FC7_4664_96CB_03DE);
const LG6: f64 = f64::from_bits(0x3FC3_9A09_D078_C69F);
const LG7: f64 = f64::from_bits(0x3FC2_F112_DF3E_5244);

/// The natural logarithm of `x`.
pub fn ln(x: f64) -> f64 {
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x == f64::INFINITY {
        return x;
    }
    if x < f64::MIN_POSITIVE {
        return of_normal(x * (1_u64 << 54) as f64, -54);
    }
    of_normal(x, 0)
}

/// ln(2^exponent x) of a positive normal number.
fn of_normal(x: f64, exponent: i32) -> f64 {
    let bits = x.to_bits();
    let top = (bits >> 32) as i32;
    let mantissa = top & 0x000F_FFFF;
    // Above √2 the number is halved.
    let halved = (mantissa + 0x9_5F64) & 0x10_0000;
    let k = exponent + (top >> 20) - 1023 + (halved >> 20);
    let normal = u64::from((mantissa | (halved ^ 0x3FF0_0000)) as u32);
    let f = f64::from_bits(normal << 32 | bits & 0xFFFF_FFFF) - 1.0;
    let dk = f64::from(k);
    if 0x000F_FFFF & (2 + mantissa) < 3 {
        return near_one(f, k);
    }
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (LG2 + w * (LG4 + w * LG6));
    let odd = z * (LG1 + w * (LG3 + w * (LG5 + w * LG7)));
    let r = odd + even;
    // Between about 1.38 and 1.42 the half square is split off for accuracy.
    if (mantissa - 0x6_147A) | (0x6_B851 - mantissa) > 0 {
        let half_square = 0.5 * f * f;
        if k == 0 {
            return f - (half_square - s * (half_square + r));
        }
        return dk * LN2_HIGH - ((half_square - (s * (half_square + r) + dk * LN2_LOW)) - f);
    }
    if k == 0 {
        return f - s * (f - r);
    }
    dk * LN2_HIGH - ((s * (f - r) - dk * LN2_LOW) - f)
}

/// ln(2^k (1 + f)) for |f| < 2^-20.
fn near_one(f: f64, k: i32) -> f64 {
    let dk = f64::from(k);
    if f == 0.0 {
        return if k == 0 {
            0.0
        } else {
            dk * LN2_HIGH + dk * LN2_LOW
        };
    }
    let r = f * f * (0.5 - 1.0 / 3.0 * f);
    if k == 0 {
        return f - r;
    }
    dk * LN2_HIGH - ((r - dk * LN2_LOW) - f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn edges_are_those_of_java() {
        assert_eq!(ln(1.0).to_bits(), 0.0_f64.to_bits());
        assert_eq!(ln(0.0), f64::NEG_INFINITY);
        assert_eq!(ln(-0.0), f64::NEG_INFINITY);
        assert_eq!(ln(f64::INFINITY), f64::INFINITY);
        assert!(ln(-1.0).is_nan() && ln(f64::NAN).is_nan());
        assert_eq!(ln(f64::from_bits(1)), -744.440_071_921_381_2);
        assert_eq!(ln(2.0), std::f64::consts::LN_2);
    }

    proptest! {
        #[test]
        fn the_platform_agrees_up_to_the_last_bit(x in proptest::num::f64::POSITIVE) {
            let (ours, theirs) = (ln(x), x.ln());
            prop_assert!(ours == theirs || ours.to_bits().abs_diff(theirs.to_bits()) <= 1);
        }

        #[test]
        fn so_it_does_between_zero_and_two(x in 1e-9..2.0) {
            prop_assert!(ln(x).to_bits().abs_diff(x.ln().to_bits()) <= 1);
        }
    }
}
