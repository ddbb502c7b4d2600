//! A release made, checked, attacked and sealed in staging: all levels, or none.
//!
//! What is written is held against the policy again by code that did not make it, and attacked as
//! its methods are known to be attacked. For each level there are the parts of
//! [`Part`](crate::release::Part): the rows, where they begin, the report as a page and as JSON, and a
//! dictionary of what they show. What an approval is about, the server makes of them.

use super::{Failure, Job, attack, failure, verify};
use crate::job::protocol::{LEDGER_KEY, SIGNING_KEY};
use crate::problem::Problem;
use crate::release::csv::Format as CsvFormat;
use crate::release::{LEDGER, MadeLevel, Part, index};
use moretta::data::{Column, ColumnPlan, MISSING, ReadAs, Role};
use moretta::engine::KeyPlace;
use moretta::engine::ledger::is_of_several_rows;
use moretta::io::{self, Compression, Format, ReadOptions};
use moretta::pipeline::{self, Report};
use moretta::policy::{ManifestPolicy, Policy};
use serde_json::{Value, json as object};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Values of a column that a dictionary lists.
const VALUES: usize = 10_000;

pub(super) fn work(job: &Job<'_>) -> Result<Value, Failure> {
    let policy = job.policy()?;
    check_format(&policy)?;
    let policy = signed(job, policy);
    let (mut policy, mut unrecorded) = match recorded(job, policy.clone()) {
        Ok(recorded) => (recorded, None),
        Err(why) => (policy, Some(why)),
    };
    let options = job.run_options();
    let begun = Instant::now();
    let outcomes = match pipeline::run_levels(&policy, &options) {
        // The policy did not ask for the ledger. Where there is one of earlier releases, however,
        // none goes out that was not held against them.
        Err(error) if is_of_several_rows(&error) && !job.files.exists(Path::new(LEDGER)) => {
            unrecorded = Some(error.to_string());
            policy.ledger = None;
            policy.plan.ledger = None;
            pipeline::run_levels(&policy, &options)
        }
        outcomes => outcomes,
    };
    let outcomes = outcomes.map_err(failure)?;
    let mut seconds = BTreeMap::from([("run", so_far(begun))]);
    let (files, reading) = verify::released(&policy);
    let (checked, lists) = rayon::join(
        || check(job, &policy, (&files, &reading), &mut seconds),
        || {
            let begun = Instant::now();
            let levels = policy.of_levels().into_iter().zip(&outcomes);
            let lists =
                levels.map(|(level, outcome)| Lists::of(job, &level, &outcome.report, &reading));
            let lists = lists.collect::<Result<Vec<Lists>, Failure>>();
            lists.map(|lists| (lists, so_far(begun)))
        },
    );
    let (verified, attacks) = checked?;
    if verified["passed"] == Value::Bool(false) {
        let what = "what was written does not keep what the policy promises";
        let help = "nothing was kept of it; please report this with the policy";
        return Err(Problem::new(422, "guarantee", what).help(help).into());
    }
    let ledger = match &policy.ledger {
        None => object!({ "none": unrecorded }),
        Some(_) => {
            let listing = pipeline::list_ledger(&policy, None).map_err(failure)?;
            object!({ "entries": listing.entries, "head": listing.head,
                      "releases": listing.releases.len(), "epsilon": listing.epsilon })
        }
    };
    let (lists, listed) = lists?;
    seconds.insert("list", listed);
    let mut levels = Vec::new();
    for ((level, lists), number) in policy.of_levels().iter().zip(lists).zip(2..) {
        levels.push(of_level(job, level, number, lists)?);
    }
    for number in 2..2 + outcomes.len() as u32 {
        put_in_place(job, number)?;
    }
    let warnings = outcomes.iter().flat_map(|outcome| &outcome.report.warnings);
    Ok(object!({
        "levels": levels,
        "verified": verified,
        "attacks": attacks,
        "ledger": ledger,
        "warnings": warnings.collect::<Vec<_>>(),
        "seconds": seconds,
    }))
}

/// The seconds of each stage. `run` is what the command does; `list`, which makes dictionaries and
/// indexes, goes on beside `verify` and `attack`.
type Seconds = BTreeMap<&'static str, f64>;

fn so_far(begun: Instant) -> f64 {
    begun.elapsed().as_millis() as f64 / 1000.0
}

/// What was written, held against the policy, and what attacks get of it. Where a search has chosen
/// what is done, the report alone says what that promises.
fn check(
    job: &Job<'_>,
    policy: &Policy,
    (files, reading): (&[PathBuf], &ReadOptions),
    seconds: &mut Seconds,
) -> Result<(Value, Value), Failure> {
    if policy.goal.is_some() || policy.evolve.is_some() {
        return Ok((Value::Null, Value::Null));
    }
    let begun = Instant::now();
    let verified = verify::verified(policy, files, reading, job.progress)?;
    seconds.insert("verify", so_far(begun));
    let begun = Instant::now();
    let attacks = attack::on_release(policy, files, reading, job.progress)?;
    seconds.insert("attack", so_far(begun));
    Ok((verified, attacks))
}

/// Rows of a release are looked up in CSV.
fn check_format(policy: &Policy) -> Result<(), Failure> {
    let sink = policy.sink.as_ref();
    let sink = sink.ok_or_else(|| Problem::bug("a release has no place"))?;
    let other = sink
        .options
        .format
        .is_some_and(|format| format != Format::Csv)
        || sink
            .options
            .compression
            .is_some_and(|packed| packed != Compression::None);
    match other {
        false => Ok(()),
        true => Err(
            Problem::new(422, "policy", "releases of the server are CSV, not packed")
                .help("take `format` and `compression` out of [sink]")
                .into(),
        ),
    }
}

