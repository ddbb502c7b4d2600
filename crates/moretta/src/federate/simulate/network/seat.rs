//! Where the parties of a simulation sit: how each is made, killed and made again.

use super::super::process::SiteSource;
use super::super::weather::Weather;
use crate::error::Result;
use crate::federate::journal::{Durable, MemoryJournal};
use crate::federate::{
    Aggregator, AggregatorOptions, Consumer, Delivery, FragmentKind, Giver, Host, LabelHolder,
    Mark, Outbox, Party, PartyId, Rows, Site, SiteOptions, Terms, Time, Trust,
};
use crate::learn;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A party, or its journal while it is down.
#[derive(Default)]
pub(super) struct Seat {
    pub(super) party: Option<Durable<Box<dyn Party>, MemoryJournal>>,
    pub(super) journal: Option<MemoryJournal>,
    /// What it remembered when it was killed.
    known: Option<Vec<u8>>,
    pub(super) wake: Option<Time>,
    /// Whether its next rows are on their way.
    pub(super) is_fed: bool,
}

/// All seats.
pub(super) struct Seats {
    terms: Arc<Terms>,
    sources: BTreeMap<PartyId, SiteSource>,
    retry: Time,
    stall: Option<Time>,
    seats: BTreeMap<PartyId, Seat>,
}

impl Seats {
    pub(super) fn new(terms: &Arc<Terms>, sources: Vec<SiteSource>, weather: &Weather) -> Self {
        let ids = terms.sites.iter().map(|&id| PartyId(id));
        let others = [PartyId::AGGREGATOR, PartyId::LABELS, PartyId::CONSUMER];
        let hosts = terms.hosts.iter().map(|&host| PartyId(host));
        let all = ids.clone().chain(hosts).chain(others);
        let empty = |party| {
            let seat = Seat {
                journal: Some(MemoryJournal::default()),
                ..Seat::default()
            };
            (party, seat)
        };
        Seats {
            sources: ids.zip(sources).collect(),
            retry: weather.retry,
            stall: weather.stall,
            seats: all.map(empty).collect(),
            terms: Arc::clone(terms),
        }
    }

    pub(super) fn all(&self) -> Vec<PartyId> {
        self.seats.keys().copied().collect()
    }

    /// Whether the run is over for all, and the aggregator knows that they know.
    pub(super) fn are_over(&self) -> bool {
        let over = |seat: &Seat| seat.party.as_ref().is_some_and(|party| party.is_over());
        let hub = self.seats.get(&PartyId::AGGREGATOR);
        let hub = hub.and_then(|seat| seat.party.as_ref());
        self.seats.values().all(over) && hub.is_some_and(|hub| hub.awaits().is_empty())
    }

    /// Those with whom a party has a link.
    pub(super) fn peers(&self, party: PartyId) -> Vec<PartyId> {
        let linked = |&peer: &PartyId| {
            let (low, high) = (party.min(peer), party.max(peer));
            low != high
                && match (low, high) {
                    (_, PartyId::AGGREGATOR) => true,
                    (low, PartyId::LABELS) => low.is_site() || low.is_host(),
                    (low, high) => high.is_host() && (low.is_site() || low.is_host()),
                }
        };
        self.seats.keys().copied().filter(linked).collect()
    }

    /// The seat of a party; those that there are not sit nowhere and hear nothing.
    pub(super) fn seat(&mut self, party: PartyId) -> &mut Seat {
        self.seats.entry(party).or_default()
    }

    /// Ends a party and gives back what it has written.
    pub(super) fn kill(&mut self, party: PartyId) -> Option<MemoryJournal> {
        let seat = self.seat(party);
        (seat.wake, seat.is_fed) = (None, false);
        seat.known = seat.party.as_ref().and_then(|party| party.save().ok());
        seat.party.take().map(Durable::into_journal)
    }

    /// The journal of a party that is up or down.
    pub(super) fn take_journal(&mut self, party: PartyId) -> Option<MemoryJournal> {
        self.kill(party).or_else(|| self.seat(party).journal.take())
    }

    /// Makes a party that is down from its journal, and says whether it is what it was.
    pub(super) fn open(
        &mut self,
        party: PartyId,
        every: u64,
        rows: &mut dyn FnMut(u64) -> Result<Rows>,
    ) -> Result<Option<(Outbox, bool)>> {
        let Some(journal) = self.seat(party).journal.take() else {
            return Ok(None);
        };
        let make = |saved: Option<&[u8]>| self.make(party, saved);
        let (durable, out) = Durable::open(journal, every, make, rows)?;
        let seat = self.seat(party);
        let known = seat.known.take();
        let is_same = known.is_none_or(|known| durable.save().is_ok_and(|saved| saved == known));
        seat.party = Some(durable);
        Ok(Some((out, is_same)))
    }

    /// Frames can be lost; the mark of a party is its number.
    fn delivery(&self, party: PartyId) -> Delivery {
        Delivery::Acknowledged {
            retry: self.retry,
            mark: mark_of(party),
        }
    }

    pub(super) fn make(&self, party: PartyId, saved: Option<&[u8]>) -> Result<Box<dyn Party>> {
        let (terms, delivery) = (Arc::clone(&self.terms), self.delivery(party));
        let trust = Trust::Process;
        Ok(match (party, saved) {
            (PartyId::AGGREGATOR, saved) => {
                let options = AggregatorOptions {
                    trust,
                    delivery,
                    has_consumer: true,
                    observes: false,
                    stall: self.stall,
                };
                match saved {
                    None => Box::new(Aggregator::new(terms, options)?),
                    Some(bytes) => Box::new(Aggregator::load(terms, options, bytes)?),
                }
            }
            (PartyId::LABELS, None) => Box::new(LabelHolder::new(terms, trust, delivery)),
            (PartyId::LABELS, Some(bytes)) => {
                Box::new(LabelHolder::load(terms, trust, delivery, bytes)?)
            }
            (PartyId::CONSUMER, None) => Box::new(Consumer::new(terms, delivery)),
            (PartyId::CONSUMER, Some(bytes)) => Box::new(Consumer::load(terms, delivery, bytes)?),
            (host, None) if host.is_host() => Box::new(Host::new(terms, host, trust, delivery)),
            (host, Some(bytes)) if host.is_host() => {
                Box::new(Host::load(terms, host, trust, delivery, bytes)?)
            }
            (site, saved) => {
                let options = self.site_options(site)?;
                match saved {
                    None => Box::new(Site::new(terms, options)?),
                    Some(bytes) => Box::new(Site::load(terms, options, bytes)?),
                }
            }
        })
    }

    fn site_options(&self, site: PartyId) -> Result<SiteOptions> {
        let source = self.sources.get(&site);
        let source = source.ok_or_else(|| crate::error::Error::usage("a site without records"))?;
        let inputs = source.columns.iter().map(|column| column.input()).collect();
        let header = learn::Header::new(inputs, self.terms.classes as usize)?;
        Ok(SiteOptions {
            id: site.0,
            columns: source.columns.clone(),
            learner: learn::build(&source.learner, &header, 1)?,
            allows: FragmentKind::Raw,
            min_sources: 2,
            giver: Giver::new(source.sharing.clone()),
            trust: Trust::Process,
            delivery: self.delivery(site),
        })
    }
}

/// What a party of a simulation drew when it was begun.
pub(super) fn mark_of(party: PartyId) -> Mark {
    let mut mark = [1; 16];
    mark[..2].copy_from_slice(&party.0.to_le_bytes());
    Mark(mark)
}
