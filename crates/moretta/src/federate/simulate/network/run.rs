//! What comes of a simulated run, and who looks at it.

use crate::error::Error;
use crate::federate::frame::Final;
use crate::federate::journal::MemoryJournal;
use crate::federate::{Note, PartyId, Time};

/// Whoever looks at a run, and may change frames as a bad sender would.
pub trait Watch {
    /// A frame is about to leave; what is returned leaves in its place.
    fn frame(&mut self, _from: PartyId, _to: PartyId, bytes: Vec<u8>, _now: Time) -> Vec<Vec<u8>> {
        vec![bytes]
    }

    /// A batch was answered, for the first time.
    fn answer(&mut self, _batch: u64, _finals: &[Final]) {}

    /// What a party has written when it is killed, and at the end.
    fn journal(&mut self, _party: PartyId, _journal: &MemoryJournal) {}
}

/// Nobody looks.
impl Watch for () {}

/// What came of a run.
#[derive(Debug, Default)]
pub struct Run {
    /// Batches that were answered.
    pub answered: u64,
    /// Final answers by batch, in order, as whoever stores them has them, if they are kept.
    pub answers: Vec<Vec<Final>>,
    /// Batches that were answered twice with other answers; there should be none.
    pub contradictions: u64,
    /// Restarts after which a party did not know what it knew before; there should be none.
    pub deviations: u64,
    /// What parties noted, and when.
    pub notes: Vec<(Time, PartyId, Note)>,
    /// The party that could not go on, and why.
    pub failure: Option<(PartyId, Error)>,
    /// Whether all batches were answered and, where it goes on to the end, all parties know.
    pub is_over: bool,
    /// When it ended.
    pub ended: Time,
    /// Events that parties took.
    pub events: u64,
    /// Kills so far.
    pub kills: u64,
    /// Frames that left.
    pub frames: u64,
    /// Frames that were lost.
    pub lost: u64,
    /// Frames on their way at most.
    pub most_in_flight: usize,
    /// Bytes of the greatest checkpoint.
    pub greatest_checkpoint: usize,
}

impl Run {
    /// All final answers, one a record.
    pub fn finals(&self) -> Vec<Final> {
        self.answers.iter().flatten().copied().collect()
    }

    /// How many notes are such.
    pub fn count(&self, which: impl Fn(&Note) -> bool) -> usize {
        self.notes.iter().filter(|(_, _, note)| which(note)).count()
    }
}
