//! Persons looked for by their values among released nodes that cover them.
//!
//! A released node is a candidate when each of its labels covers the person's value, and where the
//! intruder knows degrees, when it has as many neighbours. Candidates are counted by going up from the
//! values through a tree of the released records, so that no pair is compared.

use crate::data::SemanticSpace;
use crate::graph::structure_attack::Hidden;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Released records, attribute by attribute, with the degrees of the nodes that show them.
pub struct ReleasedRecords<'a> {
    space: &'a SemanticSpace,
    /// The next step: from a place of the tree by a label.
    next: HashMap<(u32, u32), u32, FixedState>,
    /// Nodes at a place where all labels are told, and those of them with each degree.
    nodes: HashMap<u32, u64, FixedState>,
    degrees: HashMap<(u32, u32), u64, FixedState>,
}

impl<'a> ReleasedRecords<'a> {
    /// Released labels as nodes of their taxonomies, attribute by attribute, and degrees.
    pub fn new(space: &'a SemanticSpace, released: &[Vec<u32>], degrees: &[u32]) -> Self {
        let mut records = ReleasedRecords {
            space,
            next: HashMap::default(),
            nodes: HashMap::default(),
            degrees: HashMap::default(),
        };
        for (row, &degree) in degrees.iter().enumerate() {
            let mut place = 0;
            for column in released {
                let new = records.next.len() as u32 + 1;
                place = *records.next.entry((place, column[row])).or_insert(new);
            }
            *records.nodes.entry(place).or_insert(0) += 1;
            *records.degrees.entry((place, degree)).or_insert(0) += 1;
        }
        records
    }

    /// How well persons with these values are hidden; with `degrees` from who knows those as well.
    pub fn find(
        &self,
        original: &[Vec<u32>],
        degrees: Option<&[u32]>,
        persons: usize,
        k: u64,
    ) -> Hidden {
        let candidates = |row: usize| {
            let degree = degrees.map(|degrees| degrees[row]);
            self.candidates(original, (row, 0, 0), degree)
        };
        Hidden::of((0..persons).map(candidates), k)
    }

    fn candidates(
        &self,
        original: &[Vec<u32>],
        (row, attribute, place): (usize, usize, u32),
        degree: Option<u32>,
    ) -> u64 {
        let Some(column) = original.get(attribute) else {
            let found = match degree {
                None => self.nodes.get(&place),
                Some(degree) => self.degrees.get(&(place, degree)),
            };
            return found.copied().unwrap_or(0);
        };
        let taxonomy = &self.space.taxonomies()[attribute];
        let mut found = 0;
        let mut label = column[row];
        loop {
            if let Some(&next) = self.next.get(&(place, label)) {
                found += self.candidates(original, (row, attribute + 1, next), degree);
            }
            let parent = taxonomy.parent(label);
            if parent == label {
                return found;
            }
            label = parent;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Taxonomy;
    use crate::data::hierarchy::Hierarchy;
    use proptest::prelude::*;

    fn space() -> SemanticSpace {
        let chains = ["a;x;p;*", "b;x;p;*", "c;y;p;*", "d;z;q;*", "e;e;q;*"];
        let chains: Vec<Vec<&str>> = chains.iter().map(|row| row.split(';').collect()).collect();
        let tall = Taxonomy::of_hierarchy(&Hierarchy::from_chains(&chains).expect("a tree"));
        SemanticSpace::new(vec![tall, Taxonomy::flat(&["u"])])
    }

    proptest! {
        #[test]
        fn candidates_are_those_that_cover_a_person(
            rows in prop::collection::vec(((0u32..11, 0u32..3), (0u32..11, 0u32..3), 0u32..3), 1..30)
        ) {
            let space = space();
            let column = |of: &dyn Fn(usize) -> u32| (0..rows.len()).map(of).collect::<Vec<u32>>();
            let original = vec![column(&|i| rows[i].0.0), column(&|i| rows[i].0.1)];
            let released = vec![column(&|i| rows[i].1.0), column(&|i| rows[i].1.1)];
            let degrees = column(&|i| rows[i].2);
            let covers = |person: usize, node: usize| {
                (0..2).all(|a| space.taxonomies()[a].covers(released[a][node], original[a][person]))
            };
            let records = ReleasedRecords::new(&space, &released, &degrees);
            for known in [None, Some(&degrees[..])] {
                let expected = (0..rows.len()).map(|person| {
                    let same = |node: &usize| known.is_none_or(|d| d[*node] == d[person]);
                    let nodes = (0..rows.len()).filter(|&node| covers(person, node));
                    nodes.filter(same).count() as u64
                });
                let expected = Hidden::of(expected, 3);
                prop_assert_eq!(records.find(&original, known, rows.len(), 3), expected);
            }
        }
    }
}
