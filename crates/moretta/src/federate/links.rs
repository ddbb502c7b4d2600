//! Frames that arrive once: acknowledged, sent again until they are, and known when they repeat.
//!
//! A frame is known by its sender and its [`Stream`]: kind, source, node and batch. Who receives
//! the same bytes again acknowledges them again and does nothing; other bytes for the same stream
//! are refused, and their sender is shut out. Sums of the last 1,024 batches of a stream are
//! remembered; what is older is refused. Inside of one process nothing is lost, so nothing is
//! acknowledged either.

use super::frame::{Ack, Body, Header, Kind, NO_NODE, Refusal, Stream, decode, encode};
use super::party::{Note, Outbox, PartyId, Time};
use super::state::{Reader, Writer, odd};
use crate::error::Result;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Batches of a stream whose sums are remembered.
const REMEMBERED: usize = 1024;
/// Refused frames within so many batches…
const FAULT_SPAN: u64 = 1000;
/// … of which so many shut their sender out.
const MOST_FAULTS: usize = 3;
/// Streams that one sender may begin; a federation has one for each kind and node.
const MOST_STREAMS: usize = 1 << 14;
/// Frames of a stream that are kept until they are acknowledged.
const MOST_UNACKNOWLEDGED: usize = 1024;

/// Whether frames can be lost on their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// Never, as in one process.
    Certain,
    /// They can; an unacknowledged one is sent again after so many milliseconds.
    Acknowledged(Time),
}

/// A frame that is not lost: to whom, about what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub(super) to: PartyId,
    pub(super) epoch: u32,
    pub(super) source: u16,
    pub(super) node: u16,
    pub(super) batch: u64,
}

impl Address {
    pub(super) fn new(to: PartyId, epoch: u32, batch: u64) -> Self {
        Address {
            to,
            epoch,
            source: NO_NODE,
            node: NO_NODE,
            batch,
        }
    }

    pub(super) fn of_source(self, source: u16) -> Self {
        Address { source, ..self }
    }

    pub(super) fn about(self, node: u16) -> Self {
        Address { node, ..self }
    }
}

/// A frame that came for the first time.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) header: Header,
    pub(super) body: Body,
    pub(super) stream: Stream,
}

impl Received {
    /// A frame that is known to be new.
    pub(super) fn new(header: Header, body: Body) -> Self {
        let source = source_of(&header, &body);
        Received {
            stream: stream(header.kind, source, header.node, header.epoch, header.batch),
            header,
            body,
        }
    }
}

/// All links of a party.
#[derive(Debug)]
pub(super) struct Links {
    me: PartyId,
    federation: u64,
    delivery: Delivery,
    unacknowledged: BTreeMap<(PartyId, Stream), Sent>,
    seen: BTreeMap<(PartyId, Kind, u16, u16), BTreeMap<u64, Sum>>,
    acks: Vec<(PartyId, Stream)>,
    /// Frames to itself, which take no link.
    own: VecDeque<Vec<u8>>,
    faults: BTreeMap<PartyId, VecDeque<u64>>,
    shut_out: BTreeSet<PartyId>,
    /// Parties that were sent something, and when; what comes from them takes them off.
    unheard: BTreeMap<PartyId, Time>,
}

type Sum = [u8; 16];

#[derive(Debug)]
struct Sent {
    bytes: Vec<u8>,
    at: Time,
}

impl Links {
    pub(super) fn new(me: PartyId, federation: u64, delivery: Delivery) -> Self {
        Links {
            me,
            federation,
            delivery,
            unacknowledged: BTreeMap::new(),
            seen: BTreeMap::new(),
            acks: Vec::new(),
            own: VecDeque::new(),
            faults: BTreeMap::new(),
            shut_out: BTreeSet::new(),
            unheard: BTreeMap::new(),
        }
    }

    /// Sends a frame, and again until it is acknowledged.
    pub(super) fn send(&mut self, address: Address, body: &Body, now: Time, out: &mut Outbox) {
        let bytes = encode(&self.header(address, body.kind()), body);
        self.send_bytes(address, body.kind(), bytes, now, out);
    }

