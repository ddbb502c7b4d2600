//! Beta-likeness in a policy.

use super::on_columns::{ON, parts, set_parts, written_part};
use super::{Around, Model};
use crate::config::{Absent, Accepts, POSITIVE, Parameter, Section, words};
use crate::error::Result;
use crate::guarantee::{BetaLikeness, Guarantee, Likeness};

pub(super) const MODEL: Model = Model {
    key: BETA,
    read,
    write,
};

const BETA: Parameter = Parameter::new(
    "beta",
    Accepts::OneOrMore(&Accepts::OneOf(&[
        VALUE.accepts,
        Accepts::Table(&[VALUE, ON, KIND]),
    ])),
    Absent::Means("not promised"),
    "no sensitive value is more frequent in a class than in the whole release by more than this share",
)
.examples(&["{ value = 1.0, on = [\"diagnosis\"], kind = \"enhanced\" }"]);
const VALUE: Parameter = Parameter::new(
    "value",
    Accepts::Number(POSITIVE, 1e9),
    Absent::Refused,
    "the largest gain (q - p)/p of a value with share q in a class and p in the release; 1 allows twice its share",
)
.examples(&["1.0"]);
const KIND: Parameter = Parameter::new(
    "kind",
    Accepts::Word(|| words(LIKENESSES)),
    Absent::Text("basic"),
    "whether the gain is bounded by beta, or by the lesser of beta and -ln p, which is stricter with frequent values",
);

const LIKENESSES: &[(&str, Likeness)] =
    &[("basic", Likeness::Basic), ("enhanced", Likeness::Enhanced)];

fn read(section: &mut Section, around: &Around<'_>, guarantee: &mut Guarantee) -> Result<()> {
    for (mut table, on) in parts(section, &BETA, around)? {
        let beta = table.number(&VALUE)?;
        let kind = table.word(&KIND, LIKENESSES)?;
        table.finish()?;
        let all = on.into_iter();
        let all = all.map(|column| BetaLikeness { column, beta, kind });
        guarantee.beta.extend(all);
    }
    Ok(())
}

fn write(guarantee: &Guarantee, section: &mut Section) {
    let parts = guarantee.beta.iter().map(|beta| {
        let mut table = written_part(&VALUE, beta.beta, &beta.column);
        table.set_word(&KIND, LIKENESSES, beta.kind);
        table
    });
    set_parts(section, &BETA, parts);
}
