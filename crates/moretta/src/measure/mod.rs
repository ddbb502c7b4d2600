//! Measures of what a release loses and what it risks.

mod column;
mod groups;
pub mod histogram;
mod list;
mod measures;
pub mod pairs;
pub mod risk;
pub mod stream;
pub mod utility;

pub use groups::{SizeCount, Sizes};
pub use histogram::{Bin, Histogram, HistogramBuilder, kept};
pub use list::{ACCURACY_LOSSES, Family, Info, LIST, info, is_accuracy_loss};
pub use measures::{Measures, Value};
pub use pairs::{PAIR_LIST, PairMeasure, PairMeasures};
pub use risk::{Band, ColumnRisk, Exposure, RiskByColumn};
pub use stream::{STREAM_LIST, StreamMeasures};

/// Whether a larger or a smaller value is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Smaller is better.
    Low,
    /// Larger is better.
    High,
}
