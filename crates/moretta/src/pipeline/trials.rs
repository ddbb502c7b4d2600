//! Plans that are tried on the same rows: what each would release is measured, nothing is written.

use super::trial::Rows;
use crate::engine::{Context, Plan, Purpose};
use crate::error::{Error, Result};

/// What is measured of a plan, by name; none of what could not be measured.
pub(super) type Values = Vec<(&'static str, Option<f64>)>;

/// What was found of a plan.
pub(super) struct Assessed {
    /// The measures.
    pub(super) values: Values,
    /// Rows that would leave.
    pub(super) released: u64,
}

/// What is measured of what the plan would release.
///
/// # Errors
/// When a promise would not be kept. That a goal is missed is what the figures tell.
pub(super) fn assess(plan: &Plan, rows: &Rows, context: &Context) -> Result<Assessed> {
    let candidate = rows.try_out(plan.clone(), Purpose::Assess, context)?;
    let released = candidate.rows.len() as u64;
    let assessment = candidate
        .assessment
        .ok_or_else(|| Error::bug("a trial without an assessment"))?;
    let mut broken = assessment.faults.into_iter();
    match broken.find(|fault| matches!(fault, Error::Guarantee(_))) {
        None => Ok(Assessed {
            values: assessment.measures,
            released,
        }),
        Some(fault) => Err(fault),
    }
}

/// The value of a measure.
pub(super) fn value_of(values: &Values, name: &str) -> Option<f64> {
    let found = values.iter().find(|(measured, _)| *measured == name);
    found.and_then(|(_, value)| *value)
}
