//! The flow of methods that mask records, of tables and of streams: rows are read,
//! masked, paired with their originals to be measured, written, and counted again.
//!
//! A table is one batch and is released in an order that tells nothing; a stream is
//! many, and leaves in the order in which it came. A file appears only when all of
//! it was written, read back and found good. What goes to standard output of a
//! stream is counted as it leaves, and the stream stops at the first fault.

mod facts;
mod flow;
mod output;
mod pairs;
mod run;

pub(super) use run::run;
