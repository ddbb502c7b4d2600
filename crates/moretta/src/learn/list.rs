//! The one list of learners that can be asked for by name, and of their options.

use super::drift_reset::{DETECTORS, DriftReset, DriftResetLearner};
use super::model::Reader;
use super::options::Options;
use super::{
    AdaptiveRandomForest, AdaptiveRandomForestLearner, Criterion, Header, HoeffdingAdaptiveTree,
    HoeffdingAdaptiveTreeLearner, HoeffdingTree, HoeffdingTreeLearner, Input, LeafPrediction,
    Learner, Linear, LinearLearner, Majority, MajorityLearner, NaiveBayes, NaiveBayesLearner,
    NearestNeighbours, NearestNeighboursLearner, OnlineBagging, OnlineBaggingLearner, Rule,
    SubspaceSize,
};
use crate::error::{Error, Result};

/// A learner that can be asked for.
#[derive(Clone, Copy, Debug)]
pub struct LearnerInfo {
    /// The name used on the command line and in a policy.
    pub name: &'static str,
    /// What it is, in a few words.
    pub meaning: &'static str,
    /// What can be set in parentheses behind its name, in groups.
    pub options: &'static [&'static [OptionInfo]],
    build: fn(&mut Options<'_>, &Header, u64) -> Result<Box<dyn Learner>>,
    load: fn(&Header, &mut Reader<'_>) -> Result<Box<dyn Learner>>,
}

/// An option of a learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionInfo {
    /// The name.
    pub name: &'static str,
    /// What it can be, and what it is when not given.
    pub values: &'static str,
    /// What it does.
    pub meaning: &'static str,
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
        options: &[RATE],
        build: |options, header, _| boxed(linear(Linear::PERCEPTRON, options)?.build(header)?),
        load: |header, from| boxed(LinearLearner::load(Rule::Perceptron, header, from)?),
    },
    LearnerInfo {
        name: "logistic",
        meaning: "logistic regression by stochastic gradient",
        options: &[RATE],
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

const RATE: &[OptionInfo] = &[option(
    "rate",
    "a positive number (perceptron 1, logistic 0.02)",
    "how much a record moves the weights",
)];
const NEIGHBOURS: &[OptionInfo] = &[
    option("k", "a whole number (10)", "neighbours that vote"),
    option("window", "a whole number (1000)", "records that are kept"),
];
const TREE: &[OptionInfo] = &[
    option(
        "grace",
        "a number from 1 (200; 50 in a forest)",
        "records that a leaf takes between two looks at its splits",
    ),
    option(
        "confidence",
        "between 0 and 1 (1e-7; 0.01 in a forest)",
        "the probability of a wrong split",
    ),
    option("tie", "0 to 1 (0.05)", "splits nearer than this are tied"),
    option(
        "criterion",
        "information-gain (the usual), gini",
        "how splits are compared",
    ),
    option(
        "leaf",
        "majority, nb, adaptive (the usual)",
        "how a leaf predicts",
    ),
    option(
        "binary",
        "yes, no (the usual)",
        "whether nominal attributes split in two only",
    ),
    option("points", "1 to 1000 (10)", "thresholds tried for a number"),
    option("memory", "MiB (32)", "what a tree may occupy"),
];
const BAGGING: &[OptionInfo] = &[
    option("trees", "a whole number (10)", "how many trees there are"),
    option(
        "lambda",
        "a positive number (1)",
        "how often a tree learns a record, on average",
    ),
];
const FOREST: &[OptionInfo] = &[
    option(
        "preset",
        "ours (the usual), moa, 2017",
        "`moa`: all trees draw attributes alike, as in MOA; `2017`: the forest as first published",
    ),
    option("trees", "a whole number (10)", "how many trees there are"),
    option(
        "lambda",
        "a positive number (6)",
        "how often a tree learns a record, on average",
    ),
    option(
        "subspace",
        "a number of attributes, a share such as 60% (the usual), or root",
        "how many attributes a leaf looks at; root is their square root and one more",
    ),
    option(
        "drift",
        "between 0 and 1 (0.001)",
        "δ of the ADWIN that replaces a tree",
    ),
    option(
        "warning",
        "between 0 and 1 (0.01)",
        "δ of the ADWIN that starts a tree in the background",
    ),
];
const RESET: &[OptionInfo] = &[
    option(
        "detector",
        "adwin, ddm (the usual), eddm, page-hinkley, kswin",
        "what watches the errors",
    ),
    option(
        "learner",
        "any other learner, with its options (nb)",
        "what starts again",
    ),
];

/// The options of the learner called `name`.
pub(super) fn options_of(name: &str) -> impl Iterator<Item = &'static OptionInfo> {
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
pub(super) fn load(name: &str, header: &Header, from: &mut Reader<'_>) -> Result<Box<dyn Learner>> {
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
        rate: options.number("rate", usual.rate)?,
        ..usual
    })
}

