//! Cells that are not what their column says, counted and reported without their value.

use moretta_data::data::DateFormat;
use moretta_data::error::Error;

/// Why a cell does not fit its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    /// Not a number.
    Number,
    /// NaN, infinite, or too large for a float.
    Finite,
    /// A number with a fraction where whole ones are expected.
    Whole,
    /// A whole number beyond 2^53.
    Inexact,
    /// A whole number beyond 64 bits.
    Overflow,
    /// Not a date of this format, or one that does not exist.
    Date(DateFormat),
    /// Not among the declared levels.
    Level,
    /// Not among the values that the file itself declares.
    Nominal,
    /// A missing person.
    Subject,
    /// Not text, although the first rows were.
    Text,
}

/// One cell that does not fit: its row in the chunk and its line after the start of the chunk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Misfit {
    pub(super) row: u32,
    pub(super) line: u32,
    pub(super) why: Unfit,
}

/// How many cells of a column did not fit, and the first of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Misfits {
    pub(super) count: u64,
    pub(super) first_line: u64,
    pub(super) first: Unfit,
}

impl Misfits {
    /// The error for a column named `column` in a batch of `rows` rows;
    /// `lines` tells whether the file has lines or only rows.
    pub(super) fn error(&self, column: &str, rows: u64, lines: bool) -> Error {
        let (one, many) = self.first.phrases();
        let place = if lines { "line" } else { "row" };
        let first = self.first_line;
        let what = if self.count == 1 && lines {
            one
        } else if self.count == 1 {
            format!("{one}; row {first}")
        } else {
            let (count, rows) = (grouped(self.count), grouped(rows));
            format!("{count} of {rows} rows {many}; first {place} {first}")
        };
        let error = Error::input(what).in_column(column).help(self.first.help());
        if lines { error.on_line(first) } else { error }
    }
}

impl Unfit {
    fn phrases(self) -> (String, String) {
        let (one, many) = match self {
            Unfit::Number => ("not a number", "are not numbers"),
            Unfit::Finite => ("not a finite number", "are not finite numbers"),
            Unfit::Whole => ("not a whole number", "are not whole numbers"),
            Unfit::Inexact => (
                "a whole number beyond 2^53 cannot be held exactly",
                "are whole numbers beyond 2^53 and cannot be held exactly",
            ),
            Unfit::Overflow => (
                "a whole number beyond 64 bits",
                "are whole numbers beyond 64 bits",
            ),
            Unfit::Date(format) => {
                let pattern = format.pattern();
                return (
                    format!("not a date of the form {pattern} that exists"),
                    format!("are not dates of the form {pattern} that exist"),
                );
            }
            Unfit::Level => (
                "not among the declared levels",
                "are not among the declared levels",
            ),
            Unfit::Nominal => (
                "not among the values that the attribute declares",
                "are not among the values that the attribute declares",
            ),
            Unfit::Subject => ("the person is missing", "have no person"),
            Unfit::Text => (
                "not text like the first rows",
                "are not text like the first",
            ),
        };
        (one.to_owned(), many.to_owned())
    }

    fn help(self) -> &'static str {
        match self {
            Unfit::Number | Unfit::Whole => {
                "correct the cells, name them in `missing`, or declare `type = \"number\"` or `type = \"category\"` for the column"
            }
            Unfit::Finite => "correct the cells, or name them in `missing`",
            Unfit::Inexact | Unfit::Overflow => {
                "declare `type = \"category\"` for the column, or give it the role plain"
            }
            Unfit::Date(_) => {
                "declare the form, such as `format = \"%d.%m.%Y\"`, write all dates in one form, or declare `type = \"category\"` for the column"
            }
            Unfit::Level => "add the levels to the policy, or name the cells in `missing`",
            Unfit::Nominal => "add the values to the @attribute line",
            Unfit::Subject => {
                "every row needs its person: complete the rows, or leave them out of the input"
            }
            Unfit::Text => "write the values of the column as text throughout",
        }
    }
}

/// A count with a comma after each three digits: 30,162.
pub(super) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_grouped() {
        for (count, text) in [
            (0, "0"),
            (999, "999"),
            (30_162, "30,162"),
            (1_000_000, "1,000,000"),
        ] {
            assert_eq!(grouped(count), text);
        }
    }

    #[test]
    fn the_message_tells_count_line_and_column() {
        let misfits = Misfits {
            count: 3,
            first_line: 77,
            first: Unfit::Whole,
        };
        let error = misfits.error("age", 30_162, true);
        assert_eq!(
            error.to_string(),
            "line 77: column `age`: 3 of 30,162 rows are not whole numbers; first line 77"
        );
        assert!(
            misfits
                .error("age", 9, false)
                .to_string()
                .ends_with("first row 77")
        );
    }
}
