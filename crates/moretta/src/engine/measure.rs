//! Measures of whoever embeds the library.

use crate::data::Batch;
use crate::error::Result;

/// Looks at originals and what is released of them.
pub trait Measure: Send {
    /// What it is called.
    fn name(&self) -> &str;

    /// Row `i` of `released` was released for row `i` of `original`. Rows come in the order
    /// in which they leave, with the columns that leave.
    ///
    /// # Errors
    /// When the columns are not such as it measures.
    fn observe(&mut self, original: &Batch, released: &Batch) -> Result<()>;

    /// What it has found; none where there was nothing to measure.
    fn value(&self) -> Option<f64>;
}
