//! What a column of text holds, decided from its first rows.
//!
//! Whole numbers, numbers, dates of one of [`DateFormat::GUESSED`], else
//! categories. Texts such as `00123` or `+49` are codes rather than numbers and
//! whole numbers beyond 2^53 are ids, so they stay categories. A column in which
//! every cell looks like a date is one of dates even if some do not exist: the
//! reader then says which line is wrong instead of hiding it in a category.

use super::misfit::Unfit;
use super::number;
use super::options::ReadAs;
use moretta_data::data::DateFormat;

/// How many rows are looked at before a type is decided.
pub(super) const SAMPLE_ROWS: usize = 65_536;

/// What the cells seen so far could be.
#[derive(Clone, Debug)]
pub(super) struct Guess {
    seen: u64,
    finite: u64,
    whole: bool,
    number: bool,
    dates: [u64; DateFormat::GUESSED.len()],
    date: bool,
    decimal_comma: bool,
}

impl Default for Guess {
    fn default() -> Self {
        Guess {
            seen: 0,
            finite: 0,
            whole: true,
            number: true,
            dates: [0; DateFormat::GUESSED.len()],
            date: true,
            decimal_comma: false,
        }
    }
}

impl Guess {
    /// No cell seen yet, of a file whose numbers may have a comma before their decimals.
    pub(super) fn new(decimal_comma: bool) -> Self {
        Guess {
            decimal_comma,
            ..Guess::default()
        }
    }

    /// Takes note of a cell that is not missing.
    pub(super) fn see(&mut self, text: &str) {
        self.seen += 1;
        if self.number {
            self.see_number(text);
        }
        if self.date {
            self.see_date(text);
        }
    }

    fn see_number(&mut self, text: &str) {
        if is_code(text) {
            self.number = false;
            return;
        }
        let parsed = match self.decimal_comma {
            true => number::parse_with_comma(text),
            false => number::parse(text),
        };
        match parsed {
            Ok(parsed) => {
                self.finite += 1;
                self.whole &= parsed.whole;
            }
            Err(Unfit::Finite) => self.whole = false,
            Err(_) => self.number = false,
        }
    }

    fn see_date(&mut self, text: &str) {
        let text = text.trim_matches(' ');
        self.date = looks_like_a_date(text);
        for (count, format) in self.dates.iter_mut().zip(DateFormat::GUESSED) {
            *count += u64::from(format.parse(text).is_some());
        }
    }

    /// What the column is to be read as.
    pub(super) fn verdict(&self) -> ReadAs {
        if self.number && self.finite > 0 {
            return if self.whole {
                ReadAs::Integer
            } else {
                ReadAs::Number
            };
        }
        let best = (0..self.dates.len()).rev().max_by_key(|&i| self.dates[i]);
        match best {
            Some(i) if self.date && self.dates[i] > 0 => ReadAs::Date(DateFormat::GUESSED[i]),
            _ => ReadAs::Category,
        }
    }
}

/// Digits that are a name rather than a quantity: leading zeros or a plus.
fn is_code(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    matches!(digits, [b'0', b'0'..=b'9', ..] | [b'+', ..])
}

/// Three runs of digits with one of the guessed separators between them.
fn looks_like_a_date(text: &str) -> bool {
    DateFormat::GUESSED.iter().any(|format| {
        let mut parts = 0;
        let digits = text.split(|c| Some(c) == format.separator).all(|part| {
            parts += 1;
            matches!(part.len(), 1..=4) && part.bytes().all(|b| b.is_ascii_digit())
        });
        digits && parts == 3
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_recognised() {
        let german = DateFormat::from_pattern("%d.%m.%Y").expect("a pattern");
        for (cells, expected) in [
            (&["1", "-2", "0"][..], ReadAs::Integer),
            (&["1", "2.5"], ReadAs::Number),
            (&["1", "NaN"], ReadAs::Number),
            (&["NaN"], ReadAs::Category),
            (&["00123", "12345"], ReadAs::Category),
            (&["+49", "1"], ReadAs::Category),
            (&["9007199254740993"], ReadAs::Category),
            (&["2024-03-01", "2026-02-30"], ReadAs::Date(DateFormat::ISO)),
            (&["01.03.2024", "2.3.2024"], ReadAs::Date(german)),
            (&["2024-03-01", "01.03.2024"], ReadAs::Date(DateFormat::ISO)),
            (&["2024-03-01", "soon"], ReadAs::Category),
            (&["1.2.3"], ReadAs::Category),
            (&["a", "1"], ReadAs::Category),
            (&[], ReadAs::Category),
        ] {
            let mut guess = Guess::default();
            cells.iter().for_each(|cell| guess.see(cell));
            assert_eq!(guess.verdict(), expected, "{cells:?}");
        }
    }
}
