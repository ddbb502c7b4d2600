//! Federations in one process: as a program runs them to try one, and over a network that
//! loses, delays and repeats, to test them.

mod process;

pub use process::{Outcome, Process, SiteSource};
