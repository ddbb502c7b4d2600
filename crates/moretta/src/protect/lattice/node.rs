//! Nodes of the lattice: a level for each column, compared all at once.
//!
//! Levels are bytes, eight to a word, the first column in the highest byte: words compare as
//! levels do, and one subtraction tells whether eight levels are at most eight others.

use std::cmp::Ordering;
use std::fmt;

/// The most columns that a lattice can have.
pub(super) const MOST_COLUMNS: usize = 32;

const WORDS: usize = MOST_COLUMNS / 8;

/// A bit of each byte that no level reaches.
const GUARDS: u64 = 0x8080_8080_8080_8080;

/// The level of each column; columns that there are not have level 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Node([u64; WORDS]);

impl Node {
    /// The node with these levels, each at most 127.
    pub(super) fn new(levels: impl IntoIterator<Item = usize>) -> Self {
        let mut node = Node::default();
        for (column, level) in levels.into_iter().enumerate() {
            node = node.with(column, level);
        }
        node
    }

    /// The level of a column.
    pub(super) fn level(&self, column: usize) -> usize {
        (self.0[column / 8] >> shift(column)) as usize & 0x7f
    }

    /// The same node with another level of one column.
    pub(super) fn with(mut self, column: usize, level: usize) -> Self {
        let word = &mut self.0[column / 8];
        *word &= !(0x7f << shift(column));
        *word |= (level as u64 & 0x7f) << shift(column);
        self
    }

    /// Whether no column has a higher level than in `other`.
    pub(super) fn is_below(&self, other: &Self) -> bool {
        let below = |(&here, &there): (&u64, &u64)| ((there | GUARDS) - here) & GUARDS;
        self.0
            .iter()
            .zip(&other.0)
            .map(below)
            .fold(GUARDS, u64::min)
            == GUARDS
    }

    /// Whether it is below `other` by one level of one column.
    pub(super) fn is_just_below(&self, other: &Self) -> bool {
        self.is_below(other) && self.sum() + 1 == other.sum()
    }

    /// The sum of the levels.
    pub(super) fn sum(&self) -> u32 {
        let bytes = self.0.iter().flat_map(|word| word.to_be_bytes());
        bytes.map(u32::from).sum()
    }

    /// Which of two nodes that lose the same is better: the one with less levels in all, then
    /// the one with the lower level of the first column that differs.
    pub(super) fn preferred(&self, other: &Self) -> Ordering {
        self.sum().cmp(&other.sum()).then(self.0.cmp(&other.0))
    }

    /// The levels of the first `columns` columns.
    pub(super) fn levels(&self, columns: usize) -> Vec<usize> {
        (0..columns).map(|column| self.level(column)).collect()
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.levels(MOST_COLUMNS)).finish()
    }
}

fn shift(column: usize) -> u32 {
    56 - 8 * (column as u32 % 8)
}

/// The lattice: from which level to which each column may go.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// The node of the lowest levels.
    pub(super) bottom: Node,
    /// The node of the highest levels.
    pub(super) top: Node,
    columns: usize,
}

impl Shape {
    /// From the lowest and the highest level of each column.
    pub(super) fn new(levels: &[(usize, usize)]) -> Self {
        Shape {
            bottom: Node::new(levels.iter().map(|&(low, _)| low)),
            top: Node::new(levels.iter().map(|&(_, high)| high)),
            columns: levels.len(),
        }
    }

    /// How many nodes there are.
    pub(super) fn size(&self) -> f64 {
        let widths = (0..self.columns).map(|c| self.top.level(c) - self.bottom.level(c) + 1);
        widths.map(|width| width as f64).product()
    }

    /// The nodes one level above `node`, with the column that rises.
    pub(super) fn above(&self, node: Node) -> impl Iterator<Item = (usize, Node)> + '_ {
        (0..self.columns)
            .map(move |column| (column, node.level(column)))
            .filter(|&(column, level)| level < self.top.level(column))
            .map(move |(column, level)| (column, node.with(column, level + 1)))
    }

    /// The nodes above `node` of which it is *the* predecessor, so that every node but the bottom
    /// has exactly one: that with the last column that is above the bottom lowered by one.
    pub(super) fn children(&self, node: Node) -> impl Iterator<Item = Node> + '_ {
        let raised = |&column: &usize| node.level(column) > self.bottom.level(column);
        let last = (0..self.columns).rev().find(raised).unwrap_or(0);
        self.above(node)
            .filter(move |&(column, _)| column >= last)
            .map(|(_, node)| node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_kept_and_compared_column_by_column() {
        let low = Node::new([0, 3, 1, 0, 0, 0, 0, 0, 63, 2]);
        let high = Node::new([1, 3, 1, 0, 0, 0, 0, 0, 63, 4]);
        assert_eq!(low.levels(10), [0, 3, 1, 0, 0, 0, 0, 0, 63, 2]);
        assert!(low.is_below(&high) && !high.is_below(&low) && low.is_below(&low));
        let aside = low.with(0, 2).with(9, 1);
        assert!(!aside.is_below(&high) && !high.is_below(&aside));
        assert_eq!((low.sum(), aside.sum()), (69, 70));
        assert_eq!(low.preferred(&aside), Ordering::Less);
        assert_eq!(low.with(0, 1).preferred(&low.with(1, 4)), Ordering::Greater);
    }

    #[test]
    fn every_node_has_one_predecessor_of_its_own() {
        let lattice = Shape::new(&[(0, 2), (1, 1), (1, 3), (0, 1)]);
        let (mut seen, mut open) = (Vec::new(), vec![lattice.bottom]);
        while let Some(node) = open.pop() {
            assert!(!seen.contains(&node), "{node:?} twice");
            seen.push(node);
            open.extend(lattice.children(node));
        }
        assert_eq!(seen.len() as f64, lattice.size());
        assert_eq!(lattice.size(), 18.0);
        assert!(seen.iter().all(|node| node.is_below(&lattice.top)));
    }
}
