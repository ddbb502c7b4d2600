//! Records as nodes of several taxonomies, and the distance between records.
//!
//! The distance is the mean of the semantic distances of the attributes. It is kept as a whole
//! number of equal parts, so that records that are equally far are told to be so, whatever
//! attributes they differ in.

use super::taxonomy::Taxonomy;

/// Several taxonomies, one for each attribute of a record.
#[derive(Clone, Debug)]
pub struct SemanticSpace {
    taxonomies: Vec<Taxonomy>,
    /// How many parts a step in each taxonomy is.
    units: Vec<u64>,
    /// How many parts the largest distance is.
    whole: u64,
}

/// More parts are not needed: heights whose least common multiple is larger are rounded.
const MOST_PARTS: u64 = 1 << 40;

impl SemanticSpace {
    /// A record has a node of each of these.
    pub fn new(taxonomies: Vec<Taxonomy>) -> Self {
        let heights = taxonomies.iter().map(|t| u64::from(t.height()));
        let multiple = heights.clone().fold(Some(1), |so_far, height| {
            least_common_multiple(so_far?, height).filter(|&parts| parts <= MOST_PARTS)
        });
        let parts = multiple.unwrap_or(MOST_PARTS);
        SemanticSpace {
            units: heights.map(|height| parts / height).collect(),
            whole: 2 * parts * taxonomies.len().max(1) as u64,
            taxonomies,
        }
    }

    /// The taxonomies.
    pub fn taxonomies(&self) -> &[Taxonomy] {
        &self.taxonomies
    }

    /// How far two nodes of one attribute are apart, in parts.
    #[inline]
    pub fn parts(&self, attribute: usize, a: u32, b: u32) -> u64 {
        u64::from(self.taxonomies[attribute].steps(a, b)) * self.units[attribute]
    }

    /// Parts as a distance between records, from 0 to 1.
    pub fn distance(&self, parts: u64) -> f64 {
        parts as f64 / self.whole as f64
    }
}

fn least_common_multiple(a: u64, b: u64) -> Option<u64> {
    let (mut divisor, mut rest) = (a, b);
    while rest != 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a / divisor).checked_mul(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::hierarchy::Hierarchy;

    #[test]
    fn attributes_count_alike_whatever_their_heights() {
        let tall = [vec!["a", "x", "p", "*"], vec!["b", "y", "p", "*"]];
        let tall = Taxonomy::of_hierarchy(&Hierarchy::from_chains(&tall).expect("a tree"));
        let short = Taxonomy::flat(&["u", "v"]);
        let space = SemanticSpace::new(vec![tall, short]);
        let node = |attribute: usize, text| {
            let taxonomy = &space.taxonomies()[attribute];
            taxonomy.find(text).expect("a node")
        };
        let first = space.parts(0, node(0, "a"), node(0, "b"));
        let second = space.parts(1, node(1, "u"), node(1, "v"));
        assert_eq!(space.distance(first), (4.0 / 6.0) / 2.0);
        assert_eq!(space.distance(second), 0.5);
        assert_eq!(space.distance(space.parts(0, node(0, "a"), 0) * 2), 0.5);
    }

    #[test]
    fn multiples_are_least_and_bounded() {
        assert_eq!(least_common_multiple(4, 6), Some(12));
        assert_eq!(least_common_multiple(1, 63), Some(63));
        assert_eq!(least_common_multiple(u64::MAX, 2), None);
    }
}
