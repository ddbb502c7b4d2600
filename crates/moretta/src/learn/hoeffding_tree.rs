//! The Hoeffding tree (VFDT): a decision tree that grows with the stream and reads it once.
//!
//! A record goes down to a leaf, which keeps statistics of it and splits once enough
//! records say which split is best (see [`split_confidence`](HoeffdingTree::split_confidence)).
//! Splits are never taken back, so the tree assumes that the stream does not drift. A
//! missing value follows the branch that was heaviest when the split was made. The paper
//! does not say what to do with it; MOA stops such a record at the split, predicts it by
//! the classes that the split was made from and does not learn it. On adult with 15 % of
//! the cells taken away the tree is right 81.9 times in 100 our way and 81.4 in MOA, the
//! adaptive tree 82.1 and 81.5, so ours stays, and figures differ where values are missing.
//! A record costs O(depth + attributes · classes). The memory is bounded: leaves with the
//! least to gain stop observing when the limit is reached, and a tree without a leaf
//! that observes does not grow; so it is at most the limit, an eighth of it, and one
//! split. P. Domingos, G. Hulten,
//! "Mining High-Speed Data Streams", KDD 2000; numbers, leaves and defaults as in MOA.

use super::leaf::{Ground, Leaf, Soil};
use super::model::{Knowledge, Loaded, Reader, Saved, Writer};
use super::split::{Fork, Split, check_shape};
use super::tree_options::HoeffdingTree;
use super::{Header, Learner};
use crate::error::Result;
use crate::math::java_random::JavaRandom;

impl HoeffdingTree {
    /// A tree of one leaf; the seed draws subspaces. Fails on options out of range.
    pub fn build(self, header: &Header, seed: u64) -> Result<HoeffdingTreeLearner> {
        self.check()?;
        Ok(self.plant(&Ground::new(header), seed as i64))
    }

    /// A tree of one leaf; the options were checked.
    pub(super) fn plant(self, ground: &Ground, seed: i64) -> HoeffdingTreeLearner {
        HoeffdingTreeLearner {
            nodes: vec![Node::Leaf(Leaf::new(vec![0.0; ground.header.classes()]))],
            leaves: 1,
            awake: 1,
            soil: Soil::new(self, ground, JavaRandom::new(seed)),
        }
    }
}

/// The tree.
#[derive(Clone, Debug)]
pub struct HoeffdingTreeLearner {
    /// The root is the first; children of a split lie side by side.
    nodes: Vec<Node>,
    leaves: usize,
    /// Leaves that observe, or will with their next record.
    awake: usize,
    soil: Soil,
}

#[derive(Clone, Debug)]
enum Node {
    Leaf(Leaf),
    Fork(Fork),
}

impl HoeffdingTreeLearner {
    /// How many leaves the tree has.
    pub fn leaves(&self) -> usize {
        self.leaves
    }

    /// The place of the leaf of a record.
    #[inline]
    fn find(&self, record: &[f64]) -> usize {
        let mut place = 0;
        while let Node::Fork(fork) = &self.nodes[place] {
            place = fork.child(record);
        }
        place
    }

    fn grow(&mut self, place: usize, split: Split, leaves: Vec<Leaf>) {
        let added = leaves.len();
        self.leaves += added - 1;
        self.nodes[place] = Node::Fork(Fork {
            split,
            first: self.nodes.len(),
            heaviest: heaviest(&leaves),
        });
        make_room(&mut self.nodes, added);
        self.nodes.extend(leaves.into_iter().map(Node::Leaf));
        self.awake += added - 1;
        self.keep_to_the_limit();
    }

    /// Puts leaves to sleep if those that are awake could overrun the limit: all but
    /// nine in ten of what fits, so that many splits pass before it happens again.
    fn keep_to_the_limit(&mut self) {
        let asleep = self.soil.header.classes() * size_of::<f64>();
        let observers = self.soil.leaf_memory - asleep;
        let least = self.nodes.len() * size_of::<Node>() + self.leaves * asleep;
        let rest = self.soil.options.memory_limit.saturating_sub(least);
        let fit = rest / observers;
        if self.awake > fit {
            self.keep_awake(fit - fit / 10);
        }
    }

