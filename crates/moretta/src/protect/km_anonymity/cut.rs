//! A cut through a hierarchy: which node each leaf is shown as.

use crate::data::hierarchy::Hierarchy;
use std::ops::Range;

/// Every leaf is under one node of the cut. Nodes are numbered through all levels.
#[derive(Clone)]
pub(super) struct Cut<'a> {
    tree: &'a Hierarchy,
    /// The first number of each level.
    offsets: Vec<u32>,
    /// The node that each leaf is shown as.
    shown: Vec<u32>,
}

impl<'a> Cut<'a> {
    /// All leaves are shown as they are.
    pub(super) fn leaves(tree: &'a Hierarchy) -> Self {
        let mut offsets = vec![0];
        for level in 0..tree.level_count() {
            offsets.push(offsets[level] + tree.node_count(level) as u32);
        }
        Cut {
            tree,
            offsets,
            shown: (0..tree.leaf_count() as u32).collect(),
        }
    }

    /// The node that a leaf is shown as.
    #[inline]
    pub(super) fn shown(&self, leaf: u32) -> u32 {
        self.shown[leaf as usize]
    }

    /// What a leaf is shown as.
    pub(super) fn label(&self, leaf: u32) -> &'a str {
        self.text(self.shown(leaf))
    }

    /// What a node is called.
    pub(super) fn text(&self, node: u32) -> &'a str {
        let (level, place) = self.place(node);
        self.tree.label(level, place)
    }

    /// The nodes of the cut, from the first leaf to the last.
    pub(super) fn nodes(&self) -> Vec<u32> {
        let mut nodes = self.shown.clone();
        nodes.dedup();
        nodes
    }

    /// The leaves under a node.
    pub(super) fn under(&self, node: u32) -> Range<u32> {
        let (level, place) = self.place(node);
        self.tree.leaves_under(level, place)
    }

    /// The lowest node that covers more leaves than this one; none of the top.
    pub(super) fn parent(&self, node: u32) -> Option<u32> {
        let (level, place) = self.place(node);
        let leaves = self.tree.leaves_under(level, place);
        let above = (level + 1..self.tree.level_count())
            .map(|level| (level, self.tree.node(level, leaves.start)));
        let mut wider = above
            .filter(|&(level, place)| self.tree.leaves_under(level, place).len() > leaves.len());
        wider
            .next()
            .map(|(level, place)| self.offsets[level] + place)
    }

    /// Shows all leaves under a node as that node, unless they are shown as one above it.
    pub(super) fn raise(&mut self, node: u32) {
        for leaf in self.under(node) {
            let shown = &mut self.shown[leaf as usize];
            *shown = (*shown).max(node);
        }
    }

    /// Shows the leaves under a node of the cut as the nodes right below it that cover fewer;
    /// false for a node without such.
    pub(super) fn divide(&mut self, node: u32) -> bool {
        let (level, _) = self.place(node);
        let leaves = self.under(node);
        let below = |leaf: u32, level: usize| self.offsets[level] + self.tree.node(level, leaf);
        let narrower = (0..level).rev().find(|&level| {
            let first = self.tree.node(level, leaves.start);
            self.tree.leaves_under(level, first).len() < leaves.len()
        });
        let Some(level) = narrower else {
            return false;
        };
        let nodes: Vec<u32> = leaves.clone().map(|leaf| below(leaf, level)).collect();
        self.shown[leaves.start as usize..leaves.end as usize].copy_from_slice(&nodes);
        true
    }

    /// The share of all leaves that a node stands for; none lost where it is one leaf.
    pub(super) fn penalty(&self, node: u32) -> f64 {
        match self.under(node).len() {
            1 => 0.0,
            leaves => leaves as f64 / self.tree.leaf_count() as f64,
        }
    }

    fn place(&self, node: u32) -> (usize, u32) {
        let level = self.offsets.partition_point(|&first| first <= node) - 1;
        (level, node - self.offsets[level])
    }
}
