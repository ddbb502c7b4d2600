//! What becomes of columns that name persons: pseudonyms are put in, others are not released.

use super::context::Keys;
use super::plan::{Action, Plan};
use crate::data::{Batch, Column, Schema};
use crate::error::Result;
use crate::protect::identifiers::Pseudonyms;
use std::sync::Arc;

/// The columns that get pseudonyms.
pub(crate) fn pseudonyms(plan: &Plan, keys: &Keys, schema: &Arc<Schema>) -> Result<Pseudonyms> {
    let mut pseudonyms = Vec::new();
    for column in &plan.columns {
        if let (Action::Pseudonym { domain, key, .. }, Some(i)) =
            (&column.action, schema.index_of(&column.name))
        {
            let key = keys.get(key).map_err(|e| e.at(column.span.clone()))?;
            pseudonyms.push((i, domain.clone(), key));
        }
    }
    Ok(Pseudonyms::new(schema, pseudonyms))
}

/// Subjects and keys count persons and join rows; they are released only if the policy says so.
pub(crate) fn without_dropped(plan: &Plan, release: Batch) -> Result<Batch> {
    let kept = |name: &str| {
        plan.column(name)
            .is_none_or(|column| column.action != Action::Drop)
    };
    let (fields, columns) = release
        .schema()
        .fields()
        .iter()
        .zip(release.columns())
        .filter(|(field, _)| kept(&field.name))
        .map(|(field, column)| (field.clone(), column.clone()))
        .unzip::<_, _, Vec<_>, Vec<Column>>();
    Batch::new(
        Arc::new(Schema::new(fields)?),
        release.rows().clone(),
        columns,
    )
}
