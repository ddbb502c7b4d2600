//! Frames with numbers that no honest party has stop nobody, and nobody grows by them.
//!
//! Real frames of a run are recorded. A party takes those that were sent to it up to some place,
//! then forged ones: frames of that run from anybody, whose headers and numbers are the greatest
//! that there are, or any. Then it goes on with the real ones.

use super::super::seat::Seats;
use super::*;
use crate::federate::frame::{
    Credit, End, Finals, HEADER, Header, Labels, NO_NODE, Refusal, Scores, State, encode,
};
use crate::federate::simulate::Table;

/// Keeps all frames.
#[derive(Default)]
struct Recorder(Vec<(PartyId, PartyId, Vec<u8>)>);

impl Watch for Recorder {
    fn frame(&mut self, from: PartyId, to: PartyId, bytes: Vec<u8>, _: Time) -> Vec<Vec<u8>> {
        self.0.push((from, to, bytes.clone()));
        vec![bytes]
    }
}

/// A run with a host of its own, and its frames.
struct Recorded {
    case: Case,
    weather: Weather,
    frames: Vec<(PartyId, PartyId, Vec<u8>)>,
}

fn recorded(kind: FragmentKind, second: bool) -> Recorded {
    let mut case = Case::new(Rule::Vote, Some(kind), 4, 160, 3);
    case.terms.hosts = vec![PartyId::host(0).0];
    case.terms.monitors.creation_time = 6;
    if let Some(trouble) = case.terms.trouble.as_mut().filter(|_| second) {
        trouble.second_factor = Some(Ratio::new(2, 1));
    }
    let weather = Weather {
        until: 1_000_000,
        to_the_end: true,
        ..Weather::good(5)
    };
    let (run, recorder) = case.run(weather.clone(), Recorder::default());
    assert!(run.failure.is_none() && run.is_over, "{:?}", run.failure);
    Recorded {
        case,
        weather,
        frames: recorder.0,
    }
}

impl Recorded {
    fn has(&self, kind: Kind) -> bool {
        let mut kinds = self.frames.iter().map(|(.., bytes)| decode_header(bytes));
        kinds.any(|header| header.is_ok_and(|header| header.kind == kind))
    }

    fn party(&self, id: PartyId) -> Fed {
        let terms = Arc::new(self.case.terms.clone());
        let seats = Seats::new(&terms, self.case.sources(), &self.weather);
        let sources = self.case.sources();
        let classes = self.case.classes.clone();
        let mut fed = Fed {
            id,
            party: seats.make(id, None).expect("a party"),
            rows: Table::new(terms.batch, &terms.sites, &sources, classes),
            notes: Vec::new(),
            answered: Vec::new(),
        };
        fed.take(Event::Linked(PartyId::AGGREGATOR));
        fed
    }

    /// A frame of the run as a liar would change it, and who sends it.
    fn forged(&self, to: PartyId, random: &mut JavaRandom) -> (PartyId, Vec<u8>) {
        let place = random.next_int_below(self.frames.len() as i32) as usize;
        let &(mut from, _, ref bytes) = &self.frames[place];
        if random.next_int_below(3) == 0 {
            let parties = [
                PartyId::AGGREGATOR,
                PartyId::LABELS,
                PartyId::CONSUMER,
                PartyId::host(0),
                PartyId(1),
            ];
            from = parties[random.next_int_below(5) as usize];
        }
        if from == to {
            from = PartyId::AGGREGATOR;
        }
        let (header, mut body) = decode(bytes).expect("a frame");
        if random.next_int_below(3) == 0 {
            body = odd_body(random, body);
        }
        let kind = body.kind();
        let header = odd_header(random, Header { kind, ..header }, from);
        (from, encode(&header, &body))
    }
}

/// A party with its rows.
struct Fed {
    id: PartyId,
    party: Box<dyn Party>,
    rows: Table,
    notes: Vec<Note>,
    /// Batches that it answered.
    answered: Vec<u64>,
}

impl Fed {
    /// Takes an event, and rows as it wants them; it may not fail.
    fn take(&mut self, event: Event<'_>) {
        use crate::federate::simulate::RecordStream;
        let mut out = Outbox::default();
        let told = self.party.handle(event, 1, &mut out);
        assert!(told.is_ok(), "{}: {:?}", self.id, told.err());
        let has_rows = self.id.is_site() || self.id == PartyId::LABELS;
        while let Some(batch) = self.party.wants().filter(|_| has_rows) {
            let event = self.rows.rows(self.id, batch);
            let told = match batch < self.rows.batches() {
                true => self.party.handle(Event::Rows(&event), 1, &mut out),
                false => self.party.handle(Event::RowsEnded, 1, &mut out),
            };
            assert!(told.is_ok(), "{}: {:?}", self.id, told.err());
        }
        // A frame is answered by few, and what waits for a topology comes at once with it.
        assert!(out.frames.len() < 2000, "{} frames", out.frames.len());
        self.notes.append(&mut out.notes);
        let sent = out.frames.iter().map(|(_, bytes)| decode_header(bytes));
        let sent = sent.map(|header| header.expect("a frame"));
        let answers = sent.filter(|header| header.kind == Kind::Answers);
        self.answered.extend(answers.map(|header| header.batch));
    }

