//! The distinct texts of a category column, each known by its code.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Distinct texts, stored once in one piece; code `i` is the `i`-th text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    text: String,
    ends: Vec<usize>,
}

impl Levels {
    /// How many texts there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text of `code`.
    pub fn get(&self, code: u32) -> &str {
        let code = code as usize;
        let start = if code == 0 { 0 } else { self.ends[code - 1] };
        &self.text[start..self.ends[code]]
    }

    /// The texts in code order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        (0..self.len() as u32).map(|code| self.get(code))
    }

    /// Appends a text without looking whether it is there already.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<usize>()
    }
}

impl<S: AsRef<str>> FromIterator<S> for Levels {
    fn from_iter<I: IntoIterator<Item = S>>(texts: I) -> Self {
        let mut levels = Levels::default();
        for text in texts {
            levels.push(text.as_ref());
        }
        levels
    }
}

/// Gives each distinct text a code, in the order of first appearance.
#[derive(Clone, Debug, Default)]
pub struct LevelsBuilder {
    levels: Levels,
    table: HashTable<u32>,
    hasher: FixedState,
}

impl LevelsBuilder {
    /// A builder that already knows `levels`, with their codes.
    pub fn from_levels(levels: &Levels) -> Self {
        let mut builder = LevelsBuilder::default();
        for text in levels.iter() {
            builder.intern(text);
        }
        builder
    }

    /// The code of `text`, a new one if it was not seen before.
    pub fn intern(&mut self, text: &str) -> u32 {
        let hash = self.hasher.hash_one(text);
        let levels = &self.levels;
        if let Some(&code) = self.table.find(hash, |&code| levels.get(code) == text) {
            return code;
        }
        let code = self.levels.len() as u32;
        self.levels.push(text);
        let (levels, hasher) = (&self.levels, &self.hasher);
        self.table
            .insert_unique(hash, code, |&code| hasher.hash_one(levels.get(code)));
        code
    }

    /// The code of `text` if it was seen before.
    pub fn find(&self, text: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(text);
        self.table
            .find(hash, |&code| self.levels.get(code) == text)
            .copied()
    }

    /// How many distinct texts were seen.
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    /// Whether none was seen.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// The texts seen so far.
    pub fn levels(&self) -> &Levels {
        &self.levels
    }

    /// The texts, in code order.
    pub fn finish(self) -> Levels {
        self.levels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_follow_first_appearance() {
        let mut builder = LevelsBuilder::default();
        let codes: Vec<u32> = ["b", "a", "", "b", "a"]
            .iter()
            .map(|text| builder.intern(text))
            .collect();
        assert_eq!(codes, [0, 1, 2, 0, 1]);
        assert_eq!(builder.find("a"), Some(1));
        assert_eq!(builder.find("c"), None);
        let levels = builder.finish();
        assert_eq!(levels.iter().collect::<Vec<_>>(), ["b", "a", ""]);
    }
}
