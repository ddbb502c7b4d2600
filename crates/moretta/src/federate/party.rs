//! Parties as plain state machines: an event in, frames, answers and a time to wake out.
//!
//! A party has no clock, no thread and no file. Whoever drives it (a simulated network, the
//! adapter for gRPC, a single process) tells it what came and when, and delivers what it says.
//! The same events give the same frames, so a journal of events is all that a restart needs.

pub use super::party_id::PartyId;

use super::frame::{Final, Refusal};
use crate::data::Records;
use crate::error::Result;

/// Milliseconds of the driver's clock; only differences matter.
pub type Time = u64;

/// A batch of what a party has itself: records of a site, classes of the label holder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Which batch it is.
    pub batch: u64,
    /// The values of each record; of an absent one any.
    pub records: Records,
    /// Which records are there; all if none is said to be absent.
    pub absent: Vec<usize>,
    /// Classes, at the label holder.
    pub classes: Vec<u32>,
    /// A keyed sum of the keys of the batch.
    pub keys: u64,
    /// A keyed sum of all that the batch holds, to know it again after a restart. It leaves nobody.
    pub content: u64,
}

/// What happens to a party.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A frame came.
    Frame {
        /// From whom, as the link knows it.
        from: PartyId,
        /// The frame.
        bytes: &'a [u8],
    },
    /// A link is there, for the first time or again.
    Linked(PartyId),
    /// The next batch of its own.
    Rows(&'a Rows),
    /// There are no more batches of its own.
    RowsEnded,
    /// The time that it asked for has come.
    Timer,
}

/// What whoever runs a party should be told: places and counts, never a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// A frame of this party was refused.
    Refused(PartyId, Refusal),
    /// This party refused a frame of ours.
    RefusedBy(PartyId, Refusal),
    /// The keys of a batch are others here than at this party; what was refused for it comes next.
    KeysDiffer(PartyId, u64),
    /// A party is not listened to any more.
    Quarantined(PartyId),
    /// A party has not been heard of for as long as may be.
    Stalled(PartyId),
    /// A batch was dropped, since no more can be kept.
    Dropped(u64),
    /// A frame came after its batch was settled.
    Late(PartyId, u64),
    /// A trouble node was made: id, sources, batch.
    Created(u16, Vec<u16>, u64),
    /// A trouble node was removed: id, batch.
    Removed(u16, u64),
    /// A site is surer of its answers than it is right, by more than a quarter.
    Overconfident(PartyId),
}

/// What a party has to say.
#[derive(Debug, Default)]
pub struct Outbox {
    /// Frames, each to whom.
    pub frames: Vec<(PartyId, Vec<u8>)>,
    /// When it wants a [`Event::Timer`], at the latest.
    pub wake: Option<Time>,
    /// Answers, at the consumer: the batch and one a record.
    pub answers: Vec<(u64, Vec<Final>)>,
    /// What to tell.
    pub notes: Vec<Note>,
}

impl Outbox {
    pub(super) fn wake_at(&mut self, time: Time) {
        self.wake = Some(self.wake.map_or(time, |earlier| earlier.min(time)));
    }
}

/// A party.
pub trait Party: Send {
    /// Takes an event. Fails only where the party cannot go on.
    fn handle(&mut self, event: Event<'_>, now: Time, out: &mut Outbox) -> Result<()>;

    /// The next batch of its own that it wants, if it has room for one.
    fn wants(&self) -> Option<u64> {
        None
    }

    /// Whether it would go on with the batch that it wants. If not it need not be called when the
    /// batch comes: it is called when what it lacks besides does.
    fn needs_rows(&self) -> bool {
        true
    }

    /// All that it remembers, but no record; with it, its terms and its rows from
    /// [`resumes_at`](Party::resumes_at) on another one goes on.
    fn save(&self) -> Result<Vec<u8>>;

    /// The first batch of its own that another one would have to be shown again.
    fn resumes_at(&self) -> u64 {
        0
    }

    /// The first batch of its own that it was never shown. A live source shows it as soon as it
    /// is there, wanted or not; others wait until it is wanted.
    fn received(&self) -> u64 {
        self.resumes_at()
    }

    /// Whether it knows that it has no more batches of its own.
    fn has_ended(&self) -> bool {
        false
    }

    /// Whether the run is over for it: all is answered and, at the aggregator, all others are
    /// told so once they have acknowledged it.
    fn is_over(&self) -> bool {
        false
    }

    /// Whether it must stay at the end until others know that the run is over.
    fn waits_at_the_end(&self) -> bool {
        false
    }

    /// Batches below this are answered, as far as it was told.
    fn answered(&self) -> u64 {
        0
    }

    /// Who has not acknowledged all that was sent to it.
    fn awaits(&self) -> Vec<PartyId> {
        Vec::new()
    }
}

impl<P: Party + ?Sized> Party for Box<P> {
    fn handle(&mut self, event: Event<'_>, now: Time, out: &mut Outbox) -> Result<()> {
        (**self).handle(event, now, out)
    }

    fn wants(&self) -> Option<u64> {
        (**self).wants()
    }

    fn needs_rows(&self) -> bool {
        (**self).needs_rows()
    }

    fn save(&self) -> Result<Vec<u8>> {
        (**self).save()
    }

    fn resumes_at(&self) -> u64 {
        (**self).resumes_at()
    }

    fn received(&self) -> u64 {
        (**self).received()
    }

    fn has_ended(&self) -> bool {
        (**self).has_ended()
    }

    fn is_over(&self) -> bool {
        (**self).is_over()
    }

    fn waits_at_the_end(&self) -> bool {
        (**self).waits_at_the_end()
    }

    fn answered(&self) -> u64 {
        (**self).answered()
    }

    fn awaits(&self) -> Vec<PartyId> {
        (**self).awaits()
    }
}
