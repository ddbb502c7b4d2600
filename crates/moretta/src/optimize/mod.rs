//! Searches over settings; what is searched for, others compute.

mod front;
mod tune;

pub use front::front;
pub use tune::{Prefer, Range, Scale, Tried, Tuning, tune};
