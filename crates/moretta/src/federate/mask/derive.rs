//! Keys from a secret: HKDF with SHA-256, of RFC 5869.
//!
//! Every key of a federation has 32 bytes, one block of the hash, so the standard's loop over
//! blocks runs once.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The key that follows from a secret for one purpose, which the parts of `info` name.
///
/// Parts follow each other without a mark between them, so all but the last have a fixed length.
pub(in crate::federate) fn derive(salt: &[u8], secret: &[u8], info: &[&[u8]]) -> [u8; 32] {
    let extracted = block(salt, &[secret]);
    let mut parts = info.to_vec();
    parts.push(&[1]);
    block(&extracted, &parts)
}

fn block(key: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mac = Hmac::<Sha256>::new_from_slice(key);
    let mut mac = mac.expect("HMAC takes keys of any length");
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 5869, appendix A, the first 32 bytes of cases 1 to 3.
    #[test]
    fn keys_are_those_of_the_standard() {
        let check = |salt: &[u8], secret: &[u8], info: &[u8], expected: &str| {
            let key = derive(salt, secret, &[info]);
            let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(digits, expected);
            let (start, end) = info.split_at(info.len() / 2);
            assert_eq!(derive(salt, secret, &[start, end]), key);
        };
        let bytes = |range: std::ops::RangeInclusive<u8>| range.collect::<Vec<u8>>();
        check(
            &bytes(0..=0x0c),
            &[0x0b; 22],
            &bytes(0xf0..=0xf9),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf",
        );
        check(
            &bytes(0x60..=0xaf),
            &bytes(0..=0x4f),
            &bytes(0xb0..=0xff),
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c",
        );
        check(
            &[],
            &[0x0b; 22],
            &[],
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d",
        );
    }
}
