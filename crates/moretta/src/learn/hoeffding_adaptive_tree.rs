//! The Hoeffding adaptive tree: a Hoeffding tree that replaces branches which got worse.
//!
//! Each node watches its errors with ADWIN. When those of a split rise, a new leaf
//! begins to learn beside it; it takes the split's place as soon as it makes fewer
//! errors, or finds a split of its own, and is given up when it makes more. A record
//! costs O(depth) more than in a Hoeffding tree. The memory is bounded: the tree does not
//! grow when its nodes could come to occupy the limit, each with an alternate and with
//! ADWINs of 2^32 values; so it is at most the limit, an eighth of it, and one split.
//! A. Bifet, R. Gavaldà, "Adaptive Learning from Evolving Data
//! Streams", IDA 2009; as in MOA, where a leaf weighs records by Poisson(1), but never
//! less than once and all leaves from the same seed, and an alternate that splits replaces the branch without a contest.

use super::drift::{Adwin, Detector};
use super::hoeffding_tree::{heaviest, make_room};
use super::leaf::{Ground, Leaf, Soil};
use super::model::{Knowledge, Loaded, Reader, Saved, Writer, odd};
use super::poisson::poisson;
use super::split::{Fork, Split, check_shape};
use super::tree_options::{HoeffdingTree, LeafPrediction};
use super::{Header, Input, Learner, predicted};
use crate::error::Result;
use crate::math::java_random::JavaRandom;

/// Errors that must have been watched on both sides before a contest.
const LEAST_WATCHED: u64 = 300;
/// δ of the ADWINs that watch errors.
const WATCHING: f64 = 0.002;
/// The probability that a contest goes wrong.
const CONTEST: f64 = 0.05;

/// The options, by default MOA's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HoeffdingAdaptiveTree {
    /// How the tree grows.
    pub tree: HoeffdingTree,
}

impl HoeffdingAdaptiveTree {
    /// A tree of one leaf. Fails on options out of range.
    pub fn build(self, header: &Header, seed: u64) -> Result<HoeffdingAdaptiveTreeLearner> {
        self.tree.check()?;
        let random = JavaRandom::new(seed as i64);
        let soil = Soil::new(self.tree, &Ground::new(header), random);
        Ok(HoeffdingAdaptiveTreeLearner {
            nodes: vec![Node::leaf(Sprout::new(
                vec![0.0; header.classes()],
                seed as i64,
            ))],
            unreachable: 0,
            seed: seed as i64,
            soil,
            votes: Vec::new(),
        })
    }
}

/// The tree.
#[derive(Clone, Debug)]
pub struct HoeffdingAdaptiveTreeLearner {
    /// The root is the first; children of a split lie side by side.
    nodes: Vec<Node>,
    /// Nodes that hung from a split that was replaced.
    unreachable: usize,
    soil: Soil,
    /// Of the weights that each leaf draws.
    seed: i64,
    votes: Vec<f64>,
}

#[derive(Clone, Debug)]
struct Node {
    kind: Kind,
    errors: Adwin,
}

/// A leaf that weighs records by chance.
#[derive(Clone, Debug)]
struct Sprout {
    leaf: Leaf,
    random: JavaRandom,
}

impl Sprout {
    fn new(weights: Vec<f64>, seed: i64) -> Self {
        Sprout {
            leaf: Leaf::new(weights),
            random: JavaRandom::new(seed),
        }
    }

    /// Takes a record, and gives a split with its leaves once one is surely best.
    fn learn(
        &mut self,
        record: &[f64],
        class: u32,
        weight: f64,
        soil: &mut Soil,
    ) -> Option<(Split, Vec<Leaf>)> {
        let times = poisson(1.0, &mut self.random).max(1);
        self.leaf
            .learn(record, class, weight * f64::from(times), soil);
        match self.leaf.is_due(soil.options.grace_period) {
            true => self.leaf.split(soil),
            false => None,
        }
    }
}

#[derive(Clone, Debug)]
enum Kind {
    Leaf(Sprout),
    Fork {
        fork: Fork,
        alternate: Option<Box<Alternate>>,
    },
}

