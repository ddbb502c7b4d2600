//! Segments of the two logs of a stream: files with a key each, so that what is not needed any more
//! can be deleted.

use super::protocol::Segment;
use crate::app::App;
use crate::clock::Millis;
use crate::db::{Row, Sql};
use crate::id::Id;
use crate::problem::Result;
use crate::seal::{Key, damaged, problem};
use crate::store::Act;
use crate::zone::{Object, RawZone, ReleaseZone};
use std::path::PathBuf;

/// Which log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Events as they came; sealed like uploaded data.
    Events,
    /// Released rows; sealed like what was published.
    Released,
}

impl Side {
    fn word(self) -> &'static str {
        match self {
            Side::Events => "events",
            Side::Released => "released",
        }
    }

    fn wrap(self, app: &App, object: &Object) -> Result<Vec<u8>> {
        match self {
            Side::Events => Ok(RawZone::of(app)?.wrapped(object)),
            Side::Released => Ok(ReleaseZone::of(app)?.wrapped(object)),
        }
    }

    fn unwrap(self, app: &App, id: Id, wrapped: &[u8]) -> Result<Object> {
        match self {
            Side::Events => RawZone::of(app)?.unwrapped(id, wrapped),
            Side::Released => ReleaseZone::of(app)?.unwrapped(id, wrapped),
        }
    }
}

/// The folder of the logs.
pub(super) fn folder(app: &App) -> Result<PathBuf> {
    let folder = app.settings.data.join("streams");
    crate::zone::private_folder(&folder).map_err(|e| problem(&e))?;
    Ok(folder)
}

/// Begins a segment at `first`. Its file is made by who writes it.
pub(super) fn begin(
    app: &App,
    act: &mut Act<'_>,
    (stream, side): (Id, Side),
    first: u64,
    policy: Option<Id>,
    at: Millis,
) -> Result<Segment> {
    let last = "SELECT COALESCE(MAX(number), 0) FROM segments WHERE stream_id = $1 AND side = $2";
    let number = act.number(last, values![stream, side.word()])? + 1;
    let object = Object::random();
    act.execute(
        "INSERT INTO segments (stream_id, side, number, first, object_id, wrapped_key, policy_version_id, at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        values![
            stream,
            side.word(),
            number,
            first as i64,
            object.id,
            side.wrap(app, &object)?,
            policy,
            at
        ],
    )?;
    Ok(Segment {
        number: number as u64,
        first,
        object: object.id,
        path: folder(app)?.join(object.id.to_string()),
        key: object.digits().to_string(),
    })
}

/// The segments of a log, in order.
pub(super) fn list(
    app: &App,
    sql: &mut dyn Sql,
    (stream, side): (Id, Side),
) -> Result<Vec<Segment>> {
    let found = with_policies(app, sql, (stream, side))?;
    Ok(found.into_iter().map(|(segment, _)| segment).collect())
}

/// The segments of released rows: those of earlier policies, and those that `policy` has released
/// since it is the policy of the stream.
pub(super) fn released(
    app: &App,
    sql: &mut dyn Sql,
    stream: Id,
    policy: Id,
) -> Result<(Vec<Segment>, Vec<Segment>)> {
    let mut all = with_policies(app, sql, (stream, Side::Released))?;
    let before = all.iter().rposition(|(_, of)| *of != Some(policy));
    let own = all.split_off(before.map_or(0, |before| before + 1));
    let segments = |list: Vec<(Segment, Option<Id>)>| list.into_iter().map(|(segment, _)| segment);
    Ok((segments(all).collect(), segments(own).collect()))
}

fn with_policies(
    app: &App,
    sql: &mut dyn Sql,
    (stream, side): (Id, Side),
) -> Result<Vec<(Segment, Option<Id>)>> {
    let rows = sql.query(
        "SELECT number, first, object_id, wrapped_key, policy_version_id FROM segments \
         WHERE stream_id = $1 AND side = $2 ORDER BY number",
        values![stream, side.word()],
    )?;
    let folder = folder(app)?;
    let read = |row: &Row| {
        let object = side.unwrap(app, row.id(2)?, row.bytes(3)?)?;
        let segment = Segment {
            number: row.integer(0)? as u64,
            first: row.integer(1)? as u64,
            object: object.id,
            path: folder.join(object.id.to_string()),
            key: object.digits().to_string(),
        };
        Ok((segment, row.maybe_id(4)?))
    };
    rows.iter().map(read).collect()
}

/// Forgets segments of events that end before `byte`, and gives their files, to be removed after the
/// transaction. The last one stays.
pub(super) fn forget(app: &App, act: &mut Act<'_>, stream: Id, byte: i64) -> Result<Vec<PathBuf>> {
    let rows = act.query(
        "SELECT number, object_id FROM segments s WHERE stream_id = $1 AND side = 'events' AND EXISTS \
         (SELECT 1 FROM segments n WHERE n.stream_id = s.stream_id AND n.side = s.side \
          AND n.number = s.number + 1 AND n.first <= $2)",
        values![stream, byte],
    )?;
    let folder = folder(app)?;
    let mut files = Vec::new();
    for row in rows {
        let delete =
            "DELETE FROM segments WHERE stream_id = $1 AND side = 'events' AND number = $2";
        act.execute_one(delete, values![stream, row.integer(0)?])?;
        files.push(folder.join(row.id(1)?.to_string()));
    }
    Ok(files)
}

/// The key of a segment.
pub(super) fn key(segment: &Segment) -> Result<Key> {
    Key::parse(&segment.key).ok_or_else(damaged)
}
