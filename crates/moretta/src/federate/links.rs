//! Frames that arrive once: acknowledged, sent again until they are, and known when they repeat.
//!
//! A frame is known by its sender and its [`Stream`]: kind, source, node and batch. Who receives
//! the same bytes again acknowledges them again and does nothing; other bytes for the same stream
//! are refused, and their sender is shut out. Sums of the last 1,024 batches of a stream are
//! remembered; what is older is refused. Acknowledgements wait for more of them or for another
//! frame to the same party, for a quarter of the time after which a frame is sent again. Inside
//! of one process nothing is lost, so nothing is acknowledged either, and there is one run alone;
//! else nothing is said before a party has joined a [`Run`].

mod acks;
mod address;
mod conduct;
mod incoming;
mod joining;
mod outgoing;
mod saved;

pub(super) use address::{Address, Post, Received};

use super::frame::{Ack, Body, Header, Kind, Refusal, Stream, decode, encode};
use super::party::{Note, Outbox, PartyId, Time};
use super::run::{Mark, Run};
use super::terms::Terms;
use acks::Acks;
use address::stream;
use conduct::Conduct;
use incoming::{Incoming, Recognised};
use joining::reaches;
use outgoing::Outgoing;
use std::collections::{BTreeMap, VecDeque};

/// Whether frames can be lost on their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Never, as in one process.
    Certain,
    /// They can.
    Acknowledged {
        /// Milliseconds after which an unacknowledged one is sent again.
        retry: Time,
        /// What the party drew when it was begun.
        mark: Mark,
    },
}

/// All links of a party.
#[derive(Debug)]
pub(super) struct Links {
    me: PartyId,
    federation: u64,
    /// The sum of the terms, which all who join must have.
    terms: [u8; 32],
    /// Milliseconds until a frame is sent again; none where none is lost.
    retry: Option<Time>,
    run: Option<Run>,
    /// When this party has asked to join.
    asked: Option<Time>,
    /// Who has joined just now.
    joined: Vec<PartyId>,
    outgoing: Outgoing,
    incoming: Incoming,
    acks: Acks,
    /// Frames to itself, which take no link.
    own: VecDeque<Vec<u8>>,
    conduct: Conduct,
    /// The furthest batch that this party has sent a frame about.
    told: u64,
    /// Parties that were sent something, and when; what comes from them takes them off.
    unheard: BTreeMap<PartyId, Time>,
}

impl Links {
    pub(super) fn new(me: PartyId, terms: &Terms, delivery: Delivery) -> Self {
        let (retry, run) = match delivery {
            Delivery::Certain => (None, None),
            Delivery::Acknowledged { retry, mark } => (Some(retry), Some(Run::new(me, mark))),
        };
        Links {
            me,
            federation: terms.federation_number(),
            terms: terms.sum(),
            retry,
            run,
            asked: None,
            joined: Vec::new(),
            outgoing: Outgoing::default(),
            incoming: Incoming::default(),
            acks: Acks::default(),
            own: VecDeque::new(),
            conduct: Conduct::default(),
            told: 0,
            unheard: BTreeMap::new(),
        }
    }

    /// Sends a frame, and again until it is acknowledged.
    pub(super) fn send(&mut self, address: Address, body: &Body, now: Time, out: &mut Outbox) {
        let bytes = encode(&self.header(address, body.kind()), body);
        self.send_bytes(address, body.kind(), bytes, now, out);
    }

    /// Sends the same frame to several parties.
    pub(super) fn send_all(
        &mut self,
        parties: &[PartyId],
        epoch: u32,
        batch: u64,
        body: &Body,
        now: Time,
        out: &mut Outbox,
    ) {
        let address = Address::new(self.me, epoch, batch);
        let bytes = encode(&self.header(address, body.kind()), body);
        for &to in parties {
            let address = Address { to, ..address };
            self.send_bytes(address, body.kind(), bytes.clone(), now, out);
        }
    }

    fn header(&self, address: Address, kind: Kind) -> Header {
        Header {
            kind,
            federation: match kind {
                Kind::Join => self.plain_number(),
                _ => self.number(),
            },
            epoch: address.epoch,
            sender: self.me,
            node: address.node,
            batch: address.batch,
        }
    }

    /// A frame of another party, as it was made.
    pub(super) fn frame_of(&self, sender: PartyId, epoch: u32, body: &Body) -> Vec<u8> {
        let header = self.header(Address::new(sender, epoch, 0), body.kind());
        encode(&Header { sender, ..header }, body)
    }

