//! The population of which the rows of a session are a sample.

use super::context::Context;
use super::plan::Plan;
use crate::data::Domains;
use crate::data::{Batch, Column, Field, Kind, Role, Schema};
use crate::error::{Error, Result};
use crate::guarantee::PopulationRows;
use std::sync::Arc;

/// Whether the population is there that the guarantee names, with the columns of the rows.
///
/// # Errors
/// When it is not, or a column is of another kind.
pub(crate) fn check(plan: &Plan, schema: &Schema, context: &Context) -> Result<()> {
    let Some(path) = plan.guarantee.population() else {
        return Ok(());
    };
    let Some(population) = &context.population else {
        return Err(
            Error::policy("the guarantee names a population that was not given")
                .help("put its rows into the context"),
        );
    };
    let quasi = schema.fields().iter().filter(|f| f.role == Role::Quasi);
    quasi.into_iter().try_for_each(|field| {
        let place = population.schema().index_of(&field.name);
        let other = place.map(|place| &population.schema().fields()[place]);
        match other {
            Some(other) if same_kind(field, other) => Ok(()),
            _ => Err(Error::input(
                "the population has no such column, or writes it in another way than the source",
            )
            .in_file(path)
            .in_column(&*field.name)
            .help("give the column a `type`, so that both are read alike")),
        }
    })
}

fn same_kind(field: &Field, other: &Field) -> bool {
    match (&field.kind, &other.kind) {
        (Kind::Number { .. }, Kind::Number { .. }) => true,
        (Kind::Category { .. }, Kind::Category { .. }) => true,
        (kind, other) => kind == other,
    }
}

/// The values of a quasi-identifier together with those of the population, over which its
/// hierarchy is built: persons who are not in the rows are generalised like those who are.
pub(super) fn with_population(
    field: &Field,
    column: &Column,
    population: Option<&Batch>,
) -> Result<Column> {
    let other = population.filter(|_| field.role == Role::Quasi);
    match other.and_then(|population| population.column_named(&field.name)) {
        Some(other) => Column::concat(&[column, other]),
        None => Ok(column.clone()),
    }
}

/// The population as the checker reads it.
pub(crate) fn declared(
    population: Option<&Arc<Batch>>,
    domains: &Domains,
) -> Option<PopulationRows> {
    let rows = Arc::clone(population?);
    let quasi = domains.quasi(rows.schema()).into_iter();
    Some(PopulationRows {
        domains: quasi.collect(),
        rows,
    })
}
