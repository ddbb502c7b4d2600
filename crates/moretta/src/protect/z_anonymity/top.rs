//! The state for a fixed z: the z most recent users of each path, and one more.
//!
//! A path has z users in the window exactly when its z-th most recent user was
//! seen within it. So z users are enough: exact, without eviction, in at most
//! 8(z + 1) bytes a path, and no work when time passes. One more is kept because
//! one user may be ahead of the stream and must not push out the z-th behind it.
//! Lists grow by doubling, so a path that few users show takes little.

use super::names::GONE;

/// For each path up to z + 1 users with the time each was last seen, latest first.
#[derive(Clone, Debug)]
pub(super) struct TopZ {
    /// Users that are kept of a path.
    most: usize,
    lists: Vec<List>,
    /// Blocks of 1, 2, 4, … and at last as many users as are kept.
    arenas: Vec<Arena>,
}

#[derive(Clone, Copy, Debug, Default)]
struct List {
    block: u32,
    len: u32,
}

/// Blocks of one capacity: the users, then their times.
#[derive(Clone, Debug)]
struct Arena {
    capacity: usize,
    words: Vec<u32>,
    free: Vec<u32>,
}

impl Arena {
    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            let block = self.words.len() / (2 * self.capacity);
            self.words.resize(self.words.len() + 2 * self.capacity, 0);
            block as u32
        })
    }

    fn block(&self, block: u32) -> (&[u32], &[u32]) {
        let start = block as usize * 2 * self.capacity;
        self.words[start..start + 2 * self.capacity].split_at(self.capacity)
    }

    fn block_mut(&mut self, block: u32) -> (&mut [u32], &mut [u32]) {
        let start = block as usize * 2 * self.capacity;
        self.words[start..start + 2 * self.capacity].split_at_mut(self.capacity)
    }
}

/// Which arena holds lists of `len` users.
fn class(len: usize) -> usize {
    len.next_power_of_two().trailing_zeros() as usize
}

impl TopZ {
    /// Keeps as many users a path as tell whether `z` were seen.
    pub(super) fn new(z: u32) -> Self {
        let most = z.max(1) as usize + 1;
        let arena = |class: usize| Arena {
            capacity: (1 << class).min(most),
            words: Vec::new(),
            free: Vec::new(),
        };
        TopZ {
            most,
            lists: Vec::new(),
            arenas: (0..=class(most)).map(arena).collect(),
        }
    }

    /// Makes room for paths up to this number.
    pub(super) fn grow(&mut self, paths: usize) {
        self.lists.resize(paths, List::default());
    }

    /// Notes that `path` was shown by `user` at `time`.
    #[inline]
    pub(super) fn observe(&mut self, path: u32, user: u32, time: u32) {
        let List { block, len } = self.lists[path as usize];
        let len = len as usize;
        if len == 0 {
            return self.first(path, user, time);
        }
        let (users, times) = self.arenas[class(len)].block_mut(block);
        if users[0] == user {
            times[0] = times[0].max(time);
            return;
        }
        match position(&users[1..len], user) {
            Some(place) => raise(users, times, place + 1, user, time),
            None if len < self.most => self.append(path, user, time),
            None if time > times[len - 1] => raise(users, times, len - 1, user, time),
            None => {}
        }
    }

    /// How many users were last seen between `from` and `to`, both included; no more than z.
    #[inline]
    pub(super) fn count(&self, path: u32, from: u32, to: u32) -> u32 {
        let times = self.times(path);
        // Most rows are the latest of their path, and most paths are wholly inside or short.
        let first = match times.first() {
            Some(&latest) if latest > to => times.partition_point(|&time| time > to),
            _ => 0,
        };
        let inside = &times[first..];
        let count = match inside.last() {
            Some(&oldest) if oldest >= from => inside.len(),
            _ => inside.partition_point(|&time| time >= from),
        };
        count.min(self.most - 1) as u32
    }

    /// When the path was last shown; 0 if never.
    pub(super) fn latest(&self, path: u32) -> u32 {
        self.times(path).first().copied().unwrap_or(0)
    }

    fn times(&self, path: u32) -> &[u32] {
        match self.lists[path as usize] {
            List { len: 0, .. } => &[],
            List { block, len } => &self.arenas[class(len as usize)].block(block).1[..len as usize],
        }
    }

    fn first(&mut self, path: u32, user: u32, time: u32) {
        let block = self.arenas[0].take();
        let (users, times) = self.arenas[0].block_mut(block);
        (users[0], times[0]) = (user, time);
        self.lists[path as usize] = List { block, len: 1 };
    }

    /// Adds a user that is not in the list, which is not full.
    fn append(&mut self, path: u32, user: u32, time: u32) {
        let List { block, len } = self.lists[path as usize];
        let len = len as usize;
        let (old, new) = (class(len), class(len + 1));
        let mut place = block;
        if new != old {
            place = self.arenas[new].take();
            let (below, above) = self.arenas.split_at_mut(new);
            let (users, times) = below[old].block(block);
            let (more_users, more_times) = above[0].block_mut(place);
            more_users[..len].copy_from_slice(&users[..len]);
            more_times[..len].copy_from_slice(&times[..len]);
            below[old].free.push(block);
        }
        let (users, times) = self.arenas[new].block_mut(place);
        (users[len], times[len]) = (user, 0);
        raise(users, times, len, user, time);
        self.lists[path as usize] = List {
            block: place,
            len: len as u32 + 1,
        };
    }

    /// Makes all times earlier by `shift`; those that fall to 0 are long gone.
    pub(super) fn shift(&mut self, shift: u32) {
        for arena in &mut self.arenas {
            let capacity = arena.capacity;
            for block in arena.words.chunks_exact_mut(2 * capacity) {
                for time in &mut block[capacity..] {
                    *time = time.saturating_sub(shift);
                }
            }
        }
    }

