//! The queue: jobs wait, are claimed for a time, and end once.

use super::end::{self, Outcome};
use super::kind::{Kind, Pool};
use super::protocol::Failure;
use super::spec::Spec;
use crate::app::App;
use crate::clock::{Millis, SECOND};
use crate::db::{Row, Sql};
use crate::events::{self, News};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::project::check_open;
use crate::store::Act;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// For how long a job is claimed at a time.
pub const LEASE: Millis = 30 * SECOND;
/// How often a job whose child was killed is tried.
pub const TRIES: i64 = 3;

/// The code of the problem that a job is another try's by now.
pub(super) const LOST: &str = "claim";

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
    /// As the store writes it.
    pub(super) fn word(self) -> &'static str {
        match self {
            State::Waiting => "waiting",
            State::Running => "running",
            State::Done => "done",
            State::Failed => "failed",
            State::Cancelled => "cancelled",
        }
    }

    fn parse(word: &str) -> Result<Self> {
        let all = [
            State::Waiting,
            State::Running,
            State::Done,
            State::Failed,
            State::Cancelled,
        ];
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
    /// Stage, rows and share, while it runs.
    pub progress: Option<Value>,
    /// What it found, also before the end; not in lists.
    pub result: Option<Value>,
    /// Why it failed.
    pub problem: Option<Value>,
    /// When it was wanted.
    pub made_at: Millis,
    /// When it was last begun.
    pub begun_at: Option<Millis>,
    /// When it ended.
    pub ended_at: Option<Millis>,
}

/// A job that somebody has begun, or ends.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// Its id.
    pub id: Id,
    /// Its project.
    pub project: Id,
    /// Who wanted it.
    pub user: Id,
    /// What it does.
    pub kind: Kind,
    /// What exactly.
    pub spec: Spec,
    /// Which try this is, from 1.
    pub attempt: i64,
    /// The claim, which no other try has.
    pub claim: Id,
}

const SHOWN: &str =
    "id, kind, state, user_id, attempts, progress, result, problem, made_at, begun_at, ended_at";
const CLAIMED: &str = "id, project_id, user_id, kind, spec, attempts";

