//! Which batches may be sent, and under which topology: what aggregators tell all others.
//!
//! A topology is announced before any batch that it holds for is allowed. So one batch has one
//! epoch everywhere, however late a frame comes.

use super::frame::{Credit, State};
use super::state::{Reader, Writer, odd};
use super::topology::Topology;
use crate::error::Result;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Batches whose states are kept, and topologies that wait for those before them: more than any
/// honest aggregator is ahead. What is furthest ahead goes first.
const MOST_EARLY: usize = 1024;

/// Topologies and credit as a party knows them.
#[derive(Clone, Debug, Default)]
pub(super) struct Course {
    topologies: VecDeque<Arc<Topology>>,
    early: BTreeMap<u32, Topology>,
    credit: Option<Credit>,
    states: BTreeMap<u64, State>,
}

impl Course {
    /// Takes a topology; those that come before their turn wait.
    pub(super) fn announce(&mut self, topology: Topology) {
        self.early.insert(topology.epoch, topology);
        if self.early.len() > MOST_EARLY {
            self.early.pop_last();
        }
        while let Some(next) = self.early.remove(&self.next_epoch()) {
            self.topologies.push_back(Arc::new(next));
        }
    }

    fn next_epoch(&self) -> u32 {
        self.topologies.back().map_or(0, |newest| newest.epoch + 1)
    }

    /// Whether a topology of this epoch is old.
    pub(super) fn is_old(&self, epoch: u32) -> bool {
        epoch < self.next_epoch()
    }

    /// The topology of an epoch, if it is known and still needed.
    pub(super) fn of_epoch(&self, epoch: u32) -> Option<&Arc<Topology>> {
        let mut known = self.topologies.iter();
        known.find(|topology| topology.epoch == epoch)
    }

    /// The newest topology.
    pub(super) fn newest(&self) -> Option<&Arc<Topology>> {
        self.topologies.back()
    }

    /// The oldest topology that is still needed.
    pub(super) fn oldest(&self) -> Option<&Arc<Topology>> {
        self.topologies.front()
    }

    /// Takes a credit if it goes further than the last.
    pub(super) fn allow(&mut self, credit: Credit) {
        if self
            .credit
            .is_none_or(|last| last.closed <= credit.closed && last.below <= credit.below)
        {
            self.credit = Some(credit);
        }
    }

    /// Whether the aggregator has allowed anything.
    pub(super) fn has_credit(&self) -> bool {
        self.credit.is_some()
    }

    /// Batches below this are answered.
    pub(super) fn closed(&self) -> u64 {
        self.credit.map_or(0, |credit| credit.closed)
    }

    /// Takes agreements and reaches for a batch.
    pub(super) fn set_state(&mut self, batch: u64, state: State) {
        self.states.insert(batch, state);
        if self.states.len() > MOST_EARLY {
            self.states.pop_last();
        }
    }

    /// Agreements and reaches for a batch.
    pub(super) fn state(&self, batch: u64) -> Option<&State> {
        self.states.get(&batch)
    }

    /// The topology of a batch, once the batch is allowed.
    pub(super) fn topology(&self, batch: u64) -> Option<&Arc<Topology>> {
        let credit = self.credit.filter(|credit| batch < credit.below)?;
        let newest = self.topologies.back()?;
        if newest.epoch < credit.epoch {
            return None;
        }
        self.topologies
            .iter()
            .rev()
            .find(|topology| topology.first_batch <= batch)
    }

    /// All sites and nodes of topologies that are still needed, or wait.
    pub(super) fn sources(&self) -> impl Iterator<Item = u16> {
        let known = self.topologies.iter().map(Arc::as_ref);
        let known = known.chain(self.early.values());
        known.flat_map(|topology| topology.sources())
    }

    /// Drops what no batch from this one on needs; whether a topology is among it.
    pub(super) fn forget_below(&mut self, batch: u64) -> bool {
        let before = self.topologies.len();
        while self
            .topologies
            .get(1)
            .is_some_and(|second| second.first_batch <= batch)
        {
            self.topologies.pop_front();
        }
        self.states = self.states.split_off(&batch);
        self.topologies.len() < before
    }

    pub(super) fn save(&self, out: &mut Writer) {
        let all = self
            .topologies
            .iter()
            .map(Arc::as_ref)
            .chain(self.early.values());
        out.size(self.topologies.len());
        out.size(self.early.len());
        all.for_each(|topology| topology.write(out));
        out.bool(self.credit.is_some());
        if let Some(credit) = self.credit {
            out.u64(credit.below);
            out.u32(credit.epoch);
            out.u64(credit.closed);
        }
        out.size(self.states.len());
        for (batch, state) in &self.states {
            out.u64(*batch);
            state.write(out);
        }
    }

    pub(super) fn load(from: &mut Reader<'_>) -> Result<Self> {
        let mut course = Course::default();
        let (known, early) = (from.length()?, from.length()?);
        for _ in 0..known {
            course.topologies.push_back(Arc::new(Topology::read(from)?));
        }
        let epochs = course.topologies.iter().map(|topology| topology.epoch);
        if !epochs.is_sorted_by(|a, b| a < b) {
            return Err(odd("epochs that do not rise"));
        }
        for _ in 0..early {
            let topology = Topology::read(from)?;
            course.early.insert(topology.epoch, topology);
        }
        if from.bool()? {
            course.credit = Some(Credit {
                below: from.u64()?,
                epoch: from.u32()?,
                closed: from.u64()?,
            });
        }
        for _ in 0..from.length()? {
            let batch = from.u64()?;
            course.states.insert(batch, State::read(from)?);
        }
        Ok(course)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topologies_that_come_before_their_turn_take_bounded_memory() {
        let mut course = Course::default();
        let topology = |epoch| Topology {
            epoch,
            ..Topology::of_sites(Vec::new())
        };
        // Those that are furthest ahead go first.
        for epoch in (1..3000).rev().chain(3000..6000) {
            course.announce(topology(epoch));
        }
        assert_eq!(course.early.len(), MOST_EARLY);
        course.announce(topology(0));
        assert_eq!(course.newest().map(|newest| newest.epoch), Some(1023));
        assert!(course.early.is_empty());
    }
}
