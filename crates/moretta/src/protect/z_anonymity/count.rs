//! Counters of a batch of rows: how many users each path of each row has.
//!
//! Users can be split over shards: their sets are disjoint, so the counters of
//! the shards add up, and every shard can go through the rows on its own core.
//! A shard notes the rows of its own users and only counts for the others.

use super::names::GONE;
use super::pairs::Pairs;
use super::paths::Paths;
use super::top::TopZ;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// One attribute of one row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    /// Milliseconds since the base; 0 is too old to count.
    pub(super) time: u32,
    pub(super) user: u32,
    pub(super) leaf: u32,
    pub(super) group: u32,
    /// Where its user is counted.
    pub(super) shard: u8,
    /// It moves the time of its user forward and is not released.
    pub(super) late: bool,
    /// The time that two users have reached, with this row.
    pub(super) reached: u32,
    /// The user who has reached a later time than the row; [`GONE`] when there is none.
    pub(super) leader: u32,
    /// Its own user is ahead of the stream.
    pub(super) is_ahead: bool,
}

/// How users are counted, where none of them need be named.
#[derive(Clone, Debug)]
pub(super) enum Counts {
    Top(TopZ),
    Pairs(Pairs, Expiry),
}

/// An attribute of a row: its time, its user and its leaf.
type Shown = (u32, u32, u32);

/// The rows of the window, in the order in which they leave it.
#[derive(Clone, Debug, Default)]
pub(super) struct Expiry {
    /// Rows from before this have left.
    from: u32,
    rows: VecDeque<Shown>,
    /// Rows that came late.
    late: BinaryHeap<Reverse<Shown>>,
    /// Rows that have left, but only for a user who is ahead of the others; earliest first.
    left: VecDeque<Shown>,
}

impl Expiry {
    fn push(&mut self, row: Shown) {
        match self.rows.back() {
            Some(last) if last.0 > row.0 => self.late.push(Reverse(row)),
            _ => self.rows.push_back(row),
        }
    }

    /// Lets the rows before `from` leave, or those from there on come back.
    #[inline]
    fn move_to(&mut self, from: u32, pairs: &mut Pairs, paths: &Paths) {
        while let Some(&(time, user, leaf)) = self.left.back()
            && time >= from
        {
            self.left.pop_back();
            self.rows.push_front((time, user, leaf));
            for path in paths.up(leaf) {
                pairs.observe(path, user, time);
            }
        }
        while let Some((time, user, leaf)) = self.pop(from) {
            for path in paths.up(leaf) {
                pairs.expire(path, user, time);
            }
            self.left.push_back((time, user, leaf));
        }
        self.from = from;
    }

    /// The next row that was shown before `from`.
    #[inline]
    fn pop(&mut self, from: u32) -> Option<Shown> {
        let late = self.late.peek().map(|Reverse(row)| row.0);
        match (self.rows.front().map(|row| row.0), late) {
            (Some(time), None) if time < from => self.rows.pop_front(),
            (Some(time), Some(late)) if time <= late && time < from => self.rows.pop_front(),
            (_, Some(late)) if late < from => self.late.pop().map(|Reverse(row)| row),
            _ => None,
        }
    }

    /// Forgets the rows before `from`: no row can bring them back.
    #[inline]
    fn forget(&mut self, from: u32) {
        while self.left.front().is_some_and(|row| row.0 < from) {
            self.left.pop_front();
        }
    }

    /// At least as many as the rows that would leave if those before `from` did.
    fn at_most_before(&self, from: u32) -> u32 {
        let rows = self.rows.partition_point(|row| row.0 < from);
        (rows + self.late.len()) as u32
    }

    fn map(&mut self, change: impl Fn(Shown) -> Shown) {
        let rows = self.rows.iter_mut().chain(&mut self.left);
        rows.for_each(|row| *row = change(*row));
        self.late = std::mem::take(&mut self.late)
            .into_iter()
            .map(|Reverse(row)| Reverse(change(row)))
            .collect();
    }

    fn memory(&self) -> usize {
        let rows = self.rows.capacity() + self.late.capacity() + self.left.capacity();
        rows * size_of::<Shown>()
    }
}

impl Counts {
    /// Goes through the rows in order. For each one, pushes the counters of its
    /// paths from leaf to root, as they are with it; for a late row zeros.
    fn run(
        &mut self,
        events: &[Event],
        paths: &Paths,
        window: u32,
        owns: impl Fn(u8) -> bool,
        counters: &mut Vec<u32>,
    ) {
        match self {
            Counts::Top(top) => {
                top.grow(paths.len());
                for event in events {
                    let from = event.time.saturating_sub(window).max(1);
                    let own = owns(event.shard) && event.time > 0;
                    let mut path = event.leaf;
                    for _ in 0..paths.depth(event.leaf) {
                        if own {
                            top.observe(path, event.user, event.time);
                        }
                        counters.push(match event.late {
                            true => 0,
                            false => top.count(path, from, event.time),
                        });
                        path = paths.parent(path);
                    }
                }
            }
            Counts::Pairs(pairs, expiry) => {
                pairs.grow(paths.len());
                for event in events {
                    let from = event.time.max(event.reached).saturating_sub(window).max(1);
                    // One user who is ahead moves the window for nobody: it is counted with too few.
                    let too_old = match event.is_ahead {
                        true => expiry.at_most_before(from),
                        false => 0,
                    };
                    if !event.is_ahead {
                        expiry.move_to(from, pairs, paths);
                        expiry.forget(event.reached.saturating_sub(window));
                    }
                    let own = owns(event.shard) && event.time >= expiry.from;
                    if own {
                        expiry.push((event.time, event.user, event.leaf));
                    }
                    let mut path = event.leaf;
                    for _ in 0..paths.depth(event.leaf) {
                        let count = match own {
                            true => pairs.observe(path, event.user, event.time),
                            false => pairs.count(path),
                        };
                        let too_new = event.leader != GONE
                            && pairs.last(path, event.leader) > Some(event.time);
                        counters.push(match event.late {
                            true => 0,
                            false => count.saturating_sub(too_old + u32::from(too_new)),
                        });
                        path = paths.parent(path);
                    }
                }
            }
        }
    }

