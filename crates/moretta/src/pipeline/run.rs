//! `run` from beginning to end: opens sources, session and release, and lets rows through.

use super::ahead::Input;
use super::bound::Bound;
use super::checkpoint::{Checkpoint, Lock, changed};
use super::files::Written;
use super::goal::reach;
use super::graph::{self, Names};
use super::inputs::Inputs;
use super::interrupted::Running;
use super::ledger::Ledger;
use super::leftovers::sweep;
use super::manifest::{self, About};
use super::matrices;
use super::options::Options;
use super::output::{Output, Saving};
use super::place::{Pending, commit_all, folder_of, partial};
use super::places::{check_places, check_report_places, same_file};
use super::reports::write_reports;
use super::sha256;
use crate::data::Role;
use crate::engine::report::Report;
use crate::engine::{
    Action, Clock, Outcome, Pump, Resume, Session, Source, Stage, THE_SOURCE, check_plan,
    source_name,
};
use crate::error::{Error, Result};
use crate::io::{Files, Header};
use crate::policy::{Policy, SinkPolicy};
use std::path::Path;
use std::sync::Arc;

/// The way out when a report is there that a run may not replace.
const MOVE_IT: &str = "move it away and give the same command again; --force replaces it, and begins \
                       a stream that was stopped anew";

/// Reads, protects, checks and writes. What nobody sees before it is whole is written aside, read
/// back, and only then put in place.
pub fn run(policy: &Policy, options: &Options<'_>) -> Result<Outcome> {
    if options.strict && policy.source.options.header == Header::First {
        let mut policy = policy.clone();
        policy.source.options.header = Header::Strict;
        return run(&policy, options);
    }
    policy.refuse_levels("`run`")?;
    policy.refuse_evolve("`run`")?;
    if policy.goal.is_some() {
        return run_chosen(policy, options);
    }
    if let Some(outcome) = appear_again(policy, options)? {
        return Ok(outcome);
    }
    Run::begin(policy, options, Clock::default())?.run(options)
}

/// Looks for what the goal of the policy asks, and does it.
fn run_chosen(policy: &Policy, options: &Options<'_>) -> Result<Outcome> {
    check_places(policy, options.force)?;
    let (found, chosen) = reach(policy, options.progress)?;
    if found.chosen.is_none() {
        let fix = "loosen `subject_to`, name more `methods`, or add hierarchies; `moretta plan` shows all that was tried";
        return Err(Error::goal(found.why).help(fix));
    }
    let run = Run::begin(&chosen, options, Clock::default())?;
    run.run_as(options, |report| report.chosen = Some(found.why))
}

/// A run on its way.
pub(super) struct Run<'a> {
    policy: &'a Policy,
    sink: &'a SinkPolicy,
    pump: Pump<'a, Output<'a>>,
    /// Whether a report that is there may be replaced.
    replaces: bool,
    ledger: Option<Ledger>,
    /// The nodes of a graph.
    names: Option<Names>,
    _running: Option<Running>,
    _lock: Option<Lock>,
}

impl<'a> Run<'a> {
    /// Opens everything, or goes on where an earlier run was.
    pub(super) fn begin(policy: &'a Policy, options: &Options<'a>, clock: Clock) -> Result<Self> {
        let sink = policy.sink.as_ref().ok_or_else(no_sink)?;
        check_plan(&policy.plan, options.strict)?;
        let place = policy.checkpoint.as_ref();
        let lock = place.map(|place| Lock::new(&place.path, &policy.files));
        let lock = lock.transpose()?;
        let resumed = match (place, options.force) {
            (Some(place), false) => Checkpoint::load(place, policy)?,
            _ => None,
        };
        check_places(policy, options.force || resumed.is_some())?;
        let replaces = match &resumed {
            None => options.force,
            Some(checkpoint) => checkpoint.replaces,
        };
        if policy.plan.is_stream() {
            check_report_places(policy, replaces, MOVE_IT)?;
            sweep_beside(policy, sink);
        }
        let ledger = policy.ledger.as_ref().map(|place| {
            let ledger = Ledger::open(policy, place)?.at(&clock);
            ledger.check_budget(policy, place)?;
            Ok::<Ledger, Error>(ledger)
        });
        let ledger = ledger.transpose()?;
        let names = policy.graph.as_ref();
        let names = names.map(|graph| Names::read(policy, graph, options.progress));
        let names = names.transpose()?;
        let Inputs { sources, schema } = Inputs::open(policy, options.progress)?;
        let mut context = policy.context(options.progress)?;
        context.strict = options.strict;
        context.clock = clock;
        context.ledger = ledger.as_ref().map(Ledger::history);
        let plan = Arc::new(policy.loaded_plan()?);
        let start = Resume::start(sources.len());
        let from = resumed.as_ref().map_or(&start, |found| &found.resume);
        let session = Session::resume(&plan, &schema, from, context);
        let mut session = session.map_err(|error| named(error, policy))?.trusted();
        if sink.certificate.is_some() {
            session = session.certified();
        }
        let saving = match place {
            None => None,
            Some(place) => {
                // What masks draw from is noted before a row can be seen.
                let start = Checkpoint {
                    resume: session.state()?.unwrap_or(start),
                    replaces,
                    ..Checkpoint::start(policy, &Bound::now(policy)?)
                };
                Some(Saving::new(
                    (place, &policy.files),
                    resumed.as_ref(),
                    start,
                )?)
            }
        };
        let mut output = Output::new(policy, sink, options.progress, saving);
        if let Some(schema) = session.released_schema() {
            output.open(schema, resumed.as_ref())?;
        }
        let seen = policy.plan.stream().is_some() || place.is_some();
        let running = || Running::new(&sink.path, place.map(|place| &*place.path));
        let boxed = |source: Input| match &names {
            None => Box::new(source) as Box<dyn Source + 'a>,
            Some(names) => Box::new(source.through(|source| names.mix(source))),
        };
        let sources = sources.into_iter().map(boxed).collect();
        Ok(Run {
            pump: Pump::new(session, sources, output, place.map(|place| place.every))?,
            _running: seen.then(running),
            _lock: lock,
            policy,
            sink,
            replaces,
            ledger,
            names,
        })
    }

