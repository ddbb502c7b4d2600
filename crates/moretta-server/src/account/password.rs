//! Passwords as they are kept: Argon2id over 19 MiB, twice, in one lane, with a salt of their own.

use super::phc::Phc;
use crate::id::random_bytes;
use crate::problem::{Problem, Result};
use argon2::{Algorithm, Argon2, Params, Version};
use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;

/// KiB of memory, passes and lanes of a new hash.
const COST: (u32, u32, u32) = (19 * 1024, 2, 1);

/// A password in the one form in which it is hashed, however a keyboard has composed it.
pub(super) fn normal(password: &str) -> String {
    password.nfkc().collect()
}

/// The hash of a new password.
pub(super) fn hash(password: &str) -> Result<String> {
    let (memory, passes, lanes) = COST;
    let mut phc = Phc {
        memory,
        passes,
        lanes,
        salt: random_bytes::<16>().to_vec(),
        hash: Vec::new(),
    };
    phc.hash = compute(password, &phc)?;
    Ok(phc.text())
}

/// Whether `password` is that of `stored`. Without `stored` it is not, and this takes as long.
pub(super) fn verify(password: &str, stored: Option<&str>) -> Result<bool> {
    let (memory, passes, lanes) = COST;
    let phc = match stored {
        Some(stored) => {
            Phc::parse(stored).ok_or_else(|| Problem::bug("the store has a hash that is none"))?
        }
        None => Phc {
            memory,
            passes,
            lanes,
            salt: vec![0; 16],
            hash: Vec::new(),
        },
    };
    let computed = compute(password, &phc)?;
    // Sums are compared, so that the time tells nothing of the hash.
    let same = Sha256::digest(&computed) == Sha256::digest(&phc.hash);
    Ok(same && stored.is_some())
}

fn compute(password: &str, phc: &Phc) -> Result<Vec<u8>> {
    let params = Params::new(phc.memory, phc.passes, phc.lanes, Some(32))
        .map_err(|_| Problem::bug("the store has a hash that nobody can compute"))?;
    let mut hash = vec![0; 32];
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(normal(password).as_bytes(), &phc.salt, &mut hash)
        .map_err(|_| Problem::unavailable("there is no memory to look at the password"))?;
    Ok(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_found_again_however_it_was_composed() {
        let stored = hash("na\u{ef}ve caf\u{e9} \u{fb01}sh").expect("a hash");
        assert!(
            stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{stored}"
        );
        let check = |password, stored| verify(password, stored).expect("computed");
        assert!(check("nai\u{308}ve cafe\u{301} fish", Some(&stored)));
        assert!(!check("naive cafe fish", Some(&stored)));
        assert!(!check("naive cafe fish", None));
        assert!(verify("x", Some("$argon2id$")).is_err());
    }

    /// RFC 9106 has no vector without secret; this one is of the reference implementation
    /// (`echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 32`).
    #[test]
    fn hashes_are_those_of_the_reference_implementation() {
        let phc = Phc {
            memory: 65536,
            passes: 2,
            lanes: 1,
            salt: b"somesalt".to_vec(),
            hash: Vec::new(),
        };
        let hash = compute("password", &phc).expect("a hash");
        assert_eq!(
            crate::secret::hex(&hash),
            "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"
        );
    }
}
