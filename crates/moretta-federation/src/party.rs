//! What a driver runs: a party of the federation as a state machine without I/O, clock or threads.

use moretta_data::Result;

/// Milliseconds of the driver's own clock, which starts at 0 and never goes back.
pub type Time = u64;

/// The number of a party, as in the header of its frames.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct PartyId(pub u16);

/// What happens to a party.
#[derive(Clone, Copy)]
pub enum Event<'a> {
    /// A frame came over the link of a party, whose number its header names.
    Frame {
        /// Who sent it.
        from: PartyId,
        /// The whole frame, header included.
        bytes: &'a [u8],
    },
    /// A link to that party was made, for the first time or again; frames of the last link that were
    /// not acknowledged may be lost.
    Linked(PartyId),
    /// The time that the party asked for has come, or links that were full have room again.
    Timer,
}

/// What a party wants done.
#[derive(Default)]
pub struct Outbox {
    /// Frames and who gets them, in order; those to a party without a link are dropped.
    pub frames: Vec<(PartyId, Vec<u8>)>,
    /// When to call it with [`Event::Timer`]; replaces what was asked before. `None` changes nothing.
    pub wake: Option<Time>,
    /// The party has ended: queued frames are still sent, then its links are closed.
    pub finished: bool,
}

/// A party of a federation.
pub trait Party: Send {
    /// Takes one event. An error ends the driver.
    fn handle(&mut self, event: Event<'_>, now: Time, out: &mut Outbox) -> Result<()>;
}
