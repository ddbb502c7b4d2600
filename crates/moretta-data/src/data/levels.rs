//! The distinct texts of a category column, each known by its code.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::{BuildHasher, Hasher};
use std::ops::Range;
use std::sync::OnceLock;

/// Distinct texts, stored once in one piece; code `i` is the `i`-th text.
#[derive(Clone, Debug, Default)]
pub struct Levels {
    text: String,
    ends: Vec<usize>,
    /// Codes by text, made when a code is first asked for.
    table: OnceLock<HashTable<Entry>>,
}

/// A code with the hash of its text, so that a table grows without reading the texts.
#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u32,
    code: u32,
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
        &self.text[self.span(code)]
    }

    #[inline]
    fn span(&self, code: u32) -> Range<usize> {
        let code = code as usize;
        let start = if code == 0 { 0 } else { self.ends[code - 1] };
        start..self.ends[code]
    }

    /// Whether `entry` is that of `text`, whose hash is `hash`.
    #[inline]
    fn is(&self, entry: Entry, hash: u32, text: &str) -> bool {
        entry.hash == hash
            && same(
                &self.text.as_bytes()[self.span(entry.code)],
                text.as_bytes(),
            )
    }

    /// All texts in one piece.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The texts in code order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        (0..self.len() as u32).map(|code| self.get(code))
    }

    /// The code of `text`, the first one if it was pushed twice.
    pub fn find(&self, text: &str) -> Option<u32> {
        let table = self.table.get_or_init(|| self.hash());
        find(table, self, hash(text), text)
    }

    fn hash(&self) -> HashTable<Entry> {
        let mut table = HashTable::with_capacity(self.len());
        for (code, text) in (0..).zip(self.iter()) {
            let hash = hash(text);
            if find(&table, self, hash, text).is_none() {
                table.insert_unique(spread(hash), Entry { hash, code }, |e| spread(e.hash));
            }
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
    table: HashTable<Entry>,
}

#[inline]
fn hash(text: &str) -> u32 {
    let mut hasher = FixedState::default().build_hasher();
    hasher.write(text.as_bytes());
    let hash = hasher.finish();
    (hash ^ hash >> 32) as u32
}

/// Whether the bytes are equal. Short words are compared as two numbers that
/// may overlap, since a call costs more.
#[inline]
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len()
        && match a.len() {
            8..=16 => {
                a.first_chunk::<8>() == b.first_chunk::<8>()
                    && a.last_chunk::<8>() == b.last_chunk::<8>()
            }
            _ => a == b,
        }
}

/// The table places by the low bits and tells apart by the high ones.
#[inline]
fn spread(hash: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(hash)
}

#[inline]
fn find(table: &HashTable<Entry>, levels: &Levels, hash: u32, text: &str) -> Option<u32> {
    table
        .find(spread(hash), |&entry| levels.is(entry, hash, text))
        .map(|entry| entry.code)
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
    #[inline]
    pub fn intern(&mut self, text: &str) -> u32 {
        let hash = hash(text);
        match find(&self.table, &self.levels, hash, text) {
            Some(code) => code,
            None => self.insert(text, hash),
        }
    }

    fn insert(&mut self, text: &str, hash: u32) -> u32 {
        let code = self.levels.len() as u32;
        self.levels.push(text);
        let entry = Entry { hash, code };
        // A small table grows fourfold: each batch of a stream starts with an empty one.
        let full = self.table.len() == self.table.capacity();
        if full && self.table.len() < 1 << 16 {
            self.table
                .reserve(3 * self.table.len() + 16, |e| spread(e.hash));
        }
        self.table
            .insert_unique(spread(hash), entry, |e| spread(e.hash));
        code
    }

    /// The code of `text` if it was seen before.
    pub fn find(&self, text: &str) -> Option<u32> {
        find(&self.table, &self.levels, hash(text), text)
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
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn codes_are_those_of_a_plain_search(
            texts in proptest::collection::vec("[ab]{0,20}", 0..300),
        ) {
            let mut builder = LevelsBuilder::default();
            let mut plain: Vec<&str> = Vec::new();
            for text in &texts {
                let place = plain.iter().position(|known| known == text);
                prop_assert_eq!(builder.find(text), place.map(|i| i as u32));
                let code = place.unwrap_or_else(|| {
                    plain.push(text);
                    plain.len() - 1
                });
                prop_assert_eq!(builder.intern(text), code as u32);
            }
            let levels = builder.finish();
            prop_assert_eq!(levels.iter().collect::<Vec<_>>(), plain);
        }
    }

    #[test]
    fn equal_hashes_do_not_make_texts_equal() {
        let mut levels = Levels::default();
        levels.push("abcdefgh");
        let entry = Entry { hash: 7, code: 0 };
        for (text, expected) in [
            ("abcdefgh", true),
            ("abcdefgx", false),
            ("xbcdefgh", false),
            ("abcdefghh", false),
            ("", false),
        ] {
            assert_eq!(levels.is(entry, 7, text), expected, "{text}");
        }
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
