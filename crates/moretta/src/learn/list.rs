//! The one list of learners that can be asked for by name, and of their options.

mod drift_reset;
mod options;

pub use drift_reset::{DetectorKind, DriftReset, DriftResetLearner};
pub use options::split_learners;

use super::knn::MOST_RECORDS;
use super::model::{Loaded, Reader};
use super::{
    AdaptiveRandomForest, AdaptiveRandomForestLearner, Criterion, Header, HoeffdingAdaptiveTree,
    HoeffdingAdaptiveTreeLearner, HoeffdingTree, HoeffdingTreeLearner, Input, LeafPrediction,
    Learner, Linear, LinearLearner, Majority, MajorityLearner, NaiveBayes, NaiveBayesLearner,
    NearestNeighbours, NearestNeighboursLearner, OnlineBagging, OnlineBaggingLearner, Rule,
    SubspaceSize,
};
use crate::config::{Absent, Accepts, Form, POSITIVE, Parameter, Placed, Value, words};
use crate::error::{Error, Result};
use drift_reset::DETECTORS;
use options::Options;

/// A learner that can be asked for.
#[derive(Clone, Copy, Debug)]
pub struct LearnerInfo {
    /// The name used on the command line and in a policy.
    pub name: &'static str,
    /// What it is, in a few words.
    pub meaning: &'static str,
    /// What can be set in parentheses behind its name, in groups.
    pub options: &'static [&'static [Parameter]],
    build: fn(&mut Options<'_>, &Header, u64) -> Result<Box<dyn Learner>>,
    load: fn(&Header, &mut Reader<'_>) -> Result<Box<dyn Learner>>,
}

/// Every learner, the simple ones first.
pub const LEARNERS: &[LearnerInfo] = &[
    LearnerInfo {
        name: "majority",
        meaning: "always the most frequent class",
        options: &[],
        build: |_, header, _| boxed(Majority.build(header)),
        load: |header, from| boxed(MajorityLearner::load(header, from)?),
    },
    LearnerInfo {
        name: "nb",
        meaning: "naive Bayes, Gaussian for numbers",
        options: &[],
        build: |_, header, _| boxed(NaiveBayes.build(header)),
        load: |header, from| boxed(NaiveBayesLearner::load(header, from)?),
    },
    LearnerInfo {
        name: "perceptron",
        meaning: "a weight for each attribute, moved by mistakes",
        options: &[LINEAR],
        build: |options, header, _| boxed(linear(Linear::PERCEPTRON, options)?.build(header)?),
        load: |header, from| boxed(LinearLearner::load(Rule::Perceptron, header, from)?),
    },
    LearnerInfo {
        name: "logistic",
        meaning: "logistic regression by stochastic gradient",
        options: &[LINEAR],
        build: |options, header, _| boxed(linear(Linear::LOGISTIC, options)?.build(header)?),
        load: |header, from| boxed(LinearLearner::load(Rule::Logistic, header, from)?),
    },
    LearnerInfo {
        name: "knn",
        meaning: "10 nearest neighbours among the last 1000 records",
        options: &[NEIGHBOURS],
        build: |options, header, _| boxed(neighbours(options)?.build(header)?),
        load: |header, from| boxed(NearestNeighboursLearner::load(header, from)?),
    },
    LearnerInfo {
        name: "ht",
        meaning: "Hoeffding tree",
        options: &[TREE],
        build: |options, header, seed| {
            boxed(tree(HoeffdingTree::default(), options)?.build(header, seed)?)
        },
        load: |header, from| boxed(HoeffdingTreeLearner::load(header, from)?),
    },
    LearnerInfo {
        name: "hat",
        meaning: "Hoeffding adaptive tree, which follows drift",
        options: &[TREE],
        build: |options, header, seed| {
            let tree = tree(HoeffdingAdaptiveTree::default().tree, options)?;
            boxed(HoeffdingAdaptiveTree { tree }.build(header, seed)?)
        },
        load: |header, from| boxed(HoeffdingAdaptiveTreeLearner::load(header, from)?),
    },
    LearnerInfo {
        name: "bagging",
        meaning: "10 Hoeffding trees by online bagging",
        options: &[BAGGING, TREE],
        build: |options, header, seed| boxed(bagging(options)?.build(header, seed)?),
        load: |header, from| boxed(OnlineBaggingLearner::load(header, from)?),
    },
    LearnerInfo {
        name: "arf",
        meaning: "adaptive random forest of 10 trees",
        options: &[FOREST, TREE],
        build: |options, header, seed| boxed(forest(options)?.build(header, seed)?),
        load: |header, from| boxed(AdaptiveRandomForestLearner::load(header, from)?),
    },
    LearnerInfo {
        name: "drift",
        meaning: "a learner that starts again when a detector sees drift in its errors",
        options: &[RESET],
        build: |options, header, seed| boxed(reset(options)?.build(header, seed)?),
        load: |header, from| boxed(DriftResetLearner::load(header, from)?),
    },
];

const RATE: Parameter = Parameter::new(
    "rate",
    Accepts::Number(POSITIVE, f64::MAX),
    Absent::Means("1 for perceptron, 0.02 for logistic"),
    "how much a record moves the weights",
);
const LINEAR: &[Parameter] = &[RATE];

const K: Parameter = Parameter::new(
    "k",
    Accepts::Whole(1, MOST_RECORDS as i64),
    Absent::Means("10"),
    "neighbours that vote",
);
const WINDOW: Parameter = Parameter::new(
    "window",
    Accepts::Whole(1, MOST_RECORDS as i64),
    Absent::Means("1000"),
    "records that are kept, k at least",
);
const NEIGHBOURS: &[Parameter] = &[K, WINDOW];

const GRACE: Parameter = Parameter::new(
    "grace",
    Accepts::Number(1.0, f64::MAX),
    Absent::Means("200; 50 in a forest"),
    "records that a leaf takes between two looks at its splits",
);
const CONFIDENCE: Parameter = Parameter::new(
    "confidence",
    PROBABILITY,
    Absent::Means("1e-7; 0.01 in a forest"),
    "the probability of a wrong split",
);
const TIE: Parameter = Parameter::new(
    "tie",
    Accepts::Number(0.0, 1.0),
    Absent::Means("0.05"),
    "splits nearer than this are tied",
);
const CRITERION: Parameter = Parameter::new(
    "criterion",
    Accepts::Word(|| words(CRITERIA)),
    Absent::Means("information-gain"),
    "how splits are compared",
);
const LEAF: Parameter = Parameter::new(
    "leaf",
    Accepts::Word(|| words(LEAVES)),
    Absent::Means("adaptive"),
    "how a leaf predicts",
);
const BINARY: Parameter = Parameter::new(
    "binary",
    Accepts::Word(|| words(ANSWERS)),
    Absent::Means("no"),
    "whether nominal attributes split in two only",
);
const RESPLIT: Parameter = Parameter::new(
    "resplit",
    Accepts::Word(|| words(ANSWERS)),
    Absent::Means("no"),
    "whether leaves that no split helps split again on a nominal attribute, as in MOA",
);
const POINTS: Parameter = Parameter::new(
    "points",
    Accepts::Whole(1, 1000),
    Absent::Means("10"),
    "thresholds tried for a number",
);
const MEMORY: Parameter = Parameter::new(
    "memory",
    Accepts::Whole(0, i64::MAX >> 20),
    Absent::Means("32"),
    "MiB that a tree may occupy",
);
const TREE: &[Parameter] = &[
    GRACE, CONFIDENCE, TIE, CRITERION, LEAF, BINARY, RESPLIT, POINTS, MEMORY,
];

const TREES: Parameter = Parameter::new(
    "trees",
    Accepts::Whole(1, 10_000),
    Absent::Means("10"),
    "how many trees there are",
);
const LAMBDA: Parameter = Parameter::new(
    "lambda",
    Accepts::Number(POSITIVE, 100.0),
    Absent::Means("1; 6 in a forest"),
    "how often a tree learns a record, on average",
);
const BAGGING: &[Parameter] = &[TREES, LAMBDA];

const PRESET: Parameter = Parameter::new(
    "preset",
    Accepts::Word(|| vec!["ours", "moa", "2017"]),
    Absent::Means("ours"),
    "`moa`: all trees draw attributes alike, as in MOA; `2017`: the forest as first published",
);
const SUBSPACE: Parameter = Parameter::new(
    "subspace",
    Accepts::OneOf(&[
        Accepts::Whole(1, 1 << 20),
        Accepts::Form(&Form {
            what: "a share",
            example: "60%",
            pattern: "^[0-9.]+%$",
            fits: |text| share(text).is_some(),
        }),
        Accepts::Word(|| vec!["root"]),
    ]),
    Absent::Means("60%"),
    "how many attributes a leaf looks at; root is their square root and one more",
);
const DRIFT: Parameter = Parameter::new(
    "drift",
    PROBABILITY,
    Absent::Means("0.001"),
    "δ of the ADWIN that replaces a tree",
);
const WARNING: Parameter = Parameter::new(
    "warning",
    PROBABILITY,
    Absent::Means("0.01"),
    "δ of the ADWIN that starts a tree in the background",
);
const FOREST: &[Parameter] = &[PRESET, TREES, LAMBDA, SUBSPACE, DRIFT, WARNING];

const DETECTOR: Parameter = Parameter::new(
    "detector",
    Accepts::Word(|| words(DETECTORS)),
    Absent::Means("ddm"),
    "what watches the errors",
);
const LEARNER: Parameter = Parameter::new(
    "learner",
    Accepts::Text,
    Absent::Means("nb"),
    "what starts again: any other learner, with its options",
);
const RESET: &[Parameter] = &[DETECTOR, LEARNER];

/// Above 0; below 1 is for the learner to see.
const PROBABILITY: Accepts = Accepts::Number(POSITIVE, 1.0);

const CRITERIA: &[(&str, Criterion)] = &[
    ("information-gain", Criterion::InformationGain),
    ("gini", Criterion::Gini),
];

const LEAVES: &[(&str, LeafPrediction)] = &[
    ("majority", LeafPrediction::Majority),
    ("nb", LeafPrediction::NaiveBayes),
    ("adaptive", LeafPrediction::Adaptive),
];

const ANSWERS: &[(&str, bool)] = &[("yes", true), ("no", false)];

/// The options of the learner called `name`.
fn options_of(name: &str) -> impl Iterator<Item = &'static Parameter> {
    let info = LEARNERS.iter().find(move |info| info.name == name);
    info.into_iter()
        .flat_map(|info| info.options.iter().copied().flatten())
}

