//! The adaptive random forest: Hoeffding trees that see records by chance, each replaced on drift.
//!
//! Each tree learns a record Poisson(λ) times, and each leaf observes some attributes
//! only. A tree watches its own errors by two ADWINs: a warning starts a tree in the
//! background, a drift puts that in its place. Trees vote by their accuracy since they
//! began. Trees know nothing of one another, so
//! [`predict_then_learn`](Learner::predict_then_learn) runs them in parallel, with the
//! same votes for any number of threads. Memory is bounded: each tree and the one in its
//! background keep to the [limit of a tree](HoeffdingTree::memory_limit), and an ADWIN
//! holds less than 5 KiB for 2^32 errors. H. M. Gomes et al., "Adaptive random forests for evolving data stream
//! classification", Machine Learning 2017; as in MOA.

use super::drift::{Adwin, Detector};
use super::ensemble::{add_shares, add_up, draw_weights};
use super::hoeffding_tree::HoeffdingTreeLearner;
use super::leaf::Ground;
use super::model::{Knowledge, Loaded, Reader, Saved, Writer, odd, saved};
use super::tree_options::HoeffdingTree;
use super::{Draw, Header, Learner, predicted};
use crate::data::Records;
use crate::error::{Error, Result};
use crate::math::java_random::JavaRandom;
use rayon::prelude::*;

/// The seed of trees that draw alike.
const SEED_OF_ALL: i64 = 1;

/// How many attributes a leaf observes, of M.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SubspaceSize {
    /// So many, or all if there are fewer.
    Count(usize),
    /// √M + 1, the root rounded.
    RootPlusOne,
    /// A share of M from 0 to 1, rounded.
    Share(f64),
}

impl SubspaceSize {
    fn of(self, attributes: usize) -> usize {
        let size = match self {
            SubspaceSize::Count(count) => count,
            SubspaceSize::RootPlusOne => (attributes as f64).sqrt().round() as usize + 1,
            SubspaceSize::Share(share) => (attributes as f64 * share).round() as usize,
        };
        size.clamp(1, attributes.max(1))
    }
}

impl Saved for SubspaceSize {
    fn save(&self, out: &mut Writer) {
        let (kind, bits) = match *self {
            SubspaceSize::Count(count) => (0, count as u64),
            SubspaceSize::RootPlusOne => (1, 0),
            SubspaceSize::Share(share) => (2, share.to_bits()),
        };
        out.byte(kind);
        out.u64(bits);
    }
}

impl<With> Loaded<With> for SubspaceSize {
    fn load(_: &With, from: &mut Reader<'_>) -> Result<Self> {
        match (from.byte()?, from.u64()?) {
            (0, count) => Ok(SubspaceSize::Count(count as usize)),
            (1, 0) => Ok(SubspaceSize::RootPlusOne),
            (2, bits) => Ok(SubspaceSize::Share(f64::from_bits(bits))),
            _ => Err(odd("a size of subspaces that there is not")),
        }
    }
}

/// The options, by default those of today's MOA, but for trees that draw alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaptiveRandomForest {
    /// How many trees there are.
    pub trees: usize,
    /// How trees grow; the subspace is set by the forest.
    pub tree: HoeffdingTree,
    /// How many attributes a leaf observes.
    pub subspace: SubspaceSize,
    /// How often a tree learns a record, on average.
    pub lambda: f64,
    /// Whether all trees draw their subspaces alike, as those of MOA do; then the weights
    /// of records alone make them differ, and they often predict worse.
    pub alike: bool,
    /// δ of the ADWIN that replaces a tree.
    pub drift: f64,
    /// δ of the ADWIN that starts a tree in the background; more than `drift`.
    pub warning: f64,
}

impl Default for AdaptiveRandomForest {
    fn default() -> Self {
        AdaptiveRandomForest {
            trees: 100,
            tree: HoeffdingTree {
                grace_period: 50.0,
                split_confidence: 0.01,
                ..HoeffdingTree::default()
            },
            subspace: SubspaceSize::Share(0.6),
            lambda: 6.0,
            alike: false,
            drift: 1e-3,
            warning: 1e-2,
        }
    }
}

