//! Numbers as whole numbers of 2⁻³², so that sums modulo 2⁶⁴ are exact.
//!
//! A number is rounded to the nearest multiple, and to the even one between two. Up to 2²⁰ in
//! size, 1024 of them add up to less than 2⁶³ multiples, so a sum is read without doubt; one
//! beyond what its members could have sent is refused.

/// The largest number that can be masked: 2²⁰.
pub const LARGEST: f64 = (1_u64 << 20) as f64;

/// Multiples in 1.
const SCALE: f64 = (1_u64 << 32) as f64;

/// Where the spacing of numbers is 1.
const WHOLE: f64 = (1_u64 << 52) as f64;

/// Numbers as words; none if one is not a number, or too large.
pub(super) fn encode(values: &[f64]) -> Option<Vec<u64>> {
    let possible = values.iter().all(|value| value.abs() <= LARGEST);
    possible.then(|| values.iter().map(|&value| word(value)).collect())
}

/// The word of a number that is not too large.
///
/// Multiplying by a power of two is exact, and the product is at most 2⁵². Adding 2⁵² rounds it as
/// all sums are rounded, to the even one of two, and leaves it in the lowest bits; that is several
/// times as fast as a call to round on processors that have no instruction for it.
fn word(value: f64) -> u64 {
    let multiple = (value.abs() * SCALE + WHOLE).to_bits() - WHOLE.to_bits();
    match value.is_sign_negative() {
        true => multiple.wrapping_neg(),
        false => multiple,
    }
}

/// The number of a sum; none if so many members cannot have sent it.
pub(super) fn decode(word: u64, members: usize) -> Option<f64> {
    let multiple = word as i64;
    let most = members as u64 * (LARGEST * SCALE) as u64;
    (multiple.unsigned_abs() <= most).then(|| multiple as f64 / SCALE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn numbers_are_rounded_to_the_nearest_and_even_multiple() {
        let unit = 1.0 / SCALE;
        for (value, multiple) in [
            (0.0, 0),
            (-0.0, 0),
            (1.0, 1_i64 << 32),
            (-0.5, -(1 << 31)),
            (0.5 * unit, 0),
            (1.5 * unit, 2),
            (2.5 * unit, 2),
            (-0.5 * unit, 0),
            (-1.5 * unit, -2),
            (1.4 * unit, 1),
            (LARGEST, 1 << 52),
            (-LARGEST, -(1 << 52)),
        ] {
            assert_eq!(encode(&[value]), Some(vec![multiple as u64]), "{value}");
        }
    }

    #[test]
    fn numbers_are_rounded_as_the_standard_library_rounds_them() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(6);
        for _ in 0..100_000 {
            // Of all sizes from 2⁻⁴⁰ to 2²⁰, and halves of a multiple among them.
            let bits = random.next_u64();
            let size = f64::powi(2.0, (bits % 60) as i32 - 40);
            let value = (bits as i64 >> 12) as f64 / WHOLE * size;
            let half = (value * SCALE).trunc() / SCALE + 0.5 / SCALE;
            for value in [value, half.min(LARGEST)] {
                let expected = (value * SCALE).round_ties_even() as i64 as u64;
                assert_eq!(word(value), expected, "{value}");
            }
        }
    }

    #[test]
    fn what_is_too_large_or_no_number_has_no_word() {
        let above = LARGEST.next_up();
        for value in [above, -above, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
            assert_eq!(encode(&[0.0, value, 1.0]), None);
        }
    }

    #[test]
    fn a_sum_is_read_within_what_its_members_can_send() {
        for members in [1, 3, 1024] {
            let most = LARGEST * members as f64;
            let word = (1_u64 << 52) * members as u64;
            assert_eq!(decode(word, members), Some(most));
            assert_eq!(decode(word.wrapping_neg(), members), Some(-most));
            assert_eq!(decode(word + 1, members), None);
            assert_eq!(decode((word + 1).wrapping_neg(), members), None);
            assert_eq!(decode(1 << 63, members), None);
        }
    }
}
