//! Leaves of Hoeffding trees: they observe, predict, and split when a split is surely best.
//!
//! After every grace period a leaf compares its best split with the second best, each
//! of another attribute. It splits when their merits differ by more than Hoeffding's
//! bound √(R² ln(1/δ)/(2n)), or when that bound is so small that they are as good as
//! tied. When no split is worth anything the leaf forgets what it observed: outliers
//! that stretched the range of a number do not stand in the way for ever. Or it
//! [splits again](HoeffdingTree::resplit) on a nominal attribute, as MOA's leaves do.

use super::model::{Loaded, Reader, Saved, Writer, odd};
use super::observers::Observers;
use super::split::Split;
use super::subspace::Subspace;
use super::tree_options::{HoeffdingTree, LeafPrediction};
use super::{Header, predicted};
use crate::error::Result;
use crate::math::java_random::JavaRandom;
use std::sync::Arc;

/// What all trees of a forest share.
#[derive(Clone, Debug)]
pub(super) struct Ground {
    pub(super) header: Arc<Header>,
    whole: Arc<Subspace>,
}

impl Ground {
    pub(super) fn new(header: &Header) -> Self {
        Ground {
            header: Arc::new(header.clone()),
            whole: Subspace::whole(header),
        }
    }
}

/// What all leaves of a tree share.
#[derive(Clone, Debug)]
pub(super) struct Soil {
    pub(super) options: HoeffdingTree,
    pub(super) header: Arc<Header>,
    /// Bytes of a leaf beside its node, at most.
    pub(super) leaf_memory: usize,
    whole: Arc<Subspace>,
    random: JavaRandom,
    votes: Vec<f64>,
    branches: Vec<f64>,
}

impl Soil {
    pub(super) fn new(options: HoeffdingTree, ground: &Ground, random: JavaRandom) -> Self {
        let Ground { header, whole } = ground.clone();
        let classes = header.classes();
        let drawn = match options.subspace {
            Some(_) => size_of::<Subspace>() + whole.memory(),
            None => 0,
        };
        let observers = size_of::<Observers>() + Observers::memory_of(&whole, classes);
        Soil {
            options,
            leaf_memory: classes * size_of::<f64>() + observers + drawn,
            header,
            whole,
            random,
            votes: Vec::with_capacity(classes),
            branches: Vec::new(),
        }
    }

    /// The state of the source of chance; the rest is known.
    pub(super) fn random(&self) -> &JavaRandom {
        &self.random
    }

    fn subspace(&mut self) -> Arc<Subspace> {
        match self.options.subspace {
            Some(size) => Subspace::drawn(&self.header, size, self.options.draw, &mut self.random),
            None => Arc::clone(&self.whole),
        }
    }
}

/// A leaf.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    weights: Vec<f64>,
    /// Nothing before the first record, and nothing in a leaf that was put to sleep.
    observers: Option<Box<Observers>>,
    awake: bool,
    weight_at_last_look: f64,
    majority_right: f64,
    bayes_right: f64,
}

impl Leaf {
    pub(super) fn new(weights: Vec<f64>) -> Self {
        Leaf {
            weight_at_last_look: weights.iter().sum(),
            weights,
            observers: None,
            awake: true,
            majority_right: 0.0,
            bayes_right: 0.0,
        }
    }

    pub(super) fn save(&self, soil: &Soil, out: &mut Writer) {
        out.f64s(&self.weights);
        out.f64s(&[
            self.weight_at_last_look,
            self.majority_right,
            self.bayes_right,
        ]);
        out.bool(self.awake);
        out.bool(self.observers.is_some());
        if let Some(observers) = &self.observers {
            if soil.options.subspace.is_some() {
                observers.subspace().save(out);
            }
            observers.save(out);
        }
    }

    pub(super) fn load(soil: &Soil, from: &mut Reader<'_>) -> Result<Self> {
        let classes = soil.header.classes();
        let mut leaf = Leaf {
            weights: from.f64s(classes)?,
            weight_at_last_look: from.f64()?,
            majority_right: from.f64()?,
            bayes_right: from.f64()?,
            awake: from.bool()?,
            observers: None,
        };
        if from.bool()? {
            let subspace = match soil.options.subspace {
                Some(_) => Subspace::load(&soil.header, from)?,
                None => Arc::clone(&soil.whole),
            };
            leaf.observers = Some(Box::new(Observers::load(&(subspace, classes), from)?));
        }
        match leaf.awake || leaf.observers.is_none() {
            true => Ok(leaf),
            false => Err(odd("a leaf that observes in its sleep")),
        }
    }

    #[inline]
    pub(super) fn votes(&self, record: &[f64], rule: LeafPrediction, votes: &mut Vec<f64>) {
        let bayes = match rule {
            LeafPrediction::Majority => false,
            LeafPrediction::NaiveBayes => true,
            LeafPrediction::Adaptive => self.majority_right <= self.bayes_right,
        };
        match &self.observers {
            Some(observers) if bayes => observers.votes(record, &self.weights, votes),
            _ => votes.clone_from(&self.weights),
        }
    }

