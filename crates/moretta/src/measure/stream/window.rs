//! What users show within the window: the share of them who are alike (p_k) and alone.
//!
//! Each (user, label) pair of the window has a count of its rows, and each user the
//! fingerprint of its labels. A row costs a look into the table of pairs when it
//! comes and none when it goes; only the first and the last row of a pair change a
//! set. Groups of equal sets are put right for the users whose sets changed, when
//! the shares are asked for. Holds 12 bytes a shown label and about 30 a pair.

use super::groups::{Groups, Shares, fingerprint};
use super::keyed::Keyed;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The pairs of the window.
pub(super) struct Window {
    length: i64,
    pairs: Keyed<Pair>,
    users: Keyed<User>,
    /// Times and pairs of the rows that came in the order of their times.
    times: VecDeque<i64>,
    rows: VecDeque<u32>,
    /// Rows that came after a later one.
    late: BinaryHeap<Reverse<(i64, u32)>>,
    groups: Groups,
    changed: Vec<u32>,
}

#[derive(Default)]
struct Pair {
    label: u64,
    user: u32,
    rows: u32,
}

#[derive(Default)]
struct User {
    set: u128,
    grouped: u128,
    changed: bool,
}

impl Window {
    pub(super) fn new(length: i64, k: u32) -> Self {
        Window {
            length,
            pairs: Keyed::default(),
            users: Keyed::default(),
            times: VecDeque::new(),
            rows: VecDeque::new(),
            late: BinaryHeap::new(),
            groups: Groups::new(k),
            changed: Vec::new(),
        }
    }

    /// `user` shows `label`; tells whether the window did not hold that yet.
    #[inline]
    pub(super) fn show(&mut self, time: i64, user: u64, label: u64) -> bool {
        let (place, new) = self.pairs.place(pair(user, label));
        if new {
            let (user, _) = self.users.place(user);
            *self.pairs.at(place) = Pair {
                label,
                user,
                rows: 0,
            };
            self.toggle(user, label);
        }
        self.pairs.at(place).rows += 1;
        if self.times.back().is_none_or(|&last| last <= time) {
            self.times.push_back(time);
            self.rows.push_back(place);
        } else {
            self.late.push(Reverse((time, place)));
        }
        new
    }

    /// The shares at `end`, of what was shown later than a window before. What
    /// is older is forgotten.
    pub(super) fn shares(&mut self, end: i64) -> Option<Shares> {
        self.forget(end.saturating_sub(self.length));
        self.regroup();
        self.groups.shares()
    }

    /// The shares when they were last asked for.
    pub(super) fn last_shares(&self) -> Option<Shares> {
        self.groups.shares()
    }

    fn forget(&mut self, until: i64) {
        while self.times.front().is_some_and(|&time| time <= until) {
            self.times.pop_front();
            if let Some(place) = self.rows.pop_front() {
                self.leave(place);
            }
        }
        while let Some(&Reverse((time, place))) = self.late.peek()
            && time <= until
        {
            self.late.pop();
            self.leave(place);
        }
    }

    #[inline]
    fn leave(&mut self, place: u32) {
        let pair = self.pairs.at(place);
        pair.rows -= 1;
        if pair.rows == 0 {
            let (user, label) = (pair.user, pair.label);
            self.pairs.remove(place);
            self.toggle(user, label);
        }
    }

    /// The label comes into the user's set or leaves it.
    fn toggle(&mut self, place: u32, label: u64) {
        let user = self.users.at(place);
        user.set ^= fingerprint(label);
        if !user.changed {
            user.changed = true;
            self.changed.push(place);
        }
    }

    fn regroup(&mut self) {
        for place in self.changed.drain(..) {
            let user = self.users.at(place);
            user.changed = false;
            if user.set != user.grouped {
                self.groups.change(user.grouped, user.set);
                user.grouped = user.set;
            }
            if user.set == 0 {
                self.users.remove(place);
            }
        }
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.pairs.memory()
            + self.users.memory()
            + self.groups.memory()
            + self.times.capacity() * size_of::<i64>()
            + (self.rows.capacity() + self.changed.capacity()) * size_of::<u32>()
            + self.late.capacity() * size_of::<(i64, u32)>()
    }
}

/// The key of a pair. Those of users and labels are unrelated, so that pairs
/// collide no more often than their parts.
#[inline]
pub(super) fn pair(user: u64, label: u64) -> u64 {
    user ^ label.rotate_left(32)
}
