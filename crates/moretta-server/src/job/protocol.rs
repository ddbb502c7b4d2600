//! What server and worker say to each other: one line of JSON to the worker, lines of JSON back.

use crate::id::Id;
use crate::job::Kind;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// All that a worker needs to know.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// The job.
    pub job: Id,
    /// What to do.
    pub kind: Kind,
    /// The policy, with the places that the server gives it; empty where there is none.
    pub policy: String,
    /// What exactly, by the kind.
    pub options: serde_json::Value,
    /// Sealed files by the names that the policy has for them.
    pub inputs: Vec<Sealed>,
    /// The folder for what is made.
    pub folder: PathBuf,
    /// Secrets by the names that the policy has for them.
    pub secrets: Vec<(String, String)>,
    /// The day, for reports.
    pub date: String,
    /// Bytes of memory that it may use.
    pub memory: u64,
    /// Threads that it may use.
    pub threads: usize,
}

/// A sealed file and what opens it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sealed {
    /// What the policy calls it.
    pub name: String,
    /// Its object, which names its file.
    pub object: Id,
    /// Where it lies.
    pub path: PathBuf,
    /// Its key, in hexadecimal digits.
    pub key: String,
    /// Its bytes when it is open.
    pub bytes: u64,
}

/// Without keys.
impl std::fmt::Debug for Sealed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sealed").field("object", &self.object).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Task").field("job", &self.job).field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// What a worker says.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "told")]
pub enum Told {
    /// How far it is.
    Progress(Progress),
    /// A result before the end, such as one more point of a search.
    Found {
        /// What was found.
        value: serde_json::Value,
    },
    /// It is done.
    Done {
        /// What it found.
        result: serde_json::Value,
        /// What it made.
        made: Vec<Made>,
    },
    /// It cannot be done.
    Failed {
        /// The status, code, sentence and help of the problem.
        status: u16,
        /// The library's code.
        code: String,
        /// What is wrong.
        what: String,
        /// What to do about it.
        help: Option<String>,
        /// The byte of the policy that is meant.
        at: Option<usize>,
    },
}

/// How far a job is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// What it is doing.
    pub stage: String,
    /// Rows of this stage so far.
    pub rows: u64,
}

/// A sealed file that was made.
#[derive(Clone, Serialize, Deserialize)]
pub struct Made {
    /// What the policy calls it.
    pub name: String,
    /// Its object, which names its file in the folder.
    pub object: Id,
    /// Its key, in hexadecimal digits.
    pub key: String,
    /// Its bytes when it is open.
    pub bytes: u64,
    /// Their sum, in hexadecimal digits.
    pub sha256: String,
}

/// Without its key.
impl std::fmt::Debug for Made {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Made").field("object", &self.object).finish_non_exhaustive()
    }
}
