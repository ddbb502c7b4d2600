//! The most frequent class so far, whatever the record: the least a learner must beat.

use super::model::{Knowledge, Saved, saved};
use super::{Header, Learner};

/// The options: there is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Majority;

impl Majority {
    /// A learner that saw nothing yet.
    pub fn build(self, header: &Header) -> MajorityLearner {
        MajorityLearner {
            weights: vec![0.0; header.classes()],
        }
    }
}

/// Counts classes.
#[derive(Clone, Debug)]
pub struct MajorityLearner {
    weights: Vec<f64>,
}

saved!(struct MajorityLearner with header: Header { weights[header.classes()] });

impl Learner for MajorityLearner {
    fn predict(&self, _: &[f64], votes: &mut Vec<f64>) {
        votes.clone_from(&self.weights);
    }

    fn learn_weighted(&mut self, _: &[f64], class: u32, weight: f64) {
        if let Some(slot) = self.weights.get_mut(class as usize) {
            *slot += weight;
        }
    }

    fn memory(&self) -> usize {
        size_of::<Self>() + self.weights.capacity() * size_of::<f64>()
    }

    fn knowledge(&self) -> Option<Knowledge> {
        Knowledge::new("majority", |out| self.save(out))
    }
}

#[cfg(test)]
mod tests {
    use super::super::predicted;
    use super::*;

    #[test]
    fn the_first_of_the_most_frequent_classes_is_predicted() {
        let check = |classes: &[u32], expected| {
            let header = Header::new(vec![], 3).expect("three classes");
            let mut learner = Majority.build(&header);
            for &class in classes {
                learner.learn(&[], class);
            }
            let mut votes = vec![7.0];
            learner.predict(&[], &mut votes);
            assert_eq!((votes.len(), predicted(&votes)), (3, expected));
        };
        check(&[], 0);
        check(&[1, 2, 2], 2);
        check(&[1, 2, 2, 1], 1);
        check(&[9, 9, 1], 1);
    }
}
