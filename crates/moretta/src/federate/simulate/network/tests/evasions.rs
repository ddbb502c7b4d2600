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
