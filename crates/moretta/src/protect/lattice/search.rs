//! The search for the node that loses least.
//!
//! Nodes are taken in the order of the least that they can lose, from the bottom up; when that is
//! more than the best node loses, the best one is proven. A node of which nothing is known yet is
//! the start of a path upwards, on which the lowest node that keeps the promises is found by
//! halves. Two lists spare most of the work: no node below one that suppresses too much can keep
//! the promises, and every node above one that keeps them does, where promises are such.
//!
//! A search that stops early gives the best node so far, and how much less any other could lose.

use super::metric::Measured;
use super::node::{Node, Shape};
use crate::cancel::Cancel;
use crate::error::Result;
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
        match &self.best {
            Some((_, best)) if best.value > 0.0 => ((best.value - open) / best.value).max(0.0),
            Some(_) => 0.0,
            None => 1.0,
        }
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
        open.push(Open {
            bound: self.measured.bound(self.lattice.bottom),
            node: self.lattice.bottom,
        });
        while let Some(Open { bound, node }) = open.pop() {
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
            if !state.is_barred(&node) {
                let mut look = |node: Node, state: &mut State| -> Result<Evaluation> {
                    if let Some(known) = state.found.evaluated.get(&node) {
                        return Ok(*known);
                    }
                    let evaluation = (self.evaluate)(node)?;
                    state.note(node, evaluation);
                    watch(node, &evaluation, state.found.gap_to(bound));
                    Ok(evaluation)
                };
                if !state.is_freed(&node) {
                    let path = path(self.lattice, self.measured, &state, node);
                    let (mut low, mut high) = (0, path.len());
                    while low < high {
                        let middle = (low + high) / 2;
                        match look(path[middle], &mut state)?.holds {
                            true => high = middle,
                            false => low = middle + 1,
                        }
                    }
                }
                if !state.is_barred(&node) {
                    look(node, &mut state)?;
                }
            }
            let known = state
                .found
                .evaluated
                .get(&node)
                .map_or(0.0, |known| known.bound);
            for child in self.lattice.children(node) {
                let bound = self.measured.bound(child).max(bound).max(known);
                open.push(Open { bound, node: child });
            }
        }
        Ok(state.found)
    }
}

/// The way from a node up to one that is known to keep the promises, or to the top: always to the
/// node that can lose least.
fn path(lattice: &Shape, measured: &Measured, state: &State, start: Node) -> Vec<Node> {
    let mut path = vec![start];
    let mut node = start;
    loop {
        let above = lattice
            .above(node)
            .map(|(_, above)| (measured.bound(above), above));
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
    fn is_barred(&self, node: &Node) -> bool {
        self.barred.iter().rev().any(|barred| node.is_below(barred))
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

/// A node that waits, the one that can lose least first.
struct Open {
    bound: f64,
    node: Node,
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_bound = other.bound.total_cmp(&self.bound);
        by_bound.then_with(|| other.node.preferred(&self.node))
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
