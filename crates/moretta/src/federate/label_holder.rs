//! The label holder: tells true classes to all.

use super::course::Course;
use super::frame::{Bits, Body, End, Labels, Refusal};
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
    /// Whether its rows have ended, it has told so, and the run is over.
    ended: bool,
    end_told: bool,
    over: bool,
}

impl LabelHolder {
    /// One that has told nothing.
    pub fn new(terms: Arc<Terms>, trust: Trust, delivery: Delivery) -> Self {
        LabelHolder {
            links: Links::new(PartyId::LABELS, &terms, delivery),
            trust,
            course: Course::default(),
            next: 0,
            ended: false,
            end_told: false,
            over: false,
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
        holder.ended = from.bool()?;
        holder.end_told = from.bool()?;
        holder.over = from.bool()?;
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
        let all: Vec<PartyId> = all.collect();
        self.links.send_all(&all, 0, rows.batch, &body, now, out);
        self.next += 1;
        Ok(())
    }

    /// Tells that its rows have ended, once the aggregator has all labels.
    fn tell_end(&mut self, now: Time, out: &mut Outbox) {
        let has_joined = self.course.has_credit();
        let awaits = self.links.awaits_of(PartyId::AGGREGATOR);
        if self.ended && !self.end_told && has_joined && !awaits {
            self.end_told = true;
            let batches = self.next;
            let address = Address::new(PartyId::AGGREGATOR, 0, batches);
            self.links
                .send(address, &Body::End(End { batches }), now, out);
        }
    }

    fn take(&mut self, from: PartyId, received: Received, out: &mut Outbox) {
        let refused = match received.body {
            Body::Credit(credit) if from == PartyId::AGGREGATOR => {
                self.course.allow(credit);
                None
            }
            Body::Topology(topology) if from == PartyId::AGGREGATOR => {
                let place = (&*self.terms, self.links.run().unwrap_or(0));
                (!self.trust.has_made(place, &topology)).then_some(Refusal::Signature)
            }
            Body::End(_) if from == PartyId::AGGREGATOR => {
                self.over = true;
                None
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
            Event::RowsEnded => self.ended = true,
            Event::Frame { from, bytes } => {
                if let Some(received) = self.links.receive(from, bytes, out) {
                    self.take(from, received, out);
                }
            }
            Event::Linked(party) => self.links.relink(party, now, out),
            Event::Timer => {}
        }
        self.tell_end(now, out);
        self.links.finish(now, out);
        Ok(())
    }

    fn wants(&self) -> Option<u64> {
        // Sites have joined the run before the first credit comes, and would not hear it earlier.
        let may_tell = self.course.has_credit() && !self.ended;
        let ahead = self.course.closed().saturating_add(AHEAD);
        (may_tell && self.next < ahead).then_some(self.next)
    }

    fn has_ended(&self) -> bool {
        self.ended
    }

    fn is_over(&self) -> bool {
        self.over
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
        for flag in [self.ended, self.end_told, self.over] {
            out.bool(flag);
        }
        self.links.save(&mut out);
        self.course.save(&mut out);
        Ok(out.into_bytes())
    }
}