    fn frame(&mut self, from: PartyId, bytes: &[u8]) {
        self.take(Event::Frame { from, bytes });
    }

    fn bytes(&self) -> usize {
        self.party.save().expect("saved").len()
    }
}

/// Numbers near which sums and products leave 64 bits, and any.
fn odd_number(random: &mut JavaRandom) -> u64 {
    let near = random.next_int_below(70) as u64;
    match random.next_int_below(8) {
        0 => u64::MAX,
        1 => u64::MAX - near,
        2 => u64::MAX / 4 - 32 + near,
        3 => u64::MAX - 2048 - near,
        4 => (1 << 63) - 32 + near,
        5 => (1 << 32) - 32 + near,
        6 => near,
        _ => random.next_long() as u64,
    }
}

fn odd_header(random: &mut JavaRandom, header: Header, from: PartyId) -> Header {
    let mut odd = || random.next_int_below(3) == 0;
    let (batch, epoch, node, sender) = (!odd() || odd(), odd(), odd(), odd() && odd());
    let short = |random: &mut JavaRandom| odd_number(random) as u16;
    Header {
        batch: if batch {
            odd_number(random)
        } else {
            header.batch
        },
        epoch: if epoch {
            odd_number(random) as u32
        } else {
            header.epoch
        },
        node: if node { short(random) } else { header.node },
        sender: if sender { PartyId(short(random)) } else { from },
        ..header
    }
}

/// A body whose numbers are odd, for one that has some that count for all.
fn odd_body(random: &mut JavaRandom, body: Body) -> Body {
    match random.next_int_below(6) {
        0 => Body::Credit(Credit {
            below: odd_number(random),
            epoch: match random.next_int_below(2) {
                0 => 0,
                _ => odd_number(random) as u32,
            },
            closed: odd_number(random),
        }),
        1 => Body::End(End {
            batches: odd_number(random),
        }),
        2 => Body::State(State {
            nodes: vec![(4, Ratio::new(u32::MAX, 1), Ratio::new(1, u32::MAX))],
        }),
        3 => Body::Refuse(Refusal::ALL[random.next_int_below(17) as usize]),
        4 => Body::Scores(Scores {
            records: crate::federate::frame::Bits::all(4),
            scores: vec![f32::MAX; 4],
        }),
        _ => body,
    }
}

/// Everybody who takes frames.
fn parties() -> [PartyId; 5] {
    [
        PartyId::AGGREGATOR,
        PartyId(0),
        PartyId::LABELS,
        PartyId::host(0),
        PartyId::CONSUMER,
    ]
}

fn check_forged(recorded: &Recorded, seeds: i64) {
    for to in parties() {
        let sent = recorded.frames.iter().filter(|(_, other, _)| *other == to);
        let sent: Vec<_> = sent.collect();
        assert!(sent.len() > 20, "{to}: {}", sent.len());
        for seed in 0..seeds {
            let mut random = JavaRandom::new(seed);
            let mut party = recorded.party(to);
            let begun = 1 + random.next_int_below(sent.len() as i32 - 1) as usize;
            for (from, _, bytes) in &sent[..begun] {
                party.frame(*from, bytes);
            }
            // After three faults a sender is not heard any more: few at a time reach deeper.
            for _ in 0..1 + seed % 12 {
                let (from, bytes) = recorded.forged(to, &mut random);
                party.frame(from, &bytes);
            }
            party.take(Event::Timer);
            for (from, _, bytes) in &sent[begun..] {
                party.frame(*from, bytes);
            }
            assert!(party.bytes() < 1 << 20, "{to}: {}", party.bytes());
        }
    }
}

#[test]
fn numbers_near_the_top_stop_nobody_where_fragments_are_masked() {
    let recorded = recorded(FragmentKind::Masked, false);
    for kind in [Kind::Keys, Kind::Agreed, Kind::Masked, Kind::Final] {
        assert!(recorded.has(kind), "{kind:?}");
    }
    check_forged(&recorded, 250);
}