    /// Lets so many leaves observe, those with most promise.
    fn keep_awake(&mut self, most: usize) {
        let mut leaves: Vec<(f64, usize)> = self
            .leaves_mut()
            .enumerate()
            .map(|(place, leaf)| (leaf.promise(), place))
            .collect();
        self.awake = most.min(leaves.len());
        if (1..leaves.len()).contains(&most) {
            leaves.select_nth_unstable_by(most, |(a, earlier), (b, later)| {
                b.total_cmp(a).then(earlier.cmp(later))
            });
        }
        let mut wakes = vec![false; leaves.len()];
        for &(_, place) in &leaves[..self.awake] {
            wakes[place] = true;
        }
        for (leaf, wakes) in self.leaves_mut().zip(wakes) {
            match wakes {
                true => leaf.wake(),
                false => leaf.sleep(),
            }
        }
    }

    fn leaves_mut(&mut self) -> impl Iterator<Item = &mut Leaf> {
        self.nodes.iter_mut().filter_map(|node| match node {
            Node::Leaf(leaf) => Some(leaf),
            Node::Fork(_) => None,
        })
    }
}

/// Room for more nodes, and for an eighth of those that there are: a tree that doubled
/// would overrun its limit.
pub(super) fn make_room<T>(nodes: &mut Vec<T>, more: usize) {
    if nodes.capacity() - nodes.len() < more {
        nodes.reserve_exact(more + nodes.len() / 8);
    }
}

/// The leaf with most weight.
pub(super) fn heaviest(leaves: &[Leaf]) -> usize {
    let weights: Vec<f64> = leaves.iter().map(Leaf::weight).collect();
    super::predicted(&weights) as usize
}

/// All but the options and what is shared.
impl Saved for HoeffdingTreeLearner {
    fn save(&self, out: &mut Writer) {
        self.soil.random().save(out);
        out.size(self.nodes.len());
        for node in &self.nodes {
            out.bool(matches!(node, Node::Leaf(_)));
            match node {
                Node::Leaf(leaf) => leaf.save(&self.soil, out),
                Node::Fork(fork) => fork.save(out),
            }
        }
    }
}

impl Loaded<(HoeffdingTree, Ground)> for HoeffdingTreeLearner {
    fn load(with: &(HoeffdingTree, Ground), from: &mut Reader<'_>) -> Result<Self> {
        let (options, ground) = with;
        let soil = Soil::new(*options, ground, Loaded::load(with, from)?);
        let length = from.size()?;
        let nodes = from.many(length, |from| {
            Ok(match from.bool()? {
                true => Node::Leaf(Leaf::load(&soil, from)?),
                false => Node::Fork(Fork::load(&*soil.header, from)?),
            })
        })?;
        let mut tree = HoeffdingTreeLearner {
            nodes,
            leaves: 0,
            awake: 0,
            soil,
        };
        check_shape(tree.nodes.len(), tree.forks())?;
        tree.leaves = tree.nodes.len() - tree.forks().count();
        tree.awake = tree.leaves_mut().filter(|leaf| leaf.is_awake()).count();
        // A lone root observes whatever the limit is.
        if tree.leaves > 1 {
            tree.keep_to_the_limit();
        }
        Ok(tree)
    }
}

/// A tree by itself: its options come first.
impl Loaded<Header> for HoeffdingTreeLearner {
    fn load(header: &Header, from: &mut Reader<'_>) -> Result<Self> {
        let options = HoeffdingTree::load(header, from)?;
        Loaded::load(&(options, Ground::new(header)), from)
    }
}

impl HoeffdingTreeLearner {
    fn forks(&self) -> impl Iterator<Item = (usize, &Fork)> {
        let nodes = self.nodes.iter().enumerate();
        nodes.filter_map(|(place, node)| match node {
            Node::Fork(fork) => Some((place, fork)),
            Node::Leaf(_) => None,
        })
    }
}

impl Learner for HoeffdingTreeLearner {
    fn predict(&self, record: &[f64], votes: &mut Vec<f64>) {
        if let Node::Leaf(leaf) = &self.nodes[self.find(record)] {
            leaf.votes(record, self.soil.options.leaf, votes);
        }
    }

