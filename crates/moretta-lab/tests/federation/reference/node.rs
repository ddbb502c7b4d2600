//! A site or a trouble node: its learner, its windows, and what it says of a record.

use super::monitor::Removal;
use moretta::learn::{Learner, predicted};
use moretta::math::java_random::JavaRandom;

/// Records in every window.
pub(super) const WINDOW: usize = 1000;

/// What a node says of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opinion {
    pub(super) class: u32,
    pub(super) confidence: f64,
    /// How many confidences of the window are at most this one, and how many there are.
    rank: (u64, u64),
    /// The share of all records that the node is expected to answer, as a fraction.
    reach: (u64, u64),
}

impl Opinion {
    /// One that nobody asks about trouble.
    pub(super) fn new(class: u32, confidence: f64) -> Self {
        Opinion {
            class,
            confidence,
            rank: (1, 1),
            reach: (1, 1),
        }
    }

    /// Whether the record is trouble for a node of so many columns.
    pub(super) fn is_troubled(&self, twice_factor: u64, columns: usize) -> bool {
        let ((at_most, all), (reached, of)) = (self.rank, self.reach);
        if reached == 0 {
            return at_most < all;
        }
        let wide = |numbers: [u64; 4]| numbers.map(u128::from).iter().product::<u128>();
        wide([2, at_most, reached, columns as u64]) < wide([1, all, of, twice_factor])
    }
}

/// What a learner says of a record; before it has learnt any, chance does.
pub(super) fn opinion(
    learner: &dyn Learner,
    learnt: u64,
    values: &[f64],
    classes: usize,
    id: i64,
) -> Opinion {
    if learnt == 0 {
        let mut classes: Vec<u32> = (0..classes as u32).collect();
        JavaRandom::new(id).shuffle(&mut classes);
        return Opinion::new(classes[0], 0.0);
    }
    let mut votes = Vec::new();
    learner.predict(values, &mut votes);
    let class = predicted(&votes);
    let confidence = votes[class as usize] / votes.iter().sum::<f64>();
    Opinion::new(class, if confidence.is_nan() { 0.0 } else { confidence })
}

/// A site or a trouble node.
pub(super) struct Node {
    /// None of a site.
    pub(super) sources: Vec<usize>,
    pub(super) columns: Vec<usize>,
    pub(super) order: usize,
    /// The first record that it could answer.
    pub(super) first: usize,
    pub(super) removed: bool,
    pub(super) removal: Removal,
    classes: usize,
    learner: Box<dyn Learner>,
    learnt: u64,
    confidences: Vec<f64>,
    /// How many sources forwarded each record, of those that any did.
    forwarded: Vec<usize>,
}

impl Node {
    /// One of order 0 that has answered nothing yet.
    pub(super) fn new(
        sources: Vec<usize>,
        columns: Vec<usize>,
        learner: Box<dyn Learner>,
        classes: usize,
    ) -> Self {
        Node {
            sources,
            columns,
            order: 0,
            first: 0,
            removed: false,
            removal: Removal::default(),
            classes,
            learner,
            learnt: 0,
            confidences: Vec::new(),
            forwarded: Vec::new(),
        }
    }

    /// What it says of a record that so many sources forward: nothing unless all do.
    pub(super) fn answer(
        &mut self,
        values: &[f64],
        forwarded: usize,
        twice_factor: u64,
        id: i64,
    ) -> Option<Opinion> {
        if forwarded > 0 {
            push(&mut self.forwarded, forwarded);
        }
        if forwarded < self.sources.len() {
            return None;
        }
        let own = self.own(values);
        let mut opinion = opinion(self.learner.as_ref(), self.learnt, &own, self.classes, id);
        push(&mut self.confidences, opinion.confidence);
        let at_most = |confidence: &&f64| **confidence <= opinion.confidence;
        let at_most = self.confidences.iter().filter(at_most).count();
        opinion.rank = (at_most as u64, self.confidences.len() as u64);
        opinion.reach = self.reach(twice_factor);
        Some(opinion)
    }

    pub(super) fn learn(&mut self, values: &[f64], class: u32) {
        let own = self.own(values);
        self.learner.learn(&own, class);
        self.learnt += 1;
    }

    /// 1 for a site; for a trouble node its agreement, times the share that it asks for.
    fn reach(&self, twice_factor: u64) -> (u64, u64) {
        if self.sources.is_empty() {
            return (1, 1);
        }
        let count = self.sources.len();
        let full = self.forwarded.iter().filter(|&&n| n == count).count();
        let all: usize = self.forwarded.iter().sum();
        let twice_columns = 2 * self.columns.len() as u64;
        let asked = twice_factor.min(twice_columns);
        ((count * full) as u64 * asked, all as u64 * twice_columns)
    }

    fn own(&self, values: &[f64]) -> Vec<f64> {
        self.columns.iter().map(|&column| values[column]).collect()
    }
}

/// Puts a value into a window, in place of the oldest if it is full.
pub(super) fn push<T>(window: &mut Vec<T>, value: T) {
    if window.len() == WINDOW {
        window.remove(0);
    }
    window.push(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_ranks_strictly_below_the_share_that_a_node_asks_for() {
        let check = |rank, reach, twice_factor, columns, expected: bool| {
            let opinion = Opinion {
                rank,
                reach,
                ..Opinion::new(0, 0.5)
            };
            let troubled = opinion.is_troubled(twice_factor, columns);
            assert_eq!(
                troubled, expected,
                "{rank:?} {reach:?} {twice_factor} {columns}"
            );
        };
        check((499, 1000), (1, 1), 2, 2, true);
        check((500, 1000), (1, 1), 2, 2, false);
        check((500, 1000), (1, 1), 3, 2, true);
        check((1000, 1000), (1, 1), 6, 2, true);
        check((1, 3), (1, 1), 2, 3, false);
        check((2, 3), (1, 2), 2, 3, false);
        check((2, 3), (1, 2), 3, 3, true);
        check((2, 3), (0, 7), 2, 3, true);
        check((3, 3), (0, 7), 2, 3, false);
    }
}
