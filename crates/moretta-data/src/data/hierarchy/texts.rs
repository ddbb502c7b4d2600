//! What the texts of a column are.

use crate::data::DateFormat;
use crate::data::schema::Kind;

/// What the texts of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Texts {
    /// Numbers, written as Rust displays an `f64`.
    Number,
    /// Dates of this format.
    Date(DateFormat),
    /// Anything else.
    Category,
}

impl Texts {
    /// What the texts of a column of this kind are.
    pub fn of(kind: &Kind) -> Self {
        match kind {
            Kind::Number { .. } => Texts::Number,
            Kind::Date(format) => Texts::Date(*format),
            Kind::Category { .. } | Kind::Plain(_) => Texts::Category,
        }
    }

    /// The number that `text` stands for: itself, or the day of a date. A
    /// category may be a number too.
    pub(super) fn number(self, text: &str) -> Option<f64> {
        match self {
            Texts::Date(format) => format.parse(text).map(f64::from),
            _ => text.parse().ok().filter(|n: &f64| n.is_finite()),
        }
    }

    /// Whether `text` is one number or one date.
    pub fn is_number(self, text: &str) -> bool {
        self.number(text).is_some()
    }

    /// `text` as the same value stands in the column.
    pub(super) fn canonical(self, text: &str) -> Option<String> {
        let number = self.number(text)?;
        match self {
            Texts::Number => Some((number + 0.0).to_string()),
            Texts::Date(format) => Some(format.format(number as i32)),
            Texts::Category => None,
        }
    }
}
