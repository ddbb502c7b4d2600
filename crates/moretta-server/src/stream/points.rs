//! What a stream does over time: figures each ten seconds, and marks for what happened to it.
//!
//! Figures are shown to people who may not see a row, so counts are of ten seconds at least, and
//! counts from 1 to 10 are not shown.

use super::protocol::Figures;
use super::row;
use crate::app::App;
use crate::clock::{DAY, Millis, SECOND};
use crate::db::Sql;
use crate::http::{Call, Json, Nothing, Route, get};
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::rights::{Permit, ReadStreams};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How long figures are kept.
const KEPT: Millis = 7 * DAY;
/// How long a bucket is.
pub(super) const BUCKET: Millis = 10 * SECOND;
/// The largest count that is hidden.
const HIDDEN: u64 = 10;
/// Bytes of events are told in blocks of so many.
const BLOCK: u64 = 4 << 10;
/// How many points are given at once.
const MOST: i64 = 2_000;

pub(super) fn routes() -> Vec<Route> {
    vec![get(
        "/projects/{project}/streams/{stream}/figures",
        "Figures of a stream over time, and what happened to it",
        figures,
    )]
}

/// Figures of ten seconds. A count from 1 to 10 is not there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Point {
    /// Events that were taken.
    pub(super) taken: Option<u64>,
    /// Rows that were released.
    pub(super) released: Option<u64>,
    /// Share of attributes that were not released, where neither they nor the others are few.
    pub(super) suppressed: Option<f64>,
    /// The z in use.
    pub(super) z: Option<u32>,
    /// Share of users of the window who are alike, in whole percent: the p_k that a goal is about. It
    /// is not there where few users show anything.
    pub(super) p: Option<f64>,
    /// The share that z is tuned for, where it is.
    #[serde(default)]
    pub(super) goal: Option<f64>,
    /// Share of users of the window whose released set nobody else has, told as `p` is.
    pub(super) unique: Option<f64>,
    /// Milliseconds from when events were accepted until what became of them was on disk: median.
    pub(super) delay_median: Option<u64>,
    /// The 99th percentile of the same.
    pub(super) delay_99: Option<u64>,
    /// Bytes of events that wait to be taken, rounded up to whole blocks of 4 KiB.
    pub(super) lag: u64,
    /// Figures of masked records by name.
    pub(super) measures: Vec<(String, f64)>,
}

impl Point {
    /// Whether fewer users are alike than z is tuned for.
    pub(super) fn is_under_goal(&self) -> bool {
        self.p.zip(self.goal).is_some_and(|(p, goal)| p < goal)
    }
}

/// Makes points of figures as they come.
#[derive(Debug, Default)]
pub(super) struct Buckets {
    begun: Option<(Millis, Figures)>,
    last: Figures,
    delays: Vec<(u64, u64)>,
    /// Whether the last point was under its goal.
    pub(super) is_under_goal: bool,
}

impl Buckets {
    /// Takes figures; gives the point of a bucket that is full.
    pub(super) fn add(&mut self, figures: Figures, lag: u64, at: Millis) -> Option<Point> {
        self.delays.extend(figures.delay);
        let (begun, first) = self.begun.get_or_insert_with(|| (at, figures.clone()));
        let is_full = at - *begun >= BUCKET;
        let point = is_full.then(|| point(first, &figures, &self.delays, lag));
        if let Some(point) = &point {
            self.is_under_goal = point.is_under_goal();
            self.begun = Some((at, figures.clone()));
            self.delays.clear();
        }
        self.last = figures;
        point
    }

    /// What can be told at once: no count.
    pub(super) fn now(&self, lag: u64) -> Point {
        Point {
            z: self.last.z,
            p: self.last.p,
            goal: self.last.goal,
            unique: self.last.unique,
            delay_median: self.last.delay.map(|delay| delay.0),
            delay_99: self.last.delay.map(|delay| delay.1),
            lag: in_blocks(lag),
            measures: self.last.measures.clone(),
            ..Point::default()
        }
    }
}

/// Bytes as they may be told: by the bytes of one event somebody would know it.
fn in_blocks(bytes: u64) -> u64 {
    bytes.div_ceil(BLOCK).saturating_mul(BLOCK)
}

fn point(first: &Figures, last: &Figures, delays: &[(u64, u64)], lag: u64) -> Point {
    let attributes = |of: &Figures| of.attributes.unwrap_or_default();
    let (before, after) = (attributes(first), attributes(last));
    let (read, suppressed) = (
        after.0.saturating_sub(before.0),
        after.1.saturating_sub(before.1),
    );
    let few = |count: u64| (1..=HIDDEN).contains(&count);
    let shown = |count: u64| Some(count).filter(|&count| !few(count));
    let share = read > 0 && !few(suppressed) && !few(read.saturating_sub(suppressed));
    Point {
        taken: shown(last.taken.saturating_sub(first.taken)),
        released: shown(last.released.saturating_sub(first.released)),
        suppressed: share.then(|| suppressed as f64 / read as f64),
        z: last.z,
        p: last.p,
        goal: last.goal,
        unique: last.unique,
        delay_median: delays.iter().map(|delay| delay.0).max(),
        delay_99: delays.iter().map(|delay| delay.1).max(),
        lag: in_blocks(lag),
        measures: last.measures.clone(),
    }
}

