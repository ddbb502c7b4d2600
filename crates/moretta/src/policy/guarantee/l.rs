//! l-diversity in a policy.

use super::on_columns::{ON, parts, set_parts, written_part};
use super::{Around, Model};
use crate::config::{Absent, Accepts, POSITIVE, Parameter, Placed, Section, words};
use crate::error::Result;
use crate::guarantee::{Diversity, Guarantee, LDiversity};

pub(super) const MODEL: Model = Model {
    key: L,
    read,
    write,
};

const L: Parameter = Parameter::new(
    "l",
    Accepts::OneOrMore(&Accepts::OneOf(&[
        VALUE.accepts,
        Accepts::Table(&[VALUE, ON, KIND, C]),
    ])),
    Absent::Means("not promised"),
    "every class is diverse in its sensitive values",
)
.examples(&["{ value = 3, on = [\"diagnosis\"] }"]);
const VALUE: Parameter = Parameter::new(
    "value",
    Accepts::Number(1.0, 1e6),
    Absent::Refused,
    "how diverse; a whole number unless by entropy",
)
.examples(&["3"]);
const KIND: Parameter = Parameter::new(
    "kind",
    Accepts::Word(|| words(DIVERSITIES)),
    Absent::Text("distinct"),
    "by the number of values, by their entropy, or so that none outweighs the rest",
);
const C: Parameter = Parameter::new(
    "c",
    Accepts::Number(POSITIVE, 1e9),
    Absent::Means("none; recursive diversity needs it"),
    "how much the most frequent value may outweigh the rest",
);

const DIVERSITIES: &[(&str, DiversityWord)] = &[
    ("distinct", DiversityWord::Distinct),
    ("entropy", DiversityWord::Entropy),
    ("recursive", DiversityWord::Recursive),
];

#[derive(Clone, Copy, PartialEq)]
enum DiversityWord {
    Distinct,
    Entropy,
    Recursive,
}

fn read(section: &mut Section, around: &Around<'_>, guarantee: &mut Guarantee) -> Result<()> {
    for (mut table, on) in parts(section, &L, around)? {
        let l = table.number(&VALUE)?;
        let kind = read_kind(&mut table)?;
        if !matches!(kind, Diversity::Entropy) && l.fract() != 0.0 {
            return Err(table.error("only entropy l-diversity takes an l with a fraction"));
        }
        table.finish()?;
        let all = on.into_iter().map(|column| LDiversity { column, l, kind });
        guarantee.l.extend(all);
    }
    Ok(())
}

fn read_kind(table: &mut Section) -> Result<Diversity> {
    let word = table.word(&KIND, DIVERSITIES)?;
    match (word, table.optional(&C, Placed::number)?) {
        (DiversityWord::Distinct, None) => Ok(Diversity::Distinct),
        (DiversityWord::Entropy, None) => Ok(Diversity::Entropy),
        (DiversityWord::Recursive, Some(c)) => Ok(Diversity::Recursive { c }),
        (DiversityWord::Recursive, _) => {
            Err(table.error("recursive l-diversity needs a `c` above 0"))
        }
        (_, Some(_)) => Err(table.error("`c` goes with kind = \"recursive\"")),
    }
}

fn write(guarantee: &Guarantee, section: &mut Section) {
    let parts = guarantee.l.iter().map(|l| {
        let (kind, c) = match l.kind {
            Diversity::Distinct => (DiversityWord::Distinct, None),
            Diversity::Entropy => (DiversityWord::Entropy, None),
            Diversity::Recursive { c } => (DiversityWord::Recursive, Some(c)),
        };
        let mut table = written_part(&VALUE, l.l, &l.column);
        table.set_word(&KIND, DIVERSITIES, kind);
        table.set_optional(&C, c);
        table
    });
    set_parts(section, &L, parts);
}
