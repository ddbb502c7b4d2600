//! Where results go: the terminal, files, and a line that tells how far a study is.

use moretta::{Error, Result};
use std::io::{IsTerminal, Write};
use std::path::Path;

pub(crate) fn print(text: &str) -> Result<()> {
    let written = std::io::stdout().write_all(text.as_bytes());
    written.map_err(|e| Error::io("write", "-", e))
}

pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|e| Error::io("write", path, e))
}

pub(crate) fn create_folder(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).map_err(|e| Error::io("create", path, e))
}

/// Tells a terminal how far the runs are.
pub(crate) fn progress(done: usize, all: usize) {
    let mut out = std::io::stderr();
    if out.is_terminal() {
        let end = if done == all { "\r\u{1b}[K" } else { "" };
        // A lost line of progress harms nobody.
        let _ = write!(out, "\r{done} of {all} runs{end}");
    }
}
