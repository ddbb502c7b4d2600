//! `run` from beginning to end.

use super::domains::domains;
use super::facts::{Facts, report};
use super::judge::{Judge, Judgement, Made};
use super::learn::accuracy_losses;
use super::masked;
use super::order;
use super::place::{Pending, commit_all};
use super::places::{check_places, report_places};
use super::progress::{Progress, Stage};
use super::read::{Original, read};
use super::report::Report;
use super::stream;
use super::telling;
use super::warnings::warnings;
use crate::data::{Batch, Column, Domains, RowIds, Schema};
use crate::error::{Error, Result};
use crate::io::{self, Header};
use crate::policy::{Action, Policy, SinkPolicy};
use crate::protect::identifiers::Pseudonyms;
use crate::protect::{Chain, Protector, Setting};
use std::path::Path;
use std::sync::Arc;

/// How to run a policy.
pub struct Options<'a> {
    /// Shown in the report: the command that makes the same release again.
    pub command: String,
    /// Whether files that are already there may be replaced.
    pub force: bool,
    /// Whether warnings are errors.
    pub strict: bool,
    /// Makes the HTML of a report.
    pub render: &'a dyn Fn(&Report) -> String,
    /// Where the run says how far it is.
    pub progress: &'a Progress,
}

/// What a run has done.
pub struct Outcome {
    /// What the report says; it gives no small count away.
    pub report: Report,
}

/// Reads, protects, writes aside, reads back, checks, and only then puts the files in place.
pub fn run(policy: &Policy, options: &Options<'_>) -> Result<Outcome> {
    if options.strict && policy.source.options.header == Header::First {
        let mut policy = policy.clone();
        policy.source.options.header = Header::Strict;
        return run(&policy, options);
    }
    if let Some(config) = policy.stream() {
        return stream::run(policy, config, options);
    }
    if let Some(masking) = policy.masking() {
        return masked::run(policy, masking, options);
    }
    let progress = options.progress;
    refuse_levels(policy)?;
    let sink = policy.sink.as_ref().ok_or_else(|| {
        Error::policy("the policy has no [sink]").help("add [sink] with path = \"out/release.csv\"")
    })?;
    check_places(policy, options.force)?;
    let original = read(policy, progress)?;
    let known = warnings(policy, &original, options.strict)?;
    let domains = Arc::new(domains(policy, &original)?);
    let (release, suppressed) = protect(policy, &original, &domains, progress)?;
    let accuracy_losses = accuracy_losses(policy, &original, &release)?;
    let telling = telling::warning(&release);
    let pending = Pending::new(&sink.path)?;
    let named = |error: Error| error.instead_of(pending.temporary(), &sink.path);
    let written = write(policy, sink, release, pending.temporary(), progress).map_err(named)?;
    let made = Made {
        order: &written.order,
        suppressed: &suppressed,
        accuracy_losses,
    };
    let judgement = Judge::new(policy, &original.batch, &domains)?
        .judge(&pending, sink, &made, progress)
        .map_err(named)?;
    accept(policy, &judgement)?;
    progress.enter(Stage::Report);
    let mut told = match written.order.len() == original.batch.len() {
        true => known,
        false => warnings(policy, &original.of_rows(&written.order)?, options.strict)?,
    };
    told.splice(0..0, telling);
    let report = report(&Facts {
        policy,
        sink,
        original: &original,
        judgement: &judgement,
        escaped: written.escaped,
        warnings: told,
        temporary: pending.temporary(),
        command: &options.command,
        progress,
    })?;
    let mut files = write_reports(policy, &report, options)?;
    // The release comes last, since what has gone to standard output cannot be taken back.
    files.push(pending);
    commit_all(files, options.force)?;
    Ok(Outcome { report })
}

/// A policy with levels promises more than one release, so one of them is not made in silence.
fn refuse_levels(policy: &Policy) -> Result<()> {
    match policy.levels.is_empty() {
        true => Ok(()),
        false => Err(Error::policy("levels are read but not released yet")
            .help("take [levels] out and run one policy for each level")),
    }
}

type Suppressed = Vec<(String, u64)>;

/// The released rows, and why others were held back.
pub(super) fn protect(
    policy: &Policy,
    original: &Original,
    domains: &Arc<Domains>,
    progress: &Progress,
) -> Result<(Batch, Suppressed)> {
    progress.enter(Stage::Protect);
    let mut protector = build(policy, original.batch.schema(), domains)?;
    let now = protector.protect(order::for_methods(policy, &original.batch)?)?;
    let later = protector.finish()?;
    let parts = [now, later]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    let release = Batch::concat(&Arc::clone(protector.schema()), parts)?;
    check_ids(&original.batch, release.rows())?;
    let suppressed = protector.suppressed();
    Ok((without_dropped(policy, release)?, suppressed))
}

