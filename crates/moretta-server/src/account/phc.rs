//! The text of a hash: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`, as password tools write it.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// A hash with what is needed to compute it again.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Phc {
    pub(super) memory: u32,
    pub(super) passes: u32,
    pub(super) lanes: u32,
    pub(super) salt: Vec<u8>,
    pub(super) hash: Vec<u8>,
}

impl Phc {
    /// Its text.
    pub(super) fn text(&self) -> String {
        let (salt, hash) = (base64(&self.salt), base64(&self.hash));
        format!(
            "$argon2id$v=19$m={},t={},p={}${salt}${hash}",
            self.memory, self.passes, self.lanes
        )
    }

    /// Reads it; none of another kind of hash.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("$argon2id$v=19$")?;
        let [costs, salt, hash] = parts(rest, '$')?;
        let [memory, passes, lanes] = parts(costs, ',')?;
        Some(Phc {
            memory: memory.strip_prefix("m=")?.parse().ok()?,
            passes: passes.strip_prefix("t=")?.parse().ok()?,
            lanes: lanes.strip_prefix("p=")?.parse().ok()?,
            salt: unbase64(salt)?,
            hash: unbase64(hash)?,
        })
    }
}

fn parts(text: &str, between: char) -> Option<[&str; 3]> {
    let mut parts = text.split(between);
    let three = [parts.next()?, parts.next()?, parts.next()?];
    parts.next().is_none().then_some(three)
}

/// Base64 without padding.
fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let number = three.iter().fold(0, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - three.len()));
        for place in 0..=three.len() {
            let digit = number >> (18 - 6 * place) & 63;
            text.push(char::from(DIGITS[digit as usize]));
        }
    }
    text
}

fn unbase64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for four in text.as_bytes().chunks(4) {
        let mut number = 0;
        for byte in four {
            number = number << 6 | DIGITS.iter().position(|digit| digit == byte)? as u32;
        }
        number <<= 6 * (4 - four.len());
        bytes.extend(&number.to_be_bytes()[1..four.len()]);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_as_they_are_written() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg"),
            ("fo", "Zm8"),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
            assert_eq!(unbase64(text).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(unbase64("Zg=="), None);
    }

    #[test]
    fn other_hashes_are_not_read() {
        let phc = Phc {
            memory: 8,
            passes: 1,
            lanes: 1,
            salt: vec![1; 16],
            hash: vec![2; 32],
        };
        assert!(Phc::parse(&phc.text()).is_some_and(|read| read == phc));
        for text in [
            "",
            "$2b$12$abc",
            "$argon2i$v=19$m=8,t=1,p=1$AA$AA",
            "$argon2id$v=19$m=8,t=1$AA$AA",
            "$argon2id$v=19$m=8,t=1,p=1$AA$AA$AA",
        ] {
            assert!(Phc::parse(text).is_none(), "{text}");
        }
    }
}
