//! What the aggregator reads from confidences and bits.
//!
//! It sees class and confidence of each site for each record. Where both belong to one value of a
//! column alone, who knows the site's model reads the value. Bits tell more: a record is forwarded,
//! or would be to a node of some length, where its exact confidence has a low rank among the last
//! ones. So they cut what one coarse confidence stands for in two wherever a threshold lies within it.
//! Which bits there are is taken from a run in memory.
//!
//! The model here has learnt all records of the site and stands still, which is the attacker's best
//! case; that of a running site changes with every record. Beside it stands who guesses the most
//! frequent value.

use super::super::super::federation::Gathering;
use super::node::copied;
use crate::error::Result;
use crate::federate::frame::{Body, Coarse, Final, Kind, decode, decode_header};
use crate::federate::simulate::{Process, SiteSource, Witness};
use crate::federate::{Aggregator, Note, PartyId, RankSpans, Topology};
use crate::learn;
use crate::policy::FederationPolicy;
use serde::Serialize;
use std::collections::BTreeMap;

/// Confidences of a site with so many bits.
#[derive(Clone, Debug, Serialize)]
pub struct ConfidenceLeak {
    /// The site.
    pub site: String,
    /// Its columns.
    pub columns: usize,
    /// Bits of a confidence.
    pub bits: u8,
    /// Whether the policy has these.
    pub is_own: bool,
    /// Different confidences that it tells.
    pub confidences: usize,
    /// Of the column that is told most: share of records whose class and confidence belong to one
    /// value alone.
    pub single: f64,
    /// Share of records whose value is guessed right as the most frequent one with the same class
    /// and confidence.
    pub guessed: f64,
    /// The share of `single`, with forward and what-if bits besides.
    pub single_with_bits: f64,
    /// The share of `guessed`, with forward and what-if bits besides.
    pub guessed_with_bits: f64,
    /// The same as the most frequent value of all.
    pub by_chance: f64,
}

/// What is told of the exact confidence of a record: it is the first at least and below the second.
type Span = (f64, f64);

/// Of all sites, with 8, 16 and 64 bits.
pub(super) fn leaks(
    policies: &[FederationPolicy],
    gathering: &Gathering,
) -> Result<Vec<ConfidenceLeak>> {
    let own = gathering.terms.coarse;
    let topologies = topologies(gathering)?;
    let mut leaks = Vec::new();
    for (&number, source) in gathering.terms.sites.iter().zip(&gathering.sources) {
        let judged = judged(source, gathering)?;
        let spans = spans(number, &judged, &topologies, gathering);
        let parties = policies.first().map_or(&[][..], |policy| &policy.parties);
        let site = parties.iter().find(|party| party.number.0 == number);
        for coarse in [Coarse::Bits8, Coarse::Bits16, Coarse::Exact] {
            let name = site.map_or(String::new(), |party| party.id.clone());
            let leak = (0..source.records.width())
                .map(|column| leak(source, column, &judged, &spans, coarse))
                .max_by(|a, b| a.single_with_bits.total_cmp(&b.single_with_bits));
            leaks.extend(leak.map(|leak| ConfidenceLeak {
                site: name,
                is_own: coarse == own,
                ..leak
            }));
        }
    }
    Ok(leaks)
}

/// The topologies of a run in memory, which say what bits there are.
fn topologies(gathering: &Gathering) -> Result<Vec<Topology>> {
    let sources = gathering.sources.iter().map(copied).collect();
    let (terms, classes) = (gathering.terms.clone(), gathering.classes.clone());
    let process = Process::with_consents(terms, sources, classes, &gathering.consents)?;
    let mut announced = Announced::default();
    process.run_before(&mut announced)?;
    Ok(announced.0)
}

/// Topologies, each once, as they are announced.
#[derive(Default)]
struct Announced(Vec<Topology>);

impl Witness for Announced {
    fn frame(&mut self, _: PartyId, _: PartyId, bytes: &[u8]) {
        let is_one = decode_header(bytes).is_ok_and(|header| header.kind == Kind::Topology);
        if let Some(Ok((_, Body::Topology(topology)))) = is_one.then(|| decode(bytes))
            && self.0.iter().all(|known| known.epoch != topology.epoch)
        {
            self.0.push(topology);
        }
    }

    fn pause(&mut self, aggregator: &mut Aggregator, _: Vec<Final>, _: Vec<Note>) -> Result<()> {
        aggregator.take_settled();
        Ok(())
    }
}

/// What the bits of each record tell of its exact confidence.
fn spans(
    site: u16,
    judged: &[(u32, f64)],
    topologies: &[Topology],
    gathering: &Gathering,
) -> Vec<Span> {
    let mut spans = RankSpans::new(&gathering.terms, site);
    let size = gathering.terms.batch as usize;
    let span = |(record, &(_, confidence)): (usize, &(u32, f64))| {
        let batch = (record / size) as u64;
        let known = topologies.iter().filter(|known| known.first_batch <= batch);
        match known.max_by_key(|known| known.epoch) {
            Some(topology) => spans.push(confidence, topology),
            None => (f64::NEG_INFINITY, f64::INFINITY),
        }
    };
    judged.iter().enumerate().map(span).collect()
}