#[test]
fn numbers_near_the_top_stop_nobody_where_fragments_are_raw() {
    let recorded = recorded(FragmentKind::Raw, true);
    for kind in [Kind::Fragment, Kind::State, Kind::Credit, Kind::End] {
        assert!(recorded.has(kind), "{kind:?}");
    }
    check_forged(&recorded, 250);
}

/// One frame of each kind, from each sender, with batch 2^64 - 1 alone, and those below it.
#[test]
fn the_last_batch_that_a_header_can_name_is_refused_or_waits() {
    let recorded = recorded(FragmentKind::Raw, false);
    for to in parties() {
        let sent = recorded.frames.iter().filter(|(_, other, _)| *other == to);
        let mut kinds = BTreeMap::new();
        for (from, _, bytes) in sent.clone() {
            let kind = decode_header(bytes).expect("a frame").kind;
            kinds.insert((*from, kind), bytes);
        }
        for ((from, _), bytes) in kinds {
            let mut party = recorded.party(to);
            for (from, _, bytes) in sent.clone().take(12) {
                party.frame(*from, bytes);
            }
            for batch in [u64::MAX, u64::MAX - 1, u64::MAX - 63, u64::MAX - 2047] {
                let mut bytes = bytes.clone();
                bytes[HEADER - 12..HEADER - 4].copy_from_slice(&batch.to_le_bytes());
                party.frame(from, &bytes);
            }
        }
    }
}

/// An aggregator that says that all batches there can be are answered makes nobody count to it.
#[test]
fn a_host_passes_over_closed_batches_at_once() {
    let recorded = recorded(FragmentKind::Raw, false);
    for closed in [u64::MAX, u64::MAX - 1, 1 << 40] {
        for to in [PartyId::host(0), PartyId(0), PartyId::LABELS] {
            let mut party = recorded.party(to);
            let sent = recorded.frames.iter().filter(|(_, other, _)| *other == to);
            let mut number = 0;
            for (from, _, bytes) in sent {
                let header = decode_header(bytes).expect("a frame");
                number = header.federation;
                // The node is there, and waits for what its sources forward.
                if matches!(header.kind, Kind::Fragment | Kind::Keys) {
                    break;
                }
                party.frame(*from, bytes);
            }
            let credit = Body::Credit(Credit {
                below: u64::MAX,
                epoch: 0,
                closed,
            });
            let header = Header {
                kind: Kind::Credit,
                federation: number,
                epoch: 0,
                sender: PartyId::AGGREGATOR,
                node: NO_NODE,
                batch: u64::MAX,
            };
            party.frame(PartyId::AGGREGATOR, &encode(&header, &credit));
            party.take(Event::Timer);
            assert!(
                !party
                    .notes
                    .iter()
                    .any(|note| matches!(note, Note::Refused(..)))
            );
        }
    }
}

/// Somebody who numbers frames as it likes makes nobody keep more than a bounded part of them.
#[test]
fn far_batches_do_not_fill_the_memory_of_anybody() {
    let recorded = recorded(FragmentKind::Raw, true);
    let answer = Body::Final(Finals {
        records: Vec::new(),
    });
    let labels = Body::Labels(Labels {
        class_count: 2,
        present: crate::federate::frame::Bits::all(4),
        classes: vec![0; 4],
        keys: 9,
    });
    let state = Body::State(State {
        nodes: vec![(4, Ratio::ONE, Ratio::ONE)],
    });
    let check = |to: PartyId, from: PartyId, body: &Body| {
        let mut party = recorded.party(to);
        let sent = recorded.frames.iter().filter(|(_, other, _)| *other == to);
        for (from, _, bytes) in sent.take(12) {
            party.frame(*from, bytes);
        }
        let number = decode_header(&recorded.frames.last().expect("frames").2);
        let mut sizes = Vec::new();
        for step in 0..6000 {
            let header = Header {
                kind: body.kind(),
                federation: number.expect("a frame").federation,
                epoch: 0,
                sender: from,
                node: NO_NODE,
                batch: u64::MAX - 6000 + step,
            };
            party.frame(from, &encode(&header, body));
            if step % 3000 == 2999 {
                sizes.push(party.bytes());
            }
        }
        assert!(sizes[1] <= sizes[0] + 1024, "{to}: {sizes:?}");
    };
    let hub = PartyId::AGGREGATOR;
    check(PartyId(0), hub, &state);
    check(PartyId::host(0), hub, &state);
    check(PartyId::CONSUMER, hub, &answer);
    for party in [PartyId(0), PartyId::host(0), hub] {
        check(party, PartyId::LABELS, &labels);
    }
}

