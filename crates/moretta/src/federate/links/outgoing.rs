//! Frames that were sent and not acknowledged, and when each is sent again.
//!
//! Keeping, acknowledging and sending again take the logarithm of the number that is kept.

use super::super::frame::{Kind, Stream};
use super::super::party::{Outbox, PartyId, Time};
use std::collections::{BTreeMap, BTreeSet};

/// Frames of a stream that are kept until they are acknowledged.
const MOST_KEPT: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct Outgoing {
    /// By party; none without a frame.
    kept: BTreeMap<PartyId, BTreeMap<Stream, Sent>>,
    /// When each was sent last.
    by_time: BTreeSet<(Time, PartyId, Stream)>,
}

#[derive(Debug)]
struct Sent {
    bytes: Vec<u8>,
    at: Time,
}

impl Outgoing {
    /// Keeps a frame. Gives the batch of one that is kept no longer: of a stream the last 1,024
    /// are. Topologies and hellos are needed in their order and are few, answers for the consumer
    /// are waited for.
    pub(super) fn keep(
        &mut self,
        to: PartyId,
        stream: Stream,
        bytes: &[u8],
        now: Time,
    ) -> Option<u64> {
        self.insert(to, stream, bytes.to_vec(), now);
        let frames = self.kept.get(&to)?;
        let all = matches!(
            stream.kind,
            Kind::Topology | Kind::Hello | Kind::Final | Kind::End
        );
        if all || frames.len() <= MOST_KEPT {
            return None;
        }
        let mut of_stream = frames.range(Stream { batch: 0, ..stream }..=stream);
        let oldest = *of_stream.next()?.0;
        if of_stream.count() < MOST_KEPT {
            return None;
        }
        self.acknowledge(to, oldest);
        Some(oldest.batch)
    }

    /// Keeps a frame that was sent at that time.
    pub(super) fn insert(&mut self, to: PartyId, stream: Stream, bytes: Vec<u8>, at: Time) {
        let frames = self.kept.entry(to).or_default();
        if let Some(old) = frames.insert(stream, Sent { bytes, at }) {
            self.by_time.remove(&(old.at, to, stream));
        }
        self.by_time.insert((at, to, stream));
    }

    /// Changes the bytes of all frames.
    pub(super) fn change_all(&mut self, change: impl Fn(&mut [u8])) {
        let frames = self.kept.values_mut().flat_map(BTreeMap::values_mut);
        frames.for_each(|sent| change(&mut sent.bytes));
    }

    /// Drops a frame that has arrived.
    pub(super) fn acknowledge(&mut self, by: PartyId, stream: Stream) {
        let Some(frames) = self.kept.get_mut(&by) else {
            return;
        };
        if let Some(sent) = frames.remove(&stream) {
            self.by_time.remove(&(sent.at, by, stream));
        }
        if frames.is_empty() {
            self.kept.remove(&by);
        }
    }

    /// Whether there are at least so many frames of a kind for a party.
    pub(super) fn has(&self, to: PartyId, kind: Kind, most: usize) -> bool {
        let frames = self.kept.get(&to).filter(|frames| frames.len() >= most);
        frames.is_some_and(|frames| of_kind(frames, kind).count() >= most)
    }

    /// Drops frames of a kind.
    pub(super) fn supersede(&mut self, to: PartyId, kind: Kind) {
        let Some(frames) = self.kept.get(&to) else {
            return;
        };
        let old: Vec<Stream> = of_kind(frames, kind).collect();
        old.into_iter()
            .for_each(|stream| self.acknowledge(to, stream));
    }

    /// Drops topologies of epochs before this one, and hellos of these. The first hellos are for all.
    pub(super) fn drop_before(&mut self, epoch: u32) {
        let mut gone = Vec::new();
        for (&to, frames) in &self.kept {
            let old = of_kind(frames, Kind::Topology).chain(of_kind(frames, Kind::Hello));
            let old = old.filter(|stream| stream.batch < u64::from(epoch));
            let old = old.filter(|stream| stream.kind == Kind::Topology || stream.batch > 0);
            gone.extend(old.map(|stream| (to, stream)));
        }
        gone.into_iter()
            .for_each(|(to, stream)| self.acknowledge(to, stream));
    }

    /// Drops frames that a party has refused; says whether there were any.
    pub(super) fn drop_refused(&mut self, by: PartyId, refused: impl Fn(Stream) -> bool) -> bool {
        let frames = self.kept.get(&by).into_iter().flat_map(BTreeMap::keys);
        let gone: Vec<Stream> = frames.copied().filter(|&stream| refused(stream)).collect();
        gone.iter().for_each(|&stream| self.acknowledge(by, stream));
        !gone.is_empty()
    }

    /// Drops everything for a party.
    pub(super) fn forget(&mut self, party: PartyId) {
        self.kept.remove(&party);
        self.by_time.retain(|(_, to, _)| *to != party);
    }

    /// Sends everything for a party again.
    pub(super) fn send_all_again(&mut self, to: PartyId, now: Time, out: &mut Outbox) {
        for (stream, sent) in self.kept.get_mut(&to).into_iter().flatten() {
            self.by_time.remove(&(sent.at, to, *stream));
            self.by_time.insert((now, to, *stream));
            sent.at = now;
            out.frames.push((to, sent.bytes.clone()));
        }
    }

    /// Sends again what was sent long enough ago to those that are reached; gives to whom.
    pub(super) fn send_due_again(
        &mut self,
        now: Time,
        retry: Time,
        is_reached: impl Fn(PartyId) -> bool,
        out: &mut Outbox,
    ) -> BTreeSet<PartyId> {
        let mut due = Vec::new();
        while let Some(&(at, to, stream)) = self.by_time.first() {
            if now < at + retry {
                break;
            }
            self.by_time.pop_first();
            due.push((to, stream));
        }
        due.sort_unstable();
        for &(to, stream) in &due {
            self.by_time.insert((now, to, stream));
            let frames = self.kept.get_mut(&to);
            if let Some(sent) = frames.and_then(|frames| frames.get_mut(&stream)) {
                sent.at = now;
                if is_reached(to) {
                    out.frames.push((to, sent.bytes.clone()));
                }
            }
        }
        let parties = due.into_iter().map(|(to, _)| to);
        parties.filter(|&to| is_reached(to)).collect()
    }

    /// When the next frame is sent again.
    pub(super) fn next_due(&self, retry: Time) -> Option<Time> {
        self.by_time.first().map(|(at, ..)| at + retry)
    }

    /// Those who have not acknowledged everything.
    pub(super) fn parties(&self) -> impl Iterator<Item = PartyId> {
        self.kept.keys().copied()
    }

    /// All frames: to whom, what, when it was sent last.
    pub(super) fn all(&self) -> impl Iterator<Item = (PartyId, Stream, Time, &[u8])> {
        self.kept.iter().flat_map(|(to, frames)| {
            let frames = frames.iter();
            frames.map(|(stream, sent)| (*to, *stream, sent.at, &sent.bytes[..]))
        })
    }
}

fn of_kind(frames: &BTreeMap<Stream, Sent>, kind: Kind) -> impl Iterator<Item = Stream> {
    let least = Stream {
        kind,
        source: 0,
        node: 0,
        batch: 0,
    };
    let known = frames.range(least..).map(|(stream, _)| *stream);
    known.take_while(move |stream| stream.kind == kind)
}
