//! Adds up what happens in a federation while it happens.
//!
//! Simulations, audits and aggregators keep one of these, and reports and terminals show it. What it
//! holds does not grow with the stream: moments become wider, of trouble nodes that are gone the
//! oldest are forgotten, and everything else is a count for a party, a link or a kind of frames. After
//! a restart of the aggregator it begins anew, with the first batch that was not answered before, and
//! all of its figures are of the records from there on.

use super::facts::{
    AgreementFact, FederationFacts, FrameFact, IncidentFact, LinkFact, MomentFact, NodeFact,
    PartyFact, SiteFact,
};
use super::no_nodes::NoNodes;
use super::sees::federation_sees;
use super::timeline::{Moment, Timeline};
use crate::federate::frame::{Body, Final, Kind, decode, decode_header};
use crate::federate::{Aggregator, Asked, Note, PartyId, Settled, Terms, Topology};
use crate::policy::{FederationParty, FederationPolicy};
use std::collections::BTreeMap;

/// Trouble nodes that are listed at most.
const MOST_LIVES: usize = 1000;
/// Candidates of a moment that are remembered, those that agree most.
const MOST_AGREEMENTS: usize = 6;
/// Records that a recent accuracy is over at least.
const RECENT: u64 = 1000;

/// What happened in a federation so far.
pub struct Chronicle {
    federation: String,
    terms: Terms,
    parties: Vec<FederationParty>,
    sees_all: bool,
    /// The first batch that is counted, after a restart.
    restarted_at: Option<u64>,
    /// What candidates were told, until a source would have forwarded a record.
    asked: Option<Asked>,
    labelled: Tally,
    sites: Vec<Answered>,
    /// By number of the node, rising.
    lives: Vec<Life>,
    forgotten: u64,
    epoch: Option<u32>,
    moments: Timeline<Passed>,
    traffic: BTreeMap<(PartyId, PartyId, u8), Sent>,
    finals: Finals,
    incidents: BTreeMap<(&'static str, Option<PartyId>), u64>,
}

/// Records, and those that were answered right.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    records: u64,
    right: u64,
}

impl Tally {
    fn add(&mut self, right: bool) {
        self.records += 1;
        self.right += u64::from(right);
    }

    fn join(&mut self, other: Tally) {
        self.records += other.records;
        self.right += other.right;
    }

    fn share(self) -> Option<f64> {
        (self.records > 0).then(|| self.right as f64 / self.records as f64)
    }
}

/// The answers of a site.
#[derive(Clone, Copy, Debug, Default)]
struct Answered {
    tally: Tally,
    confidence: f64,
    last_batch: Option<u64>,
}

/// A trouble node from its creation on.
#[derive(Clone, Debug)]
struct Life {
    node: u16,
    sources: Vec<u16>,
    order: u8,
    from_batch: u64,
    to_batch: Option<u64>,
    forwarded: u64,
    joined: u64,
    answered: Tally,
}

/// A moment.
#[derive(Clone, Debug, Default)]
struct Passed {
    labelled: Tally,
    sites: Vec<Tally>,
    agreements: Vec<(Vec<u16>, f64)>,
}

