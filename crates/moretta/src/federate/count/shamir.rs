//! Shares of a secret: any t of them give it back, fewer tell nothing.
//!
//! The 32 bytes of a secret are four numbers of 7 bytes and one of 4. Each is the value at 0 of a
//! polynomial of degree t − 1 over the numbers modulo 2⁶¹ − 1, whose other coefficients are drawn;
//! the share of holder x is the values at x. A prime of that size holds 7 bytes, leaves a place
//! for each of 1024 holders, which 2⁸ elements would not, and needs no tables, whose use could be
//! timed: sums and products take the same time for all numbers.
//!
//! **Costs** t products for each of 5 numbers and each share, and t² to join; a share has 40 bytes.
//!
//! **From** Shamir 1979.

use crate::error::{Error, Result};
use crate::federate::mask::fill;
use std::fmt;

/// 2⁶¹ − 1, a prime.
const PRIME: u64 = (1 << 61) - 1;

/// Numbers of a secret.
const NUMBERS: usize = 5;

/// Bytes of a share.
pub(super) const SHARE_BYTES: usize = 8 * NUMBERS;

/// A share of a secret. It is never shown, not even by `Debug`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Share([u64; NUMBERS]);

impl Share {
    /// As bytes, little-endian.
    pub fn to_bytes(&self) -> [u8; SHARE_BYTES] {
        let mut bytes = [0; SHARE_BYTES];
        for (bytes, number) in bytes.as_chunks_mut().0.iter_mut().zip(self.0) {
            *bytes = number.to_le_bytes();
        }
        bytes
    }

    /// From bytes; none if they are not of a share.
    pub fn from_bytes(bytes: &[u8; SHARE_BYTES]) -> Option<Self> {
        let mut numbers = [0; NUMBERS];
        for (number, bytes) in numbers.iter_mut().zip(bytes.as_chunks().0) {
            *number = u64::from_le_bytes(*bytes);
        }
        let reduced = numbers.iter().all(|&number| number < PRIME);
        reduced.then_some(Share(numbers))
    }
}

impl fmt::Debug for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Share(secret)")
    }
}

/// Shares for holders 1 to `holders`, any `threshold` of which give the secret back. The
/// coefficients follow from `key`, which must be used for nothing else.
pub(super) fn split(
    secret: &[u8; 32],
    threshold: usize,
    holders: usize,
    key: &[u8; 32],
) -> Vec<Share> {
    let mut coefficients = vec![numbers(secret)];
    coefficients.extend((1..threshold as u64).map(|degree| drawn(key, degree)));
    let share = |holder: usize| {
        let value = |number: usize| {
            let falling = coefficients.iter().rev();
            falling.fold(0, |sum, c| add(multiply(sum, holder as u64), c[number]))
        };
        Share(std::array::from_fn(value))
    };
    (1..=holders).map(share).collect()
}

/// The weights with which the shares of some holders are added to the secret: the values at 0 of
/// Lagrange's polynomials.
pub(super) struct Weights(Vec<u64>);

impl Weights {
    /// Of holders from 1, all different.
    pub(super) fn new(holders: &[u64]) -> Self {
        let weight = |&holder: &u64| {
            let others = || holders.iter().filter(|&&other| other != holder);
            let above = others().fold(1, |product, &other| multiply(product, other));
            let below = others().map(|&other| add(other, PRIME - holder));
            multiply(above, inverse(below.fold(1, multiply)))
        };
        Weights(holders.iter().map(weight).collect())
    }

    /// The secret, from one share of each of the holders.
    ///
    /// # Errors
    /// When the shares are not of one secret, as far as that can be seen.
    pub(super) fn join(&self, shares: &[Share]) -> Result<[u8; 32]> {
        if shares.len() != self.0.len() {
            return Err(Error::bug("a share is needed of each holder"));
        }
        let number = |place: usize| {
            let terms = self.0.iter().zip(shares);
            terms.fold(0, |sum, (&weight, share)| {
                add(sum, multiply(weight, share.0[place]))
            })
        };
        let mut secret = [0; 32];
        for (place, bytes) in secret.chunks_mut(7).enumerate() {
            let number = number(place).to_le_bytes();
            let (low, high) = number.split_at(bytes.len());
            if high.iter().any(|&byte| byte != 0) {
                return Err(Error::input("shares of a site do not fit each other"));
            }
            bytes.copy_from_slice(low);
        }
        Ok(secret)
    }
}

fn numbers(secret: &[u8; 32]) -> [u64; NUMBERS] {
    let mut numbers = [0; NUMBERS];
    for (number, part) in numbers.iter_mut().zip(secret.chunks(7)) {
        let mut bytes = [0; 8];
        bytes[..part.len()].copy_from_slice(part);
        *number = u64::from_le_bytes(bytes);
    }
    numbers
}

