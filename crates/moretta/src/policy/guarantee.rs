//! Reads `[guarantee]`.

use super::ColumnPolicy;
use crate::config::{
    Absent, Accepts, NAMES, POSITIVE, Parameter, Placed, Protects, Section, Value, words,
};
use crate::data::Role;
use crate::error::{Error, Result};
use crate::guarantee::{
    Diversity, Ground, Guarantee, LDiversity, PSensitivity, Sensitivity, TCloseness,
};

/// The largest k that can be asked for.
const LARGEST_K: i64 = 1_000_000_000;

/// The keys of `[guarantee]`.
pub(super) const KEYS: &[Parameter] = &[K, L, T, P, AUDIT];

pub(super) const K: Parameter = Parameter::new(
    "k",
    Accepts::Whole(2, LARGEST_K),
    Absent::Means("not promised"),
    "every class of equal quasi-identifiers holds at least so many persons",
)
.examples(&["5"])
.tunable(Protects::More);
const L: Parameter = Parameter::new(
    "l",
    Accepts::OneOrMore(&Accepts::OneOf(&[
        L_VALUE.accepts,
        Accepts::Table(&[L_VALUE, ON, KIND, C]),
    ])),
    Absent::Means("not promised"),
    "every class is diverse in its sensitive values",
)
.examples(&["{ value = 3, on = [\"diagnosis\"] }"]);
const T: Parameter = Parameter::new(
    "t",
    Accepts::OneOrMore(&Accepts::OneOf(&[
        T_VALUE.accepts,
        Accepts::Table(&[T_VALUE, ON, DISTANCE]),
    ])),
    Absent::Means("not promised"),
    "every class is close to the whole release in its sensitive values",
)
.examples(&["{ value = 0.3, distance = \"equal\" }"]);
const P: Parameter = Parameter::new(
    "p",
    Accepts::OneOrMore(&Accepts::OneOf(&[
        P_VALUE.accepts,
        Accepts::Table(&[P_VALUE, ON]),
    ])),
    Absent::Means("not promised"),
    "every class has so many distinct values of each sensitive column",
)
.examples(&["2"]);
const AUDIT: Parameter = Parameter::new(
    "audit",
    Accepts::Flag,
    Absent::Means("true"),
    "whether every row of a stream is counted again before it is written, and rows of events are read back from their file",
);
const L_VALUE: Parameter = Parameter::new(
    "value",
    Accepts::Number(1.0, 1e6),
    Absent::Refused,
    "how diverse; a whole number unless by entropy",
)
.examples(&["3"]);
const T_VALUE: Parameter = Parameter::new(
    "value",
    Accepts::Number(0.0, 1.0),
    Absent::Refused,
    "how far away at most",
)
.examples(&["0.3"]);
const P_VALUE: Parameter = Parameter::new(
    "value",
    Accepts::Whole(1, LARGEST_K),
    Absent::Refused,
    "how many distinct values at least",
)
.examples(&["2"]);
const ON: Parameter = Parameter::new(
    "on",
    NAMES,
    Absent::Means("all sensitive columns"),
    "the sensitive columns that it is about",
);
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

/// What is promised, and whether a stream is audited, where the policy says so.
pub(super) fn read(
    mut section: Section,
    columns: &[ColumnPolicy],
) -> Result<(Guarantee, Option<bool>)> {
    let mut guarantee = Guarantee {
        k: section.optional(&K, Placed::whole)?,
        ..Guarantee::default()
    };
    let audit = section.optional(&AUDIT, Placed::flag)?;
    for (mut table, on) in parts(&mut section, &L, columns)? {
        let l = table.number(&L_VALUE)?;
        let kind = read_kind(&mut table)?;
        if !matches!(kind, Diversity::Entropy) && l.fract() != 0.0 {
            return Err(table.error("only entropy l-diversity takes an l with a fraction"));
        }
        table.finish()?;
        let all = on.into_iter().map(|column| LDiversity { column, l, kind });
        guarantee.l.extend(all);
    }
    for (mut table, on) in parts(&mut section, &T, columns)? {
        let t = table.number(&T_VALUE)?;
        let distance = table.word(&DISTANCE, GROUNDS)?;
        table.finish()?;
        guarantee.t.extend(on.into_iter().map(|column| TCloseness {
            column,
            t,
            distance,
        }));
    }
    for (mut table, on) in parts(&mut section, &P, columns)? {
        let p = table.whole(&P_VALUE)?;
        table.finish()?;
        let all = on.into_iter().map(|column| PSensitivity {
            column,
            p,
            kind: Sensitivity::Distinct,
        });
        guarantee.p.extend(all);
    }
    section.finish()?;
    Ok((guarantee, audit))
}

