//! Federations in one process: as a program runs them to try one, and over a network that
//! loses, delays and repeats, to test them.

mod process;
mod view;

pub use process::{Outcome, Process, SiteSource};
pub use view::{NodeView, views};
