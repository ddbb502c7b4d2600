//! A release held against its policy again, by code that did not make it.

use super::{Failure, Job, failure, json};
use moretta::guarantee::FileNesting;
use moretta::io::ReadOptions;
use moretta::pipeline::{self, Progress, Verification};
use moretta::policy::Policy;
use serde_json::{Value, json as object};
use std::path::PathBuf;

pub(super) fn work(job: &Job<'_>) -> Result<Value, Failure> {
    let policy = job.policy()?;
    let (files, options) = released(&policy);
    verified(&policy, &files, &options, job.progress)
}

/// The files that a policy releases, from the least to the most protected, and how to read them.
pub(super) fn released(policy: &Policy) -> (Vec<PathBuf>, ReadOptions) {
    let sinks: Vec<_> = policy
        .of_levels()
        .into_iter()
        .filter_map(|level| level.sink)
        .collect();
    let written = sinks.first().map(|sink| sink.options.clone());
    let written = written.unwrap_or_default();
    let missing = policy.source.options.missing.iter().cloned();
    let options = ReadOptions {
        format: written.format,
        compression: written.compression,
        delimiter: written.delimiter,
        missing: missing.chain([written.missing]).collect(),
        limits: policy.source.options.limits,
        graph: match &policy.graph {
            Some(graph) => graph.node_table(),
            None => Default::default(),
        },
        files: policy.files.clone(),
        ..ReadOptions::default()
    };
    (sinks.into_iter().map(|sink| sink.path).collect(), options)
}

/// What the files really keep.
pub(super) fn verified(
    policy: &Policy,
    files: &[PathBuf],
    options: &ReadOptions,
    progress: &Progress,
) -> Result<Value, Failure> {
    if !policy.plan.levels.is_empty() {
        let found = pipeline::verify_levels(policy, files, options, progress).map_err(failure)?;
        let levels = found.levels.iter().zip(&policy.plan.levels);
        let levels = levels.map(|(found, level)| {
            let mut told = told(found)?;
            told["level"] = level.name.clone().into();
            Ok(told)
        });
        let refuted = |pairs: &Vec<FileNesting>| pairs.iter().any(FileNesting::is_refuted);
        return Ok(object!({
            "passed": found.passed(),
            "levels": levels.collect::<Result<Vec<Value>, Failure>>()?,
            "nested": found.nested.as_ref().map(|pairs| !refuted(pairs)),
            "same_rows": found.same_rows,
        }));
    }
    let Some(file) = files.first() else {
        return Err(crate::problem::Problem::bug("a release of no file is verified").into());
    };
    if policy.plan.stream().is_some() {
        let found = pipeline::verify_stream(policy, file, None, options, progress);
        let found = found.map_err(failure)?;
        return Ok(object!({
            "passed": found.verdict.passed,
            "levels": [{ "level": null, "claims": json(&found.verdict.claims)? }],
        }));
    }
    let found = pipeline::verify(policy, file, options, progress).map_err(failure)?;
    Ok(object!({ "passed": found.verdict.passed, "levels": [told(&found)?] }))
}

fn told(found: &Verification) -> Result<Value, Failure> {
    let faults = found.findings.faults.iter().map(ToString::to_string);
    Ok(object!({
        "passed": found.verdict.passed,
        "rows": found.findings.rows,
        "classes": found.findings.classes,
        "smallest_class": found.findings.smallest_class,
        "claims": json(&found.verdict.claims)?,
        "faults": faults.collect::<Vec<String>>(),
    }))
}
