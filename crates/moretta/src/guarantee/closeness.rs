//! t-closeness of one class: the earth mover's distance to the whole release.
//!
//! After Li, Li and Venkatasubramanian, "t-Closeness: privacy beyond
//! k-anonymity and l-diversity" (2007). The reference is the whole release.
//! Missing is a value of its own when any two values are equally far. Where
//! values have an order or a tree, missing has no place in it: both
//! distributions are those of the present values, and a class without any is
//! counted as farthest away, 1.
//!
//! Cost: of a class with s distinct values among m, s steps (equal), s log m
//! (ordered) or s times the height of the tree (hierarchical).

use crate::data::MISSING;
use crate::data::hierarchy::Hierarchy;
use std::sync::Arc;

/// The distribution of the whole release and the distance between values.
pub(super) enum Reference {
    /// Any two values are at distance 1.
    Equal {
        /// Share of each code; the last one is that of missing values.
        shares: Vec<f64>,
    },
    /// Values stand in a row.
    Ordered {
        /// The place of each code.
        rank_of: Vec<u32>,
        /// Share of the values up to each place.
        cumulative: Vec<f64>,
        /// Sum of `cumulative` before each place, and of all.
        summed: Vec<f64>,
    },
    /// Values are leaves of a tree.
    Hierarchical {
        tree: Arc<Hierarchy>,
        /// The leaf of each code.
        leaf_of: Vec<u32>,
        /// Share of each node, by level.
        shares: Vec<Vec<f64>>,
    },
}

impl Reference {
    /// `totals` counts each code, and missing values last.
    pub(super) fn equal(totals: &[u64]) -> Self {
        Reference::Equal {
            shares: shares(totals),
        }
    }

    /// `totals` counts each code, and missing values last; `rank_of` gives each code its place.
    pub(super) fn ordered(totals: &[u64], rank_of: Vec<u32>) -> Self {
        let places = rank_of.iter().max().map_or(0, |&last| last as usize + 1);
        let mut by_rank = vec![0; places];
        for (&rank, &total) in rank_of.iter().zip(totals) {
            by_rank[rank as usize] += total;
        }
        let cumulative: Vec<f64> = running_sums(&shares(&by_rank)).skip(1).collect();
        Reference::Ordered {
            rank_of,
            summed: running_sums(&cumulative).collect(),
            cumulative,
        }
    }

    /// `totals` counts each code, and missing values last; `leaf_of` gives each code its leaf.
    pub(super) fn hierarchical(totals: &[u64], tree: &Arc<Hierarchy>, leaf_of: Vec<u32>) -> Self {
        let mut by_leaf = vec![0; tree.leaf_count()];
        for (&leaf, &total) in leaf_of.iter().zip(totals) {
            by_leaf[leaf as usize] += total;
        }
        let leaves = shares(&by_leaf);
        let shares = (0..tree.level_count())
            .map(|level| {
                let mut nodes = vec![0.0; tree.node_count(level)];
                for (leaf, share) in leaves.iter().enumerate() {
                    nodes[tree.node(level, leaf as u32) as usize] += share;
                }
                nodes
            })
            .collect();
        Reference::Hierarchical {
            tree: Arc::clone(tree),
            leaf_of,
            shares,
        }
    }

    /// The distance of a class, given as counts of codes; each code at most once.
    pub(super) fn distance(&self, class: impl Iterator<Item = (u32, u32)>) -> f64 {
        let mut class: Vec<(u32, f64)> = class.map(|(code, n)| (code, f64::from(n))).collect();
        if !matches!(self, Reference::Equal { .. }) {
            class.retain(|&(code, _)| code != MISSING);
        }
        let total: f64 = class.iter().map(|(_, n)| n).sum();
        if total == 0.0 {
            return 1.0;
        }
        class.iter_mut().for_each(|(_, n)| *n /= total);
        match self {
            Reference::Equal { shares } => half_absolute_difference(&class, shares),
            Reference::Ordered {
                rank_of,
                cumulative,
                summed,
            } => {
                class.iter_mut().for_each(|c| c.0 = rank_of[c.0 as usize]);
                ordered_distance(class, cumulative, summed)
            }
            Reference::Hierarchical {
                tree,
                leaf_of,
                shares,
            } => {
                class.iter_mut().for_each(|c| c.0 = leaf_of[c.0 as usize]);
                tree_distance(class, tree, shares)
            }
        }
    }
}

/// What the class has too much of is what must be moved.
fn half_absolute_difference(class: &[(u32, f64)], shares: &[f64]) -> f64 {
    class
        .iter()
        .map(|&(code, share)| {
            let place = (code as usize).min(shares.len() - 1);
            (share - shares[place]).max(0.0)
        })
        .sum()
}

/// Sum over the places of |what the class has up to there − what the release has|, over m − 1.
fn ordered_distance(mut class: Vec<(u32, f64)>, cumulative: &[f64], summed: &[f64]) -> f64 {
    if cumulative.len() < 2 {
        return 0.0;
    }
    class.sort_unstable_by_key(|&(rank, _)| rank);
    class.push((cumulative.len() as u32, 0.0));
    let (mut distance, mut from, mut held) = (0.0, 0, 0.0);
    for (rank, share) in class {
        // Between two values of the class its own sum stands still at `held`.
        let to = rank as usize;
        let crossing = from + cumulative[from..to].partition_point(|&sum| sum < held);
        let below = (crossing - from) as f64 * held - (summed[crossing] - summed[from]);
        let above = (summed[to] - summed[crossing]) - (to - crossing) as f64 * held;
        distance += below + above;
        held += share;
        from = to;
    }
    (distance / (cumulative.len() - 1) as f64).clamp(0.0, 1.0)
}

