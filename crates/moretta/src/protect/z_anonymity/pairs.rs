//! The state for a tuned z: every (path, user) pair of the window with the time
//! it was last seen, and how many pairs each path has.
//!
//! Pairs lie in one open table (linear probing, at most four fifths full, grown
//! by half), 12 bytes each and so 15 to 23 bytes with the gaps. What leaves the
//! window is told from outside: whoever keeps the rows of the window knows.

use super::names::GONE;

/// The pairs of the window.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    slots: Vec<Pair>,
    len: usize,
    counts: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    path: u32,
    user: u32,
    last: u32,
}

const EMPTY: Pair = Pair {
    path: GONE,
    user: GONE,
    last: 0,
};

impl Pairs {
    /// Makes room for paths up to this number.
    pub(super) fn grow(&mut self, paths: usize) {
        self.counts.resize(paths, 0);
    }

    /// Notes that `path` was shown by `user` at `time`; gives the users of the path.
    #[inline]
    pub(super) fn observe(&mut self, path: u32, user: u32, time: u32) -> u32 {
        if (self.len + 1) * 5 > self.slots.len() * 4 {
            self.enlarge();
        }
        let slot = self.search(path, user);
        let pair = &mut self.slots[slot];
        if pair.user == GONE {
            *pair = Pair {
                path,
                user,
                last: time,
            };
            self.len += 1;
            self.counts[path as usize] += 1;
        } else {
            pair.last = pair.last.max(time);
        }
        self.counts[path as usize]
    }

    /// The users of the path.
    #[inline]
    pub(super) fn count(&self, path: u32) -> u32 {
        self.counts[path as usize]
    }

    /// When the user last showed the path, if the pair is known.
    pub(super) fn last(&self, path: u32, user: u32) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let pair = &self.slots[self.search(path, user)];
        (pair.user != GONE).then_some(pair.last)
    }

    /// A row of this time leaves the window: the pair goes unless it was seen again.
    #[inline]
    pub(super) fn expire(&mut self, path: u32, user: u32, time: u32) {
        if self.slots.is_empty() {
            return;
        }
        let slot = self.search(path, user);
        if self.slots[slot].user != GONE && self.slots[slot].last <= time {
            self.remove(slot);
            self.counts[path as usize] -= 1;
        }
    }

    /// Makes all times earlier by `shift`.
    pub(super) fn shift(&mut self, shift: u32) {
        for pair in &mut self.slots {
            pair.last = pair.last.saturating_sub(shift);
        }
    }

    /// Gives paths and users new numbers; those without one are forgotten.
    pub(super) fn renumber(&mut self, paths: &[u32], users: &[u32]) {
        let old = std::mem::take(self);
        self.grow(paths.iter().filter(|&&path| path != GONE).count());
        for pair in old.slots.into_iter().filter(|pair| pair.user != GONE) {
            match (paths[pair.path as usize], users[pair.user as usize]) {
                (GONE, _) | (_, GONE) => {}
                (path, user) => {
                    self.observe(path, user, pair.last);
                }
            }
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.slots.capacity() * size_of::<Pair>() + self.counts.capacity() * size_of::<u32>()
    }

    /// The slot of the pair, or the empty one where it belongs.
    #[inline]
    fn search(&self, path: u32, user: u32) -> usize {
        let mut slot = self.home(path, user);
        loop {
            let pair = &self.slots[slot];
            if pair.user == GONE || pair.user == user && pair.path == path {
                return slot;
            }
            slot = self.next(slot);
        }
    }

    #[inline]
    fn home(&self, path: u32, user: u32) -> usize {
        let key = u64::from(path) << 32 | u64::from(user);
        let mixed = (key ^ key >> 29).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        (((mixed >> 32) * self.slots.len() as u64) >> 32) as usize
    }

    #[inline]
    fn next(&self, slot: usize) -> usize {
        match slot + 1 {
            next if next == self.slots.len() => 0,
            next => next,
        }
    }

    /// Empties a slot and moves those behind it up, so that every search still ends right.
    fn remove(&mut self, mut hole: usize) {
        self.len -= 1;
        let mut slot = hole;
        loop {
            slot = self.next(slot);
            let Pair { path, user, .. } = self.slots[slot];
            if user == GONE {
                break;
            }
            let home = self.home(path, user);
            let stays = match hole <= slot {
                true => hole < home && home <= slot,
                false => hole < home || home <= slot,
            };
            if !stays {
                self.slots[hole] = self.slots[slot];
                hole = slot;
            }
        }
        self.slots[hole] = EMPTY;
    }

    #[cold]
    fn enlarge(&mut self) {
        let slots = (self.slots.len() + self.slots.len() / 2).max(64);
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; slots]);
        for pair in old.into_iter().filter(|pair| pair.user != GONE) {
            let slot = self.search(pair.path, pair.user);
            self.slots[slot] = pair;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{HashMap, VecDeque};

    proptest! {
        #[test]
        fn counts_are_those_of_the_window(
            window in 1..80_u32,
            rows in proptest::collection::vec((0..5_u32, 0..60_u32, 0..4_u32), 1..600),
        ) {
            let (mut pairs, mut now) = (Pairs::default(), 1000_u32);
            let mut last: HashMap<(u32, u32), u32> = HashMap::new();
            let mut log: VecDeque<(u32, u32, u32)> = VecDeque::new();
            pairs.grow(5);
            for (path, user, pause) in rows {
                now += pause;
                while log.front().is_some_and(|&(time, ..)| time < now - window) {
                    if let Some((time, path, user)) = log.pop_front() {
                        pairs.expire(path, user, time);
                    }
                }
                let count = pairs.observe(path, user, now);
                log.push_back((now, path, user));
                last.insert((path, user), now);
                last.retain(|_, &mut last| last >= now - window);
                let expected = last.keys().filter(|key| key.0 == path).count();
                prop_assert_eq!(count as usize, expected);
                prop_assert_eq!(pairs.len, last.len());
            }
            let users: Vec<u32> = (0..60).rev().collect();
            let before: Vec<u32> = (0..5).map(|path| pairs.count(path)).collect();
            pairs.renumber(&[4, 3, 2, 1, 0], &users);
            let after: Vec<u32> = (0..5).rev().map(|path| pairs.count(path)).collect();
            prop_assert_eq!(before, after);
        }
    }

    #[test]
    fn a_pair_takes_at_most_24_bytes() {
        let mut pairs = Pairs::default();
        pairs.grow(1);
        for user in 0..200_000 {
            pairs.observe(0, user, 1);
            if user > 1000 {
                assert!(pairs.memory() <= 24 * pairs.len, "{user}");
            }
        }
    }
}
