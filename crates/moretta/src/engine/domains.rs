//! The domains of the columns, with their hierarchies built and found to cover the data.

use super::original::Original;
use super::population::with_population;
use crate::data::hierarchy::Hierarchy;
use crate::data::{Batch, Column, Domain, Domains, Field, Role, Scale, items};
use crate::engine::plan::Plan;
use crate::error::{Error, Result};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The domains of quasi-identifiers and of sensitive columns with a hierarchy. Hierarchies know
/// the values of the population too.
pub(crate) fn domains(
    plan: &Plan,
    original: &Original,
    population: Option<&Batch>,
) -> Result<Domains> {
    let Original { batch, made, .. } = original;
    let fields = batch.schema().fields().iter();
    let fields: Vec<(&Field, &Column)> = fields.zip(batch.columns()).collect();
    let domains = fields
        .par_iter()
        .filter_map(|(field, column)| domain(plan, made, field, column, population).transpose())
        .collect::<Result<Vec<_>>>()?;
    let weights = plan.columns.iter().map(|c| (c.name.clone(), c.weight));
    let lists = plan.columns.iter();
    let lists = lists.filter_map(|c| Some((c.name.clone(), c.separator.clone()?)));
    Ok(Domains::new(domains).weighted(weights).listed(lists))
}

fn domain(
    plan: &Plan,
    made: &HashMap<String, Arc<Hierarchy>>,
    field: &Field,
    column: &Column,
    population: Option<&Batch>,
) -> Result<Option<(String, Domain)>> {
    let name = field.name.to_string();
    let spec = plan
        .column(&name)
        .and_then(|column| column.hierarchy.as_ref());
    let generalises = match field.role {
        Role::Quasi | Role::Items => true,
        Role::Sensitive => spec.is_some(),
        _ => false,
    };
    if !generalises {
        return Ok(None);
    }
    let separator = plan.column(&name).and_then(|c| c.separator.as_deref());
    let listed = separator.map(|separator| single_items(column, separator));
    let listed = listed.transpose()?;
    let column = listed.as_ref().unwrap_or(column);
    let hierarchy = match (made.get(&name), spec) {
        (Some(made), _) => Some(Arc::clone(made)),
        (None, Some(spec)) => {
            let span = plan.column(&name).map(|column| column.span.clone());
            let values = with_population(field, column, population)?;
            let built = spec.build_for(field, &values);
            Some(Arc::new(built.map_err(|error| match span {
                Some(span) => error.at(span),
                None => error,
            })?))
        }
        (None, None) => None,
    };
    if let (Some(separator), Some(tree)) = (separator, hierarchy.as_deref()) {
        refuse_separators(&name, tree, separator)?;
    }
    let domain = Domain::of(field, column, hierarchy)?;
    match (plan.column(&name), &domain.scale) {
        (Some(column), Scale::Category { .. }) if column.range.is_some() => Err(Error::policy(
            format!("column `{name}` has a range but does not hold numbers or dates"),
        )
        .at(column.span.clone())
        .help("take `range` out, or give the column a `type`")),
        _ => Ok(Some((name, domain))),
    }
}

/// The different items of lists, one a row.
fn single_items(lists: &Column, separator: &str) -> Result<Column> {
    let lists = lists.as_categories();
    let lists = lists.ok_or_else(|| Error::bug("lists were not read as categories"))?;
    let used = lists.compact();
    let texts = used.levels().iter();
    let items: BTreeSet<&str> = texts
        .flat_map(|text| items::split(text, separator))
        .collect();
    Ok(Column::Category(items.into_iter().map(Some).collect()))
}

/// A list of labels is read by what is between them.
fn refuse_separators(name: &str, tree: &Hierarchy, separator: &str) -> Result<()> {
    let holds = |level: usize| {
        let nodes = 0..tree.node_count(level) as u32;
        nodes
            .filter(|&node| tree.label(level, node).contains(separator.trim()))
            .count()
    };
    match (0..tree.level_count()).map(holds).sum::<usize>() {
        0 => Ok(()),
        labels => Err(Error::policy(format!(
            "{labels} labels in the hierarchy of `{name}` hold the `separator` that is between items"
        ))
        .help("name them otherwise, or write the lists with another separator")),
    }
}
