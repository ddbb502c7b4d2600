//! The ledger of a data set: what jobs were charged, in a chain, and the sealed file in which the
//! library keeps the classes of published releases.
//!
//! A charge stands before the job, once for each job, and is never given back: a release that was
//! refused has been looked at. Classes are entered when a release is published, since nobody else
//! has seen the others; a release that was made beside an older state of the file is not approved.

use crate::clock::{DAY, Millis};
use crate::db::Sql;
use crate::id::Id;
use crate::problem::{Problem, Result};
use crate::store::Act;
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// ε is kept in billionths, which add up without rounding.
const NANO: f64 = 1e9;
/// The largest ε that is charged.
const MOST: f64 = 1e9;
/// For how long a charge counts in the budget of a year.
const YEAR: Millis = 365 * DAY;

/// A charge as it stands in the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Charged {
    /// Its place, from 1.
    pub number: i64,
    /// The job.
    pub job: Id,
    /// The release that the job made.
    pub release: Option<Id>,
    /// The ε in billionths.
    pub epsilon_nano: i64,
    /// When.
    pub at: Millis,
}

/// ε in billionths, rounded up.
pub fn nano(epsilon: f64) -> i64 {
    // One billionth is forgiven to binary fractions: 0.1 is a hundred million, not one more.
    ((epsilon * NANO - 1e-3).ceil()).max(0.0) as i64
}

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
    let known = "SELECT count(*) FROM charges WHERE job_id = $1";
    if sql.number(known, values![job])? > 0 {
        return Ok(false);
    }
    if !(0.0..=MOST).contains(&epsilon) {
        return Err(Problem::unusable("ε is no number that can be charged"));
    }
    let next = nano(epsilon);
    let spent = spent(sql, dataset, at)?;
    if let Some(budget) = at_most.map(nano)
        && next > 0
        && spent.saturating_add(next) > budget
    {
        let show = |nano: i64| nano as f64 / NANO;
        return Err(Problem::conflict(
            "budget",
            format!(
                "ε = {} a year is allowed for these data; {} are spent, and this would spend {}",
                show(budget),
                show(spent),
                show(next)
            ),
        )
        .help("take a smaller ε, or wait until a year has passed since earlier releases"));
    }
    let last = sql.row(
        "SELECT number, hash FROM charges WHERE dataset_id = $1 ORDER BY number DESC LIMIT 1",
        values![dataset],
    )?;
    let (number, before) = match last {
        Some(row) => (row.integer(0)?, row.bytes(1)?.to_vec()),
        None => (0, beginning(dataset)),
    };
    let charged = Charged {
        number: number + 1,
        job,
        release,
        epsilon_nano: next,
        at,
    };
    sql.execute(
        "INSERT INTO charges (number, dataset_id, job_id, release_id, epsilon_nano, at, hash) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        values![
            charged.number,
            dataset,
            job,
            release,
            next,
            at,
            chained(&before, &charged)
        ],
    )?;
    Ok(true)
}

/// The ε in billionths that was charged within a year.
///
/// # Errors
/// When the store does not answer.
pub fn spent(sql: &mut dyn Sql, dataset: Id, at: Millis) -> Result<i64> {
    let sum = "SELECT CAST(COALESCE(SUM(epsilon_nano), 0) AS BIGINT) FROM charges \
               WHERE dataset_id = $1 AND at > $2";
    sql.number(sum, values![dataset, at - YEAR])
}

/// All charges of a data set, the sum of the last one, and whether their chain holds.
///
/// # Errors
/// When the store does not answer.
pub fn charges(sql: &mut dyn Sql, dataset: Id) -> Result<(Vec<Charged>, Vec<u8>, bool)> {
    let rows = sql.query(
        "SELECT number, job_id, release_id, epsilon_nano, at, hash FROM charges \
         WHERE dataset_id = $1 ORDER BY number",
        values![dataset],
    )?;
    let (mut charges, mut before, mut holds) = (Vec::new(), beginning(dataset), true);
    for row in rows {
        let charged = Charged {
            number: row.integer(0)?,
            job: row.id(1)?,
            release: row.maybe_id(2)?,
            epsilon_nano: row.integer(3)?,
            at: row.integer(4)?,
        };
        let hash = chained(&before, &charged);
        holds &= hash == row.bytes(5)? && charged.number == charges.len() as i64 + 1;
        before = hash;
        charges.push(charged);
    }
    Ok((charges, before, holds))
}

fn beginning(dataset: Id) -> Vec<u8> {
    Sha256::digest(format!("moretta charges 1 {dataset}")).to_vec()
}

fn chained(before: &[u8], charged: &Charged) -> Vec<u8> {
    let text = serde_json::to_vec(charged).unwrap_or_default();
    Sha256::new()
        .chain_update(before)
        .chain_update(text)
        .finalize()
        .to_vec()
}

/// The sealed file of classes of a data set and its version; version 0 before the first release.
///
/// # Errors
/// When the store does not answer.
pub fn classes(sql: &mut dyn Sql, dataset: Id) -> Result<(Option<Id>, i64)> {
    let row = sql.row(
        "SELECT object_id, version FROM ledgers WHERE dataset_id = $1",
        values![dataset],
    )?;
    match row {
        Some(row) => Ok((row.maybe_id(0)?, row.integer(1)?)),
        None => Ok((None, 0)),
    }
}

/// Fails when the classes of a release were held against an older file than the one of today.
///
/// # Errors
/// 409 when another release of the data set was published meanwhile.
pub(super) fn check_classes(sql: &mut dyn Sql, dataset: Id, seen: i64) -> Result<()> {
    match classes(sql, dataset)? {
        (_, version) if version == seen => Ok(()),
        _ => Err(Problem::conflict(
            "overtaken",
            "another release of these data was published since this one was made",
        )
        .help(
            "refuse this one and have it asked for again: it has to be held against that one too",
        )),
    }
}

/// Enters the classes of a release that is published: `object` is the longer file. Gives the file
/// that it replaces.
///
/// # Errors
/// 409 when another release of the data set was published meanwhile.
pub(super) fn enter(act: &mut Act<'_>, dataset: Id, seen: i64, object: Id) -> Result<Option<Id>> {
    check_classes(&mut **act, dataset, seen)?;
    let (before, _) = classes(&mut **act, dataset)?;
    act.execute(
        "INSERT INTO ledgers (dataset_id, object_id, version) VALUES ($1, $2, 1) \
         ON CONFLICT (dataset_id) DO UPDATE SET object_id = excluded.object_id, \
         version = ledgers.version + 1",
        values![dataset, object],
    )?;
    Ok(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_fractions_are_charged_as_they_are_written() {
        for (epsilon, expected) in [
            (0.0, 0),
            (0.1, 100_000_000),
            (0.3, 300_000_000),
            (1.0, 1_000_000_000),
            (1e-9, 1),
            (1.5e-9, 2),
        ] {
            assert_eq!(nano(epsilon), expected, "{epsilon}");
        }
        assert_eq!(nano(0.1) + nano(0.2), nano(0.3));
    }
}
