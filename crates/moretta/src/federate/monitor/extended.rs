//! Where there are too many sets of sources to watch them all: pairs, and sets that extend the best.
//!
//! Pairs are watched as if other sources had joined them already: at the length of a set with sources
//! of middling length. So what they are asked is what sets are asked, and how often their sources
//! would forward a record is how often they would as part of a set.
//!
//! Of more than 10,000 pairs each source is in as many as any other: sources stand in a ring, and
//! those are pairs that are not far from each other. Sets grow source by source from the best
//! thousand, and are worth what their pairs are on average; a pair that is not watched counts as the
//! mean of all.

use super::MOST_SETS;
use crate::federate::topology::Topology;
use std::collections::BTreeMap;

/// Pairs, and sets of fewer sources than a node has, that others extend.
const BEST: usize = 1000;

/// The pairs that are watched, each with the length that it is asked about.
pub(super) fn pairs(topology: &Topology, free: &[u16], group: usize) -> Vec<(Vec<u16>, u64)> {
    let mut by_length: Vec<(u64, u16)> = free
        .iter()
        .map(|&source| (topology.length_of_all(&[source]), source))
        .collect();
    by_length.sort_unstable();
    // From the middle on, and around: others than the pair itself are among the first of these.
    let middle = by_length.iter().cycle().skip(by_length.len() / 2);
    let middle: Vec<u16> = middle
        .take(group.min(free.len()))
        .map(|(_, id)| *id)
        .collect();
    let of_pair = |pair: Vec<u16>| {
        let others = middle.iter().filter(|source| !pair.contains(source));
        let others = others.take(group - pair.len()).copied();
        let length =
            topology.length_of_all(&pair.iter().copied().chain(others).collect::<Vec<_>>());
        (pair, length)
    };
    ring(free).into_iter().map(of_pair).collect()
}

/// Pairs of sources that are few steps from each other in a ring, as long as a whole round of them
/// has room.
fn ring(free: &[u16]) -> Vec<Vec<u16>> {
    let count = free.len();
    let mut found = Vec::new();
    for step in 1..=count / 2 {
        // Opposite ones would be found twice.
        let round = if 2 * step == count { step } else { count };
        if found.len() + round > MOST_SETS {
            break;
        }
        for at in 0..round {
            let (a, b) = (free[at], free[(at + step) % count]);
            found.push(vec![a.min(b), a.max(b)]);
        }
    }
    found
}

/// Sets of so many sources that extend the best pairs, of which the worth is given.
pub(super) fn extending(
    pairs: &BTreeMap<Vec<u16>, f64>,
    free: &[u16],
    group: usize,
    may: &dyn Fn(&[u16]) -> bool,
) -> Vec<Vec<u16>> {
    let mean = pairs.values().sum::<f64>() / pairs.len().max(1) as f64;
    let worth = |set: &[u16]| {
        let places = 0..set.len();
        let all = places.flat_map(|b| (0..b).map(move |a| [set[a], set[b]]));
        let known = all.map(|pair| pairs.get(&pair[..]).copied().unwrap_or(mean));
        known.sum::<f64>() / (set.len() * (set.len() - 1) / 2) as f64
    };
    let best_of = |found: &mut Vec<(f64, Vec<u16>)>, most: usize| {
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        found.truncate(most);
    };
    let given = pairs.iter().map(|(pair, worth)| (*worth, pair.clone()));
    let mut best: Vec<(f64, Vec<u16>)> = given.collect();
    best_of(&mut best, BEST);
    for size in 3..=group {
        let mut found = Vec::new();
        for (_, set) in &best {
            for source in free {
                if let Err(place) = set.binary_search(source) {
                    let mut larger = set.clone();
                    larger.insert(place, *source);
                    found.push(larger);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        let is_whole = size == group;
        found.retain(|set| !is_whole || may(set));
        best = found.into_iter().map(|set| (worth(&set), set)).collect();
        best_of(&mut best, if is_whole { MOST_SETS } else { BEST });
    }
    best.into_iter().map(|(_, set)| set).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::federate::topology::SiteColumns;
    use crate::federate::{Column, Topology};

    fn sites(count: u16, size: fn(u32) -> u32) -> Topology {
        let site = |id: u16| SiteColumns {
            id,
            columns: vec![Column {
                id: u64::from(id),
                size: size(u32::from(id)),
                values: 0,
            }],
        };
        Topology::of_sites((0..count).map(site).collect())
    }

    #[test]
    fn every_source_is_in_as_many_pairs() {
        let check = |count: u16, expected: usize| {
            let free: Vec<u16> = (0..count).collect();
            let found = ring(&free);
            let mut distinct = found.clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(
                (found.len(), distinct.len()),
                (expected, expected),
                "{count}"
            );
            let of = |source: u16| found.iter().filter(|pair| pair.contains(&source)).count();
            assert!(free.iter().all(|&source| of(source) == of(0)), "{count}");
        };
        check(5, 10);
        check(6, 15);
        check(100, 4950);
        check(141, 9870);
        check(142, 9940);
        check(1000, 10_000);
    }

    /// At the length of a set with the middling one of others: sites of lengths 1 to 9.
    #[test]
    fn pairs_are_asked_as_if_others_had_joined_them() {
        let topology = sites(9, |site| site + 1);
        let free: Vec<u16> = (0..9).collect();
        let found: BTreeMap<Vec<u16>, u64> = pairs(&topology, &free, 3).into_iter().collect();
        let length = |a: u16, b: u16| found.get(&vec![a, b]).copied();
        assert_eq!(length(0, 1), Some(1 + 2 + 5));
        assert_eq!(length(0, 4), Some(1 + 5 + 6));
        assert_eq!(length(4, 5), Some(5 + 6 + 7));
        assert_eq!(length(7, 8), Some(8 + 9 + 5));
    }

    #[test]
    fn sets_extend_the_best_pairs_and_are_worth_what_these_are() {
        let free: Vec<u16> = (0..5).collect();
        let worth = |pair: &[u16]| match pair {
            [2, 3] | [3, 4] => 0.9,
            [2, 4] => 0.8,
            [0, 1] => 0.95,
            _ => 0.1,
        };
        let pairs = pairs(&sites(5, |_| 1), &free, 3);
        let pairs = pairs
            .into_iter()
            .map(|(pair, _)| (pair.clone(), worth(&pair)));
        let pairs: BTreeMap<Vec<u16>, f64> = pairs.collect();
        let found = extending(&pairs, &free, 3, &|_| true);
        assert_eq!((found.len(), &found[0][..]), (10, &[2, 3, 4][..]));
        assert_eq!(extending(&pairs, &free, 4, &|_| true)[0], [0, 2, 3, 4]);
        let found = extending(&pairs, &free, 3, &|set| !set.contains(&3));
        assert_eq!((found.len(), &found[0][..]), (4, &[0, 1, 2][..]));
    }
}