impl AdaptiveRandomForest {
    /// What today's MOA does, trees that draw alike included.
    pub fn of_moa() -> Self {
        AdaptiveRandomForest {
            alike: true,
            ..AdaptiveRandomForest::default()
        }
    }

    /// What MOA 17.06 did, the version in which the forest was published; its leaves did
    /// not observe the last attribute that they drew.
    pub fn of_moa_2017() -> Self {
        let mut options = AdaptiveRandomForest {
            trees: 10,
            subspace: SubspaceSize::RootPlusOne,
            alike: true,
            drift: 1e-5,
            warning: 1e-4,
            ..AdaptiveRandomForest::default()
        };
        options.tree.draw = Draw::Of2017;
        options
    }

    /// A forest that saw nothing yet. Fails on options out of range.
    pub fn build(self, header: &Header, seed: u64) -> Result<AdaptiveRandomForestLearner> {
        self.check()?;
        let ground = Ground::new(header);
        let mut random = JavaRandom::new(seed as i64);
        let member = |_| {
            let seed = match self.alike {
                true => SEED_OF_ALL,
                false => random.next_long(),
            };
            Member::new(self, &ground, seed)
        };
        Ok(AdaptiveRandomForestLearner {
            members: (0..self.trees).map(member).collect(),
            classes: header.classes(),
            options: self,
            random: JavaRandom::new(seed as i64),
            draws: Vec::new(),
        })
    }

    /// What a tree is planted and loaded with.
    fn planting(&self, ground: &Ground) -> (HoeffdingTree, Ground) {
        (self.tree_on(ground), ground.clone())
    }

    /// How the trees grow.
    fn tree_on(&self, ground: &Ground) -> HoeffdingTree {
        HoeffdingTree {
            subspace: Some(self.subspace.of(ground.header.attributes().len())),
            ..self.tree
        }
    }

    fn check(&self) -> Result<()> {
        let fault = |option: &str, range: &str| {
            Err(Error::usage(format!("the {option} is out of range"))
                .help(format!("choose the {option} {range}")))
        };
        let open = |value: f64| value > 0.0 && value < 1.0;
        if !(1..=10_000).contains(&self.trees) {
            return fault("number of trees", "from 1 to 10000");
        }
        if !(self.lambda > 0.0 && self.lambda <= 100.0) {
            return fault("mean weight lambda", "above 0 and up to 100");
        }
        if !open(self.drift) || !open(self.warning) {
            return fault("delta of drifts and of warnings", "between 0 and 1");
        }
        match self.subspace {
            SubspaceSize::Share(share) if !(0.0..=1.0).contains(&share) => {
                fault("share of attributes", "from 0 to 1")
            }
            _ => self.tree.check(),
        }
    }
}

saved!(
    struct AdaptiveRandomForest { trees, tree, subspace, lambda, alike, drift, warning }
    if |forest| forest.check().is_ok(), else "options of a forest that are out of range"
);

/// The forest.
#[derive(Clone, Debug)]
pub struct AdaptiveRandomForestLearner {
    options: AdaptiveRandomForest,
    members: Vec<Member>,
    classes: usize,
    random: JavaRandom,
    draws: Vec<u32>,
}

saved!(
    struct AdaptiveRandomForestLearner with header: Header {
        options: AdaptiveRandomForest,
        random,
        members[options.trees] in (options, Ground::new(header));
        classes: header.classes(),
        draws: Vec::new()
    }
);

/// A tree and all that watches it.
#[derive(Clone, Debug)]
struct Member {
    options: AdaptiveRandomForest,
    tree_options: HoeffdingTree,
    ground: Ground,
    random: JavaRandom,
    tree: HoeffdingTreeLearner,
    drift: Adwin,
    warning: Adwin,
    background: Option<Box<HoeffdingTreeLearner>>,
    seen: u64,
    right: u64,
    drifts: u64,
    votes: Vec<f64>,
}