/// Sum over the inner nodes of height × what can be moved among the children, over the height
/// of the tree. A node without a value of the class has nothing to give, so only ancestors of
/// the class's values are visited.
fn tree_distance(class: Vec<(u32, f64)>, tree: &Hierarchy, shares: &[Vec<f64>]) -> f64 {
    let height = tree.level_count() - 1;
    let mut below: Vec<(u32, f64)> = class;
    below.sort_unstable_by_key(|&(leaf, _)| leaf);
    let mut distance = 0.0;
    for level in 1..=height {
        let mut nodes: Vec<(u32, f64)> = Vec::with_capacity(below.len());
        let mut surplus: Vec<f64> = Vec::with_capacity(below.len());
        for &(child, share) in &below {
            let first_leaf = tree.leaves_under(level - 1, child).start;
            let node = tree.node(level, first_leaf);
            if nodes.last().is_none_or(|&(last, _)| last != node) {
                nodes.push((node, 0.0));
                surplus.push(0.0);
            }
            let last = nodes.len() - 1;
            nodes[last].1 += share;
            surplus[last] += (share - shares[level - 1][child as usize]).max(0.0);
        }
        for (&(node, share), &surplus) in nodes.iter().zip(&surplus) {
            let shortage = surplus - (share - shares[level][node as usize]);
            distance += surplus.min(shortage).max(0.0) * level as f64 / height as f64;
        }
        below = nodes;
    }
    distance
}

fn shares(totals: &[u64]) -> Vec<f64> {
    let all = totals.iter().sum::<u64>().max(1) as f64;
    totals.iter().map(|&n| n as f64 / all).collect()
}

/// 0, then the sum of the first, of the first two, and so on.
fn running_sums(values: &[f64]) -> impl Iterator<Item = f64> + '_ {
    std::iter::once(0.0).chain(values.iter().scan(0.0, |sum, value| {
        *sum += value;
        Some(*sum)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Salaries 3K to 11K of the paper: {3,4,5} is far from the whole, {6,8,11} is close.
    #[test]
    fn the_salary_example_of_the_paper() {
        let reference = Reference::ordered(&[1; 10][..], (0..9).collect());
        for (class, expected) in [([0, 1, 2], 0.375), ([3, 5, 8], 1.0 / 6.0)] {
            let found = reference.distance(class.into_iter().map(|code| (code, 1)));
            assert!((found - expected).abs() < 1e-12, "{found}");
        }
    }

    fn tree() -> Arc<Hierarchy> {
        let chains: Vec<Vec<&str>> = ["a;x;u;*", "b;x;u;*", "c;y;u;*", "d;z;v;*", "e;z;v;*"]
            .iter()
            .map(|row| row.split(';').collect())
            .collect();
        Arc::new(Hierarchy::from_chains(&chains).expect("a tree"))
    }

    /// Each node in turn: children above zero can give, children below zero can take.
    fn slow_tree_distance(p: &[f64], q: &[f64], tree: &Hierarchy) -> f64 {
        let height = tree.level_count() - 1;
        let extra = |level: usize, node: u32| -> f64 {
            tree.leaves_under(level, node)
                .map(|leaf| p[leaf as usize] - q[leaf as usize])
                .sum()
        };
        let mut sum = 0.0;
        for level in 1..=height {
            for node in 0..tree.node_count(level) as u32 {
                let children = (0..tree.node_count(level - 1) as u32).filter(|&child| {
                    tree.node(level, tree.leaves_under(level - 1, child).start) == node
                });
                let (mut give, mut take) = (0.0, 0.0);
                for child in children {
                    let e = extra(level - 1, child);
                    if e > 0.0 { give += e } else { take -= e }
                }
                sum += f64::min(give, take) * level as f64 / height as f64;
            }
        }
        sum
    }

    proptest! {
        #[test]
        fn distances_equal_their_definitions(
            class in proptest::collection::vec(0u32..4, 5),
            rest in proptest::collection::vec(1u32..4, 5),
        ) {
            prop_assume!(class.iter().any(|&n| n > 0));
            let mut totals: Vec<u64> = class.iter().zip(&rest).map(|(a, b)| u64::from(a + b)).collect();
            let (np, nq) = (class.iter().sum::<u32>(), totals.iter().sum::<u64>());
            let p: Vec<f64> = class.iter().map(|&n| f64::from(n) / f64::from(np)).collect();
            let q: Vec<f64> = totals.iter().map(|&n| n as f64 / nq as f64).collect();
            totals.push(0);
            let counts = || (0..5u32).zip(class.iter().copied()).filter(|&(_, n)| n > 0);
            let equal: f64 = p.iter().zip(&q).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0;
            prop_assert!((Reference::equal(&totals).distance(counts()) - equal).abs() < 1e-12);
            let ordered: f64 = (0..5)
                .map(|i| (p[..=i].iter().sum::<f64>() - q[..=i].iter().sum::<f64>()).abs())
                .sum::<f64>() / 4.0;
            let found = Reference::ordered(&totals, (0..5).collect()).distance(counts());
            prop_assert!((found - ordered).abs() < 1e-12);
            let tree = tree();
            let slow = slow_tree_distance(&p, &q, &tree);
            let found = Reference::hierarchical(&totals, &tree, (0..5).collect()).distance(counts());
            prop_assert!((found - slow).abs() < 1e-12, "{} {}", found, slow);
        }
    }
}
