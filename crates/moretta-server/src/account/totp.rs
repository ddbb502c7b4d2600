//! Codes of an authenticator (RFC 6238): six digits of HMAC-SHA-1 over the number of half minutes.
//!
//! SHA-1 is what authenticators know; HMAC with it is not broken. A code counts from the half minute
//! before to the one after its own, since clocks differ.

use crate::clock::{Millis, SECOND};
use ring::hmac;
use sha2::{Digest, Sha256};

const STEP: Millis = 30 * SECOND;
const DIGITS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The number of the half minute.
pub fn step(at: Millis) -> i64 {
    at.div_euclid(STEP)
}

/// The code of a half minute.
pub fn code(secret: &[u8], step: i64) -> String {
    format!("{:06}", truncated(secret, step) % 1_000_000)
}

/// The half minute that a code is of, if it counts at this time and is later than `last`.
pub(super) fn step_of(secret: &[u8], given: &str, at: Millis, last: i64) -> Option<i64> {
    let given = Sha256::digest(given);
    let near = [-1, 0, 1].map(|off| step(at) + off);
    // All three are computed, and sums compared, so that the time tells nothing of the code.
    let found = near.map(|step| (Sha256::digest(code(secret, step)) == given).then_some(step));
    found.into_iter().flatten().find(|step| *step > last)
}

fn truncated(secret: &[u8], step: i64) -> u32 {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
    let tag = hmac::sign(&key, &step.to_be_bytes());
    let bytes = tag.as_ref();
    let place = usize::from(bytes[bytes.len() - 1] & 15);
    let four = bytes[place..place + 4].iter();
    four.fold(0, |n, b| n << 8 | u32::from(*b)) & 0x7fff_ffff
}

/// Bytes in base 32 without padding, as people type them into an authenticator.
pub fn base32(bytes: &[u8]) -> String {
    let mut text = String::new();
    for five in bytes.chunks(5) {
        let number =
            five.iter().fold(0_u64, |n, b| n << 8 | u64::from(*b)) << (8 * (5 - five.len()));
        for place in 0..(8 * five.len()).div_ceil(5) {
            let digit = number >> (35 - 5 * place) & 31;
            text.push(char::from(DIGITS[digit as usize]));
        }
    }
    text
}

/// Takes [`base32`] back.
pub fn unbase32(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for eight in text.as_bytes().chunks(8) {
        let mut number = 0_u64;
        for byte in eight {
            number = number << 5 | DIGITS.iter().position(|digit| digit == byte)? as u64;
        }
        number <<= 5 * (8 - eight.len());
        bytes.extend(&number.to_be_bytes()[3..3 + eight.len() * 5 / 8]);
    }
    Some(bytes)
}

/// The address that an authenticator reads.
pub(super) fn address(name: &str, secret: &[u8]) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~".contains(&b);
    let escaped: String = name
        .bytes()
        .map(|b| match plain(b) {
            true => char::from(b).to_string(),
            false => format!("%{b:02X}"),
        })
        .collect();
    let secret = base32(secret);
    format!(
        "otpauth://totp/moretta:{escaped}?secret={secret}&issuer=moretta&algorithm=SHA1&digits=6&period=30"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"12345678901234567890";

    /// RFC 6238, appendix B, of which six digits are used, and RFC 4226, appendix D.
    #[test]
    fn codes_are_those_of_the_rfc() {
        for (seconds, eight) in [
            (59, 94_287_082),
            (1_111_111_109, 7_081_804),
            (1_111_111_111, 14_050_471),
            (1_234_567_890, 89_005_924),
            (2_000_000_000, 69_279_037),
            (20_000_000_000, 65_353_130),
        ] {
            let step = step(seconds * SECOND);
            assert_eq!(truncated(SECRET, step) % 100_000_000, eight);
            assert_eq!(code(SECRET, step), format!("{:06}", eight % 1_000_000));
        }
        let counted = ["755224", "287082", "359152", "969429", "338314"];
        for (step, expected) in counted.into_iter().enumerate() {
            assert_eq!(code(SECRET, step as i64), expected);
        }
    }

    #[test]
    fn a_code_counts_for_three_half_minutes_and_never_before_the_last() {
        let at = 1_790_000_000_000;
        let now = step(at);
        for off in -3..=3 {
            let found = step_of(SECRET, &code(SECRET, now + off), at, 0);
            assert_eq!(found, (-1..=1).contains(&off).then_some(now + off), "{off}");
        }
        assert_eq!(step_of(SECRET, &code(SECRET, now), at, now), None);
        assert_eq!(step_of(SECRET, &code(SECRET, now), at, now - 1), Some(now));
        assert_eq!(step_of(SECRET, "", at, 0), None);
    }

    #[test]
    fn base32_is_that_of_the_rfc() {
        for (bytes, text) in [
            ("", ""),
            ("f", "MY"),
            ("fo", "MZXQ"),
            ("foo", "MZXW6"),
            ("foob", "MZXW6YQ"),
            ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ] {
            assert_eq!(base32(bytes.as_bytes()), text);
            assert_eq!(unbase32(text).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(
            address("a b@c", b"foobar"),
            "otpauth://totp/moretta:a%20b%40c?secret=MZXW6YTBOI&issuer=moretta&algorithm=SHA1&digits=6&period=30"
        );
    }
}
