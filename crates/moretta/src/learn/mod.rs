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
//! model, for any number of threads.

mod header;
mod knn;
mod linear;
mod list;
pub mod prequential;

pub use header::{Header, Input};
pub use knn::{NearestNeighbours, NearestNeighboursLearner};
pub use linear::{Linear, LinearLearner, Rule};
pub use list::{LEARNERS, LearnerInfo, build};

/// Predicts classes of records and learns from records whose class is known.
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

    /// Bytes that the model occupies.
    fn memory(&self) -> usize;
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
