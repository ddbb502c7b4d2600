//! Counts of sensitive values that grow value by value, and what is asked of them.
//!
//! A class holds few of the values of a column, so counts are kept of those that
//! it holds: a question costs what the class is large, not what the column is.
//! Where only the number of values matters, counting stops when there are enough.

use crate::data::MISSING;
use crate::data::hierarchy::Hierarchy;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
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

/// The distribution of the values in the whole table.
#[derive(Default)]
pub(super) struct Whole {
    /// The share of each value, missing ones last.
    shares: Vec<f64>,
    /// The share of each value among the present ones.
    present: Vec<f64>,
    order: Order,
}

/// The values that the whole holds, as steps of their order.
#[derive(Default)]
struct Order {
    /// Of each value, how many smaller ones the whole holds.
    step: Vec<u32>,
    /// The share of the values up to each step.
    up_to: Vec<f64>,
    /// The sum of `up_to` before each step, and of all.
    sums: Vec<f64>,
}

impl Order {
    /// A value that `repeats` the one before has no step of its own.
    fn new(present: &[f64], repeats: &[bool]) -> Self {
        let mut order = Order {
            sums: vec![0.0],
            ..Order::default()
        };
        let mut shares: Vec<f64> = Vec::new();
        let mut before = 0.0;
        for (&held, &repeats) in present.iter().zip(repeats) {
            before = if repeats { before } else { 0.0 };
            let again = before > 0.0;
            order.step.push((shares.len() - usize::from(again)) as u32);
            match shares.last_mut() {
                Some(share) if again => *share += held,
                _ if held > 0.0 => shares.push(held),
                _ => {}
            }
            before += held;
        }
        let (mut share, mut sum) = (0.0, 0.0);
        for held in shares {
            share += held;
            sum += share;
            order.up_to.push(share);
            order.sums.push(sum);
        }
        order
    }
}

/// Counts of the values of one sensitive column; a person counts once a value.
pub(super) struct Tally {
    /// How often each value that is there occurs.
    counts: Counts,
    missing: u32,
    present: u32,
    /// How many values occur, up to those that are enough.
    pub(super) distinct: usize,
    /// So many values answer all that is asked; `None` when counts matter too.
    enough: Option<usize>,
    /// Sum of c ln c over the present values.
    entropy_sum: f64,
    pairs: HashSet<u64, FixedState>,
}

/// Counts by value. Columns with few values have a place for each.
enum Counts {
    Few(Vec<u32>),
    Many(HashMap<u32, u32, FixedState>),
}

/// The most values that have a place each.
const FEW: usize = 256;

impl Counts {
    fn new(value_count: usize) -> Self {
        if value_count <= FEW {
            Counts::Few(vec![0; value_count])
        } else {
            Counts::Many(HashMap::default())
        }
    }

    fn of(&mut self, value: u32) -> &mut u32 {
        match self {
            Counts::Few(counts) => &mut counts[value as usize],
            Counts::Many(counts) => counts.entry(value).or_default(),
        }
    }

    /// The values that occur, ascending, and how often.
    fn ascending(&self) -> Vec<(u32, u32)> {
        match self {
            Counts::Few(counts) => {
                let counts = (0..).zip(counts.iter().copied());
                counts.filter(|&(_, count)| count > 0).collect()
            }
            Counts::Many(counts) => {
                let mut counts: Vec<(u32, u32)> = counts.iter().map(|(&v, &c)| (v, c)).collect();
                counts.sort_unstable();
                counts
            }
        }
    }
}

impl Tally {
    /// Of a column with so many values, of which this is asked.
    pub(super) fn new(value_count: usize, asks: &[Ask]) -> Self {
        let distinct = asks.iter().map(|ask| match ask {
            Ask::Distinct(l) => Some(*l),
            _ => None,
        });
        Tally {
            counts: Counts::new(value_count),
            missing: 0,
            present: 0,
            distinct: 0,
            enough: distinct
                .collect::<Option<Vec<_>>>()
                .and_then(|l| l.into_iter().max()),
            entropy_sum: 0.0,
            pairs: HashSet::default(),
        }
    }

