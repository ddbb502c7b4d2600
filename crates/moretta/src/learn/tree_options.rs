//! The options of Hoeffding trees, and of all learners that are made of them.

use super::model::{Reader, Writer, odd};
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
    pub(super) fn save(&self, out: &mut Writer) {
        out.f64s(&[self.grace_period, self.split_confidence, self.tie_threshold]);
        self.criterion.save(out);
        self.leaf.save(out);
        out.bool(self.binary_splits);
        out.u32(self.split_points);
        out.bool(self.subspace.is_some());
        out.size(self.subspace.unwrap_or(0));
        self.draw.save(out);
        out.size(self.memory_limit);
    }

    /// Fails on options out of range.
    pub(super) fn load(from: &mut Reader<'_>) -> Result<Self> {
        let options = HoeffdingTree {
            grace_period: from.f64()?,
            split_confidence: from.f64()?,
            tie_threshold: from.f64()?,
            criterion: Criterion::load(from)?,
            leaf: LeafPrediction::load(from)?,
            binary_splits: from.bool()?,
            split_points: from.u32()?,
            subspace: {
                let (drawn, size) = (from.bool()?, from.size()?);
                drawn.then_some(size)
            },
            draw: Draw::load(from)?,
            memory_limit: from.size()?,
        };
        let sound = options.check();
        sound.map_err(|_| odd("options of a tree that are out of range"))?;
        Ok(options)
    }

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

impl LeafPrediction {
    pub(super) fn save(self, out: &mut Writer) {
        out.byte(match self {
            LeafPrediction::Majority => 0,
            LeafPrediction::NaiveBayes => 1,
            LeafPrediction::Adaptive => 2,
        });
    }

    pub(super) fn load(from: &mut Reader<'_>) -> Result<Self> {
        match from.byte()? {
            0 => Ok(LeafPrediction::Majority),
            1 => Ok(LeafPrediction::NaiveBayes),
            2 => Ok(LeafPrediction::Adaptive),
            _ => Err(odd("a leaf that predicts like none")),
        }
    }
}
