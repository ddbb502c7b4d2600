//! p(z) for all z in one sweep.
//!
//! A row of the window with counters c₀ ≥ c₁ ≥ … towards its leaf shows path i for
//! every z in (cᵢ₊₁, cᵢ]. So a user's set of released paths changes only at the
//! ends of such intervals. Users are alike when their sets are equal, and p is the
//! share of users with a released path whose set at least k users have. Sets are
//! compared by fingerprints: the exclusive or of 128 bits for each path.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::cmp::Ordering;
use std::ops::Range;

/// `user` shows `path` for every z above `above` and up to `up_to`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) user: u32,
    pub(super) path: u32,
    pub(super) above: u32,
    pub(super) up_to: u32,
}

/// Memory that is used again from one sweep to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Room {
    /// What is shown, to be filled by whoever sweeps.
    pub(super) shown: Vec<Shown>,
    /// The same user by user, and where each user begins.
    by_user: Vec<Shown>,
    starts: Vec<usize>,
    /// The user who was last found to show a path throughout, by path.
    throughout: Vec<u32>,
    toggles: Vec<(u32, u128)>,
    changes: Vec<Change>,
    by_z: Vec<Change>,
    groups: HashMap<u128, u32, FixedState>,
    sets: Vec<u128>,
}

/// From `z` on, `user` (numbered as met) has this set; 0 is the empty one.
#[derive(Clone, Copy, Debug, Default)]
struct Change {
    z: u32,
    user: u32,
    set: u128,
}

impl Room {
    /// Gives p(1), p(2), … up to p(`most`) of what is shown; none where nobody
    /// shows anything. Users and paths are numbered below `users` and `paths`.
    pub(super) fn sweep(&mut self, users: usize, paths: usize, k: u32, most: u32) -> Sweep<'_> {
        self.sort_by_user(users);
        self.throughout.clear();
        self.throughout.resize(paths, u32::MAX);
        self.changes.clear();
        let mut met = 0;
        for user in 0..users {
            let range = self.starts[user]..self.starts[user + 1];
            if !range.is_empty() {
                self.follow(met, range, most);
                met += 1;
            }
        }
        self.sort_changes(most);
        self.groups.clear();
        self.sets.clear();
        self.sets.resize(met as usize, 0);
        Sweep {
            k,
            most,
            z: 0,
            changes: &self.by_z,
            sets: &mut self.sets,
            groups: &mut self.groups,
            population: 0,
            alike: 0,
        }
    }

    /// Puts what is shown in the order of users.
    fn sort_by_user(&mut self, users: usize) {
        self.starts.clear();
        self.starts.resize(users + 2, 0);
        for item in &self.shown {
            self.starts[item.user as usize + 2] += 1;
        }
        for user in 2..users + 2 {
            self.starts[user] += self.starts[user - 1];
        }
        self.by_user.clear();
        self.by_user.resize(self.shown.len(), Shown::default());
        for item in &self.shown {
            let place = &mut self.starts[item.user as usize + 1];
            self.by_user[*place] = *item;
            *place += 1;
        }
    }

    /// How the set of one user changes with z.
    fn follow(&mut self, user: u32, range: Range<usize>, most: u32) {
        let mine = &mut self.by_user[range];
        // What is shown at every z is most of it and needs no order.
        let mut set = 0;
        for item in mine
            .iter()
            .filter(|item| item.above == 0 && item.up_to >= most)
        {
            if std::mem::replace(&mut self.throughout[item.path as usize], user) != user {
                set ^= fingerprint(item.path);
            }
        }
        let throughout = &self.throughout;
        let mut rest = 0;
        for place in 0..mine.len() {
            let item = mine[place];
            if throughout[item.path as usize] != user && item.above < most {
                mine[rest] = item;
                rest += 1;
            }
        }
        let mine = &mut mine[..rest];
        mine.sort_unstable_by_key(|shown| u64::from(shown.path) << 32 | u64::from(shown.above));
        self.toggles.clear();
        toggles_of(mine, most, &mut self.toggles);
        self.toggles.sort_unstable_by_key(|&(z, _)| z);
        if set != 0 && self.toggles.first().is_none_or(|first| first.0 > 1) {
            self.changes.push(Change { z: 1, user, set });
        }
        for (place, &(z, path)) in self.toggles.iter().enumerate() {
            set ^= path;
            if self.toggles.get(place + 1).is_none_or(|next| next.0 != z) {
                self.changes.push(Change { z, user, set });
            }
        }
    }

    /// Puts the changes in the order of z.
    fn sort_changes(&mut self, most: u32) {
        let mut starts = vec![0_usize; most as usize + 2];
        for change in &self.changes {
            starts[change.z as usize + 1] += 1;
        }
        for z in 1..starts.len() {
            starts[z] += starts[z - 1];
        }
        self.by_z.clear();
        self.by_z.resize(self.changes.len(), Change::default());
        for change in &self.changes {
            let place = &mut starts[change.z as usize];
            self.by_z[*place] = *change;
            *place += 1;
        }
    }
}

