//! What the nodes of a released graph have lost of their meaning, and who is found again by it.
//!
//! All figures are percents, those of attributes are averaged:
//!
//! - **AAMIL**, of the links between categories: M[c₁, c₂] is the number of edges whose ends show
//!   c₁ and c₂, whatever the order; 100 Σ |M − M′| / (|E| + |E′|).
//! - **CDIL**, of how often categories occur: 100 Σ |f − f′| / (2 n).
//! - **DBIL**, of each user: the mean semantic distance between the values and what is released
//!   of them.
//! - **Semantic disclosure risk**: an intruder who knows all values of a person takes one of the
//!   released nodes that are nearest to them; 100 times the mean chance that it is the right one.
//!   Where every released record occurs k times it is at most 100 / k.
//!
//! **From** Marés, Categorical data protection on statistical datasets and social networks, UAB
//! 2013, which names them; the formulas are ours where the thesis does not show them.

mod linkage;
mod risk;

pub use linkage::ReleasedRecords;

use super::EdgeList;
use crate::data::SemanticSpace;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// The nodes of a graph before and after: for each attribute the taxonomy, the value of each
/// node and what is released of it.
#[derive(Clone, Debug)]
pub struct Nodes {
    /// The taxonomies.
    pub space: SemanticSpace,
    /// The node of the taxonomy that each original value is, attribute by attribute.
    pub original: Vec<Vec<u32>>,
    /// The node that is released of it.
    pub released: Vec<Vec<u32>>,
}

/// Losses by their meaning, in percent.
#[derive(Clone, Debug, PartialEq)]
pub struct SemanticLoss {
    /// AAMIL of each attribute.
    pub links: Vec<f64>,
    /// CDIL of each attribute.
    pub frequencies: Vec<f64>,
    /// DBIL of all users.
    pub distance: f64,
}

impl SemanticLoss {
    /// AAMIL: the mean over the attributes.
    pub fn aamil(&self) -> f64 {
        mean(&self.links)
    }

    /// CDIL: the mean over the attributes.
    pub fn cdil(&self) -> f64 {
        mean(&self.frequencies)
    }

    /// The average semantic information loss.
    pub fn average(&self) -> f64 {
        mean(&[self.aamil(), self.cdil(), self.distance])
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

impl Nodes {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.original.first().map_or(0, Vec::len)
    }

    /// Whether there is none, or no attribute.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What was lost. The edges are those before and after, between the same nodes.
    pub fn loss(&self, before: &EdgeList, after: &EdgeList) -> SemanticLoss {
        let attributes = || self.original.iter().zip(&self.released);
        SemanticLoss {
            links: attributes()
                .map(|(original, released)| aamil((before, original), (after, released)))
                .collect(),
            frequencies: attributes()
                .map(|(original, released)| cdil(original, released))
                .collect(),
            distance: match self.len() {
                0 => 0.0,
                nodes => {
                    let sum: f64 = (0..nodes).map(|node| self.distance(node)).sum();
                    100.0 * sum / nodes as f64
                }
            },
        }
    }

    /// The mean semantic distance between the values of a node and what is released of them.
    pub fn distance(&self, node: usize) -> f64 {
        self.space.distance(self.parts(node))
    }

    fn parts(&self, node: usize) -> u64 {
        let attributes = self.original.iter().zip(&self.released).enumerate();
        attributes
            .map(|(i, (original, released))| self.space.parts(i, original[node], released[node]))
            .sum()
    }

    /// The semantic disclosure risk, in percent; none without nodes.
    pub fn risk(&self) -> Option<f64> {
        risk::risk(self).map(|risk| 100.0 * risk)
    }
}

/// How the links between categories differ.
fn aamil(before: (&EdgeList, &[u32]), after: (&EdgeList, &[u32])) -> f64 {
    let mut differences: HashMap<(u32, u32), i64, FixedState> = HashMap::default();
    for ((edges, values), sign) in [(before, 1), (after, -1)] {
        for &(a, b) in edges.pairs() {
            let [a, b] = [a, b].map(|node| values[node as usize]);
            *differences.entry((a.min(b), a.max(b))).or_insert(0) += sign;
        }
    }
    let edges = before.0.len() + after.0.len();
    share(differences.values(), edges)
}

/// How the frequencies of categories differ.
fn cdil(original: &[u32], released: &[u32]) -> f64 {
    let mut differences: HashMap<u32, i64, FixedState> = HashMap::default();
    for (&original, &released) in original.iter().zip(released) {
        *differences.entry(original).or_insert(0) += 1;
        *differences.entry(released).or_insert(0) -= 1;
    }
    share(differences.values(), 2 * original.len())
}

/// Absolute differences as a percentage of their largest sum.
fn share<'a>(differences: impl Iterator<Item = &'a i64>, most: usize) -> f64 {
    let sum: u64 = differences
        .map(|difference| difference.unsigned_abs())
        .sum();
    100.0 * sum as f64 / most.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Taxonomy;

    /// Two users who stay as they are, and two of whom nothing is told; one attribute.
    fn nodes() -> Nodes {
        let taxonomy = Taxonomy::flat(&["a", "b"]);
        let [a, b] = ["a", "b"].map(|text| taxonomy.find(text).expect("a node"));
        Nodes {
            space: SemanticSpace::new(vec![taxonomy]),
            original: vec![vec![a, a, b, b]],
            released: vec![vec![a, a, Taxonomy::ROOT, Taxonomy::ROOT]],
        }
    }

    #[test]
    fn every_figure_is_as_worked_out_by_hand() {
        let (before, _) = EdgeList::new(4, vec![(0, 1), (1, 2), (2, 3)], false);
        let loss = nodes().loss(&before, &before);
        // a-a stays; a-b and b-b became a-* and *-*.
        assert_eq!(loss.aamil(), 100.0 * 4.0 / 6.0);
        assert_eq!(loss.cdil(), 50.0);
        assert_eq!(loss.distance, 25.0);
        // Each is one of two at the least distance.
        assert_eq!(nodes().risk(), Some(50.0));
    }

    #[test]
    fn an_edge_that_came_counts_as_a_lost_link() {
        let pairs = vec![(0, 1)];
        let (before, _) = EdgeList::new(4, pairs.clone(), false);
        let (after, _) = EdgeList::new(4, [pairs, vec![(0, 2)]].concat(), false);
        assert_eq!(nodes().loss(&before, &after).aamil(), 100.0 / 3.0);
    }

    #[test]
    fn nothing_is_lost_of_nothing() {
        let (none, _) = EdgeList::new(0, Vec::new(), false);
        let nodes = Nodes {
            space: SemanticSpace::new(Vec::new()),
            original: Vec::new(),
            released: Vec::new(),
        };
        assert_eq!(nodes.loss(&none, &none).average(), 0.0);
        assert_eq!(nodes.risk(), None);
    }
}
