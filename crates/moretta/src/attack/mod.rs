//! Attacks on releases: what somebody who knows a little gets back.
//!
//! An attack here is run by those who own the data, against their own release, so
//! that its success can be counted. Nothing it finds leaves but counts and errors.

pub mod reconstruction;
