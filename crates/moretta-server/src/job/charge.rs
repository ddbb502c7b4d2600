//! Charges: what a job spends of the budget of its data, before it begins and once only.

use crate::clock::{DAY, Millis};
use crate::db::Sql;
use crate::id::Id;
use crate::problem::{Problem, Result};

/// Billionths of ε in one.
const NANO: f64 = 1e9;
/// How long a budget lasts.
const YEAR: Millis = 365 * DAY;

/// Charges a data set for a job, before it is begun; never given back. A job that was charged, in an
/// earlier try, is not charged again. False when it was charged already.
///
/// # Errors
/// 409 when the budget of the year, `at_most`, would not last.
pub fn charge(
    sql: &mut dyn Sql,
    (dataset, job, release): (Id, Id, Option<Id>),
    epsilon: f64,
    at_most: Option<f64>,
    at: Millis,
) -> Result<bool> {
    let charged = "SELECT count(*) FROM charges WHERE job_id = $1";
    if sql.number(charged, values![job])? > 0 {
        return Ok(false);
    }
    // Rounded up: what is too small to be counted is not free.
    let nano = (epsilon * NANO).ceil();
    if !(0.0..=1e18).contains(&nano) {
        return Err(Problem::unusable("ε is no number that can be charged"));
    }
    let spent = "SELECT CAST(COALESCE(SUM(epsilon_nano), 0) AS BIGINT) FROM charges WHERE dataset_id = $1 AND at > $2";
    let spent = sql.number(spent, values![dataset, at - YEAR])?;
    if at_most.is_some_and(|most| spent as f64 + nano > (most * NANO).floor()) {
        let what = "the budget of these data does not last for this";
        return Err(Problem::conflict("budget", what)
            .help("take a smaller ε, or wait until a year has passed since earlier releases"));
    }
    let next = "SELECT COALESCE(MAX(number), 0) FROM charges WHERE dataset_id = $1";
    let number = sql.number(next, values![dataset])? + 1;
    sql.execute(
        "INSERT INTO charges (number, dataset_id, job_id, release_id, epsilon_nano, at) \
         VALUES ($1, $2, $3, $4, $5, $6)",
        values![number, dataset, job, release, nano as i64, at],
    )?;
    Ok(true)
}