/// The section as [`read`] reads it.
pub(super) fn written(guarantee: &Guarantee, audit: bool) -> Section {
    let mut section = Section::default();
    section.set_optional(&K, guarantee.k);
    let l = guarantee.l.iter().map(|l| {
        let (kind, c) = match l.kind {
            Diversity::Distinct => (DiversityWord::Distinct, None),
            Diversity::Entropy => (DiversityWord::Entropy, None),
            Diversity::Recursive { c } => (DiversityWord::Recursive, Some(c)),
        };
        let mut table = written_part(&L_VALUE, l.l, &l.column);
        table.set_word(&KIND, DIVERSITIES, kind);
        table.set_optional(&C, c);
        table
    });
    set_parts(&mut section, &L, l.collect());
    let t = guarantee.t.iter().map(|t| {
        let mut table = written_part(&T_VALUE, t.t, &t.column);
        table.set_word(&DISTANCE, GROUNDS, t.distance);
        table
    });
    set_parts(&mut section, &T, t.collect());
    let p = guarantee
        .p
        .iter()
        .map(|p| written_part(&P_VALUE, p.p, &p.column));
    set_parts(&mut section, &P, p.collect());
    if !audit {
        section.set(&AUDIT, audit);
    }
    section
}

/// A requirement on one column.
fn written_part(parameter: &Parameter, value: impl Into<Value>, column: &str) -> Section {
    let mut table = Section::default();
    table.set(parameter, value);
    table.set(&ON, vec![column]);
    table
}

fn set_parts(section: &mut Section, parameter: &Parameter, mut parts: Vec<Section>) {
    match parts.len() {
        0 => {}
        1 => section.set(parameter, parts.remove(0)),
        _ => section.set(parameter, parts),
    }
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

/// The tables of one requirement, each with the sensitive columns it is about: a
/// bare number, a table, or a list of tables.
fn parts(
    section: &mut Section,
    parameter: &Parameter,
    columns: &[ColumnPolicy],
) -> Result<Vec<(Section, Vec<String>)>> {
    let Some(placed) = section.placed(parameter)? else {
        return Ok(Vec::new());
    };
    let tables = match placed.value {
        Value::List(list) => list,
        _ => vec![placed],
    };
    tables
        .into_iter()
        .map(|placed| part(parameter.name, placed, columns))
        .collect()
}

fn part(key: &str, placed: Placed, columns: &[ColumnPolicy]) -> Result<(Section, Vec<String>)> {
    let span = placed.span.clone();
    let mut table = match placed.value {
        Value::Table(table) => table,
        _ => {
            let mut table = Section::new(format!("`{key}`"), span.clone());
            table.insert("value", span.clone(), placed);
            table
        }
    };
    let sensitive: Vec<String> = columns
        .iter()
        .filter(|c| c.role == Role::Sensitive)
        .map(|c| c.name.clone())
        .collect();
    let on = table.optional(&ON, Placed::texts)?;
    let on = on.unwrap_or_else(|| sensitive.clone());
    if let Some(stranger) = on.iter().find(|name| !sensitive.contains(name)) {
        return Err(Error::policy(format!(
            "`{key}` is about `{stranger}`, which is not a sensitive column"
        ))
        .at(span)
        .help("give the column role = \"sensitive\""));
    }
    if on.is_empty() {
        return Err(Error::policy(format!(
            "`{key}` is about sensitive columns, and there is none"
        ))
        .at(span)
        .help("give a column role = \"sensitive\""));
    }
    Ok((table, on))
}
