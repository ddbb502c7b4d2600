//! Bad inputs, each with its exit code, its message, no value shown and nothing left behind.
//!
//! The numbers are those of the list of bad inputs that the project keeps.

mod support;

#[path = "bad_inputs/files.rs"]
mod files;
#[path = "bad_inputs/policies.rs"]
mod policies;
#[path = "bad_inputs/values.rs"]
mod values;
