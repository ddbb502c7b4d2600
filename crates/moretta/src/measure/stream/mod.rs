//! The running measures of a stream: how much is released and at which level, how
//! alike users are in what they show, how much information is left, how late it is.
//!
//! Told over time and over the whole stream, from the rows that were decided and
//! what was released of them; how it was decided does not matter. Texts are known
//! by keyed hashes, so results are exact but for collisions of 64 bits.
//!
//! **Costs** about a hundred nanoseconds a row. Memory is bounded: by the rows of
//! the window, by a limit on what is kept over all time, and by 2,000 intervals.

mod groups;
mod history;
mod information;
mod keyed;
mod keys;
mod matches;
#[cfg(test)]
mod reference;
mod sets;
mod timeline;
mod window;

pub use timeline::Point;

use crate::data::Batch;
use crate::error::{Error, Result};
use matches::{Match, Matches};
use sets::Sets;
use timeline::Timeline;

/// What the measures look at: rows that were decided, and what was released of them.
#[derive(Clone, Copy)]
pub struct Observed<'a> {
    /// Milliseconds since 1970 of each original row.
    pub times: &'a [i64],
    /// The rows that were decided; ids travel.
    pub original: &'a Batch,
    /// The rows released of them, before subjects get pseudonyms. An id from 2⁶³ on is of a made-up row.
    pub released: &'a Batch,
    /// For each released row and attribute the rungs climbed; none when it is not shown.
    pub levels: &'a [Option<u16>],
    /// The place of the subject in both batches.
    pub subject: usize,
    /// The places of the attributes in both batches.
    pub attributes: &'a [usize],
    /// For each original row the milliseconds that it waited.
    pub delays: &'a [i64],
    /// The z in use after these rows.
    pub z: u32,
}

/// The measures of a stream so far.
pub struct StreamMeasures {
    matches: Matches,
    timeline: Timeline,
    open: Counts,
    total: Counts,
    fakes: u64,
    delay: Delay,
    z: u32,
    length: i64,
    first: Option<i64>,
    sets: Box<Sets>,
}

/// The state of a stream in a line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Live {
    /// Attributes decided.
    pub read: u64,
    /// Attributes released.
    pub released: u64,
    /// The same by the number of rungs climbed.
    pub levels: Vec<u64>,
    /// Attributes not released.
    pub suppressed: u64,
    /// Made-up rows.
    pub fakes: u64,
    /// The z in use.
    pub z: u32,
    /// Share of the window for which the stream has been seen: below 1 users are missing who would
    /// count; none when not measured.
    pub window: Option<f64>,
    /// Share of users of the window who are alike now; none when not measured or nobody shows anything.
    pub p: Option<f64>,
    /// Share of users of the window whose set nobody else has.
    pub unique: Option<f64>,
    /// Of how many users of the window these are shares.
    pub users: u64,
    /// Milliseconds that the row released last waited.
    pub delay: i64,
}

/// All that is known of a stream, with exact numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Attributes released, by the number of rungs climbed.
    pub levels: Vec<u64>,
    /// Attributes not released.
    pub suppressed: u64,
    /// Made-up rows.
    pub fakes: u64,
    /// Mean over the intervals of the share of users alike within the window.
    pub p_window: Option<f64>,
    /// Share of users alike in their released sets over all time.
    pub p_all: Option<f64>,
    /// Mean over the intervals of the share of users whose set within the window nobody else has.
    pub unique_window: Option<f64>,
    /// Share of users whose released set over all time nobody else has.
    pub unique_all: Option<f64>,
    /// Decided rows that the figures over all time are about, when not all.
    pub all_time_rows: Option<u64>,
    /// Bits of the distribution of attributes.
    pub entropy_before: Option<f64>,
    /// Bits of the distribution of released labels; not released is one of them.
    pub entropy_after: Option<f64>,
    /// I(before; after) / H(before).
    pub residual_information: Option<f64>,
    /// Mean milliseconds that released rows waited.
    pub delay_mean: f64,
    /// Most milliseconds.
    pub delay_max: i64,
    /// Interval by interval.
    pub timeline: Vec<Point>,
}

/// What became of attributes.
#[derive(Default)]
struct Counts {
    read: u64,
    levels: Vec<u64>,
}

impl Counts {
    #[inline]
    fn release(&mut self, level: u16) {
        let level = usize::from(level);
        if level >= self.levels.len() {
            self.levels.resize(level + 1, 0);
        }
        self.levels[level] += 1;
    }

    fn released(&self) -> u64 {
        self.levels.iter().sum()
    }

    fn add(&mut self, more: &Counts) {
        self.read += more.read;
        timeline::add(&mut self.levels, &more.levels);
    }
}

/// How long released rows waited.
#[derive(Default)]
struct Delay {
    rows: u64,
    sum: u128,
    max: i64,
    last: i64,
}

impl Delay {
    #[inline]
    fn add(&mut self, delay: i64) {
        self.last = delay.max(0);
        self.rows += 1;
        self.sum += self.last as u128;
        self.max = self.max.max(self.last);
    }
}

