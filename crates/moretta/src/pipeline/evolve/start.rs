//! The start of a search: the same cells protected by every recipe of the grid, each by a session
//! without a sink.

use super::cells::Cells;
use super::grid::{Recipe, grid};
use super::making::Making;
use super::shown::Readers;
use crate::data::Records;
use crate::engine::original::in_order_of_ids;
use crate::engine::{Context, Order, Plan, Progress, Purpose};
use crate::error::{Error, Result};
use crate::guarantee::Guarantee;
use crate::pipeline::trial::Rows;
use rayon::prelude::*;

/// A protected file of the start.
pub(super) struct Start {
    /// What made it.
    pub(super) label: String,
    /// Its records, in the order of the source.
    pub(super) records: Records,
}

/// Every recipe that can protect the cells. One that cannot, because categories or rows are too
/// few, is left out.
pub(super) fn start(cells: &Cells, seed: u64, context: &Context) -> Result<Vec<Start>> {
    let rows = Rows::of(cells.batch.clone());
    let recipes = grid(cells)?;
    let (making, all) = (Making::new(&context.progress), recipes.len());
    let context = unwatched(context);
    let made = recipes.into_par_iter().enumerate();
    let made = made.map(|(place, recipe)| {
        context.cancel.check()?;
        let plan = plan(cells, &recipe, seed.wrapping_add(place as u64));
        making.one_of(all);
        match protected(cells, plan, &rows, &context) {
            Ok(records) => Ok(records.map(|records| Start {
                label: recipe.label,
                records,
            })),
            Err(Error::Guarantee(_) | Error::Policy(_)) => Ok(None),
            Err(error) => Err(error),
        }
    });
    let made: Vec<Option<Start>> = made.collect::<Result<_>>()?;
    let made: Vec<Start> = made.into_iter().flatten().collect();
    match made.len() < 2 {
        true => Err(
            Error::policy("no method can protect these columns to begin with")
                .help("name other columns under `columns` of [evolve]"),
        ),
        false => Ok(made),
    }
}

/// What a session needs of which nothing is released.
pub(super) fn unwatched(context: &Context) -> Context {
    Context {
        measure_all: false,
        progress: Progress::default(),
        ledger: None,
        population: None,
        ..context.clone()
    }
}

fn plan(cells: &Cells, recipe: &Recipe, seed: u64) -> Plan {
    Plan {
        seed: Some(seed),
        columns: cells.columns.clone(),
        guarantee: Guarantee {
            k: recipe.k,
            ..Guarantee::default()
        },
        protect: vec![recipe.method.clone()],
        order: Order::Input,
        ..Plan::default()
    }
}

/// What a plan makes of the cells; none where rows would be left out, or cells emptied of a column
/// without missing values.
pub(super) fn protected(
    cells: &Cells,
    plan: Plan,
    rows: &Rows,
    context: &Context,
) -> Result<Option<Records>> {
    let candidate = rows.try_out(plan, Purpose::Rows, context)?;
    if candidate.rows.len() != cells.rows() {
        return Ok(None);
    }
    let released = in_order_of_ids(&candidate.rows)?;
    let records = Readers::new(cells)?.read(&released)?;
    let empties = |records: &Records, place: usize| records.column(place).any(f64::is_nan);
    let emptied =
        (0..cells.width()).any(|place| empties(&records, place) && !empties(&cells.records, place));
    Ok((!emptied).then_some(records))
}
