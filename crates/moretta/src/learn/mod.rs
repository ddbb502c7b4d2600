//! Learners of streams: each record is predicted, then learnt, then forgotten.
//!
//! A record is a slice of numbers, one for each attribute of its [`Header`]: a number
//! stands for itself, a nominal value for its code, NaN for a missing value. A learner
//! votes for classes; the class with most votes is its prediction. Learners keep
//! counts and moments, never records, but what they keep tells about the records: a
//! model is no protection by itself.
//!
//! Each learner is an inert struct of options with MOA's defaults and a method `build`,
//! which fails before the first record is seen. The same seed and stream give the same
//! model, for any number of threads; a [`Model`] is a learner that was saved, to go on
//! with later.
//!
//! ```
//! use moretta::learn::{Header, Input, Learner, NaiveBayes, predicted};
//!
//! let header = Header::new(vec![Input::Number], 2)?;
//! let mut learner = NaiveBayes.build(&header);
//! for (record, class) in [([1.0], 0), ([1.5], 0), ([8.0], 1), ([9.0], 1)] {
//!     learner.learn(&record, class);
//! }
//! let mut votes = Vec::new();
//! learner.predict(&[2.0], &mut votes);
//! assert_eq!(predicted(&votes), 0);
//! # Ok::<(), moretta::Error>(())
//! ```

pub mod drift;
pub mod prequential;

mod adaptive_random_forest;
mod ensemble;
mod gaussian;
mod header;
mod hoeffding_adaptive_tree;
mod hoeffding_tree;
mod knn;
mod leaf;
mod linear;
mod list;
mod majority;
pub(crate) mod model;
mod naive_bayes;
mod observers;
mod online_bagging;
mod poisson;
mod saved;
mod split;
mod subspace;
mod tree_options;

pub use adaptive_random_forest::{AdaptiveRandomForest, AdaptiveRandomForestLearner, SubspaceSize};
pub(crate) use header::MOST_COUNTS;
pub use header::{Header, Input};
pub use hoeffding_adaptive_tree::{HoeffdingAdaptiveTree, HoeffdingAdaptiveTreeLearner};
pub use hoeffding_tree::HoeffdingTreeLearner;
pub use knn::{NearestNeighbours, NearestNeighboursLearner};
pub use linear::{Linear, LinearLearner, Rule};
pub(crate) use list::load as load_learner;
pub use list::{
    DetectorKind, DriftReset, DriftResetLearner, LEARNERS, LearnerInfo, build, check_learner,
    split_learners,
};
pub use majority::{Majority, MajorityLearner};
pub use model::{Knowledge, Meaning, Vocabulary};
pub use naive_bayes::{NaiveBayes, NaiveBayesLearner};
pub use online_bagging::{OnlineBagging, OnlineBaggingLearner};
pub use saved::Model;
pub use split::Criterion;
pub use subspace::Draw;
pub use tree_options::{HoeffdingTree, LeafPrediction};

use crate::data::Records;

/// Predicts classes of records and learns from records whose class is known.
///
/// A record has a number for each attribute of the header that the learner was built
/// for. A record of a class that the header does not have is not learnt.
pub trait Learner: Send {
    /// Replaces `votes` by one vote for each class, none of them negative; all are 0
    /// if nothing is known.
    fn predict(&self, record: &[f64], votes: &mut Vec<f64>);

    /// Learns a record as if it had come `weight` times.
    fn learn_weighted(&mut self, record: &[f64], class: u32, weight: f64);

    /// Learns a record.
    fn learn(&mut self, record: &[f64], class: u32) {
        self.learn_weighted(record, class, 1.0);
    }

    /// Predicts each record before it is learnt, and replaces `votes` by those of all
    /// records, one after the other.
    fn predict_then_learn(&mut self, records: &Records, classes: &[u32], votes: &mut Vec<f64>) {
        let mut own = Vec::new();
        votes.clear();
        for (record, &class) in records.iter().zip(classes) {
            self.predict(record, &mut own);
            votes.extend_from_slice(&own);
            self.learn(record, class);
        }
    }

    /// Which part of the space of records this one lies in, for learners that divide it.
    fn region(&self, _record: &[f64]) -> Option<u64> {
        None
    }

    /// Bytes that the model occupies.
    fn memory(&self) -> usize;

    /// What the learner knows, for [`Model::save`]; nothing of one that cannot be saved.
    fn knowledge(&self) -> Option<Knowledge> {
        None
    }
}

/// The class with most votes; of several the first, and the first class without votes.
pub fn predicted(votes: &[f64]) -> u32 {
    let mut best = 0;
    for (class, &vote) in votes.iter().enumerate() {
        if vote > votes[best] {
            best = class;
        }
    }
    best as u32
}
