//! Searches over settings; what is searched for, others compute.

pub mod evolution;
mod front;
pub mod programming;
mod transition;
mod tune;
mod whole_matrix;

pub use front::front;
pub use transition::{EquationRules, MatrixRules, PramForm};
pub use tune::{Prefer, Range, Scale, Tried, Tuning, tune};
pub use whole_matrix::WholeMatrix;
