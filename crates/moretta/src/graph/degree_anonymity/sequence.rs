//! Degrees in groups of at least k that show their largest, at the least cost.

use std::ops::Range;

/// The groups of degrees, which are sorted from the largest: those with the least sum of what
/// degrees lack to the largest of their group. There are at least `k` degrees.
///
/// A group of 2 k or more could be divided at no cost, so none is larger: n k steps.
pub fn groups(degrees: &[u32], k: u32) -> Vec<Range<usize>> {
    let (n, k) = (degrees.len(), k.max(1) as usize);
    let mut sums = vec![0u64; n + 1];
    for (place, &degree) in degrees.iter().enumerate() {
        sums[place + 1] = sums[place] + u64::from(degree);
    }
    let lack = |group: &Range<usize>| {
        let most = u64::from(degrees[group.start]) * group.len() as u64;
        most - (sums[group.end] - sums[group.start])
    };
    // For the first `end` degrees: the least cost, and where the last group begins.
    let mut best: Vec<Option<(u64, usize)>> = vec![None; n + 1];
    best[0] = Some((0, 0));
    for end in k..=n {
        let first = end.saturating_sub(2 * k - 1);
        best[end] = (first..=end - k)
            .filter_map(|start| Some((best[start]?.0 + lack(&(start..end)), start)))
            .min();
    }
    let mut groups = Vec::new();
    let mut end = n;
    while let Some((_, start)) = best[end].filter(|_| end > 0) {
        groups.push(start..end);
        end = start;
    }
    groups.reverse();
    groups
}

/// The degree that each member of the groups gets. Their sum must be even, so one group of an odd
/// number gets one more where it is not: the smallest one, of several the last. None where no
/// group can.
pub fn even(degrees: &[u32], groups: Vec<Range<usize>>, nodes: u32) -> Option<Vec<u32>> {
    let target = |group: &Range<usize>| degrees[group.start];
    let sum = |group: &Range<usize>| u64::from(target(group)) * group.len() as u64;
    let odd = groups.iter().map(sum).sum::<u64>() % 2 == 1;
    let raised = match odd {
        false => None,
        true => {
            let places = (0..groups.len()).rev().filter(|&place| {
                let group = &groups[place];
                group.len() % 2 == 1 && target(group) + 1 < nodes
            });
            Some(places.min_by_key(|&place| groups[place].len())?)
        }
    };
    let mut targets = Vec::with_capacity(degrees.len());
    for (place, group) in groups.iter().enumerate() {
        let more = u32::from(raised == Some(place));
        targets.extend(group.clone().map(|_| target(group) + more));
    }
    Some(targets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_cheapest_groups_are_found() {
        // 5 5 4 | 2 2 | 1 1 with k = 2 costs 1; any other division costs more.
        let degrees = [5, 5, 4, 2, 2, 1, 1];
        assert_eq!(groups(&degrees, 2), [0..3, 3..5, 5..7]);
        assert_eq!(groups(&degrees, 7), [0..7]);
        assert_eq!(groups(&degrees, 1).len(), 7);
    }

    #[test]
    fn an_odd_sum_is_made_even_by_a_group_of_an_odd_number() {
        let degrees = [5, 5, 4, 2, 2, 1, 1];
        let targets = even(&degrees, groups(&degrees, 2), 9).expect("a group of three");
        assert_eq!(targets, [6, 6, 6, 2, 2, 1, 1]);
        // Nobody can have more than all others as neighbours.
        assert_eq!(even(&[1, 1, 1], vec![0..3], 2), None);
    }

    /// The least cost over all divisions into groups of at least k.
    fn reference(degrees: &[u32], k: usize) -> Option<u64> {
        if degrees.is_empty() {
            return Some(0);
        }
        let ends = k..=degrees.len();
        let cost = |end: usize| {
            let lack: u32 = degrees[..end].iter().map(|d| degrees[0] - d).sum();
            Some(u64::from(lack) + reference(&degrees[end..], k)?)
        };
        ends.filter_map(cost).min()
    }

    proptest! {
        #[test]
        fn no_division_is_cheaper(
            mut degrees in prop::collection::vec(0u32..12, 1..12),
            k in 1usize..5,
        ) {
            degrees.sort_unstable_by(|a, b| b.cmp(a));
            prop_assume!(degrees.len() >= k);
            let found = groups(&degrees, k as u32);
            prop_assert!(found.iter().all(|group| group.len() >= k));
            let joined: Vec<usize> = found.iter().cloned().flatten().collect();
            prop_assert_eq!(joined, (0..degrees.len()).collect::<Vec<_>>());
            let lack = |group: &std::ops::Range<usize>| {
                degrees[group.clone()].iter().map(|d| u64::from(degrees[group.start] - d)).sum::<u64>()
            };
            let cost: u64 = found.iter().map(lack).sum();
            prop_assert_eq!(Some(cost), reference(&degrees, k));
        }
    }
}
