//! Whether methods can follow each other: what one promises must survive those after it.
//!
//! Each method gets what the one before it releases and nothing else.
//!
//! - Values that were made different by a mask are not diverse: l, t and p are not promised
//!   of masked columns.
//! - Rows that were made alike stay alike as long as no later method changes the columns
//!   in which they are: k, l, t and p, and the groups of microaggregation.
//! - What is released must not tell of rows that are suppressed, so no method mixes records
//!   before rows are suppressed.
//! - ε counts what one record can change in the values that a method is given. It
//!   survives whatever is done to its noisy values later, since that sees nothing else of
//!   the originals; but no earlier method may have used those values.

use super::{ColumnPolicy, Plan};
use crate::data::{Role, Schema};
use crate::error::{Error, Result};
use crate::protect::{Effect, Method};
use std::ops::Range;

/// Fails where methods do not go together, whatever their columns. `spans` tells where each
/// of them stands.
pub(crate) fn check_kinds(methods: &[Method], spans: &[Range<usize>]) -> Result<()> {
    match misfit(methods) {
        Some((step, what, help)) if methods.len() > 1 => {
            Err(at(Error::policy(what), spans, step).help(help))
        }
        _ => Ok(()),
    }
}

/// Fails where a promise does not survive.
pub(crate) fn check(plan: &Plan, spans: &[Range<usize>]) -> Result<()> {
    if plan.protect.len() < 2 {
        return Ok(());
    }
    let refuse = |step: usize, what: String| at(Error::policy(what), spans, step);
    let schema = plan.declared_schema()?;
    let mut changed = Vec::new();
    for method in &plan.protect {
        changed.push(changed_columns(method, &schema)?);
    }
    if plan.keeps_guarantee() {
        check_persons(plan, &changed).map_err(|(step, error)| at(error, spans, step))?;
    }
    for (later, method) in plan.protect.iter().enumerate() {
        for (earlier, before) in plan.protect[..later].iter().enumerate() {
            let mixed = changed[earlier]
                .iter()
                .any(|name| changed[later].contains(name));
            // What is told of classes would be computed from values that are not private yet.
            if is_private(method) && (mixed || before.keeps_guarantee()) {
                let what = format!(
                    "{} promises ε, and {} has used its values before it",
                    method.name(),
                    before.name()
                );
                return Err(refuse(later, what)
                    .help("make the values private first: put that [[protect]] before the other"));
            }
            if method.may_suppress() && before.as_masking().is_some() && !is_private(before) {
                let what = format!(
                    "{} may suppress rows that {} has mixed into others before",
                    method.name(),
                    before.name()
                );
                return Err(refuse(later, what).help(
                    "set suppress = 0, or put the mask behind it where it masks no quasi-identifier",
                ));
            }
            let diverse = diverse(plan).find(|name| changed[earlier].contains(name));
            if let (Some(name), true) = (diverse, method.keeps_guarantee()) {
                let what = format!(
                    "l, t and p of `{name}` would count values that {} has made different",
                    before.name()
                );
                return Err(refuse(earlier, what).help(
                    "take the column out of its `columns`, or out of l, t and p under [guarantee]",
                ));
            }
            let promised = promised(plan, before, &changed[earlier]);
            if let Some(name) = promised.iter().find(|name| changed[later].contains(*name)) {
                let what = format!(
                    "what {} promises of `{name}` does not survive {}, which changes it again",
                    before.name(),
                    method.name()
                );
                return Err(refuse(later, what).help(
                    "put that [[protect]] before the other, or name other `columns` for it",
                ));
            }
        }
    }
    Ok(())
}

/// The error with the place of a method, where there is a text to point at.
fn at(error: Error, spans: &[Range<usize>], step: usize) -> Error {
    match spans.get(step) {
        Some(span) => error.at(span.clone()),
        None => error,
    }
}

/// Persons are counted by what names them, so no method masks that.
fn check_persons(plan: &Plan, changed: &[Vec<String>]) -> std::result::Result<(), (usize, Error)> {
    for (step, changed) in changed.iter().enumerate() {
        let names = |column: &&ColumnPolicy| {
            matches!(column.role, Role::Subject | Role::Key | Role::Identifier)
                && changed.contains(&column.name)
        };
        if let Some(column) = plan.columns.iter().find(names) {
            let what = format!(
                "{} masks `{}`, by which persons are counted",
                plan.protect[step].name(),
                column.name
            );
            let help = "give it a pseudonym or drop it: action = \"pseudonym\" or \"drop\"";
            return Err((step, Error::policy(what).help(help)));
        }
    }
    Ok(())
}

/// The first method that does not go with the others, why, and what to do.
fn misfit(methods: &[Method]) -> Option<(usize, String, &'static str)> {
    let place = |wanted: &dyn Fn(&Method) -> bool| methods.iter().position(wanted);
    if let Some(misfit) = super::events::misfit(methods) {
        return Some(misfit);
    }
    let mut coarse = (0..methods.len()).filter(|&step| methods[step].keeps_guarantee());
    if let Some(second) = coarse.nth(1) {
        let what = "a second method would generalise what the first one releases".to_owned();
        return Some((second, what, "keep one of mondrian and generalization"));
    }
    if let Some(step) = place(&|method| method.as_projection().is_some()) {
        let what = "random-projection replaces columns and stands alone".to_owned();
        return Some((step, what, "keep one [[protect]]"));
    }
    let mut private = (0..methods.len()).filter(|&step| is_private(&methods[step]));
    if let Some(second) = private.nth(1) {
        let what = "two private methods would add up what each lets a record lose".to_owned();
        return Some((second, what, "keep one; local-dp takes several columns"));
    }
    let is_stream = |method: &Method| {
        let buffered = method.as_masking().is_some_and(|m| m.buffer().is_some());
        buffered || method.as_stream().is_some()
    };
    match place(&|method| !is_stream(method)) {
        Some(step) if methods.iter().any(is_stream) => {
            let what = format!(
                "{} waits for the whole table and another method makes the rows a stream",
                methods[step].name()
            );
            Some((step, what, "make all of them a stream by `buffer`, or none"))
        }
        _ => None,
    }
}

fn changed_columns(method: &Method, schema: &Schema) -> Result<Vec<String>> {
    let fields = schema.fields().iter().zip(method.effects(schema)?);
    let changed = fields.filter(|(_, effect)| *effect != Effect::Kept);
    Ok(changed.map(|(field, _)| field.name.to_string()).collect())
}

/// The columns in which a method has made rows alike, or diverse.
fn promised(plan: &Plan, method: &Method, changed: &[String]) -> Vec<String> {
    if !method.keeps_guarantee() {
        // Where k is promised of all quasi-identifiers, groups in some of them are not.
        let groups = method.as_masking().is_some_and(|m| m.k().is_some());
        return match groups && !plan.keeps_guarantee() {
            true => changed.to_vec(),
            false => Vec::new(),
        };
    }
    let quasi = plan.columns.iter().filter(|c| c.role == Role::Quasi);
    let quasi = quasi.map(|column| &column.name);
    quasi.chain(diverse(plan)).cloned().collect()
}

/// The sensitive columns of l, t and p.
fn diverse(plan: &Plan) -> impl Iterator<Item = &String> {
    let guarantee = &plan.guarantee;
    (guarantee.l.iter().map(|l| &l.column))
        .chain(guarantee.t.iter().map(|t| &t.column))
        .chain(guarantee.p.iter().map(|p| &p.column))
}

fn is_private(method: &Method) -> bool {
    method.as_masking().is_some_and(|m| m.loss().is_some())
}