/// A leaf that learns beside a split.
#[derive(Clone, Debug)]
struct Alternate {
    sprout: Sprout,
    errors: Adwin,
}

impl Alternate {
    fn new(classes: usize, seed: i64) -> Self {
        Alternate {
            sprout: Sprout::new(vec![0.0; classes], seed),
            errors: Adwin::new(WATCHING),
        }
    }

    /// Notes whether the leaf would have been right.
    fn watch(&mut self, record: &[f64], class: u32, rule: LeafPrediction, votes: &mut Vec<f64>) {
        self.sprout.leaf.votes(record, rule, votes);
        self.errors.add(f64::from(predicted(votes) != class));
    }
}

/// How a contest between a split and its alternate ends.
#[derive(Debug, PartialEq)]
enum Verdict {
    Replace,
    GiveUp,
    Undecided,
}

impl Node {
    fn leaf(sprout: Sprout) -> Self {
        Node {
            kind: Kind::Leaf(sprout),
            errors: Adwin::new(WATCHING),
        }
    }
}

impl HoeffdingAdaptiveTreeLearner {
    /// How many nodes the tree has.
    pub fn nodes(&self) -> usize {
        self.nodes.len() - self.unreachable
    }

    /// The leaf of a record.
    fn find(&self, record: &[f64]) -> &Leaf {
        let mut place = 0;
        loop {
            match &self.nodes[place].kind {
                Kind::Leaf(sprout) => return &sprout.leaf,
                Kind::Fork { fork, .. } => place = fork.child(record),
            }
        }
    }

    /// Takes a record from the root down.
    fn descend(&mut self, record: &[f64], class: u32, weight: f64, error: f64) {
        let mut place = 0;
        while let Kind::Fork { .. } = self.nodes[place].kind {
            match self.pass(place, record, class, weight, error) {
                Some(next) => place = next,
                None => return,
            }
        }
        self.arrive(place, record, class, weight, error);
    }

    /// Takes a record at a split; gives the child to go on with, or nothing if the split
    /// was replaced by one that has learnt the record.
    fn pass(
        &mut self,
        place: usize,
        record: &[f64],
        class: u32,
        weight: f64,
        error: f64,
    ) -> Option<usize> {
        let node = &mut self.nodes[place];
        let before = node.errors.mean();
        let risen = node.errors.add(error) && node.errors.mean() >= before;
        let Kind::Fork { fork, alternate } = &mut node.kind else {
            return Some(place);
        };
        let child = fork.child(record);
        if risen {
            let classes = self.soil.header.classes();
            *alternate = Some(Box::new(Alternate::new(classes, self.seed)));
        } else if let Some(other) = alternate {
            match contest(&node.errors, &other.errors) {
                Verdict::Replace => {
                    let Alternate { sprout, errors } = *alternate.take().expect("just seen");
                    let kind = Kind::Leaf(sprout);
                    self.replace(place, Node { kind, errors });
                    return Some(place);
                }
                Verdict::GiveUp => *alternate = None,
                Verdict::Undecided => {}
            }
        }
        let Some(other) = alternate else {
            return Some(child);
        };
        other.watch(record, class, self.soil.options.leaf, &mut self.votes);
        let grown = other.sprout.learn(record, class, weight, &mut self.soil);
        match grown {
            Some((split, leaves)) if !self.is_full() => {
                let node = self.grown(split, leaves);
                self.replace(place, node);
                None
            }
            _ => Some(child),
        }
    }

    /// Takes a record at a leaf.
    fn arrive(&mut self, place: usize, record: &[f64], class: u32, weight: f64, error: f64) {
        let node = &mut self.nodes[place];
        node.errors.add(error);
        let Kind::Leaf(sprout) = &mut node.kind else {
            return;
        };
        let grown = sprout.learn(record, class, weight, &mut self.soil);
        if let Some((split, leaves)) = grown
            && !self.is_full()
        {
            self.nodes[place] = self.grown(split, leaves);
        }
    }

