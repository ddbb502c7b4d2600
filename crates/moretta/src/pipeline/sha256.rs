//! The SHA-256 of files and texts, in hexadecimal.

use crate::error::{Error, Result};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Of a text.
pub(super) fn of_text(text: &str) -> String {
    show(&Sha256::digest(text.as_bytes()))
}

/// Of a file, and its length.
pub(super) fn of_file(path: &Path) -> Result<(String, u64)> {
    let failed = |e| Error::io("read", path, e);
    let mut file = File::open(path).map_err(failed)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        let n = file.read(&mut buffer).map_err(failed)?;
        if n == 0 {
            return Ok((show(&hasher.finalize()), bytes));
        }
        hasher.update(&buffer[..n]);
        bytes += n as u64;
    }
}

fn show(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
