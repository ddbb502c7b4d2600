//! `run` of a stream of records, from beginning to end.

use super::flow::Flow;
use super::masks::Masks;
use super::output::Output;
use super::watch::Watch;
use crate::data::Role;
use crate::error::{Error, Result};
use crate::io;
use crate::measure;
use crate::measure::pairs::PairMeasures;
use crate::pipeline::facts::{Facts, Masked, SENSITIVE, report};
use crate::pipeline::place::commit_all;
use crate::pipeline::places::check_places;
use crate::pipeline::progress::{Live, Progress, Stage};
use crate::pipeline::read;
use crate::pipeline::run::{Options, Outcome, write_reports};
use crate::policy::Policy;
use std::sync::Arc;

/// Reads, masks, measures, writes and counts again, batch by batch.
pub(in crate::pipeline) fn run(policy: &Policy, options: &Options<'_>) -> Result<Outcome> {
    let sink = policy.sink.as_ref().ok_or_else(|| {
        Error::policy("the policy has no [sink]").help("add [sink] with path = \"-\"")
    })?;
    super::check(policy)?;
    refuse_sensitive(policy, options.strict)?;
    check_places(policy, options.force)?;
    let mut reading = policy.source.options.clone();
    reading.stream = true;
    reading.progress = Some(options.progress.counter());
    let mut source = io::open_all(&policy.source.paths(), &reading, &read::plans(policy)?)?;
    options.progress.enter(Stage::Protect);
    let schema = Arc::clone(source.schema());
    let Some(masks) = Masks::new(policy, &schema)? else {
        return Err(Error::bug("a stream of records that nothing masks"));
    };
    let mut flow = Flow::new(policy, &masks, &schema, options.progress.is_watched())?;
    let mut output = Output::open(policy, sink, flow.schema(), &masks.crowds)?;
    let named = |error: Error, output: &Output<'_>| error.instead_of(output.path(), &sink.path);
    let mut stream = Stream {
        policy,
        places: &masks.places,
        flow: &mut flow,
        output: &mut output,
        progress: options.progress,
    };
    let passed = stream.pass(&mut *source);
    passed.map_err(|e| named(e, &output))?;
    options.progress.enter(Stage::Check);
    let crowds = output.close().map_err(|e| named(e, &output))?;
    keep_limits(policy, &flow.watch)?;
    options.progress.enter(Stage::Report);
    let mut notes = source.notes();
    notes.extend(flow.telling()?);
    let report = report(&Facts {
        policy,
        sink,
        schema: &schema,
        judgement: None,
        masked: Some(Masked {
            masks: &masks,
            watch: &flow.watch,
            crowds,
        }),
        read: flow.read,
        released: flow.released,
        suppressed: &flow.suppressed(),
        escaped: output.escaped(),
        warnings: notes,
        temporary: output.path(),
        command: &options.command,
        progress: options.progress,
    })?;
    let mut files = write_reports(policy, &report, options)?;
    files.extend(output.into_pending());
    commit_all(files, options.force)?;
    Ok(Outcome { report })
}

/// A promise that leaves sensitive values open is an error where warnings are.
pub(in crate::pipeline) fn refuse_sensitive(policy: &Policy, strict: bool) -> Result<()> {
    let sensitive = policy.columns.iter().any(|c| c.role == Role::Sensitive);
    let alike = policy.maskings().any(|masking| masking.k().is_some());
    match strict && sensitive && alike && !policy.keeps_guarantee() {
        true => {
            Err(Error::policy(SENSITIVE)
                .help("use mondrian with l, t or p, or run without --strict"))
        }
        false => Ok(()),
    }
}

/// Refuses a release that misses a goal, or of which it cannot be measured.
pub(in crate::pipeline) fn keep_limits(policy: &Policy, watch: &Watch) -> Result<()> {
    let values: Vec<_> = watch
        .measures()
        .into_iter()
        .flat_map(PairMeasures::values)
        .collect();
    // Others are of classes and regions.
    let coarse = |name: &str| policy.keeps_guarantee() && measure::info(name).is_some();
    for (name, limit) in policy.fail_above.iter().filter(|(name, _)| !coarse(name)) {
        let found = values.iter().find(|(info, _)| info.name == name);
        let value = found.and_then(|(_, value)| *value);
        let Some(value) = value.filter(|value| value.is_finite()) else {
            return Err(Error::goal(format!("{name} could not be measured")).help(
                "take its limit away: it needs masked columns that leave as they were masked, and numbers that are not too large",
            ));
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
