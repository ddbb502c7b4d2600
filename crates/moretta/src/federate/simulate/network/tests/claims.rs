//! Sites that claim what is not theirs: rows that nobody else has, mask keys of others, batches of
//! which nothing was told.

use super::faults::{answers, check_whole, flow, live, lockstep, masked, still};
use super::variants::widen;
use super::*;
use crate::federate::frame::{Agreed, Answers, Bits, Header, Refusal, encode};
use crate::federate::{ScoreForm, ScoreTerms};
use std::collections::BTreeSet;

const HUB: PartyId = PartyId::AGGREGATOR;
const LIAR: PartyId = PartyId(0);

/// Who the aggregator refused for a reason, and whom it shut out.
fn blamed(run: &Run, why: Refusal) -> (Vec<PartyId>, Vec<PartyId>) {
    let (mut refused, mut shut_out) = (Vec::new(), Vec::new());
    for (_, at, note) in &run.notes {
        match note {
            Note::Refused(party, other) => {
                assert_eq!((*at, *other), (HUB, why), "{party}");
                refused.push(*party);
            }
            Note::Quarantined(party) => shut_out.push(*party),
            _ => {}
        }
    }
    refused.dedup();
    (refused, shut_out)
}

/// Answers of the first site about other rows.
struct OtherRows(fn(&mut Answers));

impl Watch for OtherRows {
    fn frame(&mut self, from: PartyId, _: PartyId, bytes: Vec<u8>, _: Time) -> Vec<Vec<u8>> {
        let (header, mut body) = decode(&bytes).expect("a frame");
        if from == LIAR && header.kind == Kind::Answers {
            (self.0)(answers(&mut body));
        }
        vec![encode(&header, &body)]
    }
}

/// Leaves the last record out.
fn shorten(answers: &mut Answers) {
    let count = answers.count() - 1;
    let first = |bits: &Bits| {
        let mut kept = Bits::new(count);
        let places = bits.places().filter(|&at| at < count);
        places.for_each(|at| kept.set(at));
        kept
    };
    answers.keys ^= 1;
    answers.present = first(&answers.present);
    answers.classes.truncate(count);
    answers.confidences.truncate(count);
    answers.forwards = answers.forwards.iter().map(first).collect();
    answers.what_ifs = answers.what_ifs.iter().map(first).collect();
}

/// The site that has other rows is always first; labels come before the other sites, before the
/// batch is answered, or after it was settled but for them.
#[test]
fn in_flow_a_site_with_other_rows_that_is_first_stops_nobody() {
    for change in [|answers: &mut Answers| answers.keys ^= 1, shorten] {
        for labels_take in [2, 80, 350] {
            let case = flow(800);
            let mut weather = live(3);
            let slow = |least| Link {
                least,
                most: least,
                ..Link::GOOD
            };
            for site in 1..4 {
                weather.links.insert((PartyId(site), HUB), slow(30));
            }
            weather
                .links
                .insert((PartyId::LABELS, HUB), slow(labels_take));
            let (run, _) = case.run(weather, OtherRows(change));
            check_whole(&case, &run);
            let (refused, shut_out) = blamed(&run, Refusal::Keys);
            assert_eq!(
                (refused, shut_out),
                (vec![LIAR], vec![LIAR]),
                "{labels_take}"
            );
        }
    }
}

/// The same where all wait for all: labels are there, or are waited for.
#[test]
fn in_lockstep_the_rows_of_the_label_holder_are_meant() {
    let (run, _) = lockstep(400).run(still(3), OtherRows(|answers| answers.keys ^= 1));
    check_whole(&lockstep(400), &run);
    let (refused, shut_out) = blamed(&run, Refusal::Keys);
    assert_eq!((refused, shut_out), (vec![LIAR], vec![LIAR]));
}

/// Shows the mask key that another site has just shown, as it is or in another text.
struct CopiedKey {
    written: fn([u8; 32]) -> [u8; 32],
    keys: BTreeMap<u32, [u8; 32]>,
    shown: usize,
}

/// The highest bit of a key counts for nothing.
fn with_highest_bit(mut key: [u8; 32]) -> [u8; 32] {
    key[31] ^= 0x80;
    key
}

impl Watch for CopiedKey {
    fn frame(&mut self, from: PartyId, to: PartyId, bytes: Vec<u8>, _: Time) -> Vec<Vec<u8>> {
        let (header, mut body) = decode(&bytes).expect("a frame");
        match &mut body {
            Body::Hello(hello) if to == HUB && header.epoch > 0 => {
                if from != LIAR {
                    self.keys.entry(header.epoch).or_insert(hello.mask);
                    return vec![bytes];
                }
                // It waits for others.
                let Some(key) = self.keys.get(&header.epoch) else {
                    return Vec::new();
                };
                hello.mask = (self.written)(*key);
                self.shown += 1;
                vec![encode(&header, &body)]
            }
            _ => vec![bytes],
        }
    }
}

