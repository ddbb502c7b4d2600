//! The state where the users of a path must be named, for fakes, for the guard of
//! combinations and for the bound on groups, and where rows out of order are released.
//!
//! The users of each path form a list, latest first. A path is cleared of users
//! that left the window when it is looked at, from the end of its list, so
//! counts are exact and time costs nothing. Users seen later than a row stay in the
//! list, so they do not push out those that the row still sees.

use super::names::GONE;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};
use std::hash::BuildHasher;

/// For each path its users in the window, latest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Recency {
    paths: Vec<Ends>,
    pairs: Vec<Pair>,
    free: Vec<u32>,
    table: HashTable<u32>,
    groups: Option<Groups>,
}

#[derive(Clone, Copy, Debug)]
struct Ends {
    latest: u32,
    oldest: u32,
    users: u32,
    /// Users that count, when groups are bounded.
    counted: u32,
}

const NONE: Ends = Ends {
    latest: GONE,
    oldest: GONE,
    users: 0,
    counted: 0,
};

#[derive(Clone, Copy, Debug)]
struct Pair {
    path: u32,
    user: u32,
    last: u32,
    group: u32,
    later: u32,
    earlier: u32,
}

/// At most so many users of one group count for a path.
#[derive(Clone, Debug)]
struct Groups {
    most: u32,
    users: HashMap<(u32, u32), u32, FixedState>,
}

fn hash(path: u32, user: u32) -> u64 {
    FixedState::default().hash_one(u64::from(path) << 32 | u64::from(user))
}

impl Recency {
    /// At most `most` users of a group count for a path; all of them when not given.
    pub(super) fn new(most: Option<u32>) -> Self {
        Recency {
            groups: most.map(|most| Groups {
                most,
                users: HashMap::default(),
            }),
            ..Recency::default()
        }
    }

    /// Makes room for paths up to this number.
    pub(super) fn grow(&mut self, paths: usize) {
        self.paths.resize(paths, NONE);
    }

    /// Forgets the users of the path that were last seen before `from`.
    pub(super) fn clear(&mut self, path: u32, from: u32) {
        loop {
            let oldest = self.paths[path as usize].oldest;
            if oldest == GONE || self.pairs[oldest as usize].last >= from {
                return;
            }
            self.remove(oldest);
        }
    }

    /// Notes that `path` was shown by `user`, of `group`, at `time`.
    pub(super) fn observe(&mut self, path: u32, user: u32, group: u32, time: u32) {
        let pair = match self.find(path, user) {
            Some(pair) if self.pairs[pair as usize].last > time => return,
            Some(pair) => {
                self.unlink(pair);
                self.pairs[pair as usize].last = time;
                self.change_group(pair, group);
                pair
            }
            None => self.insert(path, user, group, time),
        };
        self.link(pair);
    }

    /// How many users of the path count that were last seen between `from` and `to`.
    /// Those before are passed over, not forgotten: were the last time of a user
    /// forgotten, an earlier one that comes late would be taken for it.
    pub(super) fn count(&self, path: u32, from: u32, to: u32) -> u32 {
        let ends = self.paths[path as usize];
        let later = self.latest_first(path).take_while(|pair| pair.last > to);
        let earlier = self
            .earliest_first(path)
            .take_while(|pair| pair.last < from);
        let outside = later.chain(earlier);
        let Some(groups) = &self.groups else {
            return ends.users - outside.count() as u32;
        };
        let mut left_out: HashMap<u32, u32, FixedState> = HashMap::default();
        outside.for_each(|pair| *left_out.entry(pair.group).or_default() += 1);
        let lost = left_out.iter().map(|(&group, &out)| {
            let users = groups.users.get(&(path, group)).copied().unwrap_or(0);
            users.min(groups.most) - users.saturating_sub(out).min(groups.most)
        });
        ends.counted - lost.sum::<u32>()
    }

    /// The same, counted no further than `enough`, where groups are not bounded.
    pub(super) fn count_up_to(&self, path: u32, from: u32, to: u32, enough: u32) -> u32 {
        let inside = self
            .users(path)
            .skip_while(|&(_, last)| last > to)
            .take_while(|&(_, last)| last >= from);
        inside.take(enough as usize).count() as u32
    }

    /// The users of the path and when each was last seen, latest first.
    pub(super) fn users(&self, path: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.latest_first(path).map(|pair| (pair.user, pair.last))
    }

