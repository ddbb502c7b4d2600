//! Whether the figures of promises mean something.

use super::Plan;
use crate::data::Role;
use crate::error::{Error, Result};
use crate::guarantee::{ColumnPromise, Guarantee, Population};
use crate::protect::Method;

/// Fails where a promise is out of range, as a plan that nobody has read from a policy may be, or
/// about a population that the methods do not treat like the rows.
pub(super) fn check(plan: &Plan) -> Result<()> {
    let guarantee = &plan.guarantee;
    for (holds, what) in questions(guarantee) {
        if !holds {
            return Err(Error::policy("a promise is out of range").help(what));
        }
    }
    let map = guarantee.k_map.as_ref();
    let mapped = map.and_then(|map| match &map.population {
        Population::Table(path) => Some(path),
        Population::Estimated { .. } => None,
    });
    match (mapped, &guarantee.presence) {
        (Some(mapped), Some(presence)) if *mapped != presence.population => Err(Error::policy(
            "`k_map` and `presence` name two populations, and the rows are a sample of one",
        )
        .help("name the same file in both")),
        _ => check_population(plan),
    }
}

/// What a class says of the population is read off its texts, so these must be regions of values
/// that the population has as well.
fn check_population(plan: &Plan) -> Result<()> {
    if plan.guarantee.population().is_none() {
        return Ok(());
    }
    let mut quasi = plan.columns.iter().filter(|c| c.role == Role::Quasi);
    if let Some(made) = quasi.clone().find(|column| column.from.is_some()) {
        let what = format!(
            "column `{}` is made from two, which the population does not have",
            made.name
        );
        return Err(Error::policy(what)
            .at(made.span.clone())
            .help("put the cells into a column of both files, or promise k"));
    }
    if let Some(shown) = quasi.find(|column| plan.represents(&column.name)) {
        let what = format!(
            "column `{}` is shown as a representative, which does not tell whom of the population it covers",
            shown.name
        );
        return Err(Error::policy(what)
            .at(shown.span.clone())
            .help("show regions: output = \"auto\""));
    }
    // A sample has the values of the table, which the population has as well.
    let changes = |method: &&Method| method.as_masking().is_some() || !method.samples();
    let mut changing = plan.protect.iter().filter(changes);
    let recodes =
        |method: &&Method| matches!(method, Method::Recoding(_)) || !method.keeps_guarantee();
    match changing.find(recodes).map(Method::name) {
        None => Ok(()),
        Some(name) => Err(Error::policy(format!(
            "{name} changes the rows and not the population that the guarantee is about"
        ))
        .help("use one method that makes values coarser, or promise k")),
    }
}

/// Whether each figure is in its range, and what that is.
fn questions(guarantee: &Guarantee) -> Vec<(bool, &'static str)> {
    let share = |share: f64| share > 0.0 && share <= 1.0;
    let mut asked = vec![
        (guarantee.k.is_none_or(|k| k >= 2), "k is at least 2"),
        (
            guarantee.maximum_risk.is_none_or(share) && guarantee.average_risk.is_none_or(share),
            "a risk is above 0 and at most 1",
        ),
    ];
    asked.extend(guarantee.of_columns().map(|promise| match promise {
        ColumnPromise::L(l) => (l.l >= 1.0, "l is at least 1"),
        ColumnPromise::T(t) => ((0.0..=1.0).contains(&t.t), "t is from 0 to 1"),
        ColumnPromise::P(p) => (p.p >= 1, "p is at least 1"),
        ColumnPromise::Beta(beta) => (beta.beta > 0.0, "beta is above 0"),
        ColumnPromise::Delta(delta) => (delta.delta > 0.0, "delta is above 0"),
    }));
    if let Some(map) = &guarantee.k_map {
        asked.push((map.k >= 1, "the k of k_map is at least 1"));
        if let Population::Estimated {
            fraction, alpha, ..
        } = map.population
        {
            asked.push((share(fraction), "`fraction` is above 0 and at most 1"));
            asked.push((
                share(alpha) && alpha < 1.0,
                "`alpha` is above 0 and below 1",
            ));
        }
    }
    if let Some(presence) = &guarantee.presence {
        asked.push((
            0.0 <= presence.min && presence.min <= presence.max && presence.max <= 1.0,
            "`min` and `max` of presence are from 0 to 1, in this order",
        ));
    }
    asked
}
