//! The queue: jobs wait, are claimed for a time, and end once.

use super::kind::{Kind, Pool};
use crate::clock::{Millis, SECOND};
use crate::db::{Row, Sql, Value};
use crate::id::Id;
use crate::problem::{Problem, Result};
use schemars::JsonSchema;
use serde::Serialize;

/// For how long a job is claimed at a time.
pub const LEASE: Millis = 30 * SECOND;
/// How often a job whose child was killed is tried.
pub const TRIES: i64 = 3;

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It waits.
    Waiting,
    /// A child does it.
    Running,
    /// It is done.
    Done,
    /// It could not be done.
    Failed,
    /// Somebody did not want it any more.
    Cancelled,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            State::Waiting => "waiting",
            State::Running => "running",
            State::Done => "done",
            State::Failed => "failed",
            State::Cancelled => "cancelled",
        }
    }

    fn parse(word: &str) -> Result<Self> {
        let all = [State::Waiting, State::Running, State::Done, State::Failed, State::Cancelled];
        let found = all.into_iter().find(|state| state.word() == word);
        found.ok_or_else(|| Problem::bug("the store has a state of a job that is none"))
    }
}

/// A job as it is shown.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Job {
    /// Its id.
    pub id: Id,
    /// What it does.
    pub kind: Kind,
    /// How far it is.
    pub state: State,
    /// Who wanted it.
    pub user: Id,
    /// How often it was begun.
    pub attempts: i64,
    /// Stage, rows and figures, while it runs.
    pub progress: Option<serde_json::Value>,
    /// What it found.
    pub result: Option<serde_json::Value>,
    /// Why it failed.
    pub problem: Option<serde_json::Value>,
    /// When it was wanted.
    pub made_at: Millis,
    /// When it was last begun.
    pub begun_at: Option<Millis>,
    /// When it ended.
    pub ended_at: Option<Millis>,
}

/// A job that was claimed.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// Its id.
    pub id: Id,
    /// Its project.
    pub project: Id,
    /// What it does.
    pub kind: Kind,
    /// What exactly, in JSON.
    pub spec: String,
    /// Which try this is, from 1.
    pub attempt: i64,
    /// Who wanted it.
    pub user: Id,
}

const SHOWN: &str = "id, kind, state, user_id, attempts, progress, result, problem, made_at, begun_at, ended_at";

fn read(row: &Row) -> Result<Job> {
    let json = |place| -> Result<Option<serde_json::Value>> {
        let text = row.maybe_text(place)?;
        Ok(text.and_then(|text| serde_json::from_str(&text).ok()))
    };
    Ok(Job {
        id: row.id(0)?,
        kind: Kind::parse(row.text(1)?)?,
        state: State::parse(row.text(2)?)?,
        user: row.id(3)?,
        attempts: row.integer(4)?,
        progress: json(5)?,
        result: json(6)?,
        problem: json(7)?,
        made_at: row.integer(8)?,
        begun_at: row.maybe_integer(9)?,
        ended_at: row.maybe_integer(10)?,
    })
}

/// Puts a job into the queue.
///
/// # Errors
/// When the store does not answer.
pub fn enqueue(sql: &mut dyn Sql, project: Id, user: Id, kind: Kind, spec: &impl Serialize, at: Millis) -> Result<Id> {
    let id = Id::random();
    let spec = serde_json::to_string(spec).map_err(|_| Problem::bug("a job cannot be written"))?;
    sql.execute(
        "INSERT INTO jobs (id, project_id, user_id, kind, pool, spec, state, attempts, made_at) \
         VALUES ($1, $2, $3, $4, $5, $6, 'waiting', 0, $7)",
        values![id, project, user, kind.word(), kind.pool().word(), spec, at],
    )?;
    Ok(id)
}

/// Claims the job that waits longest, or one whose claim has run out; one that was tried often
/// enough fails instead.
///
/// # Errors
/// When the store does not answer.
pub fn claim(sql: &mut dyn Sql, pool: Pool, by: &str, at: Millis) -> Result<Option<Claimed>> {
    sql.execute(
        "UPDATE jobs SET state = 'failed', ended_at = $1, lease_by = NULL, problem = $2 \
         WHERE state = 'running' AND lease_until < $1 AND attempts >= $3",
        values![at, killed_too_often(), TRIES],
    )?;
    let row = sql.row(
        "SELECT id, project_id, kind, spec, attempts, user_id FROM jobs WHERE pool = $1 AND wants_cancel = 0 \
         AND (state = 'waiting' OR (state = 'running' AND lease_until < $2)) ORDER BY made_at, id LIMIT 1",
        values![pool.word(), at],
    )?;
    let Some(row) = row else { return Ok(None) };
    let claimed = Claimed {
        id: row.id(0)?,
        project: row.id(1)?,
        kind: Kind::parse(row.text(2)?)?,
        spec: row.text(3)?.to_owned(),
        attempt: row.integer(4)? + 1,
        user: row.id(5)?,
    };
    sql.execute_one(
        "UPDATE jobs SET state = 'running', attempts = attempts + 1, lease_by = $1, lease_until = $2, \
         begun_at = $3, progress = NULL WHERE id = $4",
        values![by, at + LEASE, at, claimed.id],
    )?;
    Ok(Some(claimed))
}

