//! One test for each kind of fault: what must happen in lockstep, and what in flow.

use super::*;
use crate::federate::frame::{Answers, Header, Refusal, encode};
use crate::federate::journal::{Durable, Journal};
use crate::federate::state::{Reader, read_learner};
use crate::federate::{Aggregator, AggregatorOptions, Delivery, Mode, Trust};
use crate::learn;
use std::ops::RangeInclusive;

pub(super) fn lockstep(records: usize) -> Case {
    Case::new(Rule::Vote, Some(FragmentKind::Raw), 8, records, 3)
}

pub(super) fn flow(records: usize) -> Case {
    let mut case = lockstep(records);
    case.terms.mode = Mode::Flow {
        after: 100,
        patience: 200,
        ahead: 16,
    };
    case
}

/// Records that come every 20 ms in batches.
pub(super) fn live(seed: i64) -> Weather {
    Weather {
        interval: Some(20),
        until: 1_000_000,
        ..Weather::good(seed)
    }
}

pub(super) fn still(seed: i64) -> Weather {
    Weather {
        stall: Some(5000),
        until: 1_000_000,
        ..Weather::good(seed)
    }
}

fn killed(party: PartyId, at: Time, down: Option<Time>, weather: Weather) -> Weather {
    Weather {
        kills: vec![Kill { party, at, down }],
        ..weather
    }
}

/// Fails in lockstep, after nothing has moved, with the names of those who are waited for.
pub(super) fn check_stall(run: &Run, name: &str) {
    let (party, error) = run.failure.as_ref().expect("a stall");
    assert_eq!((*party, error.exit_code()), (PartyId::AGGREGATOR, 5));
    let text = format!("{error}");
    assert!(text.ends_with(&format!("from {name}")), "{text}");
}

/// Answers every batch once.
pub(super) fn check_whole(case: &Case, run: &Run) {
    let failure = &run.failure;
    assert!(
        failure.is_none(),
        "{failure:?} after {} batches: {:?}",
        run.answers.len(),
        run.notes
    );
    assert_eq!(run.answers.len(), case.batches());
    assert_eq!((run.contradictions, run.deviations), (0, 0));
    assert_eq!(run.finals().len(), case.classes.len());
}

fn partial(run: &Run) -> Vec<bool> {
    let of = |finals: &Vec<Final>| finals.iter().any(|answer| answer.partial);
    run.answers.iter().map(of).collect()
}

#[test]
fn a_silent_site_stalls_lockstep_and_makes_flow_answers_partial() {
    let silent = PartyId(2);
    let (run, ()) = lockstep(800).run(killed(silent, 60, None, still(1)), ());
    check_stall(&run, "site 2");

    let case = flow(800);
    let (run, ()) = case.run(killed(silent, 1000, None, live(1)), ());
    check_whole(&case, &run);
    let partial = partial(&run);
    assert!(!partial[..40].contains(&true), "all sites answer");
    assert!(!partial[60..].contains(&false), "one is silent");
}

/// Keeps the journal of a party as it was when the run ended.
struct Last {
    party: PartyId,
    journal: MemoryJournal,
}

impl Watch for Last {
    fn journal(&mut self, party: PartyId, journal: &MemoryJournal) {
        if party == self.party {
            self.journal = MemoryJournal::default();
            if let Some(state) = journal.last_checkpoint() {
                self.journal.checkpoint(state).expect("room");
            }
            for entry in journal.entries() {
                self.journal.append(entry).expect("room");
            }
        }
    }
}

/// What a party remembers when a run has ended.
fn remembered(case: &Case, weather: Weather, party: PartyId) -> Vec<u8> {
    let journal = MemoryJournal::default();
    let (run, last) = case.run(weather.clone(), Last { party, journal });
    check_whole(case, &run);
    let terms = Arc::new(case.terms.clone());
    let seats = Seats::new(&terms, case.sources(), &weather);
    let table = Table::new(
        terms.batch,
        &terms.sites,
        &case.sources(),
        case.classes.clone(),
    );
    let mut rows = |batch: u64| -> Result<Rows> { Ok(table.rows(party, batch)) };
    let make = |saved: Option<&[u8]>| seats.make(party, saved);
    let opened = Durable::open(last.journal, u64::MAX, make, &mut rows);
    let (party, _) = opened.expect("a journal that can be opened");
    party.save().expect("what it remembers")
}

