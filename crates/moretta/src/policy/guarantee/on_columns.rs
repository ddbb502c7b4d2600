//! Promises about sensitive columns: a bare number, a table, or a list of tables.

use super::Around;
use crate::config::{Absent, NAMES, Parameter, Placed, Section, Value};
use crate::data::Role;
use crate::error::{Error, Result};

pub(super) const ON: Parameter = Parameter::new(
    "on",
    NAMES,
    Absent::Means("all sensitive columns"),
    "the sensitive columns that it is about",
);

/// The tables of one promise, each with the sensitive columns it is about.
pub(super) fn parts(
    section: &mut Section,
    parameter: &Parameter,
    around: &Around<'_>,
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
        .map(|placed| part(parameter.name, placed, around))
        .collect()
}

fn part(key: &str, placed: Placed, around: &Around<'_>) -> Result<(Section, Vec<String>)> {
    let span = placed.span.clone();
    let mut table = match placed.value {
        Value::Table(table) => table,
        _ => {
            let mut table = Section::new(format!("`{key}`"), span.clone());
            table.insert("value", span.clone(), placed);
            table
        }
    };
    let sensitive: Vec<String> = around
        .columns
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

/// A promise about one column.
pub(super) fn written_part(
    parameter: &Parameter,
    value: impl Into<Value>,
    column: &str,
) -> Section {
    let mut table = Section::default();
    table.set(parameter, value);
    table.set(&ON, vec![column]);
    table
}

/// Writes the promises of one key.
pub(super) fn set_parts(
    section: &mut Section,
    parameter: &Parameter,
    parts: impl Iterator<Item = Section>,
) {
    let mut parts: Vec<Section> = parts.collect();
    match parts.len() {
        0 => {}
        1 => section.set(parameter, parts.remove(0)),
        _ => section.set(parameter, parts),
    }
}
