//! A key of 32 bytes, which leaves no copy behind.

use super::cipher::Cipher;
use crate::id::{Id, random_bytes};
use crate::secret::hex;
use ring::hmac;
use std::fmt;
use zeroize::Zeroizing;

/// A key. It is wiped when it is dropped, and never shown.
#[derive(Clone)]
pub struct Key(Zeroizing<[u8; 32]>);

impl Key {
    /// A new one.
    pub fn random() -> Self {
        Key(Zeroizing::new(random_bytes()))
    }

    /// The key with these bytes; none of another number of bytes.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut key = Key(Zeroizing::new([0; 32]));
        if bytes.len() != key.0.len() {
            return None;
        }
        key.0.copy_from_slice(bytes);
        Some(key)
    }

    /// Reads a key from its 64 hexadecimal digits, as a task has it.
    pub fn parse(digits: &str) -> Option<Self> {
        if digits.len() != 64 || !digits.is_ascii() {
            return None;
        }
        let mut bytes = Zeroizing::new([0; 32]);
        for (byte, place) in bytes.iter_mut().zip((0..64).step_by(2)) {
            *byte = u8::from_str_radix(digits.get(place..place + 2)?, 16).ok()?;
        }
        Key::from_bytes(&*bytes)
    }

    /// Its hexadecimal digits, which a task tells its worker.
    pub fn digits(&self) -> Zeroizing<String> {
        Zeroizing::new(hex(self.bytes()))
    }

    pub(super) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Seals the key of an object under this key of its zone.
    pub(crate) fn wrap(&self, zone: &str, object: Id, key: &Key) -> Vec<u8> {
        Cipher::new(self).seal(&wrapping(zone, object), key.bytes())
    }

    /// Takes it back; none of another zone, object or key.
    pub(crate) fn unwrap(&self, zone: &str, object: Id, wrapped: &[u8]) -> Option<Key> {
        let opened = Cipher::new(self).open(&wrapping(zone, object), wrapped)?;
        Key::from_bytes(&opened)
    }

    /// A keyed sum for one purpose: the same for the same bytes, and nobody without the key can
    /// compute it or try values.
    pub(crate) fn sum(&self, purpose: &str, bytes: &[u8]) -> [u8; 32] {
        let own = hmac::Key::new(hmac::HMAC_SHA256, self.bytes());
        let derived = hmac::sign(&own, format!("moretta derived 1 {purpose}").as_bytes());
        let derived = hmac::Key::new(hmac::HMAC_SHA256, derived.as_ref());
        let mut sum = [0; 32];
        sum.copy_from_slice(hmac::sign(&derived, bytes).as_ref());
        sum
    }
}

fn wrapping(zone: &str, object: Id) -> Vec<u8> {
    format!("moretta key 1 {zone} {object}").into_bytes()
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapped_key_opens_for_its_object_in_its_zone_only() {
        let (zone, key, object) = (Key::random(), Key::random(), Id::random());
        let wrapped = zone.wrap("raw", object, &key);
        let opened = |zone: &Key, name, object, wrapped: &[u8]| {
            zone.unwrap(name, object, wrapped).map(|key| *key.bytes())
        };
        assert_eq!(opened(&zone, "raw", object, &wrapped), Some(*key.bytes()));
        assert_eq!(opened(&zone, "release", object, &wrapped), None);
        assert_eq!(opened(&zone, "raw", Id::random(), &wrapped), None);
        assert_eq!(opened(&Key::random(), "raw", object, &wrapped), None);
        assert_eq!(opened(&zone, "raw", object, &wrapped[1..]), None);
        assert_eq!(opened(&zone, "raw", object, &[]), None);
    }

    #[test]
    fn a_key_is_not_shown() {
        assert_eq!(format!("{:?}", Key::random()), "Key");
    }

    #[test]
    fn sums_differ_by_key_and_purpose() {
        let key = Key::random();
        assert_eq!(key.sum("a", b"x"), key.sum("a", b"x"));
        assert_ne!(key.sum("a", b"x"), key.sum("b", b"x"));
        assert_ne!(key.sum("a", b"x"), Key::random().sum("a", b"x"));
    }
}
