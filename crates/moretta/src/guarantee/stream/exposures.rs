//! Who showed which label when, as far as it can still count.
//!
//! Each label keeps a log of its exposures in the order of their times. A table
//! tells when each user last showed each label; an entry of a log that is not a
//! user's last exposure is stale and counts for nothing. The log is divided
//! where the window of the newest row begins: before it is what only a late row
//! could still see. A late row walks over the part of the log that it is late by.

use super::groups::Groups;
use hashbrown::HashTable;
use std::collections::VecDeque;

/// The last exposures of users to labels.
pub(super) struct Exposures {
    /// Milliseconds back that count.
    window: i64,
    /// Milliseconds that a row may be behind the newest one.
    lateness: i64,
    newest: i64,
    logs: Vec<Log>,
    pairs: HashTable<Pair>,
    groups: Option<Groups>,
    /// Entries in all logs, now and after they were last swept.
    entries: usize,
    swept: usize,
}

/// Exposures to one label.
#[derive(Clone, Default)]
struct Log {
    shown: VecDeque<Shown>,
    /// How many entries are before the window of the newest row.
    before: usize,
    /// Users whose last exposure is in the window of the newest row.
    users: u32,
    /// How many of them count, when groups are bounded.
    counted: u32,
}

#[derive(Clone, Copy)]
struct Shown {
    time: i64,
    user: u64,
}

#[derive(Clone, Copy)]
struct Pair {
    last: i64,
    user: u64,
    label: u32,
    group: u32,
}

/// An exposure: whose, and when.
#[derive(Clone, Copy)]
pub(super) struct Exposure {
    pub(super) time: i64,
    /// The fingerprint of the user.
    pub(super) user: u64,
    /// The number of the user's group.
    pub(super) group: u32,
}

#[inline]
fn hash(label: u32, user: u64) -> u64 {
    // Users are well mixed already.
    (user ^ u64::from(label).wrapping_mul(0x9E37_79B9_7F4A_7C15))
        .wrapping_mul(0xD6E8_FEB8_6659_FD93)
        .rotate_left(26)
}

impl Exposures {
    pub(super) fn new(window: i64, groups: Option<Groups>) -> Self {
        Exposures {
            window,
            lateness: 0,
            newest: i64::MIN,
            logs: Vec::new(),
            pairs: HashTable::new(),
            groups,
            entries: 0,
            swept: 0,
        }
    }

    /// Remembers users for so many milliseconds longer.
    pub(super) fn set_lateness(&mut self, lateness: i64) {
        self.lateness = lateness;
    }

    /// The bound on groups.
    pub(super) fn groups(&mut self) -> Option<&mut Groups> {
        self.groups.as_mut()
    }

    /// Makes room for so many labels.
    pub(super) fn grow(&mut self, labels: usize) {
        if self.logs.len() < labels {
            self.logs.resize_with(labels, Log::default);
        }
    }

    /// Tells that a row of this time is next.
    #[inline]
    pub(super) fn advance(&mut self, time: i64) {
        self.newest = self.newest.max(time);
    }

    /// Notes that a user showed a label.
    pub(super) fn show(&mut self, label: u32, exposure: Exposure) {
        self.age(label);
        let Exposure { time, user, group } = exposure;
        if time < self.forgotten_before() {
            return;
        }
        let from = self.newest.saturating_sub(self.window);
        let same = |pair: &Pair| pair.user == user && pair.label == label;
        let key = hash(label, user);
        let (was, old_group) = match self.pairs.find_mut(key, same) {
            Some(pair) if pair.last > time => return,
            Some(pair) => {
                let old = (Some(pair.last), pair.group);
                (pair.last, pair.group) = (time, group);
                old
            }
            None => {
                let pair = Pair {
                    last: time,
                    user,
                    label,
                    group,
                };
                self.pairs
                    .insert_unique(key, pair, |pair| hash(pair.label, pair.user));
                (None, group)
            }
        };
        let log = &mut self.logs[label as usize];
        if was.is_some_and(|was| was >= from) {
            log.users -= 1;
            if let Some(groups) = &mut self.groups {
                log.counted -= groups.leave(label, old_group);
            }
        }
        if time >= from {
            log.users += 1;
            if let Some(groups) = &mut self.groups {
                log.counted += groups.join(label, group);
            }
        }
        if was != Some(time) {
            self.entries += log.insert(Shown { time, user }, from);
        }
    }

    /// How many users count whose last exposure to the label is in the window
    /// that ends at `time`.
    pub(super) fn count(&mut self, label: u32, time: i64) -> u64 {
        self.age(label);
        let log = &self.logs[label as usize];
        if time >= self.newest {
            return u64::from(match self.groups {
                None => log.users,
                Some(_) => log.counted,
            });
        }
        let from = time.saturating_sub(self.window);
        let later = log.shown.range(log.before..).rev();
        let later = later.take_while(|shown| shown.time > time);
        let earlier = log.shown.range(..log.before).rev();
        let earlier = earlier
            .skip_while(|shown| shown.time > time)
            .take_while(|shown| shown.time >= from);
        let pair = |shown: &Shown| self.last(label, *shown);
        match &self.groups {
            None => {
                let users = u64::from(log.users) - later.filter_map(pair).count() as u64;
                users + earlier.filter_map(pair).count() as u64
            }
            Some(groups) => {
                let later = later.filter_map(pair).map(|pair| (pair.group, -1));
                let earlier = earlier.filter_map(pair).map(|pair| (pair.group, 1));
                groups.counted(label, log.counted, later.chain(earlier).collect())
            }
        }
    }