impl StreamMeasures {
    /// `k` users with the same set are alike; `window` is how far back sets go and
    /// `every` the length of an interval, in milliseconds.
    pub fn new(k: u32, window: i64, every: i64) -> Self {
        StreamMeasures {
            matches: Matches::default(),
            timeline: Timeline::new(every),
            open: Counts::default(),
            total: Counts::default(),
            fakes: 0,
            delay: Delay::default(),
            z: 0,
            length: window.max(1),
            first: None,
            sets: Box::new(Sets::new(k, window)),
        }
    }

    /// Takes in rows that were decided.
    pub fn observe(&mut self, seen: &Observed<'_>) -> Result<()> {
        let width = seen.attributes.len();
        if seen.times.len() != seen.original.len()
            || seen.delays.len() != seen.original.len()
            || seen.levels.len() != seen.released.len() * width
        {
            return Err(Error::bug("times or levels do not fit the rows"));
        }
        let mut matches = std::mem::take(&mut self.matches);
        let mut found = matches.find(seen)?;
        let columns = self.sets.start(seen)?;
        for (row, &time) in (0..).zip(seen.times) {
            if self.timeline.is_past(time) {
                self.next_interval(time);
            }
            self.timeline.latest = self.timeline.latest.max(time);
            self.first = Some(self.first.map_or(time, |first| first.min(time)));
            self.z = seen.z;
            self.open.read += width as u64;
            while let Some((first, rest)) = found.split_first()
                && first.original == row
            {
                found = rest;
                self.release(seen, first);
                self.sets.show(&columns, seen.levels, time, first);
            }
        }
        self.sets.finish(&columns, self.timeline.latest);
        self.matches = matches;
        Ok(())
    }

    /// Counts a released row.
    #[inline]
    fn release(&mut self, seen: &Observed<'_>, found: &Match) {
        if found.made_up {
            self.fakes += 1;
            return;
        }
        self.delay.add(seen.delays[found.original as usize]);
        let width = seen.attributes.len();
        let start = found.released as usize * width;
        for &level in seen.levels[start..start + width].iter().flatten() {
            self.open.release(level);
        }
    }

    /// Closes the open interval and opens that of `time`.
    fn next_interval(&mut self, time: i64) {
        let open = std::mem::take(&mut self.open);
        if open.read > 0 {
            let end = self.timeline.end;
            let shares = self.sets.shares(end);
            self.total.add(&open);
            self.timeline.push(point(end, self.z, shares, &open));
        }
        self.timeline.open(time);
    }

    /// Where the stream is.
    pub fn live(&self) -> Live {
        let read = self.total.read + self.open.read;
        let mut levels = self.total.levels.clone();
        timeline::add(&mut levels, &self.open.levels);
        let released = levels.iter().sum();
        let shares = self.sets.last_shares();
        let seen = self
            .first
            .map(|first| self.timeline.latest.saturating_sub(first));
        Live {
            read,
            released,
            levels,
            suppressed: read - released,
            fakes: self.fakes,
            z: self.z,
            window: seen.map(|seen| (seen as f64 / self.length as f64).min(1.0)),
            p: shares.map(|shares| shares.alike),
            unique: shares.map(|shares| shares.unique),
            users: shares.map_or(0, |shares| shares.users),
            delay: self.delay.last,
        }
    }

    /// All that is known so far; sorts what was kept over all time.
    pub fn facts(&mut self) -> Measured {
        let mut total = Counts::default();
        total.add(&self.total);
        total.add(&self.open);
        let mut timeline = self.timeline.points.clone();
        if self.open.read > 0 {
            let latest = self.timeline.latest;
            let shares = self.sets.shares(latest);
            timeline.push(point(latest, self.z, shares, &self.open));
        }
        let all = self.sets.history.shares();
        let left = self.sets.information.left();
        Measured {
            suppressed: total.read - total.released(),
            levels: total.levels,
            fakes: self.fakes,
            p_window: mean(timeline.iter().filter_map(|point| point.p)),
            p_all: all.map(|shares| shares.alike),
            unique_window: mean(timeline.iter().filter_map(|point| point.unique)),
            unique_all: all.map(|shares| shares.unique),
            all_time_rows: self.sets.all_time_rows(),
            entropy_before: left.map(|left| left.before),
            entropy_after: left.map(|left| left.after),
            residual_information: left.map(|left| left.residual),
            delay_mean: self.delay.sum as f64 / self.delay.rows.max(1) as f64,
            delay_max: self.delay.max,
            timeline,
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.matches.memory() + self.timeline.memory() + self.sets.memory()
    }
}

fn point(time: i64, z: u32, shares: Option<groups::Shares>, counts: &Counts) -> Point {
    Point {
        time,
        z,
        p: shares.map(|shares| shares.alike),
        unique: shares.map(|shares| shares.unique),
        read: counts.read,
        suppressed: counts.read - counts.released(),
        levels: counts.levels.clone(),
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}
