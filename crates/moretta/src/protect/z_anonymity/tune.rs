//! z tunes itself: the least z that makes enough users alike.
//!
//! From the first row that is one window after the first, and then every so
//! often, p(z) is computed from the rows of the last window, each with its
//! counters as they were when it arrived, and z is chosen anew.

use super::names::GONE;
use super::sweep::{Room, Shown, Sweep};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// How z is tuned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tune {
    /// The share of users that must be alike.
    pub goal: f64,
    /// How many users must have the same set to be alike.
    pub k: u32,
    /// Milliseconds between updates.
    pub every: i64,
    /// How z is searched.
    pub search: Search,
    /// z never falls below this, except with [`Search::Compat`].
    pub at_least: u32,
}

/// How z is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// The least z with p(z) at the goal; p is not monotone, so all are looked at from 1 on.
    MinZ,
    /// One step up when p is below the goal, one down otherwise, never below 1.
    Incremental,
    /// Bisection of 0 to 1800 as a published package does it; often finds nothing. For comparison.
    Compat,
}

/// One choice of z.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Update {
    /// The time of the row before which it was made, in milliseconds.
    pub time: i64,
    /// The id of that row.
    pub row: u64,
    /// The z from then on.
    pub z: u32,
    /// p(z) over the window before; none when nobody would show anything.
    pub p: Option<f64>,
    /// Whether the goal was met; if not, z stayed as it was.
    pub found: bool,
}

/// What is known of a stream at a place of it besides the rows of its last windows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// The time of the first row.
    pub first: Option<i64>,
    /// The latest time that was decided.
    pub newest: Option<i64>,
    /// The latest time that two users had reached, of rows that were decided.
    pub reached: Option<i64>,
    /// How many choices of z were made.
    pub choices: usize,
    /// The greatest common divisor of all times, where made-up rows are hidden.
    pub tick: Option<i64>,
}

impl Search {
    /// The z to use after `z`, its p, and whether the goal is met.
    pub(super) fn choose(
        self,
        tune: &Tune,
        z: u32,
        window: &mut Window,
    ) -> (u32, Option<f64>, bool) {
        match self {
            Search::MinZ => least(tune, z, window),
            Search::Incremental => step(tune, z, window),
            Search::Compat => bisect(tune, z, window),
        }
    }
}

/// Whether p(z) meets the goal; it does when nobody shows anything.
fn met(tune: &Tune, p: Option<f64>) -> bool {
    p.is_none_or(|p| p >= tune.goal)
}

fn least(tune: &Tune, z: u32, window: &mut Window) -> (u32, Option<f64>, bool) {
    // The next z is seldom far from the last one, and up to there few counters matter.
    let mut most = z.max(tune.at_least).saturating_mul(2).max(64);
    loop {
        let all: Vec<Option<f64>> = window.sweep(tune.k, most).collect();
        let mut from_least = (1..).zip(&all).skip(tune.at_least as usize - 1);
        if let Some((z, &p)) = from_least.find(|(_, p)| met(tune, **p)) {
            return (z, p, true);
        }
        // Beyond the largest counter nobody shows anything.
        if (all.len() as u32) < most {
            return (tune.at_least.max(all.len() as u32), None, true);
        }
        most = most.saturating_mul(4);
    }
}

fn step(tune: &Tune, z: u32, window: &mut Window) -> (u32, Option<f64>, bool) {
    let all: Vec<Option<f64>> = window.sweep(tune.k, z + 1).collect();
    let p_of = |z: u32| all.get(z as usize - 1).copied().flatten();
    let next = match met(tune, p_of(z)) {
        true => (z - 1).max(tune.at_least.max(1)),
        false => z + 1,
    };
    (next, p_of(next), met(tune, p_of(next)))
}