fn read(row: &Row) -> Result<Job> {
    let json = |place| -> Result<Option<Value>> {
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

fn read_claimed(row: &Row) -> Result<Claimed> {
    Ok(Claimed {
        id: row.id(0)?,
        project: row.id(1)?,
        user: row.id(2)?,
        kind: Kind::parse(row.text(3)?)?,
        spec: Spec::parse(row.text(4)?)?,
        attempt: row.integer(5)?,
        claim: Id::random(),
    })
}

/// Puts a job into the queue.
///
/// # Errors
/// 409 of a closed project, and when the store does not answer.
pub fn enqueue(
    sql: &mut dyn Sql,
    (project, user): (Id, Id),
    kind: Kind,
    spec: &Spec,
    at: Millis,
) -> Result<Id> {
    check_open(sql, project)?;
    let id = Id::random();
    sql.execute(
        "INSERT INTO jobs (id, project_id, user_id, kind, pool, spec, state, attempts, made_at) \
         VALUES ($1, $2, $3, $4, $5, $6, 'waiting', 0, $7)",
        values![
            id,
            project,
            user,
            kind.word(),
            kind.pool().word(),
            spec.text(),
            at
        ],
    )?;
    tell(sql, (id, project, user), State::Waiting, None, at)?;
    Ok(id)
}

/// Whether [`claim`] would find something.
///
/// # Errors
/// When the store does not answer.
pub(super) fn is_waiting(sql: &mut dyn Sql, pool: Pool, at: Millis) -> Result<bool> {
    let waiting = "SELECT count(*) FROM jobs WHERE pool = $1 AND \
                   (state = 'waiting' OR (state = 'running' AND lease_until < $2))";
    Ok(sql.number(waiting, values![pool.word(), at])? > 0)
}

/// Claims the job that waits longest, or one whose claim has run out. One that was tried often
/// enough fails instead, and one that nobody wants any more is cancelled.
///
/// # Errors
/// When the store does not answer.
pub fn claim(app: &App, act: &mut Act<'_>, pool: Pool, at: Millis) -> Result<Option<Claimed>> {
    let lost = format!(
        "SELECT {CLAIMED}, wants_cancel FROM jobs WHERE pool = $1 AND state = 'running' \
         AND lease_until < $2 AND (attempts >= $3 OR wants_cancel = 1)"
    );
    for row in act.query(&lost, values![pool.word(), at, TRIES])? {
        let outcome = match row.yes(6)? {
            true => Outcome::Cancelled,
            false => Outcome::Failed(killed()),
        };
        end::end(app, act, &read_claimed(&row)?, &outcome, at)?;
    }
    let query = format!(
        "SELECT {CLAIMED} FROM jobs WHERE pool = $1 \
         AND (state = 'waiting' OR (state = 'running' AND lease_until < $2)) ORDER BY made_at, id LIMIT 1"
    );
    let Some(row) = act.row(&query, values![pool.word(), at])? else {
        return Ok(None);
    };
    let mut claimed = read_claimed(&row)?;
    claimed.attempt += 1;
    act.execute_one(
        "UPDATE jobs SET state = 'running', attempts = $1, lease_by = $2, lease_until = $3, \
         begun_at = $4, progress = NULL, result = NULL WHERE id = $5",
        values![claimed.attempt, claimed.claim, at + LEASE, at, claimed.id],
    )?;
    let of = (claimed.id, claimed.project, claimed.user);
    tell(&mut **act, of, State::Running, None, at)?;
    Ok(Some(claimed))
}

/// The child of a job was killed in each try.
pub(super) fn killed() -> Failure {
    Problem::new(500, "killed", "the process of the job was killed each time")
        .help("give jobs more memory, or use fewer rows")
        .into()
}

/// Keeps a claim, and notes how far the job is and what it has found; false when somebody else has
/// claimed the job meanwhile, or wants it cancelled.
///
/// # Errors
/// When the store does not answer.
pub(super) fn heartbeat(
    sql: &mut dyn Sql,
    job: &Claimed,
    progress: Option<&Value>,
    found: Option<&Value>,
    at: Millis,
) -> Result<bool> {
    let kept = sql.execute(
        "UPDATE jobs SET lease_until = $1, progress = COALESCE($2, progress), result = COALESCE($3, result) \
         WHERE id = $4 AND lease_by = $5 AND state = 'running' AND wants_cancel = 0",
        values![
            at + LEASE,
            progress.map(Value::to_string),
            found.map(Value::to_string),
            job.id,
            job.claim
        ],
    )?;
    if kept == 1 && progress.is_some() {
        let of = (job.id, job.project, job.user);
        tell(sql, of, State::Running, progress, at)?;
    }
    Ok(kept == 1)
}

/// Whether a job is still this try's, so that what it made may be kept; and whether somebody wants it
/// cancelled.
///
/// # Errors
/// When it is not, or the store does not answer.
pub(super) fn check_claim(sql: &mut dyn Sql, job: &Claimed) -> Result<bool> {
    let row = sql.row(
        "SELECT wants_cancel FROM jobs WHERE id = $1 AND lease_by = $2 AND state = 'running'",
        values![job.id, job.claim],
    )?;
    match row {
        Some(row) => row.yes(0),
        None => Err(Problem::conflict(LOST, "the job is another try's by now")),
    }
}

/// Puts a job back whose child was killed, if it may be tried again; false when it may not. Where the
/// server itself is stopped, the try does not count.
///
/// # Errors
/// When the store does not answer.
pub(super) fn put_back(sql: &mut dyn Sql, job: &Claimed, counts: bool, at: Millis) -> Result<bool> {
    let back = sql.execute(
        "UPDATE jobs SET state = 'waiting', lease_by = NULL, lease_until = NULL, progress = NULL, result = NULL, \
         attempts = attempts - $1 \
         WHERE id = $2 AND lease_by = $3 AND state = 'running' AND attempts - $1 < $4 AND wants_cancel = 0",
        values![i64::from(!counts), job.id, job.claim, TRIES],
    )?;
    if back == 1 {
        let of = (job.id, job.project, job.user);
        tell(sql, of, State::Waiting, None, at)?;
    }
    Ok(back == 1)
}

/// Says that a job is not wanted any more. One that waits ends at once, one that runs when its
/// dispatcher hears of it.
///
/// # Errors
/// 404 when there is none, 409 when it has ended.
pub fn cancel(app: &App, act: &mut Act<'_>, project: Id, id: Id, at: Millis) -> Result<()> {
    let query = format!("SELECT {CLAIMED}, state FROM jobs WHERE project_id = $1 AND id = $2");
    let row = act.row(&query, values![project, id])?;
    let row = row.ok_or_else(|| Problem::not_found("job"))?;
    match State::parse(row.text(6)?)? {
        State::Waiting => end::end(app, act, &read_claimed(&row)?, &Outcome::Cancelled, at),
        State::Running => act.execute_one(
            "UPDATE jobs SET wants_cancel = 1 WHERE id = $1",
            values![id],
        ),
        _ => Err(Problem::conflict("ended", "the job has ended")),
    }
}

/// Whether a job is no longer wanted from this try.
///
/// # Errors
/// When the store does not answer.
pub(super) fn is_over(sql: &mut dyn Sql, job: &Claimed) -> Result<bool> {
    let wanted = "SELECT count(*) FROM jobs WHERE id = $1 AND lease_by = $2 AND state = 'running' AND wants_cancel = 0";
    Ok(sql.number(wanted, values![job.id, job.claim])? == 0)
}

/// Finds a job of a project.
///
/// # Errors
/// When the store does not answer.
pub fn find(sql: &mut dyn Sql, project: Id, id: Id) -> Result<Option<Job>> {
    let query = format!("SELECT {SHOWN} FROM jobs WHERE project_id = $1 AND id = $2");
    let row = sql.row(&query, values![project, id])?;
    row.as_ref().map(read).transpose()
}

/// What a job of a project was to do.
///
/// # Errors
/// 404 when there is none.
pub(super) fn spec_of(sql: &mut dyn Sql, project: Id, id: Id) -> Result<Spec> {
    let query = "SELECT spec FROM jobs WHERE project_id = $1 AND id = $2";
    let row = sql.row(query, values![project, id])?;
    Spec::parse(row.ok_or_else(|| Problem::not_found("job"))?.text(0)?)
}

/// Jobs of a project, the newest first, without what they found; those of one user only, where one
/// is named. The list begins after the job that was made at some time and has some id.
///
/// # Errors
/// When the store does not answer.
pub fn list(
    sql: &mut dyn Sql,
    project: Id,
    of: Option<Id>,
    (made_at, id): (Millis, &str),
    limit: i64,
) -> Result<Vec<Job>> {
    let shown = SHOWN.replace("result", "NULL");
    let only = of.map_or_else(String::new, |user| user.to_string());
    let query = format!(
        "SELECT {shown} FROM jobs WHERE project_id = $1 AND (made_at < $2 OR (made_at = $2 AND id < $3)) \
         AND ($4 = '' OR user_id = $4) ORDER BY made_at DESC, id DESC LIMIT $5"
    );
    let rows = sql.query(&query, values![project, made_at, id, only, limit])?;
    rows.iter().map(read).collect()
}

/// Tells those who may see a job how far it is.
pub(super) fn tell(
    sql: &mut dyn Sql,
    (id, project, user): (Id, Id, Id),
    state: State,
    progress: Option<&Value>,
    at: Millis,
) -> Result<()> {
    let mut body = serde_json::json!({ "id": id, "state": state });
    if let (Value::Object(body), Some(Value::Object(progress))) = (&mut body, progress) {
        body.extend(progress.clone());
    }
    let news = News {
        kind: events::Kind::Job,
        project: Some(project),
        subject: Some(id),
        user: Some(user),
        body,
    };
    events::tell(sql, &news, at)
}
