//! Senders that evade what frames are known by, or how faults are counted.

use super::faults::{check_whole, flow, live, lockstep, masked, still};
use super::*;
use crate::federate::frame::{Header, Refusal, encode};

const HUB: PartyId = PartyId::AGGREGATOR;
const LIAR: PartyId = PartyId(0);

/// Sends another frame of a kind besides, which differs by the node that it names as well.
struct Besides {
    kind: Kind,
    change: fn(&mut Body),
    sent: usize,
}

impl Watch for Besides {
    fn frame(&mut self, from: PartyId, to: PartyId, bytes: Vec<u8>, _: Time) -> Vec<Vec<u8>> {
        let (header, mut body) = decode(&bytes).expect("a frame");
        let is_late = header.epoch > 0 || header.batch > 10;
        if from != LIAR || to != HUB || header.kind != self.kind || !is_late {
            return vec![bytes];
        }
        (self.change)(&mut body);
        self.sent += 1;
        vec![bytes, encode(&Header { node: 3, ..header }, &body)]
    }
}

/// What the aggregator passes on it would be blamed for.
#[test]
fn two_hellos_of_one_epoch_blame_who_has_signed_them() {
    let besides = Besides {
        kind: Kind::Hello,
        change: |body| {
            if let Body::Hello(hello) = body {
                hello.next += 1;
            }
        },
        sent: 0,
    };
    let (run, besides) = masked().run(still(3), besides);
    assert!(besides.sent > 0, "it is source of a node");
    check_whole(&masked(), &run);
    for (_, _, note) in &run.notes {
        assert!(*note != Note::Quarantined(HUB), "{note:?}");
    }
}

#[test]
fn a_second_answer_under_another_node_counts_for_nothing() {
    for (case, weather) in [(lockstep(400), still(3)), (flow(400), live(3))] {
        let besides = Besides {
            kind: Kind::Answers,
            change: |body| {
                if let Body::Answers(answers) = body {
                    answers.classes.iter_mut().for_each(|class| *class ^= 1);
                }
            },
            sent: 0,
        };
        let (run, besides) = case.run(weather, besides);
        assert!(besides.sent > 0);
        check_whole(&case, &run);
        let refused = |note: &Note| *note == Note::Refused(LIAR, Refusal::Malformed);
        assert_eq!(run.count(refused), 3);
        assert_eq!(run.count(|note| *note == Note::Quarantined(LIAR)), 1);
    }
}

/// Sends garbage again and again: frames about batches that are far apart, which nobody takes.
struct Offender {
    batch: u64,
}

impl Watch for Offender {
    fn frame(&mut self, from: PartyId, to: PartyId, bytes: Vec<u8>, _: Time) -> Vec<Vec<u8>> {
        let (header, body) = decode(&bytes).expect("a frame");
        if from != LIAR || to != HUB || header.kind != Kind::Answers {
            return vec![bytes];
        }
        self.batch += 2000;
        let far = Header {
            batch: self.batch,
            ..header
        };
        vec![bytes, encode(&far, &body)]
    }
}

#[test]
fn who_offends_is_shut_out_whatever_batches_its_frames_name() {
    for (case, weather) in [(lockstep(400), still(3)), (flow(400), live(3))] {
        let (run, _) = case.run(weather, Offender { batch: 10_000 });
        check_whole(&case, &run);
        assert_eq!(run.count(|note| *note == Note::Quarantined(LIAR)), 1);
        assert!(run.count(|note| matches!(note, Note::Refused(LIAR, _))) < 10);
    }
}

/// In flow a site may be silent for ever, while the hierarchy changes all the time.
#[test]
fn nothing_grows_for_a_site_that_is_silent_and_it_goes_on_when_it_is_back() {
    let case = |records| {
        let mut case = flow(records);
        case.terms.monitors = MonitorTerms {
            delta: 0.9,
            creation_time: 4,
            removal_time: 8,
            usage: 1.0,
            drift: 0.9,
            ..case.terms.monitors
        };
        case
    };
    let silent = |down| Weather {
        kills: vec![Kill {
            party: PartyId(3),
            at: 1000,
            down,
        }],
        ..live(1)
    };
    let epochs = |run: &Run| run.count(|note| matches!(note, Note::Created(..)));
    // Labels that wait for it are 1,024 batches after 11,000 records or so, and no more later.
    let (short, ()) = case(12_000).run(silent(None), ());
    let (long, ()) = case(24_000).run(silent(None), ());
    check_whole(&case(24_000), &long);
    let made = [&short, &long].map(epochs);
    assert!(made[1] > made[0] && made[0] > 5, "{made:?}");
    let (small, great) = (short.greatest_checkpoint, long.greatest_checkpoint);
    assert!(great < small + small / 4, "{small} {great}, {made:?}");
    // It has missed more topologies than anybody keeps for it.
    let (run, ()) = case(12_000).run(silent(Some(20_000)), ());
    check_whole(&case(12_000), &run);
    let last = run.answers.iter().rev().take(50).flatten();
    assert_eq!(last.filter(|answer| answer.partial).count(), 0);
}
