//! Who showed which label when, as far as it can still count.
//!
//! Each label has a log of its exposures in the order of their times. To count,
//! the log is walked from its end until there are enough users. How many were
//! found, and since when, is a proof that holds until the first of them leaves
//! the window; so most rows are checked by looking at one number. Exposures that
//! a walk finds to be repeated are dropped, all but the last of each user, so a
//! walk costs the users it finds.

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use std::collections::VecDeque;

/// The exposures of users to labels.
pub(super) struct Exposures {
    /// Milliseconds back that count.
    window: i64,
    /// Milliseconds that a row may be behind the newest one.
    lateness: i64,
    /// At most so many users of a group count.
    at_most: Option<u32>,
    newest: i64,
    /// The user who showed something at the latest time, that time, and the latest of all
    /// other users: a row may be behind that by the lateness.
    leader: Option<(u64, i64)>,
    reached: i64,
    logs: Vec<Log>,
    /// Entries in all logs, now and after they were last swept.
    entries: usize,
    swept: usize,
}

/// Exposures to one label.
#[derive(Clone, Default)]
struct Log {
    shown: VecDeque<Exposure>,
    proof: Proof,
}

/// So many users showed the label since a time.
#[derive(Clone, Copy, Default)]
struct Proof {
    users: u64,
    since: i64,
}

/// An exposure: when, whose, and of which group.
#[derive(Clone, Copy)]
pub(super) struct Exposure {
    pub(super) time: i64,
    /// The fingerprint of the user.
    pub(super) user: u64,
    /// The fingerprint of the user's group.
    pub(super) group: u64,
}

impl Exposures {
    pub(super) fn new(window: i64, at_most: Option<u32>) -> Self {
        Exposures {
            window,
            lateness: 0,
            at_most,
            newest: i64::MIN,
            leader: None,
            reached: i64::MIN,
            logs: Vec::new(),
            entries: 0,
            swept: 0,
        }
    }

    /// Remembers users for so many milliseconds longer.
    pub(super) fn set_lateness(&mut self, lateness: i64) {
        self.lateness = lateness;
    }

    /// Makes room for so many labels.
    pub(super) fn grow(&mut self, labels: usize) {
        if self.logs.len() < labels {
            self.logs.resize_with(labels, Log::default);
        }
    }

    /// Tells that a row of this user and time is next.
    #[inline]
    pub(super) fn advance(&mut self, user: u64, time: i64) {
        self.newest = self.newest.max(time);
        match self.leader {
            Some((leader, latest)) if leader == user => {
                self.leader = Some((leader, latest.max(time)));
            }
            Some((_, latest)) if latest >= time => self.reached = self.reached.max(time),
            before => {
                self.reached = before.map_or(self.reached, |(_, latest)| latest.max(self.reached));
                self.leader = Some((user, time));
            }
        }
    }

    /// Notes that a user showed a label.
    #[inline]
    pub(super) fn show(&mut self, label: u32, exposure: Exposure) {
        let forgotten = self.forgotten_before();
        let log = &mut self.logs[label as usize];
        self.entries -= log.forget(forgotten);
        if exposure.time >= forgotten {
            self.entries += log.insert(exposure);
        }
    }

    /// How many users count that showed the label in the window that ends at
    /// `time`; counts no further than `enough`.
    #[inline]
    pub(super) fn count(&mut self, label: u32, time: i64, enough: u64) -> u64 {
        let from = time.saturating_sub(self.window);
        let Proof { users, since } = self.logs[label as usize].proof;
        // A row that is not the newest may be before what the proof is about, and
        // a user who changes its group may count no more.
        let proven = time >= self.newest && self.at_most.is_none() && since >= from;
        match proven && users >= enough {
            true => users,
            false => self.walk(label, from, time, enough),
        }
    }

    /// Counts users from the end of the log.
    fn walk(&mut self, label: u32, from: i64, time: i64, enough: u64) -> u64 {
        let log = &mut self.logs[label as usize];
        let mut users: HashSet<u64, FixedState> = HashSet::default();
        let mut groups: HashMap<u64, u32, FixedState> = HashMap::default();
        let (mut counted, mut since, mut place) = (0, time, log.shown.len());
        while counted < enough && place > 0 {
            let shown = log.shown[place - 1];
            if shown.time < from {
                break;
            }
            place -= 1;
            let later = shown.time > time;
            // Where groups matter only the last exposure of a user is taken: the log may
            // have dropped the one that tells which group it was in at an earlier time.
            let matters = !later || self.at_most.is_some();
            if matters && !users.insert(shown.user) || later {
                continue;
            }
            since = shown.time;
            counted += match self.at_most {
                None => 1,
                Some(most) => {
                    let of_group = groups.entry(shown.group).or_default();
                    *of_group += 1;
                    u64::from(*of_group <= most)
                }
            };
        }
        if time >= self.newest {
            log.proof = Proof {
                users: counted,
                since,
            };
            if log.shown.len() - place > 2 * users.len() + 16 {
                self.entries -= log.drop_repeated(place);
            }
        }
        counted
    }

    /// Forgets what no row can see any more, once that may be half of all. Tells
    /// which labels are left, if it did; they have new numbers then.
    pub(super) fn sweep(&mut self) -> Option<Vec<bool>> {
        if self.entries < 2 * self.swept + (1 << 16) {
            return None;
        }
        let forgotten = self.forgotten_before();
        self.entries = 0;
        for log in &mut self.logs {
            log.forget(forgotten);
            log.drop_repeated(0);
            log.shown.shrink_to_fit();
            self.entries += log.shown.len();
        }
        let keep = self.logs.iter().map(|log| !log.shown.is_empty()).collect();
        self.logs.retain(|log| !log.shown.is_empty());
        self.swept = self.entries;
        Some(keep)
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        let logs = self.logs.iter().map(|log| log.shown.capacity());
        logs.sum::<usize>() * size_of::<Exposure>() + self.logs.capacity() * size_of::<Log>()
    }

    /// No row that may still be released sees what was before this.
    fn forgotten_before(&self) -> i64 {
        let from = self.reached.saturating_sub(self.window);
        from.saturating_sub(self.lateness)
    }
}

impl Log {
    /// Drops what was before a time; gives how many entries.
    #[inline]
    fn forget(&mut self, before: i64) -> usize {
        let mut dropped = 0;
        while self.shown.front().is_some_and(|shown| shown.time < before) {
            self.shown.pop_front();
            dropped += 1;
        }
        dropped
    }

    /// Puts an exposure where its time belongs, after others of that time; gives
    /// how many entries that makes more.
    #[inline]
    fn insert(&mut self, exposure: Exposure) -> usize {
        match self.shown.back_mut() {
            Some(back) if back.time > exposure.time => {
                let later = self.shown.iter().rev();
                let later = later.take_while(|other| other.time > exposure.time).count();
                self.shown.insert(self.shown.len() - later, exposure);
            }
            Some(back) if back.user == exposure.user => {
                *back = exposure;
                return 0;
            }
            _ => self.shown.push_back(exposure),
        }
        1
    }

    /// Drops the entries from a place on that are not the last of their user;
    /// gives how many.
    fn drop_repeated(&mut self, place: usize) -> usize {
        let mut users: HashSet<u64, FixedState> = HashSet::default();
        let tail = self.shown.split_off(place);
        let before = tail.len();
        let mut kept: Vec<Exposure> = tail.into_iter().rev().collect();
        kept.retain(|exposure| users.insert(exposure.user));
        let dropped = before - kept.len();
        self.shown.extend(kept.into_iter().rev());
        dropped
    }
}