    /// Takes a record.
    #[inline]
    pub(super) fn learn(&mut self, record: &[f64], class: u32, weight: f64, soil: &mut Soil) {
        if !self.awake {
            self.weights[class as usize] += weight;
            return;
        }
        if soil.options.leaf == LeafPrediction::Adaptive {
            self.judge(record, class, weight, &mut soil.votes);
        }
        self.weights[class as usize] += weight;
        let classes = soil.header.classes();
        let observers = self
            .observers
            .get_or_insert_with(|| Box::new(Observers::new(soil.subspace(), classes)));
        observers.add(record, class as usize, weight);
    }

    /// Counts whether each way to predict would have been right.
    fn judge(&mut self, record: &[f64], class: u32, weight: f64, votes: &mut Vec<f64>) {
        if predicted(&self.weights) == class {
            self.majority_right += weight;
        }
        self.votes(record, LeafPrediction::NaiveBayes, votes);
        if predicted(votes) == class {
            self.bayes_right += weight;
        }
    }

    /// Whether it was not put to sleep.
    pub(super) fn is_awake(&self) -> bool {
        self.awake
    }

    /// Whether a grace period is over.
    #[inline]
    pub(super) fn is_due(&self, grace: f64) -> bool {
        self.awake && self.weight() - self.weight_at_last_look >= grace
    }

    /// The split that is surely best and the leaves of its branches, if there is one.
    pub(super) fn split(&mut self, soil: &mut Soil) -> Option<(Split, Vec<Leaf>)> {
        let weight = self.weight();
        self.weight_at_last_look = weight;
        let present = self.weights.iter().filter(|&&weight| weight > 0.0);
        if present.count() < 2 {
            return None;
        }
        let observers = self.observers.as_deref()?;
        let (best, lead) = contest(observers, &self.weights, soil);
        let classes = self.weights.iter().rposition(|&weight| weight > 0.0)? + 1;
        let options = &soil.options;
        let range = options.criterion.range(classes);
        let bound = hoeffding_bound(range, options.split_confidence, weight);
        if lead.is_some_and(|lead| lead <= bound) && bound >= options.tie_threshold {
            return None;
        }
        let tied = bound < options.tie_threshold;
        let again = || observers.last_nominal_split(options.binary_splits);
        let Some(split) = best.or_else(|| again().filter(|_| tied && options.resplit)) else {
            if tied {
                self.forget();
            }
            return None;
        };
        let branches = observers.branches(&split);
        let leaves = branches.chunks_exact(self.weights.len());
        Some((
            split,
            leaves.map(|weights| Leaf::new(weights.to_vec())).collect(),
        ))
    }

    /// Drops what was observed, but not the classes.
    fn forget(&mut self) {
        *self = Leaf::new(std::mem::take(&mut self.weights));
    }

    /// Stops observing; the leaf goes on counting classes.
    pub(super) fn sleep(&mut self) {
        self.forget();
        self.awake = false;
    }

    /// Starts observing again.
    pub(super) fn wake(&mut self) {
        if !self.awake {
            self.forget();
        }
    }

    /// How much weight is not of the most frequent class: what a split could set right.
    pub(super) fn promise(&self) -> f64 {
        self.weight() - self.weights[predicted(&self.weights) as usize]
    }

