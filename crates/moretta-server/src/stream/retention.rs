//! How events of streams go: when their time is over by the rules of their project, whether they
//! were taken or not.
//!
//! Those that a running stream has taken and does not need any more go at once (`segment::forget`).
//! What is left is that of streams that stand still. One whose events are gone begins anew with those
//! that come, as with another version of its policy.

use super::intake::SPAN;
use super::segment;
use crate::app::App;
use crate::audit::Entry;
use crate::backup;
use crate::clock::{DAY, Millis};
use crate::db::Sql;
use crate::id::Id;
use crate::problem::Result;
use crate::project::Rules;
use std::path::PathBuf;

/// Deletes events whose time is over; gives the number of files. To be done each hour.
///
/// # Errors
/// When the store does not answer.
pub fn retention(app: &App) -> Result<u64> {
    let at = app.clock.now();
    let due = app.store.read(|sql| due(sql, at))?;
    let (mut deleted, mut failed) = (0, None);
    for one in due {
        // Another process may be taking events of it, and begins segments itself.
        if one.last
            && let Err(problem) = app.intakes.turn(app, (one.project, one.stream))
        {
            failed = Some(problem);
        }
        let files = delete(app, &one, at)?;
        deleted += files.len() as u64;
        for file in files {
            let _ = std::fs::remove_file(file);
        }
        let _ = app.store.db().wipe();
    }
    if deleted > 0 {
        backup::forget(app)?;
    }
    failed.map_or(Ok(deleted), Err)
}

/// A stream that has events whose time is over.
struct Due {
    project: Id,
    stream: Id,
    /// Segments that were begun at this time or before go.
    before: Millis,
    /// Whether the last segment is one of them.
    last: bool,
}

fn due(sql: &mut dyn Sql, at: Millis) -> Result<Vec<Due>> {
    let rows = sql.query(
        "SELECT s.project_id, s.id, MIN(g.at), MAX(g.at) FROM segments g \
         JOIN streams s ON s.id = g.stream_id WHERE g.side = 'events' GROUP BY s.project_id, s.id",
        values![],
    )?;
    let mut due = Vec::new();
    for row in rows {
        let project = row.id(0)?;
        let Some(days) = Rules::of(sql, project)?.0.retention_days else {
            continue;
        };
        // A segment takes events for a while after it was begun.
        let before = at - i64::from(days) * DAY - SPAN;
        if row.integer(2)? <= before {
            due.push(Due {
                project,
                stream: row.id(1)?,
                before,
                last: row.integer(3)? <= before,
            });
        }
    }
    Ok(due)
}

/// Deletes the keys of segments; gives their files.
fn delete(app: &App, due: &Due, at: Millis) -> Result<Vec<PathBuf>> {
    let folder = segment::folder(app)?;
    app.store.act(|act| {
        // The last one stays: it says where the next event is.
        let rows = act.query(
            "SELECT g.number, g.object_id, n.first FROM segments g JOIN segments n \
             ON n.stream_id = g.stream_id AND n.side = g.side AND n.number = g.number + 1 \
             WHERE g.stream_id = $1 AND g.side = 'events' AND g.at <= $2 ORDER BY g.number",
            values![due.stream, due.before],
        )?;
        let Some(end) = rows.last() else {
            return Ok(Vec::new());
        };
        // Who would go on in what is gone begins anew.
        act.execute(
            "UPDATE segments SET policy_version_id = NULL WHERE stream_id = $1 AND side = 'released' \
             AND EXISTS (SELECT 1 FROM streams s WHERE s.id = $1 AND s.needed_from < $2)",
            values![due.stream, end.integer(2)?],
        )?;
        let mut files = Vec::new();
        for row in &rows {
            let delete = "DELETE FROM segments WHERE stream_id = $1 AND side = 'events' AND number = $2";
            act.execute_one(delete, values![due.stream, row.integer(0)?])?;
            files.push(folder.join(row.id(1)?.to_string()));
        }
        act.log(&Entry {
            at,
            act: "stream.retention",
            project: Some(due.project),
            subject: Some(due.stream),
            facts: vec![("segments", files.len().to_string())],
            ..Entry::default()
        })?;
        Ok(files)
    })
}
