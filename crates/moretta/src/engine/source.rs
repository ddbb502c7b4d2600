//! Where rows come from.

use crate::data::Batch;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// Gives rows. After a restart it gives the same rows in the same order.
pub trait Source {
    /// The next rows; none when it has ended. A batch without rows says that there are none yet, so
    /// that what has left is committed meanwhile.
    fn next(&mut self) -> Result<Option<Batch>>;

    /// Where the row after those that were given last begins, by a number that means something
    /// to the source: an offset of a broker, a byte of a file. None where there is none.
    fn position(&self) -> Option<u64> {
        None
    }

    /// Goes to a position that it has told before; false where it cannot.
    fn seek(&mut self, _position: u64) -> Result<bool> {
        Ok(false)
    }

    /// What was odd about the rows.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A place in a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Rows before it.
    pub rows: u64,
    /// The last position at or before it that the source has told, and the rows before that.
    pub position: Option<(u64, u64)>,
}

/// Any iterator of rows.
pub(super) struct Each<I>(pub(super) I);

impl<I: Iterator<Item = Result<Batch>>> Source for Each<I> {
    fn next(&mut self) -> Result<Option<Batch>> {
        self.0.next().transpose()
    }
}
