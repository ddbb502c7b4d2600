//! μ-Approx: a forest of short edges, whose trees are cut into groups.
//!
//! Each record is a tree. As long as a tree has fewer than k records, that of its records
//! which has led nowhere yet is joined to the nearest record outside. Then each tree of more
//! than max(2k - 1, 3k - 5) is cut in two of k or more, again and again. It is cut at an edge
//! where both sides have k, else at a record, whose branches are shared out; the branches that
//! go without the record are joined at the nearest of them.
//!
//! Edges are about as short as in any grouping, so groups are, too: the loss is at most a
//! factor above the least possible that depends on k alone (of the order of k³). On most data
//! it is above that of MDAV.
//!
//! From Domingo-Ferrer, Sebé and Solanas, A polynomial-time approximation to optimal
//! multivariate microaggregation, Computers & Mathematics with Applications 2008.

use super::points::Points;
use crate::cancel::Cancel;
use crate::math::distance::weighted_distance;
use crate::math::kd_tree::Search;

/// Groups all points, at least k; a search for the nearest looks at so many records at most.
/// Once it is cancelled, they are one group.
pub(super) fn mu_approx(
    points: &Points<'_>,
    k: usize,
    looked_at: usize,
    cancel: &Cancel,
) -> Vec<Vec<usize>> {
    let mut forest = Forest::new(points);
    forest.grow(k, looked_at, cancel);
    match cancel.is_cancelled() {
        true => vec![(0..points.records.len()).collect()],
        false => forest.cut(k),
    }
}

/// Trees over records.
struct Forest<'a> {
    points: Points<'a>,
    nominal: Vec<bool>,
    neighbours: Vec<Vec<usize>>,
}

impl<'a> Forest<'a> {
    fn new(points: &Points<'a>) -> Self {
        Forest {
            points: *points,
            nominal: points.nominal(),
            neighbours: vec![Vec::new(); points.records.len()],
        }
    }

    /// Joins trees until each has k records.
    fn grow(&mut self, k: usize, looked_at: usize, cancel: &Cancel) {
        let mut trees = Trees::new(self.neighbours.len());
        let index = self.points.index();
        let mut search = Search::default();
        for record in 0..self.neighbours.len() {
            while trees.of(record).len() < k {
                if cancel.is_cancelled() {
                    return;
                }
                // Each edge leads on from one record, so one of a tree has led nowhere.
                let from = trees.open(record);
                // One more than are in the tree: one of them is outside.
                let count = trees.of(record).len() + 1;
                let target = self.points.records.record(from);
                index.nearest(target, count, looked_at, &mut search);
                let mut nearest = search.found.iter().map(|&(_, other)| other as usize);
                let Some(to) = nearest.find(|&other| !trees.together(from, other)) else {
                    return;
                };
                self.neighbours[from].push(to);
                self.neighbours[to].push(from);
                trees.join(from, to);
            }
        }
    }

    /// Cuts trees into groups of k to max(2k - 1, 3k - 5).
    fn cut(&mut self, k: usize) -> Vec<Vec<usize>> {
        let most = (2 * k - 1).max((3 * k).saturating_sub(5));
        let mut seen = vec![false; self.neighbours.len()];
        let mut groups = Vec::new();
        for record in 0..seen.len() {
            if seen[record] {
                continue;
            }
            let mut open = vec![record];
            while let Some(root) = open.pop() {
                let tree = Tree::new(self, root);
                if tree.records.len() <= most {
                    for &(member, _) in &tree.records {
                        seen[member] = true;
                    }
                    let members = tree.records.iter().map(|&(member, _)| member);
                    let mut group: Vec<usize> = members.collect();
                    group.sort_unstable();
                    groups.push(group);
                } else {
                    let (at, without) = tree.cut(self, k);
                    open.extend([self.detach(at, &without), at]);
                }
            }
        }
        groups
    }

    /// Takes branches off a record and joins them at the one that is nearest to it, which is
    /// given back.
    fn detach(&mut self, at: usize, branches: &[usize]) -> usize {
        let hub = self.by_nearness(at, branches)[0];
        for &branch in branches {
            self.neighbours[at].retain(|&other| other != branch);
            self.neighbours[branch].retain(|&other| other != at);
            if branch != hub {
                self.neighbours[hub].push(branch);
                self.neighbours[branch].push(hub);
            }
        }
        hub
    }

