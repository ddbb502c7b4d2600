//! How alike two partitions of the same records are.
//!
//! All indices follow from the pairs of records that lie together in both partitions (N11), in the
//! first alone (N10), in the second alone (N01) and in neither (N00), which are counted from the
//! sizes of clusters and of their intersections, not pair by pair.

use foldhash::fast::FixedState;
use std::collections::HashMap;

/// Pairs of records, by whether they lie together in two partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartitionPairs {
    /// Together in both.
    pub both: u128,
    /// Together in the first alone.
    pub first: u128,
    /// Together in the second alone.
    pub second: u128,
    /// Together in neither.
    pub neither: u128,
}

impl PartitionPairs {
    /// Of the clusters of each record in two partitions.
    pub fn new(first: &[u32], second: &[u32]) -> Self {
        let mut sizes = [
            HashMap::<u32, u64, FixedState>::default(),
            HashMap::default(),
        ];
        let mut shared: HashMap<(u32, u32), u64, FixedState> = HashMap::default();
        for (&a, &b) in first.iter().zip(second) {
            *sizes[0].entry(a).or_default() += 1;
            *sizes[1].entry(b).or_default() += 1;
            *shared.entry((a, b)).or_default() += 1;
        }
        let pairs = |size: &u64| u128::from(*size) * u128::from(size.saturating_sub(1)) / 2;
        let both: u128 = shared.values().map(pairs).sum();
        let [in_first, in_second] = sizes.map(|sizes| sizes.values().map(pairs).sum::<u128>());
        let all = pairs(&(first.len().min(second.len()) as u64));
        PartitionPairs {
            both,
            first: in_first - both,
            second: in_second - both,
            neither: all + both - in_first - in_second,
        }
    }

    fn all(&self) -> f64 {
        (self.both + self.first + self.second + self.neither) as f64
    }

    /// Rand: the share of pairs on which both agree; 1 without pairs, as all that follow.
    pub fn rand(&self) -> f64 {
        ratio((self.both + self.neither) as f64, self.all())
    }

    /// Jaccard: of the pairs that lie together somewhere, those that do in both.
    pub fn jaccard(&self) -> f64 {
        let together = self.both + self.first + self.second;
        ratio(self.both as f64, together as f64)
    }

    /// Fowlkes and Mallows: the geometric mean of both shares of Wallace.
    pub fn fowlkes_mallows(&self) -> f64 {
        let [first, second] = self.wallace();
        (first * second).sqrt()
    }

    /// Wallace: of the pairs together in the first partition, and of those in the second, the share
    /// that is together in the other as well.
    pub fn wallace(&self) -> [f64; 2] {
        let of = |alone: u128| ratio(self.both as f64, (self.both + alone) as f64);
        [of(self.first), of(self.second)]
    }

    /// Hubert and Arabie's Rand index, less what chance gives: 0 by chance, 1 where both are equal.
    pub fn adjusted_rand(&self) -> f64 {
        let (first, second) = (
            (self.both + self.first) as f64,
            (self.both + self.second) as f64,
        );
        let expected = if self.all() > 0.0 {
            first * second / self.all()
        } else {
            0.0
        };
        let most = (first + second) / 2.0;
        ratio(self.both as f64 - expected, most - expected)
    }

    /// Clustering-based information loss: 1 less the mean of Rand, Jaccard and the adjusted Rand
    /// index from 0 to 1.
    pub fn loss(&self) -> f64 {
        let adjusted = (1.0 + self.adjusted_rand()) / 2.0;
        1.0 - (self.rand() + self.jaccard() + adjusted) / 3.0
    }
}

/// A part of a whole; all of nothing.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pairs_are_those_of_comparing_all(labels in prop::collection::vec((0_u32..4, 0_u32..4), 0..30)) {
            let (first, second): (Vec<u32>, Vec<u32>) = labels.iter().copied().unzip();
            let found = PartitionPairs::new(&first, &second);
            let mut expected = [[0_u128; 2]; 2];
            for a in 0..labels.len() {
                for b in 0..a {
                    let same = [first[a] == first[b], second[a] == second[b]];
                    expected[usize::from(same[0])][usize::from(same[1])] += 1;
                }
            }
            prop_assert_eq!([[found.neither, found.second], [found.first, found.both]], expected);
            let adjusted = found.adjusted_rand();
            let swapped = PartitionPairs::new(&second, &first);
            prop_assert!((adjusted - swapped.adjusted_rand()).abs() < 1e-12);
            prop_assert!((-1.0..=1.0).contains(&adjusted));
            prop_assert!((0.0..=1.0).contains(&found.loss()));
        }
    }

    #[test]
    fn equal_partitions_lose_nothing() {
        let labels = [3, 3, 1, 2, 2, 2];
        let renamed = [0, 0, 7, 9, 9, 9];
        let pairs = PartitionPairs::new(&labels, &renamed);
        assert_eq!((pairs.adjusted_rand(), pairs.loss()), (1.0, 0.0));
        assert_eq!(PartitionPairs::new(&[], &[]).loss(), 0.0);
        assert_eq!(PartitionPairs::new(&[0; 3], &[1; 3]).loss(), 0.0);
    }
}
