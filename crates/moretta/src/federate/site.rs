//! A site: classifies and learns its own columns, answers, and forwards what troubles it.
//!
//! Two stages. Classifying needs own records and labels alone, so a site that nobody answers
//! learns on. Telling needs a credit and its topology: ranks, bits and fragments are made then, in
//! the order of batches. Neither stage waits inside of a call; what cannot go on goes on with the
//! event that it lacks.

mod batch;
mod learning;
mod saved;
mod telling;

use super::consent::Asking;
use super::course::Course;
use super::frame::{Body, End, Hello, Kind, Labels, Refusal, Scores};
use super::give::Giver;
use super::label_book::LabelBook;
use super::links::{Address, Delivery, Links, Received};
use super::party::{Event, Note, Outbox, Party, PartyId, Rows, Time};
use super::quantile::Quantile;
use super::score::ScoreBook;
use super::terms::{Mode, Terms, TroubleTerms};
use super::topology::{Column, FragmentKind, Node, Topology};
use super::trust::{Place, Trust};
use crate::error::{Error, Result};
use crate::learn::{Header, Learner};
use batch::OwnBatch;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Batches that a site classifies ahead of what it may tell.
const AHEAD: u64 = 64;
/// Batches that it keeps while nobody answers.
const MOST_KEPT: usize = 1024;

/// What makes a site.
pub struct SiteOptions {
    /// Its number.
    pub id: u16,
    /// Its columns, none twice.
    pub columns: Vec<Column>,
    /// Its learner, built for these columns.
    pub learner: Box<dyn Learner>,
    /// The most telling kind of fragments that it sends.
    pub allows: FragmentKind,
    /// Sources that a node must have for it.
    pub min_sources: u16,
    /// How projections and masks are made.
    pub giver: Giver,
    /// Whose signatures it takes.
    pub trust: Trust,
    /// Whether frames can be lost.
    pub delivery: Delivery,
}

/// The site.
pub struct Site {
    terms: Arc<Terms>,
    id: u16,
    columns: Vec<Column>,
    header: Header,
    learner: Box<dyn Learner>,
    has_learnt: bool,
    allows: FragmentKind,
    min_sources: u16,
    giver: Giver,
    trust: Trust,
    /// Columns of other sites, as these have signed them.
    others: BTreeMap<u16, Vec<Column>>,
    links: Links,
    course: Course,
    labels: LabelBook,
    quantile: Quantile,
    /// What is expected of T, where records are ranked by it.
    scores: Option<ScoreBook>,
    /// Schemas and confidences of records whose T has not come, by batch and node.
    unscored: BTreeMap<(u64, u16), Vec<(u64, f64)>>,
    batches: VecDeque<OwnBatch>,
    /// The next batch of its own, the next record to classify and to learn, the next batch to
    /// tell.
    received: u64,
    classified: u64,
    learnt: u64,
    told: u64,
    /// Whether it has said hello, its rows have ended, it has told so, and the run is over.
    greeted: bool,
    ended: bool,
    end_told: bool,
    over: bool,
    votes: Vec<f64>,
}

impl Site {
    /// A site that has seen nothing.
    pub fn new(terms: Arc<Terms>, options: SiteOptions) -> Result<Self> {
        let inputs = options
            .columns
            .iter()
            .map(|column| column.input())
            .collect();
        let me = PartyId(options.id);
        if !me.is_site() || !terms.sites.contains(&options.id) {
            return Err(Error::usage("this site is not one of the federation")
                .help("name it among the sites of all parties"));
        }
        Ok(Site {
            id: options.id,
            header: Header::new(inputs, terms.classes as usize)?,
            columns: options.columns,
            learner: options.learner,
            has_learnt: false,
            allows: options.allows,
            min_sources: options.min_sources,
            giver: options.giver,
            trust: options.trust,
            others: BTreeMap::new(),
            links: Links::new(me, &terms, options.delivery),
            course: Course::default(),
            labels: LabelBook::new(terms.batch),
            quantile: Quantile::new(terms.window),
            scores: terms
                .trouble
                .as_ref()
                .and_then(|trouble| trouble.score)
                .map(|score| ScoreBook::new(score, terms.window)),
            unscored: BTreeMap::new(),
            batches: VecDeque::new(),
            received: 0,
            classified: 0,
            learnt: 0,
            told: 0,
            greeted: false,
            ended: false,
            end_told: false,
            over: false,
            votes: Vec::new(),
            terms,
        })
    }

