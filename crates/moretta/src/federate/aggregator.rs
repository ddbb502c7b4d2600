//! The aggregator: takes the answers of sites and trouble nodes, makes the final ones, and
//! changes the hierarchy.
//!
//! It sees classes, coarse confidences and bits of every source, and labels. A batch is
//! *answered* once all that is waited for is there (in flow mode: or the deadline has passed) and
//! *settled* when its labels are known: monitors, weights and the stacker are fed then, record by
//! record in the order of the stream. Between batches the hierarchy changes.

mod batch;
mod hierarchy;
mod quality;
mod saved;
mod scores;
mod settle;

use super::answer::{elected, most_confident};
use super::classify::{Judgement, classify};
use super::frame::{Answers, Body, Final, Finals, Hello, Kind, Labels, Refusal};
use super::label_book::{Known, LabelBook};
use super::links::{Address, Delivery, Links, Post, Received};
use super::monitor::{Candidate, Monitors};
use super::nodes::{MOST_LABELS, Nodes, party_of};
use super::party::{Event, Note, Outbox, Party, PartyId, Time};
use super::ratio::Ratio;
use super::terms::{Mode, Rule, Terms};
use super::topology::Topology;
use super::trust::Trust;
use crate::error::{Error, Result};
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
    moved: Option<Time>,
    observed: Vec<Settled>,
    agreements_told: BTreeMap<u16, Ratio>,
    votes: Vec<f64>,
}