    /// Forgets what no row can see any more, once that is about half of all.
    /// Tells which labels are left, if it did; they have new numbers then.
    pub(super) fn sweep(&mut self) -> Option<Vec<bool>> {
        if self.entries < 2 * self.swept + (1 << 16) {
            return None;
        }
        for label in 0..self.logs.len() as u32 {
            self.age(label);
        }
        let keep: Vec<bool> = self.logs.iter().map(|log| !log.shown.is_empty()).collect();
        let mut numbers = Vec::with_capacity(keep.len());
        let mut next = 0;
        for &kept in &keep {
            numbers.push(next);
            next += u32::from(kept);
        }
        self.logs.retain(|log| !log.shown.is_empty());
        for log in &mut self.logs {
            log.shown.shrink_to(log.shown.len() + log.shown.len() / 4);
        }
        let mut pairs = HashTable::with_capacity(self.pairs.len());
        for &pair in &self.pairs {
            let label = numbers[pair.label as usize];
            let pair = Pair { label, ..pair };
            pairs.insert_unique(hash(label, pair.user), pair, |pair| {
                hash(pair.label, pair.user)
            });
        }
        self.pairs = pairs;
        if let Some(groups) = &mut self.groups {
            groups.renumber(&numbers, self.pairs.iter().map(|pair| pair.group));
        }
        self.swept = self.entries;
        Some(keep)
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        let logs = self.logs.iter().map(|log| log.shown.capacity());
        logs.sum::<usize>() * size_of::<Shown>()
            + self.logs.capacity() * size_of::<Log>()
            + self.pairs.allocation_size()
            + self.groups.as_ref().map_or(0, Groups::memory)
    }

    /// No row that may still be released sees what was before this.
    fn forgotten_before(&self) -> i64 {
        let from = self.newest.saturating_sub(self.window);
        from.saturating_sub(self.lateness)
    }

    /// Drops the entries of a label that no row can see any more, and moves the
    /// division of the log to the window of the newest row.
    fn age(&mut self, label: u32) {
        let forgotten = self.forgotten_before();
        while let Some(&shown) = self.logs[label as usize].shown.front()
            && shown.time < forgotten
        {
            let pair = self.take(label, shown);
            let log = &mut self.logs[label as usize];
            log.shown.pop_front();
            self.entries -= 1;
            match log.before {
                0 => self.leave(label, pair),
                _ => log.before -= 1,
            }
        }
        let from = self.newest.saturating_sub(self.window);
        loop {
            let log = &self.logs[label as usize];
            match log.shown.get(log.before) {
                Some(&shown) if shown.time < from => {
                    let pair = self.last(label, shown);
                    self.logs[label as usize].before += 1;
                    self.leave(label, pair);
                }
                _ => return,
            }
        }
    }

    /// Counts one user less, if the entry that left the window was its last.
    fn leave(&mut self, label: u32, pair: Option<Pair>) {
        let Some(pair) = pair else {
            return;
        };
        let log = &mut self.logs[label as usize];
        log.users -= 1;
        if let Some(groups) = &mut self.groups {
            log.counted -= groups.leave(label, pair.group);
        }
    }

    /// The pair of an entry that is the user's last exposure.
    fn last(&self, label: u32, shown: Shown) -> Option<Pair> {
        let Shown { time, user } = shown;
        let same = |pair: &Pair| pair.user == user && pair.label == label;
        let pair = self.pairs.find(hash(label, user), same).copied();
        pair.filter(|pair| pair.last == time)
    }

    /// Removes the pair of an entry that is the user's last exposure.
    fn take(&mut self, label: u32, shown: Shown) -> Option<Pair> {
        let Shown { time, user } = shown;
        let same = |pair: &Pair| pair.user == user && pair.label == label && pair.last == time;
        let entry = self.pairs.find_entry(hash(label, user), same).ok()?;
        Some(entry.remove().0)
    }
}

impl Log {
    /// Puts an entry where its time belongs; gives how many entries that makes more.
    fn insert(&mut self, shown: Shown, from: i64) -> usize {
        match self.shown.back_mut() {
            // What the same user showed just before is stale now.
            Some(back) if back.user == shown.user && back.time >= from => {
                *back = shown;
                return 0;
            }
            Some(back) if back.time > shown.time => {
                let later = self.shown.iter().rev();
                let later = later.take_while(|other| other.time > shown.time).count();
                let place = self.shown.len() - later;
                self.before += usize::from(shown.time < from);
                self.shown.insert(place, shown);
            }
            _ => {
                self.before += usize::from(shown.time < from);
                self.shown.push_back(shown);
            }
        }
        1
    }
}
