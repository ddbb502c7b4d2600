//! The methods of the study, as a policy names them.

use super::data::Table;
use moretta::Result;
use moretta::protect::Method;
use moretta_report::figure::{Stroke, Tone};

/// A method with parameters.
#[derive(Debug, PartialEq)]
pub(super) struct Contender {
    pub(super) name: &'static str,
    lines: &'static str,
    pub(super) stroke: Stroke,
}

const fn contender(
    name: &'static str,
    lines: &'static str,
    tone: usize,
    dashed: bool,
) -> Contender {
    let tone = Tone(tone);
    Contender {
        name,
        lines,
        stroke: Stroke { tone, dashed },
    }
}

/// Those for columns with hierarchies.
pub(super) const OF_HIERARCHIES: &[Contender] = &[
    contender("mondrian", "method = \"mondrian\"\nSUPPRESS", 1, false),
    contender(
        "mondrian, relaxed",
        "method = \"mondrian\"\nmode = \"relaxed\"\nSUPPRESS",
        1,
        true,
    ),
    contender("lattice", "method = \"lattice\"\nSUPPRESS", 2, false),
    contender("datafly", "method = \"datafly\"\nSUPPRESS", 3, false),
    contender("mu-argus", "method = \"mu-argus\"\nk = 2", 4, false),
    contender("suppression", "method = \"suppression\"", 0, false),
];

/// Those for numbers without hierarchies; microaggregation is measured in `centroids`.
pub(super) const OF_NUMBERS: &[Contender] = &[
    contender(
        "mondrian",
        "method = \"mondrian\"\nbounds = \"exact\"",
        1,
        false,
    ),
    contender(
        "mondrian, relaxed",
        "method = \"mondrian\"\nmode = \"relaxed\"\nbounds = \"exact\"",
        1,
        true,
    ),
    contender(
        "mondrian, balanced",
        "method = \"mondrian\"\nmode = \"balanced\"\nbounds = \"exact\"",
        2,
        false,
    ),
    contender("mondrian, rounded bounds", "method = \"mondrian\"", 2, true),
    contender("suppression", "method = \"suppression\"", 0, false),
];

/// The groups of MDAV, each shown as the intervals that hold its records.
pub(super) const MICROAGGREGATION: Contender = contender(
    "microaggregation",
    "method = \"microaggregation\"\nk = 3",
    3,
    false,
);

impl Contender {
    /// The method for a table.
    pub(super) fn method(&self, table: &Table) -> Result<Method> {
        table.method(self.lines)
    }

    /// The methods for a table under their names.
    pub(super) fn named(list: &[Contender], table: &Table) -> Result<Vec<(String, Method)>> {
        let named = |one: &Contender| Ok((one.name.to_owned(), one.method(table)?));
        list.iter().map(named).collect()
    }
}
