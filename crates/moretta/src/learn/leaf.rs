//! Leaves of Hoeffding trees: they observe, predict, and split when a split is surely best.
//!
//! After every grace period a leaf compares its best split with the second best, each
//! of another attribute. It splits when their merits differ by more than Hoeffding's
//! bound √(R² ln(1/δ)/(2n)), or when that bound is so small that they are as good as
//! tied. When no split is worth anything the leaf forgets what it observed: outliers
//! that stretched the range of a number do not stand in the way for ever.

use super::hoeffding_tree::HoeffdingTree;
use super::observers::Observers;
use super::split::Split;
use super::subspace::Subspace;
use super::{Header, predicted};
use crate::math::java_random::JavaRandom;
use std::sync::Arc;

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

/// What all leaves of a tree share.
#[derive(Clone, Debug)]
pub(super) struct Soil {
    pub(super) options: HoeffdingTree,
    pub(super) header: Header,
    /// Bytes of what a leaf observes, at most.
    pub(super) observers_memory: usize,
    whole: Arc<Subspace>,
    random: JavaRandom,
    votes: Vec<f64>,
    branches: Vec<f64>,
}

impl Soil {
    pub(super) fn new(options: HoeffdingTree, header: &Header, seed: i64) -> Self {
        let whole = Subspace::whole(header);
        Soil {
            options,
            header: header.clone(),
            observers_memory: Observers::new(Arc::clone(&whole), header.classes()).memory(),
            whole,
            random: JavaRandom::new(seed),
            votes: Vec::with_capacity(header.classes()),
            branches: Vec::new(),
        }
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
        let Some(split) = best else {
            if bound < options.tie_threshold {
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
        Soil::new(options, &header, 1)
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
