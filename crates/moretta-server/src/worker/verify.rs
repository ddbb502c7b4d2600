//! A release held against its policy again, by code that did not make it.

use super::{Failure, Job, failure, json};
use crate::release::{Part, ToVerify};
use crate::secret::hex;
use moretta::guarantee::FileNesting;
use moretta::io::ReadOptions;
use moretta::pipeline::{self, Progress, Verification};
use moretta::policy::Policy;
use serde_json::{Value, json as object};
use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::{Path, PathBuf};

pub(super) fn work(job: &Job<'_>) -> Result<Value, Failure> {
    let policy = job.policy()?;
    let (_, options) = released(&policy);
    let given: ToVerify = job.options()?;
    let is_given = |name: &str| given.files.iter().any(|file| file.name == name);
    let files: Vec<PathBuf> = (2..2 + policy.of_levels().len() as u32)
        .map(|level| Part::Rows.file(level))
        .filter(|name| is_given(name))
        .map(PathBuf::from)
        .collect();
    let mut same = true;
    for file in &given.files {
        same &= sum_of(job, Path::new(&file.name))? == file.sha256;
    }
    // The levels beside one another are judged by the data, which may be deleted by now.
    let is_whole = files.len() == policy.of_levels().len() && job.files.exists(&policy.source.path);
    let mut found = match policy.plan.levels.is_empty() || is_whole {
        true => verified(&policy, &files, &options, job.progress)?,
        false => one_by_one(job, &policy, &given, &options)?,
    };
    found["same_bytes"] = same.into();
    found["passed"] = (same && found["passed"] == Value::Bool(true)).into();
    Ok(found)
}

/// The SHA-256 of a file, in hexadecimal digits.
fn sum_of(job: &Job<'_>, path: &Path) -> Result<String, Failure> {
    let unread = |e| failure(moretta::Error::io("read", path, e));
    let mut file = job.files.open(path).map_err(unread)?;
    let mut sum = Sha256::new();
    let mut piece = vec![0; crate::seal::FRAME];
    loop {
        match file.read(&mut piece).map_err(unread)? {
            0 => return Ok(hex(&sum.finalize())),
            read => sum.update(&piece[..read]),
        }
    }
}

/// Levels that are there, each by itself.
fn one_by_one(
    job: &Job<'_>,
    policy: &Policy,
    given: &ToVerify,
    options: &ReadOptions,
) -> Result<Value, Failure> {
    let (mut levels, mut passed) = (Vec::new(), true);
    for (level, number) in policy.of_levels().iter().zip(2..) {
        let name = Part::Rows.file(number);
        if !given.files.iter().any(|file| file.name == name) {
            continue;
        }
        let found = pipeline::verify(level, Path::new(&name), options, job.progress);
        let found = found.map_err(failure)?;
        passed &= found.verdict.passed;
        let mut told = told(&found)?;
        told["level"] = level.level.clone().into();
        levels.push(told);
    }
    Ok(object!({ "passed": passed, "levels": levels, "nested": null, "same_rows": null }))
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
