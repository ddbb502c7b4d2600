//! Rows that a stream has released, page by page, for readers of its level.

use super::protocol::Segment;
use super::row;
use super::segment::{self, Side};
use crate::app::App;
use crate::http::{Call, Json, Nothing, Route, get};
use crate::id::Id;
use crate::page::{Page, PageQuery};
use crate::problem::{Problem, Result};
use crate::rights::{Permit, ReadStreamRows, Role};
use crate::seal::{LogReader, problem};
use crate::worker::stream::parse;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) fn routes() -> Vec<Route> {
    vec![
        get(
            "/projects/{project}/released-streams",
            "Streams whose released rows are for one's own level or coarser ones",
            list,
        ),
        get(
            "/projects/{project}/streams/{stream}/rows",
            "Rows that were released, in the order in which they left",
            rows,
        ),
    ]
}

/// A stream as readers of its rows see it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Readable {
    /// Its id.
    id: Id,
    /// Its name.
    name: String,
    /// The level of what it releases.
    level: i64,
    /// Whether more rows come now.
    running: bool,
    /// Rows that were released.
    released: i64,
}

fn list(
    app: &App,
    permit: Permit<ReadStreamRows>,
    call: Call<PageQuery, Nothing>,
) -> Result<Json<Page<Readable>>> {
    let (member, limit) = (permit.member()?, call.query.limit()?);
    let finest = match member.role {
        // One whose level is not known reads nothing.
        Some(Role::Analyst) => member.level.unwrap_or(i64::MAX),
        _ => 0,
    };
    let of = (member.project, finest);
    let streams = app
        .store
        .read(|sql| row::list(sql, of, call.query.after_text(), limit + 1))?;
    let readable = streams.into_iter().map(|stream| Readable {
        id: stream.id,
        name: stream.name,
        level: stream.level,
        running: stream.state == "running",
        released: stream.released,
    });
    Ok(Json(Page::of(readable.collect(), limit, |stream| {
        stream.name.clone()
    })))
}

/// Which rows.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct From {
    /// The `next` of the page before; 0 without.
    after: Option<u64>,
    /// How many at most, up to 500; 100 without.
    limit: Option<u32>,
}

/// A page of released rows.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Rows {
    /// The rows.
    rows: Vec<serde_json::Value>,
    /// Where the next page begins, also when its rows are still to come.
    next: u64,
}

fn rows(
    app: &App,
    permit: Permit<ReadStreamRows>,
    call: Call<From, Nothing>,
) -> Result<Json<Rows>> {
    let (member, id) = (permit.member()?, call.id("stream")?);
    let limit = match call.query.limit.unwrap_or(100) {
        limit @ 1..=500 => limit as usize,
        _ => return Err(Problem::unusable("a page has 1 to 500 rows")),
    };
    let segments = app.store.read(|sql| {
        let stream = row::find(sql, member.project, id)?;
        // Officers and stewards see what they approve and define; readers what their level allows.
        let is_reader = member.role == Some(Role::Analyst);
        if is_reader && member.level.is_none_or(|level| level > stream.level) {
            return Err(Problem::withheld("stream"));
        }
        segment::list(app, sql, (id, Side::Released))
    })?;
    let mut next = call.query.after.unwrap_or(0);
    let mut rows = Vec::new();
    let first = segments
        .partition_point(|segment| segment.first <= next)
        .saturating_sub(1);
    for segment in &segments[first.min(segments.len())..] {
        read(segment, &mut next, limit, &mut rows)?;
        if rows.len() == limit {
            break;
        }
    }
    Ok(Json(Rows { rows, next }))
}

/// Adds rows of a segment from `next` on, until there are `limit`.
fn read(
    segment: &Segment,
    next: &mut u64,
    limit: usize,
    rows: &mut Vec<serde_json::Value>,
) -> Result<()> {
    let failed = |e: std::io::Error| problem(&e);
    if !segment.path.exists() {
        // Its first record is still to come.
        return Ok(());
    }
    let key = segment::key(segment)?;
    let mut reader =
        LogReader::open(&segment.path, &key, segment.object, segment.first).map_err(failed)?;
    reader.pass(*next).map_err(failed)?;
    while rows.len() < limit
        && let Some(record) = reader.record().map_err(failed)?
    {
        let (_, text) = parse(&record.content).map_err(failed)?;
        let lines = text
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty());
        let skip = next.saturating_sub(record.first) as usize;
        for line in lines.skip(skip).take(limit - rows.len()) {
            let row = serde_json::from_slice(line);
            rows.push(row.map_err(|_| Problem::bug("a released row cannot be read"))?);
            *next += 1;
        }
    }
    Ok(())
}