/// The learner that `text` asks for: a name, or a name with options as in
/// `ht(grace=50, criterion=gini)`.
///
/// ```
/// use moretta::learn::{Header, Input, build};
///
/// let header = Header::new(vec![Input::Number], 2)?;
/// build("arf(trees=5, criterion=gini)", &header, 1)?;
/// assert!(build("arf(tres=5)", &header, 1).is_err());
/// # Ok::<(), moretta::Error>(())
/// ```
pub fn build(text: &str, header: &Header, seed: u64) -> Result<Box<dyn Learner>> {
    let mut options = Options::parse(text)?;
    let learner = (find(options.name)?.build)(&mut options, header, seed)?;
    options.finish()?;
    Ok(learner)
}

/// The learner called `name` as it was saved.
pub(crate) fn load(name: &str, header: &Header, from: &mut Reader<'_>) -> Result<Box<dyn Learner>> {
    (find(name)?.load)(header, from)
}

fn find(name: &str) -> Result<&'static LearnerInfo> {
    let found = LEARNERS.iter().find(|info| info.name == name);
    found.ok_or_else(|| unknown(name))
}

fn boxed<L: Learner + 'static>(learner: L) -> Result<Box<dyn Learner>> {
    Ok(Box::new(learner))
}

/// Fails if [`build`] would, whatever the records hold.
pub fn check_learner(text: &str) -> Result<()> {
    let header = Header::new(vec![Input::Number], 2).expect("a small header");
    build(text, &header, 1).map(drop)
}

