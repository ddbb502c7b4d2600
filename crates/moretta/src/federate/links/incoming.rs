//! Sums of frames that came, by which they are known when they repeat.

use super::super::frame::{Kind, NO_NODE, Stream};
use super::super::party::PartyId;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Batches of a stream whose sums are remembered.
const REMEMBERED: usize = 1024;
/// Streams that a sender may begin; a federation has one for each kind and node. One that begins
/// more is at fault itself, and others are still heard.
const MOST_STREAMS: usize = 1 << 14;
/// Sums of all streams of a sender: more than those of as many nodes as there may be.
const MOST_SUMS: usize = 1 << 18;

pub(super) type Sum = [u8; 16];

#[derive(Debug, Default)]
pub(super) struct Incoming {
    seen: BTreeMap<StreamOf, BTreeMap<u64, Sum>>,
    /// How many sums there are, by sender.
    sums: BTreeMap<PartyId, usize>,
}

/// Sender, kind, source and node.
pub(super) type StreamOf = (PartyId, Kind, u16, u16);

/// What is known of a frame that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recognised {
    /// It comes for the first time.
    New,
    /// The same bytes came before.
    Known,
    /// Other bytes came before.
    Other,
    /// It is older than all that is remembered.
    Old,
    /// It is one more, or of one stream more, than there may be.
    TooMany,
}

impl Incoming {
    /// Compares a frame with what came before, and remembers a new one.
    pub(super) fn recognise(&mut self, from: PartyId, stream: Stream, bytes: &[u8]) -> Recognised {
        let key = of_stream(from, stream);
        if !self.seen.contains_key(&key) && self.streams_of(from) >= MOST_STREAMS {
            return Recognised::TooMany;
        }
        let sum: Sum = Sha256::digest(bytes)[..16].try_into().expect("32 bytes");
        let seen = self.seen.entry(key).or_default();
        if let Some(known) = seen.get(&stream.batch) {
            return match *known == sum {
                true => Recognised::Known,
                false => Recognised::Other,
            };
        }
        if seen.len() >= REMEMBERED {
            let first = seen.first_key_value();
            if first.is_some_and(|(first, _)| stream.batch < *first) {
                return Recognised::Old;
            }
            seen.pop_first();
        } else {
            let sums = self.sums.entry(from).or_default();
            if *sums >= MOST_SUMS {
                return Recognised::TooMany;
            }
            *sums += 1;
        }
        seen.insert(stream.batch, sum);
        Recognised::New
    }

    fn streams_of(&self, from: PartyId) -> usize {
        let first = (from, Kind::Hello, 0, 0);
        let last = (from, Kind::End, u16::MAX, u16::MAX);
        self.seen.range(first..=last).count()
    }

    /// Forgets that a frame came.
    pub(super) fn take_back(&mut self, from: PartyId, stream: Stream) {
        let seen = self.seen.get_mut(&of_stream(from, stream));
        let is_gone = seen.and_then(|seen| seen.remove(&stream.batch)).is_some();
        if let Some(sums) = self.sums.get_mut(&from).filter(|_| is_gone) {
            *sums -= 1;
        }
    }

    /// Forgets streams of sources and nodes that are gone: their numbers are not used again.
    pub(super) fn forget_streams(&mut self, is_there: impl Fn(u16) -> bool) {
        let is_known = |id: u16| id == NO_NODE || is_there(id);
        self.seen
            .retain(|(_, _, source, node), _| is_known(*source) && is_known(*node));
        self.count();
    }

    /// Forgets all that came from a party.
    pub(super) fn forget(&mut self, party: PartyId) {
        self.seen.retain(|(from, ..), _| *from != party);
        self.sums.remove(&party);
    }

    fn count(&mut self) {
        self.sums.clear();
        for ((from, ..), batches) in &self.seen {
            *self.sums.entry(*from).or_default() += batches.len();
        }
    }

    /// All sums, by stream and batch.
    pub(super) fn all(&self) -> &BTreeMap<StreamOf, BTreeMap<u64, Sum>> {
        &self.seen
    }

    /// Those that were saved.
    pub(super) fn of(seen: BTreeMap<StreamOf, BTreeMap<u64, Sum>>) -> Self {
        let mut incoming = Incoming {
            seen,
            sums: BTreeMap::new(),
        };
        incoming.count();
        incoming
    }
}

fn of_stream(from: PartyId, stream: Stream) -> (PartyId, Kind, u16, u16) {
    (from, stream.kind, stream.source, stream.node)
}
