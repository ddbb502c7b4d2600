//! The flow of a stream: rows are read, decided, counted again, measured and
//! written, batch by batch, with as little delay as the policy allows.

mod certificate;
mod checkpoint;
mod facts;
mod flow;
mod outputs;
mod reorder;
mod run;
mod sources;
mod verify;

pub(super) use run::run;
pub use verify::StreamVerification;
pub(super) use verify::verify;
