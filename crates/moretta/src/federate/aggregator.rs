//! The aggregator: takes the answers of sites and trouble nodes, makes the final ones, and
//! changes the hierarchy.
//!
//! It sees classes, coarse confidences and bits of every source, and labels. A batch is
//! *answered* once all that is waited for is there (in flow mode: or the deadline has passed) and
//! *settled* when its labels are known: monitors, weights and the stacker are fed then, record by
//! record in the order of the stream. Between batches the hierarchy changes.

mod answering;
mod batch;
mod hierarchy;
mod phases;
mod quality;
mod rows;
mod saved;
mod scores;
mod settle;
mod stalls;

use super::classify::Judgement;
use super::frame::{Answers, Body, End, Finals, Hello, Kind, Labels, Refusal};
use super::give::sites_of;
use super::label_book::{Known, LabelBook};
use super::links::{Address, Delivery, Links, Post, Received};
use super::mask::trace;
use super::monitor::{Asked, Candidate, Monitors};
use super::nodes::{MOST_LABELS, Nodes, party_of};
use super::party::{Event, Note, Outbox, Party, PartyId, Time};
use super::ratio::Ratio;
use super::room::{most_values, values_of};
use super::terms::{Mode, Rule, Terms};
use super::topology::{Column, FragmentKind, MOST_COLUMNS, Topology, are_alike};
use super::trust::{Place, Trust};
use crate::error::Result;
use crate::learn::{self, Header, Input, Learner};
use crate::math::java_random::JavaRandom;
use batch::Batch;
use quality::Quality;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

pub use settle::Settled;

/// Batches ahead of the last answered one, where nothing depends on it.
const AHEAD: u64 = 64;

/// What makes an aggregator.
pub struct AggregatorOptions {
    /// Own key and those of others.
    pub trust: Trust,
    /// Whether frames can be lost.
    pub delivery: Delivery,
    /// Whether there is a consumer to be told.
    pub has_consumer: bool,
    /// Whether settled records are kept for [`Aggregator::take_settled`].
    pub observes: bool,
    /// Milliseconds without progress after which lockstep gives up; none waits for ever.
    pub stall: Option<Time>,
}

/// The aggregator.
pub struct Aggregator {
    terms: Arc<Terms>,
    trust: Trust,
    links: Links,
    nodes: Nodes,
    has_consumer: bool,
    observes: bool,
    stall: Option<Time>,
    hellos: BTreeMap<u16, Hello>,
    /// Which site has shown a mask key first in an epoch, by what all texts of the key have in common.
    masks: BTreeMap<(u32, [u8; 32]), u16>,
    topologies: VecDeque<Arc<Topology>>,
    monitors: Option<Monitors>,
    next_node: u16,
    batches: BTreeMap<u64, Batch>,
    labels: LabelBook,
    /// The next batch to answer, and the first that is not allowed.
    next: u64,
    below: u64,
    /// The next record to settle, and the next batch whose records all are.
    settled: u64,
    settled_batches: u64,
    /// In flow mode: the next batch that answers may still come for.
    closed: u64,
    random: JavaRandom,
    stacker: Option<(Box<dyn Learner>, Header, bool)>,
    qualities: BTreeMap<u16, Quality>,
    /// How many batches parties with rows have, once these have ended.
    ends: BTreeMap<PartyId, u64>,
    over: bool,
    moved: Option<Time>,
    /// Names of parties, for errors.
    names: BTreeMap<PartyId, String>,
    observed: Vec<Settled>,
    agreements_told: BTreeMap<u16, Ratio>,
    votes: Vec<f64>,
    /// What the sites answered to one record, and the votes of each class.
    said: Vec<Option<Judgement>>,
    counts: Vec<(u32, f64)>,
}

