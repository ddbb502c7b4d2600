//! Measures of what a release loses and what it risks.
//!
//! All of them are in one [`LIST`]. Those of values that were made coarser are functions of
//! the groups of a table ([`Measures`]); the others are told of each pair of an original and
//! what is released of it, by the trait [`Measure`].

pub mod categorical;
mod column;
mod groups;
pub mod histogram;
mod list;
pub mod masked_intervals;
mod measures;
pub mod pairs;
pub mod risk;
pub mod stream;
pub mod utility;
mod values;

use categorical::Categorical;
pub use groups::{SizeCount, Sizes};
pub use histogram::{Bin, Histogram, HistogramBuilder, kept};
pub use list::{LIST, build, find, learnt};
pub use measures::{Figure, Grouped, Measures};
pub use pairs::{PairMeasures, PairSettings};
pub use risk::{Band, ColumnRisk, Exposure, Population, RiskByColumn, RiskSetting};
pub use stream::StreamMeasures;
pub use values::Value;

use crate::data::{Batch, Records};
use crate::error::Result;

/// Looks at originals and what is released of them, in the order in which rows leave.
///
/// A measure looks at rows, or at records: the masked columns as plain numbers. It is shown
/// both, and says what it does with the one that it needs.
pub trait Measure: Send {
    /// Row `i` of `released` was released for row `i` of `original`, with the columns that
    /// leave.
    ///
    /// # Errors
    /// When the columns are not such as it measures.
    fn observe(&mut self, _original: &Batch, _released: &Batch) -> Result<()> {
        Ok(())
    }

    /// One more record, and what is released of it. NaN is a missing value.
    fn observe_record(&mut self, _original: &[f64], _released: &[f64]) {}

    /// Of a table: all originals as records, before the first is shown.
    fn prepare(&mut self, _originals: &Records) {}

    /// What it has found so far; none while nothing can be said.
    fn value(&self) -> Option<f64>;
}

/// What a measure is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// How easily persons are found again.
    Risk,
    /// What the release no longer says.
    Loss,
}

impl Family {
    /// "risk" or "loss".
    pub fn word(self) -> &'static str {
        match self {
            Family::Risk => "risk",
            Family::Loss => "loss",
        }
    }
}

/// Whether a larger or a smaller value is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Smaller is better.
    Low,
    /// Larger is better.
    High,
}

impl Goal {
    /// "low" or "high".
    pub fn word(self) -> &'static str {
        match self {
            Goal::Low => "low",
            Goal::High => "high",
        }
    }
}

/// A measure of the [`LIST`].
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// The name used in a policy.
    pub name: &'static str,
    /// Risk or loss.
    pub family: Family,
    /// What it says, in one sentence.
    pub meaning: &'static str,
    /// Which way is better.
    pub goal: Goal,
    /// A share, shown as a percentage; else a plain number.
    pub percent: bool,
    /// What it needs.
    pub of: Of,
}

/// What a measure is computed from.
#[derive(Clone, Copy, Debug)]
pub enum Of {
    /// The groups of a table whose values were made coarser; none where they do not tell.
    Classes(fn(&Grouped<'_>) -> Option<Figure>),
    /// Pairs of records, the columns that are masked.
    Records(fn(&PairSettings) -> Box<dyn Measure>),
    /// Counts of pairs of records, the categories among the columns that are masked; none where
    /// nothing can be said.
    Categories(fn(&Categorical) -> Option<f64>),
    /// Learners that are led through the rows of any table or stream of records, and tested
    /// with rows as they were or as they are released.
    Lessons {
        /// The learner of the release is tested with what is released.
        masked: bool,
    },
    /// Attacks on a table whose values were made coarser, which are told from outside.
    Attacks,
    /// Events of a stream, of which the report tells all measures; no policy asks for them.
    Events,
}

impl Info {
    /// Whether a policy can ask for it, limit it or tune for it, under methods of which some
    /// make values coarser and some mask records.
    pub fn is_of(&self, coarse: bool, masks: bool) -> bool {
        match self.of {
            Of::Classes(_) | Of::Attacks => coarse,
            Of::Records(_) | Of::Categories(_) => masks,
            Of::Lessons { .. } => coarse || masks,
            Of::Events => false,
        }
    }

    /// Whether it needs a learner.
    pub fn is_learnt(&self) -> bool {
        matches!(self.of, Of::Lessons { .. })
    }
}
