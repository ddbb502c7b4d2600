//! What of streams their operators and officers have to look at: one that has failed, one whose share
//! of alike users is under its goal, one that gets no events any more; and for operators, one that was
//! held, which officers are told of as one that waits for them.

use super::points::Point;
use crate::clock::{MINUTE, Millis};
use crate::db::{Row, Sql};
use crate::id::Id;
use crate::problem::{Problem, Result};

/// After how long without events a running stream is told of.
pub(super) const SILENT: Millis = 5 * MINUTE;
/// How many are told.
const MOST: i64 = 500;

/// Something to look at.
#[derive(Clone, Debug)]
pub(crate) struct Alarm {
    /// `stream-failed`, `stream-held`, `stream-under-goal` or `stream-silent`.
    pub(crate) kind: &'static str,
    /// The stream.
    pub(crate) stream: Id,
    /// Its project.
    pub(crate) project: Id,
    /// Its name.
    pub(crate) name: String,
    /// Since when, as far as figures tell.
    pub(crate) at: Millis,
}

/// Alarms of the projects in which somebody is an operator or an officer.
///
/// # Errors
/// When the store does not answer.
pub(crate) fn alarms(sql: &mut dyn Sql, user: Id, at: Millis) -> Result<Vec<Alarm>> {
    let rows = sql.query(
        "SELECT s.id, s.project_id, s.name, s.state, s.decision FROM streams s JOIN members m \
         ON m.project_id = s.project_id WHERE m.user_id = $1 AND m.role IN ('operator', 'officer') \
         AND (m.ends_at IS NULL OR m.ends_at > $2) AND (s.state = 'failed' OR s.wanted = 'running' \
         OR m.role = 'operator' AND s.decision = 'waiting' AND s.reason IS NOT NULL) \
         ORDER BY s.name LIMIT $3",
        values![user, at, MOST],
    )?;
    let mut found = Vec::new();
    for row in rows {
        found.extend(alarm(sql, &row, at)?);
    }
    Ok(found)
}

fn alarm(sql: &mut dyn Sql, row: &Row, at: Millis) -> Result<Option<Alarm>> {
    let stream = row.id(0)?;
    let mut alarm = Alarm {
        kind: "stream-failed",
        stream,
        project: row.id(1)?,
        name: row.text(2)?.to_owned(),
        at,
    };
    if row.text(3)? == "failed" {
        let failed =
            "SELECT COALESCE(MAX(at), $1) FROM marks WHERE stream_id = $2 AND what = 'failed'";
        alarm.at = sql.number(failed, values![at, stream])?;
        return Ok(Some(alarm));
    }
    if row.text(4)? == "waiting" {
        let held = "SELECT COALESCE(MAX(at), $1) FROM marks WHERE stream_id = $2 AND what = 'hold'";
        alarm.kind = "stream-held";
        alarm.at = sql.number(held, values![at, stream])?;
        return Ok(Some(alarm));
    }
    let last = "SELECT at, figures FROM points WHERE stream_id = $1 ORDER BY at DESC LIMIT 1";
    let Some(last) = sql.row(last, values![stream])? else {
        // It has not had an event yet.
        return Ok(None);
    };
    alarm.at = last.integer(0)?;
    // A stream that runs has points also while nothing comes: they say that no event was taken.
    let heard =
        "SELECT count(*) FROM points WHERE stream_id = $1 AND at > $2 AND figures NOT LIKE $3";
    if sql.number(heard, values![stream, at - SILENT, "%\"taken\":0,%"])? == 0 {
        alarm.kind = "stream-silent";
        return Ok(Some(alarm));
    }
    let point = serde_json::from_str::<Point>(last.text(1)?)
        .map_err(|_| Problem::bug("figures of the store cannot be read"))?;
    alarm.kind = "stream-under-goal";
    Ok(Some(alarm).filter(|_| point.is_under_goal()))
}
