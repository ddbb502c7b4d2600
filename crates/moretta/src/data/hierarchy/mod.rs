//! Trees of ever more general values for one column.
//!
//! A [`Hierarchy`] is made for the values a column really holds: level 0 are
//! the values themselves (the leaves), each further level groups the one below,
//! and the top level is the single node `*`. Leaves are kept in tree order, so
//! every node covers a run of leaves; a method that cuts runs of leaves
//! therefore works on numbers and on categories alike.

mod spec;

pub use spec::HierarchySpec;

use super::levels::LevelsBuilder;
use crate::error::{Error, Result};
use std::ops::Range;

/// The label of the top node, which says nothing.
pub const TOP: &str = "*";

/// A tree over the values of a column. Nodes are known by level and place:
/// place `p` of level 0 is leaf `p` in tree order.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    levels: Vec<Level>,
    leaf_of: LevelsBuilder,
    leaf_place: Vec<u32>,
}

/// One level of a hierarchy: which node covers each leaf, and what the nodes are called.
#[derive(Clone, Debug)]
struct Level {
    node_of_leaf: Vec<u32>,
    first_leaf: Vec<u32>,
    labels: LevelsBuilder,
}

impl Hierarchy {
    /// From each leaf's chain of labels: the leaf, its parent, and so on upwards.
    ///
    /// Chains must have one length; a top node `*` is added when the chains do
    /// not end in a common label. Sibling order follows first appearance, or
    /// the order of the leaves as given when that is already a tree order.
    ///
    /// # Errors
    /// When two leaves are equal, chains differ in length, or a label has two
    /// parents. `Error::policy` with the count and the first (1-based) line.
    pub fn from_chains<S: AsRef<str>>(chains: &[Vec<S>]) -> Result<Self> {
        let height = chains.first().map_or(1, Vec::len);
        check_chains(chains, height)?;
        let mut labels: Vec<LevelsBuilder> = vec![LevelsBuilder::default(); height];
        let mut nodes: Vec<Vec<u32>> = Vec::with_capacity(chains.len());
        for chain in chains {
            nodes.push(
                chain
                    .iter()
                    .zip(&mut labels)
                    .map(|(label, level)| level.intern(label.as_ref()))
                    .collect(),
            );
        }
        if labels.last().is_some_and(|top| top.len() > 1) || height == 1 {
            let mut top = LevelsBuilder::default();
            top.intern(TOP);
            labels.push(top);
            nodes.iter_mut().for_each(|chain| chain.push(0));
        }
        let mut order: Vec<u32> = (0..chains.len() as u32).collect();
        order.sort_by(|&a, &b| {
            nodes[a as usize]
                .iter()
                .rev()
                .cmp(nodes[b as usize].iter().rev())
        });
        Ok(Self::from_sorted(&order, &nodes, labels))
    }

    fn from_sorted(order: &[u32], nodes: &[Vec<u32>], labels: Vec<LevelsBuilder>) -> Self {
        let leaf_of = labels[0].clone();
        let levels = labels
            .into_iter()
            .enumerate()
            .map(|(height, labels)| Level::new(height, order, nodes, &labels))
            .collect();
        let mut leaf_place = vec![0; order.len()];
        for (place, &leaf) in order.iter().enumerate() {
            leaf_place[nodes[leaf as usize][0] as usize] = place as u32;
        }
        Hierarchy {
            levels,
            leaf_of,
            leaf_place,
        }
    }

    /// How many leaves there are.
    pub fn leaf_count(&self) -> usize {
        self.leaf_place.len()
    }

    /// How many levels there are, the leaves and the top included.
    pub fn level_count(&self) -> usize {
        self.levels.len()
    }

    /// How many nodes `level` has.
    pub fn node_count(&self, level: usize) -> usize {
        self.levels[level].first_leaf.len()
    }

    /// The place of the leaf called `text`.
    pub fn leaf(&self, text: &str) -> Option<u32> {
        self.leaf_of
            .find(text)
            .map(|code| self.leaf_place[code as usize])
    }

    /// The node of `level` that covers `leaf`.
    pub fn node(&self, level: usize, leaf: u32) -> u32 {
        self.levels[level].node_of_leaf[leaf as usize]
    }

    /// What a node is called.
    pub fn label(&self, level: usize, node: u32) -> &str {
        self.levels[level].labels.levels().get(node)
    }

    /// The leaves under a node.
    pub fn leaves_under(&self, level: usize, node: u32) -> Range<u32> {
        let first = &self.levels[level].first_leaf;
        let end = first
            .get(node as usize + 1)
            .copied()
            .unwrap_or(self.leaf_count() as u32);
        first[node as usize]..end
    }

