//! Jobs: what takes long, or could break, runs in a child process of its own.
//!
//! A job waits in a queue, is claimed for half a minute at a time by a dispatcher, and is done by a
//! child that is told all it needs on one line of standard input. A child that is killed costs one
//! try of three; one whose server is killed ends too, since its input closes. What a child makes is
//! in a folder of its own, and is moved to the zone of staging in the transaction that ends the job:
//! a try that did not end well leaves nothing.

mod child;
mod dispatcher;
mod end;
mod kind;
pub mod options;
pub mod protocol;
mod queue;
mod routes;
mod spec;
mod staging;
mod task;
mod weight;

pub use crate::release::ledger::charge;
pub(crate) use child::{Heard, Worker};
pub use dispatcher::{Dispatcher, memory_of};
pub use end::{Object, Outcome, end};
pub use kind::{Kind, Pool};
pub use queue::{Claimed, Job, LEASE, State, TRIES, cancel, claim, enqueue, find, list};
pub use routes::{may_see, routes};
pub use spec::Spec;
pub(crate) use task::opened_secrets;
