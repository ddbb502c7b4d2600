//! The one list of learners that can be asked for by name.

use super::model::Reader;
use super::{
    AdaptiveRandomForest, AdaptiveRandomForestLearner, Header, HoeffdingAdaptiveTree,
    HoeffdingAdaptiveTreeLearner, HoeffdingTree, HoeffdingTreeLearner, Learner, Linear,
    LinearLearner, Majority, MajorityLearner, NaiveBayes, NaiveBayesLearner, NearestNeighbours,
    NearestNeighboursLearner, OnlineBagging, OnlineBaggingLearner, Rule,
};
use crate::error::{Error, Result};

/// A learner that can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LearnerInfo {
    /// The name used on the command line and in a policy.
    pub name: &'static str,
    /// What it is, in a few words.
    pub meaning: &'static str,
}

/// Every learner, the simple ones first.
pub const LEARNERS: &[LearnerInfo] = &[
    info("majority", "always the most frequent class"),
    info("nb", "naive Bayes, Gaussian for numbers"),
    info(
        "perceptron",
        "a weight for each attribute, moved by mistakes",
    ),
    info("logistic", "logistic regression by stochastic gradient"),
    info("knn", "10 nearest neighbours among the last 1000 records"),
    info("ht", "Hoeffding tree"),
    info("hat", "Hoeffding adaptive tree, which follows drift"),
    info("bagging", "10 Hoeffding trees by online bagging"),
    info("arf", "adaptive random forest of 10 trees"),
];

/// The learner called `name`, with its default options.
pub fn build(name: &str, header: &Header, seed: u64) -> Result<Box<dyn Learner>> {
    Ok(match name {
        "majority" => Box::new(Majority.build(header)),
        "nb" => Box::new(NaiveBayes.build(header)),
        "perceptron" => Box::new(Linear::PERCEPTRON.build(header)?),
        "logistic" => Box::new(Linear::LOGISTIC.build(header)?),
        "knn" => Box::new(NearestNeighbours::default().build(header)?),
        "ht" => Box::new(HoeffdingTree::default().build(header, seed)?),
        "hat" => Box::new(HoeffdingAdaptiveTree::default().build(header, seed)?),
        "bagging" => Box::new(OnlineBagging::default().build(header, seed)?),
        "arf" => {
            let forest = AdaptiveRandomForest {
                trees: 10,
                ..AdaptiveRandomForest::default()
            };
            Box::new(forest.build(header, seed)?)
        }
        _ => return Err(unknown(name)),
    })
}

/// The learner called `name` as it was saved.
pub(super) fn load(name: &str, header: &Header, from: &mut Reader<'_>) -> Result<Box<dyn Learner>> {
    Ok(match name {
        "majority" => Box::new(MajorityLearner::load(header, from)?),
        "nb" => Box::new(NaiveBayesLearner::load(header, from)?),
        "perceptron" => Box::new(LinearLearner::load(Rule::Perceptron, header, from)?),
        "logistic" => Box::new(LinearLearner::load(Rule::Logistic, header, from)?),
        "knn" => Box::new(NearestNeighboursLearner::load(header, from)?),
        "ht" => Box::new(HoeffdingTreeLearner::load(header, from)?),
        "hat" => Box::new(HoeffdingAdaptiveTreeLearner::load(header, from)?),
        "bagging" => Box::new(OnlineBaggingLearner::load(header, from)?),
        "arf" => Box::new(AdaptiveRandomForestLearner::load(header, from)?),
        _ => return Err(unknown(name)),
    })
}

const fn info(name: &'static str, meaning: &'static str) -> LearnerInfo {
    LearnerInfo { name, meaning }
}

fn unknown(name: &str) -> Error {
    let names: Vec<&str> = LEARNERS.iter().map(|info| info.name).collect();
    Error::usage(format!("`{name}` is no learner"))
        .help(format!("choose from {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::{Input, predicted};

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
}
