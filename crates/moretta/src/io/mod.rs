//! Sources and sinks: files, standard input and output.

pub mod generate;

use crate::data::{Batch, Schema};
use crate::error::Result;
use std::sync::Arc;

/// Gives batches of rows with ids 0, 1, 2, … in the order of the input.
pub trait Source: Iterator<Item = Result<Batch>> {
    /// Names, roles and kinds of the columns.
    fn schema(&self) -> &Arc<Schema>;
}

/// Takes batches of released rows.
pub trait Sink {
    /// Writes the rows; the ids do not reach the file.
    fn write(&mut self, batch: &Batch) -> Result<()>;
    /// Ends the file and makes sure it is on disk.
    fn close(&mut self) -> Result<()>;
}
