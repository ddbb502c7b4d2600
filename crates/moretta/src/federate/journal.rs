//! Parties that survive a kill: every event is in a journal before anything follows from it.
//!
//! A party is a function of its events, so a checkpoint and the events since then are all that a
//! restart needs. [`Durable`] appends an event, and only then does the party take it and its
//! frames leave: whoever got an acknowledgement will not be asked for that frame again. Times
//! are part of events, so decisions that depend on deadlines are the same when they are replayed;
//! while a party is down its clock stands still.
//!
//! **Protects against** the loss of what was acknowledged: after a restart a party says what it
//! would have said without the kill. A journal that cannot be written stops the party before the
//! event has any effect. **Does not protect against** a lost disk. Rows of a party's own leave a
//! mark only (number of the batch, number of records, keyed sums of keys and of values), never a
//! value: they are read again. The journal of whoever runs trouble nodes holds the fragments that sites allow it
//! to see, so in raw mode it holds their values.
//!
//! **Costs** one copy of each frame, and a checkpoint every few thousand events. A checkpoint that
//! is larger than the journal waits until the journal has grown, at most eight times as long, so
//! that most of what is written are events.

mod entry;
mod memory;

pub use memory::MemoryJournal;

use super::party::{Event, Outbox, Party, PartyId, Rows, Time};
use crate::error::{Error, Result};
use entry::{Entry, Mark};

/// What a journal holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// The last checkpoint.
    pub checkpoint: Option<Vec<u8>>,
    /// Entries since then, in order.
    pub entries: Vec<Vec<u8>>,
}

/// Where events are written.
pub trait Journal: Send {
    /// Adds an entry. When this returns, the entry survives a kill.
    fn append(&mut self, entry: &[u8]) -> Result<()>;

    /// Takes the last entry back.
    fn take_back(&mut self) -> Result<()>;

    /// Replaces all that there is by a checkpoint, as a whole or not at all.
    fn checkpoint(&mut self, state: &[u8]) -> Result<()>;

    /// What is there; a last entry that was written in part is cut off.
    fn read(&mut self) -> Result<Stored>;
}

/// A party with a journal.
pub struct Durable<P, J> {
    party: P,
    journal: J,
    every: u64,
    since: u64,
    /// Bytes of entries since the last checkpoint, and of that one.
    bytes: usize,
    state: usize,
    last: Time,
    /// A time of the driver's clock, and what it is for the party.
    origin: Option<(Time, Time)>,
    stopped: bool,
}

impl<P: Party, J: Journal> Durable<P, J> {
    /// Opens a journal and replays what it holds.
    ///
    /// `make` builds the party, from its checkpoint if there is one; `rows` shows a batch of its
    /// own again; a checkpoint is made every so many events. The outbox has all that the party
    /// said since the checkpoint: answers must be told apart by their batch, and frames may be
    /// dropped, since they are sent again once links are there.
    pub fn open(
        mut journal: J,
        every: u64,
        make: impl FnOnce(Option<&[u8]>) -> Result<P>,
        rows: &mut dyn FnMut(u64) -> Result<Rows>,
    ) -> Result<(Self, Outbox)> {
        let stored = journal.read()?;
        let mut out = Outbox::default();
        let (last, party) = match &stored.checkpoint {
            None => (0, make(None)?),
            Some(bytes) => {
                let (last, state) = entry::split_checkpoint(bytes)?;
                let mut party = make(Some(state))?;
                refill(&mut party, last, rows)?;
                (last, party)
            }
        };
        let mut durable = Durable {
            party,
            journal,
            every: every.max(1),
            since: stored.entries.len() as u64,
            bytes: stored.entries.iter().map(Vec::len).sum(),
            state: stored.checkpoint.as_ref().map_or(0, Vec::len),
            last,
            origin: None,
            stopped: false,
        };
        for bytes in &stored.entries {
            durable.replay(&Entry::read(bytes)?, rows, &mut out)?;
        }
        out.wake = Some(0);
        Ok((durable, out))
    }

