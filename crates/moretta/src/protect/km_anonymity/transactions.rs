//! The items of each person, as leaves of a hierarchy, and the persons who have each of them.

use std::ops::Range;

/// The items of all persons who have some; these are numbered in the order of their codes.
pub(super) struct Transactions {
    /// The code of each person, ascending.
    codes: Vec<u32>,
    /// Where the items of each person begin, and where the last ones end.
    starts: Vec<usize>,
    /// Ascending for each person, each once.
    items: Vec<u32>,
    /// Where the persons of each leaf begin, and where the last ones end.
    leaf_starts: Vec<usize>,
    persons_of: Vec<u32>,
}

impl Transactions {
    /// Of pairs of persons and leaves, in any order and repeated.
    pub(super) fn new(pairs: impl Iterator<Item = (u32, u32)>, leaves: usize) -> Self {
        let mut pairs: Vec<(u32, u32)> = pairs.collect();
        pairs.sort_unstable();
        pairs.dedup();
        let (mut codes, mut starts) = (Vec::new(), vec![0]);
        let of_one = |a: &(u32, u32), b: &(u32, u32)| a.0 == b.0;
        for items in pairs.chunk_by(of_one) {
            codes.push(items[0].0);
            starts.push(starts[starts.len() - 1] + items.len());
        }
        let mut leaf_starts = vec![0; leaves + 1];
        for &(_, leaf) in &pairs {
            leaf_starts[leaf as usize + 1] += 1;
        }
        for leaf in 0..leaves {
            leaf_starts[leaf + 1] += leaf_starts[leaf];
        }
        let mut next = leaf_starts.clone();
        let mut persons_of = vec![0; pairs.len()];
        for (items, person) in pairs.chunk_by(of_one).zip(0..) {
            for &(_, leaf) in items {
                persons_of[next[leaf as usize]] = person;
                next[leaf as usize] += 1;
            }
        }
        Transactions {
            codes,
            starts,
            items: pairs.into_iter().map(|(_, leaf)| leaf).collect(),
            leaf_starts,
            persons_of,
        }
    }

    /// Whether nobody has an item.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The code of a person.
    pub(super) fn code(&self, person: u32) -> u32 {
        self.codes[person as usize]
    }

    /// How many persons have items.
    pub(super) fn persons(&self) -> usize {
        self.starts.len() - 1
    }

    /// Items of a person on average.
    pub(super) fn mean_items(&self) -> f64 {
        self.items.len() as f64 / self.persons().max(1) as f64
    }

    /// The items of a person, ascending.
    pub(super) fn of(&self, person: usize) -> &[u32] {
        &self.items[self.starts[person]..self.starts[person + 1]]
    }

    /// How many persons have a leaf.
    pub(super) fn support(&self, leaf: u32) -> usize {
        self.leaf_starts[leaf as usize + 1] - self.leaf_starts[leaf as usize]
    }

    /// The persons who have one of these leaves, ascending.
    pub(super) fn having(&self, leaves: Range<u32>) -> Vec<u32> {
        let range = self.leaf_starts[leaves.start as usize]..self.leaf_starts[leaves.end as usize];
        let mut persons = self.persons_of[range].to_vec();
        persons.sort_unstable();
        persons.dedup();
        persons
    }
}
