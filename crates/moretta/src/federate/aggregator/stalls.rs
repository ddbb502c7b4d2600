//! Whom the aggregator waits for, and when it gives up.

use super::Aggregator;
use crate::error::{Error, Result};
use crate::federate::label_book::Known;
use crate::federate::nodes::party_of;
use crate::federate::party::{Note, Outbox, PartyId, Time};
use crate::federate::terms::Mode;

impl Aggregator {
    /// Gives up where nothing has moved for too long, and says who is waited for.
    pub(super) fn watch_for_stalls(&mut self, now: Time, out: &mut Outbox) -> Result<()> {
        let Some(stall) = self.stall.filter(|_| self.terms.mode == Mode::Lockstep) else {
            return Ok(());
        };
        if self.over {
            return Ok(());
        }
        let moved = *self.moved.get_or_insert(now);
        if now < moved + stall {
            out.wake_at(moved + stall);
            return Ok(());
        }
        let missing = self.missing();
        out.notes
            .extend(missing.iter().map(|&party| Note::Stalled(party)));
        Err(stalled(format!(
            "nothing has come for {stall} ms from {}",
            self.names_of(&missing)
        )))
    }

    /// The error of a federation in which nothing is on its way any more, and nothing will be.
    pub(in crate::federate) fn standstill(&self) -> Error {
        stalled(format!(
            "nothing comes any more from {}",
            self.names_of(&self.missing())
        ))
    }

    fn names_of(&self, parties: &[PartyId]) -> String {
        let name = |party: &PartyId| {
            let name = self.names.get(party).cloned();
            name.unwrap_or_else(|| party.to_string())
        };
        parties.iter().map(name).collect::<Vec<_>>().join(", ")
    }

    /// Whether sites cannot go on with the next batch for want of labels.
    fn lacks_labels(&self) -> bool {
        let end = (self.next + 1) * u64::from(self.terms.batch);
        let needed = end.checked_sub(self.terms.label_delay + 2);
        needed.is_some_and(|record| {
            record >= self.settled && self.labels.label(record) == Known::NotYet
        })
    }

    /// Who is waited for.
    fn missing(&self) -> Vec<PartyId> {
        if self.topologies.is_empty() {
            let sites = self.terms.sites.iter();
            let silent = sites.filter(|site| !self.hellos.contains_key(site));
            return silent.map(|&site| PartyId(site)).collect();
        }
        if self.lacks_labels() {
            return vec![PartyId::LABELS];
        }
        let Some(batch) = self.batches.get(&self.next) else {
            return self.terms.sites.iter().map(|&site| PartyId(site)).collect();
        };
        let (nodes, sites): (Vec<u16>, Vec<u16>) = batch
            .missing()
            .partition(|&source| batch.topology.node(source).is_some());
        let mut sources = sites;
        for node in nodes {
            match party_of(&batch.topology, node) {
                Some(PartyId::AGGREGATOR) => sources.extend(self.nodes.waits_for(node)),
                _ => sources.push(node),
            }
        }
        let parties = sources
            .iter()
            .filter_map(|&source| party_of(&batch.topology, source));
        let mut missing: Vec<PartyId> = parties.collect();
        missing.retain(|&party| party != PartyId::AGGREGATOR);
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() {
            missing.push(PartyId::LABELS);
        }
        missing
    }
}

fn stalled(what: String) -> Error {
    Error::io("wait for", "the federation", std::io::Error::other(what))
}
