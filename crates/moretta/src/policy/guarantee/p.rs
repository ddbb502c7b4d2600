//! p-sensitivity in a policy.

use super::k::LARGEST;
use super::on_columns::{ON, parts, set_parts, written_part};
use super::{Around, Model};
use crate::config::{Absent, Accepts, Parameter, Section, words};
use crate::error::Result;
use crate::guarantee::{Guarantee, PSensitivity, Sensitivity};

pub(super) const MODEL: Model = Model {
    key: P,
    read,
    write,
};

const P: Parameter = Parameter::new(
    "p",
    Accepts::OneOrMore(&Accepts::OneOf(&[
        VALUE.accepts,
        Accepts::Table(&[VALUE, ON, KIND]),
    ])),
    Absent::Means("not promised"),
    "every class has so many distinct values of each sensitive column, or each of its values so often",
)
.examples(&["2", "{ value = 2, kind = \"each\" }"]);
const VALUE: Parameter = Parameter::new(
    "value",
    Accepts::Whole(1, LARGEST),
    Absent::Refused,
    "how many distinct values at least, or how often each",
)
.examples(&["2"]);
const KIND: Parameter = Parameter::new(
    "kind",
    Accepts::Word(|| words(SENSITIVITIES)),
    Absent::Text("distinct"),
    "which definition is meant: p distinct values in a class, or each value of a class at least p times",
);

const SENSITIVITIES: &[(&str, Sensitivity)] = &[
    ("distinct", Sensitivity::Distinct),
    ("each", Sensitivity::Each),
];

fn read(section: &mut Section, around: &Around<'_>, guarantee: &mut Guarantee) -> Result<()> {
    for (mut table, on) in parts(section, &P, around)? {
        let p = table.whole(&VALUE)?;
        let kind = table.word(&KIND, SENSITIVITIES)?;
        table.finish()?;
        let all = on.into_iter();
        let all = all.map(|column| PSensitivity { column, p, kind });
        guarantee.p.extend(all);
    }
    Ok(())
}

fn write(guarantee: &Guarantee, section: &mut Section) {
    let parts = guarantee.p.iter().map(|p| {
        let mut table = written_part(&VALUE, p.p, &p.column);
        table.set_word(&KIND, SENSITIVITIES, p.kind);
        table
    });
    set_parts(section, &P, parts);
}
