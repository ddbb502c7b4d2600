//! Groups rows once; every measure of classes reads the same sizes.
//!
//! The codes of a row are put together into one number, and a sort brings equal ones
//! together. Rows come in no useful order, so that a hash table of as many groups as rows
//! would miss the cache several times a row; a sort reads and writes in order.
//!
//! Cost: n log n, and while sorting 24 bytes a row, or 8 where only sizes in rows are asked for.

use rayon::prelude::*;
use std::collections::BTreeMap;

/// How many groups have a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeCount {
    /// Persons (or rows) in the group.
    pub size: u64,
    /// How many groups have it.
    pub groups: u64,
}

/// The sizes of the groups of equal quasi-identifiers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sizes {
    /// Rows in each group.
    pub rows: Vec<u32>,
    /// Persons in each group; the same as rows when no subject is known.
    pub persons: Vec<u32>,
    /// Rows in each group that have its most frequent label.
    pub majority: Vec<u32>,
}

impl Sizes {
    /// How many groups have each number of persons, ascending.
    pub fn histogram(&self) -> Vec<SizeCount> {
        let mut counts = BTreeMap::new();
        for &size in &self.persons {
            *counts.entry(u64::from(size)).or_insert(0) += 1;
        }
        let sizes = counts.into_iter();
        sizes
            .map(|(size, groups)| SizeCount { size, groups })
            .collect()
    }
}

/// The person and the label of each row, where there are such.
#[derive(Default)]
pub(super) struct Belonging {
    pub(super) persons: Option<Vec<u32>>,
    pub(super) labels: Option<Vec<u32>>,
}

/// Rows as codes, column by column, in which only [`MISSING`](crate::data::MISSING) is
/// larger than all others.
pub(super) struct Rows<'a> {
    pub(super) columns: Vec<&'a [u32]>,
    pub(super) count: usize,
    pub(super) belonging: &'a Belonging,
}

/// Groups of rows with equal codes.
pub(super) struct Groups {
    pub(super) sizes: Sizes,
    /// A row of each group.
    pub(super) members: Vec<u32>,
}

