//! What is told of pairs, in the report.

use serde::{Deserialize, Serialize};

/// The measures of pairs, and the columns before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairFacts {
    /// Pairs that were measured.
    pub records: u64,
    /// Records of a table: linkages look among all its originals, and nothing is told of
    /// a part of them.
    #[serde(default)]
    pub table: bool,
    /// b: originals of a stream among which a record was looked for, and protected values
    /// among which ranks were counted.
    pub buffer: u64,
    /// p: half the width of disclosure intervals, in percent.
    pub interval: f64,
    /// The measures, in the order of the list.
    pub measures: Vec<PairValue>,
    /// Numbers and ordinals before and after.
    pub columns: Vec<PairColumn>,
}

/// One measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairValue {
    /// The name used in a policy.
    pub name: String,
    /// "risk" or "loss".
    pub family: String,
    /// What it says, in one sentence.
    pub meaning: String,
    /// "low" or "high".
    pub goal: String,
    /// Shown as a percentage.
    pub percent: bool,
    /// Of all pairs; none when nothing can be said.
    pub value: Option<f64>,
    /// Of the first pairs, more and more of them.
    pub points: Vec<PairPoint>,
}

/// A measure of the first pairs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairPoint {
    /// How many.
    pub records: u64,
    /// None when nothing could be said.
    pub value: Option<f64>,
}

/// A column before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairColumn {
    /// Its name.
    pub name: String,
    /// Piece by piece of the stream.
    pub points: Vec<PairColumnPoint>,
}

/// A column before and after, in the pairs from the last point to this one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairColumnPoint {
    /// Pairs up to its end.
    pub records: u64,
    /// Mean and standard deviation of the originals; none when all are missing.
    pub before: Option<(f64, f64)>,
    /// Mean and standard deviation of what was released.
    pub after: Option<(f64, f64)>,
}
