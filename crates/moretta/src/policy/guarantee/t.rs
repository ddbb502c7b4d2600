//! t-closeness in a policy.

use super::on_columns::{ON, parts, set_parts, written_part};
use super::{Around, Model};
use crate::config::{Absent, Accepts, Parameter, Section, words};
use crate::error::Result;
use crate::guarantee::{Ground, Guarantee, TCloseness};

pub(super) const MODEL: Model = Model {
    key: T,
    read,
    write,
};

const T: Parameter = Parameter::new(
    "t",
    Accepts::OneOrMore(&Accepts::OneOf(&[
        VALUE.accepts,
        Accepts::Table(&[VALUE, ON, DISTANCE]),
    ])),
    Absent::Means("not promised"),
    "every class is close to the whole release in its sensitive values",
)
.examples(&["{ value = 0.3, distance = \"equal\" }"]);
const VALUE: Parameter = Parameter::new(
    "value",
    Accepts::Number(0.0, 1.0),
    Absent::Refused,
    "how far away at most",
)
.examples(&["0.3"]);
const DISTANCE: Parameter = Parameter::new(
    "distance",
    Accepts::Word(|| words(GROUNDS)),
    Absent::Text("equal"),
    "what two values are apart: all the same, by their order, or in their hierarchy",
);

const GROUNDS: &[(&str, Ground)] = &[
    ("equal", Ground::Equal),
    ("ordered", Ground::Ordered),
    ("hierarchical", Ground::Hierarchical),
];

fn read(section: &mut Section, around: &Around<'_>, guarantee: &mut Guarantee) -> Result<()> {
    for (mut table, on) in parts(section, &T, around)? {
        let t = table.number(&VALUE)?;
        let distance = table.word(&DISTANCE, GROUNDS)?;
        table.finish()?;
        guarantee.t.extend(on.into_iter().map(|column| TCloseness {
            column,
            t,
            distance,
        }));
    }
    Ok(())
}

fn write(guarantee: &Guarantee, section: &mut Section) {
    let parts = guarantee.t.iter().map(|t| {
        let mut table = written_part(&VALUE, t.t, &t.column);
        table.set_word(&DISTANCE, GROUNDS, t.distance);
        table
    });
    set_parts(section, &T, parts);
}