    /// The weight of the records that came here.
    pub(super) fn weight(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Bytes on the heap.
    pub(super) fn memory(&self, soil: &Soil) -> usize {
        let observed = |observers: &Observers| {
            let drawn = match soil.options.subspace {
                Some(_) => size_of::<Subspace>() + observers.subspace().memory(),
                None => 0,
            };
            size_of::<Observers>() + observers.memory() + drawn
        };
        self.weights.capacity() * size_of::<f64>() + self.observers.as_deref().map_or(0, observed)
    }
}

/// The best split, and by how much it beats the best of the other attributes, if there
/// is another that is worth anything.
fn contest(
    observers: &Observers,
    weights: &[f64],
    soil: &mut Soil,
) -> (Option<Split>, Option<f64>) {
    let HoeffdingTree {
        criterion,
        split_points,
        binary_splits,
        ..
    } = soil.options;
    let nothing = f64::NEG_INFINITY;
    let (mut best, mut best_merit, mut second) = (None::<Split>, nothing, nothing);
    observers.splits(
        split_points,
        binary_splits,
        &mut soil.branches,
        |split, branches| {
            let merit = criterion.merit(weights, branches);
            let same = best.is_some_and(|best| best.attribute == split.attribute);
            if merit > best_merit {
                if !same {
                    second = best_merit;
                }
                (best, best_merit) = (Some(*split), merit);
            } else if !same {
                second = second.max(merit);
            }
        },
    );
    (best, (second > nothing).then_some(best_merit - second))
}

/// How far the mean of n values from a range can be from its expectation, but with
/// probability δ.
fn hoeffding_bound(range: f64, delta: f64, n: f64) -> f64 {
    (range * range * (1.0 / delta).ln() / (2.0 * n)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::super::Input;
    use super::*;

    fn soil(leaf: LeafPrediction) -> Soil {
        let header = Header::new(vec![Input::Number; 2], 2).expect("small");
        let options = HoeffdingTree {
            leaf,
            ..HoeffdingTree::default()
        };
        Soil::new(options, &Ground::new(&header), JavaRandom::new(1))
    }

    #[test]
    fn bounds_shrink_with_the_root_of_the_weight() {
        let bound = hoeffding_bound(1.0, 1e-7, 200.0);
        assert!((bound - 0.200_736_740_9).abs() < 1e-9, "{bound}");
        assert!((hoeffding_bound(2.0, 1e-7, 800.0) - bound).abs() < 1e-12);
    }

    #[test]
    fn a_leaf_splits_on_the_attribute_that_tells_the_classes_apart() {
        let mut soil = soil(LeafPrediction::Adaptive);
        let mut leaf = Leaf::new(vec![0.0; 2]);
        for at in 0..200 {
            let class = at % 2;
            let record = [f64::from(at * 7 % 10), f64::from(class * 10 + at % 3)];
            leaf.learn(&record, class, 1.0, &mut soil);
        }
        assert!(leaf.is_due(200.0) && !leaf.is_due(201.0));
        let (split, leaves) = leaf.split(&mut soil).expect("a clear case");
        assert_eq!((split.attribute, leaves.len()), (1, 2));
        let mut votes = Vec::new();
        leaves[1].votes(&[0.0, 11.0], LeafPrediction::Adaptive, &mut votes);
        assert_eq!(predicted(&votes), 1);
        assert!((leaves[0].weight() + leaves[1].weight() - 200.0).abs() < 1e-9);
    }

    #[test]
    fn a_leaf_of_one_class_or_of_equal_records_does_not_split() {
        let mut soil = soil(LeafPrediction::Majority);
        let (mut pure, mut equal) = (Leaf::new(vec![0.0; 2]), Leaf::new(vec![0.0; 2]));
        for at in 0..20_000 {
            pure.learn(&[f64::from(at), 1.0], 1, 1.0, &mut soil);
            equal.learn(&[3.0, 4.0], at % 2, 1.0, &mut soil);
        }
        assert!(pure.split(&mut soil).is_none() && equal.split(&mut soil).is_none());
        assert!(pure.observers.is_some(), "it may yet see another class");
        assert!(equal.observers.is_none(), "no split was worth anything");
        assert_eq!((pure.promise(), equal.promise()), (0.0, 10_000.0));
    }

    #[test]
    fn a_leaf_that_no_split_helps_splits_again_if_it_may() {
        let inputs = vec![Input::Nominal { values: 2 }, Input::Nominal { values: 3 }];
        let header = Header::new(inputs, 2).expect("small");
        let check = |resplit: bool, binary_splits: bool, records: u32, expected: &[[f64; 2]]| {
            let options = HoeffdingTree {
                resplit,
                binary_splits,
                ..HoeffdingTree::default()
            };
            let mut soil = Soil::new(options, &Ground::new(&header), JavaRandom::new(1));
            let mut leaf = Leaf::new(vec![100.0, 0.0]);
            for at in 0..records {
                leaf.learn(&[1.0, 2.0], at % 2, 1.0, &mut soil);
            }
            let Some((split, leaves)) = leaf.split(&mut soil) else {
                assert!(expected.is_empty(), "{resplit} {records}");
                return;
            };
            let weights: Vec<f64> = leaves
                .iter()
                .flat_map(|leaf| leaf.weights.clone())
                .collect();
            assert_eq!((split.attribute, weights), (1, expected.concat()));
        };
        check(false, false, 4000, &[]);
        check(true, false, 3000, &[]);
        let (none, all) = ([0.0, 0.0], [2000.0, 2000.0]);
        check(true, false, 4000, &[none, none, all]);
        check(true, true, 4000, &[none, all]);
    }

    #[test]
    fn a_sleeping_leaf_counts_classes_only() {
        let mut soil = soil(LeafPrediction::NaiveBayes);
        let mut leaf = Leaf::new(vec![0.0; 2]);
        leaf.learn(&[1.0, 1.0], 0, 1.0, &mut soil);
        leaf.sleep();
        leaf.learn(&[1.0, 1.0], 1, 3.0, &mut soil);
        assert!(leaf.observers.is_none() && !leaf.is_due(0.0));
        let mut votes = Vec::new();
        leaf.votes(&[1.0, 1.0], LeafPrediction::NaiveBayes, &mut votes);
        assert_eq!(votes, [1.0, 3.0]);
        leaf.wake();
        leaf.learn(&[1.0, 1.0], 1, 1.0, &mut soil);
        assert!(leaf.observers.is_some());
    }
}
