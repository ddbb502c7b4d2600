//! The consumer: takes final answers, one for each record, in order.

use super::frame::{Body, Final, Refusal};
use super::links::{Address, Delivery, Links};
use super::party::{Event, Outbox, Party, PartyId, Time};
use super::state::{Reader, Writer, odd};
use super::terms::Terms;
use crate::error::Result;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Batches that may come before their turn.
const MOST_EARLY: usize = 1024;

/// The consumer.
pub struct Consumer {
    terms: Arc<Terms>,
    links: Links,
    next: u64,
    early: BTreeMap<u64, Vec<Final>>,
    /// How many batches there are, once the run is over.
    end: Option<u64>,
}

impl Consumer {
    /// One that has seen nothing.
    pub fn new(terms: Arc<Terms>, delivery: Delivery) -> Self {
        Consumer {
            links: Links::new(PartyId::CONSUMER, &terms, delivery),
            next: 0,
            early: BTreeMap::new(),
            end: None,
            terms,
        }
    }

    /// One that goes on where the saved one was.
    pub fn load(terms: Arc<Terms>, delivery: Delivery, bytes: &[u8]) -> Result<Self> {
        let mut consumer = Consumer::new(terms, delivery);
        let mut from = Reader::new(bytes);
        if from.array()? != consumer.terms.sum() {
            return Err(odd("other terms than this federation has"));
        }
        consumer.next = from.u64()?;
        consumer.links.load(&mut from)?;
        for _ in 0..from.length()? {
            let batch = from.u64()?;
            let answers = super::frame::Finals::read(&mut from)?;
            consumer.early.insert(batch, answers.records);
        }
        if from.bool()? {
            consumer.end = Some(from.u64()?);
        }
        from.end()?;
        Ok(consumer)
    }

    /// The next batch that it has no answers to.
    pub fn next(&self) -> u64 {
        self.next
    }
}

impl Party for Consumer {
    fn handle(&mut self, event: Event<'_>, now: Time, out: &mut Outbox) -> Result<()> {
        match event {
            Event::Frame { from, bytes } => {
                if let Some(received) = self.links.receive(from, bytes, out) {
                    let batch = received.header.batch;
                    match received.body {
                        Body::Final(_)
                            if from == PartyId::AGGREGATOR
                                && self.early.len() >= MOST_EARLY
                                && batch != self.next =>
                        {
                            self.links.postpone(from, received.stream);
                        }
                        Body::Final(finals) if from == PartyId::AGGREGATOR => {
                            if batch >= self.next {
                                self.early.insert(batch, finals.records);
                            }
                        }
                        Body::End(end) if from == PartyId::AGGREGATOR => {
                            self.end = Some(end.batches);
                        }
                        _ => {
                            let about = Address::new(from, received.header.epoch, batch);
                            self.links.postpone(from, received.stream);
                            self.links.refuse(from, Refusal::Unexpected, about, out);
                        }
                    }
                }
                while let Some(answers) = self.early.remove(&self.next) {
                    out.answers.push((self.next, answers));
                    self.next += 1;
                }
            }
            Event::Linked(party) => self.links.relink(party, now, out),
            Event::Rows(_) | Event::RowsEnded | Event::Timer => {}
        }
        self.links.finish(now, out);
        Ok(())
    }

    fn resumes_at(&self) -> u64 {
        self.next
    }

    fn is_over(&self) -> bool {
        self.end.is_some_and(|end| self.next >= end)
    }

    fn awaits(&self) -> Vec<PartyId> {
        self.links.awaits()
    }

    fn save(&self) -> Result<Vec<u8>> {
        let mut out = Writer::default();
        out.raw(&self.terms.sum());
        out.u64(self.next);
        self.links.save(&mut out);
        out.size(self.early.len());
        for (batch, answers) in &self.early {
            out.u64(*batch);
            let records = answers.clone();
            super::frame::Finals { records }.write(&mut out);
        }
        out.bool(self.end.is_some());
        if let Some(end) = self.end {
            out.u64(end);
        }
        Ok(out.into_bytes())
    }
}
