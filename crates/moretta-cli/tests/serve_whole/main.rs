//! A server, its workers and its people together, as the program runs them: from the first link to
//! a release that was checked, and from an approved stream to its rows.

#![cfg(all(unix, feature = "serve"))]

mod browser;
mod canaries;
mod program;
mod release;
mod stream;
mod team;
