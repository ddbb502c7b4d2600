//! What is asked of the sensitive values of a class, model by model.
//!
//! Every model is a function of how often each value is in the class and, where it compares, of
//! the distribution of the whole: rows that are counted one by one and classes that come as counts
//! are put to the same questions.

use super::histogram::Histogram;
use super::whole::{Order, Whole, shares_present};
use crate::data::hierarchy::Hierarchy;
use crate::error::Error;
use std::sync::Arc;

/// Below this a logarithm or a distance is equal: sums are taken in another order by the checker.
const TOLERANCE: f64 = 1e-10;

/// So far below its bound a figure must lie that may not reach it, since the checker lets no
/// rounding pass for "less".
const BELOW: f64 = 1e-8;

/// What is asked of the values of a class.
pub(super) enum Ask {
    /// At least so many.
    Distinct(usize),
    /// Each that is there at least so often.
    Each(u32),
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
    /// None more frequent than in the whole by more than this share of it; if `enhanced`, by no
    /// more than the logarithm of one over its share either.
    Likeness { beta: f64, enhanced: bool },
    /// None more or less frequent than in the whole by so many doublings; absent ones too,
    /// unless they are ignored.
    Disclosure { delta: f64, absent: bool },
}

/// What classes that hold leave to larger ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Growth {
    /// Nothing: two classes that hold may fail as one.
    Never,
    /// Classes that hold also hold as one. With one that fails they may not, so that coarser
    /// classes are no worse only where nothing is suppressed.
    Unions,
    /// A class that holds also holds with any more rows: coarser classes are never worse.
    Always,
}

impl Ask {
    /// Whether it compares with the whole.
    pub(super) fn compares(&self) -> bool {
        matches!(
            self,
            Ask::Equal(_)
                | Ask::Ordered(_)
                | Ask::Hierarchical(..)
                | Ask::Likeness { .. }
                | Ask::Disclosure { .. }
        )
    }

    /// What holds of larger classes. A person who is in two classes counts once in their union,
    /// which shifts its distribution and leaves no count smaller.
    pub(super) fn growth(&self, persons: bool) -> Growth {
        match self {
            Ask::Distinct(_) => Growth::Always,
            Ask::Each(_) => Growth::Unions,
            Ask::Disclosure { absent: false, .. } => Growth::Never,
            _ if persons => Growth::Never,
            _ => Growth::Unions,
        }
    }

    /// Whether a class holds, as part of this whole.
    pub(super) fn holds(&self, class: &Histogram<'_>, whole: &Whole) -> bool {
        match self {
            Ask::Distinct(l) => class.counts.len() >= *l,
            Ask::Each(p) => class.counts.iter().all(|(_, count)| count >= p),
            Ask::Entropy(l) => {
                let weights = class.counts.iter().map(|&(_, count)| weight(count));
                diverse(class.present(), weights.sum(), *l)
            }
            Ask::Recursive { c, l } => recursive(class, *c, *l),
            Ask::Equal(t) => surplus(class, whole) <= t + TOLERANCE,
            // A class without any present value is as far away as can be.
            Ask::Ordered(t) | Ask::Hierarchical(t, ..) if class.counts.is_empty() => *t >= 1.0,
            Ask::Ordered(t) => ordered(class, &whole.order) <= t + TOLERANCE,
            Ask::Hierarchical(t, tree, leaves) => {
                hierarchical(class, whole, tree, leaves) <= t + TOLERANCE
            }
            Ask::Likeness { beta, enhanced } => whole.beside(class).all(|(here, whole)| {
                let most = match enhanced {
                    true => beta.min(-whole.ln()),
                    false => *beta,
                };
                (here - whole) / whole <= most + TOLERANCE * (1.0 + most)
            }),
            Ask::Disclosure { delta, absent } => {
                let mut held = 0;
                let close = whole.beside(class).all(|(here, whole)| {
                    held += 1;
                    (here / whole).log2().abs() < delta - BELOW
                });
                close && (held == whole.held || !absent)
            }
        }
    }

    /// Why the whole table misses it, so that no partition can keep it; `distinct` values of
    /// the column are there.
    pub(super) fn refusal(&self, name: &str, distinct: usize) -> Error {
        match self {
            Ask::Distinct(l) => {
                Error::guarantee(format!("`{name}` has {distinct} values, l={l} impossible"))
                    .help("lower l (or p), or leave the column out of the guarantee")
            }
            Ask::Each(p) => Error::guarantee(format!(
                "a value of `{name}` is in the whole table less than p={p} times, so it is in every class that has it"
            ))
            .help("lower p, allow suppression, or use kind = \"distinct\""),
            Ask::Entropy(l) => Error::guarantee(format!(
                "the entropy of `{name}` in the whole table is below ln {l}, so no class can reach it"
            ))
            .help("lower l, or use kind = \"distinct\""),
            Ask::Recursive { c, l } => Error::guarantee(format!(
                "the whole table is not recursive ({c}, {l})-diverse in `{name}`, so no partition can be"
            ))
            .help("raise c or lower l"),
            // A table is at distance 0 of itself unless it holds nothing to compare.
            Ask::Equal(_)
            | Ask::Ordered(_)
            | Ask::Hierarchical(..)
            | Ask::Likeness { .. }
            | Ask::Disclosure { .. } => Error::guarantee(format!(
                "`{name}` has no values, so no class can be close to the whole"
            ))
            .help("leave the column out of the guarantee, or use distance = \"equal\""),
        }
    }
}