/// The policy with a signed manifest, where the project has a key for it.
fn signed(job: &Job<'_>, mut policy: Policy) -> Policy {
    let has_key = job.task.secrets.iter().any(|(name, _)| name == SIGNING_KEY);
    if has_key && policy.manifest.is_none() && policy.graph.is_none() {
        policy.manifest = Some(ManifestPolicy {
            path: PathBuf::from("manifest.json"),
            key: KeyPlace::Secret(SIGNING_KEY.to_owned()),
            span: 0..0,
        });
    }
    policy
}

/// The policy with the ledger of the data set; why not, where a ledger could not follow it.
fn recorded(job: &Job<'_>, policy: Policy) -> Result<Policy, String> {
    if policy.ledger.is_some() {
        return Ok(policy);
    }
    if !job.task.secrets.iter().any(|(name, _)| name == LEDGER_KEY) {
        return Err("the server has given no key for a ledger".to_owned());
    }
    let key = KeyPlace::Secret(LEDGER_KEY.to_owned());
    let recorded = policy.recorded(PathBuf::from(LEDGER), key);
    recorded.map_err(|why| why.to_string())
}

/// What goes with the rows of a level: what they show, and where they begin.
struct Lists {
    dictionary: Vec<u8>,
    index: Vec<u8>,
    rows: u64,
}

impl Lists {
    fn of(
        job: &Job<'_>,
        policy: &Policy,
        report: &Report,
        reading: &ReadOptions,
    ) -> Result<Self, Failure> {
        let sink = policy.sink.as_ref();
        let sink = sink.ok_or_else(|| Problem::bug("a release has no place"))?;
        let columns = io::names(&sink.path, reading).map_err(failure)?;
        let format = CsvFormat {
            delimiter: char::from(sink.options.delimiter.unwrap_or(b',')),
            missing: sink.options.missing.clone(),
            header: sink.options.header,
        };
        let rows = job.files.open(&sink.path);
        let rows = rows.map_err(|e| unread(&sink.path, e))?;
        let mut index = Vec::new();
        let (dictionary, head) = rayon::join(
            || dictionary_of(policy, report, &sink.path, reading),
            || index::make(rows, format, &columns, &mut index),
        );
        let (dictionary, head) = (dictionary?, head?);
        let dictionary = serde_json::to_vec(&dictionary).map_err(|_| Problem::bug("no JSON"))?;
        Ok(Lists {
            dictionary,
            index,
            rows: head.rows,
        })
    }
}

/// Gives all parts of a level their names.
fn of_level(job: &Job<'_>, policy: &Policy, level: u32, lists: Lists) -> Result<Value, Failure> {
    let sink = policy.sink.as_ref();
    let sink = sink.ok_or_else(|| Problem::bug("a release has no place"))?;
    let path_of = |part: Part| PathBuf::from(part.file(level));
    write(job, &path_of(Part::Dictionary), &lists.dictionary)?;
    write(job, &path_of(Part::Index), &lists.index)?;
    let page = policy.report.clone();
    let json = page.as_ref().map(|page| page.with_extension("json"));
    let manifest = policy.manifest.as_ref().map(|place| place.path.clone());
    for (part, from) in [
        (Part::Rows, Some(sink.path.clone())),
        (Part::Page, page),
        (Part::Report, json),
        (Part::Manifest, manifest),
    ] {
        let Some(from) = from else { continue };
        let renamed = job.files.rename(&from, &aside(part, level));
        renamed.map_err(|e| unread(&from, e))?;
    }
    let made = MadeLevel {
        level,
        name: policy.level.clone().unwrap_or_else(|| "release".to_owned()),
        rows: lists.rows,
    };
    super::json(&made)
}

/// Where a part waits until all levels have theirs: a level may be called like the number of another.
fn aside(part: Part, level: u32) -> PathBuf {
    PathBuf::from(format!(".named-{}", part.file(level)))
}

fn put_in_place(job: &Job<'_>, level: u32) -> Result<(), Failure> {
    for part in Part::ALL {
        let from = aside(part, level);
        if job.files.exists(&from) {
            let renamed = job.files.rename(&from, Path::new(&part.file(level)));
            renamed.map_err(|e| unread(&from, e))?;
        }
    }
    Ok(())
}

fn unread(path: &Path, error: std::io::Error) -> Failure {
    failure(moretta::Error::io("read", path, error))
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
    let mut counts: Vec<HashMap<String, u64>> = vec![HashMap::new(); names.len()];
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
            let known = &mut counts[place];
            let labels = cells.levels().iter().zip(of_codes);
            for (label, count) in labels.filter(|(_, count)| *count > 0) {
                let is_full = known.len() >= VALUES;
                match known.get_mut(label) {
                    Some(before) => *before += count,
                    None if !is_full => {
                        known.insert(label.to_owned(), count);
                    }
                    None => more[place] = true,
                }
            }
        }
    }
    let columns = names.iter().enumerate().map(|(place, name)| {
        let fact = report.columns.iter().find(|column| column.name == *name);
        let role = policy.plan.column(name).map(|column| column.role.word());
        let values: BTreeMap<&String, &u64> = counts[place].iter().collect();
        let values = values.into_iter();
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

fn write(job: &Job<'_>, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let written = job.files.write(path, bytes);
    written.map_err(|e| failure(moretta::Error::io("write", path, e)))
}
