//! What is expected of an unknown record before its release is looked at, and what is found.

use super::evidence::Evidence;

/// What an attacker takes for the original.
#[derive(Clone, Debug, PartialEq)]
pub struct Reconstruction {
    /// Its features.
    pub record: Vec<f64>,
    /// The logarithm of its density, of scores that are comparable only within an attack.
    pub score: f64,
}

/// Variance of a feature that is uniform between 0 and 1.
pub(super) const UNIFORM: f64 = 1.0 / 12.0;

/// Means of the known features and, counted as one record, the middle of their range.
pub(super) fn means(evidence: &Evidence<'_>) -> Vec<f64> {
    let known = evidence.inputs.len() as f64;
    let mean = |feature: usize| {
        let sum: f64 = evidence.inputs.iter().map(|input| input[feature]).sum();
        (sum + 0.5) / (known + 1.0)
    };
    (0..evidence.features()).map(mean).collect()
}
