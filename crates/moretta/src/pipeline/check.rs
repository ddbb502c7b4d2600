//! What can be known of a policy without reading the rows.

use super::read::plans;
use crate::config::unknown;
use crate::data::hierarchy::{Hierarchy, HierarchySpec, read_file};
use crate::error::{Error, Result};
use crate::io;
use crate::policy::{Action, Policy};
use std::path::Path;

/// Columns of the data and of the policy match, hierarchy files are trees, keys are there.
pub fn check(policy: &Policy) -> Result<()> {
    if policy.source.path != Path::new("-") {
        check_columns(policy)?;
    }
    for column in &policy.columns {
        if let Some(HierarchySpec::File(path)) = &column.hierarchy {
            Hierarchy::from_chains(&read_file(path)?).map_err(|e| e.at(column.span.clone()))?;
        }
        if let Action::Pseudonym { key, .. } = &column.action {
            key.load().map_err(|e| e.at(column.span.clone()))?;
        }
    }
    if policy.guarantee.k.is_none() {
        return Err(
            Error::policy("the policy promises no k, so nothing hides a person")
                .help("add [guarantee] with k = 5"),
        );
    }
    Ok(())
}

fn check_columns(policy: &Policy) -> Result<()> {
    let names = io::names(&policy.source.path, &policy.source.options)?;
    let plans = plans(policy)?;
    let known: Vec<&str> = plans.iter().map(|plan| plan.name.as_str()).collect();
    let forgotten: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| !known.contains(name))
        .collect();
    if !forgotten.is_empty() {
        return Err(Error::policy(format!(
            "the data has columns without a role: {}",
            forgotten.join(", ")
        ))
        .help("give each a line under [columns]; nobody publishes a column by forgetting it"));
    }
    let present: Vec<&str> = names.iter().map(String::as_str).collect();
    match plans
        .iter()
        .find(|plan| !present.contains(&plan.name.as_str()))
    {
        None => Ok(()),
        Some(plan) => {
            let error = Error::policy(format!("column `{}` is not in the data", plan.name));
            let error = match policy.column(&plan.name) {
                Some(column) => error.at(column.span.clone()),
                None => error,
            };
            Err(unknown(error, &plan.name, &present))
        }
    }
}