    fn learn_weighted(&mut self, record: &[f64], class: u32, weight: f64) {
        if class as usize >= self.soil.header.classes() {
            return;
        }
        let place = self.find(record);
        let Node::Leaf(leaf) = &mut self.nodes[place] else {
            return;
        };
        leaf.learn(record, class, weight, &mut self.soil);
        if leaf.is_due(self.soil.options.grace_period)
            && let Some((split, leaves)) = leaf.split(&mut self.soil)
        {
            self.grow(place, split, leaves);
        }
    }

    /// The number of its leaf.
    fn region(&self, record: &[f64]) -> Option<u64> {
        Some(self.find(record) as u64)
    }

    fn memory(&self) -> usize {
        let leaves = self.nodes.iter().map(|node| match node {
            Node::Leaf(leaf) => leaf.memory(&self.soil),
            Node::Fork(_) => 0,
        });
        let nodes = self.nodes.capacity() * size_of::<Node>();
        size_of::<Self>() + nodes + leaves.sum::<usize>()
    }

    fn knowledge(&self) -> Option<Knowledge> {
        Knowledge::new("ht", |out| {
            self.soil.options.save(out);
            self.save(out);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Input, predicted};
    use super::*;
    use crate::learn::{Criterion, LeafPrediction};
    use crate::math::java_random::JavaRandom;

    const NOMINAL: Input = Input::Nominal { values: 3 };

    /// Records of a number and a nominal value; the class depends on both.
    fn stream(rows: usize) -> Vec<([f64; 2], u32)> {
        let mut random = JavaRandom::new(4);
        let record = |_| {
            let record = [random.next_double(), f64::from(random.next_int_below(3))];
            let class = match record[1] {
                0.0 => record[0] > 0.3,
                1.0 => record[0] > 0.7,
                _ => false,
            };
            (record, u32::from(class))
        };
        (0..rows).map(record).collect()
    }

    fn tree(options: HoeffdingTree) -> HoeffdingTreeLearner {
        let header = Header::new(vec![Input::Number, NOMINAL], 2).expect("small");
        options.build(&header, 1).expect("sound options")
    }

    /// The accuracy over the second half.
    fn accuracy(learner: &mut dyn Learner, stream: &[([f64; 2], u32)]) -> f64 {
        let (mut votes, mut right) = (Vec::new(), 0);
        for (at, (record, class)) in stream.iter().enumerate() {
            learner.predict(record, &mut votes);
            right += usize::from(at >= stream.len() / 2 && predicted(&votes) == *class);
            learner.learn(record, *class);
        }
        right as f64 / (stream.len() - stream.len() / 2) as f64
    }

    #[test]
    fn concepts_that_need_two_splits_are_learnt_by_every_kind_of_leaf() {
        for leaf in [
            LeafPrediction::Majority,
            LeafPrediction::NaiveBayes,
            LeafPrediction::Adaptive,
        ] {
            for criterion in [Criterion::InformationGain, Criterion::Gini] {
                for binary_splits in [false, true] {
                    let mut learner = tree(HoeffdingTree {
                        leaf,
                        criterion,
                        binary_splits,
                        ..HoeffdingTree::default()
                    });
                    let accuracy = accuracy(&mut learner, &stream(10_000));
                    assert!(accuracy > 0.86, "{leaf:?} {criterion:?}: {accuracy}");
                    assert!(learner.leaves() >= 4);
                }
            }
        }
    }

    #[test]
    fn a_smaller_memory_limit_gives_a_smaller_tree_that_still_predicts() {
        let stream = stream(20_000);
        let eager = HoeffdingTree {
            grace_period: 20.0,
            split_confidence: 0.5,
            ..HoeffdingTree::default()
        };
        let mut free = tree(eager);
        accuracy(&mut free, &stream);
        for memory_limit in [0, 2000, 4000] {
            let mut bound = tree(HoeffdingTree {
                memory_limit,
                ..eager
            });
            let accuracy = accuracy(&mut bound, &stream);
            assert!(bound.memory() < memory_limit + 3000, "{}", bound.memory());
            assert!(bound.memory() < free.memory(), "{}", free.memory());
            assert!(accuracy > 0.6, "{memory_limit}: {accuracy}");
        }
    }

    #[test]
    fn a_stream_that_always_splits_does_not_overrun_the_limit() {
        let header = Header::new(vec![Input::Number, Input::Nominal { values: 8 }], 4);
        let header = header.expect("small");
        for (memory_limit, subspace) in [(5000, None), (50_000, None), (50_000, Some(1))] {
            let options = HoeffdingTree {
                grace_period: 10.0,
                tie_threshold: 1.0,
                memory_limit,
                subspace,
                ..HoeffdingTree::default()
            };
            let mut tree = options.build(&header, 1).expect("sound options");
            let mut random = JavaRandom::new(1);
            let split = 8 * (size_of::<Node>() + tree.soil.leaf_memory);
            let most = size_of_val(&tree) + memory_limit + memory_limit / 8 + split;
            for _ in 0..20_000 {
                let record = [random.next_double(), f64::from(random.next_int_below(8))];
                tree.learn(&record, random.next_int_below(4) as u32);
                if random.next_int_below(10) == 0 {
                    assert!(tree.memory() <= most, "{} of {most}", tree.memory());
                }
            }
            assert!(tree.leaves() > 10 && tree.memory() > memory_limit / 2);
        }
    }

    #[test]
    fn a_tree_that_splits_again_forgets_a_concept_that_is_over() {
        let header = Header::new(vec![NOMINAL], 2).expect("small");
        let run = |resplit, memory_limit| {
            let options = HoeffdingTree {
                resplit,
                memory_limit,
                leaf: LeafPrediction::Majority,
                ..HoeffdingTree::default()
            };
            let mut tree = options.build(&header, 1).expect("sound options");
            let (mut votes, mut wrong) = (Vec::new(), 0);
            for at in 0..20_000 {
                let record = [f64::from(at % 3)];
                let class = u32::from(at % 3 == u32::from(at >= 10_000));
                tree.predict(&record, &mut votes);
                wrong += u32::from(predicted(&votes) != class);
                tree.learn(&record, class);
            }
            (wrong, tree.leaves())
        };
        let (kept, leaves) = run(false, usize::MAX);
        let (forgotten, more) = run(true, usize::MAX);
        assert!(kept > 5000 && leaves == 3, "{kept} wrong, {leaves} leaves");
        assert!(
            forgotten < 3000 && more > 6,
            "{forgotten} wrong, {more} leaves"
        );
        assert!(run(true, 1000).1 < more);
    }

    #[test]
    fn leaves_are_seldom_put_to_sleep_however_often_the_tree_splits() {
        let header = Header::new(vec![Input::Number; 2], 50).expect("small");
        let options = HoeffdingTree {
            grace_period: 20.0,
            split_confidence: 0.5,
            tie_threshold: 1.0,
            memory_limit: 1 << 20,
            ..HoeffdingTree::default()
        };
        let mut tree = options.build(&header, 1).expect("sound options");
        let mut random = JavaRandom::new(1);
        let (mut splits, mut rests) = (0, 0);
        for _ in 0..20_000 {
            let record = [random.next_double(), random.next_double()];
            let (leaves, awake) = (tree.leaves, tree.awake);
            tree.learn(&record, random.next_int_below(50) as u32);
            splits += usize::from(tree.leaves > leaves && leaves > awake);
            rests += usize::from(tree.awake < awake);
            let observing = tree.leaves_mut().filter(|leaf| leaf.is_awake()).count();
            assert_eq!(observing, tree.awake);
        }
        assert!(splits > 200 && rests > 0, "{splits} splits, {rests} rests");
        assert!(rests * 5 < splits, "{splits} splits, {rests} rests");
    }

    #[test]
    fn a_model_with_more_leaves_awake_than_fit_is_loaded_with_fewer() {
        let header = Header::new(vec![Input::Number; 2], 20).expect("small");
        let eager = HoeffdingTree {
            grace_period: 20.0,
            split_confidence: 0.5,
            tie_threshold: 1.0,
            ..HoeffdingTree::default()
        };
        let mut tree = eager.build(&header, 1).expect("sound options");
        let mut random = JavaRandom::new(1);
        let mut learn = |tree: &mut HoeffdingTreeLearner, records| {
            for _ in 0..records {
                let record = [random.next_double(), random.next_double()];
                tree.learn(&record, random.next_int_below(20) as u32);
            }
        };
        learn(&mut tree, 10_000);
        let load = |tree: &HoeffdingTreeLearner| {
            let bytes = tree.knowledge().expect("it can be saved").bytes;
            HoeffdingTreeLearner::load(&header, &mut Reader::new(&bytes)).expect("sound")
        };
        let awake = load(&tree).awake;
        assert!(awake > 100 && awake == tree.awake);
        let memory_limit = tree.memory() / 3;
        tree.soil.options.memory_limit = memory_limit;
        let mut loaded = load(&tree);
        assert!(loaded.awake > 0 && loaded.awake < awake / 2);
        learn(&mut loaded, 10_000);
        let split = 2 * (size_of::<Node>() + loaded.soil.leaf_memory);
        let most = size_of_val(&loaded) + memory_limit + memory_limit / 8 + split;
        assert!(loaded.memory() <= most, "{} of {most}", loaded.memory());
    }

    #[test]
    fn missing_values_and_unknown_classes_do_no_harm() {
        let mut learner = tree(HoeffdingTree::default());
        let mut holed = stream(10_000);
        for (at, (record, class)) in holed.iter_mut().enumerate() {
            if at % 7 == 0 {
                record[at % 2] = f64::NAN;
            }
            if at % 1001 == 0 {
                *class = 9;
            }
        }
        assert!(accuracy(&mut learner, &holed) > 0.85);
        let mut votes = Vec::new();
        learner.predict(&[f64::NAN, f64::NAN], &mut votes);
        assert_eq!(votes.len(), 2);
        learner.predict(&[f64::INFINITY, 17.0], &mut votes);
        assert_eq!(votes.len(), 2);
    }

    #[test]
    fn values_out_of_all_measure_count_as_missing() {
        let mut learner = tree(HoeffdingTree::default());
        let mut wild = stream(8000);
        let extremes = [f64::INFINITY, f64::MAX, f64::MIN, -1e200, f64::MIN_POSITIVE];
        for (at, (record, _)) in wild.iter_mut().enumerate().step_by(9) {
            record[at % 2] = extremes[at % 5];
        }
        assert!(accuracy(&mut learner, &wild) > 0.8);
        let mut votes = Vec::new();
        for extreme in extremes {
            learner.predict(&[extreme, extreme], &mut votes);
            assert!(votes.iter().all(|vote| vote.is_finite()), "{votes:?}");
        }
    }

    #[test]
    fn subspaces_are_drawn_by_the_seed() {
        let options = HoeffdingTree {
            subspace: Some(1),
            ..HoeffdingTree::default()
        };
        let header = Header::new(vec![Input::Number, NOMINAL], 2).expect("small");
        let run = |seed| {
            let mut learner = options.build(&header, seed).expect("sound options");
            accuracy(&mut learner, &stream(5000))
        };
        assert_eq!(run(1).to_bits(), run(1).to_bits());
        assert!((1..20).any(|seed| run(seed) != run(1)));
    }

    #[test]
    fn options_out_of_range_are_refused() {
        let header = Header::new(vec![], 2).expect("small");
        let refused = |options: HoeffdingTree| {
            let error = options.build(&header, 1).expect_err("out of range");
            assert_eq!(error.exit_code(), 2);
        };
        let sound = HoeffdingTree::default();
        refused(HoeffdingTree {
            grace_period: 0.0,
            ..sound
        });
        refused(HoeffdingTree {
            grace_period: f64::NAN,
            ..sound
        });
        refused(HoeffdingTree {
            split_confidence: 0.0,
            ..sound
        });
        refused(HoeffdingTree {
            tie_threshold: 1.5,
            ..sound
        });
        refused(HoeffdingTree {
            split_points: 0,
            ..sound
        });
    }
}
