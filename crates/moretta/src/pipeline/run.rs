//! `run` from beginning to end.

use super::facts::{Facts, Masked, report};
use super::judge::{Judge, Judgement, Made, refused};
use super::learn::accuracy_losses;
use super::masked::{self, Masks, Watch};
use super::order;
use super::place::{Pending, commit_all};
use super::places::{check_places, report_places};
use super::progress::{Progress, Stage};
use super::read::{Original, in_order_of_ids, originals_of, read};
use super::read_back::read_back;
use super::report::Report;
use super::steps::{Compared, protect};
use super::stream;
use super::telling::Leaving;
use super::warnings::run_warnings;
use crate::data::{Batch, Column, Schema};
use crate::error::{Error, Result};
use crate::io::{self, Header};
use crate::measure;
use crate::policy::{Action, Policy, SinkPolicy};
use crate::protect::identifiers::Pseudonyms;
use std::path::Path;
use std::sync::Arc;

/// How to run a policy.
pub struct Options<'a> {
    /// Shown in the report: the command that makes the same release again.
    pub command: String,
    /// Shown in the report: the day of the run. The library has no clock.
    pub date: Option<String>,
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
    match policy.is_buffered() {
        true => masked::run(policy, options),
        false => run_table(policy, options),
    }
}

/// Reads a table, puts it through the methods, checks and measures what leaves, writes it
/// aside, reads that back, and only then puts the files in place.
fn run_table(policy: &Policy, options: &Options<'_>) -> Result<Outcome> {
    let progress = options.progress;
    refuse_levels(policy)?;
    let sink = policy.sink.as_ref().ok_or_else(|| {
        Error::policy("the policy has no [sink]").help("add [sink] with path = \"out/release.csv\"")
    })?;
    masked::check(policy)?;
    masked::refuse_sensitive(policy, options.strict)?;
    check_places(policy, options.force)?;
    let original = read(policy, progress)?;
    let schema = original.batch.schema();
    let masks = Masks::new(policy, schema)?;
    let warn = |rows: &Original| match policy.keeps_guarantee() {
        // Of records that are only masked, what was odd about the input.
        false => Ok(rows.notes.clone()),
        true => run_warnings(policy, rows, masks.as_ref(), options.strict),
    };
    let known = warn(&original)?;
    if let Some(masks) = &masks {
        masked::refuse_mixed(policy, &original.batch, &masks.places)?;
    }
    let masked_names = masks.as_ref().map_or_else(Vec::new, |m| m.names.clone());
    let protected = protect(policy, &original, Compared::Yes, progress)?;
    let rows = order::released(policy, protected.rows)?;
    let release = without_dropped(policy, rows.clone())?;
    progress.enter(Stage::Check);
    let judgement = match &protected.given {
        None => None,
        Some(given) => {
            let made = Made {
                release: &release,
                suppressed: &protected.suppressed,
                untruths: protected.untruths.clone(),
                masked: &masked_names,
                accuracy_losses: accuracy_losses(policy, &original, &release)?,
            };
            Some(Judge { policy, given }.judge(made, progress)?)
        }
    };
    if let Some(fault) = protected.untruths.first() {
        return Err(refused(fault));
    }
    if let Some(judgement) = &judgement {
        accept(policy, judgement)?;
    }
    let masked = match &masks {
        None => None,
        Some(masks) => {
            let watch = look(policy, masks, &original.batch, &rows, progress)?;
            masked::keep_limits(policy, &watch)?;
            Some((watch, smallest_crowds(masks, &release)?))
        }
    };
    drop(rows);
    let mut telling = Leaving::new(masked_names);
    telling.observe(&release)?;
    let pending = Pending::new(&sink.path)?;
    let named = |error: Error| error.instead_of(pending.temporary(), &sink.path);
    let escaped = write(sink, &release, pending.temporary(), progress).map_err(named)?;
    read_back(policy, sink, pending.temporary(), &release, progress).map_err(named)?;
    progress.enter(Stage::Report);
    let mut told = match release.len() == original.batch.len() {
        true => known,
        false => {
            let ids: Vec<u64> = release.rows().iter().collect();
            warn(&original.of_rows(&ids)?)?
        }
    };
    let telling = telling.warning()?;
    match policy.keeps_guarantee() {
        true => told.splice(0..0, telling).for_each(drop),
        false => told.extend(telling),
    }
    let report = report(&Facts {
        policy,
        sink,
        schema,
        judgement: judgement.as_ref(),
        masked: match (&masks, &masked) {
            (Some(masks), Some((watch, crowds))) => Some(Masked {
                masks,
                watch,
                crowds: crowds.clone(),
            }),
            _ => None,
        },
        read: original.batch.len() as u64,
        released: release.len() as u64,
        suppressed: &protected.suppressed,
        escaped,
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

/// What is measured of masked `rows`, which leave with all columns in this order.
pub(super) fn look(
    policy: &Policy,
    masks: &Masks<'_>,
    original: &Batch,
    rows: &Batch,
    progress: &Progress,
) -> Result<Watch> {
    let schemas = (&**original.schema(), &**rows.schema());
    let table = (!policy.is_buffered()).then_some(rows.len());
    let mut watch = Watch::new(policy, masks, schemas, table, progress.is_watched())?;
    // Measures see pairs in the order of the release, too: what they tell of some pairs
    // must not depend on an order that does not leave.
    let originals = originals_of(original, rows.rows())?;
    if table.is_some() {
        // Of rows that are suppressed nothing is told, so nobody is taken to know them.
        watch.prepare(&in_order_of_ids(&originals)?)?;
    }
    watch.read(&originals);
    watch.look(rows)?;
    Ok(watch)
}

/// The smallest of each crowd; none where nothing was released.
fn smallest_crowds(masks: &Masks<'_>, release: &Batch) -> Result<Vec<Option<u64>>> {
    let crowds = masks.crowds.iter();
    crowds
        .map(|crowd| {
            let mut checker = crowd.checker();
            checker.observe(release, &crowd.places(release.schema())?)?;
            checker.finish()
        })
        .collect()
}

/// A policy with levels promises more than one release, so one of them is not made in silence.
fn refuse_levels(policy: &Policy) -> Result<()> {
    match policy.levels.is_empty() {
        true => Ok(()),
        false => Err(Error::policy("levels are read but not released yet")
            .help("take [levels] out and run one policy for each level")),
    }
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

/// Rows written at a time.
const CHUNK: usize = 1 << 16;

/// Writes the rows aside; gives the number of cells that were escaped against formulas.
fn write(sink: &SinkPolicy, release: &Batch, path: &Path, progress: &Progress) -> Result<u64> {
    progress.enter(Stage::Write);
    let mut file = io::create(path, &sink.options, release.schema())?;
    for start in (0..release.len()).step_by(CHUNK) {
        let part = release.slice(start, CHUNK.min(release.len() - start));
        file.write(&part)?;
        progress.add(part.len());
    }
    if release.is_empty() {
        file.write(release)?;
    }
    file.close()?;
    Ok(file.escaped())
}

/// Refuses a release that misses its guarantee or a goal.
fn accept(policy: &Policy, judgement: &Judgement) -> Result<()> {
    if !judgement.passed() {
        return Err(judgement.refusal());
    }
    // Others are of pairs of records.
    let limits = policy.fail_above.iter();
    for (name, limit) in limits.filter(|(name, _)| measure::info(name).is_some()) {
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
    let told = Report {
        date: options.date.clone(),
        stages: Vec::new(),
        ..report.clone()
    };
    let mut written = Vec::new();
    for place in report_places(policy) {
        let text = match place.extension().is_some_and(|ending| ending == "json") {
            true => serde_json::to_string_pretty(&told)
                .map_err(|e| Error::bug(format!("a report that is no JSON: {e}")))?,
            false => (options.render)(&told),
        };
        let pending = Pending::new(&place)?;
        pending.write(text.as_bytes())?;
        written.push(pending);
    }
    Ok(written)
}
