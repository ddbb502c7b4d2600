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

    /// The lower one of both levels of each column.
    pub(super) fn lower(&self, other: &Self) -> Self {
        // The guard of a byte stays where the level here is at least that of the other.
        let lower = |here: u64, there: u64| {
            let least = ((here | GUARDS) - there) & GUARDS;
            let mask = (least >> 7).wrapping_mul(0x7f);
            there & mask | here & !mask
        };
        Node(std::array::from_fn(|word| {
            lower(self.0[word], other.0[word])
        }))
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

    /// The nodes one level above `node` and not above `high`.
    pub(super) fn above(&self, node: Node, high: Node) -> impl Iterator<Item = Node> + '_ {
        let levels = (0..self.columns).map(move |column| (column, node.level(column)));
        levels
            .filter(move |&(column, level)| level < high.level(column))
            .map(move |(column, level)| node.with(column, level + 1))
    }

    /// The nodes between `low` and `high` that are not below `barred`, in boxes of which no two
    /// have a node in common: of the first column that is above `barred`, those with this column
    /// above and all before it not.
    pub(super) fn without(
        &self,
        low: Node,
        high: Node,
        barred: Node,
    ) -> impl Iterator<Item = (Node, Node)> + '_ {
        (0..self.columns)
            .filter(move |&column| barred.level(column) < high.level(column))
            .map(move |above| {
                let below = |high: Node, column| {
                    high.with(column, high.level(column).min(barred.level(column)))
                };
                let level = low.level(above).max(barred.level(above) + 1);
                (low.with(above, level), (0..above).fold(high, below))
            })
    }
}

/// Every node, for tests.
#[cfg(test)]
pub(super) fn nodes(shape: &Shape) -> Vec<Node> {
    let mut nodes = vec![shape.bottom];
    for column in 0..shape.columns {
        let levels = shape.bottom.level(column)..=shape.top.level(column);
        let raised = |node: &Node| -> Vec<Node> {
            let node = *node;
            levels
                .clone()
                .map(|level| node.with(column, level))
                .collect()
        };
        nodes = nodes.iter().flat_map(raised).collect();
    }
    nodes
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
    fn the_lower_levels_of_two_nodes_are_taken() {
        let one = Node::new([0, 5, 63, 1, 9, 2, 2, 2, 7]);
        let other = Node::new([1, 4, 63, 0, 10, 2, 0, 63, 8]);
        assert_eq!(one.lower(&other).levels(9), [0, 4, 63, 0, 9, 2, 0, 2, 7]);
        assert_eq!(one.lower(&other), other.lower(&one));
    }

    #[test]
    fn what_is_left_of_a_box_is_in_exactly_one_part() {
        let shape = Shape::new(&[(0, 2), (1, 1), (0, 3), (0, 1)]);
        let (low, high) = (shape.bottom.with(2, 1), shape.top.with(0, 1));
        let within =
            |node: &Node, low: &Node, high: &Node| low.is_below(node) && node.is_below(high);
        for barred in nodes(&shape).into_iter().filter(|node| low.is_below(node)) {
            let parts: Vec<(Node, Node)> = shape.without(low, high, barred).collect();
            for node in nodes(&shape)
                .iter()
                .filter(|node| within(node, &low, &high))
            {
                let parts = parts
                    .iter()
                    .filter(|(low, high)| within(node, low, high))
                    .count();
                assert_eq!(
                    parts,
                    usize::from(!node.is_below(&barred)),
                    "{node:?} {barred:?}"
                );
            }
        }
        assert_eq!(nodes(&shape).len() as f64, shape.size());
    }
}
