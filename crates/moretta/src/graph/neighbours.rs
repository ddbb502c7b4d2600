//! The neighbours of every node, whatever the direction of an edge.

use super::EdgeList;

/// Neighbours in ascending order, in one piece: those of a node are a run of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbours {
    starts: Vec<u32>,
    nodes: Vec<u32>,
}

impl Neighbours {
    /// The neighbours of each node. There are at most 2³¹ edges.
    pub fn of(edges: &EdgeList) -> Self {
        let ends = || {
            let both = edges.pairs().iter();
            // An edge that goes both ways makes two nodes neighbours once.
            both.filter(|&&(a, b)| a < b || edges.pairs().binary_search(&(b, a)).is_err())
        };
        let mut starts = vec![0u32; edges.nodes() as usize + 1];
        for &(a, b) in ends() {
            starts[a as usize + 1] += 1;
            starts[b as usize + 1] += 1;
        }
        for node in 1..starts.len() {
            starts[node] += starts[node - 1];
        }
        let mut next = starts.clone();
        let mut nodes = vec![0; *starts.last().unwrap_or(&0) as usize];
        let mut put = |node: u32, neighbour: u32| {
            nodes[next[node as usize] as usize] = neighbour;
            next[node as usize] += 1;
        };
        for &(a, b) in ends() {
            put(a, b);
            put(b, a);
        }
        let mut neighbours = Neighbours { starts, nodes };
        neighbours.sort();
        neighbours
    }

    fn sort(&mut self) {
        for node in 0..self.starts.len() - 1 {
            let run = self.starts[node] as usize..self.starts[node + 1] as usize;
            self.nodes[run].sort_unstable();
        }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The neighbours of a node.
    #[inline]
    pub fn of_node(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.nodes[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// How many neighbours a node has.
    #[inline]
    pub fn degree(&self, node: u32) -> u32 {
        self.starts[node as usize + 1] - self.starts[node as usize]
    }

    /// Whether two nodes are neighbours.
    #[inline]
    pub fn are_linked(&self, a: u32, b: u32) -> bool {
        let (few, other) = match self.degree(a) <= self.degree(b) {
            true => (a, b),
            false => (b, a),
        };
        self.of_node(few).binary_search(&other).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_found_whatever_the_direction() {
        let pairs = vec![(0, 1), (1, 0), (3, 1), (2, 3), (1, 2)];
        for directed in [false, true] {
            let neighbours = Neighbours::of(&EdgeList::new(5, pairs.clone(), directed).0);
            let found: Vec<&[u32]> = (0..5).map(|node| neighbours.of_node(node)).collect();
            let expected: [&[u32]; 5] = [&[1], &[0, 2, 3], &[1, 3], &[1, 2], &[]];
            assert_eq!(found, expected, "{directed}");
            assert!(neighbours.are_linked(3, 1) && neighbours.are_linked(1, 3));
            assert!(!neighbours.are_linked(0, 2) && !neighbours.are_linked(4, 4));
        }
    }

    #[test]
    fn a_graph_without_nodes_has_no_neighbours() {
        let neighbours = Neighbours::of(&EdgeList::new(0, Vec::new(), false).0);
        assert!(neighbours.is_empty());
    }
}
