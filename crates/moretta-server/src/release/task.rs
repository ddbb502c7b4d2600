//! What a release job is given, and what it gives back: the contract between server and worker.
//!
//! The job runs the policy at all its levels, checks and attacks what it makes, and seals in
//! staging, for each level, the [`Part`]s under the names of [`Part::file`]. What is told of a
//! release to people is read from its JSON report, so the result itself is short. The server, not
//! the worker, makes the manifest that an officer approves, since it names audience and end.

use crate::id::Id;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The options of a release job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// The sealed ledger of the data set as it was when the release was asked for; none before
    /// its first release. The worker gets it as the input [`LEDGER`].
    pub ledger: Option<Id>,
}

/// The options of a job that holds a release against its policy again: its files, which the worker
/// gets as inputs of these names, and what their sums have to be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToVerify {
    /// The rows of each level that was made or published.
    pub files: Vec<FileSum>,
}

/// A file of a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileSum {
    /// The name of [`Part::Rows`] of its level.
    pub name: String,
    /// The SHA-256 that the approved manifest has for it.
    pub sha256: String,
}

/// What the worker calls the ledger, as it gets it and as it leaves it with this release in it.
pub const LEDGER: &str = "ledger";

/// What is made for each level.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The released rows, as CSV.
    Rows,
    /// Where rows begin in it, as [`index::make`](super::index::make) writes it.
    Index,
    /// The report as a page.
    Page,
    /// The report as JSON: `moretta::engine::report::Report`.
    Report,
    /// What each column and its values mean, as JSON: an object.
    Dictionary,
    /// The library's signed manifest of this level; only where the project has a key for it.
    Manifest,
}

impl Part {
    /// All of them.
    pub const ALL: [Part; 6] = [
        Part::Rows,
        Part::Index,
        Part::Page,
        Part::Report,
        Part::Dictionary,
        Part::Manifest,
    ];

    /// The name under which a worker makes it for a level: `release-2.csv`.
    pub fn file(self, level: u32) -> String {
        match self {
            Part::Rows => format!("release-{level}.csv"),
            Part::Index => format!("index-{level}"),
            Part::Page => format!("report-{level}.html"),
            Part::Report => format!("report-{level}.json"),
            Part::Dictionary => format!("dictionary-{level}.json"),
            Part::Manifest => format!("manifest-{level}.json"),
        }
    }

    /// As the store writes it.
    pub fn word(self) -> &'static str {
        match self {
            Part::Rows => "rows",
            Part::Index => "index",
            Part::Page => "page",
            Part::Report => "report",
            Part::Dictionary => "dictionary",
            Part::Manifest => "manifest",
        }
    }
}

/// The result of a release job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// The levels, from the least to the most protected.
    pub levels: Vec<MadeLevel>,
}

/// A level that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeLevel {
    /// Its number: 2, 3, … in the order of `[levels]`; 2 where the policy has none.
    pub level: u32,
    /// What the policy calls it; `release` where the policy has no levels.
    pub name: String,
    /// Released rows.
    pub rows: u64,
}
