//! Delta-disclosure in a policy.

use super::on_columns::{ON, parts, set_parts, written_part};
use super::{Around, Model};
use crate::config::{Absent, Accepts, Parameter, Section, words};
use crate::error::Result;
use crate::guarantee::{Absence, DeltaDisclosure, Guarantee};

pub(super) const MODEL: Model = Model {
    key: DELTA,
    read,
    write,
};

const DELTA: Parameter = Parameter::new(
    "delta",
    Accepts::OneOrMore(&Accepts::OneOf(&[
        VALUE.accepts,
        Accepts::Table(&[VALUE, ON, ABSENT]),
    ])),
    Absent::Means("not promised"),
    "no sensitive value is more or less frequent in a class than in the whole release by so many doublings",
)
.examples(&["{ value = 1.0, on = [\"diagnosis\"] }"]);
const VALUE: Parameter = Parameter::new(
    "value",
    Accepts::Number(1e-6, 1e6),
    Absent::Refused,
    "what |log2(q/p)| stays below, for every value with share q in a class and p in the release; 1 is twice or half",
)
.examples(&["1.0"]);
const ABSENT: Parameter = Parameter::new(
    "absent",
    Accepts::Word(|| words(ABSENCES)),
    Absent::Text("infinite"),
    "what a value of the release says that a class does not hold: infinitely much, or nothing, as in ARX",
);

const ABSENCES: &[(&str, Absence)] =
    &[("infinite", Absence::Infinite), ("ignore", Absence::Ignore)];

fn read(section: &mut Section, around: &Around<'_>, guarantee: &mut Guarantee) -> Result<()> {
    for (mut table, on) in parts(section, &DELTA, around)? {
        let delta = table.number(&VALUE)?;
        let absent = table.word(&ABSENT, ABSENCES)?;
        table.finish()?;
        let all = on.into_iter().map(|column| DeltaDisclosure {
            column,
            delta,
            absent,
        });
        guarantee.delta.extend(all);
    }
    Ok(())
}

fn write(guarantee: &Guarantee, section: &mut Section) {
    let parts = guarantee.delta.iter().map(|delta| {
        let mut table = written_part(&VALUE, delta.delta, &delta.column);
        table.set_word(&ABSENT, ABSENCES, delta.absent);
        table
    });
    set_parts(section, &DELTA, parts);
}