    /// Gives paths and users new numbers; those without one are forgotten.
    pub(super) fn renumber(&mut self, paths: &[u32], users: &[u32]) {
        let mut new = TopZ::new(self.most as u32 - 1);
        new.grow(paths.iter().filter(|&&path| path != GONE).count());
        for (old, &path) in paths.iter().enumerate() {
            if path == GONE {
                continue;
            }
            let List { block, len } = self.lists[old];
            if len == 0 {
                continue;
            }
            let (seen, times) = self.arenas[class(len as usize)].block(block);
            // From the oldest to the latest, so that each one goes to the front.
            for place in (0..len as usize).rev() {
                match users[seen[place] as usize] {
                    GONE => {}
                    user => new.observe(path, user, times[place]),
                }
            }
        }
        *self = new;
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        let arena = |a: &Arena| (a.words.capacity() + a.free.capacity()) * size_of::<u32>();
        self.lists.capacity() * size_of::<List>() + self.arenas.iter().map(arena).sum::<usize>()
    }
}

/// Where `user` stands, searched sixteen at a time.
#[inline]
fn position(users: &[u32], user: u32) -> Option<usize> {
    let mut chunks = users.chunks_exact(16);
    for (index, chunk) in chunks.by_ref().enumerate() {
        if chunk
            .iter()
            .fold(false, |any, &other| any | (other == user))
        {
            let inside = chunk.iter().position(|&other| other == user)?;
            return Some(index * 16 + inside);
        }
    }
    let rest = chunks.remainder();
    let inside = rest.iter().position(|&other| other == user)?;
    Some(users.len() - rest.len() + inside)
}

/// Moves the user at `place` to where `time` belongs, if that is further to the front.
#[inline]
fn raise(users: &mut [u32], times: &mut [u32], place: usize, user: u32, time: u32) {
    if time <= times[place] {
        return;
    }
    let to = match times[0] <= time {
        true => 0,
        false => times[..place].partition_point(|&other| other > time),
    };
    users.copy_within(to..place, to + 1);
    times.copy_within(to..place, to + 1);
    (users[to], times[to]) = (user, time);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Every user of every path with the time it was last seen.
    #[derive(Default)]
    struct All(HashMap<(u32, u32), u32>);

    impl All {
        fn observe(&mut self, path: u32, user: u32, time: u32) {
            let last = self.0.entry((path, user)).or_insert(0);
            *last = time.max(*last);
        }

        fn count(&self, path: u32, from: u32, to: u32) -> u32 {
            let inside =
                |(key, last): &(&(u32, u32), &u32)| key.0 == path && (from..=to).contains(*last);
            self.0.iter().filter(inside).count() as u32
        }
    }

    proptest! {
        #[test]
        fn z_users_are_enough(
            z in 1..40_u32,
            window in 1..60_u32,
            rows in proptest::collection::vec((0..4_u32, 0..50_u32, 0..3_u32), 1..400),
        ) {
            let (mut top, mut all, mut now) = (TopZ::new(z), All::default(), 1000);
            top.grow(4);
            for (path, user, pause) in rows {
                now += pause;
                top.observe(path, user, now);
                all.observe(path, user, now);
                let expected = all.count(path, now - window, now).min(z);
                prop_assert_eq!(top.count(path, now - window, now), expected);
            }
        }

        #[test]
        fn rows_out_of_order_never_count_too_many(
            z in 1..20_u32,
            window in 1..60_u32,
            rows in proptest::collection::vec((0..3_u32, 0..30_u32, 900..1100_u32), 1..300),
        ) {
            let (mut top, mut all) = (TopZ::new(z), All::default());
            top.grow(3);
            for (path, user, time) in rows {
                top.observe(path, user, time);
                all.observe(path, user, time);
                prop_assert!(top.count(path, time - window, time) <= all.count(path, time - window, time));
                prop_assert_eq!(top.count(path, 0, 2000), all.count(path, 0, 2000).min(z));
            }
        }

        #[test]
        fn renumbering_and_shifting_change_no_count(
            z in 1..20_u32,
            rows in proptest::collection::vec((0..6_u32, 0..30_u32, 0..3_u32), 1..200),
        ) {
            let (mut top, mut now) = (TopZ::new(z), 1000);
            top.grow(6);
            for &(path, user, pause) in &rows {
                now += pause;
                top.observe(path, user, now);
            }
            let cutoff = now - 30;
            let before: Vec<u32> = (0..6).map(|path| top.count(path, cutoff, now)).collect();
            let mut next = 0;
            let paths: Vec<u32> = (0..6)
                .map(|path| match top.latest(path) >= cutoff {
                    true => { next += 1; next - 1 }
                    false => GONE,
                })
                .collect();
            let users: Vec<u32> = (0..30).map(|user| 29 - user).collect();
            top.renumber(&paths, &users);
            top.shift(500);
            for (path, before) in paths.iter().zip(before) {
                let after = match *path {
                    GONE => 0,
                    path => top.count(path, cutoff - 500, now - 500),
                };
                prop_assert_eq!(after, before);
            }
        }
    }

    #[test]
    fn a_path_takes_no_more_than_its_users_and_its_z() {
        let mut top = TopZ::new(100);
        top.grow(1000);
        for path in 0..1000 {
            for user in 0..3 {
                top.observe(path, user, 1 + user);
            }
        }
        assert!(top.memory() < 1000 * 100, "{}", top.memory());
        for user in 0..500 {
            top.observe(7, user, 10 + user);
        }
        assert_eq!(top.count(7, 0, 1000), 100);
    }
}