/// What the monitors of candidates compare, by their sources, when the run has ended.
fn compared(case: &Case, weather: Weather) -> BTreeMap<Vec<u16>, (f64, f64)> {
    let hub = PartyId::AGGREGATOR;
    let retry = weather.retry;
    let written = remembered(case, weather, hub);
    let options = AggregatorOptions {
        trust: Trust::Process,
        delivery: Delivery::Acknowledged {
            retry,
            mark: seat::mark_of(hub),
        },
        has_consumer: true,
        observes: false,
        stall: None,
    };
    let hub = Aggregator::load(Arc::new(case.terms.clone()), options, &written);
    let candidates = hub.expect("what was written").candidates().into_iter();
    let compared = candidates.map(|one| (one.sources, (one.agreement, one.threshold)));
    compared.collect()
}

/// Absence is no disagreement: windows of candidates with a silent site stay as they are, however
/// long it is silent, and those of others go on.
#[test]
fn monitors_that_touch_a_silent_site_pause_with_their_windows() {
    let mut long = flow(1600);
    long.terms.monitors = MonitorTerms {
        window: 2000,
        creation_time: 100_000,
        ..long.terms.monitors
    };
    let mut short = long.copy();
    short.records.truncate(70 * 8);
    short.classes.truncate(70 * 8);
    let silent = PartyId(2);
    let of = |case: &Case| compared(case, killed(silent, 1000, None, live(1)));
    let (short, long) = (of(&short), of(&long));
    assert_eq!((short.len(), long.len()), (6, 6));
    for (sources, before) in &short {
        let is_touched = sources.contains(&silent.0);
        assert!(before.0 > 0.0, "{sources:?} has taken records");
        assert_eq!(long[sources] == *before, is_touched, "{sources:?}");
    }
}

/// A node that cannot answer since one of its sources is silent is not of no use.
#[test]
fn a_node_whose_source_is_silent_is_not_removed_for_it() {
    let case = flow(3000);
    let removed = |run: &Run, node: u16| {
        let is = |note: &Note| matches!(note, Note::Removed(id, _) if *id == node);
        run.count(is)
    };
    let (whole, ()) = case.run(live(1), ());
    let created = whole.notes.iter().find_map(|(at, _, note)| match note {
        Note::Created(node, sources, _) => Some((*at, *node, sources.clone())),
        _ => None,
    });
    let (at, node, sources) = created.expect("a node");
    assert_eq!(removed(&whole, node), 1, "it is of no use after the drift");
    let silent = PartyId(sources[1]);
    let (run, ()) = case.run(killed(silent, at + 100, None, live(1)), ());
    check_whole(&case, &run);
    assert_eq!(removed(&run, node), 0);
}

#[test]
fn late_frames_are_counted_and_not_in_the_answer() {
    let case = flow(400);
    let mut weather = live(2);
    let slow = Link {
        least: 150,
        most: 150,
        ..Link::GOOD
    };
    let late = PartyId(1);
    weather.links.insert((late, PartyId::AGGREGATOR), slow);
    let (run, ()) = case.run(weather, ());
    check_whole(&case, &run);
    assert!(!partial(&run).contains(&false));
    let counted = run.count(|note| matches!(note, Note::Late(party, _) if *party == late));
    assert!(counted >= case.batches() - 10, "{counted}");
}

/// What a site knows of its column when the run has ended: votes for classes.
fn known(case: &Case, weather: Weather, site: PartyId) -> Vec<Vec<f64>> {
    let weather = Weather {
        to_the_end: true,
        ..weather
    };
    let written = remembered(case, weather, site);
    let source = &case.sources()[usize::from(site.0)];
    let inputs = source.columns.iter().map(|column| column.input()).collect();
    let header = learn::Header::new(inputs, case.terms.classes as usize).expect("a header");
    let mut from = Reader::new(&written);
    from.array::<32>().expect("the sum of terms");
    assert!(from.bool().expect("whether it has learnt"));
    let learner = read_learner(&header, &mut from).expect("a learner");
    let votes = |at: i32| {
        let mut votes = Vec::new();
        learner.predict(&[f64::from(at) / 8.0], &mut votes);
        votes
    };
    (0..8).map(votes).collect()
}

