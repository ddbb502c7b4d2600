//! The options of Hoeffding trees, and of all learners that are made of them.

use super::model::{Loaded, Reader, Saved, Writer, odd, saved};
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
    /// Whether a leaf in which no split is worth anything splits all the same on its last
    /// nominal attribute, once the bound is below the tie threshold, as in MOA. Nearly all
    /// of its records go on to one new leaf, which starts from what the old one observed
    /// itself and not from what that was given when it was made. So leaves forget little by
    /// little, and the tree grows for as long as the stream does, up to its memory limit.
    pub resplit: bool,
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
            resplit: false,
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

/// How nominal attributes split is one byte, as it was when they could not split again.
impl Saved for HoeffdingTree {
    fn save(&self, out: &mut Writer) {
        out.f64s(&[self.grace_period, self.split_confidence, self.tie_threshold]);
        self.criterion.save(out);
        self.leaf.save(out);
        out.byte(u8::from(self.binary_splits) | u8::from(self.resplit) << 1);
        self.split_points.save(out);
        self.subspace.save(out);
        self.draw.save(out);
        self.memory_limit.save(out);
    }
}

impl<With> Loaded<With> for HoeffdingTree {
    fn load(with: &With, from: &mut Reader<'_>) -> Result<Self> {
        let mut tree = HoeffdingTree {
            grace_period: from.f64()?,
            split_confidence: from.f64()?,
            tie_threshold: from.f64()?,
            criterion: Loaded::load(with, from)?,
            leaf: Loaded::load(with, from)?,
            ..HoeffdingTree::default()
        };
        (tree.binary_splits, tree.resplit) = match from.byte()? {
            splits @ 0..4 => (splits & 1 > 0, splits & 2 > 0),
            _ => return Err(odd("splits of a kind that there is not")),
        };
        tree.split_points = Loaded::load(with, from)?;
        tree.subspace = Loaded::load(with, from)?;
        tree.draw = Loaded::load(with, from)?;
        tree.memory_limit = Loaded::load(with, from)?;
        match tree.check() {
            Ok(()) => Ok(tree),
            Err(_) => Err(odd("options of a tree that are out of range")),
        }
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

saved!(enum LeafPrediction { Majority, NaiveBayes, Adaptive } else "a leaf that predicts like none");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_as_they_were_saved_also_before_leaves_could_split_again() {
        const SPLITS: usize = 3 * 8 + 2;
        for (binary_splits, resplit, byte) in [
            (false, false, 0),
            (true, false, 1),
            (false, true, 2),
            (true, true, 3),
        ] {
            let options = HoeffdingTree {
                binary_splits,
                resplit,
                subspace: Some(2),
                ..HoeffdingTree::default()
            };
            let mut out = Writer::default();
            options.save(&mut out);
            let mut bytes = out.into_bytes();
            assert_eq!((bytes.len(), bytes[SPLITS]), (49, byte));
            let loaded = HoeffdingTree::load(&(), &mut Reader::new(&bytes));
            assert_eq!(loaded.expect("sound"), options);
            bytes[SPLITS] = 4;
            assert!(HoeffdingTree::load(&(), &mut Reader::new(&bytes)).is_err());
        }
    }
}
