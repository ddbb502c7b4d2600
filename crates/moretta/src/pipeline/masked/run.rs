//! `run` of a method that masks records, from beginning to end.

use super::facts::{Facts, SENSITIVE, report};
use super::flow::Flow;
use super::output::{Crowd, Output};
use crate::data::{Batch, Role, Schema};
use crate::error::{Error, Result};
use crate::io;
use crate::measure::pairs::PairMeasures;
use crate::pipeline::order::by_content;
use crate::pipeline::place::commit_all;
use crate::pipeline::places::check_places;
use crate::pipeline::progress::{Live, Stage};
use crate::pipeline::read;
use crate::pipeline::run::{Options, Outcome, ordered, without_dropped, write_reports};
use crate::policy::{Order, Policy};
use crate::protect::Masking;
use std::sync::Arc;

/// Reads, masks, measures, writes and counts again.
pub(in crate::pipeline) fn run(
    policy: &Policy,
    masking: &dyn Masking,
    options: &Options<'_>,
) -> Result<Outcome> {
    let sink = policy.sink.as_ref().ok_or_else(|| {
        Error::policy("the policy has no [sink]").help("add [sink] with path = \"-\"")
    })?;
    super::check(policy, masking)?;
    let sensitive = policy.columns.iter().any(|c| c.role == Role::Sensitive);
    if options.strict && sensitive && masking.k().is_some() {
        return Err(
            Error::policy(SENSITIVE).help("use mondrian with l, t or p, or run without --strict")
        );
    }
    check_places(policy, options.force)?;
    let rows = Rows::open(policy, masking, options)?;
    options.progress.enter(Stage::Protect);
    let watched = options.progress.is_watched();
    let places = masking.places(&rows.schema)?;
    let table = rows.batches.table();
    let mut flow = Flow::new(policy, masking, &rows.schema, table, watched)?;
    let names = places
        .iter()
        .map(|&place| rows.schema.fields()[place].name.to_string());
    let live = masking.buffer().is_some();
    let crowd = masking.k().map(|k| Crowd {
        k,
        within: masking.buffer().map(|rows| rows as u64),
    });
    let mut output = Output::open(policy, sink, flow.schema(), names.collect(), crowd, live)?;
    let named = |error: Error, output: &Output<'_>| error.instead_of(output.path(), &sink.path);
    let shuffled = !live && sink.order == Order::Shuffled;
    let mut notes = rows.notes;
    let mut batches = rows.batches;
    let mut first = true;
    for batch in batches.by_ref() {
        let batch = match batch {
            Ok(batch) => batch,
            Err(flaw) => {
                // Records that have left need the rest of their groups.
                let left = flow.finish()?;
                output.write(left).map_err(|e| named(e, &output))?;
                return Err(flaw);
            }
        };
        if std::mem::replace(&mut first, batch.is_empty()) {
            super::refuse_mixed(policy, &batch, &places)?;
        }
        let released = flow.push(batch)?;
        output.write(released).map_err(|e| named(e, &output))?;
        if live {
            options.progress.tell(Live::Records(flow.live()));
        }
    }
    notes.extend(batches.notes());
    // What is not released must not tell its hash by the order of the rows.
    let left = without_dropped(policy, flow.finish()?)?;
    let left = match shuffled {
        true => left.take(&by_content(&left)?)?,
        false => left,
    };
    output.write(left).map_err(|e| named(e, &output))?;
    options.progress.enter(Stage::Check);
    let smallest = output.close().map_err(|e| named(e, &output))?;
    keep_limits(policy, &flow)?;
    options.progress.enter(Stage::Report);
    let report = report(&Facts {
        policy,
        masking,
        sink,
        flow: &flow,
        places: &places,
        schema: &rows.schema,
        smallest,
        escaped: output.escaped(),
        path: output.path(),
        notes,
        command: &options.command,
        progress: options.progress,
    })?;
    let mut files = write_reports(policy, &report, options)?;
    files.extend(output.into_pending());
    commit_all(files, options.force)?;
    Ok(Outcome {
        report,
        read: flow.read,
    })
}

/// What the policy measures of the masked rows; they go nowhere.
pub(in crate::pipeline) fn measured(
    policy: &Policy,
    masking: &dyn Masking,
    original: &Batch,
) -> Result<Vec<(&'static str, Option<f64>)>> {
    super::check(policy, masking)?;
    let (rows, table) = match masking.buffer() {
        Some(_) => (original.clone(), None),
        None => (ordered(policy, original)?, Some(original.len())),
    };
    super::refuse_mixed(policy, &rows, &masking.places(rows.schema())?)?;
    let mut flow = Flow::new(policy, masking, original.schema(), table, false)?;
    flow.push(rows)?;
    flow.finish()?;
    let values = flow.measures().into_iter().flat_map(PairMeasures::values);
    let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
    Ok(values
        .map(|(info, value)| (info.name, finite(value)))
        .collect())
}

/// Refuses a release that misses a goal.
fn keep_limits(policy: &Policy, flow: &Flow) -> Result<()> {
    for (info, value) in flow.measures().into_iter().flat_map(PairMeasures::values) {
        let limit = policy.fail_above.iter().find(|(name, _)| name == info.name);
        let Some((name, limit)) = limit else {
            continue;
        };
        let Some(value) = value.filter(|value| value.is_finite()) else {
            return Err(Error::goal(format!("{name} could not be measured"))
                .help("take its limit away, or look for numbers that are too large"));
        };
        if value > *limit {
            return Err(
                Error::goal(format!("{name} is {value:.4}, above the limit of {limit}"))
                    .help("change the method, or raise the limit under [measure]"),
            );
        }
    }
    Ok(())
}

/// The rows that come: a whole table at once, or a stream.
struct Rows {
    schema: Arc<Schema>,
    batches: Batches,
    notes: Vec<String>,
}

enum Batches {
    Table(Option<Batch>),
    Stream(Box<dyn io::Source>),
}

impl Rows {
    fn open(policy: &Policy, masking: &dyn Masking, options: &Options<'_>) -> Result<Self> {
        if masking.buffer().is_none() {
            let original = read::read(policy, options.progress)?;
            return Ok(Rows {
                schema: Arc::clone(original.batch.schema()),
                batches: Batches::Table(Some(ordered(policy, &original.batch)?)),
                notes: original.notes,
            });
        }
        let mut reading = policy.source.options.clone();
        reading.stream = true;
        reading.progress = Some(options.progress.counter());
        let source = io::open_all(&policy.source.paths(), &reading, &read::plans(policy)?)?;
        Ok(Rows {
            schema: Arc::clone(source.schema()),
            batches: Batches::Stream(source),
            notes: Vec::new(),
        })
    }
}

impl Batches {
    /// The rows of a table.
    fn table(&self) -> Option<usize> {
        match self {
            Batches::Table(batch) => Some(batch.as_ref().map_or(0, Batch::len)),
            Batches::Stream(_) => None,
        }
    }

    fn notes(&self) -> Vec<String> {
        match self {
            Batches::Table(_) => Vec::new(),
            Batches::Stream(source) => source.notes(),
        }
    }
}

impl Iterator for Batches {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        match self {
            Batches::Table(batch) => batch.take().map(Ok),
            Batches::Stream(source) => source.next(),
        }
    }
}
