//! Naive Bayes: classes vote with the product of the densities of the values.
//!
//! Within a class the attributes are taken for independent, numbers for normally
//! distributed; nominal values are counted with Laplace's correction. Time and memory
//! are proportional to attributes times classes. It never forgets, so it follows no
//! drift. After MOA's `NaiveBayes`: densities are multiplied, not their logarithms
//! added, and far from all that was seen every vote is 0.

use super::model::{Knowledge, Saved, saved};
use super::observers::Observers;
use super::subspace::Subspace;
use super::{Header, Learner};

/// The options: there is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NaiveBayes;

impl NaiveBayes {
    /// A learner that saw nothing yet.
    pub fn build(self, header: &Header) -> NaiveBayesLearner {
        NaiveBayesLearner {
            weights: vec![0.0; header.classes()],
            observers: Observers::new(Subspace::whole(header), header.classes()),
        }
    }
}

/// Distributions of the attributes in each class.
#[derive(Clone, Debug)]
pub struct NaiveBayesLearner {
    weights: Vec<f64>,
    observers: Observers,
}

saved!(
    struct NaiveBayesLearner with header: Header {
        weights[header.classes()],
        observers in (Subspace::whole(header), header.classes())
    }
);

impl Learner for NaiveBayesLearner {
    fn predict(&self, record: &[f64], votes: &mut Vec<f64>) {
        self.observers.votes(record, &self.weights, votes);
    }

    fn learn_weighted(&mut self, record: &[f64], class: u32, weight: f64) {
        if let Some(slot) = self.weights.get_mut(class as usize) {
            *slot += weight;
            self.observers.add(record, class as usize, weight);
        }
    }

    fn memory(&self) -> usize {
        size_of::<Self>()
            + self.weights.capacity() * size_of::<f64>()
            + self.observers.memory()
            + self.observers.subspace().memory()
    }

    fn knowledge(&self) -> Option<Knowledge> {
        Knowledge::new("nb", |out| self.save(out))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Input, predicted};
    use super::*;
    use crate::math::java_random::JavaRandom;
    use std::f64::consts::PI;

    /// The votes by the formulas, from all records at once.
    fn slow(records: &[([f64; 2], u32)], asked: &[f64; 2]) -> Vec<f64> {
        let of = |class| records.iter().filter(move |record| record.1 == class);
        let vote = |class| {
            let count = of(class).count() as f64;
            let mut vote = count / records.len() as f64;
            for (place, asked) in asked.iter().enumerate() {
                let mean = of(class).map(|record| record.0[place]).sum::<f64>() / count;
                let squares = of(class).map(|record| (record.0[place] - mean).powi(2));
                let variance = squares.sum::<f64>() / (count - 1.0);
                let exponent = (asked - mean).powi(2) / (2.0 * variance);
                vote *= (-exponent).exp() / (2.0 * PI * variance).sqrt();
            }
            vote
        };
        (0..3).map(vote).collect()
    }

    #[test]
    fn votes_are_those_of_the_formulas() {
        let header = Header::new(vec![Input::Number; 2], 3).expect("small");
        let mut learner = NaiveBayes.build(&header);
        let mut random = JavaRandom::new(2);
        let (mut records, mut votes) = (Vec::new(), Vec::new());
        for at in 0..200 {
            let class = random.next_int_below(3) as u32;
            let mut value = || random.next_gaussian() + f64::from(class);
            let record = [value(), 1000.0 + value()];
            if at > 30 {
                learner.predict(&record, &mut votes);
                for (vote, expected) in votes.iter().zip(slow(&records, &record)) {
                    assert!((vote - expected).abs() <= 1e-9 * expected, "at {at}");
                }
            }
            learner.learn(&record, class);
            records.push((record, class));
        }
        assert!(learner.memory() < 2000);
    }

    #[test]
    fn nothing_known_gives_no_votes_and_unknown_classes_are_passed_over() {
        let header = Header::new(vec![Input::Number], 2).expect("small");
        let mut learner = NaiveBayes.build(&header);
        let mut votes = Vec::new();
        learner.predict(&[1.0], &mut votes);
        assert_eq!(votes, [0.0, 0.0]);
        learner.learn(&[1.0], 7);
        learner.learn(&[1.0], 1);
        learner.predict(&[1.0], &mut votes);
        assert_eq!(predicted(&votes), 1);
    }
}
