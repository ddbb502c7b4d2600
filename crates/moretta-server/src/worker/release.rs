//! A release made, checked, attacked and sealed in staging: all levels, or none.
//!
//! What is written is held against the policy again by code that did not make it, and attacked as
//! its methods are known to be attacked. For each level there are the file, its report as a page and
//! as JSON, a dictionary of what it shows and where its rows begin; one manifest names the sum of
//! each, and its own sum is what an approval is about.

use super::{Failure, Job, RowIndex, attack, failure, json, verify};
use crate::problem::Problem;
use crate::secret::hex;
use moretta::data::{Column, ColumnPlan, MISSING, ReadAs, Role};
use moretta::engine::KeyPlace;
use moretta::io::{self, ReadOptions};
use moretta::pipeline::{self, Report};
use moretta::policy::Policy;
use serde_json::{Value, json as object};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The name of the manifest, and of the secret under which a ledger knows rows.
const MANIFEST: &str = "manifest.json";
const LEDGER: &str = "ledger";

/// Values of a column that a dictionary lists.
const VALUES: usize = 10_000;

pub(super) fn work(job: &Job<'_>) -> Result<Value, Failure> {
    let (policy, unrecorded) = recorded(job, job.policy()?);
    let options = job.run_options();
    let outcomes = pipeline::run_levels(&policy, &options).map_err(failure)?;
    // Where a search has chosen the method, what it chose is verified through its report alone.
    let chosen = policy.goal.is_some() || policy.evolve.is_some();
    let (files, reading) = verify::released(&policy);
    let verified = match chosen {
        true => Value::Null,
        false => verify::verified(&policy, &files, &reading, job.progress)?,
    };
    if verified["passed"] == Value::Bool(false) {
        let what = "what was written does not keep what the policy promises";
        let help = "nothing was kept of it; please report this with the policy";
        return Err(Problem::new(422, "guarantee", what).help(help).into());
    }
    let attacks = match chosen {
        true => Value::Null,
        false => attack::on_release(&policy, &files, &reading, job.progress)?,
    };
    let mut levels = Vec::new();
    for (level, outcome) in policy.of_levels().iter().zip(&outcomes) {
        levels.push(of_level(job, level, &outcome.report, &reading)?);
    }
    let ledger = match &policy.ledger {
        None => object!({ "none": unrecorded }),
        Some(_) => {
            let listing = pipeline::list_ledger(&policy, None).map_err(failure)?;
            object!({ "file": LEDGER, "entries": listing.entries, "head": listing.head,
                      "releases": listing.releases.len(), "epsilon": listing.epsilon })
        }
    };
    let manifest = manifest(job, &policy, &levels, &ledger)?;
    Ok(object!({
        "levels": levels,
        "verified": verified,
        "attacks": attacks,
        "ledger": ledger,
        "manifest": { "file": MANIFEST, "sha256": manifest },
        "warnings": outcomes.iter().flat_map(|outcome| &outcome.report.warnings).collect::<Vec<_>>(),
    }))
}

/// The policy with the ledger of the data set; why not, where a ledger could not follow it.
fn recorded(job: &Job<'_>, policy: Policy) -> (Policy, Option<String>) {
    if policy.ledger.is_some() {
        return (policy, None);
    }
    if !job.task.secrets.iter().any(|(name, _)| name == LEDGER) {
        return (
            policy,
            Some("the server has given no key for a ledger".to_owned()),
        );
    }
    let key = KeyPlace::Secret(LEDGER.to_owned());
    match policy.clone().recorded(PathBuf::from(LEDGER), key) {
        Ok(recorded) => (recorded, None),
        Err(why) => (policy, Some(why.to_string())),
    }
}

/// What is told of one level, beside its files.
fn of_level(
    job: &Job<'_>,
    policy: &Policy,
    report: &Report,
    reading: &ReadOptions,
) -> Result<Value, Failure> {
    let sink = policy.sink.as_ref();
    let sink = sink.ok_or_else(|| Problem::bug("a release has no place"))?;
    let beside = |ending: &str| {
        let name = sink.path.file_name().unwrap_or_default().to_string_lossy();
        PathBuf::from(format!("{name}.{ending}"))
    };
    let (dictionary, index) = (beside("dictionary.json"), beside("rows.json"));
    write(
        job,
        &dictionary,
        &dictionary_of(policy, report, &sink.path, reading)?,
    )?;
    let rows = RowIndex::of(&job.files, &sink.path, sink.options.header);
    let rows = rows.map_err(|e| failure(moretta::Error::io("read", &sink.path, e)))?;
    if let Some(rows) = &rows {
        write(job, &index, &json(rows)?)?;
    }
    let page = policy.report.as_ref();
    Ok(object!({
        "level": policy.level,
        "file": sink.path,
        "rows": report.rows.released,
        "columns": report.columns.iter().map(|column| &column.name).collect::<Vec<_>>(),
        "report": page,
        "report_json": page.map(|page| page.with_extension("json")),
        "dictionary": dictionary,
        "row_index": rows.is_some().then_some(index),
        "passed": report.verdict.passed,
        "claims": json(&report.verdict.claims)?,
        "measures": json(&report.measures)?,
    }))
}