impl Aggregator {
    /// One that has seen nothing. Fails if a learner of the terms cannot be built.
    pub fn new(terms: Arc<Terms>, options: AggregatorOptions) -> Result<Self> {
        let federation = terms.federation_number();
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
            links: Links::new(PartyId::AGGREGATOR, federation, options.delivery),
            nodes: Nodes::new(Arc::clone(&terms), PartyId::AGGREGATOR),
            trust: options.trust,
            has_consumer: options.has_consumer,
            observes: options.observes,
            stall: options.stall,
            hellos: BTreeMap::new(),
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
            moved: None,
            observed: Vec::new(),
            agreements_told: BTreeMap::new(),
            votes: Vec::new(),
            terms,
        })
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
    pub fn agreements(&self) -> Vec<(Vec<u16>, f64)> {
        let monitors = self.monitors.iter().flat_map(Monitors::agreements);
        monitors
            .map(|(sources, agreement)| (sources.to_vec(), agreement))
            .collect()
    }

    /// Candidates for trouble nodes with what their monitors compare.
    pub fn candidates(&self) -> Vec<Candidate> {
        let monitors = self.monitors.iter();
        monitors.flat_map(Monitors::watched).collect()
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
            (PartyId::LABELS, Body::Labels(labels)) => self.take_labels(header.batch, labels),
            (_, Body::Hello(hello)) if from.is_site() => {
                self.take_hello(from, header.epoch, hello, now, out)
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
        let new = || Batch::new(topology, now);
        let batch = self.batches.entry(number).or_insert_with(new);
        if let Some(source) = source {
            batch.give_up(source);
        }
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
        if !self.trust.has_signed(&self.terms, from, epoch, &hello) {
            return Some(Refusal::Signature);
        }
        if epoch == 0 {
            let rises = hello.columns.is_sorted_by(|a, b| a.id < b.id);
            if !rises || hello.columns.is_empty() {
                return Some(Refusal::Width);
            }
            self.hellos.entry(from.0).or_insert(hello);
            return None;
        }
        self.pass_on(from, epoch, &hello, now, out);
        None
    }

    /// Shows the mask key of a site to the other sources of its nodes.
    fn pass_on(&mut self, from: PartyId, epoch: u32, hello: &Hello, now: Time, out: &mut Outbox) {
        let topology = self
            .topologies
            .iter()
            .find(|topology| topology.epoch == epoch);
        let Some(topology) = topology.map(Arc::clone) else {
            return;
        };
        let others = topology
            .destinations(from.0)
            .flat_map(|node| node.sources.clone());
        let mut others: Vec<u16> = others.filter(|&site| site != from.0).collect();
        others.retain(|&site| PartyId(site).is_site());
        others.sort_unstable();
        others.dedup();
        let bytes = self
            .links
            .frame_of(from, epoch, &Body::Hello(hello.clone()));
        for site in others {
            let address = Address::new(PartyId(site), epoch, 0).of_source(from.0);
            self.links
                .send_bytes(address, Kind::Hello, bytes.clone(), now, out);
        }
    }

    fn take_labels(&mut self, batch: u64, labels: Labels) -> Option<Refusal> {
        if let Some(why) = super::label_fault(&labels, &self.terms) {
            return Some(why);
        }
        let first = self.settled / u64::from(self.terms.batch);
        if (first..self.done() + MOST_LABELS).contains(&batch) {
            self.labels.insert(batch, labels.clone());
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
        let batch = self
            .batches
            .entry(number)
            .or_insert_with(|| Batch::new(topology, now));
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
        self.watch_for_stalls(now, out)
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
                labelled && batch.has_all(gone)
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

    /// Answers the next batch; in lockstep each record is settled as soon as its time has come.
    fn answer(&mut self, now: Time, out: &mut Outbox) {
        let number = self.next;
        let first = number * u64::from(self.terms.batch);
        let Some(batch) = self.batches.get(&number) else {
            return;
        };
        let (Some(count), epoch) = (batch.count(), batch.topology.epoch) else {
            return;
        };
        let mut records = Vec::with_capacity(count);
        for at in 0..count {
            let record = first + at as u64;
            let Some(mut batch) = self.batches.remove(&number) else {
                return;
            };
            records.push(self.answer_record(&mut batch, at, record));
            if at + 1 == count {
                batch.set_answered(now);
                self.note_agreements(&batch);
                self.tell_scores(number, &batch, now, out);
            }
            self.batches.insert(number, batch);
            if self.terms.mode == Mode::Lockstep {
                self.settle_below((record + 1).saturating_sub(self.terms.label_delay), out);
            }
        }
        if self.has_consumer {
            let address = Address::new(PartyId::CONSUMER, epoch, number);
            self.links
                .send(address, &Body::Final(Finals { records }), now, out);
        }
        self.next += 1;
    }

    /// Remembers how much the sources of nodes agree.
    fn note_agreements(&mut self, batch: &Batch) {
        for (node, place) in batch
            .topology
            .nodes
            .iter()
            .zip(batch.topology.sites.len()..)
        {
            if let Some(answers) = &batch.answers[place] {
                let (sum, full) = answers.agreement;
                let sources = node.sources.len() as u32;
                let agreement = Ratio::new(sources.saturating_mul(full), sum.max(1));
                self.agreements_told.insert(node.id, agreement);
            }
        }
    }

    /// The final answer to a record, for the consumer; that for monitors is kept.
    fn answer_record(&mut self, batch: &mut Batch, at: usize, record: u64) -> Final {
        let mut sites: Vec<Option<Judgement>> = batch.judgements_of_sites(at).collect();
        if self.terms.answer.calibrate {
            for (site, judgement) in batch.topology.sites.iter().zip(&mut sites) {
                let quality = self.qualities.get(&site.id);
                if let (Some(judgement), Some(quality)) = (judgement, quality) {
                    judgement.confidence = quality.cap(judgement.confidence);
                }
            }
        }
        let candidate = self.candidate(&sites, &batch.topology, record);
        let calibrated = self.terms.answer.calibrate.then_some(&self.qualities);
        batch.choose(at, candidate, &self.terms, calibrated)
    }

    /// What the sites say together.
    fn candidate(
        &mut self,
        sites: &[Option<Judgement>],
        topology: &Topology,
        record: u64,
    ) -> Option<Judgement> {
        match self.terms.answer.rule {
            Rule::MaxConfidence => most_confident(sites),
            Rule::Vote => elected(sites, |_| 1.0, &mut self.random),
            Rule::WeightedVote => {
                let quality = |site: usize| self.qualities.get(&topology.sites[site].id);
                let weight = |site: usize| quality(site).map_or(1.0, Quality::weight);
                elected(sites, weight, &mut self.random)
            }
            Rule::Stack => {
                let (learner, _, has_learnt) = self.stacker.as_ref()?;
                let inputs = stacked(sites, &self.terms, topology);
                let number = self.terms.first_record + record;
                let classes = self.terms.classes;
                let votes = &mut self.votes;
                Some(classify(
                    &**learner,
                    *has_learnt,
                    &inputs,
                    classes,
                    number,
                    votes,
                ))
            }
        }
    }

    /// Gives up where nothing has moved for too long, and says who is waited for.
    fn watch_for_stalls(&mut self, now: Time, out: &mut Outbox) -> Result<()> {
        let Some(stall) = self.stall.filter(|_| self.terms.mode == Mode::Lockstep) else {
            return Ok(());
        };
        let moved = *self.moved.get_or_insert(now);
        if now < moved + stall {
            out.wake_at(moved + stall);
            return Ok(());
        }
        let missing = self.missing();
        out.notes
            .extend(missing.iter().map(|&party| Note::Stalled(party)));
        let names: Vec<String> = missing.iter().map(|party| party.to_string()).collect();
        let what = format!("nothing has come for {stall} ms from {}", names.join(", "));
        Err(Error::io(
            "wait for",
            "the federation",
            std::io::Error::other(what),
        ))
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

/// Whether a source is shut out, or stands on one that is.
fn is_gone(links: &Links, topology: &Topology, source: u16) -> bool {
    let party = party_of(topology, source);
    let sources = topology.node(source).map_or(&[][..], |node| &node.sources);
    party.is_some_and(|party| links.is_shut_out(party))
        || sources
            .iter()
            .any(|&source| is_gone(links, topology, source))
}

/// The classes that sites answer, as a record of nominal values.
fn stacked(sites: &[Option<Judgement>], terms: &Terms, topology: &Topology) -> Vec<f64> {
    let mut inputs = vec![f64::NAN; terms.sites.len()];
    for (site, judgement) in topology.sites.iter().zip(sites) {
        let place = terms.sites.iter().position(|id| *id == site.id);
        if let (Some(place), Some(judgement)) = (place, judgement) {
            inputs[place] = f64::from(judgement.class);
        }
    }
    inputs
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
            Event::Rows(_) | Event::Timer => {}
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

    fn save(&self) -> Result<Vec<u8>> {
        saved::save(self)
    }
}