saved!(
    struct Member with place: (AdaptiveRandomForest, Ground) {
        random,
        tree in place.0.planting(&place.1),
        drift in place.0.drift,
        warning in place.0.warning,
        background in place.0.planting(&place.1),
        seen, right, drifts;
        options: place.0,
        tree_options: place.0.tree_on(&place.1),
        ground: place.1.clone(),
        votes: Vec::new()
    } if |member| member.right <= member.seen, else "a tree that was right more often than asked"
);

impl Member {
    fn new(options: AdaptiveRandomForest, ground: &Ground, seed: i64) -> Self {
        let tree_options = options.tree_on(ground);
        Member {
            options,
            tree_options,
            ground: ground.clone(),
            tree: tree_options.plant(ground, seed),
            random: JavaRandom::new(seed),
            drift: Adwin::new(options.drift),
            warning: Adwin::new(options.warning),
            background: None,
            seen: 0,
            right: 0,
            drifts: 0,
            votes: Vec::new(),
        }
    }

    /// Adds the votes of the tree, weighted by its accuracy in percent.
    fn vote(&self, votes: &[f64], sums: &mut [f64]) {
        let accuracy = 100.0 * self.right as f64 / self.seen.max(1) as f64;
        add_shares(votes, if self.right > 0 { accuracy } else { 1.0 }, sums);
    }

    /// Learns a record with this weight; the votes at hand are those before it.
    fn learn(&mut self, record: &[f64], class: u32, weight: f64) {
        self.seen += 1;
        self.right += u64::from(predicted(&self.votes) == class);
        if weight <= 0.0 {
            return;
        }
        self.tree.learn_weighted(record, class, weight);
        if let Some(background) = &mut self.background {
            background.learn(record, class);
        }
        self.tree.predict(record, &mut self.votes);
        let error = f64::from(predicted(&self.votes) != class);
        if rises(&mut self.warning, error) {
            self.background = Some(Box::new(self.sapling()));
            self.warning = Adwin::new(self.options.warning);
        }
        if rises(&mut self.drift, error) {
            self.replace();
        }
    }

    fn sapling(&mut self) -> HoeffdingTreeLearner {
        let seed = match self.options.alike {
            true => SEED_OF_ALL,
            false => self.random.next_long(),
        };
        self.tree_options.plant(&self.ground, seed)
    }

    fn replace(&mut self) {
        match self.background.take() {
            Some(background) => {
                self.tree = *background;
                self.warning = Adwin::new(self.options.warning);
            }
            None => self.tree = self.sapling(),
        }
        self.drift = Adwin::new(self.options.drift);
        (self.seen, self.right) = (0, 0);
        self.drifts += 1;
    }

    fn memory(&self) -> usize {
        let background = self.background.as_deref().map_or(0, Learner::memory);
        let watching = self.drift.memory() + self.warning.memory();
        size_of::<Self>() + self.tree.memory() + background + watching
    }
}

/// Takes an error and says whether errors have become more frequent; a tree that errs
/// less is kept.
fn rises(errors: &mut Adwin, error: f64) -> bool {
    let before = errors.mean();
    errors.add(error) && errors.mean() > before
}

impl AdaptiveRandomForestLearner {
    /// How often a tree was replaced so far.
    pub fn drifts(&self) -> u64 {
        self.members.iter().map(|member| member.drifts).sum()
    }

    fn draw(&mut self, classes: &[u32]) {
        let (trees, lambda) = (self.members.len(), self.options.lambda);
        let known = classes.iter().map(|&class| (class as usize) < self.classes);
        draw_weights(trees, lambda, known, &mut self.random, &mut self.draws);
    }
}

impl Learner for AdaptiveRandomForestLearner {
    fn predict(&self, record: &[f64], votes: &mut Vec<f64>) {
        votes.clear();
        votes.resize(self.classes, 0.0);
        let mut own = Vec::with_capacity(self.classes);
        for member in &self.members {
            member.tree.predict(record, &mut own);
            member.vote(&own, votes);
        }
    }

