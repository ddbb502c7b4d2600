//! Texts known by 64 bits.
//!
//! Whoever counts sets of texts over a long stream cannot keep the texts. The hash
//! is keyed afresh in each process, so nobody can choose texts that collide; among
//! twenty million texts two share a key with a chance of about one in 100,000.

use crate::data::{Categories, Levels, MISSING};
use foldhash::quality::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;

/// The key of a missing text; the chance that a text has it is one in 2⁶⁴.
pub(super) const NOTHING: u64 = 0;

/// The keys of the texts of one column; those of two columns are unrelated.
#[derive(Default)]
pub(super) struct Keys {
    state: RandomState,
    dictionary: Arc<Levels>,
    /// [`NOTHING`] where a code has not been met yet.
    of_code: Vec<u64>,
}

impl Keys {
    /// Gets ready for the codes of a column.
    pub(super) fn start(&mut self, column: &Categories) {
        if !Arc::ptr_eq(&self.dictionary, column.levels()) {
            self.dictionary = Arc::clone(column.levels());
            self.of_code.clear();
            self.of_code.resize(self.dictionary.len(), NOTHING);
        }
    }

    /// The key of the text that has this code.
    #[inline]
    pub(super) fn key(&mut self, code: u32) -> u64 {
        if code == MISSING {
            return NOTHING;
        }
        let key = &mut self.of_code[code as usize];
        if *key == NOTHING {
            *key = self.state.hash_one(self.dictionary.get(code));
        }
        *key
    }

    /// Bytes held, without the dictionary that belongs to the batch.
    pub(super) fn memory(&self) -> usize {
        self.of_code.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_keeps_its_key_when_dictionaries_change() {
        let mut keys = Keys::default();
        let mut of = |texts: &[Option<&str>]| -> Vec<u64> {
            let column: Categories = texts.iter().copied().collect();
            keys.start(&column);
            column.codes().iter().map(|&code| keys.key(code)).collect()
        };
        let (first, second) = (
            of(&[Some("a"), None, Some("b"), Some("a")]),
            of(&[Some("b"), Some("a"), Some("")]),
        );
        assert_eq!(first[0], first[3]);
        assert_eq!([first[2], first[0]], second[..2]);
        assert_eq!(first[1], NOTHING);
        assert!(first[0] != first[2] && second[2] != NOTHING);
    }

    #[test]
    fn equal_texts_of_two_columns_have_unrelated_keys() {
        let column: Categories = [Some("a")].into_iter().collect();
        let key = || {
            let mut keys = Keys::default();
            keys.start(&column);
            keys.key(0)
        };
        assert_ne!(key(), key());
    }
}
