//! Why a peer, a link or a frame is refused: a number that travels, a sentence that is shown here.
//!
//! The other side is told the number alone, and what it tells us is read as a number alone, so no
//! text and no value of one party is ever printed by another.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use tonic::{Code, Status};

/// Why something was refused.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Refusal {
    /// The connection did not get through TLS: garbage, no certificate, one of another authority, or
    /// an expired one.
    Tls,
    /// No admitted link within the time of a handshake.
    HandshakeTime,
    /// A certificate without exactly one name of ours.
    Unnamed,
    /// A certificate of another federation.
    OtherFederation,
    /// A party that is not on the roster.
    UnknownParty,
    /// A party of the roster with another key than the pinned one.
    OtherKey,
    /// A party that is on the roster, but is not the one that was dialled, or is this one itself.
    OtherParty,
    /// Another version of the protocol, or no link of a federation at all.
    OtherVersion,
    /// As many links as are allowed are there.
    TooManyLinks,
    /// A frame above the limit.
    FrameTooLong,
    /// Bytes that do not begin as a frame does, or are not as long as they say.
    NoFrame,
    /// A frame whose sender is not the party of the link.
    OtherSender,
    /// A peer did not read what was sent to it, and too much waits for it.
    SlowReader,
}

impl Refusal {
    /// All of them, in the order of their numbers, which begin at 1.
    pub const ALL: [Refusal; 13] = [
        Refusal::Tls,
        Refusal::HandshakeTime,
        Refusal::Unnamed,
        Refusal::OtherFederation,
        Refusal::UnknownParty,
        Refusal::OtherKey,
        Refusal::OtherParty,
        Refusal::OtherVersion,
        Refusal::TooManyLinks,
        Refusal::FrameTooLong,
        Refusal::NoFrame,
        Refusal::OtherSender,
        Refusal::SlowReader,
    ];

    /// The number that travels.
    pub fn number(self) -> u8 {
        self as u8 + 1
    }

    /// Whether dialling again later may help without a change of policies or keys.
    pub fn may_pass(self) -> bool {
        matches!(
            self,
            Refusal::HandshakeTime | Refusal::TooManyLinks | Refusal::SlowReader
        )
    }

    /// The end of a gRPC stream that tells it.
    pub(crate) fn status(self) -> Status {
        Status::new(Code::FailedPrecondition, self.number().to_string())
    }

    /// What a peer told, if it is a refusal.
    pub(crate) fn told(status: &Status) -> Option<Self> {
        let number: usize = match status.code() {
            Code::FailedPrecondition => status.message().parse().ok()?,
            _ => return None,
        };
        Self::ALL.get(number.checked_sub(1)?).copied()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refusal::Tls => "the connection did not get through TLS",
            Refusal::HandshakeTime => "no link within the time of a handshake",
            Refusal::Unnamed => "the certificate does not name a party of a federation",
            Refusal::OtherFederation => "the certificate is of another federation",
            Refusal::UnknownParty => "the party is not in the policy",
            Refusal::OtherKey => "the party's key is not the one in the policy",
            Refusal::OtherParty => "the certificate is of another party",
            Refusal::OtherVersion => "the protocol is of another version",
            Refusal::TooManyLinks => "there are as many links as are allowed",
            Refusal::FrameTooLong => "a frame is too long",
            Refusal::NoFrame => "bytes are not a frame",
            Refusal::OtherSender => "a frame names another sender",
            Refusal::SlowReader => "too many frames wait for a peer that does not read them",
        })
    }
}

/// How often each thing was refused here.
#[derive(Debug, Default)]
pub struct Refusals([AtomicU64; Refusal::ALL.len()]);

impl Refusals {
    /// One more.
    pub(crate) fn count(&self, refusal: Refusal) {
        self.0[refusal as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// How often that was refused.
    pub fn of(&self, refusal: Refusal) -> u64 {
        self.0[refusal as usize].load(Ordering::Relaxed)
    }

    /// Those that happened, with how often.
    pub fn all(&self) -> Vec<(Refusal, u64)> {
        let counts = Refusal::ALL.map(|refusal| (refusal, self.of(refusal)));
        counts.into_iter().filter(|(_, n)| *n > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_what_was_meant() {
        for (place, refusal) in Refusal::ALL.into_iter().enumerate() {
            assert_eq!(refusal as usize, place);
            assert_eq!(Refusal::told(&refusal.status()), Some(refusal));
        }
    }

    #[test]
    fn other_words_of_a_peer_are_no_refusal() {
        let check = |status| assert_eq!(Refusal::told(&status), None);
        check(Status::new(Code::FailedPrecondition, "0"));
        check(Status::new(Code::FailedPrecondition, "14"));
        check(Status::new(Code::FailedPrecondition, "-1"));
        check(Status::new(Code::FailedPrecondition, "secret"));
        check(Status::new(Code::Internal, "1"));
    }
}