/// Coefficients: 128 bits modulo the prime, which favour none by more than 2⁻⁶⁷.
fn drawn(key: &[u8; 32], degree: u64) -> [u64; NUMBERS] {
    let mut bytes = [0; 16 * NUMBERS];
    fill(key, degree, &mut bytes);
    let wide = bytes.as_chunks().0;
    std::array::from_fn(|place| reduce(u128::from_le_bytes(wide[place])))
}

fn add(a: u64, b: u64) -> u64 {
    reduce(u128::from(a) + u128::from(b))
}

fn multiply(a: u64, b: u64) -> u64 {
    reduce(u128::from(a) * u128::from(b))
}

/// 2⁶¹ is 1, so the bits above it are added to those below.
fn reduce(number: u128) -> u64 {
    let mask = u128::from(PRIME);
    let folded = (number & mask) + (number >> 61);
    let folded = ((folded & mask) + (folded >> 61)) as u64;
    let (less, borrow) = folded.overflowing_sub(PRIME);
    // All ones where the number was below the prime and stays.
    let keep = u64::from(borrow).wrapping_neg();
    (folded & keep) | (less & !keep)
}

/// By Fermat: the power of the prime less 2.
fn inverse(number: u64) -> u64 {
    let exponent = PRIME - 2;
    (0..61).rev().fold(1, |power, bit| {
        let square = multiply(power, power);
        match (exponent >> bit) & 1 {
            1 => multiply(square, number),
            _ => square,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn join(shares: &[Share], holders: &[u64]) -> Result<[u8; 32]> {
        let held = holders.iter().map(|&holder| shares[holder as usize - 1]);
        Weights::new(holders).join(&held.collect::<Vec<Share>>())
    }

    #[test]
    fn numbers_are_reduced_as_remainders_are() {
        let prime = u128::from(PRIME);
        for number in [
            0,
            1,
            prime - 1,
            prime,
            prime + 1,
            2 * prime,
            prime * prime,
            (prime - 1) * (prime - 1),
            u128::from(u64::MAX),
            u128::MAX,
            u128::MAX - 1,
        ] {
            assert_eq!(u128::from(reduce(number)), number % prime, "{number}");
        }
        for number in [1, 2, 3, 1024, PRIME - 1] {
            assert_eq!(multiply(number, inverse(number)), 1);
        }
    }

    #[test]
    fn any_t_shares_give_the_secret_back_and_fewer_do_not() {
        let secret: [u8; 32] = std::array::from_fn(|place| 255 - place as u8);
        let shares = split(&secret, 3, 6, &[9; 32]);
        for chosen in 1..64_u32 {
            let holders: Vec<u64> = (1..=6).filter(|h| chosen >> (h - 1) & 1 == 1).collect();
            let joined = join(&shares, &holders).ok();
            assert_eq!(joined == Some(secret), holders.len() >= 3, "{holders:?}");
        }
    }

    #[test]
    fn fewer_shares_fit_every_secret() {
        // Two of three shares and any other secret have a third share that gives just that.
        let shares = split(&[1; 32], 3, 3, &[2; 32]);
        let other = numbers(&[0xee; 32]);
        let weights = Weights::new(&[1, 2, 3]).0;
        let third = std::array::from_fn(|place| {
            let known = add(
                multiply(weights[0], shares[0].0[place]),
                multiply(weights[1], shares[1].0[place]),
            );
            multiply(add(other[place], PRIME - known), inverse(weights[2]))
        });
        let joined = Weights::new(&[1, 2, 3]).join(&[shares[0], shares[1], Share(third)]);
        assert_eq!(joined.expect("a secret"), [0xee; 32]);
    }

    #[test]
    fn shares_of_other_secrets_do_not_fit() {
        let (one, other) = (
            split(&[1; 32], 2, 2, &[2; 32]),
            split(&[1; 32], 2, 2, &[3; 32]),
        );
        assert!(Weights::new(&[1, 2]).join(&[one[0], other[1]]).is_err());
        assert!(Weights::new(&[1, 2]).join(&one[..1]).is_err());
    }

    #[test]
    fn shares_are_read_as_they_are_written_and_never_shown() {
        let share = split(&[7; 32], 2, 1024, &[2; 32])[1023];
        assert_eq!(Share::from_bytes(&share.to_bytes()), Some(share));
        assert_eq!(Share::from_bytes(&[0xff; SHARE_BYTES]), None);
        assert_eq!(format!("{share:?}"), "Share(secret)");
    }

    proptest! {
        #[test]
        fn secrets_survive_for_all_numbers_of_holders(
            secret in any::<[u8; 32]>(),
            key in any::<[u8; 32]>(),
            holders in 1..40_usize,
            skipped in 0..40_usize,
        ) {
            let threshold = 2 * holders / 3 + 1;
            let shares = split(&secret, threshold, holders, &key);
            let start = skipped % (holders - threshold + 1);
            let chosen: Vec<u64> = (1..=threshold as u64).map(|h| h + start as u64).collect();
            prop_assert_eq!(join(&shares, &chosen).expect("a secret"), secret);
        }
    }
}
