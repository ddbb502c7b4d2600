//! Ed25519 keys and signatures: who has the private key signs, who has the public one checks.
//!
//! A private key is 32 bytes as 64 hexadecimal digits, in a file or in the environment, as keys
//! of pseudonyms are; a public key likewise. A signature is about a fixed prefix and the bytes,
//! so that none that was made for something else passes.

use crate::error::{Error, Result};
use crate::io::Files;
use crate::policy::{KeyPlace, Secrets};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256};
use std::fmt;
use std::path::Path;

/// What every signed text begins with.
const PREFIX: &[u8] = b"moretta manifest 1\n";

/// A private key. It is never shown, not even by `Debug`.
pub struct PrivateKey(SigningKey);

/// A public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

impl PrivateKey {
    /// A key that the operating system draws.
    pub fn random() -> Result<Self> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)
            .map_err(|_| Error::bug("the operating system gives no random bytes"))?;
        Ok(PrivateKey(SigningKey::from_bytes(&bytes)))
    }

    /// Fetches a key from where it is.
    ///
    /// # Errors
    /// When it is not there, or no key.
    pub fn load(place: &KeyPlace) -> Result<Self> {
        PrivateKey::of_text(&Secrets::default().load_text(place, &Files::default())?)
    }

    /// The key that a text of 64 digits says.
    pub(super) fn of_text(text: &[u8]) -> Result<Self> {
        let bytes = std::str::from_utf8(text).ok().and_then(bytes::<32>);
        let bytes = bytes.ok_or_else(|| {
            Error::policy("a signing key is 64 hexadecimal digits")
                .help("`moretta key new FILE` makes one")
        })?;
        Ok(PrivateKey(SigningKey::from_bytes(&bytes)))
    }

    /// The key as it is kept in a file.
    pub fn to_text(&self) -> String {
        format!("{}\n", digits(&self.0.to_bytes()))
    }

    /// The key by which others check.
    pub fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key())
    }

    pub(super) fn sign(&self, text: &str) -> String {
        digits(&self.0.sign(&message(text)).to_bytes())
    }

    /// What binds to a value without telling it: nobody without the key can try values.
    pub(super) fn commitment(&self, what: &str, value: &str) -> String {
        let key = crate::protect::identifiers::Key::derived(self.0.to_bytes());
        digits(&key.block(&[b"commitment", what.as_bytes(), value.as_bytes()]))
    }
}

impl PublicKey {
    /// From 64 hexadecimal digits, or from a file that holds them.
    ///
    /// # Errors
    /// When it is neither.
    pub fn read(text_or_file: &str) -> Result<Self> {
        let text = match bytes::<32>(text_or_file) {
            Some(_) => text_or_file.to_owned(),
            None => {
                let path = Path::new(text_or_file);
                std::fs::read_to_string(path).map_err(|e| Error::io("read", path, e))?
            }
        };
        PublicKey::parse(text.trim()).ok_or_else(|| {
            Error::usage("a public key is 64 hexadecimal digits, or a file that holds them")
                .help("`moretta key public` prints that of a private key")
        })
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let key = VerifyingKey::from_bytes(&bytes(text)?).ok()?;
        // Some points are public keys of every signature.
        (!key.is_weak()).then_some(PublicKey(key))
    }

    /// A short name for it.
    pub fn id(&self) -> String {
        digits(&Sha256::digest(self.0.as_bytes())[..8])
    }

    pub(super) fn has_signed(&self, text: &str, signature: &str) -> bool {
        let Some(signature) = bytes::<64>(signature) else {
            return false;
        };
        let signature = Signature::from_bytes(&signature);
        self.0.verify_strict(&message(text), &signature).is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&digits(self.0.as_bytes()))
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(secret)")
    }
}

fn message(text: &str) -> Vec<u8> {
    [PREFIX, text.as_bytes()].concat()
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bytes from small hexadecimal digits, of which there is one text alone.
fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != 2 * N || !text.bytes().all(is_digit) {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8032, section 7.1, test 1: the key, and what it signs is another message here.
    #[test]
    fn the_public_key_is_that_of_the_standard() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let secret = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        std::fs::write(file.path(), format!("{secret}\n")).expect("written");
        let key = PrivateKey::load(&KeyPlace::File(file.path().to_owned())).expect("a key");
        assert_eq!(
            key.public().to_string(),
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
        );
        assert_eq!(key.to_text(), format!("{secret}\n"));
        assert!(!format!("{key:?}").contains("9d61"));
    }

    #[test]
    fn a_signature_is_of_one_text_and_one_key() {
        let (key, other) = (PrivateKey::random(), PrivateKey::random());
        let (key, other) = (key.expect("a key"), other.expect("a key"));
        let signature = key.sign("text");
        assert!(key.public().has_signed("text", &signature));
        assert!(!key.public().has_signed("texT", &signature));
        assert!(!other.public().has_signed("text", &signature));
        assert!(!key.public().has_signed("text", &signature.to_uppercase()));
        assert!(!key.public().has_signed("text", ""));
        assert_ne!(key.commitment("seed", "1"), key.commitment("seed", "2"));
        assert_ne!(key.commitment("seed", "1"), other.commitment("seed", "1"));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        for text in ["", "ab", &"g".repeat(64), &"A".repeat(64)] {
            std::fs::write(file.path(), text).expect("written");
            let place = KeyPlace::File(file.path().to_owned());
            let error = PrivateKey::load(&place).expect_err("refused").to_string();
            assert!(text.is_empty() || !error.contains(text), "{error}");
        }
        // The point at infinity has signed everything.
        let weak = format!("01{}", "0".repeat(62));
        assert!(PublicKey::read(&weak).is_err());
    }
}