    /// The same for a frame that is made already, as one that is passed on.
    pub(super) fn send_bytes(
        &mut self,
        address: Address,
        kind: Kind,
        bytes: Vec<u8>,
        now: Time,
        out: &mut Outbox,
    ) {
        let to = address.to;
        self.told = self.told.max(address.batch);
        if to == self.me {
            self.own.push_back(bytes);
            return;
        }
        if self.conduct.is_shut_out(to) {
            return;
        }
        if self.retry.is_some() {
            self.unheard.entry(to).or_insert(now);
            let dropped = self.outgoing.keep(to, address.stream(kind), &bytes, now);
            out.notes.extend(dropped.map(Note::Dropped));
        }
        if self.reaches(to) {
            out.frames.push((to, bytes));
        }
    }

    /// Whether a party has so many frames of a kind to acknowledge.
    pub(super) fn is_behind(&self, to: PartyId, kind: Kind, most: usize) -> bool {
        self.outgoing.has(to, kind, most)
    }

    /// Since when nothing has come from a party that was sent something.
    pub(super) fn unheard_since(&self, party: PartyId) -> Option<Time> {
        self.unheard.get(&party).copied()
    }

    /// Drops frames of a kind that a newer one stands for.
    pub(super) fn supersede(&mut self, to: PartyId, kind: Kind) {
        self.outgoing.supersede(to, kind);
    }

    /// Says why a frame was not taken, without holding it against its sender.
    pub(super) fn turn_away(
        &mut self,
        from: PartyId,
        why: Refusal,
        about: Address,
        out: &mut Outbox,
    ) {
        if why == Refusal::Keys {
            out.notes.push(Note::KeysDiffer(from, about.batch));
        }
        out.notes.push(Note::Refused(from, why));
        let address = Address { to: from, ..about };
        let body = Body::Refuse(why);
        let header = Header {
            federation: match why {
                // Who is refused for its run or its terms does not know this run.
                Refusal::Run | Refusal::Stranger => self.plain_number(),
                _ => self.number(),
            },
            ..self.header(address, Kind::Refuse)
        };
        out.frames.push((from, encode(&header, &body)));
    }

    /// Says why a frame was not taken.
    pub(super) fn refuse(&mut self, from: PartyId, why: Refusal, about: Address, out: &mut Outbox) {
        self.turn_away(from, why, about, out);
        // What the frame names its sender could choose, so that no two faults are near each other.
        if self.conduct.has_offended(from, self.told) || why == Refusal::Conflict {
            self.shut_out(from, out);
        }
    }

    /// Does not listen to a party any more.
    pub(super) fn shut_out(&mut self, party: PartyId, out: &mut Outbox) {
        if self.conduct.shut_out(party) {
            out.notes.push(Note::Quarantined(party));
            self.outgoing.forget(party);
            self.incoming.forget(party);
        }
    }

    /// Whether a party is shut out.
    pub(super) fn is_shut_out(&self, party: PartyId) -> bool {
        self.conduct.is_shut_out(party)
    }

    /// A frame that came for the first time, from whom it says; others are answered here.
    pub(super) fn receive(
        &mut self,
        from: PartyId,
        bytes: &[u8],
        out: &mut Outbox,
    ) -> Option<Received> {
        if self.conduct.is_shut_out(from) {
            return None;
        }
        let nowhere = Address::new(from, 0, 0);
        let Ok((header, body)) = decode(bytes) else {
            self.refuse(from, Refusal::Malformed, nowhere, out);
            return None;
        };
        let about = Address::new(from, header.epoch, header.batch).about(header.node);
        if header.federation as u32 != self.federation as u32 {
            self.refuse(from, Refusal::Stranger, about, out);
            return None;
        }
        if self.run.is_some() && !self.is_of_run(from, &header, &body, about, out) {
            return None;
        }
        self.unheard.remove(&from);
        let passed_on = header.kind == Kind::Hello && from == PartyId::AGGREGATOR;
        if header.sender != from && !passed_on {
            self.refuse(from, Refusal::Sender, about, out);
            return None;
        }
        let received = Received::new(header, body);
        match &received.body {
            Body::Ack(ack) => {
                let frames = ack.frames.iter();
                frames.for_each(|&frame| self.outgoing.acknowledge(from, frame));
                return None;
            }
            Body::Refuse(why) => {
                // The same bytes would be refused again.
                let was_sent = self.outgoing.drop_refused(from, |known| {
                    let (kind, source) = (known.kind, known.source);
                    known == stream(kind, source, header.node, header.epoch, header.batch)
                });
                // What was not sent to a party cannot be refused by it.
                if was_sent || self.retry.is_none() {
                    if *why == Refusal::Keys {
                        out.notes.push(Note::KeysDiffer(from, header.batch));
                    }
                    out.notes.push(Note::RefusedBy(from, *why));
                }
                return None;
            }
            _ if self.retry.is_none() => {}
            _ => self.recognise(from, received.stream, bytes, about, out)?,
        }
        Some(received)
    }

