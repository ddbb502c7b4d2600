//! Users grouped by the sets of labels they show.
//!
//! A set is known by its fingerprint, the exclusive or of 128 bits for each label
//! in it; the empty set has 0.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// The share of users who are alike, and of those who are alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shares {
    /// In groups of k or more.
    pub(super) alike: f64,
    /// In groups of one.
    pub(super) unique: f64,
    /// Of how many users.
    pub(super) users: u64,
}

/// How many users have each set.
pub(super) struct Groups {
    k: u32,
    sizes: HashTable<(u128, u32)>,
    users: u64,
    alike: u64,
    alone: u64,
}

impl Groups {
    pub(super) fn new(k: u32) -> Self {
        Groups {
            k: k.max(1),
            sizes: HashTable::new(),
            users: 0,
            alike: 0,
            alone: 0,
        }
    }

    /// A user has another set than before.
    pub(super) fn change(&mut self, before: u128, after: u128) {
        if before != 0 {
            self.leave(before);
        }
        if after != 0 {
            self.join(after);
        }
    }

    fn leave(&mut self, set: u128) {
        let Ok(mut group) = self.sizes.find_entry(set as u64, |group| group.0 == set) else {
            return;
        };
        let size = group.get().1;
        match size {
            1 => drop(group.remove()),
            _ => group.get_mut().1 -= 1,
        }
        self.count(size, false);
        self.count(size - 1, true);
    }

    fn join(&mut self, set: u128) {
        let group = self
            .sizes
            .entry(set as u64, |group| group.0 == set, |group| group.0 as u64);
        let size = match group {
            Entry::Occupied(mut group) => {
                group.get_mut().1 += 1;
                group.get().1
            }
            Entry::Vacant(place) => {
                place.insert((set, 1));
                1
            }
        };
        self.count(size - 1, false);
        self.count(size, true);
    }

    /// Adds or takes away a group of this size.
    fn count(&mut self, size: u32, add: bool) {
        let parts = [
            (&mut self.users, size),
            (&mut self.alike, if size >= self.k { size } else { 0 }),
            (&mut self.alone, u32::from(size == 1)),
        ];
        for (sum, part) in parts {
            match add {
                true => *sum += u64::from(part),
                false => *sum -= u64::from(part),
            }
        }
    }

    /// None when nobody shows anything.
    pub(super) fn shares(&self) -> Option<Shares> {
        let share = |part: u64| part as f64 / self.users as f64;
        (self.users > 0).then(|| Shares {
            alike: share(self.alike),
            unique: share(self.alone),
            users: self.users,
        })
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.sizes.allocation_size()
    }
}

/// The 128 bits of a label, from its key.
#[inline]
pub(super) fn fingerprint(label: u64) -> u128 {
    let mixed = (label ^ label >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    u128::from(mixed ^ mixed >> 31) << 64 | u128::from(label)
}
