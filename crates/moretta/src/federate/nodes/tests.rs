//! Frames that come before the topology that they belong to, and hierarchies that cannot be.

use super::*;
use crate::federate::frame::{Credit, Header, Kind, encode};
use crate::federate::links::{Delivery, Links};
use crate::federate::party::{Event, Outbox};
use crate::federate::{Column, Host, Mark, Party, Ratio, Rule, SiteColumns, Trust};

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

/// A node over the first two of three sites, where all trust its host.
fn hierarchy(change: impl FnOnce(&mut Topology)) -> Topology {
    let column = |id| Column {
        id,
        size: 1,
        values: 0,
    };
    let site = |id: u16| SiteColumns {
        id,
        columns: vec![column(u64::from(id))],
    };
    let mut topology = Topology::of_sites((0..3).map(site).collect());
    topology.nodes.push(Node {
        id: 3,
        order: 1,
        sources: vec![0, 1],
        length: 2,
        factor: Ratio::ONE,
        second: None,
        kind: FragmentKind::Raw,
        two_phase: false,
        width: 2,
        host: PartyId::host(0),
        first: 0,
    });
    change(&mut topology);
    topology
}

/// Shows a host hierarchies, and then a record of each of three sites; what was refused.
fn refused_by_host(topologies: Vec<Topology>) -> Vec<Note> {
    let mut terms = Terms::of_study(3, 2, Rule::Vote).with_trouble(Ratio::ONE);
    terms.hosts = vec![PartyId::host(0).0];
    let federation = terms.federation_number();
    let me = PartyId::host(0);
    let mut host = Host::new(Arc::new(terms), me, Trust::Process, Delivery::Certain);
    let mut out = Outbox::default();
    let mut show = |from: PartyId, epoch: u32, node: u16, body: Body| {
        let header = Header {
            kind: body.kind(),
            federation,
            epoch,
            sender: from,
            node,
            batch: 0,
        };
        let bytes = encode(&header, &body);
        let frame = Event::Frame {
            from,
            bytes: &bytes,
        };
        host.handle(frame, 0, &mut out).expect("it goes on");
    };
    let newest = topologies.len() as u32 - 1;
    for topology in topologies {
        show(
            PartyId::AGGREGATOR,
            topology.epoch,
            NO_NODE,
            Body::Topology(topology),
        );
    }
    let credit = Body::Credit(Credit {
        below: 9,
        epoch: newest,
        closed: 0,
    });
    show(PartyId::AGGREGATOR, newest, NO_NODE, credit);
    for site in 0..3 {
        let fragment = Body::Fragment(Fragment {
            source: site,
            forwarded: Some(Bits::all(1)),
            width: 1,
            values: vec![0.5],
        });
        show(PartyId(site), newest, 3, fragment);
    }
    out.notes
        .retain(|note| matches!(note, Note::Refused(PartyId::AGGREGATOR, _)));
    out.notes
}

#[test]
fn a_host_stops_at_no_hierarchy_that_cannot_be() {
    let refused = [Note::Refused(PartyId::AGGREGATOR, Refusal::Width)];
    assert_eq!(refused_by_host(vec![hierarchy(|_| {})]), []);
    // A node that is another one in the next epoch.
    let begun = hierarchy(|topology| {
        let node = &mut topology.nodes[0];
        (node.sources, node.length, node.width) = (vec![0, 1, 2], 3, 3);
    });
    let other = hierarchy(|topology| topology.epoch = 1);
    assert_eq!(refused_by_host(vec![begun, other]), []);
    let narrow = hierarchy(|topology| topology.nodes[0].width = 1);
    assert_eq!(refused_by_host(vec![narrow]), refused);
    let wide = hierarchy(|topology| topology.sites[1].columns[0].values = u32::MAX);
    assert_eq!(refused_by_host(vec![wide]), refused);
}
