//! Acknowledgements that wait for others to the same party, so that one frame tells many, and go
//! with whatever else is sent to it, so that they wake nobody. The end is acknowledged at once, and
//! answers soon, since a consumer has nothing else to send and a run ends when it has them.

use super::super::frame::{Kind, Stream};
use super::super::party::{PartyId, Time};
use std::collections::{BTreeMap, BTreeSet};

/// So many are told at once.
const MOST: usize = 32;
/// They wait for this part of the time after which a frame is sent again.
const PART_OF_RETRY: Time = 4;
/// The same where answers are among them.
const PART_FOR_ANSWERS: Time = 16;

#[derive(Debug, Default)]
pub(super) struct Acks {
    waiting: BTreeMap<PartyId, Vec<Stream>>,
    /// When the first of them was looked at.
    since: Option<Time>,
    /// Whether some party must be told at once.
    is_full: bool,
    has_answers: bool,
}

impl Acks {
    pub(super) fn push(&mut self, to: PartyId, stream: Stream) {
        let frames = self.waiting.entry(to).or_default();
        frames.push(stream);
        self.is_full |= is_full(frames);
        self.has_answers |= stream.kind == Kind::Final;
    }

    /// Does not acknowledge a frame that would have been.
    pub(super) fn take_back(&mut self, to: PartyId, stream: Stream) {
        if let Some(frames) = self.waiting.get_mut(&to) {
            frames.retain(|frame| *frame != stream);
        }
    }

    /// What is to be acknowledged now, by party; `written` are those who are sent something anyway.
    pub(super) fn due(
        &mut self,
        now: Time,
        retry: Time,
        written: &BTreeSet<PartyId>,
    ) -> Vec<(PartyId, Vec<Stream>)> {
        if self.waiting.is_empty() {
            return Vec::new();
        }
        let since = *self.since.get_or_insert(now);
        let over = now >= since + self.wait(retry);
        let is_met = written.iter().any(|to| self.waiting.contains_key(to));
        if !over && !self.is_full && !is_met {
            return Vec::new();
        }
        self.is_full = false;
        let is_due =
            |to: &PartyId, frames: &Vec<Stream>| over || is_full(frames) || written.contains(to);
        let all = std::mem::take(&mut self.waiting);
        let (due, waiting): (BTreeMap<_, _>, _) =
            all.into_iter().partition(|(to, frames)| is_due(to, frames));
        self.waiting = waiting;
        if self.waiting.is_empty() {
            (self.since, self.has_answers) = (None, false);
        }
        let due = due.into_iter();
        due.filter(|(_, frames)| !frames.is_empty()).collect()
    }

    /// When those that wait are due.
    pub(super) fn next_due(&self, retry: Time) -> Option<Time> {
        self.since.map(|since| since + self.wait(retry))
    }

    fn wait(&self, retry: Time) -> Time {
        match self.has_answers {
            true => retry / PART_FOR_ANSWERS,
            false => retry / PART_OF_RETRY,
        }
    }
}

/// Whether nothing else is waited for: there is enough, or nothing comes any more.
fn is_full(frames: &[Stream]) -> bool {
    frames.len() >= MOST || frames.iter().any(|frame| frame.kind == Kind::End)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PEER: PartyId = PartyId(4);
    const RETRY: Time = 1000;

    fn stream(kind: Kind, batch: u64) -> Stream {
        Stream {
            kind,
            source: 0,
            node: 0,
            batch,
        }
    }

    /// When frames of a kind that came at time 0 are acknowledged, if nothing else is written.
    fn acknowledged(kind: Kind, count: u64) -> Time {
        let mut acks = Acks::default();
        (0..count).for_each(|batch| acks.push(PEER, stream(kind, batch)));
        let is_due = |now: &Time| !acks.due(*now, RETRY, &BTreeSet::new()).is_empty();
        (0..2 * RETRY).find(is_due).expect("they are due")
    }

    #[test]
    fn acknowledgements_wait_for_others_but_not_at_the_end() {
        assert_eq!(acknowledged(Kind::Labels, 1), RETRY / PART_OF_RETRY);
        assert_eq!(acknowledged(Kind::Final, 1), RETRY / PART_FOR_ANSWERS);
        assert_eq!(acknowledged(Kind::Labels, MOST as u64), 0);
        assert_eq!(acknowledged(Kind::End, 1), 0);
    }

    #[test]
    fn acknowledgements_go_with_what_is_written_to_the_same_party() {
        let mut acks = Acks::default();
        acks.push(PEER, stream(Kind::Labels, 3));
        acks.push(PartyId(5), stream(Kind::Labels, 3));
        let due = acks.due(1, RETRY, &BTreeSet::from([PEER]));
        assert_eq!(due, [(PEER, vec![stream(Kind::Labels, 3)])]);
        assert_eq!(acks.next_due(RETRY), Some(1 + RETRY / PART_OF_RETRY));
    }
}
