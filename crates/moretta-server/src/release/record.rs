//! A release as the store keeps it, and the one way in which its state changes.

use super::state::{State, Step};
use super::task::Part;
use crate::clock::Millis;
use crate::db::{Row, Sql};
use crate::events::{self, Kind, News};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::store::Act;
use serde_json::json;

/// A release.
#[derive(Clone, Debug)]
pub(super) struct Release {
    pub(super) id: Id,
    pub(super) project: Id,
    pub(super) dataset: Id,
    pub(super) data: Id,
    pub(super) policy: Id,
    pub(super) job: Option<Id>,
    pub(super) name: String,
    pub(super) purpose: String,
    /// The levels that are to be published.
    pub(super) levels: Vec<u32>,
    pub(super) state: State,
    /// Why its run failed.
    pub(super) problem: Option<String>,
    pub(super) manifest: Option<Vec<u8>>,
    pub(super) manifest_sha256: Option<Vec<u8>>,
    /// The ledger with this release in it, which its run has made.
    pub(super) ledger: Option<Id>,
    /// The version of the ledger that its run was held against.
    pub(super) ledger_version: i64,
    /// Whether one person alone has asked for and approved it.
    pub(super) alone: bool,
    pub(super) asked_by: Id,
    pub(super) asked_at: Millis,
    pub(super) ends_at: Option<Millis>,
    pub(super) published_at: Option<Millis>,
    pub(super) ended_at: Option<Millis>,
    version: i64,
}

const COLUMNS: &str = "id, project_id, dataset_id, data_version_id, policy_version_id, job_id, name, \
     purpose, levels, state, problem, manifest, manifest_sha256, ledger_id, ledger_version, alone, \
     asked_by, asked_at, ends_at, published_at, ended_at, version";

fn read(row: &Row) -> Result<Release> {
    let levels = serde_json::from_str(row.text(8)?);
    Ok(Release {
        id: row.id(0)?,
        project: row.id(1)?,
        dataset: row.id(2)?,
        data: row.id(3)?,
        policy: row.id(4)?,
        job: row.maybe_id(5)?,
        name: row.text(6)?.to_owned(),
        purpose: row.text(7)?.to_owned(),
        levels: levels.map_err(|_| Problem::bug("levels of the store cannot be read"))?,
        state: State::parse(row.text(9)?)?,
        problem: row.maybe_text(10)?,
        manifest: row.maybe_bytes(11)?,
        manifest_sha256: row.maybe_bytes(12)?,
        ledger: row.maybe_id(13)?,
        ledger_version: row.integer(14)?,
        alone: row.yes(15)?,
        asked_by: row.id(16)?,
        asked_at: row.integer(17)?,
        ends_at: row.maybe_integer(18)?,
        published_at: row.maybe_integer(19)?,
        ended_at: row.maybe_integer(20)?,
        version: row.integer(21)?,
    })
}

impl Release {
    /// The release of a project.
    ///
    /// # Errors
    /// 404 when it has none of this id.
    pub(super) fn find(sql: &mut dyn Sql, project: Id, id: Id) -> Result<Self> {
        let found = Release::find_where(sql, "id = $1 AND project_id = $2", values![id, project])?;
        let first = found.into_iter().next();
        first.ok_or_else(|| Problem::not_found("release"))
    }

    /// The releases that meet a condition.
    pub(super) fn find_where(
        sql: &mut dyn Sql,
        condition: &str,
        values: &[crate::db::Value],
    ) -> Result<Vec<Self>> {
        let query = format!("SELECT {COLUMNS} FROM releases WHERE {condition}");
        sql.query(&query, values)?.iter().map(read).collect()
    }

    /// Takes a step: nobody else may have taken one meanwhile. Who may know is told.
    ///
    /// # Errors
    /// 409 where the step cannot be taken.
    pub(super) fn step(&mut self, act: &mut Act<'_>, step: Step, at: Millis) -> Result<()> {
        let next = self.state.step(step)?;
        let ended = match next {
            State::Refused | State::Withdrawn | State::Revoked | State::Expired => Some(at),
            _ => self.ended_at,
        };
        let changed = act.execute(
            "UPDATE releases SET state = $1, ended_at = $2, version = version + 1 \
             WHERE id = $3 AND state = $4 AND version = $5",
            values![next.word(), ended, self.id, self.state.word(), self.version],
        )?;
        if changed != 1 {
            return Err(
                Problem::conflict("state", "somebody else was faster").help("read it again")
            );
        }
        self.ended_at = ended;
        self.state = next;
        self.version += 1;
        self.tell(&mut **act, at)
    }

    /// Tells who may know how far it is.
    pub(super) fn tell(&self, sql: &mut dyn Sql, at: Millis) -> Result<()> {
        let news = News {
            kind: Kind::Release,
            project: Some(self.project),
            subject: Some(self.id),
            user: None,
            body: json!({ "id": self.id, "state": self.state }),
        };
        events::tell(sql, &news, at)?;
        events::tell_inbox(sql, Some(self.project), at)
    }

    /// Whether who has its level may read it now.
    pub(super) fn is_public(&self, at: Millis) -> bool {
        self.state == State::Published && self.ends_at.is_none_or(|ends| ends > at)
    }

    /// The object of a part at a level; none where it was not made.
    pub(super) fn part(&self, sql: &mut dyn Sql, level: u32, part: Part) -> Result<Option<Id>> {
        let row = sql.row(
            "SELECT object_id FROM release_files WHERE release_id = $1 AND level = $2 AND part = $3",
            values![self.id, i64::from(level), part.word()],
        )?;
        row.map(|row| row.id(0)).transpose()
    }

    /// All objects, by level and part.
    pub(super) fn files(&self, sql: &mut dyn Sql) -> Result<Vec<(u32, Id)>> {
        let rows = sql.query(
            "SELECT level, object_id FROM release_files WHERE release_id = $1 ORDER BY level, part",
            values![self.id],
        )?;
        rows.iter()
            .map(|row| Ok((row.integer(0)? as u32, row.id(1)?)))
            .collect()
    }
}
