//! The labels that were shown, each known by number, with the next coarser one.
//!
//! Labels are compared byte for byte: two that were taken for one would be
//! counted together, and too many users is what a checker must not find.

use crate::data::hierarchy::{Ladder, Rungs};
use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// The number of no label.
pub(super) const NO_LABEL: u32 = u32::MAX;

/// Labels of several columns, numbered in the order of their first appearance.
#[derive(Default)]
pub(super) struct Labels {
    text: String,
    entries: Vec<Entry>,
    /// Numbers, each beside the hash of its label so that growing reads no text.
    table: HashTable<(u64, u32)>,
    rungs: Rungs,
}

#[derive(Clone, Copy)]
struct Entry {
    end: usize,
    column: u32,
    above: u32,
}

fn hash(column: u32, label: &str) -> u64 {
    FixedState::with_seed(u64::from(column)).hash_one(label)
}

impl Labels {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The most specific label of a value, noted with all labels above it;
    /// [`NO_LABEL`] when the ladder does not know the value.
    pub(super) fn of_value(&mut self, column: u32, ladder: &Ladder, value: &str) -> u32 {
        let mut rungs = std::mem::take(&mut self.rungs);
        ladder.climb(value, &mut rungs);
        let label = self.note(column, &rungs);
        self.rungs = rungs;
        label
    }

    /// Walks up to the first label that is known, which knows those above it, and
    /// notes the others on the way back.
    fn note(&mut self, column: u32, rungs: &Rungs) -> u32 {
        let mut known = rungs.len();
        let mut label = NO_LABEL;
        for (place, text) in rungs.iter().enumerate() {
            if let Some(number) = self.find(column, text) {
                (known, label) = (place, number);
                break;
            }
        }
        for place in (0..known).rev() {
            label = self.push(column, rungs.get(place), label);
        }
        label
    }

    /// The number of a label, if a value has shown it.
    pub(super) fn find(&self, column: u32, label: &str) -> Option<u32> {
        let key = hash(column, label);
        let same = |&(hash, number): &(u64, u32)| {
            hash == key
                && self.entries[number as usize].column == column
                && self.get(number) == label
        };
        let entry = self.table.find(key, same);
        entry.map(|&(_, number)| number)
    }

    /// The label and all coarser ones.
    #[inline]
    pub(super) fn upwards(&self, label: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = label;
        std::iter::from_fn(move || {
            let label = next;
            next = self.entries.get(label as usize)?.above;
            Some(label)
        })
    }

    /// Keeps some labels. A kept label's coarser ones must be kept too.
    pub(super) fn retain(&mut self, keep: &[bool]) {
        let old = std::mem::take(self);
        let mut numbers = vec![NO_LABEL; old.len()];
        for number in 0..old.len() {
            // A label is noted after those above it, so these have their new numbers.
            if keep[number] {
                let Entry { column, above, .. } = old.entries[number];
                let above = numbers.get(above as usize).copied().unwrap_or(NO_LABEL);
                numbers[number] = self.push(column, old.get(number as u32), above);
            }
        }
        self.rungs = old.rungs;
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.text.capacity()
            + self.entries.capacity() * size_of::<Entry>()
            + self.table.allocation_size()
    }

    fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let start = match number {
            0 => 0,
            _ => self.entries[number - 1].end,
        };
        &self.text[start..self.entries[number].end]
    }

    fn push(&mut self, column: u32, label: &str, above: u32) -> u32 {
        let number = self.entries.len() as u32;
        let hash = hash(column, label);
        self.text.push_str(label);
        self.entries.push(Entry {
            end: self.text.len(),
            column,
            above,
        });
        self.table
            .insert_unique(hash, (hash, number), |&(hash, _)| hash);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::hierarchy::{HierarchySpec, Texts};

    fn path() -> Ladder {
        HierarchySpec::Path("*".to_owned())
            .ladder("place", Texts::Category)
            .expect("a ladder")
    }

    fn chain(labels: &Labels, label: u32) -> Vec<&str> {
        labels
            .upwards(label)
            .map(|number| labels.get(number))
            .collect()
    }

    #[test]
    fn a_value_and_a_part_of_another_are_one_label_within_a_column() {
        let mut labels = Labels::default();
        let deep = labels.of_value(0, &path(), "a*b*c");
        let part = labels.of_value(0, &path(), "a*b");
        let other = labels.of_value(1, &path(), "a*b");
        assert_eq!(chain(&labels, deep), ["a*b*c", "a*b", "a"]);
        assert_eq!(chain(&labels, deep).len(), 3);
        assert_eq!(labels.upwards(deep).nth(1), Some(part));
        assert_ne!(part, other);
        assert_eq!(labels.find(0, "b"), None);
    }

    #[test]
    fn what_is_kept_keeps_what_is_above_it() {
        let mut labels = Labels::default();
        for value in ["a*b", "c", "a*d", "e*f"] {
            labels.of_value(0, &path(), value);
        }
        let kept = ["a", "a*d", "c"];
        let keep: Vec<bool> = (0..labels.len() as u32)
            .map(|number| kept.contains(&labels.get(number)))
            .collect();
        labels.retain(&keep);
        assert_eq!(labels.len(), 3);
        let found = labels.find(0, "a*d").expect("kept");
        assert_eq!(chain(&labels, found), ["a*d", "a"]);
        assert_eq!(labels.find(0, "a*b"), None);
    }
}
