//! The events of a stream as one text that grows: whoever reads waits for more.

use crate::seal::{Key, LogReader};
use crate::stream::protocol::Segment;
use std::collections::VecDeque;
use std::io::{Error, ErrorKind, Read, Result, Seek, SeekFrom};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use zeroize::Zeroizing;

/// How often it is looked whether there are more events.
const LOOK: Duration = Duration::from_millis(10);
/// Bytes before the events of a record: when they were accepted.
pub(crate) const ACCEPTED: usize = 8;

/// What is known of the events, shared by who reads them and who hears of more.
#[derive(Clone, Default)]
pub(super) struct Events(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    segments: Vec<Segment>,
    ends: Ends,
    /// The end of each record that was read, and when it was accepted.
    accepted: VecDeque<(u64, i64)>,
}

/// What becomes of a reader that has read all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ends {
    /// It waits.
    #[default]
    Waits,
    /// It fails, so that nothing is taken for the end.
    Stops,
    /// It has come to the end.
    Finishes,
}

/// Without segments.
impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Events")
    }
}

impl Events {
    pub(super) fn new(segments: Vec<Segment>) -> Self {
        let events = Events::default();
        events.state().segments = segments;
        events
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another segment has begun.
    pub(super) fn add(&self, segment: Segment) {
        let mut state = self.state();
        let is_new = state
            .segments
            .last()
            .is_none_or(|last| last.number < segment.number);
        if is_new {
            state.segments.push(segment);
        }
        drop(state);
        self.0.changed.notify_all();
    }

    /// Whoever reads stops at once.
    pub(super) fn stop(&self) {
        self.state().ends = Ends::Stops;
        self.0.changed.notify_all();
    }

    /// What is there is all that comes.
    pub(super) fn finish(&self) {
        let mut state = self.state();
        if state.ends == Ends::Waits {
            state.ends = Ends::Finishes;
        }
        drop(state);
        self.0.changed.notify_all();
    }

    /// Whether whoever reads was told to stop.
    pub(super) fn are_stopped(&self) -> bool {
        self.state().ends == Ends::Stops
    }

    /// When the records that end before `to` were accepted; each is told once.
    pub(super) fn accepted_before(&self, to: u64) -> Vec<i64> {
        let mut state = self.state();
        let count = state
            .accepted
            .iter()
            .take_while(|(end, _)| *end <= to)
            .count();
        state.accepted.drain(..count).map(|(_, at)| at).collect()
    }

    /// A reader from a byte on.
    pub(super) fn read(&self, byte: u64) -> Tail {
        Tail {
            events: self.clone(),
            at: byte,
            segment: None,
            rest: Zeroizing::default(),
            from: 0,
        }
    }

    fn is_last(&self, segment: &Segment) -> bool {
        let state = self.state();
        let last = state.segments.last();
        last.is_some_and(|last| last.number == segment.number)
    }

    /// The last segment that begins at or before a byte; none before the first event.
    fn segment_of(&self, byte: u64) -> Result<Option<Segment>> {
        let state = self.state();
        let before = state
            .segments
            .iter()
            .rev()
            .find(|segment| segment.first <= byte);
        match before {
            None if !state.segments.is_empty() => Err(gone()),
            before => Ok(before.cloned()),
        }
    }
}

/// Reads events from some byte on.
pub(super) struct Tail {
    events: Events,
    at: u64,
    /// The number and the reader of the segment that holds `at`.
    segment: Option<(u64, LogReader)>,
    /// What was read of a record and not yet given, from `from` on.
    rest: Zeroizing<Vec<u8>>,
    from: usize,
}

impl Tail {
    /// Reads the record that holds `at`; false while there is none.
    fn fill(&mut self) -> Result<bool> {
        let Some(segment) = self.events.segment_of(self.at)? else {
            return Ok(false);
        };
        let mut reader = match self.segment.take() {
            Some((number, reader)) if number == segment.number && reader.next() <= self.at => {
                reader
            }
            _ if !segment.path.exists() => {
                // It was recorded, and its file is made with its first event. One after which another
                // began was lost.
                return match self.events.is_last(&segment) {
                    true => Ok(false),
                    false => Err(gone()),
                };
            }
            _ => {
                let key = Key::parse(&segment.key).ok_or_else(gone)?;
                LogReader::open(&segment.path, &key, segment.object, segment.first)?
            }
        };
        reader.pass(self.at)?;
        let record = reader.record()?;
        self.segment = Some((segment.number, reader));
        let Some(record) = record else {
            return Ok(false);
        };
        let (accepted, events) = record.content.split_at_checked(ACCEPTED).ok_or_else(gone)?;
        if events.len() as u64 != record.next - record.first || self.at < record.first {
            return Err(gone());
        }
        let accepted = accepted.try_into().map_or(0, i64::from_be_bytes);
        self.events
            .state()
            .accepted
            .push_back((record.next, accepted));
        self.from = ACCEPTED + (self.at - record.first) as usize;
        self.rest = record.content;
        Ok(true)
    }
}

/// What has to be there is not there.
fn gone() -> Error {
    Error::new(
        ErrorKind::InvalidData,
        "events that were accepted are missing",
    )
}

/// The reader was told to stop.
fn stopped() -> Error {
    Error::new(ErrorKind::ConnectionAborted, "the stream was stopped")
}

impl Read for Tail {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            if self.events.are_stopped() {
                return Err(stopped());
            }
            let rest = self.rest.get(self.from..).unwrap_or_default();
            if !rest.is_empty() {
                let taken = rest.len().min(into.len());
                into[..taken].copy_from_slice(&rest[..taken]);
                self.from += taken;
                self.at += taken as u64;
                return Ok(taken);
            }
            // Asked before the record is looked for: what was accepted before the end is read.
            let ends = self.events.state().ends;
            if self.fill()? {
                continue;
            }
            if ends == Ends::Finishes {
                return Ok(0);
            }
            let state = self.events.state();
            if state.ends == Ends::Waits {
                drop(self.events.0.changed.wait_timeout(state, LOOK));
            }
        }
    }
}

impl Seek for Tail {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        self.at = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::Current(0) => self.at,
            // Nobody knows where events that still come will end.
            _ => return Err(ErrorKind::Unsupported.into()),
        };
        self.rest = Zeroizing::default();
        self.from = 0;
        Ok(self.at)
    }
}
