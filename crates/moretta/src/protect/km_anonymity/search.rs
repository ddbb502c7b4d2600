//! Finds a cut in which every set of at most m labels is shown by k persons or by none.
//!
//! Raising a node keeps what holds already: a set with the new label is shown by all persons who
//! showed it with one of the labels below. So sets of one label are mended first, then pairs, and
//! what was mended stays so, unless persons are left out.
//!
//! Where persons may be left out, those who show a rare set are, if that loses less than to raise
//! one of its labels. How much less is tried out: the best of what keeps to the budget is taken.

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
use std::ops::Range;

/// How many times what it loses the person who is left out counts; at last, nobody is.
const RELUCTANCE: [f64; 5] = [0.5, 2.0, 8.0, 32.0, f64::INFINITY];

/// What is looked for, and in what.
pub(super) struct Search<'a, 't> {
    pub(super) transactions: &'a Transactions,
    pub(super) tree: &'t Hierarchy,
    pub(super) km: KmAnonymous,
    /// Rows that may be left out, and the rows of each person.
    pub(super) budget: usize,
    pub(super) rows: &'a [u32],
    pub(super) cancel: &'a Cancel,
}

/// A cut, and the persons who are left out, ascending.
pub(super) struct Found<'t> {
    pub(super) cut: Cut<'t>,
    pub(super) gone: Vec<u32>,
}

