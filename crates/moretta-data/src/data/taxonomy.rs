//! The values of a column as nodes of a taxonomy, between which semantic distances are measured.
//!
//! A [`Taxonomy`] is a [`Hierarchy`] with its levels left out: each label is one node with a
//! parent, also where it is repeated on consecutive levels (`Andorra;Andorra;Europe;*` is two
//! steps high). So a value that is an inner label, such as the country of a user who names no
//! city, is that node itself. A missing value is a node of its own below the root.
//!
//! The semantic distance of two nodes is (up(a) + up(b)) / (2 H): the steps from each to their
//! lowest common ancestor as a share of the steps that the height H allows. It is 0 for equal
//! nodes, at most 1, and for a column without a hierarchy 0 or 1.

use super::TOP;
use super::batch::Column;
use super::categories::{Categories, MISSING};
use super::domain::Domain;
use super::hierarchy::Hierarchy;
use super::levels::LevelsBuilder;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// A tree of labels; nodes are numbers, the root is [`Taxonomy::ROOT`].
#[derive(Clone, Debug)]
pub struct Taxonomy {
    /// Of every node but the missing value.
    labels: LevelsBuilder,
    parents: Vec<u32>,
    depths: Vec<u32>,
    height: u32,
}

impl Taxonomy {
    /// The node that covers every value, also a missing one.
    pub const ROOT: u32 = 0;

    /// The taxonomy of a column: its hierarchy, or without one a root above all its values.
    pub fn of(domain: &Domain, column: &Column) -> Self {
        match domain.hierarchy.as_deref() {
            Some(hierarchy) => Taxonomy::of_hierarchy(hierarchy),
            None => Taxonomy::flat(&texts(domain, column)),
        }
    }

    /// The labels of a hierarchy.
    pub fn of_hierarchy(hierarchy: &Hierarchy) -> Self {
        let top = hierarchy.level_count() - 1;
        let mut taxonomy = Taxonomy::with_root(hierarchy.label(top, 0));
        let mut above = vec![Self::ROOT];
        for level in (0..top).rev() {
            let nodes = 0..hierarchy.node_count(level) as u32;
            let node = |node: u32| {
                let first = hierarchy.leaves_under(level, node).start;
                let parent = above[hierarchy.node(level + 1, first) as usize];
                taxonomy.add(hierarchy.label(level, node), parent)
            };
            above = nodes.map(node).collect();
        }
        taxonomy.with_missing()
    }

    /// A root above these texts, which are as far from each other as can be.
    pub fn flat<S: AsRef<str>>(texts: &[S]) -> Self {
        let mut taxonomy = Taxonomy::with_root(TOP);
        for text in texts {
            taxonomy.add(text.as_ref(), Self::ROOT);
        }
        taxonomy.with_missing()
    }

    fn with_root(label: &str) -> Self {
        let mut labels = LevelsBuilder::default();
        labels.intern(label);
        Taxonomy {
            labels,
            parents: vec![Self::ROOT],
            depths: vec![0],
            height: 0,
        }
    }

    /// The node of a label, which is new unless the label is known.
    fn add(&mut self, label: &str, parent: u32) -> u32 {
        let node = self.labels.intern(label);
        if node as usize == self.parents.len() {
            let depth = self.depths[parent as usize] + 1;
            self.parents.push(parent);
            self.depths.push(depth);
            self.height = self.height.max(depth);
        }
        node
    }

    fn with_missing(mut self) -> Self {
        self.parents.push(Self::ROOT);
        self.depths.push(1);
        self.height = self.height.max(1);
        self
    }

    /// How many nodes there are, the root and the missing value included.
    pub fn node_count(&self) -> usize {
        self.parents.len()
    }

    /// The node of a missing value.
    pub fn missing(&self) -> u32 {
        self.parents.len() as u32 - 1
    }

    /// Steps from the root to the deepest node; at least 1.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Steps from the root to this node.
    pub fn depth(&self, node: u32) -> u32 {
        self.depths[node as usize]
    }

    /// The node above this one; the root is above itself.
    pub fn parent(&self, node: u32) -> u32 {
        self.parents[node as usize]
    }

    /// The node that `text` names; `*` is the root.
    pub fn find(&self, text: &str) -> Option<u32> {
        match text {
            TOP => Some(Self::ROOT),
            text => self.labels.find(text),
        }
    }

    /// What a release shows of a node: `*` for the root, nothing for a missing value.
    pub fn shown(&self, node: u32) -> Option<&str> {
        match node {
            Self::ROOT => Some(TOP),
            node if node == self.missing() => None,
            node => Some(self.labels.levels().get(node)),
        }
    }

