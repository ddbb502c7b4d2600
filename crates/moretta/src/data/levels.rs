//! The distinct texts of a category column, each known by its code.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;
use std::sync::OnceLock;

/// Distinct texts, stored once in one piece; code `i` is the `i`-th text.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    text: String,
    ends: Vec<usize>,
    /// Codes by text, made when a code is first asked for.
    table: OnceLock<HashTable<u32>>,
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

    /// The code of `text`, the first one if it was pushed twice.
    pub fn find(&self, text: &str) -> Option<u32> {
        let table = self.table.get_or_init(|| self.hash());
        table
            .find(hash(text), |&code| self.get(code) == text)
            .copied()
    }

    fn hash(&self) -> HashTable<u32> {
        let mut table = HashTable::with_capacity(self.len());
        for (code, text) in (0..).zip(self.iter()) {
            table
                .entry(
                    hash(text),
                    |&other| self.get(other) == text,
                    |&code| hash(self.get(code)),
                )
                .or_insert(code);
        }
        table
    }

    /// Appends a text without looking whether it is there already.
    pub fn push(&mut self, text: &str) {
        self.table.take();
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.text.capacity()
            + self.ends.capacity() * size_of::<usize>()
            + self.table.get().map_or(0, HashTable::allocation_size)
    }
}

impl PartialEq for Levels {
    fn eq(&self, other: &Self) -> bool {
        self.ends == other.ends && self.text == other.text
    }
}

impl Eq for Levels {}

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
}

fn hash(text: &str) -> u64 {
    FixedState::default().hash_one(text)
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
        let key = hash(text);
        let levels = &self.levels;
        if let Some(&code) = self.table.find(key, |&code| levels.get(code) == text) {
            return code;
        }
        let code = self.levels.len() as u32;
        self.levels.push(text);
        let levels = &self.levels;
        self.table
            .insert_unique(key, code, |&code| hash(levels.get(code)));
        code
    }

    /// The code of `text` if it was seen before.
    pub fn find(&self, text: &str) -> Option<u32> {
        self.table
            .find(hash(text), |&code| self.levels.get(code) == text)
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
    pub fn finish(mut self) -> Levels {
        self.levels.table = OnceLock::from(self.table);
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
        assert_eq!((levels.find(""), levels.find("c")), (Some(2), None));
    }

    #[test]
    fn a_text_pushed_after_a_search_is_found_too() {
        let mut levels: Levels = ["b", "a", "b"].iter().collect();
        assert_eq!((levels.find("b"), levels.find("c")), (Some(0), None));
        levels.push("c");
        assert_eq!((levels.find("c"), levels.find("a")), (Some(3), Some(1)));
        let same: Levels = ["b", "a", "b", "c"].iter().collect();
        assert_eq!(levels, same);
    }
}