/// c ln c: what a count adds to the sum that entropy is made of.
pub(super) fn weight(count: u32) -> f64 {
    let count = f64::from(count);
    if count > 0.0 { count * count.ln() } else { 0.0 }
}

/// Whether `present` values, the weights of whose counts are `weights` together, have an entropy
/// of ln l.
pub(super) fn diverse(present: u32, weights: f64, l: f64) -> bool {
    let total = f64::from(present);
    present > 0 && total.ln() - weights / total >= l.ln() - TOLERANCE
}

/// Whether the most frequent value is outweighed c times by the l-th and rarer ones.
fn recursive(class: &Histogram<'_>, c: f64, l: usize) -> bool {
    let mut counts: Vec<u32> = class.counts.iter().map(|&(_, count)| count).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let tail: u64 = counts.iter().skip(l - 1).map(|&c| u64::from(c)).sum();
    counts
        .first()
        .is_some_and(|&first| f64::from(first) < (c - BELOW) * tail as f64)
}

/// What there is too much of, compared with the whole.
fn surplus(class: &Histogram<'_>, whole: &Whole) -> f64 {
    let beside = whole.beside(class);
    beside
        .map(|(here, whole)| f64::max(here - whole, 0.0))
        .sum()
}

/// What must pass each value that the whole holds, over the number of steps between them.
fn ordered(class: &Histogram<'_>, order: &Order) -> f64 {
    let steps = order.up_to.len();
    let present = f64::from(class.present());
    let (mut sum, mut from, mut held) = (0.0, 0, 0.0);
    let values = class.counts.iter();
    let values = values.map(|&(value, count)| (order.step[value as usize] as usize, count));
    for (to, count) in values.chain([(steps, 0)]) {
        // From one value of the class to the next, what it holds stays the same.
        let smaller = order.up_to[from..to].partition_point(|&share| share < held);
        let turn = from + smaller;
        let behind = held * smaller as f64 - (order.sums[turn] - order.sums[from]);
        let ahead = order.sums[to] - order.sums[turn] - held * (to - turn) as f64;
        sum += behind + ahead;
        held += f64::from(count) / present;
        from = to;
    }
    sum / steps.saturating_sub(1).max(1) as f64
}

