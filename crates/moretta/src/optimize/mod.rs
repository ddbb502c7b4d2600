//! Searches over settings; what is searched for, others compute.

pub mod evolution;
mod front;
mod tune;

pub use front::front;
pub use tune::{Prefer, Range, Scale, Tried, Tuning, tune};