    fn replay(
        &mut self,
        entry: &Entry<'_>,
        rows: &mut dyn FnMut(u64) -> Result<Rows>,
        out: &mut Outbox,
    ) -> Result<()> {
        self.last = entry.now;
        let read;
        let event = match entry.mark {
            Mark::Event(event) => event,
            Mark::Rows(mark) => {
                read = rows(mark.batch)?;
                if mark != entry::RowsMark::of(&read) {
                    return Err(other_rows());
                }
                Event::Rows(&read)
            }
        };
        self.party.handle(event, entry.now, out)
    }

    /// The party.
    pub fn party(&self) -> &P {
        &self.party
    }

    /// The party, to take what it has observed; events must go through [`Party::handle`].
    pub fn party_mut(&mut self) -> &mut P {
        &mut self.party
    }

    /// The journal, as a kill leaves it.
    pub fn into_journal(self) -> J {
        self.journal
    }

    /// Makes a checkpoint now.
    pub fn checkpoint(&mut self) -> Result<()> {
        let state = entry::checkpoint(self.last, &self.party.save()?);
        self.journal.checkpoint(&state)?;
        (self.since, self.bytes, self.state) = (0, 0, state.len());
        Ok(())
    }

    /// The time of an event: it goes on where it was, whatever the driver's clock began with and
    /// however long the party was down, and never goes back.
    fn time(&mut self, now: Time) -> Time {
        let (start, since) = *self.origin.get_or_insert((now, self.last));
        let time = since.saturating_add(now.saturating_sub(start));
        time.max(self.last)
    }

    /// A time of the party by the driver's clock.
    fn by_driver(&self, time: Time) -> Time {
        let (start, since) = self.origin.unwrap_or_default();
        start.saturating_add(time.saturating_sub(since))
    }

    fn write(&mut self, event: Event<'_>, now: Time) -> Result<()> {
        // Here and not after the last event, whose frames and answers may not have left then.
        let is_due = self.bytes >= self.state || self.since >= self.every.saturating_mul(8);
        if self.since >= self.every && is_due {
            self.checkpoint()?;
        }
        let entry = entry::write(event, now);
        self.journal.append(&entry)?;
        self.bytes += entry.len();
        self.since += 1;
        Ok(())
    }
}

impl<P: Party, J: Journal> Party for Durable<P, J> {
    fn handle(&mut self, event: Event<'_>, now: Time, out: &mut Outbox) -> Result<()> {
        if self.stopped {
            return Err(Error::io(
                "write",
                "the journal",
                std::io::Error::other("the party has stopped"),
            ));
        }
        let now = self.time(now);
        let written = self.write(event, now);
        self.stopped = written.is_err();
        written?;
        let taken = self.party.handle(event, now, out);
        if taken.is_err() {
            // What a party cannot go on with must not stop it again at every restart.
            self.stopped = true;
            self.since -= 1;
            self.journal.take_back()?;
            return taken;
        }
        self.last = now;
        out.wake = out.wake.map(|wake| self.by_driver(wake));
        Ok(())
    }

    fn wants(&self) -> Option<u64> {
        self.party.wants()
    }

    fn needs_rows(&self) -> bool {
        self.party.needs_rows()
    }

    fn save(&self) -> Result<Vec<u8>> {
        self.party.save()
    }

    fn resumes_at(&self) -> u64 {
        self.party.resumes_at()
    }

    fn received(&self) -> u64 {
        self.party.received()
    }

    fn has_ended(&self) -> bool {
        self.party.has_ended()
    }

    fn is_over(&self) -> bool {
        self.party.is_over()
    }

    fn waits_at_the_end(&self) -> bool {
        self.party.waits_at_the_end()
    }

    fn answered(&self) -> u64 {
        self.party.answered()
    }

    fn awaits(&self) -> Vec<PartyId> {
        self.party.awaits()
    }
}

/// Shows a party again what it had been shown before its checkpoint and still needs. What it
/// says meanwhile it has said before.
fn refill(
    party: &mut impl Party,
    now: Time,
    rows: &mut dyn FnMut(u64) -> Result<Rows>,
) -> Result<()> {
    for batch in party.resumes_at()..party.received() {
        let mut said = Outbox::default();
        party.handle(Event::Rows(&rows(batch)?), now, &mut said)?;
    }
    Ok(())
}

fn other_rows() -> Error {
    Error::input("the records are not those from before the restart")
        .help("give the same source as before, or begin all parties anew with --force")
}

#[cfg(test)]
mod tests;
