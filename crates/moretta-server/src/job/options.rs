//! What exactly a job is to do, by its kind: the body of the request and `options` of the task.
//!
//! Numbers that are left out are those of the command of the same name.

use crate::id::Id;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which data and which policy a job is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// The version of the data.
    pub data: Id,
    /// The version of the policy; without, its text stands in `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<Id>,
    /// The text of a policy that is not saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The columns of a version of data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The version of the data.
    pub data: Id,
}

/// A policy tried on a sample.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Preview {
    /// Rows of the sample, at most.
    #[serde(default = "sample")]
    pub rows: u64,
    /// Chooses the sample.
    #[serde(default = "one")]
    pub seed: u64,
}

/// What a run would face.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {}

/// Methods and values of k, tried one after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Explore {
    /// Values of k; none for that of the policy.
    #[serde(default)]
    pub k: Vec<u32>,
    /// The measure of risk by which settings are judged.
    #[serde(default = "marketer_risk")]
    pub risk: String,
    /// The measure of loss by which they are judged.
    #[serde(default = "gcp")]
    pub loss: String,
}

/// One number of a policy, tuned for goals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tune {
    /// The number, as `k` or `noise.amount`.
    pub parameter: String,
    /// Its smallest and its greatest value.
    pub between: [f64; 2],
    /// Measures, and what each may be at most.
    pub goals: Vec<(String, f64)>,
    /// Values that are tried first, from end to end.
    #[serde(default = "seven")]
    pub steps: u32,
    /// Values that are tried between the best of these and the next.
    #[serde(default = "six")]
    pub bisections: u32,
    /// Releases whose mean is measured, where a method draws by chance.
    #[serde(default = "one_draw")]
    pub draws: u32,
    /// For random numbers, where the policy has no seed.
    #[serde(default = "one")]
    pub seed: u64,
}

/// Learners on original and protected rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Learn {
    /// The learners, as `nb` or `arf(trees=50)`.
    #[serde(default = "learners")]
    pub learners: Vec<String>,
    /// The column to predict; without, the one with the role class.
    #[serde(default)]
    pub class: Option<String>,
    /// First results that no figure counts, rounded up to a hundred.
    #[serde(default)]
    pub warm_up: u64,
    /// Results that the curves are drawn over: 200 at least, rounded up to a hundred.
    #[serde(default = "thousand")]
    pub window: u64,
    /// For learners that draw random numbers.
    #[serde(default = "one")]
    pub seed: u64,
}

/// Attacks on what a policy would release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attack {
    /// Records that the attacker knows.
    #[serde(default = "four")]
    pub known: u32,
    /// Records that are attacked one by one.
    #[serde(default = "five_hundred")]
    pub attacks: u32,
    /// A relative error below this is a breach.
    #[serde(default = "fifth")]
    pub epsilon: f64,
    /// Chooses records and starts.
    #[serde(default = "one")]
    pub seed: u64,
}

/// A release held against its policy again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Verify {
    /// The release.
    pub release: Id,
}

fn sample() -> u64 {
    50_000
}

fn one() -> u64 {
    1
}

fn one_draw() -> u32 {
    1
}

fn four() -> u32 {
    4
}

fn six() -> u32 {
    6
}

fn seven() -> u32 {
    7
}

fn five_hundred() -> u32 {
    500
}

fn thousand() -> u64 {
    1000
}

fn fifth() -> f64 {
    0.2
}

fn marketer_risk() -> String {
    "marketer_risk".to_owned()
}

fn gcp() -> String {
    "gcp".to_owned()
}

fn learners() -> Vec<String> {
    ["nb", "ht"].map(str::to_owned).to_vec()
}