    /// Some records, the nearest to one first.
    fn by_nearness(&self, at: usize, records: &[usize]) -> Vec<usize> {
        let point = |record: usize| self.points.records.record(record);
        let distance = |record: usize| {
            let weights = self.points.weights;
            weighted_distance(point(at), point(record), weights, &self.nominal)
        };
        let mut sorted: Vec<(f64, usize)> = (records.iter())
            .map(|&record| (distance(record), record))
            .collect();
        sorted.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        sorted.into_iter().map(|(_, record)| record).collect()
    }
}

/// Which records are in a tree with each other, while trees are joined.
struct Trees {
    /// The tree of each record.
    of: Vec<usize>,
    members: Vec<Vec<usize>>,
    /// The record of each tree from which no edge leads on.
    open: Vec<usize>,
}

impl Trees {
    fn new(records: usize) -> Self {
        Trees {
            of: (0..records).collect(),
            members: (0..records).map(|record| vec![record]).collect(),
            open: (0..records).collect(),
        }
    }

    fn of(&self, record: usize) -> &[usize] {
        &self.members[self.of[record]]
    }

    fn together(&self, a: usize, b: usize) -> bool {
        self.of[a] == self.of[b]
    }

    fn open(&self, record: usize) -> usize {
        self.open[self.of[record]]
    }

    /// The tree of `from`, from whose open record an edge was led, becomes part of that of `to`.
    fn join(&mut self, from: usize, to: usize) {
        let (from, to) = (self.of[from], self.of[to]);
        let (small, large) = match self.members[from].len() <= self.members[to].len() {
            true => (from, to),
            false => (to, from),
        };
        self.open[large] = self.open[to];
        for record in std::mem::take(&mut self.members[small]) {
            self.of[record] = large;
            self.members[large].push(record);
        }
    }
}

/// A tree of the forest, from a root.
struct Tree {
    /// Its records, each before those behind it, with the place of the one before.
    records: Vec<(usize, usize)>,
    /// For each of them, how many there are with all behind it.
    sizes: Vec<usize>,
}

impl Tree {
    fn new(forest: &Forest<'_>, root: usize) -> Self {
        let mut records = vec![(root, 0)];
        let mut place = 0;
        while let Some(&(record, before)) = records.get(place) {
            let parent = (place > 0).then(|| records[before].0);
            for &next in &forest.neighbours[record] {
                if Some(next) != parent {
                    records.push((next, place));
                }
            }
            place += 1;
        }
        let mut sizes = vec![1; records.len()];
        for place in (1..records.len()).rev() {
            sizes[records[place].1] += sizes[place];
        }
        Tree { records, sizes }
    }

