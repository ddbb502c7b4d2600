//! What a report tells of the measures: taken from released rows and what the policy
//! declares, before any suppressed row is looked at.
//!
//! Suppressed rows count with the bound of [`coarse`](super::coarse), so that each figure of
//! loss is the most it can be; the journalist's risk does not count suppressed persons among
//! whom others could hide, so that it is rather too high than too low. "Before" is about the
//! originals of the released rows. Two tables that differ in suppressed rows alone, whose
//! numbers have one bound, get one report; `tests/report_attacks.rs` holds it to that.

use super::coarse;
use super::report::{PopulationFact, Reason};
use crate::data::{Domain, Schema};
use crate::engine::plan::{ColumnPolicy, Plan};
use crate::measure::{Band, Measures, RiskByColumn, Value};

/// What may be published of the measures.
pub(crate) struct Published {
    /// Why rows were suppressed, with bounds for their numbers.
    pub(crate) reasons: Vec<Reason>,
    /// Every measure.
    pub(crate) values: Vec<Value>,
    /// Classes of the originals of released rows.
    pub(crate) classes_before: u64,
    /// Persons in those classes.
    pub(crate) persons_before: u64,
    /// Shares of persons by risk.
    pub(crate) bands: Vec<Band>,
    /// The size of the population, and the models that say who is unique in it.
    pub(crate) population: Option<PopulationFact>,
    /// What each quasi-identifier adds to the risk.
    pub(crate) by_column: Option<RiskByColumn>,
    /// Mean loss of a released row by quasi-identifier.
    pub(crate) column_loss: Vec<(String, f64)>,
    /// Quasi-identifiers whose range few rows would have stretched.
    pub(crate) stretched: Vec<String>,
}

impl Published {
    /// From measures that have seen released rows only.
    pub(crate) fn new(measures: &mut Measures, reasons: Vec<Reason>) -> Self {
        measures.measure_against(measures.extents());
        let sizes = measures.class_sizes_before();
        Published {
            values: measures.values_with(coarse::suppressed(&reasons)),
            classes_before: sizes.iter().map(|size| size.groups).sum(),
            persons_before: sizes.iter().map(|size| size.size * size.groups).sum(),
            bands: measures.risk_bands(),
            population: measures
                .population()
                .map(|(persons, models)| PopulationFact { persons, models }),
            by_column: measures.risk_by_column(),
            column_loss: measures.column_loss(),
            stretched: measures.stretched(),
            reasons,
        }
    }
}

/// The k that is promised: of classes, else the largest of combinations of few columns; 1 without.
fn promised_size(plan: &Plan) -> u32 {
    let combinations = plan.combinations().unwrap_or_default();
    let of_combinations = combinations.iter().map(|combination| combination.k).max();
    plan.guarantee.class_size().or(of_combinations).unwrap_or(1)
}

/// Measures of releases of a table, with the ranges that the policy declares.
pub(crate) fn measures(plan: &Plan, schema: &Schema, domains: &[(String, Domain)]) -> Measures {
    let mut measures = Measures::new(schema, domains, promised_size(plan))
        .weighted(|name| plan.weight(name))
        .sampled(&plan.risk);
    let declared = |column: &ColumnPolicy| Some((column.name.clone(), column.range?));
    for (name, range) in plan.columns.iter().filter_map(declared) {
        measures.declare_range(&name, range);
    }
    measures
}
