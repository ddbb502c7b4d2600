//! Users, roles, privacy levels, approvals, jobs and live streams behind one API.
//!
//! Handlers are plain functions that block: a request with its whole body in, a response out. The
//! asynchronous part is one file, `http/serve.rs`, and never parses a table. Who may do what is one
//! list (`rights`), which routes take their types from; a permit is made in one place and is all
//! that a handler believes. What is done and its entry in the log are one transaction (`store`).

#[macro_use]
pub mod db;
pub mod account;
pub mod app;
pub mod audit;
pub mod backup;
pub mod bell;
pub mod clock;
pub mod core_dump;
pub mod data;
pub mod demo;
pub mod events;
pub mod health;
pub mod http;
pub mod id;
pub mod job;
pub mod name;
pub mod overview;
pub mod page;
pub mod problem;
pub mod project;
pub mod rates;
pub mod release;
mod repeat;
pub mod rights;
mod routes;
pub mod seal;
pub mod secret;
pub mod session;
pub mod settings;
pub mod start;
pub mod store;
pub mod stream;
pub mod text;
pub mod token;
pub mod wish;
pub mod worker;
pub mod zone;