#[test]
fn a_site_whose_frames_are_late_learns_what_it_would_have_learnt() {
    let case = flow(400);
    let late = PartyId(1);
    let mut weather = live(2);
    let in_time = known(&case, weather.clone(), late);
    // Beyond all patience: nothing of it is ever taken.
    let slow = Link {
        least: 900,
        most: 900,
        ..Link::GOOD
    };
    weather.links.insert((late, PartyId::AGGREGATOR), slow);
    assert_eq!(known(&case, weather.clone(), late), in_time);
    let mut other = case.copy();
    other.classes[300] ^= 1;
    assert!(known(&other, weather, late) != in_time, "each label counts");
}

/// Sends frames twice; from a batch on one site adds others for the same batch.
struct Twice {
    liar: Option<PartyId>,
}

impl Watch for Twice {
    fn frame(&mut self, from: PartyId, _: PartyId, bytes: Vec<u8>, _: Time) -> Vec<Vec<u8>> {
        let (header, body) = decode(&bytes).expect("a frame");
        let again = match body {
            Body::Answers(mut answers) if self.liar == Some(from) && header.batch == 10 => {
                answers.classes.iter_mut().for_each(|class| *class ^= 1);
                encode(&header, &Body::Answers(answers))
            }
            _ => bytes.clone(),
        };
        vec![bytes, again]
    }
}

#[test]
fn frames_that_come_twice_are_ignored_and_other_bytes_shut_their_sender_out() {
    let liar = PartyId(3);
    for (case, weather) in [(lockstep(400), still(3)), (flow(400), live(3))] {
        let (run, _) = case.run(weather.clone(), Twice { liar: None });
        check_whole(&case, &run);
        assert_eq!(run.count(|note| matches!(note, Note::Refused(..))), 0);
        if case.terms.mode == Mode::Lockstep {
            assert_eq!(bytes(&run.finals()), bytes(&case.expected()));
        }
        let (run, _) = case.run(weather, Twice { liar: Some(liar) });
        check_whole(&case, &run);
        let is = |expected: Note| move |note: &Note| *note == expected;
        assert_eq!(run.count(is(Note::Quarantined(liar))), 1);
        assert!(run.count(is(Note::Refused(liar, Refusal::Conflict))) >= 1);
        // The next epoch is without it, so nothing is missing any more.
        assert!(!partial(&run)[45..].contains(&true));
    }
}

/// How far answers of sites are ahead of final ones.
#[derive(Default)]
struct Ahead {
    answered: u64,
    most: u64,
}

impl Watch for Ahead {
    fn frame(&mut self, _: PartyId, _: PartyId, bytes: Vec<u8>, _: Time) -> Vec<Vec<u8>> {
        let header = decode_header(&bytes).expect("a frame");
        match header.kind {
            Kind::Final => self.answered = self.answered.max(header.batch + 1),
            Kind::Answers => {
                self.most = self
                    .most
                    .max((header.batch + 1).saturating_sub(self.answered))
            }
            _ => {}
        }
        vec![bytes]
    }
}

