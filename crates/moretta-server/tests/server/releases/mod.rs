//! Releases: every rule of the way from a request to readers, and back.

mod approval;
pub mod hospital;
mod ledger;
mod readers;
mod table;
mod walks;
