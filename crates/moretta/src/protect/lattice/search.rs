//! The search for the node that loses least.
//!
//! The lattice is searched box by box, a box being all nodes between a low and a high one. Boxes
//! are taken in the order of the least that their nodes can lose, which is what the low one can;
//! when that is more than the best node loses, the best one is proven. A low node of which nothing
//! is known is the start of a path to the high one, on which the lowest node that keeps the
//! promises is found by halves. A node that suppresses too much rules out all below it: what is
//! left of a box is split into boxes that hold none of those. And every node above one that keeps
//! the promises does so too, where they are such.
//!
//! A search that stops early gives the best node so far, and how much less any other could lose.

use super::metric::Measured;
use super::node::{Node, Shape};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::protect::solutions::gap;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

/// What was found of one node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Evaluation {
    /// Rows that are suppressed.
    pub(super) suppressed: u64,
    /// Classes that are kept.
    pub(super) classes: u64,
    /// Whether the promises are kept.
    pub(super) holds: bool,
    /// Whether no node below can keep them either.
    pub(super) bars_below: bool,
    /// Whether every node above keeps them too.
    pub(super) frees_above: bool,
    /// What is lost.
    pub(super) value: f64,
    /// The least that this node and those above can lose.
    pub(super) bound: f64,
}

/// What a search has found.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// Every node whose classes were looked at.
    pub(super) evaluated: HashMap<Node, Evaluation>,
    /// The best node that keeps the promises.
    pub(super) best: Option<(Node, Evaluation)>,
    /// What any node that was not looked at loses at least; none where nothing is open.
    pub(super) open: Option<f64>,
}

impl Found {
    /// By which share less than the best node another one could lose; 0 is proven.
    pub(super) fn gap(&self) -> f64 {
        self.open.map_or(0.0, |open| self.gap_to(open))
    }

    /// The same where others lose at least `open`.
    fn gap_to(&self, open: f64) -> f64 {
        gap(self.best.as_ref().map(|(_, best)| best.value), open)
    }
}

/// A search at work.
pub(super) struct Search<'a, E> {
    pub(super) lattice: &'a Shape,
    pub(super) measured: &'a Measured,
    /// Looks at the classes of a node.
    pub(super) evaluate: E,
    /// Nodes that may be looked at; none for as many as it takes.
    pub(super) most: Option<usize>,
    pub(super) cancel: &'a Cancel,
}

impl<E: FnMut(Node) -> Result<Evaluation>> Search<'_, E> {
    /// Searches until the best node is proven or too many were looked at. `watch` gets each node
    /// that was looked at, and by which share less than the best one another could lose.
    pub(super) fn run(&mut self, mut watch: impl FnMut(Node, &Evaluation, f64)) -> Result<Found> {
        let mut state = State::default();
        let mut open = BinaryHeap::new();
        open.push(self.open(0.0, self.lattice.bottom, self.lattice.top));
        while let Some(Open { bound, low, high }) = open.pop() {
            let best = state
                .found
                .best
                .map_or(f64::INFINITY, |(_, best)| best.value);
            if bound > best {
                break;
            }
            if self
                .most
                .is_some_and(|most| state.found.evaluated.len() >= most)
            {
                state.found.open = Some(bound);
                break;
            }
            self.cancel.check()?;
            if state.bar(&low, &high).is_none() {
                self.explore(&mut state, low, high, |node, evaluation, found| {
                    watch(node, evaluation, found.gap_to(bound));
                })?;
            }
            let least = state.found.evaluated.get(&low);
            let bound = bound.max(least.map_or(0.0, |least| least.bound));
            let highest = state.bar(&low, &high).unwrap_or(low);
            let rest = self.lattice.without(low, high, highest);
            open.extend(rest.map(|(low, high)| self.open(bound, low, high)));
        }
        Ok(state.found)
    }

    /// A box of which no node loses less than `least`.
    fn open(&self, least: f64, low: Node, high: Node) -> Open {
        let bound = self.measured.bound(low).max(least);
        Open { bound, low, high }
    }

    /// Finds out about the low node of a box, and about others on the way to the high one.
    fn explore(
        &mut self,
        state: &mut State,
        low: Node,
        high: Node,
        mut watch: impl FnMut(Node, &Evaluation, &Found),
    ) -> Result<()> {
        let mut look = |node: Node, state: &mut State| -> Result<bool> {
            if let Some(known) = state.found.evaluated.get(&node) {
                return Ok(known.holds);
            }
            let evaluation = (self.evaluate)(node)?;
            state.note(node, evaluation);
            watch(node, &evaluation, &state.found);
            Ok(evaluation.holds)
        };
        if !state.is_freed(&low) {
            let path = path(self.lattice, self.measured, state, low, high);
            let (mut from, mut to) = (0, path.len());
            while from < to {
                let middle = (from + to) / 2;
                match look(path[middle], state)? {
                    true => to = middle,
                    false => from = middle + 1,
                }
            }
        }
        if state.bar(&low, &high).is_none() {
            look(low, state)?;
        }
        Ok(())
    }
}

/// The way from a node up to one that is known to keep the promises, or to the high one: always
/// to the node that can lose least.
fn path(shape: &Shape, measured: &Measured, state: &State, low: Node, high: Node) -> Vec<Node> {
    let mut path = vec![low];
    let mut node = low;
    loop {
        let above = shape.above(node, high);
        let above = above.map(|above| (measured.bound(above), above));
        let next = above.min_by(|(a, one), (b, other)| a.total_cmp(b).then(one.preferred(other)));
        match next {
            Some((_, next)) if !state.is_freed(&next) => {
                path.push(next);
                node = next;
            }
            _ => return path,
        }
    }
}

/// What is known so far.
#[derive(Default)]
struct State {
    found: Found,
    /// Nodes below which none keeps the promises; none of them is below another.
    barred: Vec<Node>,
    /// Nodes above which all keep them; none of them is above another.
    freed: Vec<Node>,
}

impl State {
    /// A node at or above `low` below which none keeps the promises: that which covers most of
    /// the box.
    fn bar(&self, low: &Node, high: &Node) -> Option<Node> {
        let bars = self.barred.iter().filter(|barred| low.is_below(barred));
        bars.max_by_key(|barred| barred.lower(high).sum()).copied()
    }

    fn is_freed(&self, node: &Node) -> bool {
        self.freed.iter().rev().any(|freed| freed.is_below(node))
    }

    fn note(&mut self, node: Node, evaluation: Evaluation) {
        self.found.evaluated.insert(node, evaluation);
        if evaluation.bars_below {
            self.barred.retain(|barred| !barred.is_below(&node));
            self.barred.push(node);
        }
        if evaluation.frees_above {
            self.freed.retain(|freed| !node.is_below(freed));
            self.freed.push(node);
        }
        let better = |(best, known): &(Node, Evaluation)| {
            let by_value = evaluation.value.total_cmp(&known.value);
            by_value.then_with(|| node.preferred(best)) == Ordering::Less
        };
        if evaluation.holds && self.found.best.as_ref().is_none_or(better) {
            self.found.best = Some((node, evaluation));
        }
    }
}

/// A box that waits, the one whose nodes can lose least first.
struct Open {
    bound: f64,
    low: Node,
    high: Node,
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_bound = other.bound.total_cmp(&self.bound);
        by_bound.then_with(|| other.low.preferred(&self.low))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}