    fn place(&self) -> Place<'_> {
        (&self.terms, self.links.run().unwrap_or(0))
    }

    /// Says hello once it has joined the run.
    fn greet(&mut self, now: Time, out: &mut Outbox) {
        if !self.greeted && self.links.run().is_some() {
            self.greeted = true;
            self.hello(None, now, out);
        }
    }

    /// Tells that its rows have ended, once the aggregator has all that it told of them.
    fn tell_end(&mut self, now: Time, out: &mut Outbox) {
        let is_told = self.told == self.received && self.greeted;
        if self.ended && !self.end_told && is_told && !self.links.awaits_of(PartyId::AGGREGATOR) {
            self.end_told = true;
            let batches = self.received;
            let address = Address::new(PartyId::AGGREGATOR, 0, batches);
            self.links
                .send(address, &Body::End(End { batches }), now, out);
        }
    }

    fn hello(&mut self, topology: Option<&Topology>, now: Time, out: &mut Outbox) {
        let epoch = topology.map_or(0, |topology| topology.epoch);
        let mut hello = Hello {
            terms: self.terms.sum(),
            next: self.told,
            columns: self.columns.clone(),
            allows: self.allows,
            min_sources: self.min_sources,
            mask: self.giver.public(&self.terms, topology),
            signature: [0; 64],
        };
        hello.signature = self
            .trust
            .sign_hello(self.place(), PartyId(self.id), epoch, &hello);
        let address = Address::new(PartyId::AGGREGATOR, epoch, 0).of_source(self.id);
        self.links.send(address, &Body::Hello(hello), now, out);
    }

    fn take_rows(&mut self, rows: &Rows) -> Result<()> {
        if rows.records.width() != self.columns.len() && !rows.records.is_empty() {
            return Err(Error::bug("records of another width than the site has"));
        }
        if rows.batch < self.received {
            let mut kept = self.batches.iter_mut();
            if let Some(batch) = kept.find(|batch| batch.number == rows.batch) {
                batch.refill(rows)?;
            }
            return Ok(());
        }
        if rows.batch > self.received {
            return Err(Error::bug("a batch of records was left out"));
        }
        self.batches.push_back(OwnBatch::new(rows));
        self.received += 1;
        Ok(())
    }

    fn take(
        &mut self,
        from: PartyId,
        received: Received,
        now: Time,
        out: &mut Outbox,
    ) -> Result<()> {
        let Received {
            header,
            body,
            stream,
        } = received;
        let about = Address::new(from, header.epoch, header.batch).about(header.node);
        let refused = match (from, body) {
            (PartyId::LABELS, Body::Labels(_)) if self.is_far(header.batch) => {
                self.links.postpone(from, stream);
                return Ok(());
            }
            (PartyId::LABELS, Body::Labels(labels)) => self.take_labels(header.batch, labels),
            (PartyId::AGGREGATOR, Body::Topology(topology)) => {
                match self.refusal_of(&topology, header.epoch) {
                    None if self.course.is_old(header.epoch) => self.course.refusal_of_old(),
                    None if !self.knows_sites(&topology) => {
                        // Hellos of other sites are on their way, and it comes again.
                        self.links.postpone(from, stream);
                        return Ok(());
                    }
                    None => self.take_topology(topology, now, out),
                    refused => refused,
                }
            }
            (PartyId::AGGREGATOR, Body::Credit(credit)) => {
                self.course.allow(credit);
                None
            }
            (PartyId::AGGREGATOR, Body::State(state)) => {
                self.course.set_state(header.batch, state);
                None
            }
            (PartyId::AGGREGATOR, Body::Hello(hello)) => {
                self.take_hello(header.sender, header.epoch, hello)
            }
            (PartyId::AGGREGATOR, Body::End(_)) => {
                self.over = true;
                None
            }
            (PartyId::AGGREGATOR, Body::Scores(scores)) => {
                self.take_scores(header.node, header.batch, &scores)
            }
            (_, Body::Agreed(agreed)) => self.take_agreed(about, agreed, out),
            _ => Some(Refusal::Unexpected),
        };
        if let Some(why) = refused {
            self.links.postpone(from, stream);
            // What a site has signed is its own fault, and not that of who passes it on.
            match header.kind {
                Kind::Hello => self.links.turn_away(from, why, about, out),
                _ => self.links.refuse(from, why, about, out),
            }
        }
        Ok(())
    }

    fn take_labels(&mut self, batch: u64, labels: Labels) -> Option<Refusal> {
        if let Some(why) = super::label_fault(&labels, &self.terms) {
            return Some(why);
        }
        let own = self.batches.iter().find(|own| own.number == batch);
        if own.is_some_and(|own| own.keys != labels.keys) {
            return Some(Refusal::Keys);
        }
        if batch >= self.learnt / u64::from(self.terms.batch) {
            self.labels.insert(batch, labels);
        }
        None
    }

    /// Whether labels are of a batch that is too far ahead to be kept. They come again.
    fn is_far(&self, batch: u64) -> bool {
        let learnt = self.learnt / u64::from(self.terms.batch);
        batch >= learnt.saturating_add(MOST_KEPT as u64)
    }

    /// What another site says of itself, as the aggregator passes it on.
    fn take_hello(&mut self, from: PartyId, epoch: u32, hello: Hello) -> Option<Refusal> {
        if !self.terms.sites.contains(&from.0) || from.0 == self.id {
            return Some(Refusal::Stranger);
        }
        if !self.trust.has_signed(self.place(), from, epoch, &hello) {
            return Some(Refusal::Signature);
        }
        if !self.trust.may_have(&self.terms, from, &hello.columns) {
            return Some(Refusal::Value);
        }
        let is_masked = |trouble: &TroubleTerms| trouble.fragments == FragmentKind::Masked;
        let masks = self.terms.trouble.as_ref().is_some_and(is_masked);
        if masks && !self.giver.meet(epoch, from.0, hello.mask) {
            return Some(Refusal::Value);
        }
        if epoch == 0 {
            self.others.entry(from.0).or_insert(hello.columns);
        }
        None
    }

    /// Whether all sites of a topology have told their columns.
    fn knows_sites(&self, topology: &Topology) -> bool {
        let mut sites = topology.sites.iter().map(|site| site.id);
        let is_known = |id: u16| {
            let is_told = id == self.id || self.others.contains_key(&id);
            is_told || !self.terms.sites.contains(&id)
        };
        self.terms.trouble.is_none() || sites.all(is_known)
    }

    fn asking(&self) -> Asking<'_> {
        Asking {
            terms: &self.terms,
            site: self.id,
            columns: &self.columns,
            others: &self.others,
            allows: self.allows,
            min_sources: self.min_sources,
        }
    }

    /// Why a topology is refused, whatever other sites are.
    fn refusal_of(&self, topology: &Topology, epoch: u32) -> Option<Refusal> {
        if topology.epoch != epoch {
            return Some(Refusal::Epoch);
        }
        if !self.trust.has_made(self.place(), topology) {
            return Some(Refusal::Signature);
        }
        (!self.asking().may_feed(topology)).then_some(Refusal::Consent)
    }

    fn take_topology(
        &mut self,
        topology: Topology,
        now: Time,
        out: &mut Outbox,
    ) -> Option<Refusal> {
        // What was told of a batch stays as it was asked for.
        if topology.first_batch < self.told || !self.asking().may(&topology) {
            return Some(Refusal::Consent);
        }
        let masked = |node: &Node| node.kind == FragmentKind::Masked;
        if topology.destinations(self.id).any(masked) {
            self.hello(Some(&topology), now, out);
        }
        self.course.announce(topology);
        None
    }

    fn take_scores(&mut self, node: u16, batch: u64, scores: &Scores) -> Option<Refusal> {
        // No source of a node counts for more than 1.
        let most = self
            .terms
            .trouble
            .as_ref()
            .map_or(0, |trouble| match trouble.fixed {
                true => self.terms.sites.len() as u16,
                false => u16::from(trouble.group),
            });
        let can_be = |score: &f32| (0.0..=f32::from(most)).contains(score);
        if !scores.scores.iter().all(can_be) {
            return Some(Refusal::Value);
        }
        let (Some(book), Some(records)) = (&mut self.scores, self.unscored.remove(&(batch, node)))
        else {
            // Those of a node that is gone may come again.
            let is_there = self.course.sources().any(|known| known == node);
            return is_there.then_some(Refusal::Unexpected);
        };
        for (at, &score) in scores.records.places().zip(&scores.scores) {
            if let Some(&(schema, confidence)) = records.get(at) {
                book.learn(schema, confidence, f64::from(score));
            }
        }
        None
    }

    /// Classifies and tells as far as what is there allows.
    fn advance(&mut self, now: Time, out: &mut Outbox) -> Result<()> {
        while self.classify_next() {}
        if self.terms.mode != Mode::Lockstep {
            self.learn_below(self.classified);
            self.course.skip_closed();
        }
        while self.tell_next(now, out)? {}
        self.give_agreed(now, out)?;
        self.forget(out);
        Ok(())
    }

    fn place_of(&self, number: u64) -> Option<usize> {
        let first = self.batches.front()?.number;
        let place = usize::try_from(number.checked_sub(first)?).ok()?;
        (place < self.batches.len()).then_some(place)
    }

    /// Drops batches that are told, learnt and asked for by nobody.
    fn forget(&mut self, out: &mut Outbox) {
        let closed = self.course.closed();
        while let Some(first) = self.batches.front() {
            let end = (first.number + 1) * u64::from(self.terms.batch);
            let over = first.number + AHEAD < closed;
            let asked = !first.waits.is_empty() && !over;
            let full = self.batches.len() > MOST_KEPT;
            let done = first.number < self.told && self.learnt >= end && !asked;
            if !done && !full {
                break;
            }
            if first.number >= self.told {
                out.notes.push(Note::Dropped(first.number));
            }
            self.learnt = self.learnt.max(end);
            self.classified = self.classified.max(end);
            self.batches.pop_front();
        }
        self.labels.forget_below(self.learnt);
        while self.unscored.len() > MOST_KEPT {
            self.unscored.pop_first();
        }
        let oldest = self.batches.front().map_or(self.told, |first| first.number);
        if self.course.forget_below(oldest.min(self.told)) {
            let known: BTreeSet<u16> = self.course.sources().collect();
            let sites = &self.terms.sites;
            let is_there = |source: u16| known.contains(&source) || sites.contains(&source);
            self.links.forget_streams(is_there);
        }
        if let (Some(oldest), Some(newest)) = (self.course.oldest(), self.course.newest()) {
            self.giver.forget_below(oldest.epoch, |node| {
                oldest.node(node).is_some() || newest.node(node).is_some()
            });
        }
    }
}

