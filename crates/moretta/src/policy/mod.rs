//! The policy file.
