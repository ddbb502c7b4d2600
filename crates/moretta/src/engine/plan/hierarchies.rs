//! What needs a hierarchy has one: levels, labels and hierarchical closeness.

use super::{ColumnPolicy, Plan};
use crate::data::Role;
use crate::error::{Error, Result};
use crate::guarantee::Ground;
use crate::protect::Method;
use crate::protect::mondrian::{Mondrian, Output};

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
            Method::Mondrian(config) => check_labels(plan, config)?,
            _ => {}
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