#[test]
fn frames_out_of_order_are_kept_until_credit_stops_their_senders() {
    let shuffled = Link {
        least: 1,
        most: 300,
        ..Link::GOOD
    };
    for (case, weather) in [(lockstep(400), still(4)), (flow(400), live(4))] {
        let weather = Weather {
            link: shuffled,
            retry: 1000,
            ..weather
        };
        let (run, _) = case.run(weather, ());
        check_whole(&case, &run);
        assert_eq!(run.count(|note| matches!(note, Note::Refused(..))), 0);
    }
    let check = |case: &Case, weather: Weather, most: RangeInclusive<u64>| {
        // It has joined the run and said hello, and answers nothing.
        let silent = killed(PartyId(0), 3, None, weather);
        let (_, ahead) = case.run(silent, Ahead::default());
        assert!(most.contains(&ahead.most), "{}", ahead.most);
    };
    // Without trouble nodes credit comes for a quarter of it at once.
    let alone = Case::new(Rule::Vote, None, 8, 2000, 4);
    check(&alone, still(4), 49..=64);
    // Flow goes on without the site; here nobody is answered at all.
    let mut waits = flow(2000);
    waits.terms.mode = Mode::Flow {
        after: 900_000,
        patience: 200,
        ahead: 16,
    };
    check(&waits, live(4), 16..=16);
}

#[test]
fn a_partition_stops_lockstep_and_leaves_flow_behind() {
    let cut = |side: &[PartyId], from, until, weather| Weather {
        partitions: vec![Partition {
            from,
            until,
            side: side.to_vec(),
        }],
        ..weather
    };
    let case = lockstep(400);
    let weather = Weather {
        stall: None,
        ..still(5)
    };
    let (run, ()) = case.run(cut(&[PartyId(0), PartyId(1)], 100, 9000, weather), ());
    check_whole(&case, &run);
    assert!(run.ended > 9000);
    assert_eq!(bytes(&run.finals()), bytes(&case.expected()));

    // Nothing is dropped while there is room.
    let case = flow(800);
    let (run, ()) = case.run(cut(&[PartyId::AGGREGATOR], 500, 1500, live(5)), ());
    check_whole(&case, &run);
    assert_eq!(run.count(|note| matches!(note, Note::Dropped(_))), 0);
    assert!(!partial(&run).contains(&true));

    // One site alone: what it tells afterwards is late.
    let (run, ()) = case.run(cut(&[PartyId(1)], 500, 1200, live(5)), ());
    check_whole(&case, &run);
    assert!(run.count(|note| matches!(note, Note::Late(PartyId(1), _))) > 10);
    assert!(partial(&run)[40] && !partial(&run)[90..].contains(&true));

    // More than 1,024 batches: the oldest are dropped as a whole, and named.
    let mut case = Case::new(Rule::Vote, None, 1, 1600, 5);
    case.terms.mode = flow(8).terms.mode;
    let weather = Weather {
        interval: Some(1),
        ..live(5)
    };
    let (run, ()) = case.run(cut(&[PartyId::AGGREGATOR], 50, 1400, weather), ());
    check_whole(&case, &run);
    let dropped = |site: u16| {
        let of = run
            .notes
            .iter()
            .filter(move |(_, party, _)| *party == PartyId(site));
        of.filter_map(|(_, _, note)| match note {
            Note::Dropped(batch) => Some(*batch),
            _ => None,
        })
        .collect::<Vec<u64>>()
    };
    let first = dropped(0);
    assert!(
        first.len() > 200 && first.is_sorted_by(|a, b| a + 1 == *b),
        "{first:?}"
    );
    for &batch in &first[5..first.len() - 5] {
        assert!(partial(&run)[batch as usize]);
    }
    assert!(!partial(&run)[1550..].contains(&true));
}

#[test]
fn killed_sites_and_nodes_go_on_where_they_were() {
    let host = PartyId::host(0);
    for party in [
        PartyId(0),
        host,
        PartyId::LABELS,
        PartyId::CONSUMER,
        PartyId::AGGREGATOR,
    ] {
        let mut case = lockstep(400);
        case.terms.hosts = vec![host.0];
        let (run, ()) = case.run(killed(party, 80, Some(300), still(6)), ());
        check_whole(&case, &run);
        case.terms.hosts.clear();
        assert_eq!(bytes(&run.finals()), bytes(&case.expected()), "{party}");
        assert_eq!(run.kills, 1);

        let mut case = flow(400);
        case.terms.hosts = vec![host.0];
        let (run, ()) = case.run(killed(party, 600, Some(300), live(6)), ());
        check_whole(&case, &run);
        let faults = run.count(|note| matches!(note, Note::Refused(..) | Note::Quarantined(_)));
        assert_eq!(faults, 0, "{party}: {:?}", run.notes);
        assert!(!partial(&run)[48..].contains(&true), "{party}");
    }
}

