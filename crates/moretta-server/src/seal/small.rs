//! What is small and sealed in the store: secrets of projects, second factors.

use super::cipher::Cipher;
use super::damaged;
use super::key::Key;
use crate::app::App;
use crate::problem::Result;
use std::fmt;
use zeroize::Zeroizing;

/// Seals small things under the key of secrets.
#[derive(Clone)]
pub struct Sealer {
    key: Key,
}

impl Sealer {
    /// That of a server.
    ///
    /// # Errors
    /// When its file of keys cannot be used.
    pub fn of(app: &App) -> Result<Self> {
        Ok(Sealer::new(app.keys()?.secrets.clone()))
    }

    /// With this key.
    pub fn new(key: Key) -> Self {
        Sealer { key }
    }

    /// Seals `bytes`; `of` says what they are and whose, such as `factor` and the id of the user.
    /// It is no secret, and what is sealed for one opens for no other.
    pub fn seal(&self, of: &str, bytes: &[u8]) -> Vec<u8> {
        Cipher::new(&self.key).seal(&context(of), bytes)
    }

    /// Opens what was sealed for `of`.
    ///
    /// # Errors
    /// When it was sealed for something else or with another key, or was changed.
    pub fn open(&self, of: &str, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
        Cipher::new(&self.key)
            .open(&context(of), sealed)
            .ok_or_else(damaged)
    }
}

fn context(of: &str) -> Vec<u8> {
    format!("moretta small 1 {of}").into_bytes()
}

impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealer")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_opens_for_what_it_was_sealed_for() {
        let sealer = Sealer::new(Key::random());
        let sealed = sealer.seal("factor 1", b"canary-7f3a");
        assert!(!sealed.windows(6).any(|bytes| bytes == b"canary"));
        assert_eq!(
            sealer.open("factor 1", &sealed).map(|plain| plain.to_vec()),
            Ok(b"canary-7f3a".to_vec())
        );
        assert!(sealer.open("factor 2", &sealed).is_err());
        assert!(
            Sealer::new(Key::random())
                .open("factor 1", &sealed)
                .is_err()
        );
        for place in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[place] ^= 1;
            assert!(sealer.open("factor 1", &changed).is_err(), "{place}");
            assert!(
                sealer.open("factor 1", &sealed[..place]).is_err(),
                "{place}"
            );
        }
    }
}
