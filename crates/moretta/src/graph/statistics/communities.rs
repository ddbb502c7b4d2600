//! Communities, and how well a division fits a graph.
//!
//! Every node begins as a community of its own. In the order of their numbers nodes move to the
//! community of a neighbour where they raise the modularity most, of several to the first, until
//! hardly any node moves: the first phase of the Louvain method.
//!
//! **From** Blondel, Guillaume, Lambiotte and Lefebvre, Fast unfolding of communities in large
//! networks, Journal of Statistical Mechanics 2008; modularity: Newman and Girvan, Finding and
//! evaluating community structure in networks, Physical Review E 2004.

use crate::graph::Neighbours;

/// A division of the nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Communities {
    /// The community of each node, from 0.
    pub of_node: Vec<u32>,
    /// How many there are.
    pub count: u32,
    /// How many more edges lie inside of them than chance would put there, as a share.
    pub modularity: f64,
}

/// More rounds change little.
const MOST_ROUNDS: usize = 10;

/// The communities of a graph.
pub fn communities(neighbours: &Neighbours) -> Communities {
    let nodes = neighbours.len();
    let degrees = (0..nodes as u32).map(|node| neighbours.degree(node));
    let mut moving = Moving {
        labels: (0..nodes as u32).collect(),
        ends: degrees.map(u64::from).collect(),
        links: vec![0; nodes],
        neighbours,
    };
    let all = moving.ends.iter().sum();
    for _ in 0..MOST_ROUNDS {
        let moves = (0..nodes as u32).filter(|&node| moving.move_node(node, all));
        if moves.count() * 1000 <= nodes {
            break;
        }
    }
    let mut labels = moving.labels;
    let count = number(&mut labels);
    Communities {
        modularity: modularity(neighbours, &labels, count),
        of_node: labels,
        count,
    }
}

/// Nodes on their way to a community.
struct Moving<'a> {
    neighbours: &'a Neighbours,
    labels: Vec<u32>,
    /// How many ends of edges the nodes of each community are.
    ends: Vec<u64>,
    /// Edges of one node to each community; zero before and after.
    links: Vec<u32>,
}

impl Moving<'_> {
    /// Moves a node to where it raises the modularity most; false where that is where it is.
    fn move_node(&mut self, node: u32, all: u64) -> bool {
        let of_node = self.neighbours.of_node(node);
        let (own, degree) = (self.labels[node as usize], of_node.len() as u64);
        let label = |neighbour: &u32| self.labels[*neighbour as usize];
        of_node
            .iter()
            .for_each(|neighbour| self.links[label(neighbour) as usize] += 1);
        self.ends[own as usize] -= degree;
        // The gain times 2 |E|², a whole number, so that equal gains are equal.
        let gain = |community: u32| {
            let links = i128::from(self.links[community as usize]) * i128::from(all);
            links - i128::from(degree) * i128::from(self.ends[community as usize])
        };
        let mut best = (gain(own), own);
        for community in of_node.iter().map(label) {
            let gain = gain(community);
            if gain > best.0 || gain == best.0 && best.1 != own && community < best.1 {
                best = (gain, community);
            }
        }
        of_node
            .iter()
            .for_each(|neighbour| self.links[label(neighbour) as usize] = 0);
        self.ends[best.1 as usize] += degree;
        self.labels[node as usize] = best.1;
        best.1 != own
    }
}

/// Numbers labels from 0, in the order of first appearance; gives how many there are.
fn number(labels: &mut [u32]) -> u32 {
    let mut numbers = vec![u32::MAX; labels.len()];
    let mut count = 0;
    for label in labels {
        let number = &mut numbers[*label as usize];
        if *number == u32::MAX {
            *number = count;
            count += 1;
        }
        *label = *number;
    }
    count
}

/// The modularity of a division into `count` communities; 0 without edges.
pub(super) fn modularity(neighbours: &Neighbours, labels: &[u32], count: u32) -> f64 {
    let mut inside = vec![0u64; count as usize];
    let mut ends = vec![0u64; count as usize];
    for (node, &label) in (0..).zip(labels) {
        let of_node = neighbours.of_node(node);
        ends[label as usize] += of_node.len() as u64;
        let same = of_node.iter().filter(|&&n| labels[n as usize] == label);
        inside[label as usize] += same.count() as u64;
    }
    let all = ends.iter().sum::<u64>() as f64;
    if all == 0.0 {
        return 0.0;
    }
    let share = |(inside, ends): (&u64, &u64)| {
        let ends = *ends as f64 / all;
        *inside as f64 / all - ends * ends
    };
    inside.iter().zip(&ends).map(share).sum()
}

impl Communities {
    /// How well this division fits another graph of the same nodes.
    pub fn modularity_in(&self, neighbours: &Neighbours) -> f64 {
        modularity(neighbours, &self.of_node, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::EdgeList;

    /// Two cliques of four that one edge joins, and a node alone.
    fn cliques() -> Neighbours {
        let clique = |first: u32| {
            let nodes = first..first + 4;
            nodes.flat_map(move |a| (a + 1..first + 4).map(move |b| (a, b)))
        };
        let pairs = clique(0).chain(clique(4)).chain([(3, 4)]).collect();
        Neighbours::of(&EdgeList::new(9, pairs, false).0)
    }

    #[test]
    fn cliques_are_communities() {
        let found = communities(&cliques());
        assert_eq!(found.count, 3);
        assert_eq!(found.of_node, [0, 0, 0, 0, 1, 1, 1, 1, 2]);
        // 24 of 26 ends inside; each clique has half of the ends.
        assert!((found.modularity - (24.0 / 26.0 - 0.5)).abs() < 1e-12);
        assert_eq!(found.modularity_in(&cliques()), found.modularity);
    }

    #[test]
    fn one_community_fits_no_better_than_chance() {
        assert!(modularity(&cliques(), &[0; 9], 1).abs() < 1e-12);
        let none = Neighbours::of(&EdgeList::new(3, Vec::new(), false).0);
        assert_eq!(communities(&none).modularity, 0.0);
    }
}