fn linear(usual: Linear, options: &mut Options<'_>) -> Result<Linear> {
    Ok(Linear {
        rate: options.number(&RATE, usual.rate)?,
        ..usual
    })
}

fn neighbours(options: &mut Options<'_>) -> Result<NearestNeighbours> {
    let usual = NearestNeighbours::default();
    Ok(NearestNeighbours {
        k: options.whole(&K, usual.k)?,
        window: options.whole(&WINDOW, usual.window)?,
    })
}

fn tree(usual: HoeffdingTree, options: &mut Options<'_>) -> Result<HoeffdingTree> {
    let memory = options.whole(&MEMORY, usual.memory_limit >> 20)?;
    Ok(HoeffdingTree {
        grace_period: options.number(&GRACE, usual.grace_period)?,
        split_confidence: options.number(&CONFIDENCE, usual.split_confidence)?,
        tie_threshold: options.number(&TIE, usual.tie_threshold)?,
        criterion: options.word(&CRITERION, CRITERIA, usual.criterion)?,
        leaf: options.word(&LEAF, LEAVES, usual.leaf)?,
        binary_splits: options.word(&BINARY, ANSWERS, usual.binary_splits)?,
        resplit: options.word(&RESPLIT, ANSWERS, usual.resplit)?,
        split_points: options.whole(&POINTS, usual.split_points)?,
        memory_limit: memory << 20,
        ..usual
    })
}

