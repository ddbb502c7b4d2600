//! Items of persons held against the labels that are released of them.

use super::original::places_of;
use crate::data::{Batch, Domains, Role};
use crate::error::Result;
use crate::guarantee::{Fault, Rule, items_lost};

/// Items of a person, one a row, that no released label of that person covers. `given` are the rows in
/// the order of their ids; of some of them a label is released.
pub(crate) fn lost(given: &Batch, released: &Batch, domains: &Domains) -> Result<Option<Fault>> {
    let schema = given.schema();
    let places = (
        schema.with_role(Role::Items),
        schema.with_role(Role::Subject),
    );
    let (&[items], &[subject]) = (places.0.as_slice(), places.1.as_slice()) else {
        return Ok(None);
    };
    let name = &schema.fields()[items].name;
    if domains.separator(name).is_some() {
        return Ok(None);
    }
    let persons = given.categories(subject)?.codes();
    let rows = places_of(given, released.rows())?;
    let shown_by: Vec<u32> = rows.iter().map(|&row| persons[row as usize]).collect();
    let count = items_lost(
        (given.categories(items)?, persons),
        (released.categories(items)?, &shown_by),
        domains.require(name)?,
    )?;
    Ok((count > 0).then(|| Fault {
        column: Some(name.to_string()),
        rule: Rule::ItemLost,
        count,
    }))
}
