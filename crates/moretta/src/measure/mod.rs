//! Measures of what a release loses and what it risks.

mod column;
mod groups;
pub mod histogram;
mod list;
mod measures;
pub mod risk;
pub mod utility;

pub use groups::{SizeCount, Sizes};
pub use histogram::{Bin, Histogram, HistogramBuilder};
pub use list::{Family, Info, LIST, info};
pub use measures::{Measures, Value};
pub use risk::Band;

use crate::data::Batch;
use crate::error::Result;

/// Whether a larger or a smaller value is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Smaller is better.
    Low,
    /// Larger is better.
    High,
}

/// Watches pairs of original and released rows and has a value at any time.
pub trait Measure: Send {
    /// Row `i` of `protected` was released for row `i` of `original`.
    fn observe(&mut self, original: &Batch, protected: &Batch) -> Result<()>;
    /// The value so far.
    fn value(&self) -> f64;
    /// Which way is better.
    fn goal(&self) -> Goal;
}