    fn learn_weighted(&mut self, record: &[f64], class: u32, weight: f64) {
        if class as usize >= self.classes {
            return;
        }
        self.draw(&[class]);
        for (member, &draw) in self.members.iter_mut().zip(&self.draws) {
            member.tree.predict(record, &mut member.votes);
            member.learn(record, class, f64::from(draw) * weight);
        }
    }

    fn predict_then_learn(&mut self, records: &Records, classes: &[u32], votes: &mut Vec<f64>) {
        self.draw(classes);
        let (width, trees, draws) = (self.classes, self.members.len(), &self.draws);
        let run = |(place, member): (usize, &mut Member)| {
            let mut sums = vec![0.0; records.len() * width];
            let rows = records
                .iter()
                .zip(classes)
                .zip(sums.chunks_exact_mut(width));
            for (row, ((record, &class), sums)) in rows.enumerate() {
                let mut own = std::mem::take(&mut member.votes);
                member.tree.predict(record, &mut own);
                member.vote(&own, sums);
                member.votes = own;
                if (class as usize) < width {
                    let draw = draws[row * trees + place];
                    member.learn(record, class, f64::from(draw));
                }
            }
            sums
        };
        let all: Vec<Vec<f64>> = self.members.par_iter_mut().enumerate().map(run).collect();
        add_up(all, records.len() * width, votes);
    }

    fn memory(&self) -> usize {
        let draws = self.draws.capacity() * size_of::<u32>();
        size_of::<Self>() + draws + self.members.iter().map(Member::memory).sum::<usize>()
    }