    fn is_live(&self, path: u32, cutoff: u32) -> bool {
        match self {
            Counts::Top(top) => top.latest(path) >= cutoff,
            Counts::Pairs(pairs, _) => pairs.count(path) > 0,
        }
    }

    fn shift(&mut self, shift: u32) {
        match self {
            Counts::Top(top) => top.shift(shift),
            Counts::Pairs(pairs, expiry) => {
                pairs.shift(shift);
                expiry.from = expiry.from.saturating_sub(shift);
                expiry.map(|(time, user, leaf)| (time.saturating_sub(shift), user, leaf));
            }
        }
    }

    fn renumber(&mut self, paths: &[u32], users: &[u32]) {
        match self {
            Counts::Top(top) => top.renumber(paths, users),
            Counts::Pairs(pairs, expiry) => {
                pairs.renumber(paths, users);
                expiry.map(|(time, user, leaf)| (time, users[user as usize], paths[leaf as usize]));
            }
        }
    }
}

/// The counters of all users, in one or several shards.
#[derive(Clone, Debug)]
pub(super) struct Shards {
    shards: Vec<Counts>,
    /// The counters of each shard but the first, kept to be used again.
    partial: Vec<Vec<u32>>,
}

impl Shards {
    pub(super) fn new(counts: &Counts, shards: usize) -> Self {
        Shards {
            shards: vec![counts.clone(); shards.max(1)],
            partial: vec![Vec::new(); shards.max(1)],
        }
    }

    /// Fills `counters` as one shard alone would.
    pub(super) fn run(
        &mut self,
        events: &[Event],
        paths: &Paths,
        window: u32,
        counters: &mut Vec<u32>,
    ) {
        counters.clear();
        if self.shards.len() == 1 {
            self.shards[0].run(events, paths, window, |_| true, counters);
            return;
        }
        self.shards
            .par_iter_mut()
            .zip(&mut self.partial)
            .enumerate()
            .for_each(|(shard, (counts, partial))| {
                partial.clear();
                let owns = |owner| usize::from(owner) == shard;
                counts.run(events, paths, window, owns, partial);
            });
        counters.extend_from_slice(&self.partial[0]);
        for partial in &self.partial[1..] {
            for (sum, part) in counters.iter_mut().zip(partial) {
                *sum += part;
            }
        }
    }

    /// Makes room for paths up to this number.
    pub(super) fn grow(&mut self, paths: usize) {
        for shard in &mut self.shards {
            match shard {
                Counts::Top(top) => top.grow(paths),
                Counts::Pairs(pairs, _) => pairs.grow(paths),
            }
        }
    }

    /// Brings rows back that left only for a user who is ahead: those from `from` on.
    pub(super) fn bring_back(&mut self, from: u32, paths: &Paths) {
        for shard in &mut self.shards {
            if let Counts::Pairs(pairs, expiry) = shard {
                expiry.move_to(from.min(expiry.from), pairs, paths);
                expiry.left.clear();
            }
        }
    }

    /// Whether a user was seen with the path since `cutoff`.
    pub(super) fn is_live(&self, path: u32, cutoff: u32) -> bool {
        self.shards.iter().any(|shard| shard.is_live(path, cutoff))
    }

    /// Makes all times earlier by `shift`.
    pub(super) fn shift(&mut self, shift: u32) {
        self.shards.iter_mut().for_each(|shard| shard.shift(shift));
    }

    /// Gives paths and users new numbers; those without one are forgotten.
    pub(super) fn renumber(&mut self, paths: &[u32], users: &[u32]) {
        for shard in &mut self.shards {
            shard.renumber(paths, users);
        }
    }

    /// How many (path, user) pairs are live, and the bytes of their table; none
    /// where z is fixed.
    pub(super) fn pairs(&self) -> Option<(usize, usize)> {
        let pairs = |counts: &Counts| match counts {
            Counts::Top(_) => None,
            Counts::Pairs(pairs, _) => Some((pairs.len(), pairs.memory())),
        };
        let mut shards = self.shards.iter().map(pairs);
        shards.try_fold((0, 0), |sum, pairs| {
            pairs.map(|(live, bytes)| (sum.0 + live, sum.1 + bytes))
        })
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        let bytes = |counts: &Counts| match counts {
            Counts::Top(top) => top.memory(),
            Counts::Pairs(pairs, expiry) => pairs.memory() + expiry.memory(),
        };
        self.shards.iter().map(bytes).sum()
    }
}