    /// The lowest level at which one node covers both leaves, and that node.
    pub fn lowest_common(&self, a: u32, b: u32) -> (usize, u32) {
        let level = (0..self.level_count())
            .find(|&level| self.node(level, a) == self.node(level, b))
            .unwrap_or(self.level_count() - 1);
        (level, self.node(level, a))
    }

    /// The lowest node called `text`.
    pub fn find(&self, text: &str) -> Option<(usize, u32)> {
        (0..self.level_count()).find_map(|level| {
            self.levels[level]
                .labels
                .find(text)
                .map(|node| (level, node))
        })
    }
}

impl Level {
    /// Renumbers the nodes in tree order.
    fn new(height: usize, order: &[u32], nodes: &[Vec<u32>], labels: &LevelsBuilder) -> Self {
        let mut level = Level {
            node_of_leaf: Vec::with_capacity(order.len()),
            first_leaf: Vec::new(),
            labels: LevelsBuilder::default(),
        };
        for (place, &leaf) in order.iter().enumerate() {
            let label = labels.levels().get(nodes[leaf as usize][height]);
            let node = level.labels.intern(label);
            if node as usize == level.first_leaf.len() {
                level.first_leaf.push(place as u32);
            }
            level.node_of_leaf.push(node);
        }
        level
    }
}

fn check_chains<S: AsRef<str>>(chains: &[Vec<S>], height: usize) -> Result<()> {
    let faults = |what: &str, lines: Vec<usize>| match lines.first() {
        None => Ok(()),
        Some(first) => Err(Error::policy(format!(
            "hierarchy: {} {what}, first on line {}",
            lines.len(),
            first + 1
        ))),
    };
    let unequal = (0..chains.len())
        .filter(|&i| chains[i].len() != height || height == 0)
        .collect();
    faults("rows have another number of levels than the first", unequal)?;
    let mut leaves = LevelsBuilder::default();
    let doubled = (0..chains.len())
        .filter(|&i| leaves.len() > leaves.intern(chains[i][0].as_ref()) as usize)
        .collect();
    faults("values stand there twice", doubled)?;
    for level in 0..height.saturating_sub(1) {
        let mut labels = LevelsBuilder::default();
        let mut parents: Vec<&str> = Vec::new();
        let mut torn = Vec::new();
        for (i, chain) in chains.iter().enumerate() {
            let (label, parent) = (chain[level].as_ref(), chain[level + 1].as_ref());
            let code = labels.intern(label) as usize;
            if code == parents.len() {
                parents.push(parent);
            } else if parents[code] != parent {
                torn.push(i);
            }
        }
        faults("values generalise to two parents", torn)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chains(rows: &[&str]) -> Vec<Vec<String>> {
        rows.iter()
            .map(|row| row.split(';').map(str::to_owned).collect())
            .collect()
    }

    #[test]
    fn nodes_cover_runs_of_leaves_in_tree_order() {
        let rows = chains(&["a;1;*", "b;2;*", "c;1;*", "d;2;*"]);
        let h = Hierarchy::from_chains(&rows).expect("a tree");
        let leaves: Vec<&str> = (0..4).map(|l| h.label(0, l)).collect();
        assert_eq!(leaves, ["a", "c", "b", "d"]);
        assert_eq!(h.leaf("c"), Some(1));
        assert_eq!(h.leaves_under(1, 1), 2..4);
        assert_eq!(h.lowest_common(0, 1), (1, 0));
        assert_eq!(h.lowest_common(1, 2), (2, 0));
        assert_eq!(h.find("2"), Some((1, 1)));
        assert_eq!(h.find("*"), Some((2, 0)));
    }

    #[test]
    fn a_missing_top_is_added() {
        let h = Hierarchy::from_chains(&chains(&["a;1", "b;2"])).expect("a tree");
        assert_eq!(h.level_count(), 3);
        assert_eq!(h.label(2, 0), TOP);
        let flat = Hierarchy::from_chains(&chains(&["a"])).expect("a tree");
        assert_eq!(flat.level_count(), 2);
    }

    #[test]
    fn what_is_not_a_tree_is_refused_with_count_and_line() {
        for (rows, message) in [
            (
                &["a;1;x", "b;1;y", "c;1;y"][..],
                "2 values generalise to two parents, first on line 2",
            ),
            (
                &["a;1", "a;1"][..],
                "1 values stand there twice, first on line 2",
            ),
            (
                &["a;1", "b"][..],
                "1 rows have another number of levels than the first, first on line 2",
            ),
        ] {
            let error = Hierarchy::from_chains(&chains(rows)).expect_err("not a tree");
            assert!(error.to_string().ends_with(message), "{error}");
            assert_eq!(error.exit_code(), 3);
        }
    }
}
