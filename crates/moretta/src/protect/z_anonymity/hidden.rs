//! Made-up rows that are hard to tell from the row they help.
//!
//! A value lacks a few users. Each user who shows it gets companions: users who
//! showed the parent of the value lately but not the value itself. Whenever the
//! user shows the value, its companions are made to show it too, each always by
//! the same distance before or after, so that they repeat what the user does as
//! often and in the same rhythm. The user and its companions are spread over a
//! stretch of time whose place around the user is drawn, so none of them is first,
//! last or in the middle more often than another.
//!
//! Who does things does other things just before and after. Companions are
//! therefore drawn half of `spread` later, when it is known who else was there, and
//! a companion stands as far from another row of its own as the user does; beside
//! a user with no other row stand users with none.
//!
//! Everything is drawn by HMAC-SHA-256 under a secret key from the value, the
//! user and the number of the window since 1970. Companions are chosen anew in
//! each such window, by what was released in the window before, which depends on
//! who was counted then: so on the last three windows only.
//!
//! **Does not protect against** whoever knows what a user does later than it can
//! be waited for, or how much of the parent a user shows in all, nor against a
//! recogniser that is trained: the page of the method has its figures.

use super::names::GONE;
use super::recency::Recency;
use crate::protect::identifiers::Key;
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::Range;

/// How many candidates are looked at.
const POOL: usize = 64;

/// A user that is made to show the value of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fake {
    /// The number of the row among those that get made-up rows.
    pub(super) burst: u64,
    pub(super) user: u32,
    pub(super) group: u32,
    /// Milliseconds after the row.
    pub(super) offset: i64,
}

/// A row that gets made-up rows.
#[derive(Clone, Debug)]
pub(super) struct Burst {
    pub(super) number: u64,
    /// Milliseconds since 1970.
    pub(super) time: i64,
    pub(super) user: u32,
    pub(super) leaf: u32,
    pub(super) parent: u32,
    /// How many users it lacks.
    pub(super) needed: usize,
}

impl Burst {
    /// Those who showed the parent since `from` but not the value, the latest first.
    pub(super) fn candidates<'a>(
        &'a self,
        from: u32,
        recency: &'a Recency,
    ) -> impl Iterator<Item = u32> + 'a {
        recency
            .users(self.parent)
            .take_while(move |&(_, last)| last >= from)
            .map(|(user, _)| user)
            .filter(move |&user| user != self.user && !recency.shows(self.leaf, user, from))
    }

    fn fake(&self, (user, offset): (u32, i64), recency: &Recency) -> Fake {
        Fake {
            burst: self.number,
            user,
            group: recency.group(self.parent, user),
            offset,
        }
    }

    /// The latest candidates at the time of the row, as published; none when there are not enough.
    pub(super) fn latest(&self, from: u32, recency: &Recency) -> Option<Vec<Fake>> {
        let candidates = self.candidates(from, recency).take(self.needed);
        let latest: Vec<Fake> = candidates
            .map(|user| self.fake((user, 0), recency))
            .collect();
        (latest.len() == self.needed).then_some(latest)
    }
}

/// The companions of users, for each value that they show.
#[derive(Debug)]
pub(super) struct Companions {
    key: Key,
    /// How far a companion may be from its user.
    reach: i64,
    window: i64,
    /// Rows whose companions are not drawn yet, by time and number.
    pending: BinaryHeap<Reverse<(i64, u64)>>,
    bursts: HashMap<u64, (Burst, Vec<Fake>), FixedState>,
    /// The number of the window since 1970 that companions are for.
    epoch: i64,
    troupes: HashMap<(u32, u32), Troupe, FixedState>,
    /// Values and users who are made to show them.
    taken: HashSet<(u32, u32), FixedState>,
    /// For each user the times and paths of what was released lately.
    shown: HashMap<u32, VecDeque<(i64, u32)>, FixedState>,
}

/// The companions of one user for one value, and numbers for more of them.
#[derive(Debug)]
struct Troupe {
    draws: Draws,
    /// Where the stretch begins, in milliseconds after the user.
    start: i64,
    members: Vec<(u32, i64)>,
}

impl Companions {
    /// Made-up rows are at most half of `spread` away from theirs.
    pub(super) fn new(key: Key, spread: i64, window: i64) -> Self {
        Companions {
            key,
            reach: (spread.min(window) / 2).max(1),
            window,
            pending: BinaryHeap::new(),
            bursts: HashMap::default(),
            epoch: i64::MIN,
            troupes: HashMap::default(),
            taken: HashSet::default(),
            shown: HashMap::default(),
        }
    }

    /// Notes a row that is released.
    pub(super) fn note(&mut self, user: u32, time: i64, path: u32) {
        let shown = self.shown.entry(user).or_default();
        let expired = time.saturating_sub(self.window);
        while shown.front().is_some_and(|&(old, _)| old < expired) {
            shown.pop_front();
        }
        shown.push_back((time, path));
    }

