//! Semantic disclosure risk without comparing all pairs.
//!
//! Released records that are equal are one leaf of a tree that branches by one attribute after
//! the other. The distance of a person to its own record bounds the search: a branch is left as
//! soon as the attributes so far are further apart, and the whole search as soon as another
//! record is nearer. Equal persons with equal records are looked for once.

use super::Nodes;
use rayon::prelude::*;

/// The mean chance that the nearest released node is the right one; none without nodes.
pub(super) fn risk(nodes: &Nodes) -> Option<f64> {
    if nodes.is_empty() {
        return None;
    }
    let tree = Tree::new(nodes);
    let alike = alike(nodes);
    let shares = alike.par_iter().map(|same| {
        let chance = tree.chance(nodes, same[0] as usize);
        chance * same.len() as f64
    });
    // Summed in their order, so that the figure does not depend on threads.
    let shares: Vec<f64> = shares.collect();
    Some(shares.iter().sum::<f64>() / nodes.len() as f64)
}

/// The nodes that are equal before and after.
fn alike(nodes: &Nodes) -> Vec<Vec<u32>> {
    let columns: Vec<&Vec<u32>> = nodes.original.iter().chain(&nodes.released).collect();
    let order = sorted(&columns, nodes.len());
    let same = |a: &u32, b: &u32| equal(&columns, *a, *b);
    order.chunk_by(same).map(<[u32]>::to_vec).collect()
}

fn sorted(columns: &[&Vec<u32>], rows: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..rows as u32).collect();
    order.par_sort_unstable_by(|&a, &b| {
        let values = |row: u32| columns.iter().map(move |column| column[row as usize]);
        values(a).cmp(values(b)).then(a.cmp(&b))
    });
    order
}

fn equal(columns: &[&Vec<u32>], a: u32, b: u32) -> bool {
    let mut columns = columns.iter();
    columns.all(|column| column[a as usize] == column[b as usize])
}

/// The released records, attribute by attribute.
struct Tree {
    branches: Vec<Branch>,
    /// Where the branches of each depth begin in `branches`; those of the root come first.
    first: std::ops::Range<u32>,
}

struct Branch {
    value: u32,
    /// The branches below; none at the last attribute.
    below: std::ops::Range<u32>,
    /// How many nodes were released with these values.
    nodes: u32,
}

impl Tree {
    fn new(nodes: &Nodes) -> Self {
        let columns: Vec<&Vec<u32>> = nodes.released.iter().collect();
        let order = sorted(&columns, nodes.len());
        let mut tree = Tree {
            branches: Vec::new(),
            first: 0..0,
        };
        tree.first = tree.grow(&columns, &order);
        tree
    }

    /// Makes the branches of these rows, which are sorted; gives their places.
    fn grow(&mut self, columns: &[&Vec<u32>], rows: &[u32]) -> std::ops::Range<u32> {
        let Some((column, others)) = columns.split_first() else {
            return 0..0;
        };
        let runs = || rows.chunk_by(|&a, &b| column[a as usize] == column[b as usize]);
        let start = self.branches.len() as u32;
        self.branches.extend(runs().map(|run| Branch {
            value: column[run[0] as usize],
            below: 0..0,
            nodes: run.len() as u32,
        }));
        let end = self.branches.len() as u32;
        for (place, run) in (start..end).zip(runs()) {
            let below = self.grow(others, run);
            self.branches[place as usize].below = below;
        }
        start..end
    }

    /// The chance that a node is found by its original values.
    fn chance(&self, nodes: &Nodes, node: usize) -> f64 {
        let own = nodes.parts(node);
        match self.nearest(nodes, node, (0, own), self.first.clone()) {
            None => 0.0,
            Some(candidates) => 1.0 / candidates as f64,
        }
    }

    /// How many released nodes are as far as `left` allows; none when one is nearer.
    fn nearest(
        &self,
        nodes: &Nodes,
        node: usize,
        (attribute, left): (usize, u64),
        branches: std::ops::Range<u32>,
    ) -> Option<u64> {
        let value = nodes.original[attribute][node];
        let last = attribute + 1 == nodes.original.len();
        let mut found = 0;
        for branch in &self.branches[branches.start as usize..branches.end as usize] {
            let parts = nodes.space.parts(attribute, value, branch.value);
            match left.checked_sub(parts) {
                None => {}
                Some(0) if last => found += u64::from(branch.nodes),
                Some(_) if last => return None,
                Some(left) => {
                    found +=
                        self.nearest(nodes, node, (attribute + 1, left), branch.below.clone())?;
                }
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::hierarchy::Hierarchy;
    use crate::data::{SemanticSpace, Taxonomy};
    use proptest::prelude::*;

    /// All pairs, as the definition says.
    fn reference(nodes: &Nodes) -> f64 {
        let n = nodes.len();
        let distance = |i: usize, j: usize| -> u64 {
            let attributes = 0..nodes.original.len();
            attributes
                .map(|a| (nodes.space).parts(a, nodes.original[a][i], nodes.released[a][j]))
                .sum()
        };
        let chance = |i: usize| {
            let least = (0..n).map(|j| distance(i, j)).min().expect("a node");
            let candidates = (0..n).filter(|&j| distance(i, j) == least).count();
            match distance(i, i) == least {
                true => 1.0 / candidates as f64,
                false => 0.0,
            }
        };
        (0..n).map(chance).sum::<f64>() / n as f64
    }

    fn taxonomy() -> Taxonomy {
        let chains = ["a;x;p;*", "b;x;p;*", "c;y;p;*", "d;z;q;*", "e;e;q;*"];
        let chains: Vec<Vec<&str>> = chains.iter().map(|row| row.split(';').collect()).collect();
        Taxonomy::of_hierarchy(&Hierarchy::from_chains(&chains).expect("a tree"))
    }

    proptest! {
        #[test]
        fn the_search_finds_what_comparing_all_pairs_finds(
            rows in prop::collection::vec(((0u32..12, 0u32..3), (0u32..12, 0u32..3)), 1..40)
        ) {
            let tall = taxonomy();
            let count = tall.node_count() as u32;
            let space = SemanticSpace::new(vec![tall, Taxonomy::flat(&["u"])]);
            let column = |of: fn(&((u32, u32), (u32, u32))) -> u32, below: u32| {
                rows.iter().map(|row| of(row) % below).collect::<Vec<u32>>()
            };
            let nodes = Nodes {
                space,
                original: vec![column(|row| row.0.0, count), column(|row| row.0.1, 3)],
                released: vec![column(|row| row.1.0, count), column(|row| row.1.1, 3)],
            };
            let found = risk(&nodes).expect("nodes");
            prop_assert!((found - reference(&nodes)).abs() < 1e-12);
        }
    }
}