impl Aggregator {
    /// One that has seen nothing. Fails if a learner of the terms cannot be built.
    pub fn new(terms: Arc<Terms>, options: AggregatorOptions) -> Result<Self> {
        let stacker = match terms.answer.rule {
            Rule::Stack => {
                let values = terms.classes as usize;
                let inputs = vec![Input::Nominal { values }; terms.sites.len()];
                let header = Header::new(inputs, values)?;
                let seed = terms.trouble.as_ref().map_or(1, |trouble| trouble.seed);
                Some((
                    learn::build(&terms.answer.stacker, &header, seed)?,
                    header,
                    false,
                ))
            }
            _ => None,
        };
        let monitors = terms.trouble.as_ref().filter(|trouble| !trouble.fixed);
        let monitors = monitors.map(|trouble| {
            Monitors::new(terms.monitors, trouble.rank_by, usize::from(trouble.group))
        });
        Ok(Aggregator {
            links: Links::new(PartyId::AGGREGATOR, &terms, options.delivery),
            nodes: Nodes::new(Arc::clone(&terms), PartyId::AGGREGATOR),
            trust: options.trust,
            has_consumer: options.has_consumer,
            observes: options.observes,
            stall: options.stall,
            hellos: BTreeMap::new(),
            masks: BTreeMap::new(),
            topologies: VecDeque::new(),
            monitors,
            next_node: terms.sites.iter().max().map_or(0, |last| last + 1),
            batches: BTreeMap::new(),
            labels: LabelBook::new(terms.batch),
            next: 0,
            below: 0,
            settled: 0,
            settled_batches: 0,
            closed: 0,
            random: JavaRandom::new(1),
            stacker,
            qualities: BTreeMap::new(),
            ends: BTreeMap::new(),
            over: false,
            moved: None,
            names: BTreeMap::new(),
            observed: Vec::new(),
            agreements_told: BTreeMap::new(),
            votes: Vec::new(),
            said: Vec::new(),
            counts: Vec::new(),
            terms,
        })
    }

    /// Parties have these names in errors; those without one are numbered.
    #[must_use]
    pub fn with_names(mut self, names: BTreeMap<PartyId, String>) -> Self {
        self.names = names;
        self
    }

    /// Whether frames of a party are not listened to any more.
    pub fn has_shut_out(&self, party: PartyId) -> bool {
        self.links.is_shut_out(party)
    }

    /// Batches below this are answered.
    pub fn answered(&self) -> u64 {
        self.next
    }

    /// The newest topology.
    pub fn topology(&self) -> Option<&Arc<Topology>> {
        self.topologies.back()
    }

    /// Records that were settled since this was asked last.
    pub fn take_settled(&mut self) -> Vec<Settled> {
        std::mem::take(&mut self.observed)
    }

    /// Candidates for trouble nodes and how much their sources agree.
    pub fn agreements(&self) -> impl Iterator<Item = (&[u16], f64)> {
        self.monitors.iter().flat_map(Monitors::agreements)
    }

    /// Candidates for trouble nodes with what their monitors compare.
    pub fn candidates(&self) -> Vec<Candidate> {
        let monitors = self.monitors.iter();
        monitors.flat_map(Monitors::watched).collect()
    }

    /// What candidates for trouble nodes have been told; none where there are none.
    pub fn asked(&self) -> Option<Asked> {
        self.monitors.as_ref().and_then(Monitors::asked)
    }

    fn topology_at(&self, batch: u64) -> Option<&Arc<Topology>> {
        let before = |topology: &&Arc<Topology>| topology.first_batch <= batch;
        self.topologies.iter().rev().find(before)
    }

    fn take(
        &mut self,
        from: PartyId,
        received: Received,
        now: Time,
        out: &mut Outbox,
    ) -> Result<()> {
        let (header, stream) = (received.header, received.stream);
        let refused = match (from, received.body) {
            (_, Body::Answers(answers)) => {
                self.take_answers(from, header.epoch, header.batch, answers, now, out)
            }
            (PartyId::LABELS, Body::Labels(_)) if header.batch >= self.done() + MOST_LABELS => {
                self.links.postpone(from, stream);
                return Ok(());
            }
            (PartyId::LABELS, Body::Labels(labels)) => self.take_labels(header.batch, labels, out),
            (_, Body::Hello(hello)) if from.is_site() => {
                self.take_hello(from, header.epoch, hello, now, out)
            }
            (_, Body::End(end)) if from.is_site() || from == PartyId::LABELS => {
                self.ends.insert(from, end.batches);
                None
            }
            (_, body @ (Body::Keys(_) | Body::Fragment(_) | Body::Masked(_) | Body::Agreed(_))) => {
                let received = Received {
                    header,
                    body,
                    stream,
                };
                return self
                    .nodes
                    .take(from, received, &mut Post::new(&mut self.links, now, out));
            }
            _ => Some(Refusal::Unexpected),
        };
        if let Some(why) = refused {
            let about = Address::new(from, header.epoch, header.batch).about(header.node);
            self.links.postpone(from, stream);
            self.links.refuse(from, why, about, out);
            if header.kind == Kind::Answers {
                self.give_up(from, header.batch, stream.source, now);
            }
        }
        Ok(())
    }

