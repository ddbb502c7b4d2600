//! How often steps cross rather than mutate, and how much mutations change, at this time.

use super::mutation::Mutation;
use serde::{Deserialize, Serialize};

/// What adapts in the course of a search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// The chance that a step crosses.
    pub crossover: f64,
    /// The mean number of genes that a mutation changes.
    pub genes: f64,
    tried: [u32; 2],
    taken: [u32; 2],
}

/// Steps after which the chance of a crossing follows what succeeded.
const WINDOW: u32 = 200;

/// How much of the new chance counts.
const WEIGHT: f64 = 0.2;

/// Neither operator dies out.
const LEAST: f64 = 0.05;

impl Rates {
    pub(super) fn new(crossover: f64, genes: f64) -> Self {
        Rates {
            crossover,
            genes,
            tried: [0; 2],
            taken: [0; 2],
        }
    }

    /// Notes whether a step has changed something.
    pub(super) fn note(&mut self, crossed: bool, taken: bool, (mutation, all): (Mutation, usize)) {
        self.tried[usize::from(crossed)] += 1;
        self.taken[usize::from(crossed)] += u32::from(taken);
        if !crossed {
            self.genes = mutation.adapted(self.genes, taken, all);
        }
    }

    /// Lets the chance of a crossing follow what has succeeded, now and then.
    pub(super) fn adapt(&mut self) {
        if self.tried.iter().sum::<u32>() < WINDOW {
            return;
        }
        // As if each had been tried once more with half a success.
        let success =
            |of: usize| (f64::from(self.taken[of]) + 0.5) / (f64::from(self.tried[of]) + 1.0);
        let (mutation, crossover) = (success(0), success(1));
        let aim = crossover / (mutation + crossover);
        let next = (1.0 - WEIGHT) * self.crossover + WEIGHT * aim;
        self.crossover = next.clamp(LEAST, 1.0 - LEAST);
        self.tried = [0; 2];
        self.taken = [0; 2];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::evolution::Count;

    const MUTATION: Mutation = Mutation {
        genes: 1.0,
        count: Count::Fixed,
    };

    #[test]
    fn the_operator_that_succeeds_is_tried_more_often_and_the_other_never_dies_out() {
        let mut rates = Rates::new(0.5, 1.0);
        for step in 0..100_000_u32 {
            let crossed = step % 2 == 0;
            rates.note(crossed, crossed && step % 10 == 0, (MUTATION, 10));
            rates.adapt();
        }
        assert_eq!(rates.crossover, 0.95);
        let mut even = Rates::new(0.5, 1.0);
        for step in 0..10_000_u32 {
            even.note(step % 2 == 0, step % 4 < 2, (MUTATION, 10));
            even.adapt();
        }
        assert!((even.crossover - 0.5).abs() < 1e-9);
    }
}
