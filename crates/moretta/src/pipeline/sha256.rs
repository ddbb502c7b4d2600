//! The SHA-256 of files and texts, in hexadecimal.
//!
//! Of what is published anybody may know the sum. The sum of an original confirms a guess
//! at it, so it is told under a key only: HMAC-SHA-256 of the bytes of the file, which
//! `openssl dgst -sha256 -hmac KEY FILE` gives, too.

use crate::error::{Error, Result};
use crate::io::Files;
use crate::protect::identifiers::Key;
use hmac::Mac;
use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::Path;

/// Of a text.
pub(super) fn of_text(text: &str) -> String {
    show(&Sha256::digest(text.as_bytes()))
}

/// Of a file, and its length.
pub(super) fn of_file(path: &Path, files: &Files) -> Result<(String, u64)> {
    let mut hasher = Sha256::new();
    let bytes = read(path, files, |part| hasher.update(part))?;
    Ok((show(&hasher.finalize()), bytes))
}

/// Of a file that only those who have the key may recognise.
pub(super) fn of_file_with_key(path: &Path, files: &Files, key: &Key) -> Result<String> {
    let mut mac = key.mac();
    read(path, files, |part| mac.update(part))?;
    Ok(show(&mac.finalize().into_bytes()))
}

/// Shows the bytes of a file part by part, and tells how many there are.
fn read(path: &Path, files: &Files, mut see: impl FnMut(&[u8])) -> Result<u64> {
    let failed = |e| Error::io("read", path, e);
    let mut file = files.open(path).map_err(failed)?;
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => return Ok(bytes),
            n => {
                see(&buffer[..n]);
                bytes += n as u64;
            }
        }
    }
}

fn show(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyed_sum_is_the_hmac_of_the_bytes() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), "what do ya want for nothing?").expect("written");
        // By `openssl dgst -sha256 -hmac`.
        let key = Key::new(b"0123456789abcdef".to_vec()).expect("long enough");
        let expected = "e9265dc1bf18d4ec36915d9e82226c7ea0fa4e7f8077f611515bd5e29ec9988c";
        let files = &Files::default();
        let keyed = of_file_with_key(file.path(), files, &key);
        assert_eq!(keyed.expect("read"), expected);
        let (open, bytes) = of_file(file.path(), files).expect("read");
        assert_ne!(open, expected);
        assert_eq!(bytes, 28);
    }
}
