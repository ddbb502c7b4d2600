//! The options of Hoeffding trees, and of all learners that are made of them.

use super::model::saved;
use super::split::Criterion;
use super::subspace::Draw;
use crate::error::{Error, Result};

/// The options, by default MOA's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HoeffdingTree {
    /// Weight that a leaf takes in between two looks at its splits; more is faster and
    /// splits later.
    pub grace_period: f64,
    /// The probability of a wrong split: closer to 0 takes longer to decide.
    pub split_confidence: f64,
    /// Splits whose merits cannot be told apart better than this are tied, and the best
    /// is taken; 0 waits for ever.
    pub tie_threshold: f64,
    /// How splits are compared.
    pub criterion: Criterion,
    /// How leaves predict.
    pub leaf: LeafPrediction,
    /// Whether nominal attributes split in two only.
    pub binary_splits: bool,
    /// Thresholds tried for a number, equally spaced between its extremes.
    pub split_points: u32,
    /// How many attributes, drawn at random, a leaf observes; all if none is given.
    pub subspace: Option<usize>,
    /// How they are drawn.
    pub draw: Draw,
    /// Bytes that the tree may occupy.
    pub memory_limit: usize,
}

impl Default for HoeffdingTree {
    fn default() -> Self {
        HoeffdingTree {
            grace_period: 200.0,
            split_confidence: 1e-7,
            tie_threshold: 0.05,
            criterion: Criterion::InformationGain,
            leaf: LeafPrediction::Adaptive,
            binary_splits: false,
            split_points: 10,
            subspace: None,
            draw: Draw::default(),
            memory_limit: 32 << 20,
        }
    }
}

impl HoeffdingTree {
    pub(super) fn check(&self) -> Result<()> {
        let fault = |option: &str, range: &str| {
            Err(Error::usage(format!("the {option} is out of range"))
                .help(format!("choose the {option} {range}")))
        };
        if !(self.grace_period >= 1.0 && self.grace_period.is_finite()) {
            return fault("grace period", "from 1");
        }
        if !(self.split_confidence > 0.0 && self.split_confidence < 1.0) {
            return fault("split confidence", "between 0 and 1");
        }
        if !(0.0..=1.0).contains(&self.tie_threshold) {
            return fault("tie threshold", "from 0 to 1");
        }
        if !(1..=1000).contains(&self.split_points) {
            return fault("number of split points", "from 1 to 1000");
        }
        Ok(())
    }
}

saved!(
    struct HoeffdingTree {
        grace_period, split_confidence, tie_threshold, criterion, leaf, binary_splits,
        split_points, subspace, draw, memory_limit
    } if |tree| tree.check().is_ok(), else "options of a tree that are out of range"
);

/// How a leaf predicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LeafPrediction {
    /// Its most frequent class.
    Majority,
    /// Naive Bayes on what it observed.
    NaiveBayes,
    /// Whichever of the two was more often right in this leaf.
    #[default]
    Adaptive,
}

saved!(enum LeafPrediction { Majority, NaiveBayes, Adaptive } else "a leaf that predicts like none");
