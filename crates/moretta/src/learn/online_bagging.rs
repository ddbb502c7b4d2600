//! Online bagging: several copies of a learner, each learning a record by chance.
//!
//! Each copy learns a record Poisson(λ) times; they vote with equal weight. With λ = 1
//! it is the stream's counterpart of bootstrap samples, with more it learns faster and
//! the copies differ less. Time and memory are those of all copies. N. Oza, S. Russell,
//! "Online Bagging and Boosting", 2001; λ = 6 is the leveraging of Bifet et al., 2010.

use super::poisson::poisson;
use super::shares::add_shares;
use super::{Header, HoeffdingTree, Learner};
use crate::error::{Error, Result};
use crate::math::java_random::JavaRandom;

/// The options, by default MOA's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnlineBagging {
    /// How many copies there are.
    pub copies: usize,
    /// How often a copy learns a record, on average.
    pub lambda: f64,
    /// What is copied.
    pub tree: HoeffdingTree,
}

impl Default for OnlineBagging {
    fn default() -> Self {
        OnlineBagging {
            copies: 10,
            lambda: 1.0,
            tree: HoeffdingTree::default(),
        }
    }
}

impl OnlineBagging {
    /// Copies of a Hoeffding tree. Fails on options out of range.
    pub fn build(self, header: &Header, seed: u64) -> Result<OnlineBaggingLearner> {
        let tree = |place| {
            let tree = self.tree.build(header, seed.wrapping_add(place as u64))?;
            Ok(Box::new(tree) as Box<dyn Learner>)
        };
        let copies = (0..self.copies).map(tree).collect::<Result<_>>()?;
        OnlineBaggingLearner::new(copies, self.lambda, header, seed)
    }
}

/// The copies, or any learners of the same records.
pub struct OnlineBaggingLearner {
    learners: Vec<Box<dyn Learner>>,
    classes: usize,
    lambda: f64,
    random: JavaRandom,
}

impl OnlineBaggingLearner {
    /// Fails without learners, or when λ is out of range.
    pub fn new(
        learners: Vec<Box<dyn Learner>>,
        lambda: f64,
        header: &Header,
        seed: u64,
    ) -> Result<Self> {
        if learners.is_empty() || !(lambda > 0.0 && lambda <= 100.0) {
            let what = "bagging needs learners and a mean weight lambda";
            return Err(Error::usage(what).help("choose lambda above 0 and up to 100"));
        }
        Ok(OnlineBaggingLearner {
            learners,
            classes: header.classes(),
            lambda,
            random: JavaRandom::new(seed as i64),
        })
    }
}

impl Learner for OnlineBaggingLearner {
    fn predict(&self, record: &[f64], votes: &mut Vec<f64>) {
        votes.clear();
        votes.resize(self.classes, 0.0);
        let mut own = Vec::with_capacity(self.classes);
        for learner in &self.learners {
            learner.predict(record, &mut own);
            add_shares(&own, 1.0, votes);
        }
    }

    fn learn_weighted(&mut self, record: &[f64], class: u32, weight: f64) {
        if class as usize >= self.classes {
            return;
        }
        for learner in &mut self.learners {
            let times = poisson(self.lambda, &mut self.random);
            if times > 0 {
                learner.learn_weighted(record, class, weight * f64::from(times));
            }
        }
    }

    fn memory(&self) -> usize {
        let learners = self.learners.iter().map(|learner| learner.memory());
        size_of::<Self>() + learners.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Input, Majority, predicted};
    use super::*;

    #[test]
    fn bagged_trees_learn_and_the_seed_decides() {
        let header = Header::new(vec![Input::Number; 2], 2).expect("small");
        let run = |seed| {
            let mut learner = OnlineBagging::default()
                .build(&header, seed)
                .expect("sound");
            let mut random = JavaRandom::new(1);
            let (mut votes, mut right, mut sum) = (Vec::new(), 0, 0.0);
            for _ in 0..3000 {
                let record = [random.next_double(), random.next_double()];
                let class = u32::from(record[0] + record[1] > 1.0);
                learner.predict(&record, &mut votes);
                right += usize::from(predicted(&votes) == class);
                sum += votes[0];
                learner.learn(&record, class);
            }
            assert!(right > 2600, "{right}");
            (right, sum.to_bits())
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn no_learners_and_wrong_weights_are_refused() {
        let header = Header::new(vec![], 2).expect("small");
        let build = |copies: usize, lambda| {
            let learner = || Box::new(Majority.build(&header)) as Box<dyn Learner>;
            let learners = (0..copies).map(|_| learner()).collect();
            OnlineBaggingLearner::new(learners, lambda, &header, 1).is_ok()
        };
        assert!(build(2, 1.0) && !build(0, 1.0) && !build(2, 0.0) && !build(2, f64::NAN));
    }
}
