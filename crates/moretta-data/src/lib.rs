//! What all of moretta stands on: its [`error`], plain [`math`]ematics, and the [`data`] that it
//! works on.
//!
//! Files are read into it and written from it by `moretta-files`; what is done to it is in
//! `moretta`, which shows these modules under its own name.

pub mod data;
pub mod error;
pub mod math;

pub use error::{Error, Result};