#[test]
fn a_lost_node_stalls_lockstep_and_leaves_the_next_epoch_of_flow() {
    let hosts = vec![PartyId::host(0).0, PartyId::host(1).0];
    let created = |run: &Run| {
        let of = run.notes.iter().filter_map(|(at, _, note)| match note {
            Note::Created(node, sources, _) => Some((*at, *node, sources.clone())),
            _ => None,
        });
        of.collect::<Vec<_>>()
    };
    let mut case = lockstep(4000);
    case.terms.hosts = hosts.clone();
    let (whole, ()) = case.run(still(7), ());
    let (at, node, _) = created(&whole)[0].clone();
    let host = PartyId(hosts[usize::from(node) % 2]);
    let (run, ()) = case.run(killed(host, at + 20, None, still(7)), ());
    check_stall(&run, &host.to_string());

    let mut case = flow(4000);
    case.terms.hosts = hosts.clone();
    let (whole, ()) = case.run(live(7), ());
    let (at, node, sources) = created(&whole)[0].clone();
    let host = PartyId(hosts[usize::from(node) % 2]);
    let (run, ()) = case.run(killed(host, at + 200, None, live(7)), ());
    check_whole(&case, &run);
    let removed = run
        .notes
        .iter()
        .find(|(_, _, note)| matches!(note, Note::Removed(id, _) if *id == node));
    let removed = removed.expect("the node is lost").0;
    assert!((at + 3000..at + 4500).contains(&removed), "{at} {removed}");
    let again = created(&run);
    let again = again
        .iter()
        .find(|(when, _, of)| *when >= removed && *of == sources);
    assert!(again.is_some(), "its sources are not blacklisted");
}

/// Nodes of a second order go with those that they stand on, and none of them is blacklisted.
#[test]
fn a_lost_node_takes_those_with_it_that_stand_on_it() {
    let mut case = flow(4000);
    case.terms.hosts = (0..3).map(|number| PartyId::host(number).0).collect();
    // Nodes are made at once, and go for no other reason.
    case.terms.monitors = MonitorTerms {
        delta: 0.9,
        creation_time: 4,
        removal_time: 1_000_000,
        ..case.terms.monitors
    };
    let changes = |run: &Run| {
        let (mut made, mut gone) = (Vec::new(), Vec::new());
        for (at, _, note) in &run.notes {
            match note {
                Note::Created(node, sources, _) => made.push((*at, *node, sources.clone())),
                Note::Removed(node, _) => gone.push((*at, *node)),
                _ => {}
            }
        }
        (made, gone)
    };
    let (whole, ()) = case.run(live(7), ());
    let (made, gone) = changes(&whole);
    assert_eq!(gone, []);
    let is_node = |source: &&u16| **source >= 4;
    let (since, upper, sources) = made
        .iter()
        .find(|(_, _, sources)| sources.iter().any(|source| is_node(&source)))
        .expect("a node over a node");
    let lower = sources.iter().find(is_node).expect("it stands on a node");
    let hosts = [*lower, *upper].map(|node| case.terms.hosts[usize::from(node) % 3]);
    let (lost, kept) = (PartyId(hosts[0]), hosts[1]);
    assert!(lost.0 != kept, "they are at two places");

    let (run, ()) = case.run(killed(lost, since + 200, None, live(7)), ());
    check_whole(&case, &run);
    let (again, gone) = changes(&run);
    let times: Vec<Time> = gone.iter().map(|(at, _)| *at).collect();
    let nodes: Vec<u16> = gone.iter().map(|(_, node)| *node).collect();
    assert!(nodes.contains(lower) && nodes.contains(upper), "{gone:?}");
    assert!(times.iter().all(|at| *at == times[0]), "{gone:?}");
    assert!((since + 3000..since + 4500).contains(&times[0]), "{gone:?}");
    let sites = |node: u16| {
        let mut found = made.iter().filter(|(_, id, _)| *id == node);
        found.next().map(|(_, _, sources)| sources.clone())
    };
    let is_made_again =
        |(at, _, of): &(Time, u16, Vec<u16>)| *at >= times[0] && Some(of.clone()) == sites(*lower);
    assert!(again.iter().any(is_made_again), "it is not blacklisted");
}

