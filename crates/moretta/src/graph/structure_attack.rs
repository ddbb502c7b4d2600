//! Intruders who know the attributes of a person, the number of neighbours, or those of the neighbours.
//!
//! Nodes that show the same to an intruder are one class, and the intruder takes one of it: somebody
//! who is alone in a class is found for sure. This is about the released graph alone, so it holds for
//! an intruder who knows what the release shows of a person, whoever made it.

use super::Neighbours;
use std::collections::HashMap;
use std::hash::Hash;

/// What an intruder looks at besides the attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// Nothing.
    None,
    /// How many neighbours a node has.
    Degree,
    /// How many neighbours each of its neighbours has.
    NeighbourDegrees,
}

/// How well nodes are hidden among those that look alike.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hidden {
    /// Nodes, or persons, that were looked for.
    pub nodes: u64,
    /// Those of whom nothing was found.
    pub nowhere: u64,
    /// Those who are alone.
    pub alone: u64,
    /// Those with fewer than k candidates, those who are alone among them.
    pub below: u64,
    /// The fewest candidates of anybody who was found.
    pub least: u64,
    /// The mean chance to take the right candidate.
    pub chance: f64,
}

impl Hidden {
    /// From the number of candidates of each.
    pub(super) fn of(candidates: impl Iterator<Item = u64>, k: u64) -> Self {
        let mut hidden = Hidden::default();
        let mut sum = 0.0;
        for count in candidates {
            hidden.nodes += 1;
            if count == 0 {
                hidden.nowhere += 1;
                continue;
            }
            hidden.alone += u64::from(count == 1);
            hidden.below += u64::from(count < k);
            hidden.least = match hidden.least {
                0 => count,
                least => least.min(count),
            };
            sum += 1.0 / count as f64;
        }
        hidden.chance = sum / hidden.nodes.max(1) as f64;
        hidden
    }
}

/// How well released nodes are hidden from who knows `structure`, and the attributes where `classes`
/// tell which nodes show the same.
pub fn hidden(
    neighbours: &Neighbours,
    classes: Option<&[u32]>,
    structure: Structure,
    k: u64,
) -> Hidden {
    let class = |node: u32| classes.map_or(0, |classes| classes[node as usize]);
    let nodes = 0..neighbours.len() as u32;
    match structure {
        Structure::None => counted(nodes.map(class), k),
        Structure::Degree => counted(nodes.map(|node| (class(node), neighbours.degree(node))), k),
        Structure::NeighbourDegrees => {
            let degrees = |node: u32| -> Box<[u32]> {
                let around = neighbours.of_node(node).iter();
                let mut degrees: Box<[u32]> = around.map(|&n| neighbours.degree(n)).collect();
                degrees.sort_unstable();
                degrees
            };
            counted(nodes.map(|node| (class(node), degrees(node))), k)
        }
    }
}

/// How well things are hidden among those that are equal.
fn counted<T: Eq + Hash>(things: impl Iterator<Item = T>, k: u64) -> Hidden {
    let mut sizes: HashMap<T, u64> = HashMap::new();
    for thing in things {
        *sizes.entry(thing).or_insert(0) += 1;
    }
    // In the order of sizes, so that sums of floats do not depend on that of the table.
    let mut sizes: Vec<u64> = sizes.into_values().collect();
    sizes.sort_unstable();
    let each = sizes.into_iter();
    Hidden::of(
        each.flat_map(|size| std::iter::repeat_n(size, size as usize)),
        k,
    )
}

#[cfg(test)]
mod tests {
    use super::super::EdgeList;
    use super::*;
    use proptest::prelude::*;

    /// All pairs, as the definition says.
    fn reference(neighbours: &Neighbours, classes: &[u32], structure: Structure, k: u64) -> Hidden {
        let look = |node: u32| -> (u32, Vec<u32>) {
            let around = neighbours.of_node(node);
            let seen = match structure {
                Structure::None => Vec::new(),
                Structure::Degree => vec![around.len() as u32],
                Structure::NeighbourDegrees => {
                    let mut all: Vec<u32> = around.iter().map(|&n| neighbours.degree(n)).collect();
                    all.sort_unstable();
                    all
                }
            };
            (classes[node as usize], seen)
        };
        let nodes = 0..neighbours.len() as u32;
        let alike = |node| {
            nodes
                .clone()
                .filter(|&other| look(other) == look(node))
                .count() as u64
        };
        Hidden::of(nodes.clone().map(alike), k)
    }

    #[test]
    fn a_path_is_known_by_its_ends() {
        // 0 - 1 - 2 - 3: ends and middles look alike, whatever is known of the structure.
        let (edges, _) = EdgeList::new(4, vec![(0, 1), (1, 2), (2, 3)], false);
        let neighbours = Neighbours::of(&edges);
        let found = hidden(&neighbours, None, Structure::Degree, 3);
        assert_eq!((found.alone, found.below, found.least), (0, 4, 2));
        let found = hidden(
            &neighbours,
            Some(&[0, 0, 0, 1]),
            Structure::NeighbourDegrees,
            2,
        );
        assert_eq!((found.alone, found.below, found.least), (2, 2, 1));
        assert!((found.chance - 0.75).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn classes_are_those_of_comparing_all_pairs(
            pairs in prop::collection::vec((0u32..12, 0u32..12), 0..40),
            classes in prop::collection::vec(0u32..3, 12),
        ) {
            let (edges, _) = EdgeList::new(12, pairs, false);
            let neighbours = Neighbours::of(&edges);
            for structure in [Structure::None, Structure::Degree, Structure::NeighbourDegrees] {
                let found = hidden(&neighbours, Some(&classes), structure, 3);
                let expected = reference(&neighbours, &classes, structure, 3);
                prop_assert!((found.chance - expected.chance).abs() < 1e-12);
                prop_assert_eq!(Hidden { chance: 0.0, ..found }, Hidden { chance: 0.0, ..expected });
            }
        }
    }
}