/// What must cross each node, paid by the height at which it meets: Li, Li and
/// Venkatasubramanian (2007), section 5.2.
fn hierarchical(class: &Histogram<'_>, whole: &Whole, tree: &Hierarchy, leaves: &[u32]) -> f64 {
    let top = tree.level_count() - 1;
    let mut extra = vec![0.0; tree.leaf_count()];
    let shares = shares_present(class, leaves.len());
    for ((p, q), &leaf) in shares.iter().zip(&whole.present).zip(leaves) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// How often each of these values is there, ascending.
    fn counted(values: &[u32]) -> Vec<(u32, u32)> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        let equal = sorted.chunk_by(|a, b| a == b);
        equal.map(|run| (run[0], run.len() as u32)).collect()
    }

    fn share(values: &[u32], wanted: impl Fn(u32) -> bool) -> f64 {
        let held = values.iter().filter(|&&value| wanted(value)).count();
        held as f64 / values.len() as f64
    }

    proptest! {
        #[test]
        fn figures_are_those_of_the_definitions(
            class in proptest::collection::vec(0u32..50, 1..30),
            rest in proptest::collection::vec(0u32..50, 0..60),
            bound in 0.05f64..4.0,
        ) {
            let all: Vec<u32> = rest.iter().copied().chain(class.clone()).collect();
            let (class_counts, all_counts) = (counted(&class), counted(&all));
            let missing = 0;
            let histogram = Histogram { counts: &class_counts, missing };
            let whole = Histogram { counts: &all_counts, missing };
            let whole = Whole::new(&whole, &[false; 50]);
            let mut steps = all.clone();
            steps.sort_unstable();
            steps.dedup();
            let equal: f64 = steps
                .iter()
                .map(|&v| (share(&class, |x| x == v) - share(&all, |x| x == v)).abs())
                .sum::<f64>() / 2.0;
            let ranked: f64 = steps
                .iter()
                .map(|&v| (share(&class, |x| x <= v) - share(&all, |x| x <= v)).abs())
                .sum::<f64>() / (steps.len() - 1).max(1) as f64;
            prop_assert!((surplus(&histogram, &whole) - equal).abs() < 1e-9);
            prop_assert!((ordered(&histogram, &whole.order) - ranked).abs() < 1e-9);
            let ratio = |v: u32| share(&class, |x| x == v) / share(&all, |x| x == v);
            let gain = |v: &u32| ratio(*v) - 1.0;
            let basic = class.iter().all(|v| gain(v) <= bound);
            let limit = |v: &u32| -share(&all, |x| x == *v).ln();
            let enhanced = class.iter().all(|v| gain(v) <= bound.min(limit(v)) + 1e-12);
            let strict = steps.iter().all(|&v| ratio(v).log2().abs() < bound);
            let present = class.iter().all(|&v| ratio(v).log2().abs() < bound);
            let each = bound.ceil() as u32;
            let often = class_counts.iter().all(|&(_, count)| count >= each);
            for (ask, expected) in [
                (Ask::Likeness { beta: bound, enhanced: false }, basic),
                (Ask::Likeness { beta: bound, enhanced: true }, enhanced),
                (Ask::Disclosure { delta: bound, absent: true }, strict),
                (Ask::Disclosure { delta: bound, absent: false }, present),
                (Ask::Each(each), often),
            ] {
                prop_assert_eq!(ask.holds(&histogram, &whole), expected);
            }
        }

        /// What a model says of larger classes is so.
        #[test]
        fn models_grow_as_they_say(
            one in proptest::collection::vec(0u32..4, 1..8),
            other in proptest::collection::vec(0u32..4, 1..8),
            rest in proptest::collection::vec(0u32..4, 0..12),
            bound in 0.2f64..2.5,
        ) {
            let both: Vec<u32> = one.iter().chain(&other).copied().collect();
            let all: Vec<u32> = both.iter().chain(&rest).copied().collect();
            let [one, other, both, all] = [one, other, both, all].map(|values| counted(&values));
            let of = |counts| Histogram { counts, missing: 0 };
            let whole = Whole::new(&of(&all), &[false; 4]);
            for ask in [
                Ask::Distinct(bound.ceil() as usize),
                Ask::Each(bound.ceil() as u32),
                Ask::Entropy(bound.max(1.0)),
                Ask::Recursive { c: bound, l: 2 },
                Ask::Equal(bound / 3.0),
                Ask::Ordered(bound / 3.0),
                Ask::Likeness { beta: bound, enhanced: false },
                Ask::Likeness { beta: bound, enhanced: true },
                Ask::Disclosure { delta: bound, absent: true },
                Ask::Disclosure { delta: bound, absent: false },
            ] {
                let holds = |counts| ask.holds(&of(counts), &whole);
                let (first, second, union) = (holds(&one), holds(&other), holds(&both));
                match ask.growth(false) {
                    Growth::Always => prop_assert!(union || !(first || second)),
                    Growth::Unions => prop_assert!(union || !(first && second)),
                    Growth::Never => {}
                }
            }
        }
    }

    /// Classes of the eight rows of ages and diagnoses: flu 5, hiv 2, ulcer 1 in all.
    #[test]
    fn classes_of_diagnoses_hold_as_worked_out_by_hand() {
        let whole = Histogram {
            counts: &[(0, 5), (1, 2), (2, 1)],
            missing: 0,
        };
        let whole = Whole::new(&whole, &[false; 3]);
        let likeness = |beta, enhanced| Ask::Likeness { beta, enhanced };
        let disclosure = |delta, absent| Ask::Disclosure { delta, absent };
        let twenties: &[(u32, u32)] = &[(0, 3), (1, 1)];
        let thirties: &[(u32, u32)] = &[(0, 2), (1, 1), (2, 1)];
        let women: &[(u32, u32)] = &[(0, 2)];
        for (class, ask, holds) in [
            (twenties, likeness(0.2, false), true),
            (twenties, likeness(0.199, false), false),
            (twenties, disclosure(0.264, false), true),
            (twenties, disclosure(0.263, false), false),
            (twenties, disclosure(100.0, true), false),
            (thirties, likeness(1.0, false), true),
            (thirties, likeness(0.999, false), false),
            (thirties, disclosure(1.001, true), true),
            (thirties, disclosure(1.0, true), false),
            (thirties, disclosure(1.0, false), false),
            (women, likeness(1.0, false), true),
            (women, likeness(1.0, true), false),
        ] {
            let class = Histogram {
                counts: class,
                missing: 0,
            };
            assert_eq!(ask.holds(&class, &whole), holds, "{class:?}");
        }
    }

    /// {x, y} has two equally frequent values, {x} one; together exp(H) = 1.8899.
    #[test]
    fn a_class_that_fails_can_break_one_that_holds() {
        let holds = |l: f64, counts: &[(u32, u32)]| {
            Ask::Entropy(l).holds(&Histogram { counts, missing: 0 }, &Whole::default())
        };
        assert!(holds(2.0, &[(0, 1), (1, 1)]) && !holds(2.0, &[(0, 1)]));
        assert!(holds(1.8898, &[(0, 2), (1, 1)]) && !holds(1.8899, &[(0, 2), (1, 1)]));
    }
}
