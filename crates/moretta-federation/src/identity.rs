//! Who a party is: federation, role and id in its certificate, and the public key that is pinned.
//!
//! A certificate of ours has exactly one URI among its names, `moretta://federation/role/id`. The
//! pin is the Ed25519 public key itself, so a renewed certificate with the same key keeps its pin, and
//! the same key can check what the party signs inside of frames.

use std::fmt;
use std::str::FromStr;

use moretta_data::{Error, Result};
use rustls::pki_types::CertificateDer;
use sha2::{Digest, Sha256};
use webpki::EndEntityCert;

use crate::refusal::Refusal;

/// The name of a federation or party: 1 to 64 letters, digits, `.`, `-` and `_`, the first a letter
/// or digit, so that it fits into a URI and is a file name.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Name(String);

impl Name {
    /// The name, where it is one.
    pub fn new(text: &str) -> Result<Self> {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        let begins = |byte: &u8| byte.is_ascii_alphanumeric();
        if text.len() <= 64 && text.bytes().all(fits) && text.as_bytes().first().is_some_and(begins)
        {
            return Ok(Name(text.to_owned()));
        }
        Err(
            Error::policy("the name of a federation or party does not fit")
                .help("use 1 to 64 letters, digits, dots, hyphens and underscores"),
        )
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a party does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Role {
    /// Holds columns.
    Site,
    /// Gives final answers, and listens.
    Aggregator,
    /// Joins what sources forward at a place of its own, and listens.
    Trouble,
    /// Sends true classes, and listens.
    Labels,
    /// Takes answers.
    Consumer,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 5] = [
        Role::Site,
        Role::Aggregator,
        Role::Trouble,
        Role::Labels,
        Role::Consumer,
    ];

    /// Its name in a policy and a certificate.
    pub fn name(self) -> &'static str {
        match self {
            Role::Site => "site",
            Role::Aggregator => "aggregator",
            Role::Trouble => "trouble",
            Role::Labels => "labels",
            Role::Consumer => "consumer",
        }
    }

    /// Whether others dial it.
    pub fn listens(self) -> bool {
        matches!(self, Role::Aggregator | Role::Trouble | Role::Labels)
    }
}

impl FromStr for Role {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|role| role.name() == text);
        found.ok_or_else(|| {
            Error::policy("there is no such role in a federation")
                .help("use site, aggregator, trouble, labels or consumer")
        })
    }
}

/// Who a certificate is for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Identity {
    /// The federation.
    pub federation: Name,
    /// What the party does.
    pub role: Role,
    /// Its id, unique in the federation.
    pub id: Name,
}

const SCHEME: &str = "moretta://";

impl Identity {
    /// Reads the one URI of a certificate.
    pub fn of(certificate: &CertificateDer<'_>) -> std::result::Result<Self, Refusal> {
        let parsed = EndEntityCert::try_from(certificate).map_err(|_| Refusal::Unnamed)?;
        let mut names = parsed.valid_uri_names();
        match (names.next(), names.next()) {
            (Some(name), None) => Self::parse(name).ok_or(Refusal::Unnamed),
            _ => Err(Refusal::Unnamed),
        }
    }

    /// The URI of its certificate.
    pub fn uri(&self) -> String {
        format!(
            "{SCHEME}{}/{}/{}",
            self.federation,
            self.role.name(),
            self.id
        )
    }

    fn parse(uri: &str) -> Option<Self> {
        let mut parts = uri.strip_prefix(SCHEME)?.split('/');
        let identity = Identity {
            federation: Name::new(parts.next()?).ok()?,
            role: parts.next()?.parse().ok()?,
            id: Name::new(parts.next()?).ok()?,
        };
        parts.next().is_none().then_some(identity)
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} `{}` of `{}`",
            self.role.name(),
            self.id,
            self.federation
        )
    }
}

/// The Ed25519 public key of a party, written as 64 small hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pin(pub [u8; 32]);

/// What the public key of a certificate begins with where it is one of Ed25519 (RFC 8410).
const ED25519: [u8; 12] = [
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
];

impl Pin {
    /// The public key of a certificate; none where it is not one of Ed25519.
    pub fn of(certificate: &CertificateDer<'_>) -> Option<Self> {
        let parsed = EndEntityCert::try_from(certificate).ok()?;
        let key = parsed.subject_public_key_info();
        Some(Pin(key.strip_prefix(&ED25519[..])?.try_into().ok()?))
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&digits(&self.0))
    }
}

impl FromStr for Pin {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        from_digits(text).map(Pin).ok_or_else(|| {
            Error::policy("the pin of a party is not 64 small hexadecimal digits")
                .help("`moretta federation keys` prints it")
        })
    }
}

/// SHA-256 of a certificate, as other programs show it.
pub fn fingerprint(certificate: &CertificateDer<'_>) -> String {
    digits(&Sha256::digest(certificate))
}

/// Bytes as small hexadecimal digits.
pub(crate) fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// 32 bytes from small hexadecimal digits, of which there is one text alone.
pub(crate) fn from_digits(text: &str) -> Option<[u8; 32]> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != 64 || !text.bytes().all(is_digit) {
        return None;
    }
    let mut bytes = [0; 32];
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * place..2 * place + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_is_read_as_it_is_written() {
        let identity = Identity {
            federation: Name::new("ward-7").expect("a name"),
            role: Role::Site,
            id: Name::new("lab").expect("a name"),
        };
        assert_eq!(identity.uri(), "moretta://ward-7/site/lab");
        assert_eq!(Identity::parse(&identity.uri()), Some(identity));
    }

    #[test]
    fn other_uris_are_nobody() {
        let check = |uri| assert_eq!(Identity::parse(uri), None, "{uri}");
        check("");
        check("https://ward-7/site/lab");
        check("moretta://ward-7/site");
        check("moretta://ward-7/site/lab/");
        check("moretta://ward-7/king/lab");
        check("moretta:///site/lab");
        check("moretta://ward-7/site/../x");
        check("moretta://ward-7/site/a b");
    }

    #[test]
    fn names_are_file_names() {
        let check = |name: &str, fits| assert_eq!(Name::new(name).is_ok(), fits, "{name}");
        check("a", true);
        check("Lab_2.b-c", true);
        check(&"x".repeat(64), true);
        check(&"x".repeat(65), false);
        check("", false);
        check(".hidden", false);
        check("-flag", false);
        check("a/b", false);
        check("ä", false);
    }

    #[test]
    fn pins_have_one_text_alone() {
        let text = "0f".repeat(32);
        assert_eq!(text.parse::<Pin>().expect("a pin").to_string(), text);
        let check = |text: &str| assert!(text.parse::<Pin>().is_err(), "{text}");
        check("");
        check(&"0F".repeat(32));
        check(&"0f".repeat(31));
        check(&"ä".repeat(32));
    }
}
