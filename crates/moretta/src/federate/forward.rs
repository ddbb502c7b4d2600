//! Which records a source forwards to a trouble node, and which it would.

use super::frame::{Bits, State};
use super::ratio::{Rank, Ratio, Reach, is_troubled};
use super::topology::{Node, Topology};

/// How much of the stream a source answers, by either rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reaches {
    /// r of one trouble factor.
    pub(super) reach: Reach,
    /// r2 of two.
    pub(super) second: Ratio,
}

impl Reaches {
    pub(super) const SITE: Reaches = Reaches {
        reach: Reach::SITE,
        second: Ratio::ONE,
    };
}

/// Whether a record of this rank is forwarded to a node.
///
/// With two factors q = min(1, t1/(l·r2), t2/(l·r2·a)), and 1 where the node has no agreement
/// yet; with one q = TF/(r·L), not capped.
pub(super) fn forwards(rank: Rank, node: &Node, reaches: Reaches, state: Option<&State>) -> bool {
    let Some(second) = node.second else {
        return is_troubled(rank, node.factor, reaches.reach, node.length);
    };
    let found = state.and_then(|state| state.nodes.iter().find(|(id, ..)| *id == node.id));
    let agreement = found.map_or(Ratio::new(0, 1), |(_, agreement, _)| *agreement);
    let capped = rank.at_most < rank.size;
    if agreement.part == 0 || agreement.over == 0 {
        return capped;
    }
    let first = Reach::of_node(reaches.second, Ratio::ONE, 1);
    let both = Ratio::near(reaches.second.value() * agreement.value());
    let both = Reach::of_node(both, Ratio::ONE, 1);
    capped
        && is_troubled(rank, node.factor, first, node.length)
        && is_troubled(rank, second, both, node.length)
}

/// Whether a record of this rank would be forwarded to a node of this length.
pub(super) fn would_forward(
    rank: Rank,
    factor: Ratio,
    two_factors: bool,
    reaches: Reaches,
    length: u64,
) -> bool {
    match two_factors {
        false => is_troubled(rank, factor, reaches.reach, length),
        true => {
            let reach = Reach::of_node(reaches.second, Ratio::ONE, 1);
            rank.at_most < rank.size && is_troubled(rank, factor, reach, length)
        }
    }
}

/// Bits of all destinations and of all lengths that a topology asks a source about.
pub(super) struct Planes {
    pub(super) forwards: Vec<Bits>,
    pub(super) what_ifs: Vec<Bits>,
}

impl Planes {
    pub(super) fn new(topology: &Topology, source: u16, count: usize) -> Self {
        Planes {
            forwards: topology
                .destinations(source)
                .map(|_| Bits::new(count))
                .collect(),
            what_ifs: topology
                .lengths_of(source)
                .iter()
                .map(|_| Bits::new(count))
                .collect(),
        }
    }
}

/// Agreement and reach of all nodes, from low to high order: r1 is the mean over sources of
/// r2·q, r2 = a·r1.
pub(super) fn next_state(topology: &Topology, agreement: impl Fn(u16) -> Ratio) -> State {
    let mut state = State { nodes: Vec::new() };
    for node in &topology.nodes {
        let own = agreement(node.id);
        let share = |source: &u16| {
            let found = state.nodes.iter().find(|(id, ..)| id == source);
            let reach = found.map_or(1.0, |(_, _, reach)| reach.value());
            reach * share_of(node, reach, own.value())
        };
        let first = node.sources.iter().map(share).sum::<f64>() / node.sources.len() as f64;
        let reach = Ratio::near(own.value() * first);
        state.nodes.push((node.id, own, reach));
    }
    state
}

/// q of a source with this reach.
fn share_of(node: &Node, reach: f64, agreement: f64) -> f64 {
    let (length, second) = (
        node.length as f64,
        node.second.unwrap_or(node.factor).value(),
    );
    match agreement > 0.0 {
        false => 1.0,
        true => {
            let first = node.factor.value() / (length * reach);
            first.min(second / (length * reach * agreement)).min(1.0)
        }
    }
}