impl Moment for Passed {
    fn merge(&mut self, later: Self) {
        self.labelled.join(later.labelled);
        self.sites
            .resize(self.sites.len().max(later.sites.len()), Tally::default());
        for (site, other) in self.sites.iter_mut().zip(later.sites) {
            site.join(other);
        }
        if !later.agreements.is_empty() {
            self.agreements = later.agreements;
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Sent {
    frames: u64,
    bytes: u64,
}

impl Sent {
    fn add(&mut self, other: Sent) {
        self.frames += other.frames;
        self.bytes += other.bytes;
    }
}

/// Final answers that left.
#[derive(Clone, Copy, Debug, Default)]
struct Finals {
    /// The first batch that was not counted; a frame that is sent again is not.
    next: u64,
    records: u64,
    partial: u64,
    early: u64,
}

impl Chronicle {
    /// Of all parties and links.
    pub fn of_all(policy: &FederationPolicy) -> Self {
        Chronicle::new(policy, true)
    }

    /// Of what the aggregator sends and is sent.
    pub fn of_aggregator(policy: &FederationPolicy) -> Self {
        Chronicle::new(policy, false)
    }

    fn new(policy: &FederationPolicy, sees_all: bool) -> Self {
        Chronicle {
            federation: policy.federation.clone(),
            parties: policy.parties.clone(),
            sees_all,
            restarted_at: None,
            asked: None,
            labelled: Tally::default(),
            sites: vec![Answered::default(); policy.terms.sites.len()],
            lives: Vec::new(),
            forgotten: 0,
            epoch: None,
            moments: Timeline::default(),
            traffic: BTreeMap::new(),
            finals: Finals::default(),
            incidents: BTreeMap::new(),
            terms: policy.terms.clone(),
        }
    }

    /// Counts from here on, since what the aggregator did before its restart is not known whole.
    pub fn restart(&mut self, aggregator: &mut Aggregator) {
        let batch = aggregator.answered();
        self.restarted_at = Some(batch);
        self.finals.next = batch;
        aggregator.take_settled();
    }

    /// Takes a frame that left or came.
    pub fn frame(&mut self, from: PartyId, to: PartyId, bytes: &[u8]) {
        let kind = bytes.get(3).copied().unwrap_or(0);
        self.traffic.entry((from, to, kind)).or_default().add(Sent {
            frames: 1,
            bytes: bytes.len() as u64,
        });
        if kind != Kind::Final as u8 || from != PartyId::AGGREGATOR {
            return;
        }
        let is_new = |batch: u64| batch >= self.finals.next;
        if !decode_header(bytes).is_ok_and(|header| is_new(header.batch)) {
            return;
        }
        if let Ok((header, Body::Final(finals))) = decode(bytes) {
            self.finals.next = header.batch + 1;
            self.answers(&finals.records);
        }
    }

    fn answers(&mut self, answers: &[Final]) {
        let count = |of: fn(&Final) -> bool| answers.iter().filter(|one| of(one)).count() as u64;
        self.finals.records += answers.len() as u64;
        self.finals.partial += count(|answer| answer.partial);
        self.finals.early += count(|answer| answer.early);
    }

    /// Takes what the aggregator knows by now.
    pub fn look(&mut self, aggregator: &mut Aggregator) {
        if let Some(topology) = aggregator.topology().map(std::sync::Arc::clone) {
            self.topology(&topology);
        }
        let mut settled = aggregator.take_settled();
        let first = self.restarted_at.unwrap_or(0) * u64::from(self.terms.batch.max(1));
        settled.retain(|record| record.record >= first);
        self.ask(aggregator);
        for record in &settled {
            self.settled(record);
        }
        if let Some(last) = settled.last() {
            let mut agreements: Vec<(&[u16], f64)> = aggregator.agreements().collect();
            let by_agreement = |a: &(&[u16], f64), b: &(&[u16], f64)| {
                b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0))
            };
            if agreements.len() > MOST_AGREEMENTS {
                agreements.select_nth_unstable_by(MOST_AGREEMENTS, by_agreement);
                agreements.truncate(MOST_AGREEMENTS);
            }
            agreements.sort_by(by_agreement);
            let agreements = agreements.into_iter();
            let agreements = agreements.map(|(sources, agreement)| (sources.to_vec(), agreement));
            let batch = last.record / u64::from(self.terms.batch.max(1));
            self.moments.at(batch).agreements = agreements.collect();
        }
    }

    /// Remembers what candidates were told, as long as it may be why there is no node.
    fn ask(&mut self, aggregator: &Aggregator) {
        let is_open = self.asked.is_none_or(|asked| !asked.forwards);
        if self.lives.is_empty() && is_open {
            self.asked = aggregator.asked().or(self.asked);
        }
    }

    fn topology(&mut self, topology: &Topology) {
        if self.epoch == Some(topology.epoch) {
            return;
        }
        self.epoch = Some(topology.epoch);
        for life in self.lives.iter_mut().filter(|life| life.to_batch.is_none()) {
            if topology.node(life.node).is_none() {
                life.to_batch = Some(topology.first_batch);
            }
        }
        for node in &topology.nodes {
            if let Err(place) = self.place_of(node.id) {
                self.lives.insert(
                    place,
                    Life {
                        node: node.id,
                        sources: node.sources.clone(),
                        order: node.order,
                        from_batch: node.first,
                        to_batch: None,
                        forwarded: 0,
                        joined: 0,
                        answered: Tally::default(),
                    },
                );
            }
        }
        while self.lives.len() > MOST_LIVES {
            let gone = self.lives.iter().position(|life| life.to_batch.is_some());
            self.lives.remove(gone.unwrap_or(0));
            self.forgotten += 1;
        }
    }

    fn settled(&mut self, record: &Settled) {
        let right = record.answer.class == record.label;
        let batch = record.record / u64::from(self.terms.batch.max(1));
        self.labelled.add(right);
        let moment = self.moments.at(batch);
        moment.labelled.add(right);
        moment.sites.resize(self.sites.len(), Tally::default());
        for &(source, class, confidence) in &record.judgements {
            // Numbers of sites rise; nodes come behind them.
            let Ok(place) = self.terms.sites.binary_search(&source) else {
                continue;
            };
            let site = &mut self.sites[place];
            site.tally.add(class == record.label);
            site.confidence += confidence;
            site.last_batch = Some(batch);
            moment.sites[place].add(class == record.label);
        }
        // Nodes are in the same order in both.
        let mut forwarded = record.forwarded.iter().peekable();
        for node in &record.nodes {
            let mut count = 0;
            while forwarded.next_if(|(to, _)| to == node).is_some() {
                count += 1;
            }
            let Ok(place) = self.place_of(*node) else {
                continue;
            };
            let life = &mut self.lives[place];
            life.forwarded += count as u64;
            life.joined += u64::from(count == life.sources.len());
            if record.answer.who == *node {
                life.answered.add(right);
            }
        }
    }

    /// The place of a node, or that where it would be.
    fn place_of(&self, node: u16) -> Result<usize, usize> {
        self.lives.binary_search_by_key(&node, |life| life.node)
    }

    /// Takes what parties noted.
    pub fn notes(&mut self, notes: &[Note]) {
        for note in notes {
            let incident = match note {
                Note::Refused(party, _) => ("frames refused", Some(*party)),
                Note::RefusedBy(party, _) => ("frames refused by", Some(*party)),
                Note::Quarantined(party) => ("shut out", Some(*party)),
                Note::Stalled(party) => ("silent too long", Some(*party)),
                Note::Late(party, _) => ("frames that came too late", Some(*party)),
                Note::Overconfident(party) => ("surer than right", Some(*party)),
                Note::Dropped(_) => ("batches dropped", None),
                // What was refused for it is counted.
                Note::Created(..) | Note::Removed(..) | Note::KeysDiffer(..) => continue,
            };
            *self.incidents.entry(incident).or_default() += 1;
        }
    }

    /// All of it.
    pub fn facts(&self) -> FederationFacts {
        let has_consumer = self
            .parties
            .iter()
            .any(|party| party.number == PartyId::CONSUMER);
        let records = match has_consumer {
            true => self.finals.records,
            false => self.labelled.records,
        };
        let bytes: u64 = self.traffic.values().map(|sent| sent.bytes).sum();
        FederationFacts {
            federation: self.federation.clone(),
            counted: match self.sees_all {
                true => "all links",
                false => "links of the aggregator",
            },
            restarted_at: self.restarted_at,
            records,
            labelled: self.labelled.records,
            accuracy: self.labelled.share(),
            recent_accuracy: self.recent().share(),
            batch: self.terms.batch,
            moment: self.moments.width(),
            partial: self.finals.partial,
            early: self.finals.early,
            bytes,
            bytes_a_record: bytes as f64 / records.max(1) as f64,
            sites: self.site_facts(),
            nodes: self.lives.iter().map(|life| self.node_fact(life)).collect(),
            no_nodes: match self.lives.is_empty() {
                true => Some(NoNodes::of(&self.terms, self.asked, records)),
                false => None,
            },
            forgotten_nodes: self.forgotten,
            moments: self.moment_facts(),
            agreements: self.agreement_facts(),
            frames: frames(self.traffic.iter()),
            links: self.link_facts(),
            incidents: self.incident_facts(),
            parties: self
                .parties
                .iter()
                .map(|party| self.party_fact(party))
                .collect(),
        }
    }

    fn recent(&self) -> Tally {
        let mut tally = Tally::default();
        for (_, moment) in self.moments.moments().rev() {
            tally.join(moment.labelled);
            if tally.records >= RECENT {
                break;
            }
        }
        tally
    }

    /// The id of a party, or the number of a trouble node. Without one of its own in the policies the
    /// consumer is known by its role.
    fn name(&self, number: u16) -> String {
        let found = self.parties.iter().find(|party| party.number.0 == number);
        match found {
            Some(party) => party.id.clone(),
            None if number == PartyId::CONSUMER.0 => PartyId::CONSUMER.to_string(),
            None => number.to_string(),
        }
    }

    fn site_facts(&self) -> Vec<SiteFact> {
        let sites = self.terms.sites.iter().zip(&self.sites);
        let fact = |(&number, site): (&u16, &Answered)| {
            let answers = site.tally.records;
            SiteFact {
                site: self.name(number),
                accuracy: site.tally.share(),
                confidence: (answers > 0).then(|| site.confidence / answers as f64),
                presence: answers as f64 / self.labelled.records.max(1) as f64,
                last_batch: site.last_batch,
            }
        };
        sites.map(fact).collect()
    }

    fn node_fact(&self, life: &Life) -> NodeFact {
        NodeFact {
            node: life.node,
            sources: life.sources.iter().map(|&one| self.name(one)).collect(),
            order: life.order,
            from_batch: life.from_batch,
            to_batch: life.to_batch,
            forwarded: life.forwarded,
            joined: life.joined,
            answered: life.answered.records,
            accuracy: life.answered.share(),
        }
    }

    fn moment_facts(&self) -> Vec<MomentFact> {
        let fact = |(from_batch, moment): (u64, &Passed)| {
            let labelled = moment.labelled.records;
            let presence = |site: &Tally| site.records as f64 / labelled.max(1) as f64;
            MomentFact {
                from_batch,
                labelled,
                accuracy: moment.labelled.share(),
                presence: moment.sites.iter().map(presence).collect(),
                site_accuracies: moment.sites.iter().map(|site| site.share()).collect(),
            }
        };
        self.moments.moments().map(fact).collect()
    }

    /// The candidates that agreed most at any time, the best of the newest first.
    fn agreement_facts(&self) -> Vec<AgreementFact> {
        let mut best: BTreeMap<&[u16], Vec<(u64, f64)>> = BTreeMap::new();
        for (batch, moment) in self.moments.moments() {
            for (sources, agreement) in &moment.agreements {
                best.entry(sources).or_default().push((batch, *agreement));
            }
        }
        let mut best: Vec<_> = best.into_iter().collect();
        let peak = |points: &[(u64, f64)]| points.iter().map(|(_, a)| *a).fold(0.0, f64::max);
        best.sort_by(|a, b| peak(&b.1).total_cmp(&peak(&a.1)).then_with(|| a.0.cmp(b.0)));
        best.truncate(MOST_AGREEMENTS);
        let newest = |points: &[(u64, f64)]| points.last().copied().unwrap_or_default();
        best.sort_by(|a, b| {
            let (a, b) = (newest(&a.1), newest(&b.1));
            b.0.cmp(&a.0).then_with(|| b.1.total_cmp(&a.1))
        });
        let fact = |(sources, points): (&[u16], Vec<(u64, f64)>)| AgreementFact {
            sources: sources.iter().map(|&one| self.name(one)).collect(),
            points,
        };
        best.into_iter().map(fact).collect()
    }

    fn link_facts(&self) -> Vec<LinkFact> {
        let mut links: BTreeMap<(PartyId, PartyId), Sent> = BTreeMap::new();
        for (&(from, to, _), &sent) in &self.traffic {
            links.entry((from, to)).or_default().add(sent);
        }
        let fact = |((from, to), sent): ((PartyId, PartyId), Sent)| LinkFact {
            from: self.name(from.0),
            to: self.name(to.0),
            frames: sent.frames,
            bytes: sent.bytes,
        };
        links.into_iter().map(fact).collect()
    }

    fn incident_facts(&self) -> Vec<IncidentFact> {
        let fact =
            |(&(what, party), &count): (&(&'static str, Option<PartyId>), &u64)| IncidentFact {
                what,
                party: party.map(|party| self.name(party.0)),
                count,
            };
        self.incidents.iter().map(fact).collect()
    }

    fn party_fact(&self, party: &FederationParty) -> PartyFact {
        let received = self
            .traffic
            .iter()
            .filter(|((_, to, _), _)| *to == party.number);
        PartyFact {
            party: party.id.clone(),
            role: party.role.word(),
            sees: federation_sees(party.role, &self.terms),
            received: frames(received),
        }
    }
}

/// Bytes by kind, in the order of the kinds.
fn frames<'a>(
    traffic: impl Iterator<Item = (&'a (PartyId, PartyId, u8), &'a Sent)>,
) -> Vec<FrameFact> {
    let mut kinds: BTreeMap<u8, Sent> = BTreeMap::new();
    for (&(_, _, kind), &sent) in traffic {
        kinds.entry(kind).or_default().add(sent);
    }
    let fact = |(kind, sent): (u8, Sent)| FrameFact {
        kind: kind_name(kind),
        frames: sent.frames,
        bytes: sent.bytes,
    };
    kinds.into_iter().map(fact).collect()
}

fn kind_name(kind: u8) -> String {
    let found = Kind::ALL.into_iter().find(|other| *other as u8 == kind);
    found.map_or_else(
        || kind.to_string(),
        |kind| format!("{kind:?}").to_lowercase(),
    )
}
