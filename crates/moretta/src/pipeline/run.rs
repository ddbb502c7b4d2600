//! `run` from beginning to end.

use super::files::Written;
use super::memory;
use super::options::Options;
use super::output::Output;
use super::place::commit_all;
use super::places::check_places;
use super::reports::write_reports;
use super::stream;
use crate::engine::{Outcome, Progress, Session, Stage, check_plan};
use crate::error::{Error, Result};
use crate::io::{self, Header, Source};
use crate::policy::Policy;
use std::sync::Arc;

/// Reads, protects, checks, writes aside, reads back, and only then puts the files in place.
pub fn run(policy: &Policy, options: &Options<'_>) -> Result<Outcome> {
    if options.strict && policy.source.options.header == Header::First {
        let mut policy = policy.clone();
        policy.source.options.header = Header::Strict;
        return run(&policy, options);
    }
    if let Some(config) = policy.plan.stream() {
        return stream::run(policy, config, options);
    }
    let sink = policy.sink.as_ref().ok_or_else(|| {
        Error::policy("the policy has no [sink]").help("add [sink] with path = \"out/release.csv\"")
    })?;
    check_plan(&policy.plan, options.strict)?;
    check_places(policy, options.force)?;
    let mut source = open(policy, options.progress)?;
    let mut context = policy.context(options.progress)?;
    context.strict = options.strict;
    let plan = Arc::new(policy.loaded_plan()?);
    let mut session = Session::open(&plan, source.schema(), context)?.trusted();
    let mut output = Output::new(policy, sink, options.progress);
    if let Some(schema) = session.released_schema() {
        output.open(schema)?;
    }
    pass(&mut *source, &mut session, &mut output)?;
    session.note(source.notes());
    drop(source);
    let (rest, outcome) = session.finish()?;
    output.end(&rest)?;
    options.progress.enter(Stage::Report);
    let report = Written {
        policy,
        sink,
        path: output.path(),
        rows: outcome.report.rows.released,
        escaped: output.escaped(),
        command: &options.command,
        progress: options.progress,
    }
    .fill(outcome.report)?;
    let mut files = write_reports(policy, &report, options)?;
    // The release comes last, since what has gone to standard output cannot be taken back.
    files.extend(output.into_pending());
    commit_all(files, options.force)?;
    Ok(Outcome {
        report,
        measures: outcome.measures,
    })
}

/// Opens the source: a table is read as fast as it goes, a stream as it comes.
fn open(policy: &Policy, progress: &Progress) -> Result<Box<dyn Source>> {
    let mut options = policy.source.options.clone();
    options.progress = Some(progress.counter());
    match policy.plan.is_buffered() {
        true => {
            options.stream = true;
            progress.enter(Stage::Protect);
        }
        false => {
            options.limits.needs = memory::needs(policy);
            progress.enter(Stage::Read);
        }
    }
    let plans = policy.plan.column_plans()?;
    io::open_all(&policy.source.paths(), &options, &plans)
}

/// Lets all rows through; what may leave is written.
fn pass(source: &mut dyn Source, session: &mut Session, output: &mut Output<'_>) -> Result<()> {
    for batch in source {
        let released = match batch {
            Ok(batch) => session.push(batch)?,
            Err(flaw) => {
                output.write(session.abandon()?)?;
                return Err(flaw);
            }
        };
        output.write(released)?;
    }
    Ok(())
}
