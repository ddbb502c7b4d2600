//! Whether a column that is not protected is released as it was.
//!
//! Numbers are compared as numbers, texts as texts, arrays as arrays. Where the
//! file holds a typed value as text, the text is read as that type: it must give
//! the value back. Cells that a CSV sink escaped against formula injection count
//! as unchanged when that is allowed, and so do missing cells that are written as
//! the text for them in a format that has no sign of its own.

use super::classes::{Dictionary, Texts};
use crate::data::plain_text::{flat_type, has_text, plain_text};
use crate::data::{
    Categories, Column, DateFormat, Kind, LevelsBuilder, MISSING, Numbers, json_column,
};
use crate::error::{Error, Result};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_schema::DataType;
use std::borrow::Cow;
use std::sync::Arc;

/// Compares the released and the original values of one column.
pub(super) struct Same {
    kind: Kind,
    escapes: bool,
    /// What a missing cell is written as, when the format cannot mark it.
    missing: Option<String>,
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
            missing: None,
            texts: LevelsBuilder::default(),
            dictionaries: Default::default(),
            codes: Default::default(),
            number_texts: Texts::default(),
            numbers: Vec::new(),
        }
    }

    /// Says what a missing cell is written as in a format that cannot mark it.
    pub(super) fn set_missing(&mut self, text: Option<&str>) {
        self.missing = text.map(str::to_owned);
    }

    /// How many rows differ.
    pub(super) fn count_changed(&mut self, original: &Column, released: &Column) -> Result<u64> {
        match (original, released) {
            (Column::Number(a), Column::Number(b)) => {
                Ok(count(a.len(), |row| a.get(row) != b.get(row)))
            }
            (Column::Category(a), Column::Category(b)) if Arc::ptr_eq(a.levels(), b.levels()) => {
                Ok(count(a.len(), |row| a.codes()[row] != b.codes()[row]))
            }
            (Column::Number(a), Column::Plain(b)) if has_text(b.data_type()) => {
                Ok(self.count_unread_numbers(a, &plain_text(b)?))
            }
            (Column::Category(a), Column::Plain(b)) if *b.data_type() == DataType::Utf8 => {
                Ok(self.count_unlike(a, b.as_string::<i32>()))
            }
            (Column::Number(a), b) => Ok(self.count_changed_numbers(a, &*texts_of(b)?)),
            (Column::Plain(a), Column::Plain(b)) => self.count_changed_plain(a, b),
            (a, b) => Ok(self.count_changed_texts(&*texts_of(a)?, &*texts_of(b)?)),
        }
    }

    fn count_changed_plain(&mut self, original: &ArrayRef, released: &ArrayRef) -> Result<u64> {
        let (a, b) = (original, released);
        if a.as_ref() == b.as_ref() {
            return Ok(0);
        }
        let flat = flat_type(a.data_type());
        if is_text(b.data_type()) && is_text(&flat) {
            let column = |array: &ArrayRef| Ok(plain_text(array)?.iter().collect::<Categories>());
            return Ok(self.count_changed_texts(&column(a)?, &column(b)?));
        }
        if is_text(b.data_type()) {
            return Ok(self.count_unread(a, &plain_text(b)?));
        }
        if *b.data_type() == flat {
            return Ok(count_unequal(&cast(a, &flat), b));
        }
        Ok(
            count_unequal(a, &cast(b, a.data_type()))
                .max(count_unequal(&cast(a, b.data_type()), b)),
        )
    }

    /// How many of the released texts do not read as the original value.
    fn count_unread(&self, original: &ArrayRef, released: &StringArray) -> u64 {
        let text = |row: usize| {
            let text = released.value(row);
            unescaped(text).filter(|_| self.escapes).unwrap_or(text)
        };
        let rows = 0..released.len();
        let texts: ArrayRef = Arc::new(StringArray::from_iter(
            rows.map(|row| released.is_valid(row).then(|| text(row))),
        ));
        let (a, b) = match flat_type(original.data_type()) {
            // A time with a zone is a moment, and its text is one of UTC.
            DataType::Timestamp(unit, zone) => {
                let utc = zone.map(|_| "+00:00".into());
                let moments = cast(&texts, &DataType::Timestamp(unit, utc));
                (ticks(original), ticks(&moments))
            }
            flat => (cast(original, &flat), cast(&texts, &flat)),
        };
        let missing = |row: usize| {
            released.is_null(row) || self.missing.as_deref() == Some(released.value(row))
        };
        let null = |row: usize| a.is_null(row) || *a.data_type() == DataType::Null;
        let equal = a.as_ref() == b.as_ref();
        count(a.len(), |row| match null(row) {
            true => !missing(row),
            false => !equal && a.slice(row, 1).as_ref() != b.slice(row, 1).as_ref(),
        })
    }

    /// How many of the released texts do not read as the original number: without a table of
    /// texts, as nearly all of them may be different.
    fn count_unread_numbers(&self, original: &Numbers, released: &StringArray) -> u64 {
        count(original.len(), |row| {
            match (original.get(row), released.is_null(row)) {
                (number, true) => number.is_some(),
                (None, false) => self.missing.as_deref() != Some(released.value(row)),
                (number, false) => number_of(released.value(row), &self.kind) != number,
            }
        })
    }

    /// How many of the released texts are not that of the original category: without a table of
    /// texts, as most of them are seen once in few rows.
    fn count_unlike(&self, original: &Categories, released: &StringArray) -> u64 {
        let missing = self.missing.as_deref();
        count(original.len(), |row| {
            let shown = released.is_valid(row).then(|| released.value(row));
            let shown = shown.filter(|&text| Some(text) != missing);
            match (original.get(row), shown) {
                (Some(text), Some(shown)) => {
                    text != shown && !(self.escapes && unescaped(shown) == Some(text))
                }
                (text, shown) => text.is_some() || shown.is_some(),
            }
        })
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
            a[row] != b[row] && !self.is_escape(a[row], b[row]) && !self.is_missing(a[row], b[row])
        })
    }

    fn is_escape(&self, original: u32, released: u32) -> bool {
        let text = |code| self.texts.levels().get(code);
        self.escapes
            && original != MISSING
            && released != MISSING
            && unescaped(text(released)) == Some(text(original))
    }

    /// A missing cell that is written as the text for it.
    fn is_missing(&self, original: u32, released: u32) -> bool {
        original == MISSING
            && released != MISSING
            && self.missing.as_deref() == Some(self.texts.levels().get(released))
    }

    fn count_changed_numbers(&mut self, original: &Numbers, released: &Categories) -> u64 {
        self.number_texts.translate(released, &mut self.codes[1]);
        for code in self.numbers.len()..self.number_texts.levels().len() {
            let number = number_of(self.number_texts.levels().get(code as u32), &self.kind);
            self.numbers.push(number);
        }
        let (codes, missing) = (&self.codes[1], self.missing.as_deref());
        count(original.len(), |row| {
            match (original.get(row), codes[row]) {
                (None, MISSING) => false,
                (None, code) => missing != Some(self.number_texts.levels().get(code)),
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
            if !has_text(array.data_type()) {
                return Err(Error::bug("a column of this type has no text to compare"));
            }
            Ok(Cow::Owned(plain_text(array)?.iter().collect()))
        }
    }
}

pub(super) fn number_of(text: &str, kind: &Kind) -> Option<f64> {
    match kind {
        // Typed formats hold days and no form, so their text is that of ISO 8601.
        Kind::Date(format) => format
            .parse(text)
            .or_else(|| DateFormat::ISO.parse(text))
            .map(f64::from),
        _ => text.parse().ok(),
    }
}

/// Whether a format that knows only text gave the column: text, or tokens of JSON.
fn is_text(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View
    ) || *data_type == json_column::data_type()
}

/// The values as another type; those that do not fit are missing.
fn cast(array: &ArrayRef, to: &DataType) -> ArrayRef {
    arrow_cast::cast(array, to).unwrap_or_else(|_| arrow_array::new_null_array(to, array.len()))
}

/// Timestamps as whole numbers of their unit.
fn ticks(array: &ArrayRef) -> ArrayRef {
    cast(
        &cast(array, &flat_type(array.data_type())),
        &DataType::Int64,
    )
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
