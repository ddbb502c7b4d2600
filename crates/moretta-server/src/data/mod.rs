//! Data: uploaded piece by piece or taken from the inbox, sealed as they come, kept in versions.
//!
//! Bytes of a client become a sealed object, a name that is never a path, and a row. What names
//! persons is taken out and lies in the vault before anybody can ask for the rest. Raw rows are read
//! by members with level 1 alone, page by page, each page in the log before it leaves; all others
//! see rounded counts.

mod deletion;
mod file_kind;
mod ingest;
mod one_file;
mod profile;
mod raw_view;
mod set;
mod vault;
mod version;

pub use deletion::retention;
pub use set::DataSet;
pub use version::DataVersion;

use crate::http::Route;
use crate::problem::{Problem, Result};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    let files = [
        ingest::routes(),
        set::routes(),
        version::routes(),
        profile::routes(),
        deletion::routes(),
        raw_view::routes(),
        vault::routes(),
    ];
    files.into_iter().flatten().collect()
}

/// Holds a purpose against what a reader of the log can use.
fn check_purpose(purpose: &str) -> Result<()> {
    let hidden = purpose.chars().any(char::is_control);
    match purpose.trim().is_empty() || hidden || purpose.chars().count() > 300 {
        true => Err(Problem::unusable("say what for, in at most 300 characters")),
        false => Ok(()),
    }
}
