//! Classes of equal keys with their rows, rolled up from less general ones.
//!
//! Classes of a node come from those of any node below it: raise their keys, add up the rows of
//! those that become equal. So a node costs as many steps as the nearest node below it has
//! classes, far less than there are rows. Classes that fail a promise are kept: together they may
//! pass.

use super::attribute::Attribute;
use super::key::{Field, Key, Rise};
use super::node::Node;
use std::collections::HashMap;
use std::sync::Arc;

/// The classes of one node, in no particular order.
#[derive(Clone, Debug)]
pub(super) struct Classes<const W: usize> {
    /// The key of each class.
    pub(super) keys: Vec<Key<W>>,
    /// The rows of each class.
    pub(super) rows: Vec<u32>,
}

/// Adds up the rows of equal keys.
#[derive(Debug, Default)]
pub(super) struct Merger {
    slots: Vec<u32>,
}

const FREE: u32 = u32::MAX;

impl Merger {
    /// The classes of `keys`, with their rows.
    fn merge<const W: usize>(
        &mut self,
        keys: &[Key<W>],
        rows: impl Iterator<Item = u32>,
    ) -> Classes<W> {
        let slots = (2 * keys.len().max(8)).next_power_of_two();
        self.slots.clear();
        self.slots.resize(slots, FREE);
        let mut classes = Classes {
            keys: Vec::new(),
            rows: Vec::new(),
        };
        for (key, rows) in keys.iter().zip(rows) {
            let slot = self.slot(key, &classes.keys);
            let class = self.slots[slot];
            if class == FREE {
                self.slots[slot] = classes.keys.len() as u32;
                classes.keys.push(*key);
                classes.rows.push(rows);
            } else {
                classes.rows[class as usize] += rows;
            }
        }
        classes
    }

    /// Which of `keys`, which were merged last, this is.
    fn place<const W: usize>(&self, key: &Key<W>, keys: &[Key<W>]) -> Option<usize> {
        let class = self.slots[self.slot(key, keys)];
        (class != FREE).then_some(class as usize)
    }

    /// The slot of a key, free if it has none yet.
    fn slot<const W: usize>(&self, key: &Key<W>, keys: &[Key<W>]) -> usize {
        let last = self.slots.len() - 1;
        let mut slot = (hash(key) >> (u64::BITS - self.slots.len().trailing_zeros())) as usize;
        loop {
            let class = self.slots[slot];
            if class == FREE || keys[class as usize] == *key {
                return slot;
            }
            slot = (slot + 1) & last;
        }
    }
}

/// Spreads a key over 64 bits, of which the highest are the best.
fn hash<const W: usize>(key: &Key<W>) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |hash: u64, word: &u64| {
        let mixed = (hash ^ word).wrapping_mul(ODD);
        mixed ^ mixed >> 32
    };
    key.iter().fold(0, mix).wrapping_mul(ODD)
}

/// Gives the classes of any node, rolled up from those of nodes below that were asked for before.
pub(super) struct RollUp<const W: usize> {
    fields: Vec<Field>,
    attributes: Arc<[Attribute]>,
    bottom: (Node, Classes<W>),
    known: Vec<(Node, Classes<W>)>,
    /// Classes that `known` holds.
    held: usize,
    rises: HashMap<(usize, usize, usize), Rise>,
    keys: Vec<Key<W>>,
    merger: Merger,
}

/// Nodes whose classes are remembered at most.
const MOST_KNOWN: usize = 512;

impl<const W: usize> RollUp<W> {
    /// From the keys of rows at the node `bottom`. Fields beyond the attributes, of sensitive
    /// values or persons, never rise.
    pub(super) fn new(
        fields: Vec<Field>,
        attributes: Arc<[Attribute]>,
        bottom: Node,
        keys: &[Key<W>],
    ) -> Self {
        let mut merger = Merger::default();
        let classes = merger.merge(keys, std::iter::repeat(1));
        RollUp {
            fields,
            attributes,
            bottom: (bottom, classes),
            known: Vec::new(),
            held: 0,
            rises: HashMap::new(),
            keys: Vec::new(),
            merger,
        }
    }

    /// Where the node of each column is in a key.
    pub(super) fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The classes of a node at or above the bottom.
    pub(super) fn classes(&mut self, node: Node) -> &Classes<W> {
        let below = self.known.iter().filter(|(known, _)| known.is_below(&node));
        let (from, source) = below
            .chain([&self.bottom])
            .min_by_key(|(_, classes)| classes.keys.len())
            .map_or((self.bottom.0, &self.bottom.1), |(from, classes)| {
                (*from, classes)
            });
        self.keys.clone_from(&source.keys);
        for column in 0..self.attributes.len() {
            let (low, high) = (from.level(column), node.level(column));
            if low < high {
                let rise = self.rises.entry((column, low, high)).or_insert_with(|| {
                    Rise::new(self.fields[column], &self.attributes[column], low, high)
                });
                rise.apply(&mut self.keys);
            }
        }
        let classes = self.merger.merge(&self.keys, source.rows.iter().copied());
        self.remember(node, classes);
        self.last()
    }

    /// The classes that were asked for last.
    pub(super) fn last(&self) -> &Classes<W> {
        self.known
            .last()
            .map_or(&self.bottom.1, |(_, classes)| classes)
    }

    /// Which of the classes that were asked for last has this key.
    pub(super) fn place(&self, key: &Key<W>) -> Option<usize> {
        self.merger.place(key, &self.last().keys)
    }

    /// Remembers classes, and forgets the oldest ones where they are too many.
    fn remember(&mut self, node: Node, classes: Classes<W>) {
        let most_held = 64 * self.bottom.1.keys.len() + (1 << 16);
        if self.known.len() >= MOST_KNOWN || self.held > most_held {
            self.known.drain(..self.known.len() / 2);
            self.held = self.known.iter().map(|(_, c)| c.keys.len()).sum();
        }
        self.held += classes.keys.len();
        self.known.push((node, classes));
    }
}
