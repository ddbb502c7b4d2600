//! A column of any batch as plain words that compare equal when the values do.

use crate::data::{Categories, Column, Levels, LevelsBuilder, MISSING, Numbers};
use crate::error::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::sync::Arc;

/// The word of a missing value; no finite number has these bits.
pub(super) const MISSING_WORD: u64 = u64::MAX;

/// Gives texts codes that stay the same while dictionaries change.
#[derive(Default)]
pub(super) struct Codes {
    known: LevelsBuilder,
    dictionary: Arc<Levels>,
    known_code: Vec<u32>,
    code_of_number: HashMap<u64, u32, FixedState>,
}

impl Codes {
    /// Calls `take` with the code of each slot, [`MISSING`] for a missing one.
    pub(super) fn each(&mut self, column: &Categories, mut take: impl FnMut(u32)) {
        if !Arc::ptr_eq(&self.dictionary, column.levels()) {
            self.dictionary = Arc::clone(column.levels());
            self.known_code.clear();
            self.known_code.resize(self.dictionary.len(), MISSING);
        }
        for &code in column.codes() {
            let Some(known) = self.known_code.get_mut(code as usize) else {
                take(MISSING);
                continue;
            };
            if *known == MISSING {
                *known = self.known.intern(self.dictionary.get(code));
            }
            take(*known);
        }
    }

    /// As [`Codes::each`], for numbers, which are told by their texts.
    pub(super) fn each_number(&mut self, column: &Numbers, mut take: impl FnMut(u32)) {
        for slot in column.iter() {
            let Some(number) = slot.map(|n| n + 0.0) else {
                take(MISSING);
                continue;
            };
            let known = &mut self.known;
            let code = self.code_of_number.entry(number.to_bits());
            take(*code.or_insert_with(|| known.intern(&number.to_string())));
        }
    }

    /// The texts seen so far, in code order.
    pub(super) fn texts(&self) -> &Levels {
        self.known.levels()
    }
}

/// Words of one column: the bits of a number, or the code of a text.
#[derive(Default)]
pub(super) struct Words {
    pub(super) codes: Codes,
    pub(super) words: Vec<u64>,
}

impl Words {
    /// Puts the words of the column into `self.words`.
    pub(super) fn read(&mut self, name: &str, column: &Column) -> Result<()> {
        self.words.clear();
        self.words.reserve(column.len());
        match column {
            // Adding 0 makes the two zeros equal.
            Column::Number(numbers) if numbers.present().is_none() => self
                .words
                .extend(numbers.values().iter().map(|n| (n + 0.0).to_bits())),
            Column::Number(numbers) => self.words.extend(
                numbers
                    .iter()
                    .map(|n| n.map_or(MISSING_WORD, |n| (n + 0.0).to_bits())),
            ),
            Column::Category(categories) => {
                let Words { codes, words } = self;
                codes.each(categories, |code| {
                    words.push(if code == MISSING {
                        MISSING_WORD
                    } else {
                        u64::from(code)
                    });
                });
            }
            Column::Plain(_) => {
                return Err(Error::bug(format!(
                    "column `{name}` is measured but was read as plain"
                )));
            }
        }
        Ok(())
    }
}