    fn latest_first(&self, path: u32) -> impl Iterator<Item = &Pair> + '_ {
        let mut next = self.paths[path as usize].latest;
        std::iter::from_fn(move || {
            let pair = self.pairs.get(next as usize)?;
            next = pair.earlier;
            Some(pair)
        })
    }

    fn earliest_first(&self, path: u32) -> impl Iterator<Item = &Pair> + '_ {
        let mut next = self.paths[path as usize].oldest;
        std::iter::from_fn(move || {
            let pair = self.pairs.get(next as usize)?;
            next = pair.later;
            Some(pair)
        })
    }

    /// How many users the path has, whether they count or not.
    pub(super) fn len(&self, path: u32) -> u32 {
        self.paths[path as usize].users
    }

    /// When the user last showed the path, if it is still known.
    pub(super) fn last(&self, path: u32, user: u32) -> Option<u32> {
        self.find(path, user)
            .map(|pair| self.pairs[pair as usize].last)
    }

    /// Whether the user showed the path since `from`.
    pub(super) fn shows(&self, path: u32, user: u32, from: u32) -> bool {
        self.last(path, user).is_some_and(|last| last >= from)
    }

    /// Whether the user counts beside users whose groups were noted in `counted`;
    /// notes its group if it does.
    pub(super) fn counts_beside(&self, counted: &mut Vec<u32>, path: u32, user: u32) -> bool {
        let Some(groups) = &self.groups else {
            return true;
        };
        let group = self.group(path, user);
        let same = counted.iter().filter(|&&other| other == group).count();
        let counts = same < groups.most as usize;
        if counts {
            counted.push(group);
        }
        counts
    }

    /// The group that the user was of when it last showed the path.
    pub(super) fn group(&self, path: u32, user: u32) -> u32 {
        self.find(path, user)
            .map_or(GONE, |pair| self.pairs[pair as usize].group)
    }

    /// When the path was last shown; 0 if never.
    pub(super) fn latest(&self, path: u32) -> u32 {
        self.users(path).next().map_or(0, |(_, last)| last)
    }

    /// Which of so many groups a user of the window is in.
    pub(super) fn live_groups(&self, groups: usize) -> Vec<bool> {
        let mut live = vec![false; groups];
        for path in 0..self.paths.len() as u32 {
            let mut next = self.paths[path as usize].latest;
            while let Some(pair) = self.pairs.get(next as usize) {
                if let Some(live) = live.get_mut(pair.group as usize) {
                    *live = true;
                }
                next = pair.earlier;
            }
        }
        live
    }

    /// Makes all times earlier by `shift`.
    pub(super) fn shift(&mut self, shift: u32) {
        for pair in &mut self.pairs {
            pair.last = pair.last.saturating_sub(shift);
        }
    }

    /// Gives paths, users and groups new numbers; those without one are forgotten.
    pub(super) fn renumber(&mut self, paths: &[u32], users: &[u32], groups: &[u32]) {
        let mut new = Recency::new(self.groups.as_ref().map(|groups| groups.most));
        new.grow(paths.iter().filter(|&&path| path != GONE).count());
        for (old, &path) in paths.iter().enumerate() {
            let mut next = match path {
                GONE => GONE,
                _ => self.paths[old].oldest,
            };
            while let Some(&pair) = self.pairs.get(next as usize) {
                let group = groups.get(pair.group as usize).copied().unwrap_or(GONE);
                if users[pair.user as usize] != GONE {
                    new.observe(path, users[pair.user as usize], group, pair.last);
                }
                next = pair.later;
            }
        }
        *self = new;
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.paths.capacity() * size_of::<Ends>()
            + self.pairs.capacity() * size_of::<Pair>()
            + self.free.capacity() * size_of::<u32>()
            + self.table.allocation_size()
            + self
                .groups
                .as_ref()
                .map_or(0, |g| g.users.allocation_size())
    }

    fn find(&self, path: u32, user: u32) -> Option<u32> {
        let same = |&pair: &u32| {
            let pair = &self.pairs[pair as usize];
            pair.path == path && pair.user == user
        };
        self.table.find(hash(path, user), same).copied()
    }

    fn insert(&mut self, path: u32, user: u32, group: u32, last: u32) -> u32 {
        let pair = Pair {
            path,
            user,
            last,
            group,
            later: GONE,
            earlier: GONE,
        };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.pairs[slot as usize] = pair;
                slot
            }
            None => {
                self.pairs.push(pair);
                self.pairs.len() as u32 - 1
            }
        };
        let pairs = &self.pairs;
        let key = |&slot: &u32| hash(pairs[slot as usize].path, pairs[slot as usize].user);
        self.table.insert_unique(hash(path, user), slot, key);
        self.paths[path as usize].users += 1;
        self.join_group(path, group);
        slot
    }

    fn remove(&mut self, slot: u32) {
        let Pair {
            path, user, group, ..
        } = self.pairs[slot as usize];
        self.unlink(slot);
        if let Ok(entry) = self
            .table
            .find_entry(hash(path, user), |&other| other == slot)
        {
            entry.remove();
        }
        self.free.push(slot);
        self.paths[path as usize].users -= 1;
        self.leave_group(path, group);
    }

    /// Puts a pair that is in no list where its time belongs, before those of the same time.
    fn link(&mut self, slot: u32) {
        let Pair { path, last, .. } = self.pairs[slot as usize];
        let (mut later, mut earlier) = (GONE, self.paths[path as usize].latest);
        while earlier != GONE && self.pairs[earlier as usize].last > last {
            later = earlier;
            earlier = self.pairs[earlier as usize].earlier;
        }
        (
            self.pairs[slot as usize].later,
            self.pairs[slot as usize].earlier,
        ) = (later, earlier);
        match later {
            GONE => self.paths[path as usize].latest = slot,
            later => self.pairs[later as usize].earlier = slot,
        }
        match earlier {
            GONE => self.paths[path as usize].oldest = slot,
            earlier => self.pairs[earlier as usize].later = slot,
        }
    }

    fn unlink(&mut self, slot: u32) {
        let Pair {
            path,
            later,
            earlier,
            ..
        } = self.pairs[slot as usize];
        match later {
            GONE => self.paths[path as usize].latest = earlier,
            later => self.pairs[later as usize].earlier = earlier,
        }
        match earlier {
            GONE => self.paths[path as usize].oldest = later,
            earlier => self.pairs[earlier as usize].later = later,
        }
    }

    fn change_group(&mut self, slot: u32, group: u32) {
        let Pair {
            path, group: old, ..
        } = self.pairs[slot as usize];
        if self.groups.is_some() && old != group {
            self.leave_group(path, old);
            self.join_group(path, group);
            self.pairs[slot as usize].group = group;
        }
    }

    fn join_group(&mut self, path: u32, group: u32) {
        if let Some(groups) = &mut self.groups {
            let users = groups.users.entry((path, group)).or_insert(0);
            *users += 1;
            self.paths[path as usize].counted += u32::from(*users <= groups.most);
        }
    }

    fn leave_group(&mut self, path: u32, group: u32) {
        if let Some(groups) = &mut self.groups
            && let Some(users) = groups.users.get_mut(&(path, group))
        {
            self.paths[path as usize].counted -= u32::from(*users <= groups.most);
            *users -= 1;
            if *users == 0 {
                groups.users.remove(&(path, group));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, HashMap, HashSet};

    proptest! {
        #[test]
        fn counts_are_those_of_the_window_and_of_its_groups(
            window in 1..80_u32,
            most in proptest::option::of(1..4_u32),
            rows in proptest::collection::vec((0..4_u32, 0..40_u32, 0..3_u32), 1..400),
        ) {
            let (mut recency, mut now) = (Recency::new(most), 1000_u32);
            let mut last: HashMap<(u32, u32), u32> = HashMap::new();
            recency.grow(4);
            for (path, user, pause) in rows {
                now += pause;
                recency.observe(path, user, user % 7, now);
                last.insert((path, user), now);
                last.retain(|_, &mut last| last >= now - window);
                let mut groups: BTreeMap<u32, u32> = BTreeMap::new();
                for key in last.keys().filter(|key| key.0 == path) {
                    *groups.entry(key.1 % 7).or_insert(0) += 1;
                }
                let expected: u32 = groups.values().map(|&n| n.min(most.unwrap_or(n))).sum();
                prop_assert_eq!(recency.count(path, now - window, now), expected);
                recency.clear(path, now - window);
                prop_assert_eq!(recency.count(path, now - window, now), expected);
                let listed: Vec<u32> = recency.users(path).map(|(_, last)| last).collect();
                prop_assert!(listed.is_sorted_by(|a, b| a >= b));
                prop_assert_eq!(listed.len(), last.keys().filter(|key| key.0 == path).count());
            }
        }

        #[test]
        fn rows_out_of_order_never_count_too_many(
            window in 1..60_u32,
            rows in proptest::collection::vec((0..2_u32, 0..30_u32, 900..1100_u32), 1..200),
        ) {
            let mut recency = Recency::new(None);
            recency.grow(2);
            for (place, &(path, user, time)) in rows.iter().enumerate() {
                recency.observe(path, user, 0, time);
                let truth: HashSet<u32> = rows[..=place]
                    .iter()
                    .filter(|row| row.0 == path && (time - window..=time).contains(&row.2))
                    .map(|row| row.1)
                    .collect();
                prop_assert!(recency.count(path, time - window, time) as usize <= truth.len());
            }
        }
    }
}
