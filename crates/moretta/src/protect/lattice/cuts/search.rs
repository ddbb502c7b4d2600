//! The search for the set of cuts that loses least.
//!
//! Sets are enumerated by branching: a node is a *head* of cuts that are made and a *tail* of cuts
//! that may be; a cut of the tail is made in one of its children and given up in the other. More
//! cuts only divide classes, so what head and tail together divide bounds what any set between
//! can lose, and rows whose class is too small for any promise stay suppressed. Cuts that cannot
//! pay are taken from the tail, and the one that divides most is decided on first. Nodes with
//! the least bound come first, so that the first bound is that of all sets which are left: when
//! it reaches what the best set loses, that is proven to be the best.

use super::partition::{CutSet, CutTable, Evaluation, Partition, Verdict};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::protect::solutions::gap;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// What a search has found.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// The best set that keeps the promises.
    pub(super) best: Option<(CutSet, Evaluation)>,
    /// Sets that were looked at.
    pub(super) looked_at: u64,
    /// The fewest rows that any of them suppresses.
    pub(super) least_suppressed: Option<u64>,
    /// What any other set loses at least; none where the best one is proven.
    pub(super) open: Option<f64>,
}

impl Found {
    /// By which share less than the best set another one could lose; 0 is proven.
    pub(super) fn gap(&self) -> f64 {
        self.open.map_or(0.0, |open| self.gap_to(open))
    }

    fn gap_to(&self, open: f64) -> f64 {
        gap(self.best.as_ref().map(|(_, best)| best.value), open)
    }

    fn value(&self) -> f64 {
        self.best.map_or(f64::INFINITY, |(_, best)| best.value)
    }
}

/// A search at work.
pub(super) struct Search<'a, W> {
    pub(super) table: &'a CutTable<'a>,
    /// Sets that may be looked at.
    pub(super) most: u64,
    pub(super) cancel: &'a Cancel,
    /// Gets each set that was looked at, and how much less another could lose.
    pub(super) watch: W,
}

impl<W: FnMut(&CutSet, &Evaluation, f64)> Search<'_, W> {
    pub(super) fn run(&mut self) -> Result<Found> {
        let mut found = Found::default();
        self.climb(&mut found)?;
        let mut open = BinaryHeap::new();
        open.push(Open {
            bound: 0.0,
            head: CutSet::default(),
            tail: CutSet::first(self.table.cuts),
            known: true,
        });
        while let Some(node) = open.pop() {
            if node.bound >= found.value() {
                return Ok(found);
            }
            if found.looked_at >= self.most {
                found.open = Some(node.bound);
                return Ok(found);
            }
            let children = self.branch(node, &mut found)?;
            open.extend(children.into_iter().flatten());
        }
        Ok(found)
    }

    /// Makes the cut that loses least, one after the other, as long as less is lost.
    fn climb(&mut self, found: &mut Found) -> Result<()> {
        let mut head = CutSet::default();
        let (mut partition, mut verdicts) = self.look(head, found, 0.0)?;
        loop {
            let before = found.value();
            let splits = self.table.splits(&partition, &verdicts);
            let cuts = (0..self.table.cuts).filter(|&cut| splits[cut].useful);
            for cut in cuts.filter(|&cut| !head.has(cut)) {
                if found.looked_at >= self.most {
                    return Ok(());
                }
                self.look(head.with(cut), found, 0.0)?;
            }
            match found.best {
                Some((best, evaluation)) if evaluation.value < before && best != head => {
                    head = best
                }
                _ => return Ok(()),
            }
            partition = self.table.partition(head);
            verdicts = self.table.judge(&partition);
        }
    }

    /// Looks at the classes of a set, which is the best one if it loses least.
    fn look(
        &mut self,
        cuts: CutSet,
        found: &mut Found,
        bound: f64,
    ) -> Result<(Partition, Vec<Verdict>)> {
        self.cancel.check()?;
        let partition = self.table.partition(cuts);
        let verdicts = self.table.judge(&partition);
        let evaluation = self.table.evaluate(&partition, &verdicts);
        found.looked_at += 1;
        let least = found.least_suppressed.unwrap_or(u64::MAX);
        found.least_suppressed = Some(least.min(evaluation.suppressed));
        if evaluation.holds && evaluation.value < found.value() {
            found.best = Some((cuts, evaluation));
        }
        (self.watch)(&cuts, &evaluation, found.gap_to(bound));
        Ok((partition, verdicts))
    }

    /// The two children of a node, unless no set between its head and its tail can lose less
    /// than the best one.
    fn branch(&mut self, node: Open, found: &mut Found) -> Result<Option<[Open; 2]>> {
        let Open { head, mut tail, .. } = node;
        let table = self.table;
        let (partition, verdicts) = match node.known {
            false => self.look(head, found, node.bound)?,
            true => {
                self.cancel.check()?;
                found.looked_at += 1;
                let partition = table.partition(head);
                let verdicts = table.judge(&partition);
                (partition, verdicts)
            }
        };
        if table.barred(&partition, &verdicts) > table.budget {
            return Ok(None);
        }
        let splits = table.splits(&partition, &verdicts);
        for cut in tail
            .iter()
            .filter(|&cut| !splits[cut].useful)
            .collect::<Vec<usize>>()
        {
            tail = tail.without(cut);
        }
        let all = table.partition(head.union(&tail));
        let bound = table.bound(&partition, &verdicts, &all).max(node.bound);
        if bound >= found.value() {
            return Ok(None);
        }
        let next = tail.iter().max_by(|&a, &b| {
            let by_gain = splits[a].gain.total_cmp(&splits[b].gain);
            by_gain.then(b.cmp(&a))
        });
        Ok(next.map(|cut| {
            let tail = tail.without(cut);
            let made = Open {
                bound,
                head: head.with(cut),
                tail,
                known: false,
            };
            let given_up = Open {
                bound,
                head,
                tail,
                known: true,
            };
            [made, given_up]
        }))
    }
}

/// Sets that wait, those that can lose least first, of equals those with the most cuts made.
struct Open {
    bound: f64,
    head: CutSet,
    tail: CutSet,
    /// The head was looked at.
    known: bool,
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.bound.total_cmp(&self.bound))
            .then_with(|| self.head.len().cmp(&other.head.len()))
            .then_with(|| other.tail.len().cmp(&self.tail.len()))
            .then_with(|| self.head.cmp(&other.head))
            .then_with(|| self.tail.cmp(&other.tail))
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
