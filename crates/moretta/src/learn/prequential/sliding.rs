//! Results of the last records only: the oldest is taken back when a new one comes.

use super::confusion::{Confusion, Outcome};
use std::collections::VecDeque;

/// The confusion matrix of a window.
#[derive(Clone, Debug)]
pub struct Sliding {
    most: usize,
    last: VecDeque<Outcome>,
    confusion: Confusion,
}

impl Sliding {
    /// Of the last `most` results, at least one.
    pub fn new(classes: usize, most: usize) -> Self {
        Sliding {
            most: most.max(1),
            last: VecDeque::new(),
            confusion: Confusion::new(classes),
        }
    }

    /// One more result.
    pub fn add(&mut self, outcome: Outcome) {
        if self.last.len() == self.most
            && let Some(oldest) = self.last.pop_front()
        {
            self.confusion.add(oldest, -1.0);
        }
        self.last.push_back(outcome);
        self.confusion.add(outcome, 1.0);
    }

    /// What is in the window.
    pub fn confusion(&self) -> &Confusion {
        &self.confusion
    }
}

#[cfg(test)]
mod tests {
    use super::super::confusion::tests::{CLASSES, any_answers, close, outcomes, reference};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn figures_are_those_of_the_last_results(answers in any_answers(), most in 1..40_usize) {
            let outcomes = outcomes(&answers);
            let mut sliding = Sliding::new(CLASSES as usize, most);
            for (n, &outcome) in outcomes.iter().enumerate() {
                sliding.add(outcome);
                let last = &outcomes[(n + 1).saturating_sub(most)..=n];
                prop_assert!(close(&sliding.confusion().figures(), &reference(last, |_| 1.0)));
            }
        }
    }
}
