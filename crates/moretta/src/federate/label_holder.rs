//! The label holder: tells true classes to all.

use super::course::Course;
use super::frame::{Bits, Body, Labels, Refusal};
use super::links::{Address, Delivery, Links, Received};
use super::party::{Event, Outbox, Party, PartyId, Rows, Time};
use super::state::{Reader, Writer, odd};
use super::terms::Terms;
use super::trust::Trust;
use crate::error::{Error, Result};
use std::sync::Arc;

/// Batches that it is ahead of the last answered one.
const AHEAD: u64 = 64;

/// The label holder.
pub struct LabelHolder {
    terms: Arc<Terms>,
    trust: Trust,
    links: Links,
    course: Course,
    next: u64,
}

impl LabelHolder {
    /// One that has told nothing.
    pub fn new(terms: Arc<Terms>, trust: Trust, delivery: Delivery) -> Self {
        LabelHolder {
            links: Links::new(PartyId::LABELS, terms.federation_number(), delivery),
            trust,
            course: Course::default(),
            next: 0,
            terms,
        }
    }

    /// One that goes on where the saved one was.
    pub fn load(terms: Arc<Terms>, trust: Trust, delivery: Delivery, bytes: &[u8]) -> Result<Self> {
        let mut holder = LabelHolder::new(terms, trust, delivery);
        let mut from = Reader::new(bytes);
        if from.array()? != holder.terms.sum() {
            return Err(odd("other terms than this federation has"));
        }
        holder.next = from.u64()?;
        holder.links.load(&mut from)?;
        holder.course = Course::load(&mut from)?;
        from.end()?;
        Ok(holder)
    }

    fn tell(&mut self, rows: &Rows, now: Time, out: &mut Outbox) -> Result<()> {
        if rows.batch < self.next {
            return Ok(());
        }
        if rows.batch > self.next {
            return Err(Error::bug("a batch of labels was left out"));
        }
        let mut present = Bits::new(rows.classes.len());
        let mut classes = rows.classes.clone();
        for (at, class) in classes.iter_mut().enumerate() {
            match *class < self.terms.classes && !rows.absent.contains(&at) {
                true => present.set(at),
                false => *class = 0,
            }
        }
        let labels = Labels {
            class_count: self.terms.classes,
            present,
            classes,
            keys: rows.keys,
        };
        let body = Body::Labels(labels);
        let sites = self.terms.sites.iter().map(|&site| PartyId(site));
        let hosts = self.terms.hosts.iter().map(|&host| PartyId(host));
        let all = sites.chain(hosts).chain([PartyId::AGGREGATOR]);
        for party in all.collect::<Vec<PartyId>>() {
            self.links
                .send(Address::new(party, 0, rows.batch), &body, now, out);
        }
        self.next += 1;
        Ok(())
    }

    fn take(&mut self, from: PartyId, received: Received, out: &mut Outbox) {
        let refused = match received.body {
            Body::Credit(credit) if from == PartyId::AGGREGATOR => {
                self.course.allow(credit);
                None
            }
            Body::Topology(topology) if from == PartyId::AGGREGATOR => {
                (!self.trust.has_made(&self.terms, &topology)).then_some(Refusal::Signature)
            }
            _ => Some(Refusal::Unexpected),
        };
        if let Some(why) = refused {
            let about = Address::new(from, received.header.epoch, received.header.batch);
            self.links.postpone(from, received.stream);
            self.links.refuse(from, why, about, out);
        }
    }
}

impl Party for LabelHolder {
    fn handle(&mut self, event: Event<'_>, now: Time, out: &mut Outbox) -> Result<()> {
        match event {
            Event::Rows(rows) => self.tell(rows, now, out)?,
            Event::Frame { from, bytes } => {
                if let Some(received) = self.links.receive(from, bytes, out) {
                    self.take(from, received, out);
                }
            }
            Event::Linked(party) => self.links.relink(party, now, out),
            Event::Timer => {}
        }
        self.links.finish(now, out);
        Ok(())
    }

    fn wants(&self) -> Option<u64> {
        (self.next < self.course.closed() + AHEAD).then_some(self.next)
    }

    fn resumes_at(&self) -> u64 {
        self.next
    }

    fn answered(&self) -> u64 {
        self.course.closed()
    }

    fn awaits(&self) -> Vec<PartyId> {
        self.links.awaits()
    }

    fn save(&self) -> Result<Vec<u8>> {
        let mut out = Writer::default();
        out.raw(&self.terms.sum());
        out.u64(self.next);
        self.links.save(&mut out);
        self.course.save(&mut out);
        Ok(out.into_bytes())
    }
}
