//! Made-up rows that cannot be told from the row they help.
//!
//! A value lacks a few users. Each user who shows it gets companions: users who
//! showed the parent of the value lately but not the value itself. Whenever the
//! user shows the value, its companions are made to show it too, each always by
//! the same distance before or after, so that they repeat what the user does as
//! often and in the same rhythm. The distances are such that the user and its
//! companions are spread alike over a stretch of length `spread`, whose place is
//! drawn as well: none of them is in the middle more often than another.
//!
//! Everything is drawn by HMAC-SHA-256 under a secret key from the value, the
//! user and the number of the window since 1970. Companions are chosen anew in
//! each such window, so that what is drawn depends on the last two only.

use super::count::Event;
use super::names::GONE;
use super::recency::Recency;
use crate::error::{Error, Result};
use crate::protect::identifiers::Key;
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// A user that is made to show a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fake {
    pub(super) user: u32,
    pub(super) group: u32,
    /// Milliseconds after the row that it helps.
    pub(super) offset: i64,
}

/// Fetches the key from an environment variable; without one makes a key of its own.
pub(super) fn key(variable: Option<&str>) -> Result<Key> {
    let Some(name) = variable else {
        return Key::random();
    };
    match std::env::var(name) {
        Ok(text) => Key::new(text.trim().as_bytes().to_vec()),
        Err(_) => Err(Error::policy(format!(
            "the environment variable {name} that holds the key is not set"
        ))
        .help(format!(
            "export {name}=\"$(openssl rand -hex 32)\" and keep it safe"
        ))),
    }
}

/// The companions of users, for each value that they show.
#[derive(Debug)]
pub(super) struct Companions {
    key: Key,
    spread: i64,
    /// The number of the window since 1970 that they are for.
    epoch: i64,
    of: HashMap<(u32, u32), Troupe, FixedState>,
}

/// The companions of one user for one value, and numbers for more of them.
#[derive(Debug)]
struct Troupe {
    draws: Draws,
    /// Where the middle of all is, in milliseconds after the user.
    middle: i64,
    members: Vec<(u32, i64)>,
}

/// A value that lacks users.
pub(super) struct Wanted<'a> {
    pub(super) event: &'a Event,
    pub(super) parent: u32,
    pub(super) label: &'a str,
    pub(super) name: &'a str,
    /// How many users it lacks.
    pub(super) needed: usize,
    /// Since when users are in the window.
    pub(super) from: u32,
    pub(super) epoch: i64,
}

impl Wanted<'_> {
    /// Whether the user showed the parent but not the value, and is not the one who shows it now.
    fn may_be(&self, user: u32, recency: &Recency) -> bool {
        let in_window = |path| {
            recency
                .last(path, user)
                .is_some_and(|last| last >= self.from)
        };
        user != self.event.user && in_window(self.parent) && !in_window(self.event.leaf)
    }

    /// Those who may be made to show the value, the latest first.
    fn candidates<'a>(&'a self, recency: &'a Recency) -> impl Iterator<Item = u32> + 'a {
        recency
            .users(self.parent)
            .take_while(|&(_, last)| last >= self.from)
            .map(|(user, _)| user)
            .filter(|&user| self.may_be(user, recency))
    }

    /// Adds the latest of them to `fakes`, as published; false when there are not enough.
    pub(super) fn latest(&self, recency: &Recency, fakes: &mut Vec<Fake>) -> bool {
        let before = fakes.len();
        let latest = self.candidates(recency).take(self.needed);
        fakes.extend(latest.map(|user| Fake {
            user,
            group: recency.group(self.parent, user),
            offset: 0,
        }));
        fakes.len() - before == self.needed
    }
}

impl Companions {
    pub(super) fn new(key: Key, spread: i64) -> Self {
        Companions {
            key,
            spread,
            epoch: i64::MIN,
            of: HashMap::default(),
        }
    }

    /// Adds the companions to `fakes`; false when there are not enough.
    pub(super) fn choose(
        &mut self,
        wanted: &Wanted<'_>,
        recency: &Recency,
        fakes: &mut Vec<Fake>,
    ) -> bool {
        if wanted.epoch > self.epoch {
            self.epoch = wanted.epoch;
            self.of.clear();
        }
        let (key, epoch, spread) = (&self.key, self.epoch, self.spread);
        let who = (wanted.event.leaf, wanted.event.user);
        let troupe = self
            .of
            .entry(who)
            .or_insert_with(|| Troupe::new(key, epoch, spread, wanted));
        troupe.complete(spread, wanted, recency);
        let members = troupe.members.iter().copied();
        let chosen = members
            .filter(|&(user, _)| wanted.may_be(user, recency))
            .take(wanted.needed)
            .map(|(user, offset)| Fake {
                user,
                group: recency.group(wanted.parent, user),
                offset,
            });
        let before = fakes.len();
        fakes.extend(chosen);
        fakes.len() - before == wanted.needed
    }

    /// Gives paths and users new numbers; those without one are forgotten.
    pub(super) fn renumber(&mut self, paths: &[u32], users: &[u32]) {
        let old = std::mem::take(&mut self.of);
        for ((leaf, user), mut troupe) in old {
            for (member, _) in &mut troupe.members {
                *member = users.get(*member as usize).copied().unwrap_or(GONE);
            }
            troupe.members.retain(|&(member, _)| member != GONE);
            let who = (paths[leaf as usize], users[user as usize]);
            if who.0 != GONE && who.1 != GONE {
                self.of.insert(who, troupe);
            }
        }
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        let members = self.of.values().map(|troupe| troupe.members.capacity());
        self.of.allocation_size() + members.sum::<usize>() * size_of::<(u32, i64)>()
    }
}

impl Troupe {
    fn new(key: &Key, epoch: i64, spread: i64, wanted: &Wanted<'_>) -> Self {
        let label = wanted.label.as_bytes();
        let length = (label.len() as u64).to_be_bytes();
        let mut draws = Draws::new(
            key,
            &[
                b"companions",
                &epoch.to_be_bytes(),
                &length,
                label,
                wanted.name.as_bytes(),
            ],
        );
        Troupe {
            middle: draws.around_nothing(spread),
            draws,
            members: Vec::new(),
        }
    }

    /// Draws members until enough of them may be used, if there are so many users.
    fn complete(&mut self, spread: i64, wanted: &Wanted<'_>, recency: &Recency) {
        let usable = |user| wanted.may_be(user, recency);
        let has = self
            .members
            .iter()
            .filter(|&&(user, _)| usable(user))
            .count();
        let Some(lacking) = wanted.needed.checked_sub(has).filter(|&n| n > 0) else {
            return;
        };
        let mut pool: Vec<u32> = wanted
            .candidates(recency)
            .filter(|&user| self.members.iter().all(|&(member, _)| member != user))
            .take(pool_size(lacking))
            .collect();
        for _ in 0..lacking.min(pool.len()) {
            let user = pool.swap_remove(self.draws.below(pool.len() as u64) as usize);
            let offset = self.middle + self.draws.around_nothing(spread);
            self.members.push((user, offset));
        }
    }
}

fn pool_size(lacking: usize) -> usize {
    let factor: usize = std::env::var("POOL")
        .ok()
        .and_then(|p| p.parse().ok())
        .unwrap_or(8);
    lacking.saturating_mul(factor)
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

    /// A number less than half of `length` from 0.
    fn around_nothing(&mut self, length: i64) -> i64 {
        let length = length.max(1);
        self.below(length as u64) as i64 - length / 2
    }
}
