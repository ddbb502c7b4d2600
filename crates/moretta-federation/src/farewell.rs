//! The last words of a party that cannot go on: which party it is, and the exit code it ends with.
//!
//! Who only sees a link end cannot tell a broken network from rows that do not fit, and waits for
//! what will not come. So a party that fails says so on every link before it ends, and waits a moment
//! for links that are not there yet; the aggregator passes it on to those who have no link with that
//! party. A code travels and nothing else: why it failed, the party tells the person who runs it.
//!
//! These are frames of the links alone: no party is shown one, and no journal holds one. Words about
//! another party are believed of the aggregator only, and of a link the first ones.

use crate::header::{HEADER_BYTES, Protocol};
use crate::party::PartyId;

/// The kind of these frames, which is none that parties have.
const KIND: u8 = u8::MAX;
/// Where a header has the party that is meant, and the code.
const PARTY_AT: usize = 18;
const CODE_AT: usize = 20;

/// That a party has ended before the end of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Farewell {
    /// Which one.
    pub(crate) party: PartyId,
    /// Its exit code.
    pub(crate) code: u8,
}

impl Farewell {
    /// The frame, as `sender` says it.
    pub(crate) fn frame(self, protocol: &Protocol, sender: PartyId) -> Vec<u8> {
        let mut frame = protocol.header(KIND, sender, u64::from(self.code), 0);
        frame[PARTY_AT..PARTY_AT + 2].copy_from_slice(&self.party.0.to_le_bytes());
        frame.to_vec()
    }

    /// What a checked frame says, if it is one of these.
    pub(crate) fn of(frame: &[u8]) -> Option<Self> {
        if frame.len() != HEADER_BYTES || frame[3] != KIND {
            return None;
        }
        Some(Farewell {
            party: PartyId(u16::from_le_bytes([frame[PARTY_AT], frame[PARTY_AT + 1]])),
            code: frame[CODE_AT],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_farewell_is_read_as_it_is_written_and_nothing_else_is_one() {
        let protocol = Protocol {
            magic: 1,
            version: 1,
            federation: 1,
        };
        let farewell = Farewell {
            party: PartyId(300),
            code: 4,
        };
        let frame = farewell.frame(&protocol, PartyId(7));
        assert_eq!(protocol.check(&frame, PartyId(7)), Ok(()));
        assert!(protocol.check(&frame, PartyId(8)).is_err());
        assert_eq!(Farewell::of(&frame), Some(farewell));
        let other = protocol.header(2, PartyId(7), 4, 0);
        assert_eq!(Farewell::of(&other), None);
        assert_eq!(Farewell::of(&[&frame[..], b"x"].concat()), None);
        assert_eq!(Farewell::of(&frame[..31]), None);
    }
}
