//! Whether a column that is not protected is released as it was.
//!
//! Numbers are compared as numbers, texts as texts, arrays as arrays; a file
//! that holds a number as text is compared by the number. Cells that a CSV sink
//! escaped against formula injection count as unchanged when that is allowed.

use super::classes::{Dictionary, Texts};
use crate::data::{Categories, Column, Kind, LevelsBuilder, MISSING, Numbers};
use crate::error::{Error, Result};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use std::borrow::Cow;

/// Compares the released and the original values of one column.
pub(super) struct Same {
    kind: Kind,
    escapes: bool,
    texts: LevelsBuilder,
    dictionaries: [Dictionary; 2],
    codes: [Vec<u32>; 2],
    number_texts: Texts,
    numbers: Vec<Option<f64>>,
}

impl Same {
    pub(super) fn new(kind: Kind, escapes: bool) -> Self {
        Same {
            kind,
            escapes,
            texts: LevelsBuilder::default(),
            dictionaries: Default::default(),
            codes: Default::default(),
            number_texts: Texts::default(),
            numbers: Vec::new(),
        }
    }

    /// How many rows differ.
    pub(super) fn count_changed(&mut self, original: &Column, released: &Column) -> Result<u64> {
        match (original, released) {
            (Column::Number(a), Column::Number(b)) => {
                Ok(count(a.len(), |row| a.get(row) != b.get(row)))
            }
            (Column::Number(a), b) => Ok(self.count_changed_numbers(a, &*texts_of(b)?)),
            (Column::Plain(a), Column::Plain(b)) if a.data_type() == b.data_type() => {
                match count_unequal(a, b) {
                    changed if changed > 0 && self.escapes => {
                        self.count_changed_texts_of(original, released)
                    }
                    changed => Ok(changed),
                }
            }
            (a, b) => self.count_changed_texts_of(a, b),
        }
    }

    fn count_changed_texts_of(&mut self, original: &Column, released: &Column) -> Result<u64> {
        Ok(self.count_changed_texts(&*texts_of(original)?, &*texts_of(released)?))
    }

    fn count_changed_texts(&mut self, original: &Categories, released: &Categories) -> u64 {
        for ((dictionary, codes), column) in self
            .dictionaries
            .iter_mut()
            .zip(&mut self.codes)
            .zip([original, released])
        {
            dictionary.translate(&mut self.texts, column, codes);
        }
        let [a, b] = &self.codes;
        count(a.len(), |row| {
            a[row] != b[row] && !self.is_escape(a[row], b[row])
        })
    }

    fn is_escape(&self, original: u32, released: u32) -> bool {
        let text = |code| self.texts.levels().get(code);
        self.escapes
            && original != MISSING
            && released != MISSING
            && unescaped(text(released)) == Some(text(original))
    }

    fn count_changed_numbers(&mut self, original: &Numbers, released: &Categories) -> u64 {
        self.number_texts.translate(released, &mut self.codes[1]);
        for code in self.numbers.len()..self.number_texts.levels().len() {
            let number = number_of(self.number_texts.levels().get(code as u32), &self.kind);
            self.numbers.push(number);
        }
        let codes = &self.codes[1];
        count(original.len(), |row| {
            match (original.get(row), codes[row]) {
                (None, code) => code != MISSING,
                (Some(_), MISSING) => true,
                (number, code) => self.numbers[code as usize] != number,
            }
        })
    }
}

/// The text without the quote that guards it against being read as a formula.
pub(super) fn unescaped(text: &str) -> Option<&str> {
    let plain = text.strip_prefix('\'')?;
    plain
        .starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '\0'])
        .then_some(plain)
}

/// The column as texts.
pub(super) fn texts_of(column: &Column) -> Result<Cow<'_, Categories>> {
    match column {
        Column::Category(categories) => Ok(Cow::Borrowed(categories)),
        Column::Number(numbers) => Ok(Cow::Owned(
            numbers.iter().map(|n| n.map(|n| n.to_string())).collect(),
        )),
        Column::Plain(array) => {
            let texts = arrow_cast::cast(array, &DataType::Utf8)
                .map_err(|_| Error::bug("a column of this type has no text to compare"))?;
            Ok(Cow::Owned(texts.as_string::<i32>().iter().collect()))
        }
    }
}

fn number_of(text: &str, kind: &Kind) -> Option<f64> {
    match kind {
        Kind::Date(format) => format.parse(text).map(f64::from),
        _ => text.parse().ok(),
    }
}

fn count_unequal(a: &ArrayRef, b: &ArrayRef) -> u64 {
    if a.as_ref() == b.as_ref() {
        return 0;
    }
    count(a.len(), |row| {
        a.slice(row, 1).as_ref() != b.slice(row, 1).as_ref()
    })
}

fn count(rows: usize, differs: impl Fn(usize) -> bool) -> u64 {
    (0..rows).filter(|&row| differs(row)).count() as u64
}
