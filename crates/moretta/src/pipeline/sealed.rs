//! A small file that says how far something is: only its owner can read it, it is written whole or
//! not at all, and ends with the SHA-256 of what it says.

use super::place::folder_of;
use super::sha256;
use crate::error::{Error, Result};
use crate::io::create_private;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Reads what the file says; none where there is no file.
///
/// # Errors
/// When it is damaged or says something else; `again` is how to begin anew.
pub(super) fn read<T: DeserializeOwned>(path: &Path, again: &str) -> Result<Option<T>> {
    let refuse = |what: String| refused(path, &what, again);
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) if e.kind() == ErrorKind::InvalidData => {
            return Err(refuse("it is damaged: not a text".to_owned()));
        }
        Err(e) => return Err(Error::io("read", path, e)),
    };
    let (body, sum) = text
        .trim_end()
        .rsplit_once('\n')
        .ok_or_else(|| refuse("it is damaged: its end is missing".to_owned()))?;
    let found = sha256::of_text(body);
    if sum != found {
        return Err(refuse(format!(
            "it is damaged: its sum should be {found} and is not"
        )));
    }
    let known = serde_json::from_str(body)
        .map_err(|_| refuse("it is not a checkpoint of this version".to_owned()))?;
    Ok(Some(known))
}

/// That what the file says cannot be gone on with.
pub(super) fn refused(path: &Path, what: &str, again: &str) -> Error {
    let error = std::io::Error::new(ErrorKind::InvalidData, format!("{what}; {again}"));
    Error::io("resume from", path, error)
}

/// Puts the file in place of the one before, whole or not at all.
pub(super) fn write(path: &Path, said: &impl Serialize) -> Result<()> {
    let body = serde_json::to_string(said)
        .map_err(|e| Error::bug(format!("a checkpoint that is no JSON: {e}")))?;
    let sum = sha256::of_text(&body);
    let next = next(path);
    let text = format!("{body}\n{sum}\n");
    std::fs::create_dir_all(folder_of(path))
        .and_then(|()| write_private(&next, text.as_bytes()))
        .and_then(|()| std::fs::rename(&next, path))
        .and_then(|()| std::fs::File::open(folder_of(path))?.sync_all())
        .map_err(|e| Error::io("write", path, e))
}

/// Takes the file away: what is finished must not be gone on with.
pub(super) fn remove(path: &Path) -> Result<()> {
    // A killed run may have left it.
    let _ = std::fs::remove_file(next(path));
    std::fs::remove_file(path).map_err(|e| Error::io("remove", path, e))
}

/// The file on its way; always the same name, so that a crash leaves at most one of them.
fn next(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.next"))
}

/// Writes a file that only its owner can read, and brings it to disk.
fn write_private(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = create_private(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
