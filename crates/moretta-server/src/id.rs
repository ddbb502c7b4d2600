//! Ids: 128 random bits, written as 32 hexadecimal digits.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// The id of anything that the server knows. Nobody can guess another one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id([u8; 16]);

impl Id {
    /// A new one.
    pub fn random() -> Self {
        Id(random_bytes())
    }

    /// The id with these bytes.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Id(bytes)
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Reads an id; `None` of a text that is none.
    pub fn parse(text: &str) -> Option<Self> {
        let lower = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if text.len() != 32 || !lower {
            return None;
        }
        u128::from_str_radix(text, 16)
            .ok()
            .map(|n| Id(n.to_be_bytes()))
    }
}

/// Random bytes of the operating system.
///
/// # Panics
/// When the operating system has none; nothing can be kept secret then.
pub fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(from)?;
        Id::parse(&text).ok_or_else(|| serde::de::Error::custom("not an id"))
    }
}

impl JsonSchema for Id {
    fn schema_name() -> Cow<'static, str> {
        "Id".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^[0-9a-f]{32}$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_as_it_is_written_and_in_no_other_way() {
        let id = Id::random();
        assert_eq!(Id::parse(&id.to_string()), Some(id));
        let upper = "AB".repeat(16);
        for text in ["", "ab", upper.as_str(), "+1234567890123456789012345678901"] {
            assert_eq!(Id::parse(text), None, "{text}");
        }
    }
}