fn neighbours(options: &mut Options<'_>) -> Result<NearestNeighbours> {
    let usual = NearestNeighbours::default();
    Ok(NearestNeighbours {
        k: options.number("k", usual.k)?,
        window: options.number("window", usual.window)?,
    })
}

fn tree(usual: HoeffdingTree, options: &mut Options<'_>) -> Result<HoeffdingTree> {
    let criteria = [
        ("information-gain", Criterion::InformationGain),
        ("gini", Criterion::Gini),
    ];
    let leaves = [
        ("majority", LeafPrediction::Majority),
        ("nb", LeafPrediction::NaiveBayes),
        ("adaptive", LeafPrediction::Adaptive),
    ];
    let answers = [("yes", true), ("no", false)];
    let memory: usize = options.number("memory", usual.memory_limit >> 20)?;
    Ok(HoeffdingTree {
        grace_period: options.number("grace", usual.grace_period)?,
        split_confidence: options.number("confidence", usual.split_confidence)?,
        tie_threshold: options.number("tie", usual.tie_threshold)?,
        criterion: options.word("criterion", &criteria, usual.criterion)?,
        leaf: options.word("leaf", &leaves, usual.leaf)?,
        binary_splits: options.word("binary", &answers, usual.binary_splits)?,
        split_points: options.number("points", usual.split_points)?,
        memory_limit: memory
            .checked_mul(1 << 20)
            .ok_or_else(|| options.unfit("memory", "MiB that a machine can have"))?,
        ..usual
    })
}

fn bagging(options: &mut Options<'_>) -> Result<OnlineBagging> {
    let usual = OnlineBagging::default();
    Ok(OnlineBagging {
        copies: options.number("trees", usual.copies)?,
        lambda: options.number("lambda", usual.lambda)?,
        tree: tree(usual.tree, options)?,
    })
}

fn forest(options: &mut Options<'_>) -> Result<AdaptiveRandomForest> {
    let presets = [
        ("ours", AdaptiveRandomForest::default()),
        ("moa", AdaptiveRandomForest::of_moa()),
        ("2017", AdaptiveRandomForest::of_moa_2017()),
    ];
    let usual = options.word("preset", &presets, AdaptiveRandomForest::default())?;
    Ok(AdaptiveRandomForest {
        trees: options.number("trees", 10)?,
        lambda: options.number("lambda", usual.lambda)?,
        subspace: subspace(usual.subspace, options)?,
        drift: options.number("drift", usual.drift)?,
        warning: options.number("warning", usual.warning)?,
        tree: tree(usual.tree, options)?,
        ..usual
    })
}

fn subspace(usual: SubspaceSize, options: &mut Options<'_>) -> Result<SubspaceSize> {
    let Some(value) = options.take("subspace") else {
        return Ok(usual);
    };
    if value == "root" {
        return Ok(SubspaceSize::RootPlusOne);
    }
    let size = match value.strip_suffix('%') {
        Some(percent) => percent
            .parse()
            .ok()
            .map(|percent: f64| SubspaceSize::Share(percent / 100.0)),
        None => value.parse().ok().map(SubspaceSize::Count),
    };
    size.ok_or_else(|| options.unfit("subspace", "a whole number, a share such as 60%, or root"))
}

fn reset(options: &mut Options<'_>) -> Result<DriftReset> {
    let usual = DriftReset::default();
    Ok(DriftReset {
        detector: options.word("detector", DETECTORS, usual.detector)?,
        learner: options.take("learner").map_or(usual.learner, str::to_owned),
    })
}

const fn option(name: &'static str, values: &'static str, meaning: &'static str) -> OptionInfo {
    OptionInfo {
        name,
        values,
        meaning,
    }
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
