//! The server without its network. All of it runs on SQLite, and on PostgreSQL by `./test all`.

#![allow(unreachable_pub, reason = "modules of tests use one another")]

mod basics;
mod support;
mod zones;
