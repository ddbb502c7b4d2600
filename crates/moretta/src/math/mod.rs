//! Plain mathematics that several modules share.

pub mod distance;
