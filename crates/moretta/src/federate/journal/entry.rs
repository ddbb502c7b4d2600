//! An event as bytes: when it was, and what; of rows a mark alone.

use crate::error::Result;
use crate::federate::party::{Event, PartyId, Rows, Time};
use crate::federate::state::{Reader, Writer, odd};

/// Where a frame begins: after the time, the kind of event and the sender.
const FRAME_AT: usize = 8 + 1 + 2;

/// An entry of a journal.
pub(super) struct Entry<'a> {
    pub(super) now: Time,
    pub(super) mark: Mark<'a>,
}

/// What an entry says.
pub(super) enum Mark<'a> {
    Event(Event<'a>),
    Rows(RowsMark),
}

/// That rows were shown: nothing of what they hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RowsMark {
    pub(super) batch: u64,
    records: u32,
    absent: u32,
    keys: u64,
    content: u64,
}

impl RowsMark {
    pub(super) fn of(rows: &Rows) -> Self {
        RowsMark {
            batch: rows.batch,
            records: rows.records.len().max(rows.classes.len()) as u32,
            absent: rows.absent.len() as u32,
            keys: rows.keys,
            content: rows.content,
        }
    }
}

impl<'a> Entry<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut from = Reader::new(bytes);
        let now = from.u64()?;
        let mark = match from.byte()? {
            0 => {
                let from = PartyId(from.u16()?);
                let bytes = &bytes[FRAME_AT..];
                let mark = Mark::Event(Event::Frame { from, bytes });
                return Ok(Entry { now, mark });
            }
            1 => Mark::Event(Event::Linked(PartyId(from.u16()?))),
            2 => Mark::Rows(RowsMark {
                batch: from.u64()?,
                records: from.u32()?,
                absent: from.u32()?,
                keys: from.u64()?,
                content: from.u64()?,
            }),
            3 => Mark::Event(Event::Timer),
            4 => Mark::Event(Event::RowsEnded),
            _ => return Err(odd("an event of a kind that there is not")),
        };
        from.end()?;
        Ok(Entry { now, mark })
    }
}

/// An event as an entry.
pub(super) fn write(event: Event<'_>, now: Time) -> Vec<u8> {
    let mut out = Writer::default();
    out.u64(now);
    match event {
        Event::Frame { from, bytes } => {
            out.byte(0);
            out.u16(from.0);
            out.raw(bytes);
        }
        Event::Linked(party) => {
            out.byte(1);
            out.u16(party.0);
        }
        Event::Rows(rows) => {
            let mark = RowsMark::of(rows);
            out.byte(2);
            out.u64(mark.batch);
            out.u32(mark.records);
            out.u32(mark.absent);
            out.u64(mark.keys);
            out.u64(mark.content);
        }
        Event::Timer => out.byte(3),
        Event::RowsEnded => out.byte(4),
    }
    out.into_bytes()
}

/// A checkpoint: the time of the last event, and what the party remembers.
pub(super) fn checkpoint(last: Time, state: &[u8]) -> Vec<u8> {
    let mut out = Writer::default();
    out.u64(last);
    out.raw(state);
    out.into_bytes()
}

/// The parts of a checkpoint.
pub(super) fn split_checkpoint(bytes: &[u8]) -> Result<(Time, &[u8])> {
    let last = Reader::new(bytes).u64()?;
    Ok((last, &bytes[8..]))
}
