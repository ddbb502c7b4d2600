//! A server, its workers and its people together, as the program runs them: from the first link to
//! a release that was checked, and from an approved stream to its rows.

#![cfg(all(unix, feature = "serve"))]

mod browser;
mod canaries;
mod kills;
#[allow(dead_code, unreachable_pub, reason = "these tests use some of it")]
#[path = "../../../moretta-server/tests/server/support/postgres.rs"]
mod postgres;
mod program;
mod release;
mod roles;
mod stream;
mod team;