impl Party for Site {
    fn handle(&mut self, event: Event<'_>, now: Time, out: &mut Outbox) -> Result<()> {
        match event {
            Event::Rows(rows) => self.take_rows(rows)?,
            Event::RowsEnded => self.ended = true,
            Event::Linked(party) => self.links.relink(party, now, out),
            Event::Frame { from, bytes } => {
                if let Some(received) = self.links.receive(from, bytes, out) {
                    self.take(from, received, now, out)?;
                }
            }
            Event::Timer => {}
        }
        self.greet(now, out);
        self.advance(now, out)?;
        self.tell_end(now, out);
        self.links.finish(now, out);
        Ok(())
    }

    fn wants(&self) -> Option<u64> {
        let lost = self.batches.iter().find(|batch| batch.records.is_none());
        if let Some(batch) = lost {
            return Some(batch.number);
        }
        (self.received < self.told + AHEAD && !self.ended).then_some(self.received)
    }

    fn needs_rows(&self) -> bool {
        let wanted = self.wants().unwrap_or(self.received);
        self.terms.mode != Mode::Lockstep || self.can_learn_before(wanted)
    }

    fn resumes_at(&self) -> u64 {
        self.batches
            .front()
            .map_or(self.received, |first| first.number)
    }

    fn received(&self) -> u64 {
        self.received
    }

    fn has_ended(&self) -> bool {
        self.ended
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn answered(&self) -> u64 {
        self.course.closed()
    }

    fn awaits(&self) -> Vec<PartyId> {
        self.links.awaits()
    }

    fn save(&self) -> Result<Vec<u8>> {
        saved::save(self)
    }
}

#[cfg(test)]
mod tests;
