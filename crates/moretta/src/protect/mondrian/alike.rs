//! Classes that show the same are one class to a reader of the release.
//!
//! Boxes that never overlap may still show the same: `*` is the top of a
//! hierarchy and also a mix of missing and present values, and a representative
//! may stand for several classes. Classes that hold also hold together, except
//! where persons are counted (see [`Limits::unite`]); and a class that was close to
//! the whole table need not be close to what suppression leaves of it. In both cases classes are judged here as they will
//! be released. Where one fails, cuts are undone: the smallest set of the
//! recursion around it that keeps to the guarantee becomes one class.
//!
//! Costs a pass over the rows a round; every round undoes at least one cut.

use super::super::limits::Limits;
use super::partition::Partition;
use crate::data::Column;
use crate::error::Result;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::ops::RangeInclusive;

/// The partition with cuts undone until every class holds as it is shown, and
/// what it shows. `None` when not even all its rows together hold.
pub(super) fn mend(
    mut partition: Partition,
    limits: &Limits,
    show: impl Fn(&Partition) -> Result<Vec<Column>>,
) -> Result<Option<(Partition, Vec<Column>)>> {
    loop {
        let columns = show(&partition)?;
        let failing: Vec<Vec<usize>> = alike(&partition, &columns)
            .into_par_iter()
            .filter(|classes| !limits.hold(&partition.rows_of(classes)))
            .collect();
        if failing.is_empty() {
            return Ok(Some((partition, columns)));
        }
        let around = failing
            .iter()
            .map(|classes| around(&partition, classes, limits));
        let Some(joined) = around.collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        partition = partition.join(joined);
    }
}

/// The coarser classes, `coarser` of each row, of which one shows what another shows, in some
/// part of it.
pub(super) fn spread(partition: &Partition, columns: &[Column], coarser: &[u32]) -> Vec<u32> {
    let firsts: Vec<u32> = partition.classes().map(|rows| rows[0]).collect();
    let of = |class: &usize| coarser[firsts[*class] as usize];
    let groups = alike(partition, columns).into_iter();
    let several = groups.filter(|classes| classes.iter().any(|c| of(c) != of(&classes[0])));
    several
        .flat_map(|classes| classes.iter().map(of).collect::<Vec<u32>>())
        .collect()
}

/// The classes that show the same, in the order of the first of them.
fn alike(partition: &Partition, columns: &[Column]) -> Vec<Vec<usize>> {
    let mut place_of: HashMap<Vec<u64>, usize, FixedState> = HashMap::default();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (class, rows) in partition.classes().enumerate() {
        let shown = columns.iter().map(|column| shown(column, rows[0] as usize));
        let place = *place_of.entry(shown.collect()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(class),
            None => groups.push(vec![class]),
        }
    }
    groups
}

/// What a cell shows: equal for equal texts.
fn shown(column: &Column, row: usize) -> u64 {
    match column {
        Column::Category(categories) => u64::from(categories.codes()[row]),
        // Both zeros have one text.
        Column::Number(numbers) => numbers.get(row).map_or(u64::MAX, |n| (n + 0.0).to_bits()),
        Column::Plain(_) => 0,
    }
}

/// The smallest set of the recursion that holds these classes and keeps to the limits.
fn around(
    partition: &Partition,
    classes: &[usize],
    limits: &Limits,
) -> Option<RangeInclusive<usize>> {
    let depths = &partition.depths;
    let (mut first, mut last) = (*classes.first()?, *classes.last()?);
    // Between classes of a coarser release, which stay apart, the depth is 0.
    let mut depth = depths[first + 1..=last].iter().min().copied();
    if depth == Some(0) {
        return None;
    }
    loop {
        // A set of the recursion ends where a cut is less deep than those inside it.
        if let Some(depth) = depth {
            while first > 0 && depths[first] >= depth {
                first -= 1;
            }
            while depths.get(last + 1).is_some_and(|&next| next >= depth) {
                last += 1;
            }
            if limits.hold(partition.rows_between(first, last)) {
                return Some(first..=last);
            }
        }
        let outside = depths[first].max(depths.get(last + 1).copied().unwrap_or(0));
        depth = Some(outside).filter(|&outside| outside > 0);
        depth?;
    }
}

impl Partition {
    fn rows_between(&self, first: usize, last: usize) -> &[u32] {
        let start = first.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.rows[start..self.ends[last]]
    }

    fn rows_of(&self, classes: &[usize]) -> Vec<u32> {
        let rows = classes.iter().map(|&class| self.rows_between(class, class));
        rows.collect::<Vec<_>>().concat()
    }

    /// Each of these runs of classes as one class. Runs are nested or apart.
    fn join(self, mut runs: Vec<RangeInclusive<usize>>) -> Partition {
        runs.sort_by_key(|run| (*run.start(), std::cmp::Reverse(*run.end())));
        let n_axes = self.spans.len() / self.ends.len().max(1);
        let mut joined = Partition {
            rows: self.rows,
            ends: Vec::with_capacity(self.ends.len()),
            spans: Vec::with_capacity(self.spans.len()),
            depths: Vec::with_capacity(self.depths.len()),
        };
        let mut runs = runs.into_iter().peekable();
        let mut class = 0;
        while class < self.ends.len() {
            while runs.next_if(|run| *run.start() < class).is_some() {}
            let last = runs
                .next_if(|run| *run.start() == class)
                .map_or(class, |run| *run.end());
            joined.ends.push(self.ends[last]);
            joined.depths.push(self.depths[class]);
            for axis in 0..n_axes {
                let spans = (class..=last).map(|class| self.spans[class * n_axes + axis]);
                let wider = |a: (u32, u32), b: (u32, u32)| (a.0.min(b.0), a.1.max(b.1));
                joined.spans.extend(spans.reduce(wider));
            }
            class = last + 1;
        }
        joined
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Classes of two rows each; the cuts before them have these depths.
    fn partition(depths: &[u32]) -> Partition {
        let n = depths.len();
        Partition {
            rows: (0..2 * n as u32).collect(),
            ends: (1..=n).map(|class| 2 * class).collect(),
            spans: (0..n as u32).map(|class| (class, class)).collect(),
            depths: depths.to_vec(),
        }
    }

    #[test]
    fn the_smallest_set_of_the_recursion_around_classes_is_found() {
        // ((0 1) 2) | ((3 4 5) 6)
        let partition = partition(&[0, 3, 2, 1, 3, 3, 2]);
        for (classes, k, expected) in [
            (&[0, 1][..], 2, Some(0..=1)),
            (&[1], 4, Some(0..=1)),
            (&[1], 5, Some(0..=2)),
            (&[3, 5], 2, Some(3..=5)),
            (&[4], 2, Some(3..=5)),
            (&[5, 6], 2, Some(3..=6)),
            (&[2, 3], 2, Some(0..=6)),
            (&[2], 9, Some(0..=6)),
            (&[2], 15, None),
        ] {
            let found = around(&partition, classes, &Limits::rows(k));
            assert_eq!(found, expected, "{classes:?} {k}");
        }
    }

    #[test]
    fn joined_classes_have_the_rows_and_the_extent_of_all() {
        let joined = partition(&[0, 3, 2, 1, 3]).join(vec![0..=1, 0..=2, 1..=1, 3..=4]);
        let classes: Vec<&[u32]> = joined.classes().collect();
        assert_eq!(classes, [&[0, 1, 2, 3, 4, 5][..], &[6, 7, 8, 9]]);
        assert_eq!(joined.spans, [(0, 2), (3, 4)]);
        assert_eq!(joined.depths, [0, 1]);
    }
}
