//! A policy tried on a sample: risk and loss, no row.

use super::{Failure, Job, failure, json, rounded};
use crate::job::options::Preview;
use moretta::pipeline::{self, Report};
use serde_json::{Value, json as object};

pub(super) fn work(job: &Job<'_>) -> Result<Value, Failure> {
    let asked: Preview = job.options()?;
    let policy = job.policy()?;
    let found = pipeline::preview(&policy, asked.rows, asked.seed, job.progress);
    let found = found.map_err(failure)?;
    let levels = policy.of_levels();
    let releases = found.reports.iter().zip(&levels);
    let releases = releases.map(|(report, level)| {
        let mut told = figures(report)?;
        told["level"] = level.level.clone().into();
        Ok(told)
    });
    Ok(object!({
        "rows": pipeline::rounded_count(found.rows, found.rows),
        "made_up": found.made_up,
        "releases": releases.collect::<Result<Vec<Value>, Failure>>()?,
    }))
}

/// What may be told of a release that nobody has approved.
fn figures(report: &Report) -> Result<Value, Failure> {
    Ok(object!({
        // What a promise was found to be is told however small it is.
        "claims": json(&report.verdict.claims)?,
        "passed": report.verdict.passed,
        "rows": rounded(&report.rows)?,
        "class_sizes": rounded(&report.class_sizes)?,
        "measures": rounded(&report.measures)?,
        "columns": rounded(&report.columns)?,
        "risk": rounded(&report.risk)?,
        "risk_by_column": rounded(&report.risk_by_column)?,
        "column_sets": rounded(&report.column_sets)?,
        "rules": rounded(&report.rules)?,
        // The lattice, where a method has searched one.
        "search": json(&report.search)?,
        "warnings": rounded(&report.warnings)?,
    }))
}
