//! Random tree: nominal values and numbers, classified by a decision tree drawn by chance.
//!
//! Domingos and Hulten, Mining high-speed data streams, KDD 2000; after MOA's
//! `RandomTreeGenerator`. The tree is drawn depth first; a nominal attribute is asked
//! once on each way down, a number as often as it comes.

use super::{Generator, Header, MOST, Values, within};
use moretta_data::error::{Error, Result};
use moretta_data::math::java_random::JavaRandom;

/// More nodes than this are refused: options of a few digits can ask for more than fit.
const MOST_NODES: usize = 1_000_000;

/// The options, by default MOA's.
#[derive(Clone, Debug)]
pub struct RandomTree {
    /// Decides the tree.
    pub model_seed: i64,
    /// Decides the records.
    pub seed: i64,
    /// How many classes the leaves share.
    pub classes: u32,
    /// How many attributes are nominal; they come first.
    pub nominals: usize,
    /// How many attributes are numbers from 0 to 1.
    pub numbers: usize,
    /// How many values a nominal attribute has.
    pub values: u32,
    /// The depth at which every node is a leaf.
    pub depth: u32,
    /// The depth from which on a node can be a leaf.
    pub first_leaf: u32,
    /// The share of leaves from there on.
    pub leaves: f64,
}

impl Default for RandomTree {
    fn default() -> Self {
        RandomTree {
            model_seed: 1,
            seed: 1,
            classes: 2,
            nominals: 5,
            numbers: 5,
            values: 5,
            depth: 5,
            first_leaf: 3,
            leaves: 0.15,
        }
    }
}

impl RandomTree {
    /// Checks the options and draws the tree.
    pub fn generator(&self) -> Result<RandomTreeGenerator> {
        within("classes", self.classes, 2..=MOST)?;
        within("nominals", self.nominals, 0..=MOST as usize)?;
        within("numbers", self.numbers, 0..=MOST as usize)?;
        within("values", self.values, 2..=MOST)?;
        within("depth", self.depth, 0..=100)?;
        within("first leaf", self.first_leaf, 0..=100)?;
        within("leaves", self.leaves, 0.0..=1.0)?;
        let mut growth = Growth {
            options: self,
            random: JavaRandom::new(self.model_seed),
            nominals: (0..self.nominals).collect(),
            ranges: vec![(0.0, 1.0); self.numbers],
            nodes: Vec::new(),
        };
        let root = growth.node(0)?;
        Ok(RandomTreeGenerator {
            nodes: growth.nodes,
            root,
            random: JavaRandom::new(self.seed),
            options: self.clone(),
        })
    }
}

/// A node of the tree; others are named by their places.
#[derive(Clone, Debug)]
enum Node {
    Leaf {
        class: u32,
    },
    /// A child for each value.
    Nominal {
        attribute: usize,
        children: Vec<usize>,
    },
    /// Numbers below the threshold go to the first child.
    Number {
        attribute: usize,
        threshold: f64,
        children: [usize; 2],
    },
}

/// A tree that is being drawn.
struct Growth<'a> {
    options: &'a RandomTree,
    random: JavaRandom,
    /// The nominal attributes that were not yet asked on the way down.
    nominals: Vec<usize>,
    /// Between which numbers each attribute lies on the way down.
    ranges: Vec<(f64, f64)>,
    nodes: Vec<Node>,
}

impl Growth<'_> {
    /// Draws a node with all that is below it.
    fn node(&mut self, depth: u32) -> Result<usize> {
        let node = if self.is_leaf(depth) {
            let class = self.random.next_int_below(self.options.classes as i32) as u32;
            Node::Leaf { class }
        } else {
            self.split(depth)?
        };
        if self.nodes.len() >= MOST_NODES {
            return Err(
                Error::usage(format!("the tree has more than {MOST_NODES} nodes"))
                    .help("choose fewer values, a smaller depth or more leaves"),
            );
        }
        self.nodes.push(node);
        Ok(self.nodes.len() - 1)
    }

    fn is_leaf(&mut self, depth: u32) -> bool {
        let options = self.options;
        depth >= options.depth
            || depth >= options.first_leaf && options.leaves >= 1.0 - self.random.next_double()
    }

    fn split(&mut self, depth: u32) -> Result<Node> {
        let attributes = self.nominals.len() + self.ranges.len();
        if attributes == 0 {
            return Err(
                Error::usage("the tree is deeper than there are attributes to ask")
                    .help("choose a smaller depth, or more attributes"),
            );
        }
        let chosen = self.random.next_int_below(attributes as i32) as usize;
        match chosen.checked_sub(self.nominals.len()) {
            None => self.split_nominal(chosen, depth),
            Some(number) => self.split_number(number, depth),
        }
    }

    fn split_nominal(&mut self, chosen: usize, depth: u32) -> Result<Node> {
        let attribute = self.nominals.remove(chosen);
        let children = (0..self.options.values)
            .map(|_| self.node(depth + 1))
            .collect::<Result<_>>()?;
        self.nominals.insert(chosen, attribute);
        Ok(Node::Nominal {
            attribute,
            children,
        })
    }

    fn split_number(&mut self, number: usize, depth: u32) -> Result<Node> {
        let (low, high) = self.ranges[number];
        let threshold = (high - low) * self.random.next_double() + low;
        self.ranges[number] = (low, threshold);
        let below = self.node(depth + 1)?;
        self.ranges[number] = (threshold, high);
        let above = self.node(depth + 1)?;
        self.ranges[number] = (low, high);
        Ok(Node::Number {
            attribute: self.options.nominals + number,
            threshold,
            children: [below, above],
        })
    }
}

/// Records of nominal values and numbers.
#[derive(Clone, Debug)]
pub struct RandomTreeGenerator {
    nodes: Vec<Node>,
    root: usize,
    random: JavaRandom,
    options: RandomTree,
}

impl Generator for RandomTreeGenerator {
    fn header(&self) -> Header {
        let nominal = |at| (format!("nominal{at}"), Values::Nominal(self.options.values));
        let number = |at| (format!("numeric{at}"), Values::Number);
        let nominals = (1..=self.options.nominals).map(nominal);
        Header {
            attributes: nominals
                .chain((1..=self.options.numbers).map(number))
                .collect(),
            classes: self.options.classes,
        }
    }

    fn next(&mut self, record: &mut [f64]) -> u32 {
        let (nominals, numbers) = record.split_at_mut(self.options.nominals);
        let values = self.options.values as i32;
        nominals.fill_with(|| f64::from(self.random.next_int_below(values)));
        numbers.fill_with(|| self.random.next_double());
        let mut at = self.root;
        loop {
            at = match &self.nodes[at] {
                Node::Leaf { class } => return *class,
                Node::Nominal {
                    attribute,
                    children,
                } => children[record[*attribute] as usize],
                Node::Number {
                    attribute,
                    threshold,
                    children,
                } => children[usize::from(record[*attribute] >= *threshold)],
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_that_cannot_be_drawn_are_refused() {
        let check = |options: RandomTree, expected: &str| {
            let error = options.generator().expect_err(expected);
            assert_eq!(error.exit_code(), 2);
            assert!(error.to_string().contains(expected), "{error}");
        };
        let sound = RandomTree::default();
        let bare = RandomTree {
            nominals: 2,
            numbers: 0,
            ..sound.clone()
        };
        check(bare, "deeper than there are attributes");
        let wide = RandomTree {
            values: 10_000,
            first_leaf: 5,
            ..sound
        };
        check(wide, "more than 1000000 nodes");
    }
}
