//! Counts of sensitive values that grow value by value, and what is asked of them.

use crate::data::hierarchy::Hierarchy;
use foldhash::fast::FixedState;
use hashbrown::HashSet;
use std::sync::Arc;

/// Below this a logarithm or a distance is equal: sums are taken in another order by the checker.
const TOLERANCE: f64 = 1e-10;

/// So far below c a ratio must lie, since the checker lets no rounding pass for "less".
const BELOW: f64 = 1e-8;

/// What is asked of the values of a class.
pub(super) enum Ask {
    /// At least so many.
    Distinct(usize),
    /// Entropy of at least the logarithm of this.
    Entropy(f64),
    /// The most frequent one is outweighed by the l-th and rarer ones, c times.
    Recursive { c: f64, l: usize },
    /// So close to the whole, any two values being equally far.
    Equal(f64),
    /// So close to the whole in steps of the order.
    Ordered(f64),
    /// So close to the whole in this tree, whose leaves the values are.
    Hierarchical(f64, Arc<Hierarchy>, Vec<u32>),
}

impl Ask {
    /// Whether it compares with the whole.
    pub(super) fn is_closeness(&self) -> bool {
        matches!(
            self,
            Ask::Equal(_) | Ask::Ordered(_) | Ask::Hierarchical(..)
        )
    }
}

/// The shares of the values in the whole table, with and without missing ones.
#[derive(Default)]
pub(super) struct Whole {
    shares: Vec<f64>,
    present: Vec<f64>,
}

/// Counts of the values of one sensitive column; a person counts once a value.
pub(super) struct Tally {
    /// One count a value, the last one for missing.
    counts: Vec<u32>,
    present: u32,
    /// How many values occur.
    pub(super) distinct: usize,
    /// Sum of c ln c over the present values.
    entropy_sum: f64,
    pairs: HashSet<u64, FixedState>,
}

impl Tally {
    /// Of a column with so many values.
    pub(super) fn new(value_count: usize) -> Self {
        Tally {
            counts: vec![0; value_count + 1],
            present: 0,
            distinct: 0,
            entropy_sum: 0.0,
            pairs: HashSet::default(),
        }
    }

    /// Adds a value; a person who has it already adds nothing.
    pub(super) fn add(&mut self, value: u32, subject: Option<u32>) {
        if let Some(subject) = subject
            && !self
                .pairs
                .insert(u64::from(subject) << 32 | u64::from(value))
        {
            return;
        }
        let last = self.counts.len() - 1;
        let slot = (value as usize).min(last);
        let before = f64::from(self.counts[slot]);
        self.counts[slot] += 1;
        if slot < last {
            self.present += 1;
            self.distinct += usize::from(before == 0.0);
            let after = before + 1.0;
            self.entropy_sum += after * after.ln()
                - if before > 0.0 {
                    before * before.ln()
                } else {
                    0.0
                };
        }
    }

    /// Whether the values so far meet what is asked, as part of this whole.
    pub(super) fn holds(&self, ask: &Ask, whole: &Whole) -> bool {
        match ask {
            Ask::Distinct(l) => self.distinct >= *l,
            Ask::Entropy(l) => {
                let present = f64::from(self.present);
                self.present > 0 && present.ln() - self.entropy_sum / present >= l.ln() - TOLERANCE
            }
            Ask::Recursive { c, l } => {
                let mut counts: Vec<u32> = self.counts[..self.counts.len() - 1]
                    .iter()
                    .copied()
                    .filter(|&c| c > 0)
                    .collect();
                counts.sort_unstable_by(|a, b| b.cmp(a));
                let tail: u64 = counts.iter().skip(l - 1).map(|&c| u64::from(c)).sum();
                counts
                    .first()
                    .is_some_and(|&first| f64::from(first) < (c - BELOW) * tail as f64)
            }
            Ask::Equal(t) => {
                let half: f64 = self
                    .shares()
                    .iter()
                    .zip(&whole.shares)
                    .map(|(p, q)| (p - q).abs())
                    .sum();
                half / 2.0 <= t + TOLERANCE
            }
            // A class without any present value is as far away as can be.
            Ask::Ordered(t) | Ask::Hierarchical(t, ..) if self.present == 0 => *t >= 1.0,
            Ask::Ordered(t) => self.ordered(whole) <= t + TOLERANCE,
            Ask::Hierarchical(t, tree, leaves) => {
                self.hierarchical(whole, tree, leaves) <= t + TOLERANCE
            }
        }
    }

    /// What must pass each value that the whole holds, over the number of steps between them.
    fn ordered(&self, whole: &Whole) -> f64 {
        let (mut ahead, mut sum, mut values) = (0.0, 0.0, 0usize);
        let shares = self.shares_present();
        for (p, q) in shares.iter().zip(&whole.present) {
            if *q > 0.0 {
                ahead += p - q;
                sum += f64::abs(ahead);
                values += 1;
            }
        }
        sum / values.saturating_sub(1).max(1) as f64
    }

    /// What the values so far are as a whole.
    pub(super) fn whole(&self) -> Whole {
        Whole {
            shares: self.shares(),
            present: self.shares_present(),
        }
    }

    fn shares(&self) -> Vec<f64> {
        let total: u32 = self.counts.iter().sum();
        self.counts
            .iter()
            .map(|&c| f64::from(c) / f64::from(total.max(1)))
            .collect()
    }

    fn shares_present(&self) -> Vec<f64> {
        let counts = &self.counts[..self.counts.len() - 1];
        counts
            .iter()
            .map(|&c| f64::from(c) / f64::from(self.present.max(1)))
            .collect()
    }

    /// What must cross each node, paid by the height at which it meets: Li, Li and
    /// Venkatasubramanian (2007), section 5.2.
    fn hierarchical(&self, whole: &Whole, tree: &Hierarchy, leaves: &[u32]) -> f64 {
        let top = tree.level_count() - 1;
        let mut extra = vec![0.0; tree.leaf_count()];
        for ((p, q), &leaf) in self.shares_present().iter().zip(&whole.present).zip(leaves) {
            extra[leaf as usize] += p - q;
        }
        let mut cost = 0.0;
        for level in 1..=top {
            let mut nodes = vec![(0.0, 0.0, 0.0); tree.node_count(level)];
            let below = if level == 1 {
                extra.len()
            } else {
                tree.node_count(level - 1)
            };
            for (child, &amount) in extra.iter().enumerate().take(below) {
                let leaf = tree.leaves_under(level - 1, child as u32).start;
                let node = &mut nodes[tree.node(level, leaf) as usize];
                node.0 += amount;
                node.1 += f64::max(amount, 0.0);
                node.2 += f64::max(-amount, 0.0);
            }
            cost += nodes.iter().map(|n| n.1.min(n.2)).sum::<f64>() * level as f64 / top as f64;
            extra = nodes.iter().map(|n| n.0).collect();
        }
        cost
    }
}