fn killed_too_often() -> String {
    let body = crate::problem::Problem::new(500, "killed", "the process of the job was killed each time")
        .help("give jobs more memory, or use fewer rows");
    String::from_utf8_lossy(&body.body("")).into_owned()
}

/// Keeps a claim, and notes how far the job is; false when somebody else has claimed the job
/// meanwhile, or wants it cancelled.
///
/// # Errors
/// When the store does not answer.
pub fn heartbeat(sql: &mut dyn Sql, id: Id, by: &str, progress: Option<String>, at: Millis) -> Result<bool> {
    let kept = sql.execute(
        "UPDATE jobs SET lease_until = $1, progress = COALESCE($2, progress) \
         WHERE id = $3 AND lease_by = $4 AND state = 'running' AND wants_cancel = 0",
        values![at + LEASE, progress, id, by],
    )?;
    Ok(kept == 1)
}

/// Whether a job is still this one's, so that what it made may be kept.
///
/// # Errors
/// When it is not, or the store does not answer.
pub(super) fn check_claim(sql: &mut dyn Sql, id: Id, by: &str) -> Result<()> {
    let mine = "SELECT count(*) FROM jobs WHERE id = $1 AND lease_by = $2 AND state = 'running'";
    match sql.number(mine, values![id, by])? {
        1 => Ok(()),
        _ => Err(Problem::conflict("claim", "the job is somebody else's by now")),
    }
}

/// Ends a job.
///
/// # Errors
/// When it is not this one's any more.
pub(super) fn end(sql: &mut dyn Sql, id: Id, by: &str, state: State, (result, problem): (Option<String>, Option<String>), at: Millis) -> Result<()> {
    sql.execute_one(
        "UPDATE jobs SET state = $1, result = $2, problem = $3, ended_at = $4, lease_by = NULL, progress = NULL \
         WHERE id = $5 AND lease_by = $6 AND state = 'running'",
        &[
            Value::from(state.word()),
            Value::from(result),
            Value::from(problem),
            Value::from(at),
            Value::from(id),
            Value::from(by),
        ],
    )
}

/// Puts a job back whose child was killed, if it may be tried again; false when it may not.
///
/// # Errors
/// When the store does not answer.
pub(super) fn put_back(sql: &mut dyn Sql, id: Id, by: &str) -> Result<bool> {
    let again = sql.execute(
        "UPDATE jobs SET state = 'waiting', lease_by = NULL, lease_until = NULL, progress = NULL \
         WHERE id = $1 AND lease_by = $2 AND state = 'running' AND attempts < $3 AND wants_cancel = 0",
        values![id, by, TRIES],
    )?;
    Ok(again == 1)
}

/// Says that a job is not wanted any more; one that waits ends at once.
///
/// # Errors
/// 409 when it has ended.
pub fn cancel(sql: &mut dyn Sql, project: Id, id: Id, at: Millis) -> Result<()> {
    let ended = sql.execute(
        "UPDATE jobs SET wants_cancel = 1, state = CASE WHEN state = 'waiting' THEN 'cancelled' ELSE state END, \
         ended_at = CASE WHEN state = 'waiting' THEN $1 ELSE ended_at END \
         WHERE id = $2 AND project_id = $3 AND state IN ('waiting', 'running')",
        values![at, id, project],
    )?;
    match (ended, find(sql, project, id)?) {
        (1, _) => Ok(()),
        (_, Some(_)) => Err(Problem::conflict("ended", "the job has ended")),
        (_, None) => Err(Problem::not_found("job")),
    }
}

/// Whether somebody wants a job cancelled.
///
/// # Errors
/// When the store does not answer.
pub(super) fn is_cancelled(sql: &mut dyn Sql, id: Id) -> Result<bool> {
    Ok(sql.number("SELECT count(*) FROM jobs WHERE id = $1 AND wants_cancel = 1", values![id])? == 1)
}

/// Finds a job of a project.
///
/// # Errors
/// When the store does not answer.
pub fn find(sql: &mut dyn Sql, project: Id, id: Id) -> Result<Option<Job>> {
    let query = format!("SELECT {SHOWN} FROM jobs WHERE project_id = $1 AND id = $2");
    sql.row(&query, values![project, id])?.as_ref().map(read).transpose()
}

/// Jobs of a project, the newest first, without what they found; those of one user only, where one
/// is named.
///
/// # Errors
/// When the store does not answer.
pub fn list(sql: &mut dyn Sql, project: Id, of: Option<Id>, before: Millis, limit: i64) -> Result<Vec<Job>> {
    let shown = SHOWN.replace("result", "NULL");
    let only = of.map_or_else(String::new, |user| user.to_string());
    let query = format!(
        "SELECT {shown} FROM jobs WHERE project_id = $1 AND made_at < $2 AND ($3 = '' OR user_id = $3) \
         ORDER BY made_at DESC LIMIT $4"
    );
    sql.query(&query, values![project, before, only, limit])?.iter().map(read).collect()
}
