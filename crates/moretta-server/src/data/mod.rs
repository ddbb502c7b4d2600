//! Data: uploaded piece by piece or taken from the inbox, sealed as they come, kept in versions.
//!
//! Bytes of a client become a sealed object, a name that is never a path, and a row. What names
//! persons is taken out and lies in the vault before anybody can ask for the rest. Raw rows are read
//! by members with level 1 alone, page by page, each page in the log before it leaves; all others
//! see rounded counts.

mod deletion;
mod file_kind;
mod ingest;
mod profile;
mod set;
mod version;

pub use deletion::retention;
pub use set::DataSet;
pub use version::DataVersion;

use crate::http::Route;

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    let files = [
        ingest::routes(),
        set::routes(),
        version::routes(),
        profile::routes(),
        deletion::routes(),
    ];
    files.into_iter().flatten().collect()
}