/// Labels of batches that are far ahead take the place of no others.
#[test]
fn far_labels_keep_no_real_ones_out() {
    let recorded = recorded(FragmentKind::Raw, false);
    let labels = Body::Labels(Labels {
        class_count: 2,
        present: crate::federate::frame::Bits::all(4),
        classes: vec![0; 4],
        keys: 9,
    });
    let batches = recorded.case.batches() as u64;
    for to in [PartyId(0), PartyId::AGGREGATOR, PartyId::host(0)] {
        let sent = recorded.frames.iter().filter(|(_, other, _)| *other == to);
        let mut party = recorded.party(to);
        let (begun, rest): (Vec<_>, Vec<_>) = sent.enumerate().partition(|(at, _)| *at < 12);
        for (_, (from, _, bytes)) in &begun {
            party.frame(*from, bytes);
        }
        let last = decode_header(&recorded.frames.last().expect("frames").2);
        let number = last.expect("a frame").federation;
        for step in 0..3000 {
            let header = Header {
                kind: Kind::Labels,
                federation: number,
                epoch: 0,
                sender: PartyId::LABELS,
                node: NO_NODE,
                batch: 10_000 + step,
            };
            party.frame(PartyId::LABELS, &encode(&header, &labels));
        }
        for (_, (from, _, bytes)) in &rest {
            party.frame(*from, bytes);
        }
        let refused = |note: &Note| matches!(note, Note::Refused(..));
        assert!(!party.notes.iter().any(refused), "{to}: {:?}", party.notes);
        match to.is_site() {
            true => assert_eq!(party.answered.last(), Some(&(batches - 1)), "{to}"),
            false => assert!(party.bytes() < 1 << 20, "{to}: {}", party.bytes()),
        }
        if to == PartyId::AGGREGATOR {
            assert_eq!(party.party.answered(), batches);
        }
    }
}

/// How a party writes down that it remembers a stream of a node, or from it: see `links/saved.rs`.
fn remembers(saved: &[u8], from: PartyId, kind: Kind, source: u16, node: u16) -> bool {
    let mut stream = from.0.to_le_bytes().to_vec();
    stream.push(kind as u8);
    stream.extend(source.to_le_bytes());
    stream.extend(node.to_le_bytes());
    stream.extend([0; 8]);
    saved.windows(stream.len()).any(|bytes| bytes == stream)
}

#[test]
fn nothing_is_remembered_of_streams_of_nodes_that_are_gone() {
    let hub = PartyId::AGGREGATOR;
    let mut case = Case::new(Rule::Vote, Some(FragmentKind::Raw), 4, 1600, 3);
    case.terms.hosts = vec![PartyId::host(0).0];
    case.terms.monitors.creation_time = 6;
    case.terms.monitors.removal_time = 20;
    case.terms.trouble.as_mut().expect("nodes").phases = Phases::Two;
    let weather = Weather {
        until: 1_000_000,
        to_the_end: true,
        ..Weather::good(5)
    };
    let (run, recorder) = case.run(weather.clone(), Recorder::default());
    let gone = run.notes.iter().filter_map(|(_, at, note)| match note {
        // Those at the end may be remembered still.
        Note::Removed(node, batch) if *at == hub && *batch < 300 => Some(*node),
        _ => None,
    });
    let gone: Vec<u16> = gone.collect();
    let recorded = Recorded {
        case,
        weather,
        frames: recorder.0,
    };
    let mut seen = [0; 3];
    for (to, seen) in [hub, PartyId(0), PartyId::host(0)]
        .into_iter()
        .zip(&mut seen)
    {
        let mut party = recorded.party(to);
        let mut streams = std::collections::BTreeSet::new();
        for (from, _, bytes) in recorded.frames.iter().filter(|(_, other, _)| *other == to) {
            let (header, body) = decode(bytes).expect("a frame");
            let source = match &body {
                Body::Answers(answers) => answers.source,
                Body::Keys(keys) => keys.source,
                Body::Fragment(fragment) => fragment.source,
                _ => NO_NODE,
            };
            if gone.contains(&header.node) || gone.contains(&source) {
                streams.insert((*from, header.kind, source, header.node));
            }
            party.frame(*from, bytes);
        }
        let saved = party.party.save().expect("saved");
        for &(from, kind, source, node) in &streams {
            let known = remembers(&saved, from, kind, source, node);
            assert!(!known, "{to}: {kind:?} of {from}, {source} {node}");
        }
        *seen = streams.len();
    }
    assert!(
        seen.iter().all(|&streams| streams > 0),
        "{seen:?} of {gone:?}"
    );
}
