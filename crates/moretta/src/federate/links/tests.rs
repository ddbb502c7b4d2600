//! Frames that are lost, repeated and forged.

use super::super::frame::{Bits, Credit, Keys, NO_NODE};
use super::*;
use crate::federate::terms::Rule;

const A: PartyId = PartyId(0);
const B: PartyId = PartyId(1);

/// Those of federation 7.
fn terms() -> Terms {
    let mut terms = Terms::of_study(2, 2, Rule::Vote);
    terms.federation[0] = 7;
    terms
}

/// The links of a party that has joined a run.
fn links(me: PartyId) -> Links {
    let mark = Mark([9; 16]);
    let mut links = Links::new(me, &terms(), Delivery::Acknowledged { retry: 100, mark });
    let run = links.run.as_mut().expect("a run");
    assert!(me == HUB || run.join(5));
    links
}

const NUMBER: u64 = 7 | 5 << 32;

fn credit(below: u64) -> Body {
    Body::Credit(Credit {
        below,
        epoch: 0,
        closed: 0,
    })
}

#[test]
fn a_frame_is_sent_until_it_is_acknowledged() {
    let (mut a, mut b) = (links(A), links(B));
    let mut out = Outbox::default();
    a.send(Address::new(B, 0, 5), &credit(6), 0, &mut out);
    a.finish(0, &mut out);
    assert_eq!((out.frames.len(), out.wake), (1, Some(100)));
    let mut again = Outbox::default();
    a.finish(100, &mut again);
    assert_eq!(again.frames, out.frames);
    let mut answer = Outbox::default();
    assert!(b.receive(A, &out.frames[0].1, &mut answer).is_some());
    b.finish(0, &mut answer);
    assert_eq!(
        (answer.frames.len(), answer.wake),
        (0, Some(25)),
        "it waits"
    );
    assert!(b.receive(A, &again.frames[0].1, &mut answer).is_none());
    b.finish(25, &mut answer);
    assert_eq!(answer.frames.len(), 1, "one for both");
    let mut rest = Outbox::default();
    assert!(a.receive(B, &answer.frames[0].1, &mut rest).is_none());
    a.finish(1000, &mut rest);
    assert!(rest.frames.is_empty() && rest.wake.is_none());
}

#[test]
fn what_was_not_sent_cannot_be_refused() {
    let (mut a, mut b) = (links(A), links(B));
    let refuse = |links: &mut Links, batch: u64| {
        let mut out = Outbox::default();
        let about = Address::new(A, 0, batch).about(NO_NODE);
        links.turn_away(A, Refusal::Keys, about, &mut out);
        out.frames.remove(0).1
    };
    let mut out = Outbox::default();
    a.send(Address::new(B, 0, 5), &credit(6), 0, &mut out);
    out.frames.clear();
    let (other, sent) = (refuse(&mut b, 6), refuse(&mut b, 5));
    assert!(a.receive(B, &other, &mut out).is_none() && out.notes.is_empty());
    assert!(a.receive(B, &sent, &mut out).is_none());
    let refused = Note::RefusedBy(B, Refusal::Keys);
    assert_eq!(out.notes, [Note::KeysDiffer(B, 5), refused]);
    let mut again = Outbox::default();
    assert!(a.receive(B, &sent, &mut again).is_none() && again.notes.is_empty());
}

#[test]
fn the_aggregator_alone_says_who_does_not_join() {
    let (mut hub, mut site) = (begun(HUB, 1), begun(A, 2));
    for why in [Refusal::Stranger, Refusal::Run] {
        let mut out = Outbox::default();
        site.turn_away(HUB, why, Address::new(HUB, 0, 0), &mut out);
        let frame = out.frames.remove(0).1;
        assert!(hub.receive(A, &frame, &mut out).is_none());
        assert!(!out.notes.contains(&Note::RefusedBy(A, why)));
        let mut out = Outbox::default();
        hub.turn_away(A, why, Address::new(A, 0, 0), &mut out);
        let frame = out.frames.remove(0).1;
        assert!(site.receive(HUB, &frame, &mut out).is_none());
        assert!(out.notes.contains(&Note::RefusedBy(HUB, why)));
    }
}

#[test]
fn other_bytes_for_the_same_batch_shut_their_sender_out() {
    let (mut a, mut b) = (links(A), links(B));
    let (mut out, mut answer) = (Outbox::default(), Outbox::default());
    a.send(Address::new(B, 0, 5), &credit(6), 0, &mut out);
    a.send(Address::new(B, 0, 5), &credit(7), 0, &mut out);
    assert!(b.receive(A, &out.frames[0].1, &mut answer).is_some());
    assert!(b.receive(A, &out.frames[1].1, &mut answer).is_none());
    assert!(b.is_shut_out(A));
    let expected = [Note::Refused(A, Refusal::Conflict), Note::Quarantined(A)];
    assert_eq!(answer.notes, expected);
}

