//! What is promised of a release, and independent checkers of it.
//!
//! Counting is in *subjects* (distinct persons) when a subject column is given,
//! in rows otherwise. A missing quasi-identifier is a value of its own, equal
//! only to missing. A missing sensitive value never adds to diversity: it is
//! left out of the l and p counts and of the class distribution's diversity,
//! and is a value of its own for t-closeness with equal distance; where values
//! have an order or a tree, closeness is that of the present values.

mod check;
mod claims;
mod classes;
mod closeness;
mod coded;
mod combinations;
mod cover;
mod crowd;
mod digest;
mod diversity;
mod exchanged;
mod findings;
mod same;
mod sorted;
mod stream;
mod truth;
mod wild;

pub use check::{Checker, plain_check};
pub use claims::Declared;
pub use coded::{Coding, End};
pub use combinations::{Combination, CombinationChecker};
pub use crowd::CrowdChecker;
pub use digest::Digest;
pub use findings::{ClaimFinding, Fault, Findings, Rule, Unit};
pub use stream::{Decided, StreamChecker, StreamFindings};
pub use truth::{Treatment, Truth};
pub use wild::{Missing, wild_claims};

use serde::{Deserialize, Serialize};

/// What is promised of a release. Empty promises nothing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Guarantee {
    /// Every class of equal quasi-identifiers holds at least so many persons.
    pub k: Option<u32>,
    /// The sensitive values in a class are diverse.
    pub l: Vec<LDiversity>,
    /// The sensitive values in a class are distributed as in the whole table.
    pub t: Vec<TCloseness>,
    /// Every class holds at least `p` distinct values of each sensitive column.
    pub p: Vec<PSensitivity>,
}

/// l-diversity of one sensitive column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LDiversity {
    /// The sensitive column.
    pub column: String,
    /// How many well-represented values a class must have; at least 1.
    pub l: f64,
    /// What well-represented means.
    pub kind: Diversity,
}

/// What well-represented means.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Diversity {
    /// At least l distinct values.
    Distinct,
    /// The entropy of the values is at least ln l.
    Entropy,
    /// r1 < c (r_l + … + r_m), where r_i is the i-th largest count.
    Recursive {
        /// The factor c, above 0.
        c: f64,
    },
}

/// t-closeness of one sensitive column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TCloseness {
    /// The sensitive column.
    pub column: String,
    /// The largest distance allowed between a class and the whole release, 0 to 1.
    pub t: f64,
    /// The distance between values that the earth mover pays.
    pub distance: Ground,
}

/// The ground distance of t-closeness, at most 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ground {
    /// Any two values are at distance 1.
    Equal,
    /// The i-th and j-th of m ordered values are at distance |i − j|/(m − 1).
    Ordered,
    /// Two values are as far as their lowest common ancestor is high, over the height of the tree.
    Hierarchical,
}

/// p-sensitive k-anonymity of one sensitive column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PSensitivity {
    /// The sensitive column.
    pub column: String,
    /// How many distinct values a class must have.
    pub p: u32,
}
