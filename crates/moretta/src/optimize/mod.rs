//! Searches over settings; what is searched for, others compute.

mod tune;

pub use tune::{Prefer, Range, Scale, Tried, Tuning, tune};
