//! The values of a file held against those that the method of its policy writes.
//!
//! k can hold by luck where nothing was made coarser. So a value that is no label of the
//! level that the policy names, no label of the hierarchy at all, or one of many single
//! numbers where the method shows intervals is a fault: the file is not what the policy
//! releases. A quasi-identifier without a hierarchy that is not made of numbers, one at
//! level 0, the levels of a path and geographic cells cannot be told from originals.

use crate::data::hierarchy::{TOP, Texts};
use crate::data::{Batch, Categories, Role};
use crate::engine::{Conflict, LedgerPlan};
use crate::error::Result;
use crate::guarantee::{Fault, Rule};
use crate::io::ReadAs;
use crate::policy::{ColumnPolicy, Policy};
use crate::protect::{Method, Shown};

/// What the method of the policy would not have written.
pub(super) fn foreign_values(policy: &Policy, release: &Batch) -> Result<Vec<Fault>> {
    let mut faults = Vec::new();
    // Classes that a ledger has joined show labels of higher levels.
    let joins = |held: LedgerPlan| held.on_conflict == Conflict::Coarsen;
    let joins = policy.plan.ledger.is_some_and(joins);
    for column in policy.plan.columns.iter().filter(|c| c.role == Role::Quasi) {
        let values = release.column_named(&column.name);
        let Some(values) = values.and_then(|values| values.as_categories()) else {
            continue;
        };
        for method in &policy.plan.protect {
            let foreign = foreign(method, column, values, joins)?;
            faults.extend((foreign > 0).then(|| Fault {
                column: Some(column.name.clone()),
                rule: Rule::NotGeneralised,
                count: foreign,
            }));
        }
    }
    Ok(faults)
}

/// Rows with values that the method does not write.
fn foreign(
    method: &Method,
    column: &ColumnPolicy,
    values: &Categories,
    joins: bool,
) -> Result<u64> {
    let hierarchy = column.hierarchy.as_ref();
    let level = match (method.shows(&column.name, hierarchy.is_some()), hierarchy) {
        (Shown::Intervals(most), _) => return Ok(single_numbers(column, values, most)),
        (Shown::Level(level), Some(_)) => Some(level).filter(|_| !joins),
        (Shown::Labels, Some(_)) => None,
        _ => return Ok(0),
    };
    let Some(spec) = hierarchy else {
        return Ok(0);
    };
    let reading = spec.reading(texts(column))?;
    // A spreadsheet would take what begins with a minus for a formula.
    let unguarded = |text: &str| {
        text.strip_prefix('\'')
            .is_some_and(|t| reading.knows(t, level))
    };
    Ok(count(values, |text| {
        !reading.knows(text, level) && !unguarded(text)
    }))
}

/// The rows with a single number or date, where there are more than `most` different ones.
fn single_numbers(column: &ColumnPolicy, values: &Categories, most: usize) -> u64 {
    let declared = texts(column);
    let texts = match declared {
        Some(Texts::Category) => return 0,
        Some(texts) => texts,
        None => Texts::Number,
    };
    let is_number = |text: &str| texts.is_number(text);
    let is_interval = |text: &str| {
        let ends = text.split_once("..");
        let is_end = |text: &str| text.is_empty() || is_number(text);
        ends.is_some_and(|(low, high)| low != high && is_end(low) && is_end(high))
    };
    let used = values.compact();
    // Where numbers are declared, whatever is no interval is an original in some spelling.
    if column.read != ReadAs::Infer {
        let single = |text: &str| text != TOP && !is_interval(text);
        let singles = used.levels().iter().filter(|text| single(text)).count();
        return match singles > most {
            true => count(&used, single),
            false => 0,
        };
    }
    let single = is_number;
    let mut numeric = used.levels().iter();
    // Where the type is not declared, words and codes tell that numbers are categories, too.
    let is_numeric = |text: &str| {
        let is_value = single(text) && (declared.is_some() || !is_code(text));
        text == TOP || is_interval(text) || is_value
    };
    if !numeric.all(is_numeric) {
        return 0;
    }
    match used.levels().iter().filter(|text| single(text)).count() > most {
        true => count(&used, single),
        false => 0,
    }
}

/// Digits that are read as a name and not as a number.
fn is_code(text: &str) -> bool {
    let leading_zero = text.len() > 1 && text.starts_with('0') && !text.starts_with("0.");
    leading_zero || text.len() > 15
}

/// Rows with such a value.
fn count(values: &Categories, is_meant: impl Fn(&str) -> bool) -> u64 {
    let meant: Vec<bool> = values.levels().iter().map(is_meant).collect();
    let rows = values.codes().iter();
    let rows = rows.filter(|&&code| meant.get(code as usize) == Some(&true));
    rows.count() as u64
}

/// What the values of a column are, where the policy declares it.
fn texts(column: &ColumnPolicy) -> Option<Texts> {
    match &column.read {
        ReadAs::Number | ReadAs::Integer => Some(Texts::Number),
        ReadAs::Date(format) => Some(Texts::Date(*format)),
        ReadAs::Category | ReadAs::Ordered(_) => Some(Texts::Category),
        _ => None,
    }
}
