//! What a stream does over time: figures each ten seconds, and marks for what happened to it.
//!
//! Figures are shown to people who may not see a row, so counts are of ten seconds at least, and
//! counts from 1 to 10 are not shown.

use super::alarms::SILENT;
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
    /// Milliseconds that it is about: ten seconds, and what they lasted longer.
    #[serde(default)]
    pub(super) length: Millis,
    /// Events that were taken.
    pub(super) taken: Option<u64>,
    /// Rows that were released.
    pub(super) released: Option<u64>,
    /// Share of attributes that were not released, where neither they nor the others are few.
    pub(super) suppressed: Option<f64>,
    /// Attributes that were released, by the number of rungs climbed in their hierarchy. Where one
    /// count is few, another one is not there either, so that it cannot be found out as what is left.
    #[serde(default)]
    pub(super) levels: Vec<Option<u64>>,
    /// The z in use.
    pub(super) z: Option<u32>,
    /// Share of users of the window who are alike, in whole percent: the p_k that a goal is about. It
    /// is not there where few users show anything.
    pub(super) p: Option<f64>,
    /// The share that z is tuned for, where it is.
    #[serde(default)]
    pub(super) goal: Option<f64>,
    /// Share of the window for which the stream has been seen.
    #[serde(default)]
    pub(super) window: Option<f64>,
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
    /// When events were last taken.
    heard: Option<Millis>,
    /// What of the last point is to be looked at.
    pub(super) alarm: Option<&'static str>,
}

impl Buckets {
    /// Takes figures; gives the point of a bucket that is full.
    pub(super) fn add(&mut self, figures: Figures, lag: u64, at: Millis) -> Option<Point> {
        self.delays.extend(figures.delay);
        let (begun, first) = self.begun.get_or_insert_with(|| (at, figures.clone()));
        let is_full = at - *begun >= BUCKET;
        let point = is_full.then(|| Point {
            length: at - *begun,
            ..point(first, &figures, &self.delays, lag)
        });
        if let Some(point) = &point {
            if self.heard.is_none() || point.taken != Some(0) {
                self.heard = Some(at);
            }
            let is_silent = self.heard.is_some_and(|heard| at - heard >= SILENT);
            self.alarm = match (is_silent, point.is_under_goal()) {
                (true, _) => Some("silent"),
                (false, true) => Some("under-goal"),
                (false, false) => None,
            };
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
            window: self.last.window,
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
    let shown = |count: u64| Some(count).filter(|&count| !few(count));
    let share = read > 0 && !few(suppressed) && !few(read.saturating_sub(suppressed));
    Point {
        taken: shown(last.taken.saturating_sub(first.taken)),
        released: shown(last.released.saturating_sub(first.released)),
        suppressed: share.then(|| suppressed as f64 / read as f64),
        levels: levels(&first.levels, &last.levels),
        z: last.z,
        p: last.p,
        goal: last.goal,
        window: last.window,
        unique: last.unique,
        delay_median: delays.iter().map(|delay| delay.0).max(),
        delay_99: delays.iter().map(|delay| delay.1).max(),
        lag: in_blocks(lag),
        measures: last.measures.clone(),
        ..Point::default()
    }
}

fn few(count: u64) -> bool {
    (1..=HIDDEN).contains(&count)
}

/// What was released at each level between two looks, without what could be found out of few.
fn levels(before: &[u64], after: &[u64]) -> Vec<Option<u64>> {
    let before = before.iter().copied().chain(std::iter::repeat(0));
    let counts: Vec<u64> = (after.iter().zip(before))
        .map(|(after, before)| after.saturating_sub(before))
        .collect();
    let mut hidden: Vec<bool> = counts.iter().map(|&count| few(count)).collect();
    if hidden.iter().filter(|&&hidden| hidden).count() == 1 {
        let others = (0..counts.len()).filter(|&level| counts[level] > 0 && !hidden[level]);
        if let Some(least) = others.min_by_key(|&level| counts[level]) {
            hidden[least] = true;
        }
    }
    let shown = counts.iter().zip(&hidden);
    shown
        .map(|(&count, &hidden)| (!hidden).then_some(count))
        .collect()
}

/// Keeps a point.
pub(super) fn keep(sql: &mut dyn Sql, stream: Id, point: &Point, at: Millis) -> Result<()> {
    let text = serde_json::to_string(point).unwrap_or_default();
    sql.execute(
        "INSERT INTO points (stream_id, at, figures) VALUES ($1, $2, $3) \
         ON CONFLICT (stream_id, at) DO UPDATE SET figures = excluded.figures",
        values![stream, at, text],
    )?;
    let old = "DELETE FROM points WHERE stream_id = $1 AND at < $2";
    sql.execute(old, values![stream, at - KEPT])?;
    // The latest of its kind stays: it says since when a stream runs.
    let old = "DELETE FROM marks WHERE stream_id = $1 AND at < $2 AND EXISTS (SELECT 1 FROM marks m \
               WHERE m.stream_id = marks.stream_id AND m.what = marks.what AND m.at > marks.at)";
    sql.execute(old, values![stream, at - KEPT]).map(drop)
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
        assert_eq!(point.length, 10_000);
        let point = buckets
            .add(figures(150, 155, (250, 145)), 0, 20_000)
            .expect("full");
        assert_eq!((point.taken, point.released), (Some(0), Some(100)));
        assert_eq!(point.suppressed, Some(0.5));
    }

    #[test]
    fn who_looks_after_a_stream_is_told_when_something_is_wrong_and_when_it_is_over() {
        let mut buckets = Buckets::default();
        let mut alarm = |seconds: i64, taken, p| {
            let figures = Figures {
                p: Some(p),
                goal: Some(0.8),
                ..figures(taken, 0, (0, 0))
            };
            let point = buckets.add(figures, 0, seconds * SECOND);
            point.map(|_| buckets.alarm)
        };
        assert_eq!(alarm(0, 0, 0.9), None);
        assert_eq!(alarm(10, 20, 0.8), Some(None));
        assert_eq!(alarm(20, 40, 0.7), Some(Some("under-goal")));
        assert_eq!(alarm(30, 41, 0.9), Some(None), "few are not none");
        assert_eq!(alarm(320, 41, 0.9), Some(None));
        assert_eq!(alarm(330, 41, 0.9), Some(Some("silent")));
        assert_eq!(alarm(340, 99, 0.9), Some(None));
    }

    #[test]
    fn what_was_released_at_a_level_is_not_what_is_left_of_the_others() {
        let check = |before: &[u64], after: &[u64], expected: &[Option<u64>]| {
            assert_eq!(levels(before, after), expected, "{before:?} {after:?}");
        };
        check(&[], &[40, 0, 30], &[Some(40), Some(0), Some(30)]);
        check(&[40], &[80, 20], &[Some(40), Some(20)]);
        check(&[40, 20], &[80, 25, 30], &[Some(40), None, None]);
        check(&[40, 20], &[45, 25, 30], &[None, None, Some(30)]);
        check(&[40], &[45], &[None]);
        check(&[], &[], &[]);
    }
}
