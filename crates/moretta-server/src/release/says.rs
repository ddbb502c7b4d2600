//! What a released cell says, in the release's own words: a value, an interval `57..80`, a set
//! `{a|b}`, a mask `47***`, or anything `*`.

use moretta::data::Region;

/// The text of a cell that says nothing but that there is a value.
const ANYTHING: &str = "*";

/// What a text says.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Says<'a> {
    /// Some value.
    Anything,
    /// A value from one to another, both included.
    Between(Bound<'a>, Bound<'a>),
    /// One of these.
    OneOf(Vec<String>),
    /// A text whose last characters are hidden.
    Masked(&'a str, usize),
    /// This.
    Text(&'a str),
}

/// An end of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Bound<'a> {
    /// There is none.
    Open,
    /// A number.
    Number(f64),
    /// A day, year first, which sorts as a text.
    Day(&'a str),
}

impl<'a> Says<'a> {
    /// Reads a text.
    pub(super) fn read(text: &'a str) -> Self {
        if text == ANYTHING {
            return Says::Anything;
        }
        if let Some(set) = Region::listed(text) {
            return Says::OneOf(set);
        }
        if let Some((low, high)) = text.split_once("..")
            && let Some((low, high)) = ends(low, high)
        {
            return Says::Between(low, high);
        }
        if let Some(value) = Bound::value(text) {
            return Says::Between(value, value);
        }
        let shown = text.trim_end_matches('*');
        match text.len() - shown.len() {
            0 => Says::Text(text),
            hidden => Says::Masked(shown, hidden),
        }
    }

    /// Whether some value is meant by both.
    pub(super) fn overlaps(&self, other: &Says<'_>) -> bool {
        match (self, other) {
            (Says::Anything, _) | (_, Says::Anything) => true,
            (Says::Between(low, high), Says::Between(from, to)) => {
                low.is_before(to, true) && from.is_before(high, true)
            }
            (Says::OneOf(values), other) | (other, Says::OneOf(values)) => values
                .iter()
                .any(|value| Says::read_value(value).overlaps(other)),
            (Says::Masked(shown, hidden), Says::Text(text))
            | (Says::Text(text), Says::Masked(shown, hidden)) => covers(shown, *hidden, text),
            (Says::Masked(shown, hidden), Says::Masked(other, others)) => {
                shown.chars().count() + hidden == other.chars().count() + others
                    && (shown.starts_with(other) || other.starts_with(shown))
            }
            (Says::Masked(shown, hidden), Says::Between(from, to))
            | (Says::Between(from, to), Says::Masked(shown, hidden)) => {
                // A masked number stands for the numbers with its first digits.
                let with = |digit: &str| format!("{shown}{}", digit.repeat(*hidden));
                let (low, high) = (with("0"), with("9"));
                match (Bound::value(&low), Bound::value(&high)) {
                    (Some(low), Some(high)) => {
                        low.is_before(to, true) && from.is_before(&high, true)
                    }
                    _ => false,
                }
            }
            (Says::Text(text), Says::Text(other)) => text == other,
            (Says::Text(_), Says::Between(..)) | (Says::Between(..), Says::Text(_)) => false,
        }
    }

    /// A value of a set, which is nothing but a value.
    fn read_value(text: &str) -> Says<'_> {
        match Bound::value(text) {
            Some(value) => Says::Between(value, value),
            None => Says::Text(text),
        }
    }
}

fn covers(shown: &str, hidden: usize, text: &str) -> bool {
    text.strip_prefix(shown)
        .is_some_and(|rest| rest.chars().count() == hidden)
}

fn ends<'a>(low: &'a str, high: &'a str) -> Option<(Bound<'a>, Bound<'a>)> {
    let end = |text: &'a str| match text {
        "" => Some(Bound::Open),
        text => Bound::value(text),
    };
    let (low, high) = (end(low)?, end(high)?);
    let fits = match (low, high) {
        (Bound::Open, Bound::Open) => false,
        (low, high) => low.is_before(&high, true),
    };
    fits.then_some((low, high))
}

impl<'a> Bound<'a> {
    fn value(text: &'a str) -> Option<Self> {
        if is_day(text) {
            return Some(Bound::Day(text));
        }
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
        number.map(Bound::Number)
    }

    /// Whether it is not after `other`; `open` where one of them is no end.
    fn is_before(&self, other: &Bound<'_>, open: bool) -> bool {
        match (self, other) {
            (Bound::Open, _) | (_, Bound::Open) => open,
            (Bound::Number(own), Bound::Number(other)) => own <= other,
            (Bound::Day(own), Bound::Day(other)) => *own <= *other,
            _ => false,
        }
    }
}

/// Whether it is a day as `2026-03-01`.
fn is_day(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(place, byte)| match place {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_overlap_when_some_value_is_meant_by_both() {
        for (cell, other, expected) in [
            ("57..80", "60", true),
            ("57..80", "80", true),
            ("57..80", "81", false),
            ("57..80", "40..57", true),
            ("57..", "1000", true),
            ("..57", "58", false),
            ("60", "57..80", true),
            ("*", "anything", true),
            ("{flu|cold}", "cold", true),
            ("{flu|cold}", "col", false),
            ("{3|5}", "4..6", true),
            ("{3|5}", "6..7", false),
            ("47***", "47123", true),
            ("47***", "4712", false),
            ("47***", "48123", false),
            ("47***", "47000..47010", true),
            ("47***", "48000..", false),
            ("47***", "471**", true),
            ("2026-01-01..2026-03-31", "2026-02-10", true),
            ("2026-01-01..2026-03-31", "2026-04-01", false),
            ("flu", "flu", true),
            ("flu", "cold", false),
            ("a..b", "a", false),
            ("a..b", "a..b", true),
            ("80..57", "60", false),
        ] {
            let (own, other_says) = (Says::read(cell), Says::read(other));
            assert_eq!(own.overlaps(&other_says), expected, "{cell} {other}");
            assert_eq!(other_says.overlaps(&own), expected, "{other} {cell}");
        }
    }
}
