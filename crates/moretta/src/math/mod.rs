//! Plain mathematics that several modules share.

pub mod cholesky;
pub mod distance;
pub mod moments;
