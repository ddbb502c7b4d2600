//! Online bagging: several copies of a learner, each learning a record by chance.
//!
//! Each copy learns a record Poisson(λ) times; they vote with equal weight. With λ = 1
//! it is the stream's counterpart of bootstrap samples, with more it learns faster and
//! the copies differ less. Time and memory are those of all copies; copies know nothing
//! of one another, so [`predict_then_learn`](Learner::predict_then_learn) runs them in
//! parallel, with the same votes for any number of threads. N. Oza, S. Russell,
//! "Online Bagging and Boosting", 2001; λ = 6 is the leveraging of Bifet et al., 2010.

use super::ensemble::{add_shares, add_up, draw_weights};
use super::leaf::Ground;
use super::model::{Knowledge, Saved, saved};
use super::poisson::poisson;
use super::{Header, HoeffdingTree, HoeffdingTreeLearner, Learner};
use crate::data::Records;
use crate::error::{Error, Result};
use crate::math::java_random::JavaRandom;
use rayon::prelude::*;

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
        self.check()?;
        let ground = Ground::new(header);
        let tree = |place| {
            self.tree
                .plant(&ground, seed.wrapping_add(place as u64) as i64)
        };
        Ok(OnlineBaggingLearner {
            options: self,
            trees: (0..self.copies).map(tree).collect(),
            classes: header.classes(),
            random: JavaRandom::new(seed as i64),
        })
    }

    fn check(&self) -> Result<()> {
        let fault = |what: &str, help: &str| Err(Error::usage(what).help(help));
        if !(1..=10_000).contains(&self.copies) {
            return fault(
                "the number of copies is out of range",
                "choose from 1 to 10000",
            );
        }
        if !(self.lambda > 0.0 && self.lambda <= 100.0) {
            let help = "choose lambda above 0 and up to 100";
            return fault("the mean weight lambda is out of range", help);
        }
        self.tree.check()
    }
}

saved!(
    struct OnlineBagging { copies, lambda, tree }
    if |bagging| bagging.check().is_ok(), else "options that are out of range"
);

/// The copies.
#[derive(Clone, Debug)]
pub struct OnlineBaggingLearner {
    options: OnlineBagging,
    trees: Vec<HoeffdingTreeLearner>,
    classes: usize,
    random: JavaRandom,
}

saved!(
    struct OnlineBaggingLearner with header: Header {
        options: OnlineBagging,
        random,
        trees[options.copies] in (options.tree, Ground::new(header));
        classes: header.classes()
    }
);

impl Learner for OnlineBaggingLearner {
    fn predict(&self, record: &[f64], votes: &mut Vec<f64>) {
        votes.clear();
        votes.resize(self.classes, 0.0);
        let mut own = Vec::with_capacity(self.classes);
        for tree in &self.trees {
            tree.predict(record, &mut own);
            add_shares(&own, 1.0, votes);
        }
    }

    fn learn_weighted(&mut self, record: &[f64], class: u32, weight: f64) {
        if class as usize >= self.classes {
            return;
        }
        for tree in &mut self.trees {
            let times = poisson(self.options.lambda, &mut self.random);
            if times > 0 {
                tree.learn_weighted(record, class, weight * f64::from(times));
            }
        }
    }

    fn predict_then_learn(&mut self, records: &Records, classes: &[u32], votes: &mut Vec<f64>) {
        let (width, trees) = (self.classes, self.trees.len());
        let known = classes.iter().map(|&class| (class as usize) < width);
        let mut draws = Vec::new();
        draw_weights(
            trees,
            self.options.lambda,
            known,
            &mut self.random,
            &mut draws,
        );
        let run = |(place, tree): (usize, &mut HoeffdingTreeLearner)| {
            let mut own = Vec::with_capacity(width);
            let mut sums = vec![0.0; records.len() * width];
            let rows = records.iter().zip(classes);
            let rows = rows.zip(sums.chunks_exact_mut(width));
            for (row, ((record, &class), sums)) in rows.enumerate() {
                tree.predict(record, &mut own);
                add_shares(&own, 1.0, sums);
                let times = draws[row * trees + place];
                if times > 0 {
                    tree.learn_weighted(record, class, f64::from(times));
                }
            }
            sums
        };
        let all: Vec<Vec<f64>> = self.trees.par_iter_mut().enumerate().map(run).collect();
        add_up(all, records.len() * width, votes);
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + self.trees.iter().map(Learner::memory).sum::<usize>()
    }

    fn knowledge(&self) -> Option<Knowledge> {
        Knowledge::new("bagging", |out| self.save(out))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Input, predicted};
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
    fn chunks_and_single_records_give_the_same_votes() {
        let header = Header::new(vec![Input::Number; 2], 2).expect("small");
        let build = || OnlineBagging::default().build(&header, 3).expect("sound");
        let (mut alone, mut together) = (build(), build());
        let (mut records, mut classes) = (Records::new(2), Vec::new());
        let (mut votes, mut expected) = (Vec::new(), Vec::new());
        let mut random = JavaRandom::new(2);
        for at in 0..2000 {
            let record = [random.next_double(), random.next_double()];
            // A class that there is not is drawn for, too.
            let class = match at % 100 {
                99 => 7,
                _ => u32::from(record[0] > record[1]),
            };
            alone.predict(&record, &mut votes);
            expected.extend_from_slice(&votes);
            alone.learn(&record, class);
            records.push(&record);
            classes.push(class);
        }
        together.predict_then_learn(&records, &classes, &mut votes);
        assert!(votes == expected);
    }

    #[test]
    fn options_out_of_range_are_refused() {
        let header = Header::new(vec![], 2).expect("small");
        let build = |copies: usize, lambda| {
            let options = OnlineBagging {
                copies,
                lambda,
                ..OnlineBagging::default()
            };
            options.build(&header, 1).is_ok()
        };
        assert!(build(2, 1.0) && !build(0, 1.0) && !build(2, 0.0) && !build(2, f64::NAN));
    }
}
