//! Whom a frame is for and what it is about.

use super::Links;
use crate::federate::frame::{Body, Header, Kind, NO_NODE, Refusal, Stream};
use crate::federate::party::{Outbox, PartyId, Time};

/// A frame that is not lost: to whom, about what.
#[derive(Clone, Copy, Debug)]
pub(in crate::federate) struct Address {
    pub(in crate::federate) to: PartyId,
    pub(in crate::federate) epoch: u32,
    pub(in crate::federate) source: u16,
    pub(in crate::federate) node: u16,
    pub(in crate::federate) batch: u64,
}

impl Address {
    pub(in crate::federate) fn new(to: PartyId, epoch: u32, batch: u64) -> Self {
        Address {
            to,
            epoch,
            source: NO_NODE,
            node: NO_NODE,
            batch,
        }
    }

    pub(in crate::federate) fn of_source(self, source: u16) -> Self {
        Address { source, ..self }
    }

    pub(in crate::federate) fn about(self, node: u16) -> Self {
        Address { node, ..self }
    }

    pub(super) fn stream(self, kind: Kind) -> Stream {
        stream(kind, self.source, self.node, self.epoch, self.batch)
    }
}

/// A frame that came for the first time.
#[derive(Debug)]
pub(in crate::federate) struct Received {
    pub(in crate::federate) header: Header,
    pub(in crate::federate) body: Body,
    pub(in crate::federate) stream: Stream,
}

impl Received {
    /// A frame that is known to be new.
    pub(in crate::federate) fn new(header: Header, body: Body) -> Self {
        let source = source_of(&header, &body);
        Received {
            stream: stream(header.kind, source, header.node, header.epoch, header.batch),
            header,
            body,
        }
    }
}

/// Links with the time and the outbox of one event.
pub(in crate::federate) struct Post<'a> {
    pub(in crate::federate) links: &'a mut Links,
    now: Time,
    pub(in crate::federate) out: &'a mut Outbox,
}

impl<'a> Post<'a> {
    pub(in crate::federate) fn new(links: &'a mut Links, now: Time, out: &'a mut Outbox) -> Self {
        Post { links, now, out }
    }

    pub(in crate::federate) fn send(&mut self, address: Address, body: &Body) {
        self.links.send(address, body, self.now, self.out);
    }

    pub(in crate::federate) fn refuse(&mut self, from: PartyId, why: Refusal, about: Address) {
        self.links.refuse(from, why, about, self.out);
    }
}

/// Which source a frame is of, where a party may speak for several.
fn source_of(header: &Header, body: &Body) -> u16 {
    match body {
        Body::Answers(answers) => answers.source,
        Body::Keys(keys) => keys.source,
        Body::Fragment(fragment) => fragment.source,
        Body::Masked(masked) => masked.source,
        Body::Hello(_) => header.sender.0,
        _ => NO_NODE,
    }
}

/// What comes once an epoch is known by its epoch.
pub(super) fn stream(kind: Kind, source: u16, node: u16, epoch: u32, batch: u64) -> Stream {
    let batch = match kind {
        Kind::Hello | Kind::Topology => u64::from(epoch),
        _ => batch,
    };
    Stream {
        kind,
        source,
        node,
        batch,
    }
}
