//! Hierarchies and policies.

mod compose;

pub use compose::{Composed, Places, compose, place_of};
