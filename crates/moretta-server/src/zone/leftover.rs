//! Files that no record names any more.

use crate::store::Store;
use std::fs;
use std::path::PathBuf;

/// Files to remove after the transaction that has forgotten them. Where nobody does, because the
/// server was killed, the next start sweeps them away.
#[derive(Debug, Default)]
#[must_use = "remove the files after the transaction"]
pub struct Leftover(Vec<PathBuf>);

impl Leftover {
    /// A file that nobody has recorded, or will have forgotten.
    pub(crate) fn of(path: PathBuf) -> Self {
        Leftover(vec![path])
    }

    /// These and those.
    pub fn and(&mut self, other: Leftover) {
        self.0.extend(other.0);
    }

    /// Removes the files, and what their wrapped keys have left behind in the file of the store.
    /// What cannot be removed is left to the sweep: without its key it is worth nothing.
    pub fn remove(self, store: &Store) {
        if self.0.is_empty() {
            return;
        }
        for path in &self.0 {
            let _ = fs::remove_file(path);
        }
        let _ = store.db().wipe();
    }
}
