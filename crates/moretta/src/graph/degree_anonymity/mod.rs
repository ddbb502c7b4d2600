//! k-degree anonymity: edges are changed until every degree is that of k nodes.
//!
//! Degrees are sorted and divided into groups of at least k, whose members all get the largest
//! degree of the group; dynamic programming finds the groups that need fewest new edge ends
//! ([`sequence`]). Nodes that lack ends are then linked with each other, those that lack most
//! first. What cannot be linked so takes an edge of others: x–y becomes x–u and u–y, by which the
//! degrees of x and y stay as they are. Where that fails, as in small and dense graphs, other
//! groups are tried, and in the end all nodes are linked to all others or none to any,
//! whichever changes less. Groups of equal degrees, and the edges that are taken, are drawn by
//! the seed.
//!
//! **Protects against** an intruder who knows how many neighbours a person has, and nothing else.
//! **Does not protect against** one who knows more of the neighbourhood (who is linked to whom,
//! the degrees of neighbours), or degree and attributes together.
//!
//! **Costs** n k steps for the groups and for each changed edge a search in sorted lists.
//!
//! **From** Liu and Terzi, Towards identity anonymization on graphs, SIGMOD 2008.

mod realise;
pub mod sequence;

use super::{EdgeList, Neighbours};
use crate::cancel::Cancel;
use crate::error::{Error, Result};
use crate::math::uniform::{below, shuffle};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use realise::realise;
use std::cmp::Reverse;

/// What became of the edges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The edges afterwards.
    pub edges: EdgeList,
    /// How many of them are new.
    pub added: u64,
    /// How many are gone.
    pub removed: u64,
}

/// How many divisions into groups are tried.
const ATTEMPTS: u64 = 16;

/// Changes edges until every degree is that of at least `k` nodes.
///
/// # Errors
/// When there are fewer than `k` nodes, edges have directions, or it is cancelled.
pub fn anonymize(edges: &EdgeList, k: u32, seed: u64, cancel: &Cancel) -> Result<Changed> {
    let nodes = edges.nodes();
    if edges.is_directed() {
        return Err(
            Error::policy("degrees are made alike in graphs without directions")
                .help("write directed = false under [graph], or take `degree_k` out"),
        );
    }
    if nodes < k {
        let what = format!("{nodes} nodes; degree_k={k} needs at least {k}");
        return Err(Error::guarantee(what).help("lower degree_k, or bring more data"));
    }
    let neighbours = Neighbours::of(edges);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    for attempt in 0..ATTEMPTS {
        cancel.check()?;
        let targets = targets(edges, k, attempt, &mut random);
        let Some(targets) = targets else { continue };
        if let Some(changed) = realise(edges, &neighbours, &targets, &mut random, cancel)? {
            return Ok(changed);
        }
    }
    Ok(all_alike(edges))
}

/// The degree that each node is to get; none when their sum cannot be that of a graph. Later
/// attempts raise a few nodes first, which makes other groups.
fn targets(
    edges: &EdgeList,
    k: u32,
    attempt: u64,
    random: &mut Xoshiro256PlusPlus,
) -> Option<Vec<u32>> {
    let nodes = edges.nodes();
    let mut degrees = edges.degrees();
    for _ in 0..attempt * u64::from(k).min(8) {
        let raised = &mut degrees[below(random, u64::from(nodes)) as usize];
        *raised = (*raised + 1).min(nodes - 1);
    }
    // Which of several nodes with one degree are raised is a matter of chance.
    let mut order: Vec<u32> = (0..nodes).collect();
    shuffle(&mut order, random);
    order.sort_by_key(|&node| Reverse(degrees[node as usize]));
    let sorted: Vec<u32> = order.iter().map(|&node| degrees[node as usize]).collect();
    let targets = sequence::even(&sorted, sequence::groups(&sorted, k), nodes)?;
    let mut of_node = vec![0; nodes as usize];
    for (node, target) in order.into_iter().zip(targets) {
        of_node[node as usize] = target;
    }
    Some(of_node)
}

/// Beyond so many nodes nobody links all with all.
const MOST_LINKED: u32 = 1 << 12;

/// No edge or every edge, whichever changes fewer.
fn all_alike(edges: &EdgeList) -> Changed {
    let nodes = edges.nodes();
    let all = u64::from(nodes) * u64::from(nodes.saturating_sub(1)) / 2;
    let now = edges.len() as u64;
    let pairs = match nodes <= MOST_LINKED && all - now < now {
        true => (0..nodes)
            .flat_map(|a| (a + 1..nodes).map(move |b| (a, b)))
            .collect(),
        false => Vec::new(),
    };
    let (alike, _) = EdgeList::new(nodes, pairs, false);
    let after = alike.len() as u64;
    Changed {
        edges: alike,
        added: after.saturating_sub(now),
        removed: now.saturating_sub(after),
    }
}

#[cfg(test)]
mod tests;
