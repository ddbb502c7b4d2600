//! Edges that give every node the degree that it is to get.

use super::Changed;
use crate::cancel::Cancel;
use crate::error::Result;
use crate::graph::{EdgeList, Neighbours};
use crate::math::uniform::below;
use foldhash::fast::FixedState;
use hashbrown::HashSet;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Changes edges until node `i` has `targets[i]` neighbours, which is no fewer than it has; none
/// where no way was found.
pub(super) fn realise(
    edges: &EdgeList,
    neighbours: &Neighbours,
    targets: &[u32],
    random: &mut Xoshiro256PlusPlus,
    cancel: &Cancel,
) -> Result<Option<Changed>> {
    let mut work = Work {
        edges,
        neighbours,
        added: HashSet::default(),
        removed: HashSet::default(),
        random,
    };
    let lacking = targets.iter().zip(0..).filter_map(|(&target, node)| {
        let lacks = target.saturating_sub(neighbours.degree(node));
        (lacks > 0).then_some((Reverse(lacks), node))
    });
    let left = work.link(lacking.collect(), cancel)?;
    match work.insert(left, cancel)? {
        true => Ok(Some(work.changed())),
        false => Ok(None),
    }
}

/// Nodes that lack neighbours: how many, the most first.
type Lacking = BTreeSet<(Reverse<u32>, u32)>;

struct Work<'a> {
    edges: &'a EdgeList,
    neighbours: &'a Neighbours,
    added: HashSet<(u32, u32), FixedState>,
    removed: HashSet<(u32, u32), FixedState>,
    random: &'a mut Xoshiro256PlusPlus,
}

/// The edge between two nodes.
fn edge(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

impl Work<'_> {
    fn are_linked(&self, a: u32, b: u32) -> bool {
        let edge = edge(a, b);
        self.added.contains(&edge)
            || self.neighbours.are_linked(a, b) && !self.removed.contains(&edge)
    }

    /// Whether a new edge can link them.
    fn can_link(&self, a: u32, b: u32) -> bool {
        a != b && !self.are_linked(a, b)
    }

    fn add(&mut self, a: u32, b: u32) {
        let edge = edge(a, b);
        if !self.removed.remove(&edge) {
            self.added.insert(edge);
        }
    }

    /// Links nodes that lack neighbours with each other; gives those that still do.
    fn link(&mut self, mut lacking: Lacking, cancel: &Cancel) -> Result<Vec<(u32, u32)>> {
        let mut left = Vec::new();
        while let Some((Reverse(lacks), node)) = lacking.pop_first() {
            cancel.check()?;
            let free = lacking
                .iter()
                .filter(|(_, other)| self.can_link(node, *other));
            let partners: Vec<(Reverse<u32>, u32)> = free.take(lacks as usize).copied().collect();
            for &(Reverse(lacks), partner) in &partners {
                lacking.remove(&(Reverse(lacks), partner));
                if lacks > 1 {
                    lacking.insert((Reverse(lacks - 1), partner));
                }
                self.add(node, partner);
            }
            let rest = lacks - partners.len() as u32;
            if rest > 0 {
                left.push((node, rest));
            }
        }
        Ok(left)
    }

    /// Puts nodes into edges of others; false where no edge is found.
    fn insert(&mut self, left: Vec<(u32, u32)>, cancel: &Cancel) -> Result<bool> {
        let mut single = Vec::new();
        for (node, lacks) in left {
            for _ in 0..lacks / 2 {
                cancel.check()?;
                if !self.insert_into_edge(node, node) {
                    return Ok(false);
                }
            }
            if lacks % 2 == 1 {
                single.push(node);
            }
        }
        // Targets have an even sum, so those that lack one are two by two.
        let pairs = single.chunks_exact(2);
        let even = pairs.remainder().is_empty();
        for pair in pairs {
            cancel.check()?;
            if !self.insert_into_edge(pair[0], pair[1]) {
                return Ok(false);
            }
        }
        Ok(even)
    }

    /// Takes an edge x–y of others and links x with `a` and y with `b`.
    fn insert_into_edge(&mut self, a: u32, b: u32) -> bool {
        let edges = self.edges.len();
        if edges == 0 {
            return false;
        }
        let drawn = (0..DRAWS).map(|_| below(self.random, edges as u64) as usize);
        let drawn: Vec<usize> = drawn.collect();
        let from = drawn[0];
        let places = drawn
            .into_iter()
            .chain((0..edges).map(|i| (from + i) % edges));
        for place in places {
            let (x, y) = self.edges.pairs()[place];
            if self.removed.contains(&(x, y)) {
                continue;
            }
            for (x, y) in [(x, y), (y, x)] {
                let others = ![x, y].iter().any(|node| *node == a || *node == b);
                if others && self.can_link(x, a) && self.can_link(y, b) {
                    self.removed.insert(edge(x, y));
                    self.add(x, a);
                    self.add(y, b);
                    return true;
                }
            }
        }
        false
    }

    fn changed(self) -> Changed {
        let (added, removed) = (self.added.len() as u64, self.removed.len() as u64);
        let kept = self.edges.pairs().iter();
        let kept = kept.filter(|pair| !self.removed.contains(*pair)).copied();
        let pairs = kept.chain(self.added.iter().copied()).collect();
        Changed {
            edges: EdgeList::new(self.edges.nodes(), pairs, false).0,
            added,
            removed,
        }
    }
}

/// Edges that are drawn before all are looked at.
const DRAWS: usize = 32;
