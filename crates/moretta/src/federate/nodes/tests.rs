//! Frames that come before the topology that they belong to.

use super::*;
use crate::federate::frame::{Header, Kind};
use crate::federate::links::{Delivery, Links};
use crate::federate::party::Outbox;
use crate::federate::{Mark, Ratio, Rule};

const ME: PartyId = PartyId::AGGREGATOR;

/// A fragment of an epoch that is not known here yet.
fn early(from: PartyId, batch: u64, values: usize) -> Received {
    let body = Body::Fragment(Fragment {
        source: from.0,
        forwarded: Some(Bits::all(1)),
        width: values as u16,
        values: vec![0.0; values],
    });
    let header = Header {
        kind: Kind::Fragment,
        federation: 0,
        epoch: 9,
        sender: from,
        node: 4,
        batch,
    };
    Received::new(header, body)
}

/// How many of such frames wait, and how many of them were refused.
fn waiting(from: PartyId, frames: u64, values: usize) -> (usize, usize) {
    let terms = Terms::of_study(3, 2, Rule::Vote).with_trouble(Ratio::ONE);
    let mark = Mark([9; 16]);
    let delivery = Delivery::Acknowledged { retry: 100, mark };
    let mut links = Links::new(ME, &terms, delivery);
    let mut out = Outbox::default();
    let mut nodes = Nodes::new(Arc::new(terms), ME);
    for batch in 0..frames {
        let received = early(from, batch, values);
        let mut post = Post::new(&mut links, 0, &mut out);
        nodes.take(from, received, &mut post).expect("no failure");
    }
    let refused = |note: &&Note| matches!(note, Note::Refused(..));
    (nodes.early.len(), out.notes.iter().filter(refused).count())
}

#[test]
fn early_frames_of_a_party_take_bounded_memory() {
    let site = PartyId(0);
    // 512 KiB each.
    assert_eq!(waiting(site, 20, (1 << 16) - 1), (8, 0));
    assert_eq!(waiting(site, 1000, 1), (256, 0));
}

#[test]
fn who_has_no_records_has_no_early_frames() {
    assert_eq!(waiting(PartyId::LABELS, 2, 8), (0, 2));
    assert_eq!(waiting(PartyId::CONSUMER, 2, 8), (0, 2));
}
