//! What measures of risk need of a plan: columns that they read, and what limits on them rest on.

use super::Plan;
use crate::data::{ReadAs, Role};
use crate::error::{Error, Result};

/// What a measure needs: its name, whether that is there, and what to add.
type Need = (&'static str, fn(&Plan) -> bool, &'static str);

const NEEDS: &[Need] = &[
    ("population_uniques", knows_population, POPULATION),
    ("pitman_uniques", knows_population, POPULATION),
    ("zayatz_uniques", knows_population, POPULATION),
    ("snb_uniques", knows_population, POPULATION),
    ("suda_risk", knows_population, POPULATION),
    ("suda_average", knows_population, POPULATION),
    (
        "individual_risk",
        |plan| plan.risk.weights.is_some(),
        WEIGHTS,
    ),
    (
        "household_risk",
        |plan| plan.risk.weights.is_some() && plan.risk.households.is_some(),
        "add `weights` and `households`, the names of two columns, to [measure]",
    ),
    ("belief_change", has_sensitive, SENSITIVE),
    ("belief_change_mean", has_sensitive, SENSITIVE),
];

const POPULATION: &str = "add population = 1000000, or fraction = 0.1, to [measure]";
const WEIGHTS: &str = "add `weights`, the name of a column, to [measure]";
const SENSITIVE: &str = "give a column the role sensitive";

fn knows_population(plan: &Plan) -> bool {
    plan.risk.population.is_some()
}

fn has_sensitive(plan: &Plan) -> bool {
    let mut columns = plan.columns.iter();
    columns.any(|column| column.role == Role::Sensitive)
}

/// What is asked for can be measured, and columns that are named are there.
pub(super) fn check(plan: &Plan) -> Result<()> {
    let asked = NEEDS.iter().filter(|(name, ..)| plan.measures(name));
    if let Some((name, _, help)) = asked.into_iter().find(|(_, is_there, _)| !is_there(plan)) {
        return Err(Error::policy(format!("{name} cannot be measured here")).help(*help));
    }
    match plan.risk.columns().find(|name| plan.column(name).is_none()) {
        None => Ok(()),
        Some(name) => Err(Error::policy(format!(
            "[measure] names the column `{name}`, which is not under [columns]"
        ))
        .help("add it there; with the role drop it is read and not released")),
    }
}

/// How a column that is not released is read for measures; most are not.
pub(super) fn read_as(plan: &Plan, name: &str) -> ReadAs {
    let is = |column: &Option<String>| column.as_deref() == Some(name);
    match () {
        () if is(&plan.risk.weights) => ReadAs::Number,
        () if is(&plan.risk.households) => ReadAs::Category,
        () => ReadAs::Skip,
    }
}
