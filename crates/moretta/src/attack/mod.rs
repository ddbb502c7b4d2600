//! Attacks on releases: what somebody who knows a little gets back.
//!
//! An attack here is run by those who own the data, against their own release, so
//! that its success can be counted. Nothing it finds leaves but counts and errors.

pub mod fitted_matrix;
pub mod interval;
pub mod known_columns;
pub mod known_items;
pub mod known_sample;
pub mod linkage;
mod neighbours;
pub mod reconstruction;
mod rows;
pub mod spectral;
mod success;
pub mod table;

pub use success::{AtDistance, Guess, Success, Yardstick, magnitude};