/// The policy's methods, one after the other.
pub(super) fn build(
    policy: &Policy,
    schema: &Arc<Schema>,
    domains: &Arc<Domains>,
) -> Result<Chain> {
    let setting = Setting {
        guarantee: policy.guarantee.clone(),
        domains: Arc::clone(domains),
        seed: policy.seed.unwrap_or(0),
    };
    let mut links: Vec<Box<dyn Protector>> = vec![Box::new(pseudonyms(policy, schema)?)];
    for method in &policy.protect {
        let schema = Arc::clone(links[links.len() - 1].schema());
        links.push(method.build(&schema, &setting)?);
    }
    Chain::new(links)
}

/// The columns that get pseudonyms.
pub(super) fn pseudonyms(policy: &Policy, schema: &Arc<Schema>) -> Result<Pseudonyms> {
    let mut pseudonyms = Vec::new();
    for column in &policy.columns {
        if let (Action::Pseudonym { domain, key, .. }, Some(i)) =
            (&column.action, schema.index_of(&column.name))
        {
            let key = key.load().map_err(|e| e.at(column.span.clone()))?;
            pseudonyms.push((i, domain.clone(), key));
        }
    }
    Ok(Pseudonyms::new(schema, pseudonyms))
}

/// Each id comes out at most once, and none that did not go in.
fn check_ids(original: &Batch, released: &RowIds) -> Result<()> {
    let mut seen = vec![false; original.len()];
    for id in released.iter() {
        match seen.get_mut(id as usize) {
            Some(seen) if !*seen => *seen = true,
            Some(_) => return Err(Error::bug("a row was released twice")),
            None => return Err(Error::bug("a row was released that was never read")),
        }
    }
    Ok(())
}

/// Subjects and keys count persons and join rows; they are released only if the policy says so.
pub(super) fn without_dropped(policy: &Policy, release: Batch) -> Result<Batch> {
    let kept = |name: &str| {
        policy
            .column(name)
            .is_none_or(|column| column.action != Action::Drop)
    };
    let (fields, columns) = release
        .schema()
        .fields()
        .iter()
        .zip(release.columns())
        .filter(|(field, _)| kept(&field.name))
        .map(|(field, column)| (field.clone(), column.clone()))
        .unzip::<_, _, Vec<_>, Vec<Column>>();
    Batch::new(
        Arc::new(Schema::new(fields)?),
        release.rows().clone(),
        columns,
    )
}

/// What was written aside: the ids in the order of the file.
struct Written {
    order: Vec<u64>,
    escaped: u64,
}

/// Rows written at a time.
const CHUNK: usize = 1 << 18;

fn write(
    policy: &Policy,
    sink: &SinkPolicy,
    release: Batch,
    path: &Path,
    progress: &Progress,
) -> Result<Written> {
    progress.enter(Stage::Write);
    let order = order::of_release(policy, &release)?;
    let mut file = io::create(path, &sink.options, release.schema())?;
    for start in (0..release.len()).step_by(CHUNK) {
        let len = CHUNK.min(release.len() - start);
        let part = match &order {
            Some(order) => release.take(&order[start..start + len])?,
            None => release.slice(start, len),
        };
        file.write(&part)?;
        progress.add(len);
    }
    if release.is_empty() {
        file.write(&release)?;
    }
    file.close()?;
    let order = match order {
        Some(order) => order
            .iter()
            .map(|&row| release.rows().get(row as usize))
            .collect(),
        None => release.rows().iter().collect(),
    };
    Ok(Written {
        order,
        escaped: file.escaped(),
    })
}

/// Refuses a release that misses its guarantee or a goal.
fn accept(policy: &Policy, judgement: &Judgement) -> Result<()> {
    if !judgement.passed() {
        return Err(judgement.refusal());
    }
    for (name, limit) in &policy.fail_above {
        let Some(value) = judgement.measure(name) else {
            return Err(Error::goal(format!("{name} could not be measured"))
                .help("take its limit away: it needs a class, or rows that are released"));
        };
        if value > *limit {
            return Err(
                Error::goal(format!("{name} is {value:.4}, above the limit of {limit}")).help(
                    "loosen the guarantee, change the method, or raise the limit under [measure]",
                ),
            );
        }
    }
    Ok(())
}

/// The report as HTML and as JSON, aside.
pub(super) fn write_reports(
    policy: &Policy,
    report: &Report,
    options: &Options<'_>,
) -> Result<Vec<Pending>> {
    // How long a run took tells how much it read.
    let timeless = Report {
        stages: Vec::new(),
        ..report.clone()
    };
    let mut written = Vec::new();
    for place in report_places(policy) {
        let text = match place.extension().is_some_and(|ending| ending == "json") {
            true => serde_json::to_string_pretty(&timeless)
                .map_err(|e| Error::bug(format!("a report that is no JSON: {e}")))?,
            false => (options.render)(&timeless),
        };
        let pending = Pending::new(&place)?;
        pending.write(text.as_bytes())?;
        written.push(pending);
    }
    Ok(written)
}