/// Keeps a point.
pub(super) fn keep(sql: &mut dyn Sql, stream: Id, point: &Point, at: Millis) -> Result<()> {
    let text = serde_json::to_string(point).unwrap_or_default();
    sql.execute(
        "INSERT INTO points (stream_id, at, figures) VALUES ($1, $2, $3) \
         ON CONFLICT (stream_id, at) DO UPDATE SET figures = excluded.figures",
        values![stream, at, text],
    )?;
    for table in ["points", "marks"] {
        let old = format!("DELETE FROM {table} WHERE stream_id = $1 AND at < $2");
        sql.execute(&old, values![stream, at - KEPT])?;
    }
    Ok(())
}

/// Notes what happened to a stream.
pub(super) fn mark(sql: &mut dyn Sql, stream: Id, what: &str, at: Millis) -> Result<()> {
    sql.execute(
        "INSERT INTO marks (stream_id, at, what) VALUES ($1, $2, $3)",
        values![stream, at, what],
    )
    .map(drop)
}

/// Which figures.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Range {
    /// From when on; the last quarter of an hour without.
    from: Option<Millis>,
    /// Until when; now without.
    until: Option<Millis>,
}

/// Figures over time.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Over {
    /// A point for each ten seconds in which the stream ran, or every so many of them in a long range.
    points: Vec<At>,
    /// What happened.
    marks: Vec<Mark>,
}

/// A point and its time.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct At {
    /// The end of its ten seconds.
    at: Millis,
    /// The figures.
    figures: Point,
}

/// What happened to a stream.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Mark {
    /// When.
    at: Millis,
    /// `start`, `stop`, `restart`, `finish`, `failed`, or `killed` when its process was killed.
    what: String,
}

fn figures(
    app: &App,
    permit: Permit<ReadStreams>,
    call: Call<Range, Nothing>,
) -> Result<Json<Over>> {
    let (project, id) = (permit.project()?, call.id("stream")?);
    let until = call.query.until.unwrap_or(permit.at());
    let from = call
        .query
        .from
        .unwrap_or(until.saturating_sub(15 * 60 * SECOND));
    app.store.read(|sql| {
        row::find(sql, project, id)?;
        let count = "SELECT count(*) FROM points WHERE stream_id = $1 AND at > $2 AND at <= $3";
        let each = sql.number(count, values![id, from, until])? / MOST + 1;
        let rows = sql.query(
            "SELECT at, figures FROM points WHERE stream_id = $1 AND at > $2 AND at <= $3 \
             AND (at / $4) % $5 = 0 ORDER BY at",
            values![id, from, until, BUCKET, each],
        )?;
        let points = rows.iter().map(|row| {
            let figures = serde_json::from_str(row.text(1)?);
            Ok(At {
                at: row.integer(0)?,
                figures: figures.map_err(|_| Problem::bug("figures of the store cannot be read"))?,
            })
        });
        let points = points.collect::<Result<_>>()?;
        let marks = sql.query(
            "SELECT at, what FROM marks WHERE stream_id = $1 AND at > $2 AND at <= $3 ORDER BY at LIMIT $4",
            values![id, from, until, MOST],
        )?;
        let marks = marks.iter().map(|row| {
            Ok(Mark {
                at: row.integer(0)?,
                what: row.text(1)?.to_owned(),
            })
        });
        Ok(Json(Over {
            points,
            marks: marks.collect::<Result<_>>()?,
        }))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(taken: u64, released: u64, attributes: (u64, u64)) -> Figures {
        Figures {
            taken,
            released,
            attributes: Some(attributes),
            ..Figures::default()
        }
    }

    #[test]
    fn counts_of_ten_seconds_are_shown_unless_they_are_few() {
        let mut buckets = Buckets::default();
        assert_eq!(buckets.add(figures(100, 50, (100, 50)), 0, 0), None);
        assert_eq!(buckets.add(figures(140, 90, (140, 51)), 0, 9_999), None);
        let point = buckets
            .add(figures(150, 55, (150, 95)), 7, 10_000)
            .expect("full");
        assert_eq!((point.taken, point.released), (Some(50), None));
        assert_eq!(point.suppressed, None, "5 of 50 were not suppressed");
        assert_eq!(point.lag, 4096, "a block for 7 bytes");
        let point = buckets
            .add(figures(150, 155, (250, 145)), 0, 20_000)
            .expect("full");
        assert_eq!((point.taken, point.released), (Some(0), Some(100)));
        assert_eq!(point.suppressed, Some(0.5));
    }
}
