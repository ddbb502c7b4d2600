//! Judges learners on streams: each record is a test before it is a lesson.
//!
//! A [`Trial`] leads a learner through a stream by a [`Schedule`] and gives its
//! answers to a [`Score`], which tells accuracy, kappas, recall, precision and F1 over
//! all results, over the last ones, and with old ones faded; how accuracy varies over
//! blocks; and how it went over time. The first results may be left out of everything.
//!
//! *Does not tell* how another order of the same records would have gone.
//! *Costs* O(1) a result beside the learner's own work, and memory for one window.
//! *From* Dawid (1984); Gama, Sebastião, Rodrigues (2013).

mod blocks;
mod confusion;
mod fading;
mod score;
mod sliding;
mod timeline;
mod trial;

pub use blocks::Blocks;
pub use confusion::{ClassFigures, Confusion, Figures, Outcome};
pub use fading::Fading;
pub use score::{Score, ScoreSettings};
pub use sliding::Sliding;
pub use timeline::ScorePoint;
pub use trial::{Schedule, Trial};