    /// A split whose leaves have joined the nodes.
    fn grown(&mut self, split: Split, leaves: Vec<Leaf>) -> Node {
        let fork = Fork {
            split,
            first: self.nodes.len(),
            heaviest: heaviest(&leaves),
        };
        let random = JavaRandom::new(self.seed);
        make_room(&mut self.nodes, leaves.len());
        self.nodes.extend(leaves.into_iter().map(|leaf| {
            let random = random.clone();
            Node::leaf(Sprout { leaf, random })
        }));
        Node {
            kind: Kind::Fork {
                fork,
                alternate: None,
            },
            errors: Adwin::new(WATCHING),
        }
    }

    /// Whether the nodes could come to occupy the limit. Those that cannot be reached are
    /// at most as many, and do not count: they may be gone at any time.
    fn is_full(&self) -> bool {
        self.is_full_with(self.nodes())
    }

    fn is_full_with(&self, nodes: usize) -> bool {
        let alternate = size_of::<Alternate>() + Adwin::most_memory();
        let node = 2 * size_of::<Node>() + self.soil.leaf_memory + Adwin::most_memory();
        nodes.saturating_mul(node + alternate) > self.soil.options.memory_limit
    }

    /// Puts a node in the place of another, whose descendants are emptied.
    fn replace(&mut self, place: usize, node: Node) {
        let descendants = self.descendants(place);
        for &descendant in &descendants {
            self.nodes[descendant] = Node::leaf(Sprout::new(Vec::new(), 0));
        }
        self.unreachable += descendants.len();
        self.nodes[place] = node;
    }

    fn descendants(&self, place: usize) -> Vec<usize> {
        let (mut found, mut next) = (vec![place], 0);
        while next < found.len() {
            if let Kind::Fork { fork, .. } = &self.nodes[found[next]].kind {
                found.extend(fork.children());
            }
            next += 1;
        }
        found.swap_remove(0);
        found
    }

    /// Lays the nodes that can be reached side by side.
    fn compact(&mut self) {
        let room = Vec::with_capacity(self.nodes());
        let mut nodes = std::mem::replace(&mut self.nodes, room);
        let mut take = |place: usize| {
            let nothing = Node::leaf(Sprout::new(Vec::new(), 0));
            std::mem::replace(&mut nodes[place], nothing)
        };
        self.nodes.push(take(0));
        let mut next = 0;
        while next < self.nodes.len() {
            let end = self.nodes.len();
            if let Kind::Fork { fork, .. } = &mut self.nodes[next].kind {
                let children = fork.children();
                fork.first = end;
                self.nodes.extend(children.map(&mut take));
            }
            next += 1;
        }
        self.unreachable = 0;
    }
}

/// The nodes that can be reached, as [`HoeffdingAdaptiveTreeLearner::compact`] would lay them.
impl Saved for HoeffdingAdaptiveTreeLearner {
    fn save(&self, out: &mut Writer) {
        self.soil.options.save(out);
        self.soil.random().save(out);
        out.u64(self.seed as u64);
        out.size(self.nodes());
        let mut places = vec![0];
        let mut next = 0;
        while next < places.len() {
            let Node { kind, errors } = &self.nodes[places[next]];
            errors.save(out);
            out.bool(matches!(kind, Kind::Leaf(_)));
            match kind {
                Kind::Leaf(sprout) => sprout.save(&self.soil, out),
                Kind::Fork { fork, alternate } => {
                    let first = places.len();
                    places.extend(fork.children());
                    Fork { first, ..*fork }.save(out);
                    out.bool(alternate.is_some());
                    if let Some(alternate) = alternate {
                        alternate.errors.save(out);
                        alternate.sprout.save(&self.soil, out);
                    }
                }
            }
            next += 1;
        }
    }
}

