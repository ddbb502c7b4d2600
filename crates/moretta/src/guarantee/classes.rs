//! Groups rows by the texts of their quasi-identifiers, over any number of batches.
//!
//! Rows are alike when every text is the same, byte for byte; missing is alike
//! only to missing. Each tuple of codes is stored once, in one arena; equal
//! hashes are settled by comparing the codes, so two classes are never mixed up.
//!
//! Cost: one table lookup a row, no allocation a row; memory grows with the
//! number of classes, not of rows.

use crate::data::{Categories, Levels, LevelsBuilder, MISSING, seen};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::sync::Arc;

/// Codes of a column's texts that stay the same while the dictionaries of the
/// batches change.
#[derive(Default)]
pub(super) struct Texts {
    known: LevelsBuilder,
    dictionary: Dictionary,
}

impl Texts {
    /// Puts the code of each slot into `out`; a missing slot stays [`MISSING`].
    pub(super) fn translate(&mut self, column: &Categories, out: &mut Vec<u32>) {
        self.dictionary.translate(&mut self.known, column, out);
    }

    /// The same by what a reader sees: texts that look alike have one code, and a cell that is
    /// suppressed, `*`, is missing.
    pub(super) fn translate_looks(&mut self, column: &Categories, out: &mut Vec<u32>) {
        let Texts { known, dictionary } = self;
        dictionary.translate_by(column, out, |text| {
            seen(text).map(|text| known.intern(&text))
        });
    }

    /// The texts seen so far, in code order.
    pub(super) fn levels(&self) -> &Levels {
        self.known.levels()
    }
}

/// The dictionary of the last batch and what its codes are among the known texts.
#[derive(Default)]
pub(super) struct Dictionary {
    levels: Arc<Levels>,
    codes: Vec<u32>,
}

impl Dictionary {
    /// Puts the known code of each slot into `out`; a missing slot stays [`MISSING`].
    pub(super) fn translate(
        &mut self,
        known: &mut LevelsBuilder,
        column: &Categories,
        out: &mut Vec<u32>,
    ) {
        self.translate_by(column, out, |text| Some(known.intern(text)));
    }

    fn translate_by(
        &mut self,
        column: &Categories,
        out: &mut Vec<u32>,
        mut intern: impl FnMut(&str) -> Option<u32>,
    ) {
        if !Arc::ptr_eq(&self.levels, column.levels()) {
            self.levels = Arc::clone(column.levels());
            self.codes.clear();
            self.codes.resize(self.levels.len(), MISSING);
        }
        out.clear();
        out.extend(column.codes().iter().map(|&code| {
            if code == MISSING {
                return MISSING;
            }
            // Only texts that a row shows are taken up: a dictionary may be far larger.
            let known_code = &mut self.codes[code as usize];
            if *known_code == MISSING {
                *known_code = intern(self.levels.get(code)).unwrap_or(MISSING);
            }
            *known_code
        }));
    }
}

/// Classes of equal tuples of codes, numbered in the order of appearance.
pub(super) struct Classes {
    width: usize,
    tuples: Vec<u32>,
    table: HashTable<u32>,
    hashes: Vec<u64>,
}

impl Classes {
    /// Classes of tuples of `width` codes.
    pub(super) fn new(width: usize) -> Self {
        Classes {
            width,
            tuples: Vec::new(),
            table: HashTable::new(),
            hashes: Vec::new(),
        }
    }

    /// How many classes there are.
    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    /// How many codes a tuple has.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The codes of a class.
    pub(super) fn tuple(&self, class: usize) -> &[u32] {
        &self.tuples[class * self.width..][..self.width]
    }

    /// Puts the class of each of `rows` rows into `out`.
    pub(super) fn assign(&mut self, columns: &[Vec<u32>], rows: usize, out: &mut Vec<u32>) {
        self.hashes.clear();
        self.hashes.resize(rows, 0);
        for column in columns {
            for (hash, &code) in self.hashes.iter_mut().zip(column) {
                *hash = mix(*hash, code);
            }
        }
        let (width, tuples) = (self.width, &mut self.tuples);
        out.clear();
        for (row, &hash) in self.hashes.iter().enumerate() {
            let next = self.table.len() as u32;
            let entry = self.table.entry(
                hash,
                |&class| {
                    let tuple = &tuples[class as usize * width..][..width];
                    tuple.iter().zip(columns).all(|(&code, c)| code == c[row])
                },
                |&class| {
                    let tuple = &tuples[class as usize * width..][..width];
                    tuple.iter().fold(0, |hash, &code| mix(hash, code))
                },
            );
            out.push(match entry {
                Entry::Occupied(class) => *class.get(),
                Entry::Vacant(slot) => {
                    slot.insert(next);
                    tuples.extend(columns.iter().map(|c| c[row]));
                    next
                }
            });
        }
    }
}

/// Folds the 128-bit product into 64 bits, so that every bit of both reaches every bit.
fn mix(hash: u64, code: u32) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    let product = u128::from(hash ^ u64::from(code) ^ ODD.rotate_left(32)) * u128::from(ODD);
    (product as u64) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_keep_their_codes_when_dictionaries_change() {
        let mut texts = Texts::default();
        let mut out = Vec::new();
        texts.translate(
            &[Some("a"), None, Some("b")].into_iter().collect(),
            &mut out,
        );
        assert_eq!(out, [0, MISSING, 1]);
        texts.translate(&[Some("b"), Some(""), None].into_iter().collect(), &mut out);
        assert_eq!(out, [1, 2, MISSING]);
    }

    #[test]
    fn classes_are_numbered_by_appearance() {
        let mut classes = Classes::new(2);
        let mut out = Vec::new();
        let columns = [vec![1, 0, 1, MISSING], vec![0, 1, 0, 0]];
        classes.assign(&columns, 4, &mut out);
        assert_eq!(out, [0, 1, 0, 2]);
        assert_eq!(classes.len(), 3);
    }

    #[test]
    fn without_columns_all_rows_are_one_class() {
        let mut classes = Classes::new(0);
        let mut out = Vec::new();
        classes.assign(&[], 3, &mut out);
        assert_eq!((out, classes.len()), (vec![0, 0, 0], 1));
    }
}
