//! Trees of ever more general values for one column.
//!
//! A [`Hierarchy`] is made for the values a column really holds: level 0 are
//! the values themselves (the leaves), each further level groups the one below,
//! and the top level is a single node, as a rule `*`. Leaves are kept in tree
//! order, so every node covers a run of leaves; a method that cuts runs of
//! leaves therefore works on numbers and on categories alike.
//!
//! Where the values are not known beforehand, as in a stream, a [`Ladder`] gives
//! the labels of one value after the other.
//!
//! A [`HierarchySpec`] says how to make either; each kind has a file of its own.
//! Trees are built level by level, in time linear in leaves times levels.

pub mod automatic;
mod chains;
mod coverage;
mod dates;
mod draw;
mod file;
mod geography;
mod grid;
#[cfg(feature = "h3")]
mod h3;
mod intervals;
mod labels;
mod ladder;
mod mask;
mod path;
mod points;
mod propose;
mod reading;
mod rungs;
mod spec;
mod texts;

pub use coverage::{Coverage, coverage};
pub use dates::DateUnit;
pub use draw::draw;
pub use file::{HierarchyTable, parse_file, read_file, read_numbered};
pub use ladder::Ladder;
pub use mask::MaskSide;
pub use path::MOST_PARTS;
pub use propose::propose;
pub use reading::Reading;
pub use rungs::Rungs;
pub use spec::{HierarchySpec, distinct_texts};
pub use texts::Texts;

pub use super::TOP;

use super::levels::LevelsBuilder;
use crate::error::{Error, Result};
use labels::Labels;
use std::ops::Range;

/// A hierarchy has at most this many levels, so that a stray long value cannot
/// take up memory for all the others.
pub const MAX_LEVELS: usize = 64;

/// A tree over the values of a column. Nodes are known by level and place:
/// place `p` of level 0 is leaf `p` in tree order.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    levels: Vec<Level>,
    declared: bool,
    grows: bool,
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
    /// not end in a common label. A label may be repeated on consecutive levels
    /// of a chain. Siblings keep the order of first appearance.
    ///
    /// # Errors
    /// When chains differ in length, two leaves are equal, a label is empty, is
    /// its own ancestor or has two parents. `Error::policy` with the count and
    /// the first (1-based) line.
    pub fn from_chains<S: AsRef<str>>(chains: &[Vec<S>]) -> Result<Self> {
        chains::check(chains)
            .map(Self::from_labels)
            .map_err(|fault| Error::policy(format!("hierarchy: {}", fault.at(|row| row + 1))))
    }

    /// As [`Hierarchy::from_labels`], with the top `*` added, over the values of the data.
    fn under_top(mut levels: Vec<Labels>) -> Self {
        let leaves = levels.first().map_or(0, Labels::len);
        levels.push(Labels::constant(TOP, leaves));
        Hierarchy {
            declared: false,
            ..Self::from_labels(levels)
        }
    }

    /// From what each level calls each leaf, the leaves first and the top last.
    /// Each level must be a function of the one below.
    fn from_labels(levels: Vec<Labels>) -> Self {
        debug_assert!(chains::torn_rows(&levels).is_empty());
        let order = labels::tree_order(&levels);
        Hierarchy {
            levels: levels
                .into_iter()
                .map(|labels| Level::new(labels, &order))
                .collect(),
            declared: true,
            grows: false,
        }
    }

    /// As [`Hierarchy::under_top`], of a rule by which longer values make more levels.
    fn growing(levels: Vec<Labels>) -> Self {
        Hierarchy {
            grows: true,
            ..Self::under_top(levels)
        }
    }

    /// The same tree over those of its leaves that `keeps` wants.
    #[must_use]
    pub fn over(&self, keeps: impl Fn(&str) -> bool) -> Self {
        let leaves = 0..self.leaf_count() as u32;
        let leaves: Vec<u32> = leaves.filter(|&leaf| keeps(self.label(0, leaf))).collect();
        let label = |level, leaf| self.label(level, self.node(level, leaf));
        let levels = (0..self.level_count())
            .map(|level| leaves.iter().map(|&leaf| label(level, leaf)).collect());
        Hierarchy {
            declared: self.declared,
            grows: self.grows,
            ..Self::from_labels(levels.collect())
        }
    }

    /// The level that a policy means by its number: itself if there is one, and the top where
    /// longer values would make more levels.
    pub fn level(&self, number: usize) -> Option<usize> {
        let top = self.level_count() - 1;
        (number <= top || self.grows).then(|| number.min(top))
    }

    /// Whether somebody wrote the leaves down; else they are the values that the data holds.
    pub fn is_declared(&self) -> bool {
        self.declared
    }

    /// How many leaves there are.
    pub fn leaf_count(&self) -> usize {
        self.levels[0].node_of_leaf.len()
    }

    /// How many levels there are, the leaves and the top included; at least 2.
    pub fn level_count(&self) -> usize {
        self.levels.len()
    }

    /// How many nodes `level` has.
    pub fn node_count(&self, level: usize) -> usize {
        self.levels[level].labels.len()
    }

    /// The place of the leaf called `text`.
    pub fn leaf(&self, text: &str) -> Option<u32> {
        self.levels[0].labels.find(text)
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
        let start = first.get(node as usize).copied().unwrap_or(0);
        let end = first
            .get(node as usize + 1)
            .copied()
            .unwrap_or(self.leaf_count() as u32);
        start..end
    }

    /// The nodes of the level below (`level` − 1) under a node; `level` is at least 1.
    pub fn children(&self, level: usize, node: u32) -> Range<u32> {
        let leaves = self.leaves_under(level, node);
        if leaves.is_empty() {
            return 0..0;
        }
        self.node(level - 1, leaves.start)..self.node(level - 1, leaves.end - 1) + 1
    }

    /// The lowest level at which one node covers both leaves, and that node.
    pub fn lowest_common(&self, a: u32, b: u32) -> (usize, u32) {
        let level = (0..self.level_count())
            .find(|&level| self.node(level, a) == self.node(level, b))
            .unwrap_or(self.level_count() - 1);
        (level, self.node(level, a))
    }

    /// The node that `text` names. A label may stand on several levels; then
    /// the node with the most leaves is meant, since whoever reads the label
    /// cannot exclude it, at the lowest level where it has all of them.
    pub fn find(&self, text: &str) -> Option<(usize, u32)> {
        let mut found: Option<(usize, u32)> = None;
        for (level, nodes) in self.levels.iter().enumerate() {
            if let Some(node) = nodes.labels.find(text) {
                let size = |(level, node)| self.leaves_under(level, node).len();
                if found.is_none_or(|lower| size(lower) < size((level, node))) {
                    found = Some((level, node));
                }
            }
        }
        found
    }

    /// The leaves under the node that `text` names, as [`Hierarchy::find`] finds it.
    pub fn leaves_of(&self, text: &str) -> Option<Range<u32>> {
        let (level, node) = self.find(text)?;
        Some(self.leaves_under(level, node))
    }

    /// The labels of `leaf` from the leaf itself up to the top.
    pub fn chain(&self, leaf: u32) -> impl ExactSizeIterator<Item = &str> + '_ {
        (0..self.level_count()).map(move |level| self.label(level, self.node(level, leaf)))
    }
}