fn bagging(options: &mut Options<'_>) -> Result<OnlineBagging> {
    let usual = OnlineBagging::default();
    Ok(OnlineBagging {
        copies: options.whole(&TREES, usual.copies)?,
        lambda: options.number(&LAMBDA, usual.lambda)?,
        tree: tree(usual.tree, options)?,
    })
}

fn forest(options: &mut Options<'_>) -> Result<AdaptiveRandomForest> {
    let presets = [
        ("ours", AdaptiveRandomForest::default()),
        ("moa", AdaptiveRandomForest::of_moa()),
        ("2017", AdaptiveRandomForest::of_moa_2017()),
    ];
    let usual = options.word(&PRESET, &presets, AdaptiveRandomForest::default())?;
    let subspace = options.value(&SUBSPACE)?;
    let subspace = subspace.map(|placed| read_subspace(&placed)).transpose()?;
    Ok(AdaptiveRandomForest {
        trees: options.whole(&TREES, 10)?,
        lambda: options.number(&LAMBDA, usual.lambda)?,
        subspace: subspace.unwrap_or(usual.subspace),
        drift: options.number(&DRIFT, usual.drift)?,
        warning: options.number(&WARNING, usual.warning)?,
        tree: tree(usual.tree, options)?,
        ..usual
    })
}

fn read_subspace(placed: &Placed) -> Result<SubspaceSize> {
    match &placed.value {
        Value::Text(text) => Ok(share(text).map_or(SubspaceSize::RootPlusOne, SubspaceSize::Share)),
        _ => placed.whole(SUBSPACE.name).map(SubspaceSize::Count),
    }
}

/// `60%` as 0.6.
fn share(text: &str) -> Option<f64> {
    let percent: f64 = text.strip_suffix('%')?.parse().ok()?;
    (percent > 0.0 && percent <= 100.0).then_some(percent / 100.0)
}

fn reset(options: &mut Options<'_>) -> Result<DriftReset> {
    let usual = DriftReset::default();
    Ok(DriftReset {
        detector: options.word(&DETECTOR, DETECTORS, usual.detector)?,
        learner: options.text(&LEARNER, usual.learner)?,
    })
}

