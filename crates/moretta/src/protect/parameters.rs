//! Parameters that several methods have.

use crate::config::{Absent, Accepts, NAMES, Parameter};

/// A larger buffer is a table.
const MOST_ROWS: i64 = 1 << 24;

/// Makes a table or a stream of the rows; a stream needs at least so many.
pub(super) const fn buffer(least: i64) -> Parameter {
    Parameter::new(
        "buffer",
        Accepts::Whole(least, MOST_ROWS),
        Absent::Means("the whole table"),
        "makes the rows a stream of which at most so many are held back; a larger buffer loses less",
    )
    .examples(&["100"])
}

/// Names the masked columns.
pub(super) const COLUMNS: Parameter = Parameter::new(
    "columns",
    NAMES,
    Absent::Means("all with the role quasi"),
    "the columns that are masked",
)
.examples(&["[\"age\", \"income\"]"]);

/// How many rows may be left out.
pub(crate) const SUPPRESS: Parameter = Parameter::new(
    "suppress",
    Accepts::Number(0.0, 1.0),
    Absent::Number(0.0),
    "the largest share of rows that may be suppressed",
);
