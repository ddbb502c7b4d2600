//! Texts known by number, each stored once.
//!
//! Two texts get the same number only if they are equal byte for byte: a
//! collision of users would count too few, a collision of paths too many.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// No number.
pub(super) const GONE: u32 = u32::MAX;

/// Texts known by number. A text is known within its `space`, so that equal
/// texts with different meanings have different numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    text: String,
    ends: Vec<usize>,
    spaces: Vec<u16>,
    /// Part of the hash beside the number, so that growing reads no text.
    table: HashTable<(u32, u32)>,
}

/// A text that was hashed, to be looked up later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hashed(u32);

/// Hashes a text to look it up.
pub(super) fn hashed(space: u16, text: &str) -> Hashed {
    let hash = FixedState::with_seed(u64::from(space)).hash_one(text);
    Hashed((hash >> 32) as u32 ^ hash as u32)
}

/// Spreads the kept part of a hash over 64 bits.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl Names {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text with this number.
    pub(super) fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let start = if number == 0 {
            0
        } else {
            self.ends[number - 1]
        };
        &self.text[start..self.ends[number]]
    }

    /// The number of a text, if it has one.
    pub(super) fn find(&self, space: u16, text: &str, Hashed(hash): Hashed) -> Option<u32> {
        let same = |&(other, number): &(u32, u32)| {
            other == hash && self.get(number) == text && self.spaces[number as usize] == space
        };
        self.table.find(spread(hash), same).map(|entry| entry.1)
    }

    /// Gives the next number to a text that has none.
    pub(super) fn push(&mut self, space: u16, text: &str, Hashed(hash): Hashed) -> u32 {
        let number = self.len() as u32;
        self.text.push_str(text);
        self.ends.push(self.text.len());
        self.spaces.push(space);
        self.table
            .insert_unique(spread(hash), (hash, number), |entry| spread(entry.0));
        number
    }

    /// The number of a text, a new one if it has none.
    pub(super) fn intern(&mut self, space: u16, text: &str) -> u32 {
        let hash = hashed(space, text);
        match self.find(space, text, hash) {
            Some(number) => number,
            None => self.push(space, text, hash),
        }
    }

    /// Forgets the texts whose numbers are not kept; the others move up. Gives
    /// the new number of each, [`GONE`] for those that were forgotten.
    pub(super) fn retain(&mut self, keep: impl Fn(u32) -> bool) -> Vec<u32> {
        let old = std::mem::take(self);
        (0..old.len() as u32)
            .map(|number| match keep(number) {
                true => {
                    let space = old.spaces[number as usize];
                    let text = old.get(number);
                    self.push(space, text, hashed(space, text))
                }
                false => GONE,
            })
            .collect()
    }

    /// Bytes held besides the texts.
    pub(super) fn overhead(&self) -> usize {
        self.ends.capacity() * size_of::<usize>()
            + self.spaces.capacity() * size_of::<u16>()
            + self.table.allocation_size()
    }

    /// Bytes of the texts.
    pub(super) fn text_bytes(&self) -> usize {
        self.text.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_number_in_each_space() {
        let mut names = Names::default();
        let numbers: Vec<u32> = [(0, "a"), (1, "a"), (0, "b"), (0, "a"), (1, "a"), (0, "")]
            .iter()
            .map(|&(space, text)| names.intern(space, text))
            .collect();
        assert_eq!(numbers, [0, 1, 2, 0, 1, 3]);
        assert_eq!((names.get(2), names.get(3)), ("b", ""));
        assert_eq!(names.find(2, "a", hashed(2, "a")), None);
    }

    #[test]
    fn what_is_not_kept_is_forgotten_and_the_rest_moves_up() {
        let mut names = Names::default();
        for number in 0..1000 {
            names.intern(0, &format!("name {number}"));
        }
        let moved = names.retain(|number| number % 3 == 0);
        assert_eq!(names.len(), 334);
        for (old, &new) in moved.iter().enumerate() {
            let text = format!("name {old}");
            match old % 3 {
                0 => assert_eq!(
                    (names.intern(0, &text), names.get(new)),
                    (new, text.as_str())
                ),
                _ => assert_eq!((new, names.find(0, &text, hashed(0, &text))), (GONE, None)),
            }
        }
    }
}