    fn knowledge(&self) -> Option<Knowledge> {
        Knowledge::new("arf", |out| self.save(out))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Input;
    use super::*;

    fn header() -> Header {
        let inputs = vec![Input::Number, Input::Number, Input::Nominal { values: 3 }];
        Header::new(inputs, 2).expect("small")
    }

    /// The class follows the first number, and later the second; one value in 20 is missing.
    fn stream(rows: usize) -> (Records, Vec<u32>) {
        let mut random = JavaRandom::new(8);
        let (mut records, mut classes) = (Records::new(3), Vec::new());
        for at in 0..rows {
            let mut record = [
                random.next_double(),
                random.next_double(),
                f64::from(random.next_int_below(3)),
            ];
            classes.push(u32::from(record[usize::from(at >= rows / 2)] > 0.4));
            if random.next_int_below(20) == 0 {
                record[random.next_int_below(3) as usize] = f64::NAN;
            }
            records.push(&record);
        }
        (records, classes)
    }

    fn forest(seed: u64) -> AdaptiveRandomForestLearner {
        let options = AdaptiveRandomForest {
            trees: 5,
            subspace: SubspaceSize::Count(2),
            ..AdaptiveRandomForest::default()
        };
        options.build(&header(), seed).expect("sound options")
    }

    fn accuracy(votes: &[f64], classes: &[u32]) -> f64 {
        let votes = votes.chunks_exact(2).map(predicted);
        let right = votes.zip(classes).filter(|(vote, class)| vote == *class);
        right.count() as f64 / classes.len() as f64
    }

    #[test]
    fn a_forest_follows_a_drift() {
        let (records, classes) = stream(3000);
        let (mut forest, mut votes) = (forest(1), Vec::new());
        forest.predict_then_learn(&records, &classes, &mut votes);
        assert!(accuracy(&votes, &classes) > 0.85);
        assert!(accuracy(&votes[4000..], &classes[2000..]) > 0.85);
        assert!(forest.drifts() >= 3, "{}", forest.drifts());
        assert!(forest.memory() < 1 << 20);
    }

    #[test]
    fn a_stream_that_would_grow_without_bound_is_held_in_bounds() {
        let run = |memory_limit: usize| {
            let mut options = AdaptiveRandomForest {
                trees: 3,
                warning: 0.5,
                drift: 1e-9,
                ..AdaptiveRandomForest::default()
            };
            options.tree.memory_limit = memory_limit;
            options.tree.grace_period = 10.0;
            options.tree.tie_threshold = 1.0;
            let mut forest = options.build(&header(), 1).expect("sound options");
            let mut random = JavaRandom::new(1);
            let (mut most, mut votes) = (0, Vec::new());
            for _ in 0..30 {
                let (mut records, mut classes) = (Records::new(3), Vec::new());
                for _ in 0..200 {
                    let code = f64::from(random.next_int_below(3));
                    records.push(&[random.next_double(), random.next_double(), code]);
                    classes.push(random.next_int_below(2) as u32);
                }
                forest.predict_then_learn(&records, &classes, &mut votes);
                most = most.max(forest.memory());
            }
            let grown = forest
                .members
                .iter()
                .any(|member| member.background.is_some());
            assert!(grown, "a tree in the background counts, too");
            (most, forest)
        };
        let limit = 100_000;
        let (most, forest) = run(limit);
        let member = &forest.members[0];
        // One split of a tree adds three leaves at most.
        let tree = limit + limit / 8 + 3000;
        let watching = 2 * Adwin::most_memory();
        let draws = 4 * 200 * 3;
        let bound = 3 * (size_of_val(member) + 2 * tree + watching) + draws;
        assert!(most <= size_of_val(&forest) + bound, "{most} of {bound}");
        let (free, _) = run(usize::MAX);
        assert!(free > 2 * bound, "{free}: nothing would be bounded");
    }

    #[test]
    fn chunks_threads_and_single_records_give_the_same_votes() {
        let (records, classes) = stream(900);
        let mut one_by_one = forest(7);
        let (mut votes, mut expected) = (Vec::new(), Vec::new());
        for (record, &class) in records.iter().zip(&classes) {
            one_by_one.predict(record, &mut votes);
            expected.extend_from_slice(&votes);
            one_by_one.learn(record, class);
        }
        for (threads, size) in [(1, 900), (2, 900), (3, 7), (1, 1)] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.expect("a few threads");
            let (mut forest, mut found) = (forest(7), Vec::new());
            for start in (0..900).step_by(size) {
                let end = (start + size).min(900);
                let mut chunk = Records::new(3);
                (start..end).for_each(|row| chunk.push(records.record(row)));
                let classes = &classes[start..end];
                pool.install(|| forest.predict_then_learn(&chunk, classes, &mut votes));
                found.extend_from_slice(&votes);
            }
            assert!(found == expected, "{threads} threads, chunks of {size}");
        }
        assert!(forest(8).members[0].random.next_long() != forest(7).members[0].random.next_long());
    }

    #[test]
    fn subspaces_are_never_empty_nor_too_great() {
        let check = |size: SubspaceSize, attributes, expected| {
            assert_eq!(size.of(attributes), expected, "{size:?} of {attributes}");
        };
        check(SubspaceSize::RootPlusOne, 24, 6);
        check(SubspaceSize::RootPlusOne, 1, 1);
        check(SubspaceSize::Share(0.6), 10, 6);
        check(SubspaceSize::Share(0.0), 10, 1);
        check(SubspaceSize::Count(50), 10, 10);
        check(SubspaceSize::Count(5), 0, 1);
    }

    #[test]
    fn options_out_of_range_are_refused() {
        let sound = AdaptiveRandomForest::of_moa_2017();
        for options in [
            AdaptiveRandomForest { trees: 0, ..sound },
            AdaptiveRandomForest {
                lambda: f64::NAN,
                ..sound
            },
            AdaptiveRandomForest {
                drift: 0.0,
                ..sound
            },
            AdaptiveRandomForest {
                warning: 1.0,
                ..sound
            },
            AdaptiveRandomForest {
                subspace: SubspaceSize::Share(1.5),
                ..sound
            },
        ] {
            let error = options.build(&header(), 1).expect_err("out of range");
            assert_eq!(error.exit_code(), 2);
        }
    }
}