    /// Notes a row that gets made-up rows; of `reserve` when no better are found.
    pub(super) fn add(&mut self, burst: Burst, reserve: Vec<Fake>) {
        self.pending.push(Reverse((burst.time, burst.number)));
        self.bursts.insert(burst.number, (burst, reserve));
    }

    /// The next row whose companions can be drawn when `now` is reached.
    pub(super) fn due(&mut self, now: Option<i64>) -> Option<(Burst, Vec<Fake>)> {
        let &Reverse((time, number)) = self.pending.peek()?;
        if now.is_some_and(|now| time.saturating_add(self.reach) >= now) {
            return None;
        }
        self.pending.pop();
        self.bursts.remove(&number)
    }

    /// Draws the companions of a row of a user with this name and a value with this label.
    pub(super) fn draw(
        &mut self,
        (burst, reserve): (Burst, Vec<Fake>),
        (label, name): (&str, &str),
        from: u32,
        recency: &Recency,
        fakes: &mut Vec<Fake>,
    ) {
        self.begin_epoch(burst.time.div_euclid(self.window));
        let who = (burst.leaf, burst.user);
        let mut troupe = match self.troupes.remove(&who) {
            Some(troupe) => troupe,
            None => Troupe::new(&self.key, self.epoch, self.reach, label, name),
        };
        let usable = |user: u32| {
            recency.shows(burst.parent, user, from) && !recency.shows(burst.leaf, user, from)
        };
        let mut chosen: Vec<(u32, i64)> = Vec::with_capacity(burst.needed);
        let known = troupe.members.iter().copied();
        chosen.extend(known.filter(|member| usable(member.0)).take(burst.needed));
        if chosen.len() < burst.needed {
            self.complete(&mut troupe, &burst, &mut chosen, from, recency);
        }
        for fake in &reserve {
            if chosen.len() < burst.needed && chosen.iter().all(|other| other.0 != fake.user) {
                let member = (fake.user, troupe.anywhere(self.reach));
                troupe.members.push(member);
                chosen.push(member);
            }
        }
        self.taken
            .extend(chosen.iter().map(|&(user, _)| (burst.leaf, user)));
        fakes.extend(chosen.into_iter().map(|member| burst.fake(member, recency)));
        self.troupes.insert(who, troupe);
    }

    /// Draws members among those who are there as the user is, then among others.
    fn complete(
        &self,
        troupe: &mut Troupe,
        burst: &Burst,
        chosen: &mut Vec<(u32, i64)>,
        from: u32,
        recency: &Recency,
    ) {
        let fresh = |user: &u32| troupe.members.iter().all(|member| member.0 != *user);
        let free = |user: &u32| !self.taken.contains(&(burst.leaf, *user));
        let candidates = burst.candidates(from, recency);
        let pool: Vec<u32> = candidates.filter(fresh).filter(free).take(POOL).collect();
        let gap = self.gap(burst.user, burst.leaf, burst.time);
        let start = burst.time.saturating_add(troupe.start);
        let stretch = start..start.saturating_add(self.reach);
        // As far from its nearest row as the user, as far from some row, or neither.
        let mut tiers: [Vec<(u32, Option<i64>)>; 3] = Default::default();
        for user in pool {
            let places = self.places(user, burst.leaf, gap, &stretch);
            let nearest = |place: &&i64| self.gap(user, burst.leaf, **place) == gap;
            let exact: Vec<i64> = places.iter().filter(nearest).copied().collect();
            let (tier, places) = match gap {
                None => (usize::from(!places.is_empty()) * 2, Vec::new()),
                Some(_) if !exact.is_empty() => (0, exact),
                Some(_) => (1 + usize::from(places.is_empty()), places),
            };
            let offset = match places.len() as u64 {
                0 => None,
                n => Some(places[troupe.draws.below(n) as usize] - burst.time),
            };
            tiers[tier].push((user, offset));
        }
        for mut group in tiers {
            while chosen.len() < burst.needed && !group.is_empty() {
                let place = troupe.draws.below(group.len() as u64) as usize;
                let (user, offset) = group.swap_remove(place);
                let offset = offset.unwrap_or_else(|| troupe.anywhere(self.reach));
                troupe.members.push((user, offset));
                chosen.push((user, offset));
            }
        }
    }

    /// How long after the nearest other row of the user, of another path, the time is.
    fn gap(&self, user: u32, leaf: u32, time: i64) -> Option<i64> {
        // What may have left the window by now is not looked at, as it may be forgotten.
        let known = -self.reach..=self.window - 2 * self.reach;
        let rows = self.shown.get(&user)?.iter();
        rows.filter(|&&(_, path)| path != leaf)
            .map(|&(other, _)| time.saturating_sub(other))
            .filter(|gap| known.contains(gap))
            .min_by_key(|gap| gap.abs())
    }

