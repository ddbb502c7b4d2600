//! Federations as processes of their own: on loopback, on hosts with a network each, and looked at
//! byte by byte as who has recorded everything would.
#![cfg(all(target_os = "linux", feature = "federation"))]
#![expect(
    clippy::print_stdout,
    reason = "a forwarder tells its address, and a skipped test that it was skipped"
)]

mod bed;
mod bytes;
mod canaries;
mod forward;
#[path = "../../../moretta-federation/tests/support/forwarder.rs"]
#[allow(dead_code, reason = "other tests use the rest of it")]
mod forwarder;
mod hosts;
mod hundred;
mod memory;
mod network;
#[path = "../../../moretta-federation/tests/support/relay.rs"]
mod relay;
