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
    /// The version of the policy by which rows are released.
    pub(super) policy_version: Id,
    /// The level of what it releases: readers of this level and finer ones see it.
    pub(super) level: i64,
    /// What its operators want: `stopped`, `running` or `finished`.
    pub(super) wanted: String,
    /// What it is: `stopped`, `starting`, `running`, `failed` or `finished`.
    pub(super) state: String,
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

const COLUMNS: &str = "id, name, policy_version_id, level, wanted, state, problem, decision, reason, \
                       decided_by, decided_at, accepted, taken, released, made_at, made_by, version";

fn read(row: &Row) -> Result<Stream> {
    let problem = row.maybe_text(6)?;
    Ok(Stream {
        id: row.id(0)?,
        name: row.text(1)?.to_owned(),
        policy_version: row.id(2)?,
        level: row.integer(3)?,
        wanted: row.text(4)?.to_owned(),
        state: row.text(5)?.to_owned(),
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
    let query = format!("SELECT {COLUMNS} FROM streams WHERE id = $1 AND project_id = $2");
    let row = sql.row(&query, values![stream, project])?;
    read(&row.ok_or_else(|| Problem::not_found("stream"))?)
}

/// Streams of a project, by name.
pub(super) fn list(sql: &mut dyn Sql, project: Id, after: &str, limit: i64) -> Result<Vec<Stream>> {
    let query = format!(
        "SELECT {COLUMNS} FROM streams WHERE project_id = $1 AND name > $2 ORDER BY name LIMIT $3"
    );
    let rows = sql.query(&query, values![project, after, limit])?;
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