#[test]
fn without_the_aggregator_nothing_is_answered_and_sites_keep_what_they_have() {
    let aggregator = PartyId::AGGREGATOR;
    for (case, weather, at) in [(lockstep(400), still(8), 80), (flow(400), live(8), 400)] {
        let weather = Weather {
            until: 50_000,
            ..weather
        };
        let (run, ()) = case.run(killed(aggregator, at, None, weather.clone()), ());
        assert!(run.answers.len() < case.batches() && run.failure.is_none());
        let (run, ()) = case.run(killed(aggregator, at, Some(2000), weather), ());
        check_whole(&case, &run);
        assert_eq!(run.count(|note| matches!(note, Note::Dropped(_))), 0);
        assert!(!partial(&run).contains(&true));
    }
}

#[test]
fn lost_labels_stall_lockstep_and_pause_learning_in_flow() {
    let (run, ()) = lockstep(4000).run(killed(PartyId::LABELS, 200, None, still(9)), ());
    check_stall(&run, "label holder");

    let case = flow(4000);
    let (run, ()) = case.run(killed(PartyId::LABELS, 200, None, live(9)), ());
    check_whole(&case, &run);
    assert!(!partial(&run).contains(&true));
    let changes = run.notes.iter().filter(|(at, _, note)| {
        *at > 1000 && matches!(note, Note::Created(..) | Note::Removed(..))
    });
    assert_eq!(changes.count(), 0, "monitors pause");
}

/// Spoils frames of one site in some batches.
struct Spoils<'a> {
    batches: std::ops::Range<u64>,
    kind: Kind,
    spoil: &'a dyn Fn(&mut Header, &mut Body),
}

impl Watch for Spoils<'_> {
    fn frame(&mut self, from: PartyId, _: PartyId, bytes: Vec<u8>, _: Time) -> Vec<Vec<u8>> {
        let (mut header, mut body) = decode(&bytes).expect("a frame");
        if from != PartyId(1) || header.kind != self.kind || !self.batches.contains(&header.batch) {
            return vec![bytes];
        }
        (self.spoil)(&mut header, &mut body);
        vec![encode(&header, &body)]
    }
}

pub(super) fn answers(body: &mut Body) -> &mut Answers {
    match body {
        Body::Answers(answers) => answers,
        _ => panic!("answers"),
    }
}

/// Spoils two batches and three, in lockstep and in flow.
fn check_spoilt(
    change: fn(&mut Case),
    kind: Kind,
    why: Refusal,
    spoil: &dyn Fn(&mut Header, &mut Body),
) {
    for flows in [false, true] {
        let (mut case, weather) = match flows {
            false => (lockstep(400), still(10)),
            true => (flow(400), live(10)),
        };
        case.terms.classes = 3;
        case.terms.coarse = Coarse::Exact;
        case.terms.trouble.as_mut().expect("nodes").fixed = true;
        change(&mut case);
        for (batches, quarantines) in [(10..12, 0), (10..13, 1)] {
            let watch = Spoils {
                batches,
                kind,
                spoil,
            };
            let (run, _) = case.run(weather.clone(), watch);
            check_whole(&case, &run);
            let refused = run.count(|note| *note == Note::Refused(PartyId(1), why));
            assert!(refused >= 2, "{why:?} {flows} {:?}", run.notes);
            let found = run.count(|note| *note == Note::Quarantined(PartyId(1)));
            assert_eq!(found, quarantines, "{why:?} {flows} {:?}", run.notes);
        }
    }
}