#[test]
fn a_site_that_shows_the_mask_key_of_another_is_shut_out_and_nobody_else_is_blamed() {
    for written in [|key| key, with_highest_bit] {
        let copied = CopiedKey {
            written,
            keys: BTreeMap::new(),
            shown: 0,
        };
        let (run, copied) = masked().run(still(3), copied);
        assert!(copied.shown > 0, "it is source of a node");
        check_whole(&masked(), &run);
        let (refused, shut_out) = blamed(&run, Refusal::Value);
        assert_eq!((refused, shut_out), (vec![LIAR], vec![LIAR]));
    }
}

/// Says that there were more batches than can be.
struct EndlessEnd;

impl Watch for EndlessEnd {
    fn frame(&mut self, from: PartyId, _: PartyId, bytes: Vec<u8>, _: Time) -> Vec<Vec<u8>> {
        let (header, mut body) = decode(&bytes).expect("a frame");
        if let Body::End(end) = &mut body
            && from == LIAR
        {
            end.batches = u64::MAX;
        }
        vec![encode(&header, &body)]
    }
}

#[test]
fn who_claims_more_batches_than_it_told_of_does_not_keep_a_run_from_ending() {
    for (case, weather) in [(lockstep(80), still(4)), (flow(80), live(4))] {
        let weather = Weather {
            to_the_end: true,
            until: 60_000,
            ..weather
        };
        let (run, _) = case.run(weather, EndlessEnd);
        check_whole(&case, &run);
        assert!(run.is_over, "{:?}", case.terms.mode);
    }
}

/// A site that feeds a node over a node holds its own keys back, and asks in the name of that node for a
/// record that it has forwarded itself.
#[derive(Default)]
struct AsksForRecords {
    /// Nodes over nodes, and the sites that feed them.
    upper: BTreeSet<(u16, u16)>,
    held: BTreeMap<(u16, u64), usize>,
    asked: usize,
    given: usize,
}

impl Watch for AsksForRecords {
    fn frame(&mut self, from: PartyId, to: PartyId, bytes: Vec<u8>, _: Time) -> Vec<Vec<u8>> {
        let (header, body) = decode(&bytes).expect("a frame");
        match body {
            Body::Topology(topology) => {
                for node in &topology.nodes {
                    let (sites, nodes): (Vec<u16>, Vec<u16>) =
                        node.sources.iter().partition(|source| **source < 3);
                    if !nodes.is_empty() {
                        self.upper
                            .extend(sites.into_iter().map(|site| (node.id, site)));
                    }
                }
            }
            Body::Fragment(fragment) if to.is_site() => self.given += fragment.rows(),
            Body::Keys(keys) if self.upper.contains(&(header.node, from.0)) => {
                let passed = self.held.entry((header.node, header.batch)).or_default();
                *passed += 1;
                let first = keys.forwarded.places().next();
                match (*passed, first) {
                    (1, _) => return Vec::new(),
                    (2, Some(first)) => {
                        let mut records = Bits::new(keys.forwarded.len());
                        records.set(first);
                        let members = Vec::new();
                        let asks = Body::Agreed(Agreed { records, members });
                        let kind = Kind::Agreed;
                        self.asked += 1;
                        return vec![encode(&Header { kind, ..header }, &asks), bytes];
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        vec![bytes]
    }
}

/// It would read the columns of other sites.
#[test]
fn a_site_that_asks_for_the_records_of_a_node_is_given_none() {
    let mut case = lockstep(2000);
    widen(&mut case, 3);
    case.terms.trouble.as_mut().expect("nodes").phases = Phases::Two;
    case.terms.monitors = MonitorTerms {
        delta: 0.9,
        creation_time: 4,
        removal_time: 1_000_000,
        ..case.terms.monitors
    };
    let (run, asks) = case.run(still(3), AsksForRecords::default());
    assert!(asks.asked > 0, "a node stands on another");
    assert_eq!(asks.given, 0, "of {} asked", asks.asked);
    check_whole(&case, &run);
    let (refused, _) = blamed(&run, Refusal::Sender);
    assert!(!refused.is_empty());
}

/// Says T that no sources can have: with each record less, so that each is the most troublesome.
#[derive(Default)]
struct FallingScores(f32);

impl Watch for FallingScores {
    fn frame(&mut self, _: PartyId, _: PartyId, bytes: Vec<u8>, _: Time) -> Vec<Vec<u8>> {
        let (header, mut body) = decode(&bytes).expect("a frame");
        if let Body::Scores(scores) = &mut body {
            for score in &mut scores.scores {
                self.0 -= 1e6;
                *score = self.0;
            }
        }
        vec![encode(&header, &body)]
    }
}

#[test]
fn scores_that_cannot_be_are_refused() {
    let mut case = lockstep(800);
    case.values = 6;
    let trouble = case.terms.trouble.as_mut().expect("nodes");
    trouble.score = Some(ScoreTerms {
        form: ScoreForm::Sum,
        every: 1,
        by_mean: false,
    });
    let (run, _) = case.run(still(3), FallingScores::default());
    let refused = |note: &Note| *note == Note::Refused(HUB, Refusal::Value);
    assert!(run.count(refused) > 0, "{:?}", run.notes);
}
