//! Counts of keys, kept as sorted runs rather than in a hash table.
//!
//! A release may have as many (class, person) pairs as rows. A hash table of
//! that size is reached at random, a miss of the cache for each row; a buffer
//! that is sorted and merged when it is full is read and written in order, and
//! needs only the room of the keys.

use rayon::slice::ParallelSliceMut;

/// How many keys wait at least before they are merged.
const PENDING: usize = 1 << 20;

/// Distinct keys in order, and how often each was added.
pub(super) struct Sorted<K> {
    keys: Vec<K>,
    counts: Vec<u32>,
    pending: Vec<K>,
}

impl<K: Copy + Ord + Send> Sorted<K> {
    pub(super) fn new() -> Self {
        Sorted {
            keys: Vec::new(),
            counts: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// Adds one occurrence of `key`.
    pub(super) fn add(&mut self, key: K) {
        // A buffer that grows with what is settled keeps the merges few.
        if self.pending.len() >= PENDING.max(self.keys.len() / 4) {
            self.settle();
        }
        self.pending.push(key);
    }

    /// The distinct keys in order, each with its count.
    pub(super) fn into_sorted(mut self) -> (Vec<K>, Vec<u32>) {
        self.settle();
        (self.keys, self.counts)
    }

    /// Merges what is pending, from the end, so that no second copy is needed.
    fn settle(&mut self) {
        self.pending.par_sort_unstable();
        let Some(&filler) = self.pending.first() else {
            return;
        };
        let (mut old, mut new) = (self.keys.len(), self.pending.len());
        let mut end = old + new;
        self.keys.resize(end, filler);
        self.counts.resize(end, 1);
        while new > 0 {
            end -= 1;
            if old > 0 && self.keys[old - 1] > self.pending[new - 1] {
                old -= 1;
                self.keys[end] = self.keys[old];
                self.counts[end] = self.counts[old];
            } else {
                new -= 1;
                self.keys[end] = self.pending[new];
                self.counts[end] = 1;
            }
        }
        self.pending.clear();
        self.unite_equal_keys();
    }

    fn unite_equal_keys(&mut self) {
        let mut last = 0;
        for next in 1..self.keys.len() {
            if self.keys[next] == self.keys[last] {
                self.counts[last] += self.counts[next];
            } else {
                last += 1;
                self.keys[last] = self.keys[next];
                self.counts[last] = self.counts[next];
            }
        }
        self.keys.truncate(last + 1);
        self.counts.truncate(last + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn keys_are_counted_however_often_they_are_merged(
            batches in proptest::collection::vec(proptest::collection::vec(0u64..20, 0..30), 0..6),
        ) {
            let mut sorted = Sorted::new();
            let mut slow: BTreeMap<u64, u32> = BTreeMap::new();
            for batch in batches {
                for key in batch {
                    sorted.add(key);
                    *slow.entry(key).or_insert(0) += 1;
                }
                sorted.settle();
            }
            let (keys, counts) = sorted.into_sorted();
            let found: Vec<(u64, u32)> = keys.into_iter().zip(counts).collect();
            prop_assert_eq!(found, slow.into_iter().collect::<Vec<_>>());
        }
    }
}
