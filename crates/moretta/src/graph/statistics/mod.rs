//! What a graph looks like: degrees, neighbourhoods, communities.
//!
//! All figures are the same for any number of threads. Time is linear in the edges but for
//! triangles, which take at most |E|^1.5 steps.

mod communities;
mod triangles;

pub use communities::{Communities, communities};

use super::{EdgeList, Neighbours};
use std::ops::RangeInclusive;

/// Figures of one graph, whose edges count whatever their direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics {
    /// Nodes.
    pub nodes: u64,
    /// Edges.
    pub edges: u64,
    /// The largest degree.
    pub largest_degree: u32,
    /// How many nodes have a degree in each [band](degree_band).
    pub degrees: Vec<u64>,
    /// The mean over all nodes of the share of their neighbours' pairs that are linked; nodes
    /// with fewer than two neighbours count as 0.
    pub clustering: f64,
    /// Of all paths of two edges, the share that a third edge closes.
    pub transitivity: f64,
    /// Communities of nodes with many edges among them.
    pub communities: Communities,
}

impl Statistics {
    /// Looks at a graph.
    pub fn of(edges: &EdgeList, neighbours: &Neighbours) -> Self {
        let nodes = neighbours.len() as u32;
        let degree = |node: u32| neighbours.degree(node);
        let largest_degree = (0..nodes).map(degree).max().unwrap_or(0);
        let mut degrees = vec![0; band(largest_degree) + 1];
        (0..nodes).for_each(|node| degrees[band(degree(node))] += 1);
        let triangles = triangles::triangles(neighbours);
        let paths = |node: u32| {
            let degree = u64::from(degree(node));
            degree * degree.saturating_sub(1) / 2
        };
        let closed: u64 = triangles.iter().sum();
        let all: u64 = (0..nodes).map(paths).sum();
        let local = (0..nodes).map(|node| match paths(node) {
            0 => 0.0,
            paths => triangles[node as usize] as f64 / paths as f64,
        });
        Statistics {
            nodes: u64::from(nodes),
            edges: edges.len() as u64,
            largest_degree,
            degrees,
            clustering: local.sum::<f64>() / f64::from(nodes.max(1)),
            transitivity: closed as f64 / all.max(1) as f64,
            communities: communities(neighbours),
        }
    }

    /// The mean degree.
    pub fn mean_degree(&self) -> f64 {
        2.0 * self.edges as f64 / self.nodes.max(1) as f64
    }
}

/// The place of a degree's band: 0, 1, 2 to 3, 4 to 7, and so on.
fn band(degree: u32) -> usize {
    (u32::BITS - degree.leading_zeros()) as usize
}

/// The degrees of a band.
pub fn degree_band(place: usize) -> RangeInclusive<u32> {
    match place {
        0 => 0..=0,
        place => {
            let first = 1u32 << (place - 1).min(31);
            first..=first + (first - 1)
        }
    }
}

/// The band of a degree as a text, as in extracted microdata: `4..7`.
pub fn degree_text(degree: u32) -> String {
    let band = degree_band(band(degree));
    match band.start() == band.end() {
        true => degree.to_string(),
        false => format!("{}..{}", band.start(), band.end()),
    }
}

/// How much neighbourhoods stay: the mean over all nodes of the neighbours they have in both
/// graphs as a share of those they have in either. A node without neighbours stays as it is.
pub fn overlap(before: &Neighbours, after: &Neighbours) -> f64 {
    let nodes = before.len() as u32;
    let share = |node: u32| {
        let (one, other) = (before.of_node(node), after.of_node(node));
        let both = one
            .iter()
            .filter(|node| other.binary_search(node).is_ok())
            .count();
        match one.len() + other.len() - both {
            0 => 1.0,
            either => both as f64 / either as f64,
        }
    };
    (0..nodes).map(share).sum::<f64>() / f64::from(nodes.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(nodes: u32, pairs: &[(u32, u32)]) -> (EdgeList, Neighbours) {
        let (edges, _) = EdgeList::new(nodes, pairs.to_vec(), false);
        let neighbours = Neighbours::of(&edges);
        (edges, neighbours)
    }

    #[test]
    fn figures_are_as_worked_out_by_hand() {
        // A triangle with a tail, and a node alone.
        let (edges, neighbours) = graph(5, &[(0, 1), (1, 2), (0, 2), (2, 3)]);
        let found = Statistics::of(&edges, &neighbours);
        assert_eq!((found.nodes, found.edges, found.largest_degree), (5, 4, 3));
        assert_eq!(found.degrees, [1, 1, 3]);
        assert_eq!(found.mean_degree(), 1.6);
        // One of one, one of one, one of three pairs of neighbours.
        assert_eq!(found.clustering, (1.0 + 1.0 + 1.0 / 3.0) / 5.0);
        assert_eq!(found.transitivity, 3.0 / 5.0);
    }

    #[test]
    fn bands_double() {
        let texts = [0, 1, 2, 3, 4, 7, 8, 1000].map(degree_text);
        let expected = [
            "0",
            "1",
            "2..3",
            "2..3",
            "4..7",
            "4..7",
            "8..15",
            "512..1023",
        ];
        assert_eq!(texts, expected);
        assert_eq!(degree_band(32), 1 << 31..=u32::MAX);
    }

    #[test]
    fn neighbourhoods_that_stay_overlap_wholly() {
        let (_, before) = graph(4, &[(0, 1), (1, 2)]);
        assert_eq!(overlap(&before, &before), 1.0);
        let (_, after) = graph(4, &[(0, 1), (1, 3)]);
        // 0 keeps all, 1 one of three, 2 and 3 none.
        assert!((overlap(&before, &after) - (1.0 + 1.0 / 3.0) / 4.0).abs() < 1e-12);
    }

    #[test]
    fn a_graph_without_nodes_has_figures() {
        let (edges, neighbours) = graph(0, &[]);
        let found = Statistics::of(&edges, &neighbours);
        assert_eq!((found.mean_degree(), found.clustering), (0.0, 0.0));
        assert_eq!(overlap(&neighbours, &neighbours), 0.0);
    }
}