impl Groups {
    /// Of the rows of all `parts`, which are numbered one part after the other.
    pub(super) fn new(parts: &[Rows<'_>]) -> Self {
        let mut sorted = tagged(parts);
        sorted.par_sort_unstable();
        let labels = joined(parts, |belonging| belonging.labels.as_ref());
        let counts_persons = parts.iter().any(|part| part.belonging.persons.is_some());
        let mut groups = Groups {
            sizes: Sizes::default(),
            members: Vec::new(),
        };
        let mut labels_here = Vec::new();
        for group in sorted.chunk_by(|a, b| a >> 64 == b >> 64) {
            let sizes = &mut groups.sizes;
            sizes.rows.push(group.len() as u32);
            if counts_persons {
                let others = group.windows(2).filter(|w| w[0] >> 32 != w[1] >> 32);
                sizes.persons.push(1 + others.count() as u32);
            }
            groups.members.push(group[0] as u32);
            if let Some(labels) = &labels {
                labels_here.clear();
                labels_here.extend(group.iter().map(|&row| labels[row as u32 as usize]));
                sizes.majority.push(most_frequent(&mut labels_here));
            }
        }
        let sizes = &mut groups.sizes;
        if !counts_persons {
            sizes.persons = sizes.rows.clone();
        }
        sizes.majority.resize(sizes.rows.len(), 0);
        groups
    }

    /// The sizes alone: where nothing is known of persons and labels, the keys say enough.
    pub(super) fn sizes(parts: &[Rows<'_>]) -> Sizes {
        let belongs = |part: &Rows<'_>| {
            let Belonging { persons, labels } = part.belonging;
            persons.is_some() || labels.is_some()
        };
        if parts.iter().any(belongs) {
            return Groups::new(parts).sizes;
        }
        let mut keys = keys_of(parts);
        keys.par_sort_unstable();
        let groups = keys.chunk_by(|a, b| a == b);
        let rows: Vec<u32> = groups.map(|group| group.len() as u32).collect();
        Sizes {
            persons: rows.clone(),
            majority: vec![0; rows.len()],
            rows,
        }
    }
}

/// The key, the person and the number of each row in one word, which sorts by them in turn.
fn tagged(parts: &[Rows<'_>]) -> Vec<u128> {
    let keys = keys_of(parts);
    let persons = joined(parts, |belonging| belonging.persons.as_ref());
    let person = |row: usize| persons.as_ref().map_or(0, |persons| persons[row]);
    let rows = keys.into_par_iter().enumerate();
    rows.map(|(row, key)| u128::from(key) << 64 | u128::from(person(row)) << 32 | row as u128)
        .collect()
}

fn keys_of(parts: &[Rows<'_>]) -> Vec<u64> {
    let width = parts.first().map_or(0, |part| part.columns.len());
    let columns = (0..width).map(|place| parts.iter().map(move |part| part.columns[place]));
    keys(columns, parts.iter().map(|part| part.count).sum())
}

/// What the parts hold, one after the other; none when no part holds it.
fn joined<'a>(
    parts: &[Rows<'a>],
    of: impl Fn(&'a Belonging) -> Option<&'a Vec<u32>>,
) -> Option<std::borrow::Cow<'a, [u32]>> {
    let mut held = parts.iter().filter_map(|part| of(part.belonging));
    let first = held.next()?;
    let mut rest = held.filter(|codes| !codes.is_empty()).peekable();
    Some(match rest.peek() {
        None => first.as_slice().into(),
        Some(_) => [first].into_iter().chain(rest).flatten().copied().collect(),
    })
}

/// A number for each of `count` rows, equal where all columns of codes are. Each column
/// comes in pieces, which are those of the rows.
pub(super) fn keys<'a, P>(columns: impl Iterator<Item = P>, count: usize) -> Vec<u64>
where
    P: Iterator<Item = &'a [u32]> + Clone,
{
    let mut keys = vec![0; count];
    // Keys are below this.
    let mut bound: u64 = 1;
    for pieces in columns {
        // A missing value is 0, any other one more than its code.
        let largest = pieces.clone().flatten().map(|code| code.wrapping_add(1));
        let base = u64::from(largest.max().unwrap_or(0)) + 1;
        bound = match bound.checked_mul(base) {
            Some(bound) => bound,
            None => number_densely(&mut keys) * base,
        };
        for (key, code) in keys.iter_mut().zip(pieces.flatten()) {
            *key = *key * base + u64::from(code.wrapping_add(1));
        }
    }
    keys
}

/// The number of the group of each row, of rows equal in all columns of codes, and how many
/// groups there are.
pub(super) fn numbered<'a, P>(columns: impl Iterator<Item = P>, count: usize) -> (Vec<u32>, usize)
where
    P: Iterator<Item = &'a [u32]> + Clone,
{
    let keys = keys(columns, count).into_par_iter().enumerate();
    let mut sorted: Vec<(u64, u32)> = keys.map(|(row, key)| (key, row as u32)).collect();
    sorted.par_sort_unstable();
    let mut group_of = vec![0; count];
    let mut groups = 0;
    for group in sorted.chunk_by(|a, b| a.0 == b.0) {
        for &(_, row) in group {
            group_of[row as usize] = groups as u32;
        }
        groups += 1;
    }
    (group_of, groups)
}

/// Numbers equal keys 0, 1, 2, … in their order; gives back how many there are. They are
/// fewer than 2³², as rows are, so that one more column fits.
fn number_densely(keys: &mut [u64]) -> u64 {
    let mut distinct = keys.to_vec();
    distinct.par_sort_unstable();
    distinct.dedup();
    keys.par_iter_mut()
        .for_each(|key| *key = distinct.partition_point(|other| other < key) as u64);
    distinct.len().max(1) as u64
}

/// How often the most frequent code occurs.
fn most_frequent(codes: &mut [u32]) -> u32 {
    codes.sort_unstable();
    let runs = codes.chunk_by(|a, b| a == b).map(<[u32]>::len);
    runs.max().unwrap_or(0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::MISSING;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn keys_are_equal_where_all_codes_are_however_large_they_are(
            rows in proptest::collection::vec(
                proptest::collection::vec(prop_oneof![0..3u32, Just(MISSING), Just(MISSING - 1)], 5),
                0..40,
            ),
        ) {
            let columns: Vec<Vec<u32>> = (0..5)
                .map(|place| rows.iter().map(|row| row[place]).collect())
                .collect();
            let pieces = columns.iter().map(|column| {
                let (one, other) = column.split_at(rows.len() / 2);
                [one, other].into_iter()
            });
            let keys = keys(pieces, rows.len());
            for (a, key) in rows.iter().zip(&keys) {
                for (b, other) in rows.iter().zip(&keys) {
                    prop_assert_eq!(a == b, key == other);
                }
            }
        }
    }
}