impl Level {
    /// Renumbers the nodes in tree order.
    fn new(labels: Labels, order: &[u32]) -> Self {
        let labels = labels.in_order(order);
        let mut first_leaf = Vec::with_capacity(labels.node_count());
        for (place, &node) in labels.codes.iter().enumerate() {
            if node as usize == first_leaf.len() {
                first_leaf.push(place as u32);
            }
        }
        Level {
            node_of_leaf: labels.codes,
            first_leaf,
            labels: labels.names,
        }
    }
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
    fn what_is_not_a_tree_is_an_error_of_the_policy() {
        let error = Hierarchy::from_chains(&chains(&["a;1", "a;1"])).expect_err("no tree");
        assert_eq!(
            error.to_string(),
            "hierarchy: 1 value stands there twice, on line 2"
        );
        assert_eq!(error.exit_code(), 3);
    }

    #[test]
    fn a_label_on_several_levels_means_its_largest_node() {
        let h = Hierarchy::from_chains(&chains(&["a;a;a;*", "b;b;a;*", "c;c;c;*"]));
        let h = h.expect("a tree");
        assert_eq!(h.find("a"), Some((2, 0)));
        assert_eq!(h.find("c"), Some((0, 2)));
        assert_eq!(h.children(3, 0), 0..2);
        assert_eq!(h.children(2, 0), 0..2);
        assert_eq!(h.chain(1).collect::<Vec<_>>(), ["b", "b", "a", "*"]);
    }

    #[test]
    fn a_column_without_values_has_a_top_without_leaves() {
        let h = Hierarchy::from_chains::<&str>(&[]).expect("a tree");
        assert_eq!((h.leaf_count(), h.level_count()), (0, 2));
        assert_eq!(h.label(1, 0), TOP);
        assert!(h.leaves_under(1, 0).is_empty() && h.children(1, 0).is_empty());
    }
}
