//! Publish, stream and mine personal data without giving the persons away.
//!
//! One flow serves tables and streams:
//!
//! ```text
//! source → batches → protector → (checked) → sink
//!              │          │
//!              └─ pairs (original, protected) → measures → report, gate
//! ```
//!
//! The library is synchronous, prints nothing and knows no network. Errors name
//! files, lines, columns and counts; they never carry a value from the data.

pub mod attack;
mod cancel;
pub mod config;
pub mod data;
pub mod engine;
pub mod error;
pub mod guarantee;
pub mod io;
pub mod learn;
pub mod math;
pub mod measure;
pub mod optimize;
pub mod pipeline;
pub mod policy;
pub mod protect;

pub use error::{Error, Result};