/// What each column of a release shows, and how often: no more than anybody counts who has it.
fn dictionary_of(
    policy: &Policy,
    report: &Report,
    file: &Path,
    reading: &ReadOptions,
) -> Result<Value, Failure> {
    let names = io::names(file, reading).map_err(failure)?;
    let plan = |name: &String| ColumnPlan {
        name: name.clone(),
        role: Role::Plain,
        read: ReadAs::Category,
    };
    let plans: Vec<ColumnPlan> = names.iter().map(plan).collect();
    let options = ReadOptions {
        batch_rows: Some(1 << 16),
        missing: Vec::new(),
        ..reading.clone()
    };
    let mut counts: Vec<BTreeMap<String, u64>> = vec![BTreeMap::new(); names.len()];
    let mut empty = vec![0_u64; names.len()];
    let mut more = vec![false; names.len()];
    for batch in io::open(file, &options, &plans).map_err(failure)? {
        let batch = batch.map_err(failure)?;
        for (place, column) in batch.columns().iter().enumerate() {
            let Column::Category(cells) = column else {
                continue;
            };
            let mut of_codes = vec![0_u64; cells.levels().len()];
            for &code in cells.codes() {
                match code {
                    MISSING => empty[place] += 1,
                    code => of_codes[code as usize] += 1,
                }
            }
            for (label, count) in cells.levels().iter().zip(of_codes) {
                match counts[place].get_mut(label) {
                    Some(known) => *known += count,
                    None if counts[place].len() < VALUES => {
                        counts[place].insert(label.to_owned(), count);
                    }
                    None => more[place] = true,
                }
            }
        }
    }
    let columns = names.iter().enumerate().map(|(place, name)| {
        let fact = report.columns.iter().find(|column| column.name == *name);
        let role = policy.plan.column(name).map(|column| column.role.word());
        let values = counts[place].iter();
        let values = values.map(|(value, count)| object!({ "value": value, "rows": count }));
        object!({
            "name": name,
            "role": role,
            "treatment": fact.map(|fact| &fact.treatment),
            "loss": fact.and_then(|fact| fact.loss),
            "missing": empty[place],
            "values": values.collect::<Vec<_>>(),
            "more": more[place],
        })
    });
    Ok(object!({ "columns": columns.collect::<Vec<_>>() }))
}

/// Writes the manifest and gives its sum. Its keys are in the order of their names, so that one
/// release has one text.
fn manifest(
    job: &Job<'_>,
    policy: &Policy,
    levels: &[Value],
    ledger: &Value,
) -> Result<String, Failure> {
    let files = job
        .sealed
        .made()?
        .into_iter()
        .filter(|made| made.name != LEDGER);
    let files = files
        .map(|made| object!({ "name": made.name, "bytes": made.bytes, "sha256": made.sha256 }));
    let data = job.task.inputs.iter().filter(|given| given.name != LEDGER);
    let data = data
        .map(|given| object!({ "name": given.name, "object": given.object, "bytes": given.bytes }));
    let content = object!({
        "format": "moretta staged release 1",
        "job": job.task.job,
        "date": job.task.date,
        "policy_sha256": hex(&Sha256::digest(policy.text.as_bytes())),
        "data": data.collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
        "levels": levels.iter().map(|level| object!({ "level": level["level"], "file": level["file"] })).collect::<Vec<_>>(),
        "ledger": ledger["head"],
    });
    let path = Path::new(MANIFEST);
    let bytes = write(job, path, &content)?;
    Ok(hex(&Sha256::digest(&bytes)))
}

fn write(job: &Job<'_>, path: &Path, content: &Value) -> Result<Vec<u8>, Failure> {
    let bytes = serde_json::to_vec(content).map_err(|_| Problem::bug("a file is no JSON"))?;
    let written = job.files.write(path, &bytes);
    written.map_err(|e| failure(moretta::Error::io("write", path, e)))?;
    Ok(bytes)
}
