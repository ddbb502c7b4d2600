//! What may follow z-anonymity: it decides events as they come, and masks get those that leave.

use super::{ColumnPolicy, Plan};
use crate::data::Role;
use crate::error::{Error, Result};
use crate::protect::Method;

/// The first method that does not go with z-anonymity, why, and what to do.
pub(super) fn misfit(methods: &[Method]) -> Option<(usize, String, &'static str)> {
    let decides = methods.iter().position(|m| m.as_stream().is_some())?;
    if decides > 0 {
        let what = "z-anonymity counts events as they were and stands first".to_owned();
        return Some((decides, what, "put its [[protect]] before the others"));
    }
    let other = (1..methods.len()).find(|&step| methods[step].as_masking().is_none())?;
    let what = format!("{} does not go with events", methods[other].name());
    Some((other, what, "keep z-anonymity and masks of other columns"))
}

/// Masks change what events carry, never what z-anonymity has counted or promised.
pub(super) fn check(plan: &Plan) -> Result<()> {
    let Some(config) = plan.stream() else {
        return Ok(());
    };
    let schema = plan.declared_schema()?;
    let counted = |column: &ColumnPolicy| {
        let group = config.group.as_ref();
        let is_group = group.is_some_and(|group| group.column == column.name);
        is_group || !matches!(column.role, Role::Plain | Role::Sensitive | Role::Class)
    };
    for masking in plan.maskings() {
        let places = masking.places(&schema)?;
        let names = places
            .into_iter()
            .map(|place| &*schema.fields()[place].name);
        let mut columns = names.filter_map(|name| plan.column(name));
        if let Some(column) = columns.find(|column| counted(column)) {
            return Err(Error::policy(format!(
                "what z-anonymity promises of `{}` does not survive a mask",
                column.name
            ))
            .at(column.span.clone())
            .help("name by `columns` what events carry besides: numbers with the role plain or sensitive"));
        }
    }
    Ok(())
}