    /// Where a tree of more than max(2k - 1, 3k - 5) records is cut: a record, and the branches
    /// of it that go, so that k or more stay and k or more go.
    fn cut(&self, forest: &Forest<'_>, k: usize) -> (usize, Vec<usize>) {
        let all = self.records.len();
        let mut branches: Vec<Vec<(usize, usize)>> = vec![Vec::new(); all];
        for place in 1..all {
            let before = self.records[place].1;
            branches[before].push((place, self.sizes[place]));
            branches[place].push((before, all - self.sizes[place]));
        }
        let largest = |place: usize| {
            let key = |&(branch, size): &(usize, usize)| {
                (size, std::cmp::Reverse(self.records[branch].0))
            };
            branches[place]
                .iter()
                .copied()
                .max_by_key(key)
                .unwrap_or((place, 0))
        };
        let mut at = 0;
        let (branch, size) = loop {
            let (branch, size) = largest(at);
            match all - size + 1 < k {
                // Too few are on this side of the largest branch.
                true => at = branch,
                false => break (branch, size),
            }
        };
        let record = |place: usize| self.records[place].0;
        let others = |place: usize, but: usize| -> Vec<usize> {
            let branches = branches[place].iter().map(|&(branch, _)| branch);
            branches
                .filter(|&branch| branch != but)
                .map(record)
                .collect()
        };
        if size >= k && all - size >= k {
            return (record(at), vec![record(branch)]);
        }
        if all - size + 1 == k {
            // One more is needed on this side: the first of the branch.
            return (record(branch), others(branch, at));
        }
        if size + 1 == k {
            return (record(at), others(at, branch));
        }
        // All branches are small: some of them go, with the record if it is needed.
        let sizes: std::collections::HashMap<usize, usize> = (branches[at].iter())
            .map(|&(branch, size)| (record(branch), size))
            .collect();
        let order = forest.by_nearness(record(at), &others(at, at));
        let mut gathered = 0;
        let count = order.iter().take_while(|&branch| {
            let more = gathered + 1 < k;
            gathered += if more { sizes[branch] } else { 0 };
            more
        });
        let (near, far) = order.split_at(count.count());
        match gathered >= k {
            true => (record(at), near.to_vec()),
            false => (record(at), far.to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Attribute, Records};
    use crate::protect::microaggregation::axes::Axes;
    use proptest::prelude::*;

    fn grouped(values: &[f64], width: usize, k: usize) -> Vec<Vec<usize>> {
        let mut records = Records::new(width);
        values
            .chunks_exact(width)
            .for_each(|record| records.push(record));
        let points = Points {
            axes: &Axes::new(&vec![Attribute::Number; width]),
            records: &records,
            weights: &vec![1.0; width],
        };
        mu_approx(&points, k, usize::MAX, &Cancel::default())
    }

    fn loss(values: &[f64], group: &[usize]) -> f64 {
        let mean = group.iter().map(|&row| values[row]).sum::<f64>() / group.len() as f64;
        group.iter().map(|&row| (values[row] - mean).powi(2)).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn every_record_is_in_one_group_and_groups_keep_their_sizes(
            values in prop::collection::vec((0..30).prop_map(f64::from), 2..160),
            width in 1..3_usize,
            k in 2..9_usize,
        ) {
            let records = values.len() / width;
            prop_assume!(records >= k);
            let groups = grouped(&values[..records * width], width, k);
            let most = (2 * k - 1).max((3 * k).saturating_sub(5));
            prop_assert!(groups.iter().all(|group| (k..=most).contains(&group.len())));
            let mut rows = groups.concat();
            rows.sort_unstable();
            prop_assert_eq!(rows, (0..records).collect::<Vec<_>>());
        }

        #[test]
        fn the_loss_is_near_the_least_possible(
            values in prop::collection::vec((0..50).prop_map(f64::from), 4..40),
            k in 2..5_usize,
        ) {
            prop_assume!(values.len() >= k);
            let found: f64 = grouped(&values, 1, k).iter().map(|group| loss(&values, group)).sum();
            let mut sorted = values.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            let mut from = 0;
            let ends = super::super::cuts::best_cuts(&sorted, 1, k, &Cancel::default());
            let least: f64 = ends.iter().map(|&end| {
                let group: Vec<usize> = (from..end).collect();
                from = end;
                loss(&sorted, &group)
            }).sum();
            prop_assert!(found >= least - 1e-9);
            prop_assert!(found <= least * (k * k * k) as f64 + 1e-9, "{} {}", found, least);
        }
    }

    #[test]
    fn records_that_lie_together_are_grouped() {
        let values = [1.0, 50.0, 2.0, 51.0, 90.0, 3.0, 52.0, 91.0, 92.0];
        assert_eq!(grouped(&values, 1, 3), [[0, 2, 5], [1, 3, 6], [4, 7, 8]]);
    }

    #[test]
    fn long_trees_and_stars_are_cut() {
        // A path: each record is nearest to the one before.
        let path: Vec<f64> = (0..200).map(|n| f64::from(n) * f64::from(n)).collect();
        // A star: all are nearest to the first.
        let star: Vec<f64> = (0..60)
            .flat_map(|n| {
                let turn = f64::from(n) * 0.1;
                let far = if n == 0 { 0.0 } else { 1.0 };
                [far * turn.cos(), far * turn.sin()]
            })
            .collect();
        for k in 2..8_usize {
            let most = (2 * k - 1).max((3 * k).saturating_sub(5));
            for groups in [grouped(&path, 1, k), grouped(&star, 2, k)] {
                assert!(groups.iter().all(|group| (k..=most).contains(&group.len())));
            }
        }
    }
}