    fn header(&self, address: Address, kind: Kind) -> Header {
        Header {
            kind,
            federation: self.federation,
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
        if address.to == self.me {
            self.own.push_back(bytes);
            return;
        }
        if self.shut_out.contains(&address.to) {
            return;
        }
        if self.delivery != Delivery::Certain {
            let stream = stream(
                kind,
                address.source,
                address.node,
                address.epoch,
                address.batch,
            );
            let sent = Sent {
                bytes: bytes.clone(),
                at: now,
            };
            self.unheard.entry(address.to).or_insert(now);
            self.unacknowledged.insert((address.to, stream), sent);
            self.drop_oldest(address.to, stream, out);
        }
        out.frames.push((address.to, bytes));
    }

    /// Keeps frames of the last 1,024 batches of a stream. Topologies and hellos are needed in
    /// their order and are few, answers for the consumer are waited for.
    fn drop_oldest(&mut self, to: PartyId, stream: Stream, out: &mut Outbox) {
        if matches!(stream.kind, Kind::Topology | Kind::Hello | Kind::Final) {
            return;
        }
        let first = (to, Stream { batch: 0, ..stream });
        let mut kept = self.unacknowledged.range(first..=(to, stream));
        let oldest = kept.next().map(|(key, _)| *key);
        if let Some(oldest) = oldest.filter(|_| kept.count() >= MOST_UNACKNOWLEDGED) {
            self.unacknowledged.remove(&oldest);
            out.notes.push(Note::Dropped(oldest.1.batch));
        }
    }

    /// Frames of a kind that a party has not acknowledged.
    pub(super) fn waiting(&self, to: PartyId, kind: Kind) -> usize {
        let of = self.unacknowledged.range((to, least(kind))..);
        of.take_while(|((party, stream), _)| *party == to && stream.kind == kind)
            .count()
    }

    /// Since when nothing has come from a party that was sent something.
    pub(super) fn unheard_since(&self, party: PartyId) -> Option<Time> {
        self.unheard.get(&party).copied()
    }

    /// Drops frames of a kind that a newer one stands for.
    pub(super) fn supersede(&mut self, to: PartyId, kind: Kind) {
        self.unacknowledged
            .retain(|(party, stream), _| *party != to || stream.kind != kind);
    }

    /// Says why a frame was not taken, without holding it against its sender.
    fn turn_away(&mut self, from: PartyId, why: Refusal, about: Address, out: &mut Outbox) {
        out.notes.push(Note::Refused(from, why));
        let address = Address { to: from, ..about };
        let body = Body::Refuse(why);
        let header = self.header(address, Kind::Refuse);
        out.frames.push((from, encode(&header, &body)));
    }

    /// Says why a frame was not taken.
    pub(super) fn refuse(&mut self, from: PartyId, why: Refusal, about: Address, out: &mut Outbox) {
        self.turn_away(from, why, about, out);
        let faults = self.faults.entry(from).or_default();
        faults.push_back(about.batch);
        while faults
            .front()
            .is_some_and(|&first| first + FAULT_SPAN < about.batch)
        {
            faults.pop_front();
        }
        if faults.len() >= MOST_FAULTS || why == Refusal::Conflict {
            self.shut_out(from, out);
        }
    }

    /// Does not listen to a party any more.
    pub(super) fn shut_out(&mut self, party: PartyId, out: &mut Outbox) {
        if self.shut_out.insert(party) {
            out.notes.push(Note::Quarantined(party));
            self.unacknowledged.retain(|(to, _), _| *to != party);
            self.seen.retain(|(from, ..), _| *from != party);
        }
    }

    /// Whether a party is shut out.
    pub(super) fn is_shut_out(&self, party: PartyId) -> bool {
        self.shut_out.contains(&party)
    }

    /// A frame that came for the first time, from whom it says; others are answered here.
    pub(super) fn receive(
        &mut self,
        from: PartyId,
        bytes: &[u8],
        out: &mut Outbox,
    ) -> Option<Received> {
        if self.shut_out.contains(&from) {
            return None;
        }
        self.unheard.remove(&from);
        let nowhere = Address::new(from, 0, 0);
        let Ok((header, body)) = decode(bytes) else {
            self.refuse(from, Refusal::Malformed, nowhere, out);
            return None;
        };
        let about = Address::new(from, header.epoch, header.batch).about(header.node);
        if header.federation != self.federation {
            self.refuse(from, Refusal::Stranger, about, out);
            return None;
        }
        let passed_on = header.kind == Kind::Hello && from == PartyId::AGGREGATOR;
        if header.sender != from && !passed_on {
            self.refuse(from, Refusal::Sender, about, out);
            return None;
        }
        let received = Received::new(header, body);
        match &received.body {
            Body::Ack(ack) => {
                for frame in &ack.frames {
                    self.unacknowledged.remove(&(from, *frame));
                }
                return None;
            }
            Body::Refuse(why) => {
                out.notes.push(Note::RefusedBy(from, *why));
                // The same bytes would be refused again.
                let header = received.header;
                self.unacknowledged.retain(|(to, known), _| {
                    let (kind, source) = (known.kind, known.source);
                    let about = stream(kind, source, header.node, header.epoch, header.batch);
                    *to != from || *known != about
                });
                return None;
            }
            _ if self.delivery == Delivery::Certain => {}
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
        let sum: Sum = Sha256::digest(bytes)[..16].try_into().expect("32 bytes");
        if self.seen.len() >= MOST_STREAMS {
            self.refuse(from, Refusal::Unexpected, about, out);
            return None;
        }
        let of_stream = (from, stream.kind, stream.source, stream.node);
        let seen = self.seen.entry(of_stream).or_default();
        match seen.get(&stream.batch) {
            Some(known) if *known == sum => {
                self.acks.push((from, stream));
                None
            }
            Some(_) => {
                self.refuse(from, Refusal::Conflict, about, out);
                None
            }
            None => {
                let full = seen.len() >= REMEMBERED;
                if full
                    && seen
                        .first_key_value()
                        .is_some_and(|(first, _)| stream.batch < *first)
                {
                    // A slow link can bring a known frame again as late as this.
                    self.turn_away(from, Refusal::Batch, about, out);
                    return None;
                }
                if full {
                    seen.pop_first();
                }
                seen.insert(stream.batch, sum);
                self.acks.push((from, stream));
                Some(())
            }
        }
    }

    /// Takes back that a frame was received: it will be looked at when it comes again.
    pub(super) fn postpone(&mut self, from: PartyId, stream: Stream) {
        self.acks.retain(|ack| *ack != (from, stream));
        let of_stream = (from, stream.kind, stream.source, stream.node);
        if let Some(seen) = self.seen.get_mut(&of_stream) {
            seen.remove(&stream.batch);
        }
    }

    /// Sends everything again that a party has not acknowledged.
    pub(super) fn relink(&mut self, to: PartyId, now: Time, out: &mut Outbox) {
        self.unheard.remove(&to);
        for ((party, _), sent) in &mut self.unacknowledged {
            if *party == to {
                self.unheard.insert(to, now);
                sent.at = now;
                out.frames.push((to, sent.bytes.clone()));
            }
        }
    }

    /// Who has not acknowledged all that was sent to it.
    pub(super) fn awaits(&self) -> Vec<PartyId> {
        let mut parties: Vec<PartyId> = self.unacknowledged.keys().map(|(to, _)| *to).collect();
        parties.dedup();
        parties
    }

    /// Acknowledges what came, sends again what is due, and asks to be woken for the rest.
    pub(super) fn finish(&mut self, now: Time, out: &mut Outbox) {
        let Delivery::Acknowledged(retry) = self.delivery else {
            return;
        };
        let mut acks: BTreeMap<PartyId, Vec<Stream>> = BTreeMap::new();
        for (to, stream) in self.acks.drain(..) {
            acks.entry(to).or_default().push(stream);
        }
        for (to, frames) in acks {
            let header = self.header(Address::new(to, 0, 0), Kind::Ack);
            out.frames
                .push((to, encode(&header, &Body::Ack(Ack { frames }))));
        }
        let mut next = None::<Time>;
        for ((to, _), sent) in &mut self.unacknowledged {
            if now >= sent.at + retry {
                self.unheard.entry(*to).or_insert(now);
                sent.at = now;
                out.frames.push((*to, sent.bytes.clone()));
            }
            next = Some(next.map_or(sent.at + retry, |next| next.min(sent.at + retry)));
        }
        if let Some(next) = next {
            out.wake_at(next);
        }
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.size(self.unacknowledged.len());
        for ((to, stream), sent) in &self.unacknowledged {
            out.u16(to.0);
            save_stream(stream, out);
            out.u64(sent.at);
            out.size(sent.bytes.len());
            out.raw(&sent.bytes);
        }
        out.size(self.seen.len());
        for ((from, kind, source, node), batches) in &self.seen {
            out.u16(from.0);
            let first = Stream {
                kind: *kind,
                source: *source,
                node: *node,
                batch: 0,
            };
            save_stream(&first, out);
            out.size(batches.len());
            for (batch, sum) in batches {
                out.u64(*batch);
                out.raw(sum);
            }
        }
        out.size(self.faults.len());
        for (party, batches) in &self.faults {
            out.u16(party.0);
            out.size(batches.len());
            batches.iter().for_each(|&batch| out.u64(batch));
        }
        out.size(self.shut_out.len());
        self.shut_out.iter().for_each(|party| out.u16(party.0));
        out.size(self.unheard.len());
        for (party, since) in &self.unheard {
            out.u16(party.0);
            out.u64(*since);
        }
    }

    /// What was saved; frames that were on their way are sent again once links are there.
    pub(super) fn load(&mut self, from: &mut Reader<'_>) -> Result<()> {
        for _ in 0..from.length()? {
            let (to, stream) = (PartyId(from.u16()?), load_stream(from)?);
            let (at, length) = (from.u64()?, from.length()?);
            let bytes = from.raw(length)?.to_vec();
            self.unacknowledged.insert((to, stream), Sent { bytes, at });
        }
        for _ in 0..from.length()? {
            let (party, stream) = (PartyId(from.u16()?), load_stream(from)?);
            let length = from.length()?;
            let batches = from.many(length, |from| Ok((from.u64()?, from.array()?)))?;
            let of_stream = (party, stream.kind, stream.source, stream.node);
            self.seen.insert(of_stream, batches.into_iter().collect());
        }
        for _ in 0..from.length()? {
            let party = PartyId(from.u16()?);
            let length = from.length()?;
            self.faults
                .insert(party, from.many(length, Reader::u64)?.into());
        }
        for _ in 0..from.length()? {
            self.shut_out.insert(PartyId(from.u16()?));
        }
        for _ in 0..from.length()? {
            let party = PartyId(from.u16()?);
            self.unheard.insert(party, from.u64()?);
        }
        Ok(())
    }
}

/// Links with the time and the outbox of one event.
pub(super) struct Post<'a> {
    pub(super) links: &'a mut Links,
    now: Time,
    pub(super) out: &'a mut Outbox,
}

impl<'a> Post<'a> {
    pub(super) fn new(links: &'a mut Links, now: Time, out: &'a mut Outbox) -> Self {
        Post { links, now, out }
    }

