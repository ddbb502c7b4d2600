//! A host of trouble nodes apart from the aggregator.

use super::consent::can_be;
use super::frame::{Body, Refusal};
use super::links::{Address, Delivery, Links, Post, Received};
use super::nodes::Nodes;
use super::party::{Event, Outbox, Party, PartyId, Time};
use super::state::{Reader, Writer, odd};
use super::terms::Terms;
use super::trust::Trust;
use crate::error::Result;
use std::sync::Arc;

/// The host.
pub struct Host {
    terms: Arc<Terms>,
    trust: Trust,
    links: Links,
    nodes: Nodes,
    over: bool,
}

impl Host {
    /// A host without nodes.
    pub fn new(terms: Arc<Terms>, me: PartyId, trust: Trust, delivery: Delivery) -> Self {
        Host {
            links: Links::new(me, &terms, delivery),
            nodes: Nodes::new(Arc::clone(&terms), me),
            trust,
            over: false,
            terms,
        }
    }

    /// One that goes on where the saved one was.
    pub fn load(
        terms: Arc<Terms>,
        me: PartyId,
        trust: Trust,
        delivery: Delivery,
        bytes: &[u8],
    ) -> Result<Self> {
        let mut host = Host::new(terms, me, trust, delivery);
        let mut from = Reader::new(bytes);
        if from.array()? != host.terms.sum() {
            return Err(odd("other terms than this federation has"));
        }
        host.links.load(&mut from)?;
        host.nodes.load(&mut from)?;
        host.over = from.bool()?;
        from.end()?;
        Ok(host)
    }

    /// Bytes of each node's model.
    pub fn memory(&self) -> Vec<(u16, usize)> {
        self.nodes.memory()
    }

    fn take(
        &mut self,
        from: PartyId,
        received: Received,
        now: Time,
        out: &mut Outbox,
    ) -> Result<()> {
        let (header, stream) = (received.header, received.stream);
        let refused = match (from, &received.body) {
            (_, Body::Keys(_) | Body::Fragment(_) | Body::Masked(_) | Body::Agreed(_)) => {
                return self
                    .nodes
                    .take(from, received, &mut Post::new(&mut self.links, now, out));
            }
            (PartyId::LABELS, Body::Labels(_)) if self.nodes.is_far(header.batch) => {
                self.links.postpone(from, stream);
                return Ok(());
            }
            (PartyId::LABELS, Body::Labels(labels)) => {
                let fault = super::label_fault(labels, &self.terms);
                if fault.is_none() {
                    self.nodes.take_labels(header.batch, labels.clone());
                }
                fault
            }
            (PartyId::AGGREGATOR, Body::Topology(topology)) => {
                let old = self.nodes.course().is_old(topology.epoch);
                let place = (&*self.terms, self.links.run().unwrap_or(0));
                let forged = !self.trust.has_made(place, topology);
                let fault = match forged {
                    true => Some(Refusal::Signature),
                    false => (!can_be(topology, &self.terms)).then_some(Refusal::Width),
                };
                if !old && fault.is_none() {
                    self.nodes.course().announce(topology.clone());
                }
                let late = || self.nodes.course().refusal_of_old();
                fault.or_else(|| old.then(late).flatten())
            }
            (PartyId::AGGREGATOR, Body::End(_)) => {
                self.over = true;
                None
            }
            (PartyId::AGGREGATOR, Body::Credit(credit)) => {
                self.nodes.course().allow(*credit);
                None
            }
            (PartyId::AGGREGATOR, Body::State(state)) => {
                self.nodes.course().set_state(header.batch, state.clone());
                None
            }
            _ => Some(Refusal::Unexpected),
        };
        if let Some(why) = refused {
            let about = Address::new(from, header.epoch, header.batch).about(header.node);
            self.links.postpone(from, stream);
            self.links.refuse(from, why, about, out);
        }
        Ok(())
    }
}

impl Party for Host {
    fn handle(&mut self, event: Event<'_>, now: Time, out: &mut Outbox) -> Result<()> {
        match event {
            Event::Frame { from, bytes } => {
                if let Some(received) = self.links.receive(from, bytes, out) {
                    self.take(from, received, now, out)?;
                }
            }
            Event::Linked(party) => self.links.relink(party, now, out),
            Event::Rows(_) | Event::RowsEnded | Event::Timer => {}
        }
        self.nodes
            .advance(&mut Post::new(&mut self.links, now, out))?;
        while let Some(received) = self.links.next_own(out) {
            self.take(received.header.sender, received, now, out)?;
            self.nodes
                .advance(&mut Post::new(&mut self.links, now, out))?;
        }
        self.links.finish(now, out);
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn awaits(&self) -> Vec<PartyId> {
        self.links.awaits()
    }

    fn save(&self) -> Result<Vec<u8>> {
        let mut out = Writer::default();
        out.raw(&self.terms.sum());
        self.links.save(&mut out);
        self.nodes.save(&mut out)?;
        out.bool(self.over);
        Ok(out.into_bytes())
    }
}