/// Class and exact confidence of each record, of a model that has learnt all of them.
fn judged(source: &SiteSource, gathering: &Gathering) -> Result<Vec<(u32, f64)>> {
    let inputs = source.columns.iter().map(|column| column.input()).collect();
    let header = learn::Header::new(inputs, gathering.terms.classes as usize)?;
    let mut learner = learn::build(&source.learner, &header, 1)?;
    for (record, &class) in source.records.iter().zip(&gathering.classes) {
        if class < gathering.terms.classes {
            learner.learn(record, class);
        }
    }
    let mut votes = Vec::new();
    let judge = |record: &[f64]| {
        learner.predict(record, &mut votes);
        let class = learn::predicted(&votes);
        let confidence = votes.get(class as usize).copied().unwrap_or(0.0);
        let confidence = confidence / votes.iter().sum::<f64>();
        (class, if confidence.is_nan() { 0.0 } else { confidence })
    };
    Ok(source.records.iter().map(judge).collect())
}

fn leak(
    source: &SiteSource,
    column: usize,
    judged: &[(u32, f64)],
    spans: &[Span],
    coarse: Coarse,
) -> ConfidenceLeak {
    let mut groups: BTreeMap<(u32, u64), Group> = BTreeMap::new();
    let mut all: BTreeMap<u64, u64> = BTreeMap::new();
    let records = source.records.column(column).zip(judged).zip(spans);
    for ((value, &(class, confidence)), &span) in records {
        let group = groups.entry((class, coarse.round(confidence).to_bits()));
        let told = (confidence, value.to_bits(), span);
        group.or_default().0.push(told);
        *all.entry(value.to_bits()).or_default() += 1;
    }
    let confidences = groups.len();
    let (mut alone, mut with_bits) = (Read::default(), Read::default());
    for group in groups.into_values() {
        let (of_group, of_spans) = group.read();
        alone.add(of_group);
        with_bits.add(of_spans);
    }
    let records = judged.len().max(1) as f64;
    let most = all.values().max().copied().unwrap_or(0);
    ConfidenceLeak {
        site: String::new(),
        columns: source.records.width(),
        bits: coarse.bits(),
        is_own: false,
        confidences,
        single: alone.single as f64 / records,
        guessed: alone.guessed as f64 / records,
        single_with_bits: with_bits.single as f64 / records,
        guessed_with_bits: with_bits.guessed as f64 / records,
        by_chance: most as f64 / records,
    }
}

/// Records that were read, and those whose value was guessed right.
#[derive(Clone, Copy, Default)]
struct Read {
    single: u64,
    guessed: u64,
}

impl Read {
    fn add(&mut self, other: Read) {
        self.single += other.single;
        self.guessed += other.guessed;
    }
}

/// Records of the same class and coarse confidence: exact confidence, value, and what bits tell.
#[derive(Default)]
struct Group(Vec<(f64, u64, Span)>);

impl Group {
    /// What is read without bits and with them.
    fn read(mut self) -> (Read, Read) {
        self.0
            .sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (count, (frequent, values)) = (self.0.len() as u64, self.of(0..self.0.len()));
        let right = self.0.iter().filter(|(_, value, _)| *value == frequent);
        let alone = Read {
            single: if values == 1 { count } else { 0 },
            guessed: right.count() as u64,
        };
        // Thresholds move slowly, so that most spans are those of other records too.
        let mut known: BTreeMap<(usize, usize), (u64, usize)> = BTreeMap::new();
        let mut with_bits = Read::default();
        for &(_, value, (from, to)) in &self.0 {
            let first = self
                .0
                .partition_point(|(confidence, ..)| *confidence < from);
            let end = self.0.partition_point(|(confidence, ..)| *confidence < to);
            let new = || self.of(first..end);
            let (frequent, values) = *known.entry((first, end)).or_insert_with(new);
            with_bits.single += u64::from(values == 1);
            with_bits.guessed += u64::from(frequent == value);
        }
        (alone, with_bits)
    }

    /// The most frequent value of some records, and how many values they have.
    fn of(&self, places: std::ops::Range<usize>) -> (u64, usize) {
        let mut values: BTreeMap<u64, u64> = BTreeMap::new();
        for (_, value, _) in &self.0[places] {
            *values.entry(*value).or_default() += 1;
        }
        let most = values.iter().max_by_key(|(_, count)| **count);
        (most.map_or(0, |(value, _)| *value), values.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four records of one coarse confidence: the bits of the first two say on which side of .53 they
    /// lie, those of the others nothing.
    #[test]
    fn bits_name_values_that_a_coarse_confidence_does_not() {
        let everything = (f64::NEG_INFINITY, f64::INFINITY);
        let group = Group(vec![
            (0.52, 7, (f64::NEG_INFINITY, 0.53)),
            (0.54, 9, (0.53, f64::INFINITY)),
            (0.54, 9, everything),
            (0.54, 9, everything),
        ]);
        let (alone, with_bits) = group.read();
        assert_eq!((alone.single, alone.guessed), (0, 3));
        assert_eq!((with_bits.single, with_bits.guessed), (2, 4));
    }

    #[test]
    fn one_value_is_named_without_bits() {
        let everything = (f64::NEG_INFINITY, f64::INFINITY);
        let (alone, with_bits) = Group(vec![(0.5, 7, everything); 3]).read();
        assert_eq!((alone.single, with_bits.single), (3, 3));
    }
}
