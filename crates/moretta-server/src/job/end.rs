//! The end of a job: its state, what it made, its entry in the log and what follows from it are one
//! transaction.

use super::kind::Kind;
use super::protocol::Failure;
use super::queue::{self, Claimed, State};
use crate::app::App;
use crate::audit::Entry;
use crate::clock::Millis;
use crate::id::Id;
use crate::problem::Result;
use crate::store::Act;
use serde_json::Value;

/// How a job ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It is done.
    Done {
        /// What it found.
        result: Value,
        /// What it made, which is in the zone of staging by now.
        made: Vec<Object>,
    },
    /// It could not be done.
    Failed(Failure),
    /// Somebody did not want it any more.
    Cancelled,
}

/// A sealed file that a job has made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// What the policy calls it.
    pub name: String,
    /// Its object.
    pub id: Id,
    /// Its bytes when it is open.
    pub bytes: u64,
    /// Their SHA-256.
    pub sha256: Vec<u8>,
}

/// What follows from the end of a job, by its kind.
fn follow(
    app: &App,
    act: &mut Act<'_>,
    job: &Claimed,
    outcome: &Outcome,
    at: Millis,
) -> Result<()> {
    match (job.kind, outcome) {
        (Kind::Profile, Outcome::Done { result, .. }) => act
            .execute(
                "UPDATE data_versions SET profile = $1 WHERE id = $2 AND deleted_at IS NULL",
                values![result.to_string(), job.spec.data],
            )
            .map(drop),
        (Kind::Release, _) => crate::release::follow(app, act, job, outcome, at),
        _ => Ok(()),
    }
}

/// Ends a job, whichever try of it; who calls has looked whether the job is still theirs.
///
/// # Errors
/// When it has ended already, or the store does not answer.
pub fn end(
    app: &App,
    act: &mut Act<'_>,
    job: &Claimed,
    outcome: &Outcome,
    at: Millis,
) -> Result<()> {
    let (state, result, problem) = match outcome {
        Outcome::Done { result, .. } => (State::Done, Some(result.to_string()), None),
        Outcome::Failed(failure) => {
            let problem = serde_json::to_string(failure).unwrap_or_default();
            (State::Failed, None, Some(problem))
        }
        Outcome::Cancelled => (State::Cancelled, None, None),
    };
    act.execute_one(
        "UPDATE jobs SET state = $1, result = $2, problem = $3, ended_at = $4, lease_by = NULL, \
         lease_until = NULL, progress = NULL WHERE id = $5 AND state IN ('waiting', 'running')",
        values![state.word(), result, problem, at, job.id],
    )?;
    follow(app, act, job, outcome, at)?;
    queue::tell(&mut **act, (job.id, job.project, job.user), state, None, at)?;
    let mut facts = vec![
        ("kind", job.kind.word().to_owned()),
        ("state", state.word().to_owned()),
    ];
    if let Outcome::Failed(failure) = outcome {
        facts.push(("code", failure.code.clone()));
    }
    act.log(&Entry {
        at,
        act: "job.end",
        project: Some(job.project),
        subject: Some(job.id),
        facts,
        ..Entry::default()
    })
}
