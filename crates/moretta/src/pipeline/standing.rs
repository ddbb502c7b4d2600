//! A measure of two files side by side.

use serde::Serialize;

/// One measure of both files.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    /// The measure.
    pub name: String,
    /// Of the first file.
    pub a: f64,
    /// Of the second file.
    pub b: f64,
    /// A share, shown as a percentage.
    pub percent: bool,
    /// Which way is better.
    pub lower_is_better: bool,
}