    pub(super) fn send(&mut self, address: Address, body: &Body) {
        self.links.send(address, body, self.now, self.out);
    }

    pub(super) fn refuse(&mut self, from: PartyId, why: Refusal, about: Address) {
        self.links.refuse(from, why, about, self.out);
    }
}

/// The least stream of a kind.
fn least(kind: Kind) -> Stream {
    Stream {
        kind,
        source: 0,
        node: 0,
        batch: 0,
    }
}

fn save_stream(stream: &Stream, out: &mut Writer) {
    out.byte(stream.kind as u8);
    out.u16(stream.source);
    out.u16(stream.node);
    out.u64(stream.batch);
}

fn load_stream(from: &mut Reader<'_>) -> Result<Stream> {
    let byte = from.byte()?;
    let kind = Kind::ALL.into_iter().find(|kind| *kind as u8 == byte);
    Ok(Stream {
        kind: kind.ok_or_else(|| odd("a kind of frame that there is not"))?,
        source: from.u16()?,
        node: from.u16()?,
        batch: from.u64()?,
    })
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
fn stream(kind: Kind, source: u16, node: u16, epoch: u32, batch: u64) -> Stream {
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

#[cfg(test)]
mod tests {
    use super::super::frame::Credit;
    use super::*;

    const A: PartyId = PartyId(0);
    const B: PartyId = PartyId(1);

    fn links(me: PartyId) -> Links {
        Links::new(me, 7, Delivery::Acknowledged(100))
    }

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
        for (_, bytes) in out.frames.iter().chain(&again.frames) {
            let new = b.receive(A, bytes, &mut answer);
            b.finish(0, &mut answer);
            assert_eq!(
                new.is_some(),
                answer.frames.len() == 1,
                "the second is known"
            );
        }
        let mut rest = Outbox::default();
        assert!(a.receive(B, &answer.frames[0].1, &mut rest).is_none());
        a.finish(1000, &mut rest);
        assert!(rest.frames.is_empty() && rest.wake.is_none());
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
        assert!(check(&frame(7, B), Refusal::Sender));
    }
}
