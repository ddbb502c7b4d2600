//! Keyed pseudonyms for columns that name a person.
//!
//! A value becomes the first 128 bits of HMAC-SHA-256 under a secret key, in
//! hexadecimal; the column's name (or a `domain` of the policy) goes in first, so
//! that the same value in two columns gets two pseudonyms.
//!
//! **Protects against** reading a name or number off the release and, unlike an
//! unkeyed hash, against looking it up in a table of all possible values.
//! **Does not protect against** whoever has the key, nor against linking the rows
//! of one person with each other: equal values get equal pseudonyms.
//!
//! **Costs** one HMAC for each distinct value; row-local, no delay.
//!
//! **From** RFC 2104 and RFC 6234.

use super::Operator;
use crate::data::{Batch, Categories, Column, Levels, Schema};
use crate::error::{Error, Result};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;
use std::sync::Arc;

/// The fewest bytes a key may have.
pub const SHORTEST_KEY: usize = 16;

/// A secret key. It is never shown, not even by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(Vec<u8>);

impl Key {
    /// Fails on a key that is too short to be a secret.
    pub fn new(bytes: Vec<u8>) -> Result<Self> {
        if bytes.len() < SHORTEST_KEY {
            return Err(Error::policy(format!(
                "the key has {} bytes; at least {SHORTEST_KEY} are needed",
                bytes.len()
            ))
            .help("make one, for example with `openssl rand -hex 32`"));
        }
        Ok(Key(bytes))
    }

    /// A key that the operating system draws.
    pub(crate) fn random() -> Result<Self> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)
            .map_err(|_| Error::bug("the operating system gives no random bytes"))?;
        Ok(Key::derived(bytes))
    }

    /// A key that was derived from another.
    pub(crate) fn derived(bytes: [u8; 32]) -> Self {
        Key(bytes.into())
    }

    /// HMAC-SHA-256 under the key, of nothing yet.
    pub(crate) fn mac(&self) -> Hmac<Sha256> {
        Hmac::new_from_slice(&self.0).expect("HMAC takes keys of any length")
    }

    /// 256 bits that cannot be told without the key. They are of no pseudonym:
    /// no domain is as long as what they begin with says.
    pub(crate) fn block(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = self.mac();
        mac.update(&u64::MAX.to_be_bytes());
        for part in parts {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }

    /// The pseudonym of a value in a domain.
    pub fn pseudonym(&self, domain: &str, value: &str) -> String {
        let mut mac = self.mac();
        mac.update(&(domain.len() as u64).to_be_bytes());
        mac.update(domain.as_bytes());
        mac.update(value.as_bytes());
        let digest = mac.finalize().into_bytes();
        digest[..16]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

/// Whether a text looks like a pseudonym: 128 bits in hexadecimal.
pub fn looks_like_pseudonym(text: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.len() == 32 && text.bytes().all(is_digit)
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(secret)")
    }
}

/// Replaces the values of category columns by pseudonyms.
pub struct Pseudonyms {
    schema: Arc<Schema>,
    columns: Vec<(usize, String, Key)>,
}

impl Pseudonyms {
    /// For each column its place, its domain and its key.
    pub fn new(schema: &Arc<Schema>, columns: Vec<(usize, String, Key)>) -> Self {
        Pseudonyms {
            schema: Arc::clone(schema),
            columns,
        }
    }
}

impl Operator for Pseudonyms {
    fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    fn push(&mut self, batch: Batch) -> Result<Batch> {
        let mut columns = batch.columns().to_vec();
        for (i, domain, key) in &self.columns {
            let Column::Category(categories) = &columns[*i] else {
                return Err(Error::bug("a pseudonym of a column that is no category"));
            };
            let levels: Levels = categories
                .levels()
                .iter()
                .map(|value| key.pseudonym(domain, value))
                .collect();
            columns[*i] = Column::Category(Categories::new(
                categories.codes().to_vec(),
                Arc::new(levels),
            ));
        }
        Batch::new(Arc::clone(&self.schema), batch.rows().clone(), columns)
    }

    fn finish(&mut self) -> Result<Batch> {
        Ok(Batch::empty(Arc::clone(&self.schema)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> Key {
        Key::new(vec![byte; 32]).expect("long enough")
    }

    #[test]
    fn a_pseudonym_depends_on_key_domain_and_value() {
        let a = key(1).pseudonym("patient", "p1");
        assert!(looks_like_pseudonym(&a));
        assert!(!looks_like_pseudonym("p1") && !looks_like_pseudonym(&a.to_uppercase()));
        assert_eq!(a, key(1).pseudonym("patient", "p1"));
        assert_ne!(a, key(2).pseudonym("patient", "p1"));
        assert_ne!(a, key(1).pseudonym("name", "p1"));
        assert_ne!(key(1).pseudonym("ab", "c"), key(1).pseudonym("a", "bc"));
    }

    #[test]
    fn the_mac_is_hmac_sha_256_of_length_domain_and_value() {
        // RFC 4231, test case 2, checks the primitive: key "Jefe".
        let mut mac = Hmac::<Sha256>::new_from_slice(b"Jefe").expect("any length");
        mac.update(b"what do ya want for nothing?");
        let digest = mac.finalize().into_bytes();
        assert_eq!(digest[..4], [0x5b, 0xdc, 0xc1, 0x46]);
    }

    #[test]
    fn a_key_is_never_shown_and_never_short() {
        assert_eq!(format!("{:?}", key(7)), "Key(secret)");
        assert!(Key::new(vec![1; 15]).is_err());
    }
}
