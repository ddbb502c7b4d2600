//! A small file that says how far something is: only its owner can read it, it is written whole or
//! not at all, and ends with the SHA-256 of what it says.

use super::place::folder_of;
use super::sha256;
use crate::error::{Error, Result};
use crate::io::Files;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Reads what the file says; none where there is no file.
///
/// # Errors
/// When it is damaged or says something else; `again` is how to begin anew.
pub(super) fn read<T: DeserializeOwned>(
    path: &Path,
    files: &Files,
    again: &str,
) -> Result<Option<T>> {
    let refuse = |what: String| refused(path, &what, again);
    let text = match files.read_text(path) {
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
pub(super) fn write(path: &Path, files: &Files, said: &impl Serialize) -> Result<()> {
    let body = serde_json::to_string(said)
        .map_err(|e| Error::bug(format!("a checkpoint that is no JSON: {e}")))?;
    let sum = sha256::of_text(&body);
    let next = next(path);
    let text = format!("{body}\n{sum}\n");
    if files.are_provided() {
        let written = files.write(&next, text.as_bytes());
        let placed = written.and_then(|()| files.rename(&next, path));
        return placed.map_err(|e| Error::io("write", path, e));
    }
    std::fs::create_dir_all(folder_of(path))
        .and_then(|()| files.write(&next, text.as_bytes()))
        .and_then(|()| std::fs::rename(&next, path))
        .and_then(|()| std::fs::File::open(folder_of(path))?.sync_all())
        .map_err(|e| Error::io("write", path, e))
}

/// Takes the file away: what is finished must not be gone on with.
pub(super) fn remove(path: &Path, files: &Files) -> Result<()> {
    // A killed run may have left it.
    let _ = files.remove(&next(path));
    files.remove(path).map_err(|e| Error::io("remove", path, e))
}

/// The file on its way; always the same name, so that a crash leaves at most one of them.
fn next(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.next"))
}
