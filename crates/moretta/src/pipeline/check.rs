//! What can be known of a policy without reading the rows.

use super::graph::check_header;
use super::places::check_distinct;
use crate::config::unknown;
use crate::data::hierarchy::{Hierarchy, HierarchySpec, read_file};
use crate::engine::{events, masked};
use crate::error::{Error, Result};
use crate::io::{self, ColumnPlan};
use crate::policy::{Action, Policy};
use std::path::Path;

/// Columns of the data and of the policy match, hierarchy files are trees, keys are there.
pub fn check(policy: &Policy) -> Result<()> {
    check_alone(policy)?;
    if policy.source.path != Path::new("-") {
        check_columns(policy)?;
    }
    if let Some(graph) = &policy.graph {
        check_header(policy, graph)?;
    }
    for column in &policy.plan.columns {
        if let Some(HierarchySpec::File(path)) = &column.hierarchy {
            Hierarchy::from_chains(&read_file(path)?).map_err(|e| e.at(column.span.clone()))?;
        }
        if let Action::Pseudonym { key, .. } = &column.action {
            policy
                .load_key(key)
                .map_err(|e| e.at(column.span.clone()))?;
        }
    }
    if let Some(key) = &policy.report_key {
        policy.load_key(key)?;
    }
    match policy.plan.stream() {
        None => Ok(()),
        Some(_) => {
            events::ladders(&policy.plan)?;
            events::check(&policy.plan)
        }
    }
}

/// What a policy says by itself: files of its own for all it writes, and a promise about all
/// quasi-identifiers.
pub(super) fn check_alone(policy: &Policy) -> Result<()> {
    check_distinct(policy)?;
    masked::check(&policy.plan)?;
    match policy.goal.is_none() && policy.plan.promises_nothing()? {
        true => Err(
            Error::policy("the policy promises no k, so nothing hides a person")
                .help("add [guarantee] with k = 5"),
        ),
        false => Ok(()),
    }
}

/// What `check` finds odd and does not refuse.
pub fn check_warnings(policy: &Policy) -> Result<Vec<String>> {
    if policy.source.path == Path::new("-") {
        return Ok(Vec::new());
    }
    let odd = io::header_warning(&policy.source.path, &policy.source.options)?;
    Ok(odd
        .into_iter()
        .map(|odd| format!("{odd}; {HEADER_HELP}"))
        .collect())
}

const HEADER_HELP: &str = "set `header = false` under [source] if it is a row";

fn check_columns(policy: &Policy) -> Result<()> {
    let (path, options) = (&policy.source.path, &policy.source.options);
    let names = io::names(path, options)?;
    // A stream compares its sources when it opens them: one may be standard input.
    if policy.plan.stream().is_none() {
        io::same_names(&policy.source.paths(), options)?;
    }
    let odd = io::header_warning(path, options)?;
    find_columns(policy, &names).map_err(|error| match odd {
        // Its message could show names, which are cells then.
        Some(odd) => Error::policy(format!("columns of the policy are not in the data; {odd}"))
            .help(format!(
                "is the first line of the file its header? {HEADER_HELP}"
            )),
        None => error,
    })
}

/// Every column has a line and every line a column.
fn find_columns(policy: &Policy, names: &[String]) -> Result<()> {
    let plans = policy.plan.column_plans()?;
    let present: Vec<&str> = names.iter().map(String::as_str).collect();
    let (there, absent): (Vec<&ColumnPlan>, Vec<&ColumnPlan>) = plans
        .iter()
        .partition(|plan| present.contains(&plan.name.as_str()));
    if let Some(plan) = absent.first() {
        let error = Error::policy(format!("column `{}` is not in the data", plan.name));
        let error = match policy.plan.column(&plan.name) {
            Some(column) => error.at(column.span.clone()),
            None => error,
        };
        // Then the first line may be a row, and its cells are not to be shown as names.
        return Err(match there.is_empty() {
            true => error.help("is the first line of the file its header?"),
            false => unknown(error, &plan.name, &present),
        });
    }
    let forgotten: Vec<&str> = present
        .into_iter()
        .filter(|name| there.iter().all(|plan| plan.name != *name))
        .collect();
    match forgotten.is_empty() {
        true => Ok(()),
        false => Err(Error::policy(format!(
            "the data has columns without a role: {}",
            forgotten.join(", ")
        ))
        .help("give each a line under [columns]; nobody publishes a column by forgetting it")),
    }
}