fn unknown(name: &str) -> Error {
    let names: Vec<&str> = LEARNERS.iter().map(|info| info.name).collect();
    let fault = Error::usage(format!("`{name}` is no learner"));
    fault.help(format!("choose from {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::predicted;
    use sha2::{Digest, Sha256};

    #[test]
    fn every_learner_of_the_list_learns_and_no_other_is_built() {
        let inputs = vec![Input::Number, Input::Nominal { values: 2 }];
        let header = Header::new(inputs, 2).expect("a header");
        for info in LEARNERS {
            let mut learner = build(info.name, &header, 1).expect("it is in the list");
            let mut votes = Vec::new();
            for n in 0..400 {
                // Most are of class 1, so that the majority is right, too.
                let class = u32::from(n % 4 > 0);
                let x = f64::from(class * 4 + n % 3);
                learner.learn(&[x, f64::from(class)], class);
            }
            learner.predict(&[5.0, 1.0], &mut votes);
            assert_eq!(predicted(&votes), 1, "{}", info.name);
            assert!(learner.memory() > 0 && !info.meaning.ends_with('.'));
        }
        let error = build("oracle", &header, 1).err().expect("not in the list");
        assert!(error.to_string().contains("`oracle`"));
    }

    /// A value that fits every option of this name.
    fn fitting(option: &str) -> &'static str {
        match option {
            "criterion" => "gini",
            "leaf" => "nb",
            "binary" => "yes",
            // The default, with which bytes are those of models from before this option.
            "resplit" => "no",
            "preset" => "2017",
            "subspace" => "root",
            "detector" => "kswin",
            "learner" => "ht(grace=30)",
            "window" => "30",
            "drift" => "0.005",
            "confidence" | "tie" | "warning" | "rate" => "0.1",
            _ => "3",
        }
    }

    #[test]
    fn every_option_of_the_list_can_be_given_and_no_other() {
        for info in LEARNERS {
            check_learner(info.name).expect(info.name);
            let options: Vec<&str> = options_of(info.name).map(|option| option.name).collect();
            for option in &options {
                let text = format!("{}({option}={})", info.name, fitting(option));
                check_learner(&text).expect(&text);
            }
            let all: Vec<String> = options
                .iter()
                .map(|option| format!("{option}={}", fitting(option)))
                .collect();
            let text = format!("{}({})", info.name, all.join(", "));
            check_learner(&text).expect(&text);
            let error = check_learner(&format!("{}(other=1)", info.name)).expect_err("no such");
            assert_eq!(error.exit_code(), 2);
        }
    }

    #[test]
    fn what_learners_know_has_the_bytes_of_its_version() {
        let inputs = vec![Input::Number, Input::Nominal { values: 2 }];
        let header = Header::new(inputs, 2).expect("a header");
        let detectors = DETECTORS
            .iter()
            .map(|(name, _)| format!("drift(detector={name})"));
        let set = LEARNERS.iter().map(|info| {
            let options = options_of(info.name).map(|option| option.name);
            let options = options.map(|option| format!("{option}={}", fitting(option)));
            format!("{}({})", info.name, options.collect::<Vec<_>>().join(", "))
        });
        let names = LEARNERS.iter().map(|info| info.name.to_owned());
        let mut sum = Sha256::new();
        for text in names.chain(set).chain(detectors) {
            let mut learner = build(&text, &header, 1).expect(&text);
            for n in 0..24 {
                learner.learn(&[f64::from(n % 4), f64::from(n % 2)], n % 2);
            }
            sum.update(learner.knowledge().expect("can be saved").bytes);
        }
        let sum: String = sum
            .finalize()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        // Another sum means another layout: then the version of saved models must grow.
        assert_eq!(
            sum,
            "5b1f0c821f432910f882b9c2321538fc09450e4b5611b8e9a87c2b835205c1c9"
        );
    }

    #[test]
    fn values_out_of_range_are_refused() {
        for text in [
            "ht(grace=0)",
            "ht(memory=99999999999999)",
            "arf(trees=0)",
            "arf(subspace=200%)",
            "knn(k=0)",
            "logistic(rate=-1)",
            "drift(learner=drift)",
            "drift(learner=forest)",
            "svm",
        ] {
            let error = check_learner(text).expect_err(text);
            assert_eq!(error.exit_code(), 2, "{text}");
        }
    }
}
