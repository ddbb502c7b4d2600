//! The plans of the policy laid beside the columns of the data.
//!
//! Both ways: a column without a plan could be published by forgetting it, a
//! plan without a column protects nothing. Either is an error of the policy.

use super::misfit::grouped;
use super::options::{ColumnPlan, Limits, ReadAs};
use arrow_schema::DataType;
use moretta_data::data::{Declared, Field, Kind, Role, Schema};
use moretta_data::error::{Error, Result};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The plan of each column of the data, in the order of the data.
pub(super) fn align(names: &[String], plans: &[ColumnPlan]) -> Result<Vec<ColumnPlan>> {
    let by_name: HashMap<&str, &ColumnPlan> = plans
        .iter()
        .map(|plan| (plan.name.as_str(), plan))
        .collect();
    let known: HashSet<&str> = names.iter().map(String::as_str).collect();
    let absent: Vec<&str> = plans
        .iter()
        .map(|plan| plan.name.as_str())
        .filter(|name| !known.contains(name))
        .collect();
    let unplanned: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| !by_name.contains_key(name))
        .collect();
    if let Some(first) = absent.first() {
        let error = Error::policy(format!("not in the data: {}", listed(&absent)));
        // Then the first line may be a row, and its cells are not to be shown as names.
        if absent.len() == plans.len() {
            return Err(error.help("is the first line of the file its header?"));
        }
        return Err(error.help(near_name(
            first,
            unplanned
                .iter()
                .copied()
                .chain(names.iter().map(String::as_str)),
        )));
    }
    if !unplanned.is_empty() {
        return Err(Error::policy(format!(
            "the data has columns without a role: {}",
            listed(&unplanned)
        ))
        .help("give each a role under [columns]; `role = \"plain\"` publishes it as it is"));
    }
    Ok(names
        .iter()
        .map(|name| effective(by_name[name.as_str()]))
        .collect())
}

/// Subjects are interned whatever their type; what is not protected passes through.
fn effective(plan: &ColumnPlan) -> ColumnPlan {
    let read = match (&plan.read, plan.role) {
        (ReadAs::Skip, _) => ReadAs::Skip,
        (_, Role::Subject) => ReadAs::Category,
        (_, Role::Items) => ReadAs::Category,
        (ReadAs::Infer, Role::Plain | Role::Identifier | Role::Key) => ReadAs::Plain,
        (read, _) => read.clone(),
    };
    ColumnPlan {
        read,
        ..plan.clone()
    }
}

fn near_name<'a>(name: &str, others: impl Iterator<Item = &'a str>) -> String {
    others
        .map(|other| (strsim::normalized_damerau_levenshtein(name, other), other))
        .filter(|(likeness, _)| *likeness > 0.5)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or_else(
            || "the names must be those of the header".to_owned(),
            |(_, other)| format!("did you mean `{other}`?"),
        )
}

fn listed(names: &[&str]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|n| format!("`{n}`")).collect();
    let rest = names.len().saturating_sub(SHOWN);
    if rest == 0 {
        shown.join(", ")
    } else {
        format!("{} and {} more", shown.join(", "), grouped(rest as u64))
    }
}

/// Fails when there is no name, too many, an empty one or the same twice.
pub(super) fn check_names(names: &[String], limits: &Limits) -> Result<()> {
    if names.len() > limits.columns {
        return Err(too_many_columns(names.len(), limits));
    }
    if let Some(empty) = names.iter().position(|name| name.is_empty()) {
        return Err(Error::input(format!("column {} has no name", empty + 1)));
    }
    // Without a header the names are cells of the first row, so they are not shown.
    let mut sorted: Vec<(&str, usize)> = names.iter().map(String::as_str).zip(1..).collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(Error::input(format!(
            "columns {} and {} have the same name",
            pair[0].1, pair[1].1
        ))
        .help("give each column a name of its own")),
        None => Ok(()),
    }
}

/// The error of a table with too many columns.
pub(super) fn too_many_columns(found: usize, limits: &Limits) -> Error {
    Error::input(format!(
        "{} columns; the limit is {}",
        grouped(found as u64),
        grouped(limits.columns as u64)
    ))
    .help("is the delimiter right? raise the limit if the table is really that wide")
}

/// The schema of the columns that are read; `plain` is the type of those that pass
/// through, `declared` what the source says of each.
pub(super) fn schema(
    plans: &[ColumnPlan],
    plain: impl Fn(usize) -> DataType,
    declared: impl Fn(usize) -> Option<Declared>,
) -> Result<Arc<Schema>> {
    let fields = plans
        .iter()
        .enumerate()
        .filter(|(_, plan)| plan.read != ReadAs::Skip)
        .map(|(i, plan)| {
            let kind = match &plan.read {
                ReadAs::Number => Kind::Number { integer: false },
                ReadAs::Integer => Kind::Number { integer: true },
                ReadAs::Date(format) => Kind::Date(*format),
                ReadAs::Category => Kind::Category { ordered: false },
                ReadAs::Ordered(_) => Kind::Category { ordered: true },
                ReadAs::Plain | ReadAs::Infer | ReadAs::Skip => Kind::Plain(plain(i)),
            };
            Field {
                declared: declared(i),
                ..Field::new(plan.name.as_str(), plan.role, kind)
            }
        })
        .collect();
    Schema::new(fields).map(Arc::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plans(names: &[&str]) -> Vec<ColumnPlan> {
        names
            .iter()
            .map(|name| ColumnPlan {
                name: (*name).to_owned(),
                role: Role::Plain,
                read: ReadAs::Infer,
            })
            .collect()
    }

    #[test]
    fn names_are_checked_both_ways() {
        let names = ["age".to_owned(), "sex".to_owned()];
        let missing = align(&names, &plans(&["age", "sx"])).expect_err("sx is absent");
        assert_eq!(missing.to_string(), "not in the data: `sx`");
        assert_eq!(missing.help_text(), Some("did you mean `sex`?"));
        assert_eq!(missing.exit_code(), 3);
        let headless = align(&names, &plans(&["agee", "sx"])).expect_err("both are absent");
        assert_eq!(
            headless.help_text(),
            Some("is the first line of the file its header?")
        );
        let unplanned = align(&names, &plans(&["age"])).expect_err("sex has no plan");
        assert_eq!(
            unplanned.to_string(),
            "the data has columns without a role: `sex`"
        );
        assert_eq!(unplanned.exit_code(), 3);
        let aligned = align(&names, &plans(&["sex", "age"])).expect("both there");
        assert_eq!(aligned[0].name, "age");
        assert_eq!(aligned[0].read, ReadAs::Plain);
    }
}
