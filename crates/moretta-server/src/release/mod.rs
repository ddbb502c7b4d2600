//! Releases: asked for, run, reviewed, approved to the byte, published by level, revoked.
//!
//! The run comes before the approval, in staging, and approval publishes exactly those bytes: it
//! names the hash of a manifest that names policy, data, audience and every file. Who asked,
//! uploaded or edited does not approve.

pub mod csv;
mod filter;
pub mod index;
mod says;
mod state;
mod table;
mod task;

pub use state::{State, Step};
pub use table::{Counts, Found, Table};
pub use task::{LEDGER, Made, MadeLevel, Part, Spec};
