//! Jobs: what takes long, or could break, runs in a child process of its own.
//!
//! A job waits in a queue, is claimed for half a minute at a time by a dispatcher, and is done by a
//! child that is told all it needs on one line of standard input. A child that is killed costs one
//! try of three; one whose server is killed ends too, since its input closes.

mod child;
mod dispatcher;
mod kind;
pub mod protocol;
mod queue;
mod routes;
mod task;

pub use dispatcher::{Dispatcher, memory_of};
pub use kind::{Kind, Pool};
pub use queue::{Claimed, Job, State, TRIES, cancel, claim, enqueue, find, heartbeat, list};
pub use routes::routes;
