//! Made-up data in any amount, for trying things out, for tests and for benches.
//!
//! A generator is a [`Source`](super::Source): what it gives depends on the seed
//! alone, not on the size of the batches, and any sink can write it.

mod hospital;
mod random;

pub use hospital::{Hospital, hospital};
