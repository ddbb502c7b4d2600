//! Acknowledgements that wait for others to the same party, so that one frame tells many, and go
//! with whatever else is sent to it, so that they wake nobody.

use super::super::frame::Stream;
use super::super::party::{PartyId, Time};
use std::collections::{BTreeMap, BTreeSet};

/// So many are told at once.
const MOST: usize = 32;
/// They wait for this part of the time after which a frame is sent again.
const PART_OF_RETRY: Time = 16;

#[derive(Debug, Default)]
pub(super) struct Acks {
    waiting: BTreeMap<PartyId, Vec<Stream>>,
    /// When the first of them was looked at.
    since: Option<Time>,
    is_full: bool,
}

impl Acks {
    pub(super) fn push(&mut self, to: PartyId, stream: Stream) {
        let frames = self.waiting.entry(to).or_default();
        frames.push(stream);
        self.is_full |= frames.len() >= MOST;
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
        let over = now >= since + retry / PART_OF_RETRY;
        let is_met = written.iter().any(|to| self.waiting.contains_key(to));
        if !over && !self.is_full && !is_met {
            return Vec::new();
        }
        self.is_full = false;
        let is_due = |to: &PartyId, frames: &Vec<Stream>| {
            over || frames.len() >= MOST || written.contains(to)
        };
        let all = std::mem::take(&mut self.waiting);
        let (due, waiting): (BTreeMap<_, _>, _) =
            all.into_iter().partition(|(to, frames)| is_due(to, frames));
        self.waiting = waiting;
        if self.waiting.is_empty() {
            self.since = None;
        }
        let due = due.into_iter();
        due.filter(|(_, frames)| !frames.is_empty()).collect()
    }

    /// When those that wait are due.
    pub(super) fn next_due(&self, retry: Time) -> Option<Time> {
        self.since.map(|since| since + retry / PART_OF_RETRY)
    }
}