    /// The lowest node that covers both.
    pub fn common(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            match self.depth(a) >= self.depth(b) {
                true => a = self.parent(a),
                false => b = self.parent(b),
            }
        }
        a
    }

    /// Whether `node` is `above` or lies below it.
    pub fn covers(&self, above: u32, node: u32) -> bool {
        self.common(above, node) == above
    }

    /// The steps from both nodes up to their lowest common ancestor, added.
    #[inline]
    pub fn steps(&self, a: u32, b: u32) -> u32 {
        let common = self.depth(self.common(a, b));
        self.depth(a) + self.depth(b) - 2 * common
    }

    /// The semantic distance, from 0 to 1.
    pub fn distance(&self, a: u32, b: u32) -> f64 {
        f64::from(self.steps(a, b)) / f64::from(2 * self.height)
    }

    /// The node of each row of a column, original or released; none when a value has no node.
    pub fn encode(&self, column: &Column, domain: &Domain) -> Option<Vec<u32>> {
        match column {
            Column::Category(categories) => self.encode_categories(categories),
            Column::Number(numbers) => {
                let mut known: HashMap<u64, u32, FixedState> = HashMap::default();
                let mut node = |number: f64| -> Option<u32> {
                    let bits = (number + 0.0).to_bits();
                    if let Some(&node) = known.get(&bits) {
                        return Some(node);
                    }
                    let node = self.find(&domain.number_text(number))?;
                    known.insert(bits, node);
                    Some(node)
                };
                let missing = self.missing();
                let nodes = numbers.iter();
                nodes
                    .map(|slot| slot.map_or(Some(missing), &mut node))
                    .collect()
            }
            Column::Plain(_) => None,
        }
    }

    /// The node of each category; none when a value has no node.
    pub fn encode_categories(&self, categories: &Categories) -> Option<Vec<u32>> {
        // Levels that no row shows need no node.
        let nodes: Vec<Option<u32>> = (categories.levels().iter())
            .map(|text| self.find(text))
            .collect();
        let node = |&code: &u32| match code {
            MISSING => Some(self.missing()),
            code => nodes[code as usize],
        };
        categories.codes().iter().map(node).collect()
    }
}

/// The different values of a column as texts.
fn texts(domain: &Domain, column: &Column) -> Vec<String> {
    match column {
        Column::Category(categories) => categories.levels().iter().map(str::to_owned).collect(),
        Column::Number(numbers) => {
            let mut values: Vec<f64> = numbers.iter().flatten().collect();
            values.sort_unstable_by(f64::total_cmp);
            values.dedup();
            let text = |&value: &f64| domain.number_text(value);
            values.iter().map(text).collect()
        }
        Column::Plain(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: [&str; 5] = [
        "Barcelona;Spain;Europe;World",
        "Madrid;Spain;Europe;World",
        "Spain;Spain;Europe;World",
        "Andorra;Andorra;Europe;World",
        "Boston;USA;America;World",
    ];

    fn places() -> Taxonomy {
        let chains: Vec<Vec<&str>> = PLACES.iter().map(|row| row.split(';').collect()).collect();
        Taxonomy::of_hierarchy(&Hierarchy::from_chains(&chains).expect("a tree"))
    }

    fn check(a: &str, b: &str, common: &str, steps: u32) {
        let places = places();
        let [a, b, common] = [a, b, common].map(|text| places.find(text).expect("a node"));
        assert_eq!((places.common(a, b), places.steps(a, b)), (common, steps));
        assert_eq!((places.common(b, a), places.steps(b, a)), (common, steps));
        assert_eq!(places.distance(a, b), f64::from(steps) / 6.0);
        assert!(places.covers(common, a) && places.covers(common, b));
    }

    #[test]
    fn distance_counts_the_steps_to_the_lowest_common_ancestor() {
        check("Barcelona", "Barcelona", "Barcelona", 0);
        check("Barcelona", "Madrid", "Spain", 2);
        check("Barcelona", "Spain", "Spain", 1);
        check("Barcelona", "Andorra", "Europe", 3);
        check("Madrid", "Boston", "World", 6);
        check("Madrid", "*", "*", 3);
    }

    #[test]
    fn a_label_on_several_levels_is_one_node() {
        let places = places();
        assert_eq!(places.height(), 3);
        assert_eq!(places.depth(places.find("Andorra").expect("a node")), 2);
        assert_eq!(places.find("World"), Some(Taxonomy::ROOT));
        assert_eq!(places.shown(Taxonomy::ROOT), Some(TOP));
    }

    #[test]
    fn a_missing_value_is_below_the_root_alone() {
        let places = places();
        let spain = places.find("Spain").expect("a node");
        assert_eq!(places.common(places.missing(), spain), Taxonomy::ROOT);
        assert_eq!(places.steps(places.missing(), spain), 3);
        assert_eq!(places.shown(places.missing()), None);
    }

    #[test]
    fn values_without_a_hierarchy_are_equal_or_not() {
        let flat = Taxonomy::flat(&["a", "b"]);
        let [a, b] = ["a", "b"].map(|text| flat.find(text).expect("a node"));
        assert_eq!((flat.distance(a, a), flat.distance(a, b)), (0.0, 1.0));
        assert_eq!(flat.common(a, b), Taxonomy::ROOT);
        assert_eq!(flat.distance(a, flat.missing()), 1.0);
        let column = Categories::from_iter([Some("b"), None, Some("*")]);
        let expected = vec![b, flat.missing(), Taxonomy::ROOT];
        assert_eq!(flat.encode_categories(&column), Some(expected));
        let unknown = Categories::from_iter([Some("c")]);
        assert_eq!(flat.encode_categories(&unknown), None);
    }
}