#[test]
fn bad_values_are_refused_and_the_third_time_quarantine_their_sender() {
    let check = |kind, why, spoil: fn(&mut Header, &mut Body)| {
        check_spoilt(|_| {}, kind, why, &spoil);
    };
    check(Kind::Answers, Refusal::Class, |_, body| {
        answers(body).classes[0] = 3
    });
    check(Kind::Answers, Refusal::Confidence, |_, body| {
        answers(body).confidences[1] = 1.5
    });
    check(Kind::Answers, Refusal::Confidence, |_, body| {
        answers(body).confidences[1] = f64::NAN
    });
    check(Kind::Answers, Refusal::Width, |_, body| {
        answers(body).class_count = 2
    });
    check(Kind::Answers, Refusal::Keys, |_, body| {
        answers(body).keys ^= 1
    });
    check(Kind::Answers, Refusal::Epoch, |header, _| header.epoch += 1);
    check(Kind::Answers, Refusal::Sender, |_, body| {
        answers(body).source = 0
    });
    check(Kind::Fragment, Refusal::Width, |_, body| {
        if let Body::Fragment(fragment) = body {
            fragment.width = 2;
            fragment.values = fragment
                .values
                .iter()
                .flat_map(|&value| [value, value])
                .collect();
        }
    });
}

/// Raw fragments with categories that there are not, and projections that nobody can have made.
#[test]
fn features_out_of_bounds_are_refused_and_the_third_time_quarantine_their_sender() {
    let check = |change: fn(&mut Case), value: f64| {
        let spoil = |_: &mut Header, body: &mut Body| {
            if let Body::Fragment(fragment) = body {
                fragment.values.iter_mut().for_each(|known| *known = value);
            }
        };
        check_spoilt(change, Kind::Fragment, Refusal::Value, &spoil);
    };
    check(|_| {}, f64::INFINITY);
    for value in [5.0, -1.0, 2.5] {
        check(|case| case.values = 5, value);
    }
    for value in [1_048_577.0, -1e300, f64::NAN] {
        let projects = |case: &mut Case| {
            case.terms.trouble.as_mut().expect("nodes").fragments = FragmentKind::Projected;
        };
        check(projects, value);
    }
}

#[test]
fn a_masked_sum_out_of_range_is_absent_and_all_else_goes_on() {
    for flows in [false, true] {
        let mut case = Case::new(Rule::Vote, Some(FragmentKind::Masked), 8, 400, 3);
        case.terms.trouble.as_mut().expect("nodes").fixed = true;
        let mut weather = still(11);
        if flows {
            (case.terms.mode, weather) = (flow(8).terms.mode, live(11));
        }
        let watch = Spoils {
            batches: 10..20,
            kind: Kind::Masked,
            spoil: &|_, body| {
                if let Body::Masked(masked) = body {
                    masked.words.iter_mut().for_each(|word| *word ^= 1 << 62);
                }
            },
        };
        let (run, _) = case.run(weather, watch);
        check_whole(&case, &run);
        let absent = run.count(|note| *note == Note::Refused(PartyId::AGGREGATOR, Refusal::Sum));
        assert!((1..=10).contains(&absent), "{absent}");
        let used = |finals: &Vec<Final>| finals.iter().any(|answer| answer.order > 0);
        let used: Vec<bool> = run.answers.iter().map(used).collect();
        assert!(!used[10..20].contains(&true) && used[20..].contains(&true));
    }
}

#[test]
fn a_site_that_is_always_sure_is_found_and_calibrated() {
    for flows in [false, true] {
        let mut case = Case::new(Rule::MaxConfidence, None, 8, 3000, 12);
        case.terms.window = 200;
        let mut weather = still(12);
        if flows {
            (case.terms.mode, weather) = (flow(8).terms.mode, live(12));
        }
        let mut right = Vec::new();
        for calibrate in [false, true] {
            case.terms.answer.calibrate = calibrate;
            let watch = Spoils {
                batches: 0..u64::MAX,
                kind: Kind::Answers,
                spoil: &|_, body| {
                    let answers = answers(body);
                    answers
                        .confidences
                        .iter_mut()
                        .for_each(|confidence| *confidence = 1.0);
                    answers.classes.iter_mut().for_each(|class| *class = 0);
                },
            };
            let (run, _) = case.run(weather.clone(), watch);
            check_whole(&case, &run);
            assert_eq!(
                run.count(|note| *note == Note::Overconfident(PartyId(1))),
                1
            );
            let pairs = run.finals();
            let pairs = pairs.iter().zip(&case.classes);
            right.push(
                pairs
                    .filter(|(answer, class)| answer.class == **class)
                    .count(),
            );
        }
        assert!(right[1] > right[0], "{right:?}");
    }
}

