//! Federations in one process: as a program runs them to try one, and over a network that
//! loses, delays and repeats, to test them.

mod network;
mod process;
mod record_stream;
#[cfg(test)]
mod two_runs;
mod view;
mod weather;

pub use network::{Network, Run, Watch};
pub use process::{Outcome, Process, SiteSource, Witness};
pub use record_stream::{RecordStream, Table};
pub use view::{NodeView, views};
pub use weather::{Kill, Link, Partition, Weather};