/// Gives p(1), p(2), … one after the other; none where nobody shows anything.
pub(super) struct Sweep<'a> {
    k: u32,
    most: u32,
    z: u32,
    /// Those that are still to be made.
    changes: &'a [Change],
    sets: &'a mut [u128],
    groups: &'a mut HashMap<u128, u32, FixedState>,
    population: u32,
    alike: u32,
}

impl Sweep<'_> {
    fn apply(&mut self, change: Change) {
        let old = std::mem::replace(&mut self.sets[change.user as usize], change.set);
        if old != 0
            && let Some(size) = self.groups.get_mut(&old)
        {
            self.alike -= match (*size).cmp(&self.k) {
                Ordering::Less => 0,
                Ordering::Equal => self.k,
                Ordering::Greater => 1,
            };
            *size -= 1;
            self.population -= 1;
        }
        if change.set != 0 {
            let size = self.groups.entry(change.set).or_insert(0);
            *size += 1;
            self.alike += match (*size).cmp(&self.k) {
                Ordering::Less => 0,
                Ordering::Equal => self.k,
                Ordering::Greater => 1,
            };
            self.population += 1;
        }
    }
}

impl Iterator for Sweep<'_> {
    type Item = Option<f64>;

    fn next(&mut self) -> Option<Option<f64>> {
        if self.z == self.most {
            return None;
        }
        self.z += 1;
        while let Some((&change, rest)) = self.changes.split_first()
            && change.z <= self.z
        {
            self.apply(change);
            self.changes = rest;
        }
        let p = f64::from(self.alike) / f64::from(self.population);
        Some((self.population > 0).then_some(p))
    }
}

/// Where the set of one user changes up to `most`, and by which path; overlapping
/// intervals of a path are one.
fn toggles_of(mine: &[Shown], most: u32, toggles: &mut Vec<(u32, u128)>) {
    let mut place = 0;
    while let Some(&first) = mine.get(place) {
        let (mut up_to, path) = (first.up_to, first.path);
        place += 1;
        while let Some(more) = mine.get(place)
            && more.path == path
            && more.above <= up_to
        {
            up_to = up_to.max(more.up_to);
            place += 1;
        }
        let print = fingerprint(path);
        toggles.push((first.above + 1, print));
        if up_to < most {
            toggles.push((up_to + 1, print));
        }
    }
}

fn fingerprint(path: u32) -> u128 {
    let mix = |seed: u64| {
        let x = (u64::from(path) + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ x >> 31
    };
    u128::from(mix(0x5851_F42D_4C95_7F2D)) << 64 | u128::from(mix(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// p(z) by looking at every row for one z.
    fn slow(shown: &[Shown], k: u32, z: u32) -> Option<f64> {
        let mut sets: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for item in shown
            .iter()
            .filter(|item| item.above < z && z <= item.up_to)
        {
            sets.entry(item.user).or_default().insert(item.path);
        }
        let mut groups: BTreeMap<&BTreeSet<u32>, u32> = BTreeMap::new();
        for set in sets.values() {
            *groups.entry(set).or_insert(0) += 1;
        }
        let alike: u32 = groups.values().filter(|&&size| size >= k).sum();
        (!sets.is_empty()).then(|| f64::from(alike) / sets.len() as f64)
    }

    proptest! {
        #[test]
        fn one_sweep_finds_what_one_pass_for_each_z_finds(
            k in 1..5_u32,
            rows in proptest::collection::vec((0..8_u32, 0..3_u32, 0..4_u32, 0..4_u32, 0..6_u32), 0..80),
        ) {
            // Each row is a leaf under one of three parents with growing counters.
            let shown: Vec<Shown> = rows
                .iter()
                .flat_map(|&(user, parent, leaf, few, more)| {
                    let leaf = Shown { user, path: 10 + 4 * parent + leaf, above: 0, up_to: few };
                    let parent = Shown { user, path: parent, above: few, up_to: few + more };
                    [leaf, parent]
                })
                .filter(|shown| shown.above < shown.up_to)
                .collect();
            let mut room = Room::default();
            // The second sweep uses the memory of the first.
            for most in [15, 4] {
                room.shown.clone_from(&shown);
                let found: Vec<Option<f64>> = room.sweep(8, 30, k, most).collect();
                let expected: Vec<Option<f64>> = (1..=most).map(|z| slow(&shown, k, z)).collect();
                prop_assert_eq!(found, expected);
            }
        }
    }

    #[test]
    fn p_is_the_share_of_users_who_are_not_alone_and_need_not_grow() {
        let shown = |user, path, up_to| Shown {
            user,
            path,
            above: 0,
            up_to,
        };
        // Two users alike at z = 1, told apart at z = 2, alone at z = 3.
        let rows = [
            shown(0, 1, 3),
            shown(1, 1, 1),
            shown(1, 2, 2),
            shown(0, 2, 1),
        ];
        let mut room = Room {
            shown: rows.to_vec(),
            ..Room::default()
        };
        let found: Vec<Option<f64>> = room.sweep(2, 3, 2, 4).collect();
        assert_eq!(found, [Some(1.0), Some(0.0), Some(0.0), None]);
    }
}
