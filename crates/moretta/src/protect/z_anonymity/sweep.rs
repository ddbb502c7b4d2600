//! p(z) for all z in one sweep.
//!
//! A row of the window with counters c₀ ≥ c₁ ≥ … towards its leaf shows path i for
//! every z in (cᵢ₊₁, cᵢ]. So a user's set of released paths changes only at the
//! ends of such intervals. Users are alike when their sets are equal, and p is the
//! share of users with a released path whose set at least k users have. Sets are
//! compared by fingerprints: the exclusive or of 128 bits for each path.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// `user` shows `path` for every z above `above` and up to `up_to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) user: u32,
    pub(super) path: u32,
    pub(super) above: u32,
    pub(super) up_to: u32,
}

/// Gives p(1), p(2), … one after the other; none where nobody shows anything.
pub(super) struct Sweep {
    k: u32,
    changes: Vec<Change>,
    next: usize,
    z: u32,
    sets: Vec<u128>,
    groups: HashMap<u128, u32, FixedState>,
    population: u32,
    alike: u32,
}

/// From `z` on, `user` (numbered as met) has this set; 0 is the empty one.
#[derive(Clone, Copy, Debug)]
struct Change {
    z: u32,
    user: u32,
    set: u128,
}

impl Sweep {
    /// Sorts out what each user shows; users are numbered below `users`.
    pub(super) fn new(shown: &[Shown], users: usize, k: u32) -> Self {
        let mut changes = Vec::with_capacity(shown.len());
        let mut met = 0;
        let mut toggles = Vec::new();
        for mine in by_user(shown, users).iter_mut() {
            mine.sort_unstable_by_key(|shown| (shown.path, shown.above));
            toggles.clear();
            toggles_of(mine, &mut toggles);
            toggles.sort_unstable_by_key(|&(z, _)| z);
            let mut set = 0;
            for (place, &(z, path)) in toggles.iter().enumerate() {
                set ^= path;
                if toggles.get(place + 1).is_none_or(|next| next.0 != z) {
                    changes.push(Change { z, user: met, set });
                }
            }
            met += 1;
        }
        changes.sort_by_key(|change| change.z);
        Sweep {
            k,
            changes,
            next: 0,
            z: 0,
            sets: vec![0; met as usize],
            groups: HashMap::default(),
            population: 0,
            alike: 0,
        }
    }

    fn apply(&mut self, change: Change) {
        let old = std::mem::replace(&mut self.sets[change.user as usize], change.set);
        if old != 0
            && let Some(size) = self.groups.get_mut(&old)
        {
            self.alike -= match (*size).cmp(&self.k) {
                std::cmp::Ordering::Less => 0,
                std::cmp::Ordering::Equal => self.k,
                std::cmp::Ordering::Greater => 1,
            };
            *size -= 1;
            self.population -= 1;
        }
        if change.set != 0 {
            let size = self.groups.entry(change.set).or_insert(0);
            *size += 1;
            self.alike += match (*size).cmp(&self.k) {
                std::cmp::Ordering::Less => 0,
                std::cmp::Ordering::Equal => self.k,
                std::cmp::Ordering::Greater => 1,
            };
            self.population += 1;
        }
    }
}

impl Iterator for Sweep {
    type Item = Option<f64>;

    fn next(&mut self) -> Option<Option<f64>> {
        self.z += 1;
        while let Some(&change) = self.changes.get(self.next)
            && change.z <= self.z
        {
            self.apply(change);
            self.next += 1;
        }
        let p = f64::from(self.alike) / f64::from(self.population);
        Some((self.population > 0).then_some(p))
    }
}

/// What is shown, user by user; users who show nothing are left out.
fn by_user(shown: &[Shown], users: usize) -> ByUser {
    let mut starts = vec![0_usize; users + 1];
    for item in shown {
        starts[item.user as usize + 1] += 1;
    }
    for user in 0..users {
        starts[user + 1] += starts[user];
    }
    let blank = Shown {
        user: 0,
        path: 0,
        above: 0,
        up_to: 0,
    };
    let mut items = vec![blank; shown.len()];
    let mut next = starts.clone();
    for item in shown {
        let place = &mut next[item.user as usize];
        items[*place] = *item;
        *place += 1;
    }
    ByUser { items, starts }
}

struct ByUser {
    items: Vec<Shown>,
    starts: Vec<usize>,
}

impl ByUser {
    fn iter_mut(&mut self) -> impl Iterator<Item = &mut [Shown]> {
        let mut rest = self.items.as_mut_slice();
        self.starts.windows(2).filter_map(move |ends| {
            let (mine, others) = std::mem::take(&mut rest).split_at_mut(ends[1] - ends[0]);
            rest = others;
            (!mine.is_empty()).then_some(mine)
        })
    }
}

/// Where the set of one user changes, and by which path; overlapping intervals of a path are one.
fn toggles_of(mine: &[Shown], toggles: &mut Vec<(u32, u128)>) {
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
        if up_to < u32::MAX {
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
            let sweep = Sweep::new(&shown, 8, k);
            for (z, p) in (1..15).zip(sweep) {
                prop_assert_eq!(p, slow(&shown, k, z), "z = {}", z);
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
        let found: Vec<Option<f64>> = Sweep::new(&rows, 2, 2).take(4).collect();
        assert_eq!(found, [Some(1.0), Some(0.0), Some(0.0), None]);
    }
}