    /// Goes on without answers that were refused: those of their sender, whatever they said.
    fn give_up(&mut self, from: PartyId, number: u64, source: u16, now: Time) {
        let Some(topology) = self.topology_at(number).map(Arc::clone) else {
            return;
        };
        if !(self.done()..self.below).contains(&number) {
            return;
        }
        let source = match from.is_site() {
            true => Some(from.0),
            false => Some(source).filter(|&source| party_of(&topology, source) == Some(from)),
        };
        let labelled = self.labelled_rows(number);
        let batch = self.batches.entry(number).or_insert_with(|| {
            let mut batch = Batch::new(topology, now);
            batch.labelled = labelled;
            batch
        });
        if let Some(source) = source {
            batch.give_up(source);
        }
    }

    fn place(&self) -> Place<'_> {
        (&self.terms, self.links.run().unwrap_or(0))
    }

    fn take_hello(
        &mut self,
        from: PartyId,
        epoch: u32,
        hello: Hello,
        now: Time,
        out: &mut Outbox,
    ) -> Option<Refusal> {
        if !self.terms.sites.contains(&from.0) || hello.terms != self.terms.sum() {
            return Some(Refusal::Stranger);
        }
        if !self.trust.has_signed(self.place(), from, epoch, &hello) {
            return Some(Refusal::Signature);
        }
        // Who shows a key that makes no secret with others, or the key of another site, is lying.
        if !trace(&hello.mask).is_some_and(|mask| self.is_first_to_show(from, epoch, mask)) {
            self.links.shut_out(from, out);
            return Some(Refusal::Value);
        }
        if epoch == 0 {
            let is_sound = hello.columns.iter().all(|column| column.size > 0)
                && are_alike([&*hello.columns].into_iter());
            if hello.columns.is_empty() || !is_sound {
                return Some(Refusal::Width);
            }
            if !self.trust.may_have(&self.terms, from, &hello.columns) {
                return Some(Refusal::Value);
            }
            if !self.has_room(from, &hello.columns) {
                return Some(Refusal::Room);
            }
            if !self.is_alike(from, &hello.columns) {
                return Some(Refusal::Columns);
            }
            self.hellos.entry(from.0).or_insert(hello);
            return None;
        }
        let others = self.joined_with(from, epoch);
        self.pass_on(from, epoch, &hello, &others, now, out);
        None
    }

    /// Whether no other site has shown a mask key before.
    fn is_first_to_show(&mut self, from: PartyId, epoch: u32, mask: [u8; 32]) -> bool {
        let trouble = self.terms.trouble.as_ref();
        let masks = trouble.is_some_and(|trouble| trouble.fragments == FragmentKind::Masked);
        let mut topologies = self.topologies.iter();
        let is_known = epoch == 0 || topologies.any(|topology| topology.epoch == epoch);
        // Keys of other epochs are shown to nobody.
        !(masks && is_known) || *self.masks.entry((epoch, mask)).or_insert(from.0) == from.0
    }

    /// Whether there is room for the columns of a site and for what they can hold.
    fn has_room(&self, from: PartyId, columns: &[Column]) -> bool {
        let others = self.hellos.iter().filter(|(site, _)| **site != from.0);
        let others: usize = others.map(|(_, hello)| hello.columns.len()).sum();
        let most = most_values(&self.terms);
        others + columns.len() <= MOST_COLUMNS && most.is_none_or(|most| values_of(columns) <= most)
    }

    /// Whether columns that a site shares are those that sites before it have.
    fn is_alike(&self, from: PartyId, columns: &[Column]) -> bool {
        let own: BTreeMap<u64, Column> = columns.iter().map(|&own| (own.name(), own)).collect();
        let others = self.hellos.iter().filter(|(site, _)| **site != from.0);
        let mut others = others.flat_map(|(_, hello)| &hello.columns);
        others.all(|other| own.get(&other.name()).is_none_or(|own| own == other))
    }

    /// The other sites of the nodes of a site.
    fn joined_with(&self, from: PartyId, epoch: u32) -> Vec<u16> {
        let topology = self
            .topologies
            .iter()
            .find(|topology| topology.epoch == epoch);
        let Some(topology) = topology else {
            return Vec::new();
        };
        let others = topology
            .destinations(from.0)
            .flat_map(|node| sites_of(topology, node));
        let mut others: Vec<u16> = others.filter(|&site| site != from.0).collect();
        others.sort_unstable();
        others.dedup();
        others
    }

    /// Shows what a site has signed to others.
    fn pass_on(
        &mut self,
        from: PartyId,
        epoch: u32,
        hello: &Hello,
        others: &[u16],
        now: Time,
        out: &mut Outbox,
    ) {
        let bytes = self
            .links
            .frame_of(from, epoch, &Body::Hello(hello.clone()));
        for &site in others {
            let address = Address::new(PartyId(site), epoch, 0).of_source(from.0);
            self.links
                .send_bytes(address, Kind::Hello, bytes.clone(), now, out);
        }
    }

    fn take_labels(&mut self, batch: u64, labels: Labels, out: &mut Outbox) -> Option<Refusal> {
        if let Some(why) = super::label_fault(&labels, &self.terms) {
            return Some(why);
        }
        let first = self.settled / u64::from(self.terms.batch);
        if batch >= first {
            self.labels.insert(batch, labels.clone());
            self.hold_against_labels(batch, out);
        }
        self.nodes.take_labels(batch, labels);
        None
    }

    fn take_answers(
        &mut self,
        from: PartyId,
        epoch: u32,
        number: u64,
        answers: Answers,
        now: Time,
        out: &mut Outbox,
    ) -> Option<Refusal> {
        if number < self.done() {
            out.notes.push(Note::Late(from, number));
            return None;
        }
        if number >= self.below {
            return Some(Refusal::Batch);
        }
        let topology = Arc::clone(self.topology_at(number)?);
        if topology.epoch != epoch {
            return Some(Refusal::Epoch);
        }
        if party_of(&topology, answers.source) != Some(from) {
            return Some(Refusal::Sender);
        }
        let labelled = self.labelled_rows(number);
        let batch = self.batches.entry(number).or_insert_with(|| {
            let mut batch = Batch::new(topology, now);
            batch.labelled = labelled;
            batch
        });
        let fault = batch.fault(&answers, &self.terms);
        if fault.is_none() {
            if batch.is_answered() {
                out.notes.push(Note::Late(from, number));
            }
            batch.insert(answers);
        }
        fault
    }

    /// Answers and settles as far as what is there allows.
    fn advance(&mut self, now: Time, out: &mut Outbox) -> Result<()> {
        if self.topologies.is_empty() {
            self.begin(now, out);
        }
        loop {
            self.nodes
                .advance(&mut Post::new(&mut self.links, now, out))?;
            while let Some(received) = self.links.next_own(out) {
                self.take(PartyId::AGGREGATOR, received, now, out)?;
                self.nodes
                    .advance(&mut Post::new(&mut self.links, now, out))?;
            }
            let before = (self.next, self.settled, self.closed);
            if self.is_due(now, out) {
                self.answer(now, out);
            } else if self.is_lost(now, out) {
                self.pass_over(now, out);
            }
            if self.terms.mode != Mode::Lockstep {
                self.settle_flow(now, out);
            }
            self.change_hierarchy(now, out);
            if before == (self.next, self.settled, self.closed) {
                break;
            }
            self.moved = Some(now);
        }
        self.end(now, out);
        self.watch_for_stalls(now, out)
    }

    /// Tells all parties that the run is over once every row is answered.
    fn end(&mut self, now: Time, out: &mut Outbox) {
        let sites = self.terms.sites.iter().map(|&site| PartyId(site));
        let waited = sites.chain([PartyId::LABELS]);
        let mut waited = waited.filter(|&party| !self.links.is_shut_out(party));
        let Some(&batches) = self.ends.values().max().filter(|_| !self.over) else {
            return;
        };
        // All that was told of batches came before the end of them was.
        let batches = batches.min(self.told());
        // A consumer that has ended would acknowledge nothing any more.
        let unread = self.links.is_behind(PartyId::CONSUMER, Kind::Final, 1);
        let ended = waited.all(|party| self.ends.contains_key(&party));
        if !ended || unread || self.done() < batches {
            return;
        }
        self.over = true;
        let consumer = self.has_consumer.then_some(PartyId::CONSUMER);
        for party in self.parties().into_iter().chain(consumer) {
            let address = Address::new(party, 0, batches);
            self.links
                .send(address, &Body::End(End { batches }), now, out);
        }
    }

    /// Batches below this are those of which anything was ever told.
    fn told(&self) -> u64 {
        let answered = self.batches.last_key_value().map(|(number, _)| number + 1);
        let told = answered.max(self.labels.told_below());
        told.unwrap_or(0).max(self.done())
    }

    /// Whether the next batch can be answered.
    fn is_due(&mut self, now: Time, out: &mut Outbox) -> bool {
        let Some(batch) = self.batches.get(&self.next) else {
            return false;
        };
        let topology = Arc::clone(&batch.topology);
        let gone = |source: u16| is_gone(&self.links, &topology, source);
        match self.terms.mode {
            Mode::Lockstep => {
                let Some(count) = batch.count() else {
                    return false;
                };
                let end = self.next * u64::from(self.terms.batch) + count as u64;
                let due = end.saturating_sub(self.terms.label_delay);
                let labelled = due == 0 || self.labels.label(due - 1) != Known::NotYet;
                // Whose rows are meant the labels will say.
                labelled && !batch.has_other_rows() && batch.has_all(gone)
            }
            Mode::Flow { after, .. } => {
                let max_order = self.terms.answer.max_order;
                let deadline = batch.started + after;
                if now < deadline {
                    out.wake_at(deadline);
                }
                batch.count().is_some() && (now >= deadline || batch.is_complete(max_order, gone))
            }
        }
    }

    /// In flow mode: whether nobody has told of the next batch, but long since of a later one.
    fn is_lost(&self, now: Time, out: &mut Outbox) -> bool {
        let Mode::Flow {
            after, patience, ..
        } = self.terms.mode
        else {
            return false;
        };
        let known = self.batches.get(&self.next);
        if known.is_some_and(|batch| batch.count().is_some()) {
            return false;
        }
        let wait = after + patience;
        let later = self.batches.range(self.next + 1..);
        let Some(deadline) = later.map(|(_, batch)| batch.started + wait).min() else {
            return false;
        };
        if now < deadline {
            out.wake_at(deadline);
        }
        now >= deadline
    }

    /// Tells the consumer that there are no answers to a batch.
    fn pass_over(&mut self, now: Time, out: &mut Outbox) {
        out.notes.push(Note::Dropped(self.next));
        if self.has_consumer {
            let epoch = self.topology_at(self.next).map_or(0, |found| found.epoch);
            let address = Address::new(PartyId::CONSUMER, epoch, self.next);
            let records = Vec::new();
            self.links
                .send(address, &Body::Final(Finals { records }), now, out);
        }
        self.next += 1;
    }

    /// Batches below this take no answers any more.
    fn done(&self) -> u64 {
        match self.terms.mode {
            Mode::Lockstep => self.next,
            Mode::Flow { .. } => self.closed,
        }
    }
}

/// Whether a source is shut out, or stands on one that is.
fn is_gone(links: &Links, topology: &Topology, source: u16) -> bool {
    let party = party_of(topology, source);
    let sources = topology.node(source).map_or(&[][..], |node| &node.sources);
    party.is_some_and(|party| links.is_shut_out(party))
        || sources
            .iter()
            .any(|&source| is_gone(links, topology, source))
}

impl Party for Aggregator {
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
        self.advance(now, out)?;
        self.links.finish(now, out);
        Ok(())
    }

    fn answered(&self) -> u64 {
        self.next
    }

    fn awaits(&self) -> Vec<PartyId> {
        self.links.awaits()
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn waits_at_the_end(&self) -> bool {
        true
    }

    fn save(&self) -> Result<Vec<u8>> {
        saved::save(self)
    }
}

#[cfg(test)]
mod tests;
