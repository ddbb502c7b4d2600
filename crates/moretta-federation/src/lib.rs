//! Carries frames between the parties of a federation: gRPC over mutual TLS 1.3, one
//! bidirectional stream a link.
//!
//! Frames are bytes behind a header of 32 bytes ([`header`]); what they mean is decided by the
//! [`Endpoint`] that a [`Driver`] runs: a [`Station`] is that of a party. Listeners (the aggregator,
//! the label holder, hosts of trouble nodes) wait, sites and consumers only dial out.
//! Every party has a certificate of its federation's authority ([`keys`]) and is known by its
//! public key, which the policy pins ([`roster`]).
//!
//! **Protects against** reading, changing and injecting frames on the way; strangers; parties that
//! write another sender into a frame; peers that send too much, too fast or nothing at all.
//!
//! **Does not protect against** what a party itself puts into a frame, nor against an observer who
//! counts and times encrypted bytes. Frames on a link that breaks may be lost: parties acknowledge
//! and send again, and every new link is announced to them for that ([`Event::Linked`]).
//!
//! **Costs** one thread for the party and the threads of a [`Network`]; about 60 kB a quiet link at
//! the listener. A link holds at most 2 MiB of frames that wait for the party and 32 MiB that wait
//! for a slow peer, then it is cut, see [`Limits`].
#![forbid(unsafe_code)]

mod ahead;
mod client;
mod codec;
pub mod credential;
pub mod driver;
mod farewell;
mod handshakes;
pub mod header;
pub mod identity;
pub mod keys;
pub mod limits;
mod link;
mod network;
mod outlet;
pub mod party;
mod problem;
pub mod refusal;
pub mod roster;
mod server;
pub mod station;
mod tls;

pub use ahead::Ahead;
pub use credential::Credential;
pub use driver::{Driver, Pressure, Stopper, Waker};
pub use header::Protocol;
pub use identity::{Identity, Name, Pin, Role};
pub use limits::Limits;
pub use network::Network;
pub use party::{Endpoint, Event, Outbox, PartyId, Time};
pub use refusal::{Refusal, Refusals};
pub use roster::{Member, Roster};
pub use station::{Feed, Station};
