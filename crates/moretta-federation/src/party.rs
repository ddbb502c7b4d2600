//! What a driver runs: something without I/O, clock or threads that events happen to.

use moretta_data::Result;

pub use moretta::federate::{Event, PartyId, Time};

/// What an endpoint wants done.
#[derive(Debug, Default)]
pub struct Outbox {
    /// Frames and who gets them, in order; those to a party without a link are dropped.
    pub frames: Vec<(PartyId, Vec<u8>)>,
    /// When to call it with [`Event::Timer`]; replaces what was asked before. `None` changes nothing.
    pub wake: Option<Time>,
    /// It has ended: queued frames are still sent, then its links are closed.
    pub finished: bool,
}

/// What links lead to: a party of a federation, or what stands in for one.
pub trait Endpoint {
    /// Takes one event. An error ends the driver.
    fn handle(&mut self, event: Event<'_>, now: Time, out: &mut Outbox) -> Result<()>;

    /// New records may be taken in: some have come, or a peer is slow no longer.
    fn relieved(&mut self, now: Time, out: &mut Outbox) -> Result<()> {
        self.handle(Event::Timer, now, out)
    }

    /// The link of a peer broke: it may come back.
    fn lost(&mut self, _peer: PartyId, _now: Time, _out: &mut Outbox) -> Result<()> {
        Ok(())
    }

    /// A party has ended with this exit code before the end of the run; its link, if there is one,
    /// is lost next.
    fn gone(&mut self, _party: PartyId, _code: u8) {}

    /// A peer has closed its link in an orderly way: it has ended.
    fn left(&mut self, _peer: PartyId, _now: Time, _out: &mut Outbox) -> Result<()> {
        Ok(())
    }
}
