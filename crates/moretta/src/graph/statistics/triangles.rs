//! Triangles, counted at each of their nodes.

use crate::graph::Neighbours;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many triangles each node is in. Every edge is looked at from its end with fewer
/// neighbours, so that hubs cost no more than others.
pub(super) fn triangles(neighbours: &Neighbours) -> Vec<u64> {
    let nodes = neighbours.len();
    let rank = |node: u32| (neighbours.degree(node), node);
    let later = |node: u32| {
        let others = neighbours.of_node(node).iter().copied();
        others.filter(move |&other| rank(node) < rank(other))
    };
    let counts: Vec<AtomicU64> = (0..nodes).map(|_| AtomicU64::new(0)).collect();
    let count = |node: u32, more: u64| {
        counts[node as usize].fetch_add(more, Ordering::Relaxed);
    };
    // Marks hold the node for which they were set, so that they need not be taken away.
    let marks = || vec![u32::MAX; nodes];
    (0..nodes as u32)
        .into_par_iter()
        .with_min_len(1 << 10)
        .for_each_init(marks, |marks, node| {
            later(node).for_each(|other| marks[other as usize] = node);
            for second in later(node) {
                let thirds = later(second).filter(|&third| marks[third as usize] == node);
                let found = thirds.inspect(|&third| count(third, 1)).count() as u64;
                if found > 0 {
                    count(node, found);
                    count(second, found);
                }
            }
        });
    counts.into_iter().map(AtomicU64::into_inner).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::EdgeList;
    use proptest::prelude::*;

    /// All threes of nodes.
    fn reference(neighbours: &Neighbours) -> Vec<u64> {
        let nodes = neighbours.len() as u32;
        let mut counts = vec![0; nodes as usize];
        for a in 0..nodes {
            for b in a + 1..nodes {
                for c in b + 1..nodes {
                    let linked = neighbours.are_linked(a, b)
                        && neighbours.are_linked(b, c)
                        && neighbours.are_linked(a, c);
                    for node in [a, b, c] {
                        counts[node as usize] += u64::from(linked);
                    }
                }
            }
        }
        counts
    }

    proptest! {
        #[test]
        fn every_triangle_counts_once_at_each_of_its_nodes(
            pairs in prop::collection::vec((0u32..15, 0u32..15), 0..80)
        ) {
            let neighbours = Neighbours::of(&EdgeList::new(15, pairs, false).0);
            prop_assert_eq!(triangles(&neighbours), reference(&neighbours));
        }
    }
}
