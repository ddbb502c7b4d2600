//! The monitors: when two nodes get a trouble node, when it goes, and when it may come back.

use super::node::{Opinion, push};
use moretta::math::adwin::Adwin;

/// Records that a condition must hold for.
const TIME: usize = 500;
/// The probability that a bound is wrong.
const DELTA: f64 = 0.001;
/// How late the bound on agreement falls to 0.
const SHARPNESS: i32 = 5;
/// A node that answers less often than this is not used.
const LEAST_USE: f64 = 0.05;
/// That of the blacklist's detectors.
const ADWIN_DELTA: f64 = 0.002;

/// How far a mean over a window can be from what it will be when time is over.
fn bound(window: usize) -> f64 {
    ((1.0 / DELTA).ln() / (2 * (window + TIME)) as f64).sqrt()
}

fn mean(window: &[bool]) -> f64 {
    match window.len() {
        0 => 0.0,
        length => window.iter().filter(|&&bit| bit).count() as f64 / length as f64,
    }
}

/// Counts for how many records something has held without a break.
fn count(counter: &mut usize, holds: bool) {
    *counter = if holds { *counter + 1 } else { 0 };
}

/// Two nodes that could get a trouble node.
pub(super) struct Pair {
    pub(super) sources: [usize; 2],
    columns: usize,
    /// The first record that it is shown: nobody asked its sources about those before.
    pub(super) first: usize,
    /// Of each source, which records that were answered wrongly it would have forwarded.
    would_forward: [Vec<bool>; 2],
    time: usize,
}

impl Pair {
    pub(super) fn new(sources: [usize; 2], columns: usize, first: usize) -> Self {
        Pair {
            sources,
            columns,
            first,
            would_forward: [Vec::new(), Vec::new()],
            time: 0,
        }
    }

    /// Takes a record that was answered wrongly.
    pub(super) fn observe(&mut self, opinions: &[Option<Opinion>], twice_factor: u64) {
        let before = self.agreement();
        for (&source, window) in self.sources.iter().zip(&mut self.would_forward) {
            let opinion = opinions.get(source).copied().flatten();
            let troubled = |opinion: Opinion| opinion.is_troubled(twice_factor, self.columns);
            push(window, opinion.is_some_and(troubled));
        }
        let above = before >= self.threshold();
        count(&mut self.time, above);
    }

    pub(super) fn fires(&self) -> bool {
        self.time >= TIME
    }

    /// The share of forwarded records that both would have forwarded.
    pub(super) fn agreement(&self) -> f64 {
        let [first, second] = &self.would_forward;
        let both = first.iter().zip(second).filter(|(a, b)| **a && **b).count();
        let all = first.iter().chain(second).filter(|bit| **bit).count();
        match all {
            0 => 0.0,
            all => (2 * both) as f64 / all as f64,
        }
    }

    /// What chance would hardly reach.
    fn threshold(&self) -> f64 {
        let [first, second] = &self.would_forward;
        let expected = mean(first) * mean(second);
        let above = (1.0 - expected.powi(SHARPNESS)) * bound(first.len());
        (expected + above).min(1.0)
    }
}

/// Whether a trouble node is worth its cost.
#[derive(Default)]
pub(super) struct Removal {
    used: Vec<bool>,
    unused_time: usize,
    /// Of the records that it answered, which were right.
    right: Vec<bool>,
    /// Which of them would have been without it.
    right_below: Vec<bool>,
    needless_time: usize,
}

impl Removal {
    /// Takes a record: if the node answered it, whether that was right and whether the best
    /// answer of lower order was.
    pub(super) fn observe(&mut self, used: Option<[bool; 2]>) {
        push(&mut self.used, used.is_some());
        count(&mut self.unused_time, mean(&self.used) < LEAST_USE);
        if let Some([right, below]) = used {
            push(&mut self.right, right);
            push(&mut self.right_below, below);
            let least = mean(&self.right_below) + bound(self.right_below.len());
            count(&mut self.needless_time, mean(&self.right) < least);
        }
    }

    pub(super) fn fires(&self) -> bool {
        self.unused_time >= TIME || self.needless_time >= TIME
    }
}

/// Two nodes that get no trouble node until one of them changes.
pub(super) struct Blacklisted {
    pub(super) pair: [usize; 2],
    detectors: [Adwin; 2],
}

impl Blacklisted {
    pub(super) fn new(pair: [usize; 2]) -> Self {
        Blacklisted {
            pair,
            detectors: pair.map(|_| Adwin::new(ADWIN_DELTA)),
        }
    }

    /// Takes a record, and says whether a source that answered it has changed.
    pub(super) fn observe(&mut self, right: impl Fn(usize) -> Option<bool>) -> bool {
        let mut changed = false;
        for (&source, detector) in self.pair.iter().zip(&mut self.detectors) {
            if let Some(right) = right(source) {
                changed |= detector.add(f64::from(u8::from(right)));
            }
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_and_its_threshold_are_those_computed_by_hand() {
        let mut pair = Pair::new([0, 1], 2, 0);
        assert_eq!(pair.agreement(), 0.0);
        pair.would_forward = [
            vec![true, true, false, false],
            vec![true, false, false, false],
        ];
        assert!((pair.agreement() - 2.0 / 3.0).abs() < 1e-12);
        let bound = (1000.0_f64.ln() / 1008.0).sqrt();
        let threshold = 0.125 + (1.0 - 0.125_f64.powi(5)) * bound;
        assert!((pair.threshold() - threshold).abs() < 1e-12);
        pair.would_forward = [vec![true], vec![true]];
        assert_eq!(pair.threshold(), 1.0);
    }

    #[test]
    fn nodes_go_when_they_are_unused_or_no_better_for_long_enough() {
        let check = |records: usize, used: Option<[bool; 2]>, fires: bool| {
            let mut removal = Removal::default();
            (0..records).for_each(|_| removal.observe(used));
            assert_eq!(removal.fires(), fires, "{records} {used:?}");
        };
        check(499, None, false);
        check(500, None, true);
        check(5000, Some([true, false]), false);
        check(499, Some([true, true]), false);
        check(500, Some([true, true]), true);
    }
}