    /// From beginning to end.
    fn run(self, options: &Options<'_>) -> Result<Outcome> {
        self.run_as(options, |_| ())
    }

    /// The same; `tell` adds to the report what a search has found.
    pub(super) fn run_as(
        self,
        options: &Options<'_>,
        tell: impl FnOnce(&mut Report),
    ) -> Result<Outcome> {
        let Run {
            policy,
            sink,
            pump,
            replaces,
            ledger,
            names,
            _running,
            _lock,
        } = self;
        let (mut outcome, output) = pump.run().map_err(|error| named(error, policy))?;
        tell(&mut outcome.report);
        let nodes = (names.as_ref(), output.table(), output.path());
        let edges = graph::release(policy, sink, nodes, &mut outcome.report, options)?;
        let ended = (outcome, output);
        appear(policy, sink, ended, edges, (replaces, ledger), options)
    }

    /// Lets the next rows through, or ends a source; false when every source has ended.
    #[cfg(test)]
    pub(super) fn step(&mut self) -> Result<bool> {
        self.pump.step()
    }

    /// Whether rows come that an earlier run had done.
    #[cfg(test)]
    pub(super) fn is_behind(&self) -> bool {
        self.pump.session().is_behind()
    }

    /// Rows of the first source that have come, or need not come again.
    #[cfg(test)]
    pub(super) fn rows(&self) -> usize {
        self.pump.session().rows(0) as usize
    }

    /// Lets go of what is left.
    #[cfg(test)]
    pub(super) fn finish(self, options: &Options<'_>) -> Result<Outcome> {
        let ended = self.pump.finish()?;
        let how = (self.replaces, self.ledger);
        appear(self.policy, self.sink, ended, None, how, options)
    }
}

/// Nobody says where the release goes.
pub(super) fn no_sink() -> Error {
    let fix = "add [sink] with path = \"out/release.csv\"";
    Error::policy("the policy has no [sink]").help(fix)
}

/// The error of a session with the names of its sources, and the way out where it cannot go on.
pub(super) fn named(error: Error, policy: &Policy) -> Error {
    let path = &policy.source.path;
    match error {
        Error::Io(e) if e.path == Path::new(THE_SOURCE) => {
            let what = format!("{}; --force begins anew", e.source);
            Error::io(e.action, path, std::io::Error::new(e.source.kind(), what))
        }
        error => {
            let paths = policy.source.paths().into_iter().enumerate();
            paths.fold(error, |error, (source, path)| {
                error.instead_of(Path::new(&source_name(source)), path)
            })
        }
    }
}