impl<'t> Search<'_, 't> {
    /// The cut that loses least of those that are found.
    pub(super) fn find(&self) -> Result<Found<'t>> {
        let mut best: Option<(f64, Found<'t>)> = None;
        for reluctance in RELUCTANCE {
            if self.budget == 0 && reluctance.is_finite() {
                continue;
            }
            let found = self.attempt(reluctance)?;
            let rows: usize = found
                .gone
                .iter()
                .map(|&p| self.rows[p as usize] as usize)
                .sum();
            let lost = self.lost(&found);
            let better = best.as_ref().is_none_or(|(least, _)| lost < *least);
            if rows <= self.budget && better {
                best = Some((lost, found));
            }
        }
        let best = best.ok_or_else(|| Error::bug("no cut was found"))?;
        Ok(best.1)
    }

    /// What all items lose together; one that is left out loses all.
    fn lost(&self, found: &Found<'_>) -> f64 {
        let cut = &found.cut;
        let persons = 0..self.transactions.persons() as u32;
        let lost = persons.map(|person| {
            let items = self.transactions.of(person as usize);
            match found.gone.binary_search(&person) {
                Ok(_) => items.len() as f64,
                Err(_) => items.iter().map(|&leaf| cut.penalty(cut.shown(leaf))).sum(),
            }
        });
        lost.sum()
    }

    /// A cut that holds, where the items of a person count `reluctance` times when they are left out.
    fn attempt(&self, reluctance: f64) -> Result<Found<'t>> {
        let mut cut = Cut::leaves(self.tree);
        let mut persons: Vec<u32> = (0..self.transactions.persons() as u32).collect();
        let mut gone: Vec<u32> = Vec::new();
        let mut size = 1;
        while size <= self.km.m as usize {
            let counts = supports(self.transactions, &cut, &persons, size, self.cancel)?;
            let rare = counts
                .into_iter()
                .filter(|&(_, persons)| persons < self.km.k);
            let mut rare: Vec<(Set, u32)> = rare.collect();
            if rare.is_empty() {
                size += 1;
                continue;
            }
            rare.sort_unstable();
            let (raised, left) = self.choose(&rare, &cut, reluctance)?;
            if !left.is_empty() {
                let shows = |&person: &u32| self.shows(person, &cut, size, &left);
                let (out, stay): (Vec<u32>, Vec<u32>) = persons.iter().partition(|p| shows(p));
                gone.extend(out);
                persons = stay;
                // Fewer persons show what they showed beside it.
                size = 1;
            }
            for node in raised {
                cut.raise(node);
            }
        }
        self.divide(&mut cut, &persons)?;
        gone.sort_unstable();
        Ok(Found { cut, gone })
    }

    /// Whether a person shows one of these sets.
    fn shows(
        &self,
        person: u32,
        cut: &Cut<'_>,
        size: usize,
        sets: &HashSet<Set, FixedState>,
    ) -> bool {
        let mut shown = HashMap::default();
        count(
            self.transactions,
            cut,
            &[person],
            size,
            |_| true,
            &mut shown,
        );
        shown.keys().any(|set| sets.contains(set))
    }

    /// What the persons lose when a node is shown.
    fn cost(&self, node: u32, cut: &Cut<'_>) -> f64 {
        let penalty = cut.penalty(node);
        let lost = cut.under(node).map(|leaf| {
            let more = penalty - cut.penalty(cut.shown(leaf));
            self.transactions.support(leaf) as f64 * more.max(0.0)
        });
        lost.sum()
    }

    /// Parents of labels such that every set has a label under one of them: always the one that
    /// mends most for what it costs. Sets for which that costs too much are left, with their persons.
    fn choose(
        &self,
        rare: &[(Set, u32)],
        cut: &Cut<'_>,
        reluctance: f64,
    ) -> Result<(Vec<u32>, HashSet<Set, FixedState>)> {
        let mut sets_of: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (place, &(set, _)) in (0..).zip(rare) {
            let mut parents: Vec<u32> = labels(set).filter_map(|label| cut.parent(label)).collect();
            parents.sort_unstable();
            parents.dedup();
            for parent in parents {
                sets_of.entry(parent).or_default().push(place);
            }
        }
        let costs: HashMap<u32, f64, FixedState> = sets_of
            .keys()
            .map(|&node| (node, self.cost(node, cut).max(f64::MIN_POSITIVE)))
            .collect();
        // Persons who show a set, each with as many items as persons have on average.
        let value = |set: u32| f64::from(rare[set as usize].1) * self.transactions.mean_items();
        let mut mended = vec![false; rare.len()];
        let worth = |node: u32, mended: &[bool]| {
            let open = sets_of[&node].iter().filter(|&&set| !mended[set as usize]);
            let value: f64 = open.map(|&set| value(set)).sum();
            value / costs[&node]
        };
        // Sets are only taken away, so a worth that is still the largest after it was computed
        // anew is the largest of all.
        let mut queue: BinaryHeap<(u64, Reverse<u32>)> = sets_of
            .keys()
            .map(|&node| (worth(node, &mended).to_bits(), Reverse(node)))
            .collect();
        let mut raised = Vec::new();
        while let Some((before, Reverse(node))) = queue.pop() {
            let now = worth(node, &mended);
            if now == 0.0 || now * reluctance < 1.0 {
                continue;
            }
            if now.to_bits() < before {
                queue.push((now.to_bits(), Reverse(node)));
                continue;
            }
            for &set in &sets_of[&node] {
                mended[set as usize] = true;
            }
            raised.push(node);
        }
        let left = rare.iter().zip(mended).filter(|(_, mended)| !mended);
        let left: HashSet<Set, FixedState> = left.map(|((set, _), _)| *set).collect();
        match reluctance.is_infinite() && !left.is_empty() {
            true => Err(Error::bug("the top of the hierarchy is shown by too few")),
            false => Ok((raised, left)),
        }
    }

    /// Divides nodes again where that keeps the promise, those that lose most first.
    fn divide(&self, cut: &mut Cut<'_>, persons: &[u32]) -> Result<()> {
        let lost = |cut: &Cut<'_>, node: u32| {
            let leaves = cut.under(node);
            let persons: usize = leaves.map(|leaf| self.transactions.support(leaf)).sum();
            (cut.penalty(node) * persons as f64).to_bits()
        };
        let nodes = cut.nodes().into_iter();
        let mut queue: BinaryHeap<(u64, Reverse<u32>)> =
            nodes.map(|node| (lost(cut, node), Reverse(node))).collect();
        while let Some((_, Reverse(node))) = queue.pop() {
            self.cancel.check()?;
            let mut divided = cut.clone();
            if !divided.divide(node) || !self.holds(&divided, cut.under(node), persons) {
                continue;
            }
            let mut parts: Vec<u32> = cut.under(node).map(|leaf| divided.shown(leaf)).collect();
            parts.dedup();
            *cut = divided;
            let parts = parts.into_iter();
            queue.extend(parts.map(|part| (lost(cut, part), Reverse(part))));
        }
        Ok(())
    }

    /// Whether all sets with a label over one of these leaves are shown by k of the persons.
    fn holds(&self, cut: &Cut<'_>, leaves: Range<u32>, persons: &[u32]) -> bool {
        let new: HashSet<u32, FixedState> = leaves.clone().map(|leaf| cut.shown(leaf)).collect();
        let mut having = self.transactions.having(leaves);
        having.retain(|person| persons.binary_search(person).is_ok());
        (1..=self.km.m as usize).all(|size| {
            let mut counts = HashMap::default();
            let wanted = |label: u32| new.contains(&label);
            count(self.transactions, cut, &having, size, wanted, &mut counts);
            counts.values().all(|&persons| persons >= self.km.k)
        })
    }
}
