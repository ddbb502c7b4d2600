//! What server and worker tell each other: one line of JSON to the worker, lines of JSON back.
//!
//! The worker reads the line, limits itself to what stands in it, works, and writes [`Told`] line by
//! line; the last is `done` or `failed`. Its standard input stays open as long as the server wants the
//! job: at its end the worker ends too.

use crate::id::Id;
use crate::job::Kind;
use crate::problem::Problem;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The secret under which a ledger knows rows. Nobody can give a secret of a project this name.
pub const LEDGER_KEY: &str = ".ledger";
/// The secret that signs manifests of releases, where there is one.
pub const SIGNING_KEY: &str = ".manifest";

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
    /// What exactly: one of [`options`](super::options), by the kind.
    pub options: serde_json::Value,
    /// Sealed files by the names that the policy has for them.
    pub inputs: Vec<Sealed>,
    /// Texts by the names that the policy has for them, such as hierarchies and the ledger.
    pub texts: Vec<Text>,
    /// The folder for what is made: the only one that may be written to. It is empty.
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
    /// Its object, for which it is sealed.
    pub object: Id,
    /// Where it lies.
    pub path: PathBuf,
    /// Its key, in hexadecimal digits.
    pub key: String,
    /// Its bytes when it is open.
    pub bytes: u64,
}

/// A text that the store holds.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// What the policy calls it.
    pub name: String,
    /// All of it.
    pub content: String,
}

/// Without keys.
impl std::fmt::Debug for Sealed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sealed")
            .field("object", &self.object)
            .finish_non_exhaustive()
    }
}

/// Without its content.
impl std::fmt::Debug for Text {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Text").finish_non_exhaustive()
    }
}

/// Without keys and secrets.
impl std::fmt::Debug for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Task")
            .field("job", &self.job)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// What a worker tells.
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
    Failed(Failure),
}

/// How far a job is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// What it is doing.
    pub stage: String,
    /// Rows of this stage so far, in hundreds.
    pub rows: u64,
    /// The share of the whole that is done, from 0 to 1, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
}

/// Why a job cannot be done; never with a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The status that a request with this problem would have.
    pub status: u16,
    /// The library's code.
    pub code: String,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The byte of the policy in the task that is meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<usize>,
    /// Its place in the policy as people see it; the server fills it in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<crate::problem::Place>,
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        let what = match problem.code {
            "bug" => "this is a fault of ours".to_owned(),
            _ => problem.what,
        };
        Failure {
            status: problem.status,
            code: problem.code.to_owned(),
            what,
            help: problem.help,
            at: None,
            place: problem.place,
        }
    }
}

/// A sealed file that was made.
#[derive(Clone, Serialize, Deserialize)]
pub struct Made {
    /// What the policy calls it.
    pub name: String,
    /// Its object, which is the name of its file in the folder.
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
        f.debug_struct("Made")
            .field("object", &self.object)
            .finish_non_exhaustive()
    }
}