/// Shows another mask key of one site than the true one from an epoch on, as the site itself or as
/// the aggregator that passes it on.
struct WrongKey {
    from: PartyId,
    to: Option<PartyId>,
    of: Option<PartyId>,
    epoch: u32,
    key: [u8; 32],
    shown: usize,
}

impl Watch for WrongKey {
    fn frame(&mut self, from: PartyId, to: PartyId, bytes: Vec<u8>, _: Time) -> Vec<Vec<u8>> {
        let (header, mut body) = decode(&bytes).expect("a frame");
        let is_meant = from == self.from && self.to.is_none_or(|meant| meant == to);
        match &mut body {
            Body::Hello(hello)
                if is_meant
                    && header.epoch >= self.epoch
                    && *self.of.get_or_insert(header.sender) == header.sender =>
            {
                hello.mask = self.key;
                self.shown += 1;
                vec![encode(&header, &body)]
            }
            _ => vec![bytes],
        }
    }
}

/// Keys of a low order: 0, 1 and −1; with each of them all secrets are 0.
fn keys_without_secret() -> [[u8; 32]; 3] {
    let mut keys = [[0; 32], [0; 32], [0xff; 32]];
    keys[1][0] = 1;
    (keys[2][0], keys[2][31]) = (0xec, 0x7f);
    keys
}

pub(super) fn masked() -> Case {
    Case::new(Rule::Vote, Some(FragmentKind::Masked), 8, 1200, 3)
}

#[test]
fn a_site_whose_mask_key_makes_no_secret_is_shut_out_and_others_go_on() {
    let liar = PartyId(1);
    for key in keys_without_secret() {
        let wrong = WrongKey {
            from: liar,
            to: None,
            of: None,
            epoch: 1,
            key,
            shown: 0,
        };
        let (run, wrong) = masked().run(still(3), wrong);
        assert!(wrong.shown > 0, "it is source of a node");
        check_whole(&masked(), &run);
        let hub = PartyId::AGGREGATOR;
        let of_hub = |note: Note| run.notes.iter().any(|(_, at, n)| *at == hub && *n == note);
        assert!(of_hub(Note::Refused(liar, Refusal::Value)));
        assert!(of_hub(Note::Quarantined(liar)));
        let others = run.count(|note| matches!(note, Note::Quarantined(party) if *party != liar));
        assert_eq!(others, 0);
    }
}

#[test]
fn a_run_that_begins_with_such_a_key_names_its_site() {
    let wrong = WrongKey {
        from: PartyId(1),
        to: None,
        of: None,
        epoch: 0,
        key: [0; 32],
        shown: 0,
    };
    let (run, _) = masked().run(still(3), wrong);
    check_stall(&run, "site 1");
}

/// The aggregator passes on what sites have signed, so it answers for what no site would sign.
#[test]
fn such_a_key_from_the_aggregator_is_refused_by_the_site_that_gets_it() {
    let hub = PartyId::AGGREGATOR;
    for key in keys_without_secret() {
        let wrong = WrongKey {
            from: hub,
            to: Some(PartyId(0)),
            of: None,
            epoch: 1,
            key,
            shown: 0,
        };
        let (run, wrong) = masked().run(still(3), wrong);
        assert!(wrong.shown > 0, "it is source of a node");
        let by_site = |note: Note| run.notes.iter().any(|(_, at, n)| at.0 == 0 && *n == note);
        assert!(by_site(Note::Refused(hub, Refusal::Value)));
        let failed = run.failure.as_ref().map(|(party, _)| *party);
        assert!(failed.is_none_or(|party| party == hub), "{failed:?}");
    }
}
