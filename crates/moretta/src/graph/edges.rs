//! A list of edges without repetitions.

use rayon::prelude::*;

/// Different edges between nodes `0..nodes`, in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeList {
    nodes: u32,
    directed: bool,
    pairs: Vec<(u32, u32)>,
}

/// Pairs of which no edge was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Links of a node to itself.
    pub loops: u64,
    /// Pairs that were there already; without directions also the other way round.
    pub repeated: u64,
}

impl EdgeList {
    /// The edges among these pairs, whose nodes are below `nodes`. Without directions an edge
    /// begins at the lesser node.
    pub fn new(nodes: u32, mut pairs: Vec<(u32, u32)>, directed: bool) -> (Self, LeftOut) {
        debug_assert!(pairs.iter().all(|&(a, b)| a < nodes && b < nodes));
        let all = pairs.len() as u64;
        pairs.retain(|(a, b)| a != b);
        let loops = all - pairs.len() as u64;
        if !directed {
            let turn = |pair: &mut (u32, u32)| *pair = (pair.0.min(pair.1), pair.0.max(pair.1));
            pairs.par_iter_mut().for_each(turn);
        }
        pairs.par_sort_unstable();
        pairs.dedup();
        let repeated = all - loops - pairs.len() as u64;
        let edges = EdgeList {
            nodes,
            directed,
            pairs,
        };
        (edges, LeftOut { loops, repeated })
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// Whether an edge has a direction.
    pub fn is_directed(&self) -> bool {
        self.directed
    }

    /// The edges.
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// How many edges there are.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// How many edges each node is an end of.
    pub fn degrees(&self) -> Vec<u32> {
        let mut degrees = vec![0; self.nodes as usize];
        for &(a, b) in &self.pairs {
            degrees[a as usize] += 1;
            degrees[b as usize] += 1;
        }
        degrees
    }

    /// The same graph with other numbers of its nodes; edges of nodes without a number go.
    #[must_use]
    pub fn renumbered(&self, numbers: &[Option<u32>], nodes: u32) -> Self {
        let number = |node: u32| numbers[node as usize];
        let pairs = self.pairs.par_iter();
        let pairs = pairs.filter_map(|&(a, b)| Some((number(a)?, number(b)?)));
        EdgeList::new(nodes, pairs.collect(), self.directed).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: [(u32, u32); 6] = [(2, 1), (0, 1), (1, 1), (1, 2), (0, 1), (3, 0)];

    #[test]
    fn edges_are_a_set_without_loops() {
        let (edges, left_out) = EdgeList::new(4, PAIRS.to_vec(), false);
        assert_eq!(edges.pairs(), [(0, 1), (0, 3), (1, 2)]);
        let expected = LeftOut {
            loops: 1,
            repeated: 2,
        };
        assert_eq!(left_out, expected);
        assert_eq!(edges.degrees(), [2, 2, 1, 1]);
    }

    #[test]
    fn with_directions_both_ways_are_two_edges() {
        let (edges, left_out) = EdgeList::new(4, PAIRS.to_vec(), true);
        assert_eq!(edges.pairs(), [(0, 1), (1, 2), (2, 1), (3, 0)]);
        assert_eq!((left_out.loops, left_out.repeated), (1, 1));
    }

    #[test]
    fn edges_go_with_their_nodes() {
        let (edges, _) = EdgeList::new(4, PAIRS.to_vec(), false);
        let renumbered = edges.renumbered(&[Some(2), Some(0), None, Some(1)], 3);
        assert_eq!(renumbered.pairs(), [(0, 2), (1, 2)]);
        assert_eq!(renumbered.nodes(), 3);
    }
}
