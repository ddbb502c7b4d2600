//! What a release job has made becomes a request that waits for an officer, in the transaction that
//! ends the job.

use super::facts::Facts;
use super::manifest::{Manifest, sum, text};
use super::record::Release;
use super::state::{State, Step};
use super::task::{LEDGER, Made, Part};
use crate::app::App;
use crate::clock::Millis;
use crate::db::Sql;
use crate::job::{Claimed, Object, Outcome};
use crate::problem::{Problem, Result};
use crate::store::Act;
use crate::zone::StagingZone;
use moretta::engine::report::Report;
use std::io::Read;

/// How long a report may be.
const REPORT: u64 = 64 << 20;

/// What follows from the end of a release job: the release is ready, or a draft again. A job whose
/// release has gone on without it, because it was withdrawn, changes nothing.
///
/// # Errors
/// When the worker has not made what it says.
pub(crate) fn follow(
    app: &App,
    act: &mut Act<'_>,
    job: &Claimed,
    outcome: &Outcome,
    at: Millis,
) -> Result<()> {
    let Some(id) = job.spec.release else {
        return Err(Problem::bug("a release job makes no release"));
    };
    let mut release = Release::find(&mut **act, job.project, id)?;
    let is_current = release.job == Some(job.id) && release.state == State::Running;
    match outcome {
        Outcome::Done { result, made } if is_current => {
            let result: Made = serde_json::from_value(result.clone()).map_err(|_| untrue())?;
            record(app, act, &mut release, &result, made)?;
            release.step(act, Step::Make, at)
        }
        Outcome::Done { made, .. } => discard(app, act, made),
        Outcome::Failed(failure) if is_current => {
            let problem = serde_json::to_string(failure).unwrap_or_default();
            fail(act, &mut release, Some(problem), at)
        }
        Outcome::Cancelled if is_current => fail(act, &mut release, None, at),
        _ => Ok(()),
    }
}

fn fail(
    act: &mut Act<'_>,
    release: &mut Release,
    problem: Option<String>,
    at: Millis,
) -> Result<()> {
    act.execute_one(
        "UPDATE releases SET problem = $1 WHERE id = $2",
        values![problem, release.id],
    )?;
    release.step(act, Step::Fail, at)
}

/// Files that nobody wants any more; they are swept away.
fn discard(app: &App, act: &mut Act<'_>, made: &[Object]) -> Result<()> {
    let staging = StagingZone::of(app)?;
    for one in made {
        let _left = staging.delete(act, one.id)?;
    }
    Ok(())
}

/// Enters levels and files, and the manifest that names them all.
fn record(
    app: &App,
    act: &mut Act<'_>,
    release: &mut Release,
    result: &Made,
    made: &[Object],
) -> Result<()> {
    let staging = StagingZone::of(app)?;
    let object = |name: &str| made.iter().find(|one| one.name == name);
    for level in &result.levels {
        for part in Part::ALL {
            match object(&part.file(level.level)) {
                Some(one) => act.execute(
                    "INSERT INTO release_files (release_id, level, part, object_id) VALUES ($1, $2, $3, $4)",
                    values![release.id, i64::from(level.level), part.word(), one.id],
                )?,
                None if part == Part::Manifest => 0,
                None => return Err(untrue()),
            };
        }
        let report = object(&Part::Report.file(level.level)).ok_or_else(untrue)?;
        let file = staging.open(&mut **act, report.id)?;
        let mut bytes = Vec::new();
        file.take(REPORT)
            .read_to_end(&mut bytes)
            .map_err(|e| crate::seal::problem(&e))?;
        let report: Report = serde_json::from_slice(&bytes).map_err(|_| untrue())?;
        let facts = Facts::of(level.level, &level.name, &report);
        if facts.rows != level.rows {
            return Err(untrue());
        }
        let facts = serde_json::to_string(&facts).map_err(|_| untrue())?;
        act.execute(
            "INSERT INTO release_levels (release_id, level, name, rows, facts) VALUES ($1, $2, $3, $4, $5)",
            values![
                release.id,
                i64::from(level.level),
                &level.name,
                level.rows as i64,
                facts
            ],
        )?;
    }
    let is_made = |level: &u32| result.levels.iter().any(|of| of.level == *level);
    if !release.levels.iter().all(is_made) {
        return Err(untrue());
    }
    release.ledger = object(LEDGER).map(|one| one.id);
    let manifest = text(&Manifest::of(&mut **act, release)?)?;
    let hash = sum(&manifest);
    act.execute_one(
        "UPDATE releases SET ledger_id = $1, manifest = $2, manifest_sha256 = $3 WHERE id = $4",
        values![release.ledger, manifest, hash, release.id],
    )
}

fn untrue() -> Problem {
    Problem::bug("a worker has not made what it says of a release")
}

/// What is told of the levels of a release, from the least to the most protected.
///
/// # Errors
/// When the store does not answer.
pub(super) fn facts(sql: &mut dyn Sql, release: &Release) -> Result<Vec<Facts>> {
    let rows = sql.query(
        "SELECT level, facts FROM release_levels WHERE release_id = $1 ORDER BY level",
        values![release.id],
    )?;
    let mut facts = Vec::new();
    for row in rows {
        let level = row.integer(0)?;
        if release.levels.iter().any(|of| i64::from(*of) == level) {
            let read = serde_json::from_str(row.text(1)?);
            facts.push(read.map_err(|_| Problem::bug("facts of a release cannot be read"))?);
        }
    }
    Ok(facts)
}
