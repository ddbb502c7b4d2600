//! Methods that protect: one file a method, one trait for all.

use crate::data::{Batch, Schema};
use crate::error::Result;
use crate::guarantee::Guarantee;
use std::sync::Arc;

/// Turns original rows into rows that may be released.
///
/// Row-local methods return what they got; methods with state decide row by
/// row; table methods wait for the end. Ids travel with the rows: each id comes
/// out at most once, and none that did not go in.
pub trait Protector: Send {
    /// The schema of what it releases.
    fn schema(&self) -> &Arc<Schema>;
    /// Takes rows and gives what can be released now, maybe nothing.
    fn protect(&mut self, batch: Batch) -> Result<Batch>;
    /// Gives what is left; what may not be released is suppressed.
    fn finish(&mut self) -> Result<Batch>;
    /// What the release keeps to.
    fn guarantee(&self) -> Guarantee;
}
