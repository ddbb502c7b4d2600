//! `run` of a method that masks records, from beginning to end.

use super::facts::{Facts, SENSITIVE, report};
use super::flow::Flow;
use super::output::{Crowd, Output};
use crate::data::{Batch, Role, Schema};
use crate::error::{Error, Result};
use crate::io;
use crate::measure::pairs::PairMeasures;
use crate::pipeline::place::commit_all;
use crate::pipeline::places::check_places;
use crate::pipeline::progress::{Live, Progress, Stage};
use crate::pipeline::read::{self, Original};
use crate::pipeline::run::{Options, Outcome, write_reports};
use crate::policy::Policy;
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
    let schema = Arc::clone(rows.schema());
    let watched = options.progress.is_watched();
    let places = masking.places(&schema)?;
    let mut flow = Flow::new(policy, masking, &schema, rows.table(), watched)?;
    let names = places
        .iter()
        .map(|&place| schema.fields()[place].name.to_string());
    let live = masking.buffer().is_some();
    let crowd = masking.k().map(|k| Crowd {
        k,
        within: masking.buffer().map(|rows| rows as u64),
    });
    let mut output = Output::open(policy, sink, flow.schema(), names.collect(), crowd, live)?;
    let named = |error: Error, output: &Output<'_>| error.instead_of(output.path(), &sink.path);
    let mut notes = match rows {
        Rows::Table(original) => {
            super::refuse_mixed(policy, &original.batch, &places)?;
            let released = flow.mask(policy, &original.batch)?;
            let written = output.write(released).map(|()| original.notes);
            written.map_err(|e| named(e, &output))?
        }
        Rows::Stream(mut source) => {
            let mut stream = Stream {
                policy,
                places: &places,
                flow: &mut flow,
                output: &mut output,
                progress: options.progress,
            };
            let passed = stream.pass(&mut *source);
            passed.map_err(|e| named(e, &output))?;
            source.notes()
        }
    };
    options.progress.enter(Stage::Check);
    let smallest = output.close().map_err(|e| named(e, &output))?;
    keep_limits(policy, &flow)?;
    options.progress.enter(Stage::Report);
    notes.extend(flow.telling()?);
    let report = report(&Facts {
        policy,
        masking,
        sink,
        flow: &flow,
        places: &places,
        schema: &schema,
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
    Ok(Outcome { report })
}

/// What the policy measures of the masked rows; they go nowhere.
pub(in crate::pipeline) fn measured(
    policy: &Policy,
    masking: &dyn Masking,
    original: &Batch,
) -> Result<Vec<(&'static str, Option<f64>)>> {
    super::check(policy, masking)?;
    let schema = original.schema();
    super::refuse_mixed(policy, original, &masking.places(schema)?)?;
    let table = masking.buffer().is_none().then_some(original.len());
    let mut flow = Flow::new(policy, masking, schema, table, false)?;
    match table {
        Some(_) => drop(flow.mask(policy, original)?),
        None => {
            flow.push(original.clone())?;
            flow.finish()?;
        }
    }
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
enum Rows {
    Table(Original),
    Stream(Box<dyn io::Source>),
}

impl Rows {
    fn open(policy: &Policy, masking: &dyn Masking, options: &Options<'_>) -> Result<Self> {
        if masking.buffer().is_none() {
            return read::read(policy, options.progress).map(Rows::Table);
        }
        let mut reading = policy.source.options.clone();
        reading.stream = true;
        reading.progress = Some(options.progress.counter());
        io::open_all(&policy.source.paths(), &reading, &read::plans(policy)?).map(Rows::Stream)
    }

    fn schema(&self) -> &Arc<Schema> {
        match self {
            Rows::Table(original) => original.batch.schema(),
            Rows::Stream(source) => source.schema(),
        }
    }

    /// The number of rows of a table.
    fn table(&self) -> Option<usize> {
        match self {
            Rows::Table(original) => Some(original.batch.len()),
            Rows::Stream(_) => None,
        }
    }
}

/// A stream on its way through.
struct Stream<'a, 'b> {
    policy: &'a Policy,
    places: &'a [usize],
    flow: &'a mut Flow,
    output: &'a mut Output<'b>,
    progress: &'a Progress,
}

impl Stream<'_, '_> {
    /// Lets all rows leave, in their order.
    fn pass(&mut self, source: &mut dyn io::Source) -> Result<()> {
        let mut first = true;
        for batch in source {
            let batch = match batch {
                Ok(batch) => batch,
                Err(flaw) => {
                    // Records that have left need the rest of their groups.
                    self.output.write(self.flow.finish()?)?;
                    return Err(flaw);
                }
            };
            if std::mem::replace(&mut first, batch.is_empty()) {
                super::refuse_mixed(self.policy, &batch, self.places)?;
            }
            self.output.write(self.flow.push(batch)?)?;
            self.progress.tell(Live::Records(self.flow.live()));
        }
        self.output.write(self.flow.finish()?)
    }
}
