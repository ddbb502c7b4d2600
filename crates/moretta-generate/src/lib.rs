//! Made-up data in any amount, for trying things out, for tests and for benches.
//!
//! A generator is a [`Source`](moretta_files::Source): what it gives depends on the seed
//! alone, not on the size of the batches, and any sink can write it. `hospital`
//! is a table, `users` and `follows` are a social graph; the others are streams of events in the order of time, and in [`moa`]
//! the streams of labelled records on which learners and filters are compared; [`CrossTerms`] is one
//! for sites that hold different columns.

mod clock;
mod cross_terms;
mod domains;
mod ecommerce;
mod events;
mod hospital;
pub mod moa;
mod names;
mod places;
mod positions;
mod random;
mod session;
mod social;
mod zipf;

pub use cross_terms::{CrossTerms, CrossTermsGenerator};
pub use domains::domains;
pub use ecommerce::ecommerce;
pub use events::Events;
pub use hospital::{Hospital, hospital};
pub use positions::positions;
pub use social::{Follows, RAW_FILES, Users, follows, locations, topics, users, write_raw};
