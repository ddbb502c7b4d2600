//! What needs a hierarchy has one: levels, labels and hierarchical closeness.

use super::{ColumnPolicy, Plan};
use crate::data::Role;
use crate::error::{Error, Result};
use crate::guarantee::Ground;
use crate::protect::Method;
use crate::protect::mondrian::{Mondrian, Output};
use crate::protect::recoding::Recoding;

/// Fails where a method or a promise asks for a hierarchy that no column declares.
pub(crate) fn check(plan: &Plan) -> Result<()> {
    for t in &plan.guarantee.t {
        let column = plan.column(&t.column);
        let bare = column.filter(|column| column.hierarchy.is_none());
        if let (Ground::Hierarchical, Some(column)) = (t.distance, bare) {
            let what = format!(
                "hierarchical t-closeness needs a hierarchy of `{}`",
                column.name
            );
            return Err(Error::policy(what)
                .at(column.span.clone())
                .help("give the column a `hierarchy`, or use distance = \"equal\""));
        }
    }
    for method in &plan.protect {
        match method {
            Method::Generalization(config) => {
                for (name, &level) in &config.levels {
                    check_level(quasi(plan, "levels", name)?, level)?;
                }
            }
            Method::Lattice(config) => {
                for name in config.levels.keys() {
                    quasi(plan, "levels", name)?;
                }
            }
            Method::Mondrian(config) => check_labels(plan, config)?,
            Method::Recoding(config) => check_recoding(plan, config)?,
            _ => {}
        }
    }
    Ok(())
}

/// Levels need a hierarchy. Steps and ends go with none: its labels would not cover them.
fn check_recoding(plan: &Plan, config: &Recoding) -> Result<()> {
    if config.levels.is_empty() && config.coded().next().is_none() {
        return Err(Error::policy("recoding names no column")
            .help("for example round = { age = 5 }, or top = { age = 90 }"));
    }
    for (name, &level) in &config.levels {
        check_level(quasi(plan, "levels", name)?, level)?;
    }
    for (key, name) in config.coded() {
        let Some(column) = plan.column(name) else {
            let what = format!("`{key}` names `{name}`, and there is no such column");
            return Err(Error::policy(what).help("name columns of [columns]"));
        };
        if !matches!(column.role, Role::Quasi | Role::Sensitive | Role::Plain) {
            let what = format!("`{key}` names `{name}`, which is {}", column.role.word());
            return Err(Error::policy(what)
                .at(column.span.clone())
                .help("recode columns with the role quasi, sensitive or plain"));
        }
        if column.hierarchy.is_some() {
            let what = format!("`{key}` names `{name}`, which has a hierarchy");
            return Err(Error::policy(what)
                .at(column.span.clone())
                .help("recode it to a level of that, or take `hierarchy` out"));
        }
    }
    for method in &plan.protect {
        let Method::Generalization(generalization) = method else {
            continue;
        };
        let again = config.levels.keys();
        let again = again.filter(|name| generalization.levels.contains_key(*name));
        if let Some(name) = again.min() {
            let what = format!("recoding and generalization both have a level for `{name}`");
            return Err(Error::policy(what).help("keep the higher one"));
        }
    }
    Ok(())
}

/// The quasi-identifier that a key of the method names.
fn quasi<'a>(plan: &'a Plan, key: &str, name: &str) -> Result<&'a ColumnPolicy> {
    let what = format!("`{key}` names `{name}`, which is no quasi-identifier");
    let error = Error::policy(what).help("name columns with the role quasi");
    match plan.column(name) {
        Some(column) if column.role == Role::Quasi => Ok(column),
        Some(column) => Err(error.at(column.span.clone())),
        None => Err(error),
    }
}

fn check_level(column: &ColumnPolicy, level: usize) -> Result<()> {
    let name = &column.name;
    match level == 0 || column.hierarchy.is_some() {
        true => Ok(()),
        false => Err(
            Error::policy(format!("column `{name}` has a level but no hierarchy"))
                .at(column.span.clone())
                .help(format!(
                    "give `{name}` a `hierarchy` under [columns], or leave it out of `levels`"
                )),
        ),
    }
}

fn check_labels(plan: &Plan, config: &Mondrian) -> Result<()> {
    for name in config.output_of.keys() {
        quasi(plan, "output", name)?;
    }
    let mut columns = plan.columns.iter().filter(|c| c.role == Role::Quasi);
    let bare =
        columns.find(|c| config.output_for(&c.name) == Output::Label && c.hierarchy.is_none());
    match bare {
        None => Ok(()),
        Some(column) => Err(Error::policy(format!(
            "column `{}` cannot be shown as its label",
            column.name
        ))
        .at(column.span.clone())
        .help("a label needs a hierarchy")),
    }
}
