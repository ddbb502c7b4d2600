//! Groups rows once; every measure of classes reads the same sizes.
//!
//! Cost: one table lookup a row, one more with a subject and one more with a
//! label. Memory grows with the number of groups and, with a subject, of
//! (group, person) pairs.

use super::column::Words;
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::collections::BTreeMap;
use std::hash::BuildHasher;

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

/// Groups of rows with equal words.
pub(super) struct Groups {
    columns: usize,
    tuples: Vec<u64>,
    table: HashTable<u32>,
    hasher: FixedState,
    hashes: Vec<u64>,
    rows: Vec<u32>,
    persons: Option<Persons>,
    labels: HashTable<(u32, u32, u32)>,
}

/// The (group, person) pairs seen, and how many persons each group has.
#[derive(Default)]
struct Persons {
    seen: HashTable<(u32, u32)>,
    sizes: Vec<u32>,
}

/// The person and the label of each row, where there are such.
#[derive(Default)]
pub(super) struct Belonging {
    pub(super) persons: Option<Vec<u32>>,
    pub(super) labels: Option<Vec<u32>>,
}

impl Groups {
    /// Groups by so many columns; counts persons apart from rows if asked.
    pub(super) fn new(columns: usize, persons: bool) -> Self {
        Groups {
            columns,
            tuples: Vec::new(),
            table: HashTable::new(),
            hasher: FixedState::default(),
            hashes: Vec::new(),
            rows: Vec::new(),
            persons: persons.then(Default::default),
            labels: HashTable::new(),
        }
    }

    /// Takes `count` rows: their words, persons and labels.
    pub(super) fn add(&mut self, columns: &[Words], count: usize, belonging: &Belonging) {
        let mut hashes = std::mem::take(&mut self.hashes);
        hash_rows(columns, count, &mut hashes);
        for (row, &hash) in hashes.iter().enumerate() {
            let group = self.group(columns, row, hash);
            self.rows[group as usize] += 1;
            if let Some(persons) = &belonging.persons {
                self.count_person(group, persons[row]);
            }
            if let Some(labels) = &belonging.labels {
                self.count_label(group, labels[row]);
            }
        }
        self.hashes = hashes;
    }

    fn group(&mut self, columns: &[Words], row: usize, hash: u64) -> u32 {
        let (width, tuples) = (self.columns, &self.tuples);
        let tuple_of = |group: u32| &tuples[group as usize * width..][..width];
        let next = self.rows.len() as u32;
        let entry = self.table.entry(
            hash,
            |&group| {
                let tuple = tuple_of(group).iter();
                tuple.zip(columns).all(|(&word, c)| word == c.words[row])
            },
            |&group| {
                tuple_of(group)
                    .iter()
                    .fold(0, |hash, &word| fold(hash, word))
            },
        );
        match entry {
            Entry::Occupied(group) => *group.get(),
            Entry::Vacant(slot) => {
                slot.insert(next);
                self.tuples.extend(columns.iter().map(|c| c.words[row]));
                self.rows.push(0);
                if let Some(persons) = &mut self.persons {
                    persons.sizes.push(0);
                }
                next
            }
        }
    }

    fn count_person(&mut self, group: u32, person: u32) {
        let Some(Persons { seen, sizes }) = &mut self.persons else {
            return;
        };
        let pair = (group, person);
        let hash = |pair: &(u32, u32)| self.hasher.hash_one(pair);
        if let Entry::Vacant(slot) = seen.entry(hash(&pair), |p| *p == pair, hash) {
            slot.insert(pair);
            sizes[group as usize] += 1;
        }
    }

    fn count_label(&mut self, group: u32, label: u32) {
        let hash = |&(group, label, _): &(u32, u32, u32)| self.hasher.hash_one((group, label));
        let key = (group, label, 1);
        let entry = self
            .labels
            .entry(hash(&key), |&(g, l, _)| (g, l) == (group, label), hash);
        match entry {
            Entry::Occupied(mut count) => count.get_mut().2 += 1,
            Entry::Vacant(slot) => {
                slot.insert(key);
            }
        }
    }

    /// The words of each group.
    pub(super) fn tuples(&self) -> impl Iterator<Item = &[u64]> + '_ {
        let width = self.columns;
        (0..self.rows.len()).map(move |group| &self.tuples[group * width..][..width])
    }

    /// Rows of each group.
    pub(super) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The sizes so far.
    pub(super) fn sizes(&self) -> Sizes {
        let mut majority = vec![0; self.rows.len()];
        for &(group, _, count) in &self.labels {
            let most = &mut majority[group as usize];
            *most = count.max(*most);
        }
        let persons = self.persons.as_ref().map(|persons| &persons.sizes);
        Sizes {
            rows: self.rows.clone(),
            persons: persons.unwrap_or(&self.rows).clone(),
            majority,
        }
    }
}

/// Hashes whole columns one after the other, which is faster than row by row.
fn hash_rows(columns: &[Words], count: usize, hashes: &mut Vec<u64>) {
    hashes.clear();
    hashes.resize(count, 0);
    for column in columns {
        for (hash, &word) in hashes.iter_mut().zip(&column.words) {
            *hash = fold(*hash, word);
        }
    }
}

fn fold(hash: u64, word: u64) -> u64 {
    const PRIME: u64 = 0xA076_1D64_78BD_642F;
    let product = u128::from(hash.rotate_left(23) ^ word ^ PRIME) * u128::from(PRIME);
    (product >> 64) as u64 ^ product as u64
}
