//! The vault: what names persons lies apart from the data, under a key of its own.
//!
//! Which columns name persons is said when a data set is made, and can be more later. When a version arrives, each value of
//! them is replaced by a keyed pseudonym, the same in all versions of the data set, and goes with it
//! into an object of the vault; the file that came is deleted with its key. Policies, jobs and raw rows
//! see pseudonyms alone. Members with level 1 ask for the value behind one pseudonym at a time, and
//! each look is in the log.
//!
//! **Protects against** who reads the raw zone, its key included, or raw rows: they hold no name. Who
//! has only the vault learns who is in the data set, and nothing of them. Nobody without the key can
//! try names to find their pseudonyms.
//! **Does not protect against** who has both keys and the disk; against columns that name persons and
//! were not declared, free text among them; or against persons who stand out by other columns: that is
//! what releases are for. That two rows are of one person can be seen, as it has to be.

mod declare;
mod look;
mod pseudonym;
mod split;

pub(super) use split::{Parts, split};

use crate::http::Route;

pub(super) fn routes() -> Vec<Route> {
    [look::routes(), declare::routes()]
        .into_iter()
        .flatten()
        .collect()
}