#[test]
fn strangers_and_liars_are_refused_and_the_third_time_shut_out() {
    let mut b = links(B);
    let mut check = |bytes: &[u8], why: Refusal| {
        let mut out = Outbox::default();
        assert!(b.receive(A, bytes, &mut out).is_none());
        assert_eq!(out.notes[0], Note::Refused(A, why));
        b.is_shut_out(A)
    };
    let frame = |federation, sender| {
        let header = Header {
            kind: Kind::Credit,
            federation,
            epoch: 0,
            sender,
            node: NO_NODE,
            batch: 0,
        };
        encode(&header, &credit(1))
    };
    assert!(!check(b"garbage", Refusal::Malformed));
    assert!(!check(&frame(8, A), Refusal::Stranger));
    assert!(check(&frame(NUMBER, B), Refusal::Sender));
}

const HUB: PartyId = PartyId::AGGREGATOR;

fn begun(me: PartyId, mark: u8) -> Links {
    let mark = Mark([mark; 16]);
    Links::new(me, &terms(), Delivery::Acknowledged { retry: 100, mark })
}

/// Acknowledges what came, though nothing more comes.
fn finish(links: &mut Links, out: &mut Outbox) {
    links.finish(1, out);
    links.finish(26, out);
}

/// Carries all frames between two parties until they are silent; gives what they noted.
fn talk(a: &mut Links, b: &mut Links) -> (Vec<Note>, Vec<Note>, usize) {
    let (mut of_a, mut of_b) = (Outbox::default(), Outbox::default());
    let mut new = 0;
    a.relink(b.me, 0, &mut of_a);
    b.relink(a.me, 0, &mut of_b);
    while !of_a.frames.is_empty() || !of_b.frames.is_empty() {
        for (_, bytes) in std::mem::take(&mut of_a.frames) {
            new += usize::from(b.receive(a.me, &bytes, &mut of_b).is_some());
        }
        finish(b, &mut of_b);
        for (_, bytes) in std::mem::take(&mut of_b.frames) {
            new += usize::from(a.receive(b.me, &bytes, &mut of_a).is_some());
        }
        finish(a, &mut of_a);
    }
    (of_a.notes, of_b.notes, new)
}

#[test]
fn nothing_is_said_before_a_party_has_joined_and_all_of_it_then() {
    let (mut hub, mut site) = (begun(HUB, 1), begun(A, 2));
    let mut out = Outbox::default();
    hub.send(Address::new(A, 0, 5), &credit(6), 0, &mut out);
    site.send(Address::new(HUB, 0, 0), &credit(1), 0, &mut out);
    site.finish(500, &mut out);
    assert!(out.frames.is_empty());
    assert_eq!(talk(&mut hub, &mut site), (Vec::new(), Vec::new(), 1));
    assert_eq!(site.run(), hub.run());
    assert_eq!((hub.awaits(), site.awaits()), (vec![], vec![HUB]));
    assert_eq!(talk(&mut hub, &mut site), (Vec::new(), Vec::new(), 1));
    assert_eq!(site.awaits(), []);
}

#[test]
fn parties_of_another_run_and_parties_begun_anew_are_refused() {
    let (mut hub, mut site) = (begun(HUB, 1), begun(A, 2));
    talk(&mut hub, &mut site);
    let mut out = Outbox::default();
    let refused = |party| Note::Refused(party, Refusal::Run);
    let refused_by = |party| Note::RefusedBy(party, Refusal::Run);
    let (mut other_hub, mut other_site) = (begun(HUB, 3), begun(A, 4));
    other_hub.send(Address::new(A, 0, 5), &credit(6), 0, &mut out);
    let (of_hub, of_site, new) = talk(&mut other_hub, &mut site);
    assert_eq!((of_hub, new), (vec![refused(A)], 0));
    assert_eq!(of_site, [refused_by(HUB)]);
    hub.send(Address::new(A, 0, 5), &credit(6), 0, &mut out);
    let (of_hub, of_site, new) = talk(&mut hub, &mut other_site);
    assert_eq!((of_hub, new), (vec![refused(A)], 0));
    assert_eq!((of_site, other_site.run()), (vec![refused_by(HUB)], None));
    assert!(!hub.is_shut_out(A) && !other_hub.is_shut_out(A));
    // The one that belongs there still does.
    assert_eq!(talk(&mut hub, &mut site), (Vec::new(), Vec::new(), 1));
}

