//! A source or a release without rows, of which nothing can be said: one answer for all commands.
//! Where a policy promises k, no row is too few.

use crate::data::{Batch, Schema};
use crate::error::{Error, Result};
use crate::io::Source;
use crate::policy::Policy;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A source that must hold a row: where it ends without one, that is an error.
pub(super) struct Filled {
    source: Box<dyn Source>,
    path: PathBuf,
    k: Option<u32>,
    /// No row has come, and none was gone past.
    is_empty: bool,
}

impl Filled {
    pub(super) fn new(source: Box<dyn Source>, path: &Path, policy: &Policy) -> Self {
        Filled {
            source,
            path: path.to_owned(),
            k: policy.plan.guarantee.k,
            is_empty: true,
        }
    }
}

impl Iterator for Filled {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.source.next();
        match &next {
            Some(Ok(batch)) => self.is_empty &= batch.is_empty(),
            // What is wrong is told by itself.
            Some(Err(_)) => self.is_empty = false,
            None if self.is_empty => {
                self.is_empty = false;
                return Some(Err(no_rows(&self.path, self.k)));
            }
            None => {}
        }
        next
    }
}

impl Source for Filled {
    fn schema(&self) -> &Arc<Schema> {
        self.source.schema()
    }

    fn offset(&self) -> Option<u64> {
        self.source.offset()
    }

    fn seek(&mut self, position: u64) -> Result<bool> {
        let found = self.source.seek(position)?;
        self.is_empty &= !found;
        Ok(found)
    }

    fn notes(&self) -> Vec<String> {
        self.source.notes()
    }
}

/// The rows of a file.
///
/// # Errors
/// When there is none.
pub(super) fn filled(rows: Batch, path: &Path, policy: &Policy) -> Result<Batch> {
    match rows.is_empty() {
        true => Err(no_rows(path, policy.plan.guarantee.k)),
        false => Ok(rows),
    }
}

fn no_rows(path: &Path, k: Option<u32>) -> Error {
    let error = match k {
        Some(k) => Error::guarantee(format!("0 rows; k={k} needs at least {k} persons")),
        None => Error::input("a header, and no rows"),
    };
    error.in_file(path).help("bring a file with rows")
}
