//! What users have shown over all time: the share of them who are alike and alone.
//!
//! A release keeps its rows, so a set grows for ever, and with it memory: 9 to 18
//! bytes a (user, label) pair and 25 to 50 a user. At [`MOST`] of both together
//! the figures stay as they are and tell how many rows they are about.

use super::groups::{Shares, fingerprint};
use super::window::pair;
use hashbrown::HashTable;

/// Pairs and users that are kept.
const MOST: usize = 20_000_000;

/// Sets over all time.
pub(super) struct History {
    k: u32,
    most: usize,
    pairs: HashTable<u64>,
    users: HashTable<User>,
    full: bool,
}

struct User {
    key: u64,
    set: [u64; 2],
}

impl History {
    pub(super) fn new(k: u32) -> Self {
        History::with_room(k, MOST)
    }

    fn with_room(k: u32, most: usize) -> Self {
        History {
            k: k.max(1),
            most,
            pairs: HashTable::new(),
            users: HashTable::new(),
            full: false,
        }
    }

    /// Whether nothing is noted any more.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// `user` shows `label`.
    pub(super) fn show(&mut self, user: u64, label: u64) {
        if self.full {
            return;
        }
        let key = pair(user, label);
        if self.pairs.find(key, |&other| other == key).is_some() {
            return;
        }
        self.pairs.insert_unique(key, key, |&key| key);
        let (low, high) = (fingerprint(label) as u64, (fingerprint(label) >> 64) as u64);
        let known = self
            .users
            .entry(user, |known| known.key == user, |known| known.key);
        let new = || User {
            key: user,
            set: [0; 2],
        };
        let set = &mut known.or_insert_with(new).into_mut().set;
        *set = [set[0] ^ low, set[1] ^ high];
        self.full = self.pairs.len() + self.users.len() >= self.most;
    }

    /// The shares over all that was noted; sorts the sets of the users.
    pub(super) fn shares(&self) -> Option<Shares> {
        let mut sets: Vec<[u64; 2]> = self.users.iter().map(|user| user.set).collect();
        sets.sort_unstable();
        let (mut alike, mut alone) = (0, 0);
        for group in sets.chunk_by(|a, b| a == b) {
            if group.len() >= self.k as usize {
                alike += group.len();
            }
            alone += usize::from(group.len() == 1);
        }
        let share = |part: usize| part as f64 / sets.len() as f64;
        (!sets.is_empty()).then(|| Shares {
            alike: share(alike),
            unique: share(alone),
            users: sets.len() as u64,
        })
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.pairs.allocation_size() + self.users.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_history_stays_as_it_is() {
        let mut history = History::with_room(2, 6);
        for user in 1..4 {
            history.show(user, 70);
            history.show(user, 70);
        }
        assert!(history.is_full());
        let shares = history.shares();
        assert_eq!(shares.map(|s| (s.alike, s.unique)), Some((1.0, 0.0)));
        let bytes = history.memory();
        (0..1_000).for_each(|label| history.show(label % 3 + 1, label));
        assert_eq!((history.shares(), history.memory()), (shares, bytes));
    }
}