/// Writes the report of a release that has ended, and puts all in their places.
fn appear(
    policy: &Policy,
    sink: &SinkPolicy,
    ended: (Outcome, Output<'_>),
    edges: Option<Pending>,
    (replaces, mut ledger): (bool, Option<Ledger>),
    options: &Options<'_>,
) -> Result<Outcome> {
    let (outcome, files) = told(policy, sink, ended, (replaces, &mut ledger), options)?;
    let ledger = entered(policy, ledger.as_ref(), &[&outcome])?;
    let files = ledger.into_iter().chain(edges).chain(files);
    commit_all(files.collect(), replaces)?;
    if let Some(place) = &policy.checkpoint {
        Checkpoint::remove(&place.path, &policy.files)?;
    }
    Ok(outcome)
}

/// The ledger with what was entered, aside: a release that was not recorded must not be seen, so
/// it comes first.
pub(super) fn entered(
    policy: &Policy,
    ledger: Option<&Ledger>,
    outcomes: &[&Outcome],
) -> Result<Option<Pending>> {
    let new = outcomes.iter().any(|outcome| outcome.recorded.is_some());
    match (ledger, &policy.ledger, new) {
        (Some(ledger), Some(place), true) => ledger.write(place).map(Some),
        _ => Ok(None),
    }
}

/// Writes what is told of a release that has ended aside; gives all files that are to be put in
/// place, the release last. The release is entered in the ledger.
pub(super) fn told(
    policy: &Policy,
    sink: &SinkPolicy,
    (outcome, mut output): (Outcome, Output<'_>),
    (replaces, ledger): (bool, &mut Option<Ledger>),
    options: &Options<'_>,
) -> Result<(Outcome, Vec<Pending>)> {
    options.progress.enter(Stage::Report);
    let report = Written {
        policy,
        sink,
        path: output.summed(),
        rows: output.rows(),
        escaped: output.escaped(),
        command: &options.command,
        progress: options.progress,
    }
    .fill(outcome.report)?;
    if policy.plan.is_stream() {
        check_report_places(policy, replaces, MOVE_IT)?;
    }
    output.about_to_appear(&report)?;
    let head = match (ledger, &outcome.recorded) {
        (Some(ledger), Some(recorded)) => {
            let told = (&report, options.date.as_deref());
            Some(ledger.enter(policy, recorded, told)?)
        }
        _ => None,
    };
    let matrices = match &sink.matrices {
        None => None,
        Some(place) => {
            let persons = policy.plan.columns.iter().any(|column| {
                let pseudonym = matches!(column.action, Action::Pseudonym { .. });
                column.role == Role::Subject || pseudonym
            });
            let place = (place.as_path(), &policy.files);
            Some(matrices::write(place, &outcome.transitions, persons)?)
        }
    };
    let mut files = with_manifest(policy, &report, (head, matrices), options)?;
    // The release comes last, since what has gone to standard output cannot be taken back.
    files.extend(output.into_pending());
    Ok((Outcome { report, ..outcome }, files))
}

/// The reports and the manifest that is about them, aside.
fn with_manifest(
    policy: &Policy,
    report: &Report,
    (ledger, matrices): (Option<(u64, String)>, Option<Pending>),
    options: &Options<'_>,
) -> Result<Vec<Pending>> {
    let reports = write_reports(policy, report, options)?;
    let mut files = Vec::new();
    if let Some(place) = &policy.manifest {
        let manifest = manifest::write(
            place,
            &About {
                policy,
                report,
                date: options.date.as_deref(),
                reports: &reports,
                matrices: matrices.as_ref(),
                ledger,
            },
        )?;
        files.push(manifest);
    }
    Ok(reports.into_iter().chain(matrices).chain(files).collect())
}

/// Puts a release in its place that an earlier run had made whole before it was killed; none
/// where there is no such release.
fn appear_again(policy: &Policy, options: &Options<'_>) -> Result<Option<Outcome>> {
    let (Some(place), Some(sink), false) = (&policy.checkpoint, &policy.sink, options.force) else {
        return Ok(None);
    };
    let files = &policy.files;
    if !files.exists(&place.path) {
        return Ok(None);
    }
    let _lock = Lock::new(&place.path, files)?;
    let Some(found) = Checkpoint::load(place, policy)? else {
        return Ok(None);
    };
    let Some(report) = &found.finished else {
        return Ok(None);
    };
    let report: Report = serde_json::from_str(report)
        .map_err(|_| Error::bug("a checkpoint with a report that nobody can read"))?;
    let (release, partial) = (&sink.path, partial(&sink.path));
    let whole = match files.exists(&partial) {
        true => &partial,
        false => release,
    };
    let told = report.sink.as_ref().and_then(|sink| sink.sha256.as_ref());
    if files.exists(whole) && told != Some(&sha256::of_file(whole, files)?.0) {
        return Err(changed(release));
    }
    commit_all(with_manifest(policy, &report, (None, None), options)?, true)?;
    for place in sink.certificate.iter().chain([release]) {
        let pending = Pending::resumable(place, files)?;
        let pending = match place == release {
            true => pending,
            false => pending.private(),
        };
        put_in_place(pending, place, found.replaces, files)?;
    }
    Checkpoint::remove(&place.path, files)?;
    Ok(Some(Outcome {
        report,
        measures: Vec::new(),
        recorded: None,
        transitions: Vec::new(),
    }))
}

/// Puts a file in its place that an earlier run may have put there.
fn put_in_place(pending: Pending, place: &Path, replaces: bool, files: &Files) -> Result<()> {
    let partial = pending.temporary();
    match (files.exists(partial), files.exists(place)) {
        // It was in its place, under both names.
        (true, true) if !files.are_provided() && same_file(place, partial) => {
            std::fs::remove_file(partial).map_err(|e| Error::io("remove", partial, e))
        }
        (true, _) => commit_all(vec![pending], replaces),
        (false, true) => Ok(()),
        (false, false) => {
            let gone = std::io::Error::from(std::io::ErrorKind::NotFound);
            Err(Error::io("put in its place", place, gone))
        }
    }
}

/// Takes away what dead runs have left beside what will be written.
fn sweep_beside(policy: &Policy, sink: &SinkPolicy) {
    if policy.files.are_provided() {
        return;
    }
    let checkpoint = policy.checkpoint.iter().map(|place| &place.path);
    let release = std::iter::once(&sink.path).filter(|path| *path != Path::new("-"));
    for path in release.chain(&sink.certificate).chain(checkpoint) {
        sweep(folder_of(path));
    }
}
