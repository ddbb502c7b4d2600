//! Refused frames of each party, and who is not listened to any more for them.

use super::super::party::PartyId;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Refused frames within so many batches…
const FAULT_SPAN: u64 = 1000;
/// … of which so many shut their sender out.
const MOST_FAULTS: usize = 3;

#[derive(Debug, Default)]
pub(super) struct Conduct {
    pub(super) faults: BTreeMap<PartyId, VecDeque<u64>>,
    pub(super) shut_out: BTreeSet<PartyId>,
}

impl Conduct {
    /// Counts a refused frame, when this party is at a batch; whether they are too many now.
    pub(super) fn has_offended(&mut self, party: PartyId, batch: u64) -> bool {
        let faults = self.faults.entry(party).or_default();
        faults.push_back(batch);
        while faults
            .front()
            .is_some_and(|&first| first.saturating_add(FAULT_SPAN) < batch)
        {
            faults.pop_front();
        }
        faults.len() >= MOST_FAULTS
    }

    /// Shuts a party out; whether it was not before.
    pub(super) fn shut_out(&mut self, party: PartyId) -> bool {
        self.shut_out.insert(party)
    }

    pub(super) fn is_shut_out(&self, party: PartyId) -> bool {
        self.shut_out.contains(&party)
    }
}