    /// The next frame that the party sent to itself.
    pub(super) fn next_own(&mut self, out: &mut Outbox) -> Option<Received> {
        let bytes = self.own.pop_front()?;
        let Ok((header, body)) = decode(&bytes) else {
            out.notes.push(Note::Refused(self.me, Refusal::Malformed));
            return None;
        };
        Some(Received::new(header, body))
    }

    /// Goes on only with what is new.
    fn recognise(
        &mut self,
        from: PartyId,
        stream: Stream,
        bytes: &[u8],
        about: Address,
        out: &mut Outbox,
    ) -> Option<()> {
        let recognised = self.incoming.recognise(from, stream, bytes);
        match recognised {
            Recognised::New | Recognised::Known => self.acks.push(from, stream),
            // A slow link can bring a known frame again as late as this.
            Recognised::Old => self.turn_away(from, Refusal::Batch, about, out),
            Recognised::Other => self.refuse(from, Refusal::Conflict, about, out),
            Recognised::TooMany => self.refuse(from, Refusal::Unexpected, about, out),
        }
        (recognised == Recognised::New).then_some(())
    }

    /// Takes back that a frame was received: it will be looked at when it comes again.
    pub(super) fn postpone(&mut self, from: PartyId, stream: Stream) {
        self.acks.take_back(from, stream);
        self.incoming.take_back(from, stream);
    }

    /// Drops topologies of epochs before this one, and what sites have signed for them, that have not
    /// been acknowledged.
    pub(super) fn drop_before(&mut self, epoch: u32) {
        self.outgoing.drop_before(epoch);
    }

    /// Gives back what is remembered of streams from or for sources that are gone.
    pub(super) fn forget_streams(&mut self, is_there: impl Fn(u16) -> bool) {
        self.incoming.forget_streams(is_there);
    }

    /// Sends everything again that a party has not acknowledged.
    pub(super) fn relink(&mut self, to: PartyId, now: Time, out: &mut Outbox) {
        self.unheard.remove(&to);
        if to == PartyId::AGGREGATOR && self.me != to {
            self.ask(now, out);
        }
        if !self.reaches(to) {
            return;
        }
        let sent = out.frames.len();
        self.outgoing.send_all_again(to, now, out);
        if out.frames.len() > sent {
            self.unheard.insert(to, now);
        }
    }

    /// Who has not acknowledged all that was sent to it.
    pub(super) fn awaits(&self) -> Vec<PartyId> {
        self.outgoing.parties().collect()
    }

    /// Whether a party has not acknowledged all that was sent to it.
    pub(super) fn awaits_of(&self, party: PartyId) -> bool {
        self.outgoing.parties().any(|to| to == party)
    }

    /// Acknowledges what came, sends again what is due, and asks to be woken for the rest.
    pub(super) fn finish(&mut self, now: Time, out: &mut Outbox) {
        let Some(retry) = self.retry else {
            return;
        };
        for party in std::mem::take(&mut self.joined) {
            self.relink(party, now, out);
        }
        let written = out.frames.iter().map(|(to, _)| *to).collect();
        for (to, frames) in self.acks.due(now, retry, &written) {
            let header = self.header(Address::new(to, 0, 0), Kind::Ack);
            let body = Body::Ack(Ack { frames });
            out.frames.push((to, encode(&header, &body)));
        }
        let asked = self.asked.filter(|_| self.run().is_none());
        if asked.is_some_and(|asked| now >= asked + retry) {
            self.ask(now, out);
        }
        let asks_again = asked.and(self.asked).map(|asked| asked + retry);
        let (me, run) = (self.me, self.run.as_ref());
        let is_reached = |to| reaches(me, run, to);
        for to in self.outgoing.send_due_again(now, retry, is_reached, out) {
            self.unheard.entry(to).or_insert(now);
        }
        let next = [
            self.outgoing.next_due(retry),
            self.acks.next_due(retry),
            asks_again,
        ];
        if let Some(next) = next.into_iter().flatten().min() {
            out.wake_at(next);
        }
    }
}

#[cfg(test)]
mod tests;
