//! Finds a cut in which every set of at most m labels is shown by k persons or by none.
//!
//! Raising a node keeps what holds already: a set with the new label is shown by all persons who
//! showed it with one of the labels below. So sets of one label are mended first, then
//! pairs, and what was mended stays so.

use super::cut::Cut;
use super::sets::{Set, count, labels, supports};
use super::transactions::Transactions;
use crate::cancel::Cancel;
use crate::data::hierarchy::Hierarchy;
use crate::error::{Error, Result};
use crate::guarantee::KmAnonymous;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// The cut of least loss that is found.
pub(super) fn search<'a>(
    transactions: &Transactions,
    tree: &'a Hierarchy,
    km: KmAnonymous,
    cancel: &Cancel,
) -> Result<Cut<'a>> {
    let mut cut = Cut::leaves(tree);
    for size in 1..=km.m as usize {
        loop {
            let counts = supports(transactions, &cut, size, cancel)?;
            let rare = counts.into_iter().filter(|&(_, persons)| persons < km.k);
            let mut rare: Vec<Set> = rare.map(|(set, _)| set).collect();
            if rare.is_empty() {
                break;
            }
            rare.sort_unstable();
            for node in chosen(&rare, &cut, transactions)? {
                cut.raise(node);
            }
        }
    }
    divide(&mut cut, transactions, km, cancel)?;
    Ok(cut)
}

/// What the persons lose when a node is shown.
fn cost(node: u32, cut: &Cut<'_>, transactions: &Transactions) -> f64 {
    let penalty = cut.penalty(node);
    let lost = cut.under(node).map(|leaf| {
        let more = penalty - cut.penalty(cut.shown(leaf));
        transactions.support(leaf) as f64 * more.max(0.0)
    });
    lost.sum()
}

/// Parents of labels such that every set has a label under one of them: always the one that mends
/// most sets for what it costs.
fn chosen(rare: &[Set], cut: &Cut<'_>, transactions: &Transactions) -> Result<Vec<u32>> {
    let mut sets_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (place, &set) in (0..).zip(rare) {
        let mut parents: Vec<u32> = labels(set).filter_map(|label| cut.parent(label)).collect();
        parents.sort_unstable();
        parents.dedup();
        if parents.is_empty() {
            return Err(Error::bug("the top of the hierarchy is shown by too few"));
        }
        for parent in parents {
            sets_of.entry(parent).or_default().push(place);
        }
    }
    let costs: HashMap<u32, f64, FixedState> = sets_of
        .keys()
        .map(|&node| (node, cost(node, cut, transactions).max(f64::MIN_POSITIVE)))
        .collect();
    // Sets are only taken away, so a value that is still the largest after it was computed anew
    // is the largest of all.
    let worth = |node: u32, sets: usize| (sets as f64 / costs[&node]).to_bits();
    let mut queue: BinaryHeap<(u64, Reverse<u32>)> = sets_of
        .iter()
        .map(|(&node, sets)| (worth(node, sets.len()), Reverse(node)))
        .collect();
    let mut mended = vec![false; rare.len()];
    let (mut left, mut raised) = (rare.len(), Vec::new());
    while let (Some((value, Reverse(node))), 1..) = (queue.pop(), left) {
        let sets = &sets_of[&node];
        let open = sets.iter().filter(|&&set| !mended[set as usize]).count();
        if open == 0 {
            continue;
        }
        let now = worth(node, open);
        if now < value {
            queue.push((now, Reverse(node)));
            continue;
        }
        for &set in sets {
            mended[set as usize] = true;
        }
        left -= open;
        raised.push(node);
    }
    Ok(raised)
}

/// Divides nodes again where that keeps the promise, those that lose most first.
fn divide(
    cut: &mut Cut<'_>,
    transactions: &Transactions,
    km: KmAnonymous,
    cancel: &Cancel,
) -> Result<()> {
    let lost = |cut: &Cut<'_>, node: u32| {
        let leaves = cut.under(node);
        let persons: usize = leaves.map(|leaf| transactions.support(leaf)).sum();
        (cut.penalty(node) * persons as f64).to_bits()
    };
    let nodes = cut.nodes().into_iter();
    let mut queue: BinaryHeap<(u64, Reverse<u32>)> =
        nodes.map(|node| (lost(cut, node), Reverse(node))).collect();
    while let Some((_, Reverse(node))) = queue.pop() {
        cancel.check()?;
        let mut divided = cut.clone();
        if !divided.divide(node) || !holds(&divided, cut.under(node), transactions, km) {
            continue;
        }
        let mut parts: Vec<u32> = cut.under(node).map(|leaf| divided.shown(leaf)).collect();
        parts.dedup();
        *cut = divided;
        queue.extend(
            parts
                .into_iter()
                .map(|part| (lost(cut, part), Reverse(part))),
        );
    }
    Ok(())
}

/// Whether all sets with a label over one of these leaves are shown by k persons.
fn holds(
    cut: &Cut<'_>,
    leaves: std::ops::Range<u32>,
    transactions: &Transactions,
    km: KmAnonymous,
) -> bool {
    let new: HashSet<u32, FixedState> = leaves.clone().map(|leaf| cut.shown(leaf)).collect();
    let persons = transactions.having(leaves);
    (1..=km.m as usize).all(|size| {
        let mut counts = HashMap::default();
        let wanted = |label: u32| new.contains(&label);
        count(transactions, cut, &persons, size, wanted, &mut counts);
        counts.values().all(|&persons| persons >= km.k)
    })
}