impl Loaded<Header> for HoeffdingAdaptiveTreeLearner {
    fn load(header: &Header, from: &mut Reader<'_>) -> Result<Self> {
        let (options, random) = Loaded::load(header, from)?;
        let soil = Soil::new(options, &Ground::new(header), random);
        let (seed, length) = (from.u64()? as i64, from.size()?);
        let nodes = from.many(length, |from| Node::load(&soil, from))?;
        let forks = nodes.iter().enumerate();
        let forks = forks.filter_map(|(place, node)| match &node.kind {
            Kind::Fork { fork, .. } => Some((place, fork)),
            Kind::Leaf(_) => None,
        });
        check_shape(nodes.len(), forks)?;
        let tree = HoeffdingAdaptiveTreeLearner {
            nodes,
            unreachable: 0,
            soil,
            seed,
            votes: Vec::new(),
        };
        match tree.is_full_with(tree.nodes().saturating_sub(widest_split(header))) {
            true => Err(odd("more nodes than its limit of memory allows")),
            false => Ok(tree),
        }
    }
}

impl Sprout {
    fn save(&self, soil: &Soil, out: &mut Writer) {
        self.random.save(out);
        self.leaf.save(soil, out);
    }

    fn load(soil: &Soil, from: &mut Reader<'_>) -> Result<Self> {
        Ok(Sprout {
            random: Loaded::load(soil, from)?,
            leaf: Leaf::load(soil, from)?,
        })
    }
}

impl Node {
    fn load(soil: &Soil, from: &mut Reader<'_>) -> Result<Self> {
        let errors = Adwin::load(&WATCHING, from)?;
        if from.bool()? {
            let kind = Kind::Leaf(Sprout::load(soil, from)?);
            return Ok(Node { kind, errors });
        }
        let fork = Fork::load(&*soil.header, from)?;
        let alternate = match from.bool()? {
            true => Some(Box::new(Alternate {
                errors: Adwin::load(&WATCHING, from)?,
                sprout: Sprout::load(soil, from)?,
            })),
            false => None,
        };
        let kind = Kind::Fork { fork, alternate };
        Ok(Node { kind, errors })
    }
}

/// The branches of the widest split that there can be.
fn widest_split(header: &Header) -> usize {
    let branches = header.attributes().iter().map(|input| match input {
        Input::Number => 2,
        Input::Nominal { values } => *values,
    });
    branches.fold(2, usize::max)
}

/// Compares the error rates of a split and of its alternate.
fn contest(split: &Adwin, alternate: &Adwin) -> Verdict {
    if split.width() <= LEAST_WATCHED || alternate.width() <= LEAST_WATCHED {
        return Verdict::Undecided;
    }
    let (old, new) = (split.mean(), alternate.mean());
    let inverse = 1.0 / split.width() as f64 + 1.0 / alternate.width() as f64;
    let bound = (2.0 * old * (1.0 - old) * (2.0 / CONTEST).ln() * inverse).sqrt();
    match () {
        () if old - new > bound => Verdict::Replace,
        () if new - old > bound => Verdict::GiveUp,
        () => Verdict::Undecided,
    }
}

impl Learner for HoeffdingAdaptiveTreeLearner {
    fn predict(&self, record: &[f64], votes: &mut Vec<f64>) {
        self.find(record)
            .votes(record, self.soil.options.leaf, votes);
    }

    fn learn_weighted(&mut self, record: &[f64], class: u32, weight: f64) {
        if class as usize >= self.soil.header.classes() {
            return;
        }
        let mut votes = std::mem::take(&mut self.votes);
        self.predict(record, &mut votes);
        let error = f64::from(predicted(&votes) != class);
        self.votes = votes;
        self.descend(record, class, weight, error);
        if self.unreachable > self.nodes.len() / 2 {
            self.compact();
        }
    }

    fn memory(&self) -> usize {
        let node = |node: &Node| {
            let kind = match &node.kind {
                Kind::Leaf(sprout) => sprout.leaf.memory(&self.soil),
                Kind::Fork { alternate, .. } => alternate.as_deref().map_or(0, |alternate| {
                    size_of::<Alternate>()
                        + alternate.sprout.leaf.memory(&self.soil)
                        + alternate.errors.memory()
                }),
            };
            kind + node.errors.memory()
        };
        let nodes = self.nodes.capacity() * size_of::<Node>();
        size_of::<Self>() + nodes + self.nodes.iter().map(node).sum::<usize>()
    }