    /// Where in the stretch the user would be so far behind a row of its own.
    fn places(&self, user: u32, leaf: u32, gap: Option<i64>, stretch: &Range<i64>) -> Vec<i64> {
        let rows = self.shown.get(&user).into_iter().flatten();
        rows.filter(|&&(_, path)| path != leaf)
            .map(|&(time, _)| time.saturating_add(gap.unwrap_or(0)))
            .filter(|place| stretch.contains(place))
            .collect()
    }

    fn begin_epoch(&mut self, epoch: i64) {
        if epoch > self.epoch {
            self.epoch = epoch;
            self.troupes.clear();
            self.taken.clear();
            let recent = epoch.saturating_sub(1).saturating_mul(self.window);
            let is_recent = |row: &(i64, u32)| row.0 >= recent;
            self.shown.retain(|_, shown| shown.iter().any(is_recent));
        }
    }

    /// Gives paths and users new numbers; those without one are forgotten.
    pub(super) fn renumber(&mut self, paths: &[u32], users: &[u32]) {
        let both = |(path, user): (u32, u32)| {
            let new = (paths[path as usize], users[user as usize]);
            (new.0 != GONE && new.1 != GONE).then_some(new)
        };
        for (burst, reserve) in self.bursts.values_mut() {
            burst.user = users[burst.user as usize];
            burst.leaf = paths[burst.leaf as usize];
            burst.parent = paths[burst.parent as usize];
            for fake in reserve {
                fake.user = users[fake.user as usize];
            }
        }
        let troupes = std::mem::take(&mut self.troupes).into_iter();
        self.troupes = troupes
            .filter_map(|(who, mut troupe)| {
                for (member, _) in &mut troupe.members {
                    *member = users[*member as usize];
                }
                troupe.members.retain(|&(member, _)| member != GONE);
                Some((both(who)?, troupe))
            })
            .collect();
        let taken = std::mem::take(&mut self.taken).into_iter();
        self.taken = taken.filter_map(both).collect();
        let shown = std::mem::take(&mut self.shown).into_iter();
        self.shown = shown
            .filter(|&(user, _)| users[user as usize] != GONE)
            .map(|(user, mut shown)| {
                shown.retain_mut(|(_, path)| {
                    *path = paths[*path as usize];
                    *path != GONE
                });
                (users[user as usize], shown)
            })
            .collect();
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        let members = self
            .troupes
            .values()
            .map(|troupe| troupe.members.capacity());
        let shown = self.shown.values().map(VecDeque::capacity);
        let reserves = self.bursts.values().map(|(_, reserve)| reserve.capacity());
        self.troupes.allocation_size()
            + self.taken.allocation_size()
            + self.shown.allocation_size()
            + self.bursts.allocation_size()
            + (members.sum::<usize>() + shown.sum::<usize>()) * size_of::<(i64, u32)>()
            + reserves.sum::<usize>() * size_of::<Fake>()
    }
}

impl Troupe {
    fn new(key: &Key, epoch: i64, reach: i64, label: &str, name: &str) -> Self {
        let parts: [&[u8]; 4] = [
            b"companions",
            &epoch.to_be_bytes(),
            label.as_bytes(),
            name.as_bytes(),
        ];
        let mut draws = Draws::new(key, &parts);
        Troupe {
            start: -(draws.below(reach as u64) as i64),
            draws,
            members: Vec::new(),
        }
    }

    /// A place in the stretch.
    fn anywhere(&mut self, reach: i64) -> i64 {
        self.start + self.draws.below(reach as u64) as i64
    }
}

/// Numbers that nobody can tell without the key.
#[derive(Clone, Debug)]
pub(super) struct Draws {
    seed: Key,
    block: [u8; 32],
    used: usize,
    blocks: u64,
}

impl Draws {
    /// The numbers that belong to these parts.
    pub(super) fn new(key: &Key, parts: &[&[u8]]) -> Self {
        Draws {
            seed: Key::derived(key.block(parts)),
            block: [0; 32],
            used: 32,
            blocks: 0,
        }
    }

    /// Any number.
    pub(super) fn next(&mut self) -> u64 {
        if self.used == 32 {
            self.block = self.seed.block(&[&self.blocks.to_be_bytes()]);
            self.blocks += 1;
            self.used = 0;
        }
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.block[self.used..self.used + 8]);
        self.used += 8;
        u64::from_be_bytes(bytes)
    }

    /// A number below `end`, all alike.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When companions are chosen anew depends on who got some, which a restart sees from its
    /// first row on only.
    #[test]
    fn what_a_user_showed_ahead_of_the_stream_is_not_forgotten_for_a_row_that_came_late() {
        let (user, value, other) = (1, 2, 3);
        let mut companions = Companions::new(Key::derived([7; 32]), 1_000, 5_000);
        companions.note(user, 60_000, other);
        companions.note(user, 1_000, other);
        companions.begin_epoch(8);
        assert_eq!(companions.gap(user, value, 61_000), Some(1_000));
        companions.begin_epoch(14);
        assert_eq!(companions.gap(user, value, 61_000), None);
    }
}