/// The package's search, with its habits: nobody counts as p = 2, and z may become 0.
fn bisect(tune: &Tune, z: u32, window: &mut Window) -> (u32, Option<f64>, bool) {
    const MOST: u32 = 1800;
    let all: Vec<Option<f64>> = window.sweep(tune.k, MOST).collect();
    let (mut low, mut high) = (0_i64, i64::from(MOST));
    while low <= high {
        let middle = (low + high) / 2;
        // At 0 everything is released, as at 1.
        let p = all.get((middle.max(1) - 1) as usize).copied().flatten();
        let value = p.unwrap_or(2.0);
        if tune.goal <= value && value <= tune.goal + 0.01 {
            return (middle as u32, p, true);
        }
        match value < tune.goal {
            true => low = middle + 1,
            false => high = middle - 1,
        }
    }
    let p = all.get((z.clamp(1, MOST) - 1) as usize).copied().flatten();
    (z, p, false)
}

/// The rows of the last window with their counters at arrival.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    rows: VecDeque<Row>,
    /// The paths of each row from its leaf to its root, with their counters.
    counters: VecDeque<(u32, u32)>,
    room: Room,
    /// Rows from before this are passed over.
    from: u32,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    time: u32,
    user: u32,
    /// How many paths it has.
    paths: u32,
}

impl Window {
    /// Adds a row that came in order.
    pub(super) fn push(
        &mut self,
        time: u32,
        user: u32,
        counters: impl Iterator<Item = (u32, u32)>,
    ) {
        let before = self.counters.len();
        self.counters.extend(counters);
        let paths = (self.counters.len() - before) as u32;
        self.rows.push_back(Row { time, user, paths });
    }

    /// Forgets the rows that were shown before `from`. Where rows come out of order,
    /// some of them stay for a while and are passed over.
    pub(super) fn forget(&mut self, from: u32) {
        self.from = from;
        while let Some(row) = self.rows.front()
            && row.time < from
        {
            self.counters.drain(..row.paths as usize);
            self.rows.pop_front();
        }
    }

    /// p(1), p(2), … up to p(`most`) or to where nobody shows anything.
    fn sweep(&mut self, k: u32, most: u32) -> Sweep<'_> {
        let largest = self.counters.iter().map(|&(_, counter)| counter).max();
        let most = most.min(largest.unwrap_or(0).saturating_add(1));
        let Window {
            rows,
            counters,
            room,
            from,
        } = self;
        let (mut counters, mut users, mut paths) = (counters.iter(), 0, 0);
        room.shown.clear();
        for row in rows {
            let mut above = 0;
            for &(path, counter) in counters.by_ref().take(row.paths as usize) {
                if counter > above && above < most && row.time >= *from {
                    room.shown.push(Shown {
                        user: row.user,
                        path,
                        above,
                        up_to: counter,
                    });
                    above = counter;
                    paths = paths.max(path as usize + 1);
                    users = users.max(row.user as usize + 1);
                }
            }
        }
        room.sweep(users, paths, k, most)
    }

    /// Makes all times earlier by `shift`.
    pub(super) fn shift(&mut self, shift: u32) {
        self.from = self.from.saturating_sub(shift);
        for row in &mut self.rows {
            row.time = row.time.saturating_sub(shift);
        }
    }

    /// Gives paths and users new numbers; rows that have lost theirs are forgotten.
    pub(super) fn renumber(&mut self, paths: &[u32], users: &[u32]) {
        let rows = std::mem::take(&mut self.rows);
        let counters = std::mem::take(&mut self.counters);
        let mut counters = counters.into_iter();
        for row in rows {
            let mine: Vec<(u32, u32)> = counters.by_ref().take(row.paths as usize).collect();
            let user = users[row.user as usize];
            let known = mine.iter().all(|&(path, _)| paths[path as usize] != GONE);
            if user != GONE && known && row.time >= self.from {
                let moved = mine
                    .into_iter()
                    .map(|(path, counter)| (paths[path as usize], counter));
                self.push(row.time, user, moved);
            }
        }
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.rows.capacity() * size_of::<Row>() + self.counters.capacity() * size_of::<(u32, u32)>()
    }
}
