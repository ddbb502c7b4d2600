//! Which batches may be sent, and under which topology: what aggregators tell all others.
//!
//! A topology is announced before any batch that it holds for is allowed. So one batch has one
//! epoch everywhere, however late a frame comes.
//!
//! In flow mode a party may be without a link for so long that topologies are gone under which
//! all batches are answered. It goes on with the first batch of one that it is told of.

use super::frame::{Credit, Refusal, State};
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
    /// Batches below this may be of topologies that were passed over.
    skips_below: u64,
}

impl Course {
    /// Takes a topology; those that come before their turn wait.
    pub(super) fn announce(&mut self, topology: Topology) {
        self.early.insert(topology.epoch, topology);
        if self.early.len() > MOST_EARLY {
            self.early.pop_last();
        }
        self.go_on();
    }

    /// Takes those that have waited for the one before them.
    fn go_on(&mut self) {
        while let Some(next) = self.early.remove(&self.next_epoch()) {
            self.topologies.push_back(Arc::new(next));
        }
    }

    /// In flow mode: passes over topologies that are missing, where all batches under them are
    /// answered. Nobody sends them any more.
    pub(super) fn skip_closed(&mut self) {
        let closed = self.closed();
        let mut early = self.early.values().rev();
        let known = early.find(|topology| topology.first_batch <= closed);
        let Some(epoch) = known.map(|known| known.epoch) else {
            return;
        };
        self.early = self.early.split_off(&epoch);
        let Some(known) = self.early.remove(&epoch) else {
            return;
        };
        self.skips_below = known.first_batch;
        self.topologies.push_back(Arc::new(known));
        self.go_on();
    }

    /// Batches below this may be of topologies that were passed over.
    pub(super) fn skips_below(&self) -> u64 {
        self.skips_below
    }

    fn next_epoch(&self) -> u32 {
        self.topologies.back().map_or(0, |newest| newest.epoch + 1)
    }

    /// Whether a topology of this epoch is old.
    pub(super) fn is_old(&self, epoch: u32) -> bool {
        epoch < self.next_epoch()
    }

    /// Why an old one is refused. Those that were passed over may come late.
    pub(super) fn refusal_of_old(&self) -> Option<Refusal> {
        (self.skips_below == 0).then_some(Refusal::Epoch)
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
        out.u64(self.skips_below);
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
        course.skips_below = from.u64()?;
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

    #[test]
    fn topologies_of_answered_batches_alone_are_passed_over() {
        let mut course = Course::default();
        let announce = |course: &mut Course, epoch, first_batch| {
            course.announce(Topology {
                epoch,
                first_batch,
                ..Topology::of_sites(Vec::new())
            });
        };
        let credit = |closed| Credit {
            below: closed + 16,
            epoch: 9,
            closed,
        };
        announce(&mut course, 0, 0);
        for epoch in 5..10 {
            announce(&mut course, epoch, 10 * u64::from(epoch));
        }
        course.allow(credit(49));
        course.skip_closed();
        let newest = |course: &Course| course.newest().map(|newest| newest.epoch);
        assert_eq!((newest(&course), course.skips_below()), (Some(0), 0));
        assert!(course.refusal_of_old().is_some());
        course.allow(credit(70));
        course.skip_closed();
        assert_eq!((newest(&course), course.skips_below()), (Some(9), 70));
        assert!(course.early.is_empty() && course.refusal_of_old().is_none());
        let epoch = |batch| course.topology(batch).map(|topology| topology.epoch);
        assert_eq!((epoch(70), epoch(85)), (Some(7), Some(8)));
    }
}
