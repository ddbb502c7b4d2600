//! A stream as the store has it.

use crate::clock::Millis;
use crate::db::{Row, Sql};
use crate::id::Id;
use crate::problem::{Place, Problem, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

/// A stream.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct Stream {
    /// Its id.
    pub(super) id: Id,
    /// Its name.
    pub(super) name: String,
    /// The policy by which rows are released.
    pub(super) policy: Id,
    /// Its name.
    pub(super) policy_name: String,
    /// The version of it.
    pub(super) policy_version: Id,
    /// The number of that.
    pub(super) policy_number: i64,
    /// The level of what it releases: readers of this level and finer ones see it.
    pub(super) level: i64,
    /// What its operators want: `stopped`, `running` or `finished`.
    pub(super) wanted: String,
    /// What it is: `stopped`, `starting`, `running`, `failed` or `finished`.
    pub(super) state: String,
    /// Since when it runs, over deaths of its process; none of one that does not.
    pub(super) since: Option<Millis>,
    /// Why it has failed.
    pub(super) problem: Option<serde_json::Value>,
    /// `waiting`, `approved` or `refused`, by an officer.
    pub(super) decision: String,
    /// Why.
    pub(super) reason: Option<String>,
    /// Who decided.
    pub(super) decided_by: Option<Id>,
    /// When.
    pub(super) decided_at: Option<Millis>,
    /// Bytes of events that were accepted, told in blocks of 4 KiB: who reads this again and again does
    /// not see a single event.
    #[serde(serialize_with = "in_blocks")]
    pub(super) accepted: i64,
    /// Events that were taken by this version of the policy, told in tens.
    #[serde(serialize_with = "in_tens")]
    pub(super) taken: i64,
    /// Rows that were released, by all versions, told in tens.
    #[serde(serialize_with = "in_tens")]
    pub(super) released: i64,
    /// When it was defined.
    pub(super) made_at: Millis,
    /// By whom.
    pub(super) made_by: Id,
    /// The version, which an edit names.
    pub(super) version: i64,
}

fn in_tens<S: Serializer>(count: &i64, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_i64(count - count % 10)
}

fn in_blocks<S: Serializer>(bytes: &i64, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_i64(bytes - bytes % 4096)
}

const COLUMNS: &str = "s.id, s.name, s.policy_version_id, s.level, s.wanted, s.state, s.problem, s.decision, \
                       s.reason, s.decided_by, s.decided_at, s.accepted, s.taken, s.released, s.made_at, \
                       s.made_by, s.version, v.text_id, t.name, v.number, (SELECT MAX(m.at) FROM marks m \
                       WHERE m.stream_id = s.id AND m.what IN ('start', 'restart'))";
const TABLES: &str =
    "streams s JOIN text_versions v ON v.id = s.policy_version_id JOIN texts t ON t.id = v.text_id";

fn read(row: &Row) -> Result<Stream> {
    let problem = row.maybe_text(6)?;
    let runs = matches!(row.text(5)?, "starting" | "running");
    Ok(Stream {
        id: row.id(0)?,
        name: row.text(1)?.to_owned(),
        policy: row.id(17)?,
        policy_name: row.text(18)?.to_owned(),
        policy_version: row.id(2)?,
        policy_number: row.integer(19)?,
        level: row.integer(3)?,
        wanted: row.text(4)?.to_owned(),
        state: row.text(5)?.to_owned(),
        since: row.maybe_integer(20)?.filter(|_| runs),
        problem: problem.and_then(|text| serde_json::from_str(&text).ok()),
        decision: row.text(7)?.to_owned(),
        reason: row.maybe_text(8)?,
        decided_by: row.maybe_id(9)?,
        decided_at: row.maybe_integer(10)?,
        accepted: row.integer(11)?,
        taken: row.integer(12)?,
        released: row.integer(13)?,
        made_at: row.integer(14)?,
        made_by: row.id(15)?,
        version: row.integer(16)?,
    })
}

/// Finds a stream of a project.
pub(super) fn find(sql: &mut dyn Sql, project: Id, stream: Id) -> Result<Stream> {
    let query = format!("SELECT {COLUMNS} FROM {TABLES} WHERE s.id = $1 AND s.project_id = $2");
    let row = sql.row(&query, values![stream, project])?;
    read(&row.ok_or_else(|| Problem::not_found("stream"))?)
}

/// Streams of a project that release for a level or coarser ones, by name.
pub(super) fn list(
    sql: &mut dyn Sql,
    (project, level): (Id, i64),
    after: &str,
    limit: i64,
) -> Result<Vec<Stream>> {
    let query = format!(
        "SELECT {COLUMNS} FROM {TABLES} WHERE s.project_id = $1 AND s.level >= $2 AND s.name > $3 \
         ORDER BY s.name LIMIT $4"
    );
    let rows = sql.query(&query, values![project, level, after, limit])?;
    rows.iter().map(read).collect()
}

/// A problem as the store keeps it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) code: String,
    pub(super) title: String,
    pub(super) help: Option<String>,
}

/// The place of a line that was sent.
pub(super) fn line(number: usize) -> Option<Place> {
    Some(Place {
        line: number as u64,
        column: 1,
    })
}