#[test]
fn nobody_joins_with_other_terms() {
    let mut hub = begun(HUB, 1);
    let mut others = terms();
    others.class_names[0] = 1;
    let mark = Mark([2; 16]);
    let mut site = Links::new(A, &others, Delivery::Acknowledged { retry: 100, mark });
    let (of_hub, of_site, new) = talk(&mut hub, &mut site);
    assert_eq!(
        (of_hub, new),
        (vec![Note::Refused(A, Refusal::Stranger)], 0)
    );
    assert_eq!(of_site, [Note::RefusedBy(HUB, Refusal::Stranger)]);
    assert_eq!(site.run(), None);
}

fn frame_of(sender: PartyId, node: u16, batch: u64) -> Vec<u8> {
    let body = Body::Keys(Keys {
        source: NO_NODE,
        forwarded: Bits::new(1),
    });
    let header = Header {
        kind: Kind::Keys,
        federation: NUMBER,
        epoch: 0,
        sender,
        node,
        batch,
    };
    encode(&header, &body)
}

#[test]
fn faults_are_counted_by_own_batches_and_not_by_those_that_frames_name() {
    let check = |own: [u64; 3], named: [u64; 3], is_shut_out: bool| {
        let mut b = links(B);
        let mut out = Outbox::default();
        for (own, named) in own.into_iter().zip(named) {
            b.send(Address::new(A, 0, own), &credit(1), 0, &mut out);
            b.refuse(A, Refusal::Batch, Address::new(A, 0, named), &mut out);
        }
        assert_eq!(b.is_shut_out(A), is_shut_out, "{own:?} {named:?}");
    };
    check([0; 3], [0, 5000, u64::MAX], true);
    check([0, 900, 1000], [u64::MAX, 5, 70_000], true);
    check([0, 900, 1001], [7; 3], false);
    check([u64::MAX - 1, u64::MAX, u64::MAX], [0; 3], true);
}

/// All batches of many streams, none of which is of use to anybody.
#[test]
fn one_sender_makes_nobody_remember_more_frames_than_there_is_room_for() {
    let mut b = links(B);
    let mut out = Outbox::default();
    let taken = (0..300).find(|&node| {
        let frames = (0..1024).map(|batch| frame_of(A, node, batch));
        for frame in frames {
            b.receive(A, &frame, &mut out);
        }
        b.is_shut_out(A)
    });
    assert_eq!(taken, Some(256));
    let last = Note::Refused(A, Refusal::Unexpected);
    assert!(out.notes.contains(&last));
}

#[test]
fn one_sender_with_very_many_streams_leaves_room_for_others() {
    let mut hub = links(HUB);
    let run = hub.run.as_mut().expect("a run");
    let number = u64::from(run.number().expect("its own")) << 32 | 7;
    let of_run = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        bytes[4..12].copy_from_slice(&number.to_le_bytes());
        bytes
    };
    let mut out = Outbox::default();
    let mut begin = |from: PartyId, node: u16| {
        let bytes = of_run(&frame_of(from, node, u64::MAX));
        let is_taken = hub.receive(from, &bytes, &mut out).is_some();
        (is_taken, hub.is_shut_out(from))
    };
    let most = 1 << 14;
    assert!((0..most).all(|node| begin(A, node) == (true, false)));
    // The others are heard while it fills its room, and it alone is held to account.
    assert!((0..5).all(|node| begin(B, node) == (true, false)));
    assert_eq!(begin(A, most), (false, false));
    assert_eq!(begin(A, most), (false, false));
    assert_eq!(begin(A, most), (false, true));
    assert_eq!(begin(B, 5), (true, false));
}

#[test]
fn streams_of_nodes_that_are_gone_are_given_back() {
    let mut hub = links(HUB);
    let run = hub.run.as_mut().expect("a run");
    let number = u64::from(run.number().expect("its own")) << 32 | 7;
    let mut out = Outbox::default();
    let mut shut_out = 0;
    for node in 2..40_000 {
        let mut bytes = frame_of(A, node, 5);
        bytes[4..12].copy_from_slice(&number.to_le_bytes());
        assert!(hub.receive(A, &bytes, &mut out).is_some(), "{node}");
        // The same frame is known as long as its node is there.
        assert!(hub.receive(A, &bytes, &mut out).is_none(), "{node}");
        shut_out += usize::from(hub.is_shut_out(A));
        if node % 64 == 0 {
            hub.forget_streams(|source| source == node || source < 2);
            assert_eq!(hub.incoming.all().len(), 1);
        }
    }
    assert_eq!(shut_out, 0);
}
