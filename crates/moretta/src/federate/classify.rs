//! What a learner takes a record for, and how sure it is.

use crate::learn::{Learner, predicted};
use crate::math::java_random::JavaRandom;

/// A class and the share of the votes that it has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Judgement {
    pub(super) class: u32,
    pub(super) confidence: f64,
}

/// The class with most votes, the lowest of several. Who has learnt nothing guesses, all alike.
pub(super) fn classify(
    learner: &dyn Learner,
    has_learnt: bool,
    record: &[f64],
    classes: u32,
    number: u64,
    votes: &mut Vec<f64>,
) -> Judgement {
    if !has_learnt {
        return guess(classes, number);
    }
    learner.predict(record, votes);
    let class = predicted(votes);
    let confidence = votes.get(class as usize).copied().unwrap_or(0.0) / votes.iter().sum::<f64>();
    Judgement {
        class,
        confidence: if confidence.is_nan() { 0.0 } else { confidence },
    }
}

/// The first of all classes, shuffled by the number of the record.
fn guess(classes: u32, number: u64) -> Judgement {
    let mut order: Vec<u32> = (0..classes).collect();
    JavaRandom::new(number as i64).shuffle(&mut order);
    Judgement {
        class: order.first().copied().unwrap_or(0),
        confidence: 0.0,
    }
}