    fn knowledge(&self) -> Option<Knowledge> {
        Knowledge::new("hat", |out| self.save(out))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Input;
    use super::*;

    /// Two numbers; which of them tells the class changes every `period` records.
    fn accuracy(learner: &mut dyn Learner, rows: usize, period: usize) -> f64 {
        let mut random = JavaRandom::new(3);
        let (mut votes, mut right) = (Vec::new(), 0);
        for at in 0..rows {
            let record = [random.next_double(), random.next_double()];
            let class = u32::from(record[at / period % 2] > 0.5);
            learner.predict(&record, &mut votes);
            right += usize::from(predicted(&votes) == class);
            learner.learn(&record, class);
        }
        right as f64 / rows as f64
    }

    fn header() -> Header {
        Header::new(vec![Input::Number; 2], 2).expect("small")
    }

    #[test]
    fn it_follows_drifts_that_a_hoeffding_tree_does_not() {
        let options = HoeffdingAdaptiveTree::default();
        let mut adaptive = options.build(&header(), 1).expect("sound");
        let mut fixed = options.tree.build(&header(), 1).expect("sound");
        let (adaptive_right, fixed_right) = (
            accuracy(&mut adaptive, 20_000, 4000),
            accuracy(&mut fixed, 20_000, 4000),
        );
        assert!(adaptive_right > 0.85, "{adaptive_right}");
        assert!(adaptive_right > fixed_right + 0.05, "{fixed_right}");
        assert!(adaptive.memory() < 200_000, "{}", adaptive.memory());
    }

    #[test]
    fn replaced_branches_do_not_pile_up() {
        let mut learner = HoeffdingAdaptiveTree::default()
            .build(&header(), 1)
            .expect("sound");
        accuracy(&mut learner, 60_000, 1500);
        assert!(learner.unreachable <= learner.nodes.len() / 2);
        let reachable = learner.descendants(0).len() + 1;
        assert_eq!(learner.nodes(), reachable);
    }

    #[test]
    fn compacting_changes_no_prediction() {
        let mut learner = HoeffdingAdaptiveTree::default()
            .build(&header(), 1)
            .expect("sound");
        accuracy(&mut learner, 9000, 2000);
        let mut compacted = learner.clone();
        compacted.compact();
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for at in 0..400 {
            let record = [f64::from(at % 20) / 20.0, f64::from(at / 20) / 20.0];
            learner.predict(&record, &mut first);
            compacted.predict(&record, &mut second);
            assert_eq!(first, second);
        }
    }

    fn loaded(learner: &HoeffdingAdaptiveTreeLearner) -> HoeffdingAdaptiveTreeLearner {
        let bytes = learner.knowledge().expect("it can be saved").bytes;
        HoeffdingAdaptiveTreeLearner::load(&header(), &mut Reader::new(&bytes)).expect("as saved")
    }

    #[test]
    fn a_model_with_more_nodes_than_its_limit_allows_is_refused() {
        let options = HoeffdingAdaptiveTree::default();
        let mut learner = options.build(&header(), 1).expect("sound");
        accuracy(&mut learner, 9000, 2000);
        assert!(learner.nodes() > 2 && loaded(&learner).nodes() == learner.nodes());
        learner.soil.options.memory_limit = 0;
        let bytes = learner.knowledge().expect("it can be saved").bytes;
        let error = HoeffdingAdaptiveTreeLearner::load(&header(), &mut Reader::new(&bytes));
        let error = error.expect_err("too many nodes").to_string();
        assert!(error.contains("more nodes than its limit"), "{error}");
    }

    fn alternates(learner: &HoeffdingAdaptiveTreeLearner) -> usize {
        let nodes = learner.nodes.iter();
        let beside = |node: &&Node| {
            matches!(
                &node.kind,
                Kind::Fork {
                    alternate: Some(_),
                    ..
                }
            )
        };
        nodes.filter(beside).count()
    }

    #[test]
    fn alternates_are_saved_and_go_on() {
        let options = HoeffdingAdaptiveTree::default();
        let mut learner = options.build(&header(), 1).expect("sound");
        let mut random = JavaRandom::new(3);
        let (mut twin, mut twins) = (learner.clone(), 0);
        for at in 0..30_000 {
            if at % 100 == 0 && alternates(&learner) > 0 {
                twin = loaded(&learner);
                assert_eq!(alternates(&twin), alternates(&learner));
                twins += 1;
            }
            let record = [random.next_double(), random.next_double()];
            let class = u32::from(record[at / 1500 % 2] > 0.5);
            learner.learn(&record, class);
            twin.learn(&record, class);
        }
        assert!(twins > 5, "{twins}");
        let bytes = |learner: &HoeffdingAdaptiveTreeLearner| {
            learner.knowledge().expect("it can be saved").bytes
        };
        assert!(bytes(&twin) == bytes(&learner));
    }

    #[test]
    fn what_cannot_be_reached_is_not_saved() {
        let mut options = HoeffdingAdaptiveTree::default();
        options.tree.grace_period = 20.0;
        options.tree.tie_threshold = 1.0;
        let mut learner = options.build(&header(), 1).expect("sound");
        accuracy(&mut learner, 4000, 4000);
        let forks = learner.nodes.iter().skip(1);
        let fork = forks
            .rev()
            .position(|node| matches!(node.kind, Kind::Fork { .. }));
        let place = learner.nodes.len() - 1 - fork.expect("it always splits");
        learner.replace(place, Node::leaf(Sprout::new(vec![1.0, 2.0], 1)));
        assert!(learner.unreachable > 0);
        let mut twin = loaded(&learner);
        assert_eq!((twin.nodes.len(), twin.unreachable), (learner.nodes(), 0));
        let (ours, theirs) = (
            accuracy(&mut learner, 3000, 1000),
            accuracy(&mut twin, 3000, 1000),
        );
        assert_eq!(ours, theirs);
        let (ours, theirs) = (learner.knowledge(), twin.knowledge());
        assert!(ours.expect("saved").bytes == theirs.expect("saved").bytes);
    }

    #[test]
    fn contests_need_enough_errors_and_a_clear_difference() {
        let errors = |count: u32, every: u32| {
            let mut adwin = Adwin::new(WATCHING);
            for at in 0..count {
                adwin.add(f64::from(at % every == 0));
            }
            adwin
        };
        let check = |split: &Adwin, alternate: &Adwin, expected: Verdict| {
            assert_eq!(contest(split, alternate), expected);
        };
        check(&errors(1000, 2), &errors(300, 10), Verdict::Undecided);
        check(&errors(1000, 2), &errors(320, 10), Verdict::Replace);
        check(&errors(1000, 10), &errors(320, 2), Verdict::GiveUp);
        check(&errors(1000, 3), &errors(320, 3), Verdict::Undecided);
    }

    #[test]
    fn a_stream_that_always_splits_and_drifts_does_not_overrun_the_limit() {
        let mut options = HoeffdingAdaptiveTree::default();
        options.tree.grace_period = 10.0;
        options.tree.tie_threshold = 1.0;
        let run = |memory_limit| {
            let mut options = options;
            options.tree.memory_limit = memory_limit;
            let inputs = vec![Input::Number, Input::Nominal { values: 8 }];
            let header = Header::new(inputs, 2).expect("small");
            let mut tree = options.build(&header, 1).expect("sound options");
            let mut random = JavaRandom::new(1);
            let mut most = 0;
            for at in 0..12_000 {
                let record = [random.next_double(), f64::from(random.next_int_below(8))];
                let noise = random.next_int_below(10) < 3;
                let class = (record[at / 1500 % 2] > 0.5) != noise;
                tree.learn(&record, u32::from(class));
                most = most.max(tree.memory());
            }
            most
        };
        let limit = 400_000;
        let split = 8 * 20_000;
        assert!(run(limit) < limit + limit / 8 + split);
        assert!(run(usize::MAX) > 2 * limit, "nothing would be bounded");
    }

    #[test]
    fn a_full_tree_stops_growing() {
        let mut options = HoeffdingAdaptiveTree::default();
        options.tree.memory_limit = 2000;
        let mut learner = options.build(&header(), 1).expect("sound");
        accuracy(&mut learner, 20_000, 20_000);
        assert!(learner.nodes() <= 7, "{}", learner.nodes());
    }
}
