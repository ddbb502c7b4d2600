//! A column of any batch as codes that are equal when the values are.

use crate::data::{Categories, Column, Levels, LevelsBuilder, MISSING, Numbers, plain_text};
use crate::error::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::sync::Arc;

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

/// Numbers, each known by a code.
#[derive(Default)]
struct NumberCodes {
    code_of: HashMap<u64, u32, FixedState>,
    numbers: Vec<f64>,
}

impl NumberCodes {
    fn code(&mut self, number: f64) -> u32 {
        // Adding 0 makes the two zeros equal.
        let number = number + 0.0;
        let numbers = &mut self.numbers;
        *self.code_of.entry(number.to_bits()).or_insert_with(|| {
            numbers.push(number);
            numbers.len() as u32 - 1
        })
    }
}

/// What a column holds in one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Held<'a> {
    Missing,
    Number(f64),
    Text(&'a str),
}

/// The distinct values of one column, numbers or texts, each known by a code.
#[derive(Default)]
pub(super) struct Values {
    texts: Codes,
    numbers: NumberCodes,
}

impl Values {
    /// Appends the code of each slot to `codes`, [`MISSING`] for a missing one.
    pub(super) fn read(&mut self, name: &str, column: &Column, codes: &mut Vec<u32>) -> Result<()> {
        match column {
            Column::Number(numbers) => codes.extend(
                numbers
                    .iter()
                    .map(|slot| slot.map_or(MISSING, |number| self.numbers.code(number))),
            ),
            Column::Category(categories) => self.texts.each(categories, |code| codes.push(code)),
            Column::Plain(_) => return Err(read_as_plain(name)),
        }
        Ok(())
    }

    /// The value of a code that [`Values::read`] gave.
    pub(super) fn get(&self, code: u32) -> Held<'_> {
        match (code, self.numbers.numbers.get(code as usize)) {
            (MISSING, _) => Held::Missing,
            (_, Some(&number)) => Held::Number(number),
            (code, None) => Held::Text(self.texts.texts().get(code)),
        }
    }
}

/// Codes of persons or labels, of which nothing matters but whether they are equal.
#[derive(Default)]
pub(super) struct Identities {
    /// The codes of the first dictionary are taken as they are, so that a table with one
    /// dictionary for all of its batches costs no look-up of texts.
    first: Option<Arc<Levels>>,
    others: Codes,
}

impl Identities {
    /// Appends the code of each slot to `codes`, [`MISSING`] for a missing one.
    pub(super) fn read(&mut self, name: &str, column: &Column, codes: &mut Vec<u32>) -> Result<()> {
        match column {
            Column::Category(categories) => {
                let first = self
                    .first
                    .get_or_insert_with(|| categories.levels().clone());
                if Arc::ptr_eq(first, categories.levels()) {
                    codes.extend_from_slice(categories.codes());
                    return Ok(());
                }
                if self.others.texts().is_empty() {
                    self.others.known = LevelsBuilder::from_levels(first);
                }
                self.others.each(categories, |code| codes.push(code));
            }
            Column::Number(numbers) => self.others.each_number(numbers, |code| codes.push(code)),
            Column::Plain(array) => {
                let texts: Categories = plain_text::shown(array)
                    .map_err(|_| read_as_plain(name))?
                    .iter()
                    .collect();
                self.others.each(&texts, |code| codes.push(code));
            }
        }
        Ok(())
    }
}

/// Appends for how many persons each row stands.
pub(super) fn read_weights(name: &str, column: &Column, weights: &mut Vec<f64>) -> Result<()> {
    let start = weights.len();
    match column {
        Column::Number(numbers) => {
            weights.extend(numbers.iter().map(|slot| slot.unwrap_or(f64::NAN)));
        }
        Column::Category(categories) => {
            let numbers = (0..categories.len()).map(|row| categories.get(row));
            weights.extend(numbers.map(|text| number_of(text)));
        }
        Column::Plain(array) => {
            let texts = plain_text::shown(array).map_err(|_| read_as_plain(name))?;
            weights.extend(texts.iter().map(|text| number_of(text)));
        }
    }
    let wrong = weights[start..]
        .iter()
        .filter(|&&weight| !(weight > 0.0 && weight.is_finite()));
    match wrong.count() {
        0 => Ok(()),
        wrong => Err(Error::input(format!(
            "column `{name}` tells for how many persons each row stands, and {wrong} of its cells are no positive number"
        ))
        .help("fill them in, or take `weights` out of [measure]")),
    }
}

fn number_of(text: Option<&str>) -> f64 {
    let number = text.and_then(|text| text.trim().parse().ok());
    number.unwrap_or(f64::NAN)
}

fn read_as_plain(name: &str) -> Error {
    Error::bug(format!("column `{name}` is measured but was read as plain"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_has_one_code_in_all_dictionaries() {
        let mut identities = Identities::default();
        let mut codes = Vec::new();
        let first: Categories = [Some("a"), Some("b"), None].into_iter().collect();
        let second: Categories = [Some("c"), Some("b"), Some("a"), None]
            .into_iter()
            .collect();
        for column in [&first, &second, &first, &second] {
            let column = Column::Category(column.clone());
            identities.read("p", &column, &mut codes).expect("codes");
        }
        let (a, b, c) = (codes[0], codes[1], codes[3]);
        assert_eq!(codes[..7], [a, b, MISSING, c, b, a, MISSING]);
        assert_eq!(codes[7..], codes[..7]);
        assert!(a != b && b != c && a != c);
    }
}
