//! The flow from source to sink: read, protect, pair, measure, check, write.

pub mod report;

pub use report::Report;
