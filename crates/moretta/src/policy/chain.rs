//! Whether methods can follow each other: what one promises must survive those after it.
//!
//! Each method gets what the one before it releases and nothing else.
//!
//! - Values that were made different by a mask are not diverse: l, t and p are not promised
//!   of masked columns.
//! - Rows that were made alike stay alike as long as no later method changes the columns
//!   in which they are: k, l, t and p, and the groups of microaggregation.
//! - ε counts what one record can change in the values that a method is given. It
//!   survives whatever is done to its noisy values later, since that sees nothing else of
//!   the originals; but no earlier method may have used those values.

use super::Policy;
use crate::data::{Field, Kind, Role, Schema};
use crate::error::{Error, Result};
use crate::io::ReadAs;
use crate::protect::{Effect, Method};
use std::ops::Range;

/// Fails where methods do not go together, whatever their columns. `spans` tells where each
/// of them stands.
pub(super) fn check_kinds(methods: &[Method], spans: &[Range<usize>]) -> Result<()> {
    match misfit(methods) {
        Some((step, what, help)) if methods.len() > 1 => {
            Err(Error::policy(what).at(spans[step].clone()).help(help))
        }
        _ => Ok(()),
    }
}

/// Fails where a promise does not survive.
pub(super) fn check(policy: &Policy, spans: &[Range<usize>]) -> Result<()> {
    if policy.protect.len() < 2 {
        return Ok(());
    }
    let refuse = |step: usize, what: String| Error::policy(what).at(spans[step].clone());
    let schema = schema(policy)?;
    let mut changed = Vec::new();
    for method in &policy.protect {
        changed.push(changed_columns(method, &schema)?);
    }
    for (later, method) in policy.protect.iter().enumerate() {
        for (earlier, before) in policy.protect[..later].iter().enumerate() {
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
            let diverse = diverse(policy).find(|name| changed[earlier].contains(name));
            if let (Some(name), true) = (diverse, method.keeps_guarantee()) {
                let what = format!(
                    "l, t and p of `{name}` would count values that {} has made different",
                    before.name()
                );
                return Err(refuse(earlier, what).help(
                    "take the column out of its `columns`, or out of l, t and p under [guarantee]",
                ));
            }
            let promised = promised(policy, before, &changed[earlier]);
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

/// The first method that does not go with the others, why, and what to do.
fn misfit(methods: &[Method]) -> Option<(usize, String, &'static str)> {
    let place = |wanted: &dyn Fn(&Method) -> bool| methods.iter().position(wanted);
    if let Some(step) = place(&|method| method.as_stream().is_some()) {
        let what = "z-anonymity decides events one by one and stands alone".to_owned();
        return Some((step, what, "keep one [[protect]]"));
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
    let is_stream = |method: &Method| method.as_masking().is_some_and(|m| m.buffer().is_some());
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

/// The columns that are read, as far as they are known before.
fn schema(policy: &Policy) -> Result<Schema> {
    let read = policy.columns.iter();
    let read = read.filter(|column| column.plan().read != ReadAs::Skip);
    let number = Kind::Number { integer: false };
    let fields = read.map(|column| Field::new(&*column.name, column.role, number.clone()));
    Schema::new(fields.collect())
}

fn changed_columns(method: &Method, schema: &Schema) -> Result<Vec<String>> {
    let fields = schema.fields().iter().zip(method.effects(schema)?);
    let changed = fields.filter(|(_, effect)| *effect != Effect::Kept);
    Ok(changed.map(|(field, _)| field.name.to_string()).collect())
}

/// The columns in which a method has made rows alike, or diverse.
fn promised(policy: &Policy, method: &Method, changed: &[String]) -> Vec<String> {
    if !method.keeps_guarantee() {
        // Where k is promised of all quasi-identifiers, groups in some of them are not.
        let groups = method.as_masking().is_some_and(|m| m.k().is_some());
        return match groups && !policy.keeps_guarantee() {
            true => changed.to_vec(),
            false => Vec::new(),
        };
    }
    let quasi = policy.columns.iter().filter(|c| c.role == Role::Quasi);
    let quasi = quasi.map(|column| &column.name);
    quasi.chain(diverse(policy)).cloned().collect()
}

/// The sensitive columns of l, t and p.
fn diverse(policy: &Policy) -> impl Iterator<Item = &String> {
    let guarantee = &policy.guarantee;
    (guarantee.l.iter().map(|l| &l.column))
        .chain(guarantee.t.iter().map(|t| &t.column))
        .chain(guarantee.p.iter().map(|p| &p.column))
}

fn is_private(method: &Method) -> bool {
    method.as_masking().is_some_and(|m| m.loss().is_some())
}