    /// Adds a value; a person who has it already adds nothing.
    pub(super) fn add(&mut self, value: u32, subject: Option<u32>) {
        match self.enough {
            Some(enough) if self.distinct >= enough || value == MISSING => return,
            // Who has a value does not matter to how many there are.
            Some(_) => {}
            None => {
                if let Some(subject) = subject
                    && !self
                        .pairs
                        .insert(u64::from(subject) << 32 | u64::from(value))
                {
                    return;
                }
            }
        }
        if value == MISSING {
            self.missing += 1;
            return;
        }
        let count = self.counts.of(value);
        let before = f64::from(*count);
        *count += 1;
        self.present += 1;
        self.distinct += usize::from(before == 0.0);
        let weight = |n: f64| if n > 0.0 { n * n.ln() } else { 0.0 };
        self.entropy_sum += weight(before + 1.0) - weight(before);
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
                let counts = self.counts.ascending().into_iter();
                let mut counts: Vec<u32> = counts.map(|(_, count)| count).collect();
                counts.sort_unstable_by(|a, b| b.cmp(a));
                let tail: u64 = counts.iter().skip(l - 1).map(|&c| u64::from(c)).sum();
                counts
                    .first()
                    .is_some_and(|&first| f64::from(first) < (c - BELOW) * tail as f64)
            }
            Ask::Equal(t) => self.equal(whole) <= t + TOLERANCE,
            // A class without any present value is as far away as can be.
            Ask::Ordered(t) | Ask::Hierarchical(t, ..) if self.present == 0 => *t >= 1.0,
            Ask::Ordered(t) => self.ordered(&whole.order) <= t + TOLERANCE,
            Ask::Hierarchical(t, tree, leaves) => {
                self.hierarchical(whole, tree, leaves) <= t + TOLERANCE
            }
        }
    }

    /// What there is too much of, compared with the whole.
    fn equal(&self, whole: &Whole) -> f64 {
        let total = f64::from((self.present + self.missing).max(1));
        let missing = whole.shares.len().saturating_sub(1) as u32;
        let values = self
            .counts
            .ascending()
            .into_iter()
            .chain([(missing, self.missing)]);
        let share_of = |value: u32| whole.shares.get(value as usize).copied().unwrap_or(0.0);
        values
            .map(|(value, count)| f64::max(f64::from(count) / total - share_of(value), 0.0))
            .sum()
    }

    /// What must pass each value that the whole holds, over the number of steps between them.
    fn ordered(&self, order: &Order) -> f64 {
        let steps = order.up_to.len();
        let (mut sum, mut from, mut held) = (0.0, 0, 0.0);
        let values = self.counts.ascending().into_iter();
        let values = values.map(|(value, count)| (order.step[value as usize] as usize, count));
        for (to, count) in values.chain([(steps, 0)]) {
            // From one value of the class to the next, what it holds stays the same.
            let smaller = order.up_to[from..to].partition_point(|&share| share < held);
            let turn = from + smaller;
            let behind = held * smaller as f64 - (order.sums[turn] - order.sums[from]);
            let ahead = order.sums[to] - order.sums[turn] - held * (to - turn) as f64;
            sum += behind + ahead;
            held += f64::from(count) / f64::from(self.present);
            from = to;
        }
        sum / steps.saturating_sub(1).max(1) as f64
    }

    /// What the values so far are as a whole; `repeats` tells of each value of the column
    /// whether it is the same number as the one before.
    pub(super) fn whole(&self, repeats: &[bool]) -> Whole {
        let value_count = repeats.len();
        let present = self.shares_present(value_count);
        let total = f64::from((self.present + self.missing).max(1));
        let mut shares = vec![0.0; value_count + 1];
        for (value, count) in self.counts.ascending() {
            shares[value as usize] = f64::from(count) / total;
        }
        shares[value_count] = f64::from(self.missing) / total;
        Whole {
            shares,
            order: Order::new(&present, repeats),
            present,
        }
    }

    fn shares_present(&self, value_count: usize) -> Vec<f64> {
        let mut shares = vec![0.0; value_count];
        for (value, count) in self.counts.ascending() {
            shares[value as usize] = f64::from(count) / f64::from(self.present.max(1));
        }
        shares
    }

    /// What must cross each node, paid by the height at which it meets: Li, Li and
    /// Venkatasubramanian (2007), section 5.2.
    fn hierarchical(&self, whole: &Whole, tree: &Hierarchy, leaves: &[u32]) -> f64 {
        let top = tree.level_count() - 1;
        let mut extra = vec![0.0; tree.leaf_count()];
        for ((p, q), &leaf) in self
            .shares_present(leaves.len())
            .iter()
            .zip(&whole.present)
            .zip(leaves)
        {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The tally of these values, of a column with so many, when closeness is asked for.
    fn tally(values: &[u32], value_count: usize) -> Tally {
        let mut tally = Tally::new(value_count, &[Ask::Equal(1.0)]);
        values.iter().for_each(|&value| tally.add(value, None));
        tally
    }

    fn share(values: &[u32], wanted: impl Fn(u32) -> bool) -> f64 {
        let held = values.iter().filter(|&&value| wanted(value)).count();
        held as f64 / values.len() as f64
    }

    proptest! {
        /// As many values as have a place each, and so many that they have none.
        #[test]
        fn distances_are_those_of_the_definitions(
            class in proptest::collection::vec(0u32..250, 1..30),
            rest in proptest::collection::vec(0u32..250, 0..60),
            factor in prop_oneof![Just(1u32), Just(40)],
        ) {
            let class: Vec<u32> = class.iter().map(|value| value * factor).collect();
            let all: Vec<u32> = rest.iter().map(|value| value * factor).chain(class.clone()).collect();
            let value_count = 250 * factor as usize;
            let whole = tally(&all, value_count).whole(&vec![false; value_count]);
            let mut steps = all.clone();
            steps.sort_unstable();
            steps.dedup();
            let equal: f64 = steps
                .iter()
                .map(|&v| (share(&class, |x| x == v) - share(&all, |x| x == v)).abs())
                .sum::<f64>() / 2.0;
            let ordered: f64 = steps
                .iter()
                .map(|&v| (share(&class, |x| x <= v) - share(&all, |x| x <= v)).abs())
                .sum::<f64>() / (steps.len() - 1).max(1) as f64;
            let class = tally(&class, value_count);
            prop_assert!((class.equal(&whole) - equal).abs() < 1e-9);
            prop_assert!((class.ordered(&whole.order) - ordered).abs() < 1e-9);
        }
    }

    #[test]
    fn counting_stops_when_there_are_enough_values() {
        let mut tally = Tally::new(1 << 20, &[Ask::Distinct(2), Ask::Distinct(3)]);
        for value in [7, 7, MISSING, 900_000, 5, 6, 8] {
            tally.add(value, Some(1));
        }
        assert_eq!(tally.distinct, 3);
        let Counts::Many(counts) = &tally.counts else {
            panic!("many values");
        };
        assert_eq!((counts.len(), tally.pairs.len()), (3, 0));
    }
}
