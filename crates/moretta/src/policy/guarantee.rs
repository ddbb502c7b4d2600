//! Reads `[guarantee]`.

use super::columns::ColumnPolicy;
use crate::config::{Placed, Section, Value};
use crate::data::Role;
use crate::error::{Error, Result};
use crate::guarantee::{Diversity, Ground, Guarantee, LDiversity, PSensitivity, TCloseness};

/// The largest k that can be asked for.
pub(super) const LARGEST_K: i64 = 1_000_000_000;

pub(super) fn read(mut section: Section, columns: &[ColumnPolicy]) -> Result<Guarantee> {
    let mut guarantee = Guarantee {
        k: section.whole("k", 2..=LARGEST_K)?.map(|k| k as u32),
        ..Guarantee::default()
    };
    for (mut table, on) in parts(&mut section, "l", columns)? {
        let l = table
            .number("value", 1.0..=1e6)?
            .ok_or_else(|| table.error("l needs `value`"))?;
        let kind = read_kind(&mut table)?;
        if !matches!(kind, Diversity::Entropy) && l.fract() != 0.0 {
            return Err(table.error("only entropy l-diversity takes an l with a fraction"));
        }
        table.finish()?;
        guarantee
            .l
            .extend(on.into_iter().map(|column| LDiversity { column, l, kind }));
    }
    for (mut table, on) in parts(&mut section, "t", columns)? {
        let t = table
            .number("value", 0.0..=1.0)?
            .ok_or_else(|| table.error("t needs `value`"))?;
        let grounds = [
            ("equal", Ground::Equal),
            ("ordered", Ground::Ordered),
            ("hierarchical", Ground::Hierarchical),
        ];
        let distance = table.word("distance", &grounds)?.unwrap_or(Ground::Equal);
        table.finish()?;
        guarantee.t.extend(on.into_iter().map(|column| TCloseness {
            column,
            t,
            distance,
        }));
    }
    for (mut table, on) in parts(&mut section, "p", columns)? {
        let p = table
            .whole("value", 1..=LARGEST_K)?
            .ok_or_else(|| table.error("p needs `value`"))? as u32;
        table.finish()?;
        guarantee
            .p
            .extend(on.into_iter().map(|column| PSensitivity { column, p }));
    }
    section.finish()?;
    Ok(guarantee)
}

#[derive(Clone, Copy)]
enum KindWord {
    Distinct,
    Entropy,
    Recursive,
}

fn read_kind(table: &mut Section) -> Result<Diversity> {
    let words = [
        ("distinct", KindWord::Distinct),
        ("entropy", KindWord::Entropy),
        ("recursive", KindWord::Recursive),
    ];
    let word = table.word("kind", &words)?.unwrap_or(KindWord::Distinct);
    let c = table.number("c", 0.0..=1e9)?;
    match (word, c) {
        (KindWord::Distinct, None) => Ok(Diversity::Distinct),
        (KindWord::Entropy, None) => Ok(Diversity::Entropy),
        (KindWord::Recursive, Some(c)) if c > 0.0 => Ok(Diversity::Recursive { c }),
        (KindWord::Recursive, _) => Err(table.error("recursive l-diversity needs a `c` above 0")),
        (_, Some(_)) => Err(table.error("`c` goes with kind = \"recursive\"")),
    }
}

/// The tables of one requirement, each with the sensitive columns it is about: a
/// bare number, a table, or a list of tables.
fn parts(
    section: &mut Section,
    key: &'static str,
    columns: &[ColumnPolicy],
) -> Result<Vec<(Section, Vec<String>)>> {
    let Some(placed) = section.take(key) else {
        return Ok(Vec::new());
    };
    let tables = match placed.value {
        Value::List(list) => list,
        _ => vec![placed],
    };
    tables
        .into_iter()
        .map(|placed| part(key, placed, columns))
        .collect()
}

fn part(key: &str, placed: Placed, columns: &[ColumnPolicy]) -> Result<(Section, Vec<String>)> {
    let span = placed.span.clone();
    let mut table = match placed.value {
        Value::Table(table) => table,
        Value::Whole(_) | Value::Number(_) => {
            let mut table = Section::new(format!("`{key}`"), span.clone());
            table.insert("value", span.clone(), placed);
            table
        }
        _ => return Err(placed.error(format!("`{key}` is a number or a table"))),
    };
    let sensitive: Vec<String> = columns
        .iter()
        .filter(|c| c.role == Role::Sensitive)
        .map(|c| c.name.clone())
        .collect();
    let on = match table.texts("on")? {
        None => sensitive.clone(),
        Some(on) => on,
    };
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
