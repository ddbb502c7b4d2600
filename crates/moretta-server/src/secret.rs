//! Secrets that are shown once: the store knows their sums.

use sha2::{Digest, Sha256};
use std::fmt;

/// A secret text. It is written nowhere but where it is shown on purpose.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// This text.
    pub fn new(text: String) -> Self {
        Secret(text)
    }

    /// Its sum, as the store keeps it. The texts are random and long: no slow sum is needed.
    pub fn sum(&self) -> [u8; 32] {
        Sha256::digest(self.0.as_bytes()).into()
    }

    /// The text, for who is to know it.
    pub fn show(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Bytes in hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    use fmt::Write;
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}
