//! Where checked rows go.

use super::session::{Checked, Resume};
use crate::error::Result;

/// Takes checked rows. What it takes counts only once it is committed.
pub trait Sink {
    /// Takes rows.
    fn write(&mut self, rows: &Checked) -> Result<()>;

    /// The rows that were taken so far count, and a session goes on from there: both or
    /// neither. At the end there is nothing to go on from.
    fn commit(&mut self, so_far: Option<&Resume>) -> Result<()>;

    /// Whether a commit would have to wait for the one before it, so that one that is due may come
    /// later; rows that were taken meanwhile count with it.
    fn is_busy(&self) -> bool {
        false
    }

    /// Something failed: rows that can be taken back are taken back.
    fn abort(&mut self);
}

impl<S: Sink + ?Sized> Sink for &mut S {
    fn write(&mut self, rows: &Checked) -> Result<()> {
        (**self).write(rows)
    }

    fn commit(&mut self, so_far: Option<&Resume>) -> Result<()> {
        (**self).commit(so_far)
    }

    fn is_busy(&self) -> bool {
        (**self).is_busy()
    }

    fn abort(&mut self) {
        (**self).abort();
    }
}
