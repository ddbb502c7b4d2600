//! `run` of a policy with levels: reads once, and writes a release for each of them, all or none.

use super::inputs::Inputs;
use super::ledger::Ledger;
use super::options::Options;
use super::output::Output;
use super::place::commit_all;
use super::places::check_places;
use super::run::{entered, named, no_sink, run, told};
use crate::engine::{Checked, Clock, Outcome, Pump, Resume, Session, Sink, Source, check_plan};
use crate::error::{Error, Result};
use crate::io::Header;
use crate::policy::Policy;
use std::sync::Arc;

/// Reads, protects, checks and writes as [`run`] does, for each level of the policy, from the
/// least to the most protected; of a policy without levels, its one release.
///
/// # Errors
/// As of [`run`]. Where one level fails, nothing is written.
pub fn run_levels(policy: &Policy, options: &Options<'_>) -> Result<Vec<Outcome>> {
    if policy.plan.levels.is_empty() {
        return run(policy, options).map(|outcome| vec![outcome]);
    }
    let mut policy = policy.clone();
    if options.strict && policy.source.options.header == Header::First {
        policy.source.options.header = Header::Strict;
    }
    let policies = policy.of_levels();
    check_plan(&policy.plan, options.strict)?;
    policies
        .iter()
        .try_for_each(|level| check_places(level, options.force))?;
    let ledger = policy.ledger.as_ref();
    let ledger = ledger.map(|place| Ledger::open(&policy, place));
    let ledger = ledger.transpose()?;
    let mut ledger = ledger.map(|ledger| ledger.at(&Clock::default()));
    let session = read(&policy, ledger.as_ref(), options).map_err(|e| named(e, &policy))?;
    let released = session.finish_levels().map_err(|e| named(e, &policy))?;
    let mut files = Vec::new();
    let mut outcomes = Vec::new();
    // The ledger has the strictest level first, as the engine held them against each other.
    for (level, (rows, outcome)) in policies.iter().zip(released).rev() {
        let sink = level.sink.as_ref().ok_or_else(no_sink)?;
        let mut output = Output::new(level, sink, options.progress, None);
        output.write(&rows)?;
        output.commit(None)?;
        let how = (options.force, &mut ledger);
        let (outcome, written) = told(level, sink, (outcome, output), how, options)?;
        files.extend(written);
        outcomes.push(outcome);
    }
    let new = entered(
        &policy,
        ledger.as_ref(),
        &outcomes.iter().collect::<Vec<_>>(),
    )?;
    commit_all(new.into_iter().chain(files).collect(), options.force)?;
    outcomes.reverse();
    Ok(outcomes)
}

/// A session that has all rows.
fn read(policy: &Policy, ledger: Option<&Ledger>, options: &Options<'_>) -> Result<Session> {
    policy.sink.as_ref().ok_or_else(no_sink)?;
    let Inputs { sources, schema } = Inputs::open(policy, options.progress)?;
    let mut context = policy.context(options.progress)?;
    context.strict = options.strict;
    context.ledger = ledger.map(Ledger::history);
    let plan = Arc::new(policy.loaded_plan()?);
    let session = Session::resume(&plan, &schema, &Resume::start(sources.len()), context)?;
    let sources = sources.into_iter();
    let sources = sources.map(|source| Box::new(source) as Box<dyn Source>);
    Pump::new(session.trusted(), sources.collect(), Nowhere, None)?.read()
}

/// Nothing of a table leaves before it is finished.
struct Nowhere;

impl Sink for Nowhere {
    fn write(&mut self, _rows: &Checked) -> Result<()> {
        Err(Error::bug("rows of a table left before its end"))
    }

    fn commit(&mut self, _so_far: Option<&Resume>) -> Result<()> {
        Ok(())
    }

    fn abort(&mut self) {}
}
