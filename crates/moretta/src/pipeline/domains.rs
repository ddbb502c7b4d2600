//! The domains of the columns, with their hierarchies built and found to cover the data.

use super::read::Original;
use crate::data::hierarchy::Hierarchy;
use crate::data::{Column, Domain, Domains, Field, Role, Scale};
use crate::error::{Error, Result};
use crate::policy::Policy;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::collections::HashMap;
use std::sync::Arc;

/// The domains of quasi-identifiers and of sensitive columns with a hierarchy.
pub(super) fn domains(policy: &Policy, original: &Original) -> Result<Domains> {
    let Original { batch, made, .. } = original;
    let fields = batch.schema().fields().iter();
    let fields: Vec<(&Field, &Column)> = fields.zip(batch.columns()).collect();
    let domains = fields
        .par_iter()
        .filter_map(|(field, column)| domain(policy, made, field, column).transpose())
        .collect::<Result<Vec<_>>>()?;
    let weights = policy.columns.iter().map(|c| (c.name.clone(), c.weight));
    Ok(Domains::new(domains).weighted(weights))
}

fn domain(
    policy: &Policy,
    made: &HashMap<String, Arc<Hierarchy>>,
    field: &Field,
    column: &Column,
) -> Result<Option<(String, Domain)>> {
    let name = field.name.to_string();
    let spec = policy
        .column(&name)
        .and_then(|column| column.hierarchy.as_ref());
    if field.role != Role::Quasi && (field.role != Role::Sensitive || spec.is_none()) {
        return Ok(None);
    }
    let hierarchy = match (made.get(&name), spec) {
        (Some(made), _) => Some(Arc::clone(made)),
        (None, Some(spec)) => {
            let span = policy.column(&name).map(|column| column.span.clone());
            let built = spec.build_for(field, column);
            Some(Arc::new(built.map_err(|error| match span {
                Some(span) => error.at(span),
                None => error,
            })?))
        }
        (None, None) => None,
    };
    let domain = Domain::of(field, column, hierarchy)?;
    match (policy.column(&name), &domain.scale) {
        (Some(column), Scale::Category { .. }) if column.range.is_some() => Err(Error::policy(
            format!("column `{name}` has a range but does not hold numbers or dates"),
        )
        .at(column.span.clone())
        .help("take `range` out, or give the column a `type`")),
        _ => Ok(Some((name, domain))),
    }
}
