//! `run` from beginning to end: the one loop from sources through a session to a release.

use super::bound::Bound;
use super::checkpoint::{Checkpoint, Due};
use super::files::Written;
use super::inputs::Inputs;
use super::interrupted::Running;
use super::leftovers::sweep;
use super::options::Options;
use super::output::{Output, is_seen};
use super::place::{commit_all, folder_of, partial};
use super::places::{check_places, check_report_places};
use super::reports::write_reports;
use crate::engine::{Clock, Outcome, Resume, Session, Stage, check_plan};
use crate::error::{Error, Result};
use crate::io::Header;
use crate::policy::{CheckpointPolicy, Every, Policy, SinkPolicy};
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
    let mut run = Run::begin(policy, options, Clock::default())?;
    loop {
        match run.step() {
            Ok(true) => {}
            Ok(false) => return run.finish(options),
            Err(error) => return Err(run.failed(error)),
        }
    }
}

/// A run on its way.
pub(super) struct Run<'a> {
    policy: &'a Policy,
    sink: &'a SinkPolicy,
    inputs: Inputs,
    pub(super) session: Session,
    output: Output<'a>,
    saving: Option<Saving<'a>>,
    /// Whether a report that is there may be replaced.
    replaces: bool,
    _running: Option<Running>,
}

impl<'a> Run<'a> {
    /// Opens everything, or goes on where an earlier run was.
    pub(super) fn begin(policy: &'a Policy, options: &Options<'a>, clock: Clock) -> Result<Self> {
        let sink = policy.sink.as_ref().ok_or_else(|| {
            let fix = "add [sink] with path = \"out/release.csv\"";
            Error::policy("the policy has no [sink]").help(fix)
        })?;
        check_plan(&policy.plan, options.strict)?;
        let resumed = match (&policy.checkpoint, options.force) {
            (Some(place), false) => unfinished(Checkpoint::load(place, policy)?, policy, sink)?,
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
        let inputs = Inputs::open(policy, options.progress)?;
        let mut context = policy.context(options.progress)?;
        context.strict = options.strict;
        context.clock = clock;
        let plan = Arc::new(policy.loaded_plan()?);
        let start = Resume::start(inputs.len());
        let from = resumed.as_ref().map_or(&start, |found| &found.resume);
        let mut session = Session::resume(&plan, inputs.schema(), from, context)?.trusted();
        if sink.certificate.is_some() {
            session = session.certified();
        }
        let place = policy.checkpoint.as_ref();
        let saving = place.map(|place| Saving::new(policy, place, resumed.as_ref(), replaces));
        let saving = saving.transpose()?;
        let mut output = Output::new(policy, sink, options.progress);
        if let Some(schema) = session.released_schema() {
            output.open(schema, resumed.as_ref())?;
        }
        let seen = policy.plan.stream().is_some() || saving.is_some();
        Ok(Run {
            _running: seen.then(|| Running::new(&sink.path, place.map(|place| &*place.path))),
            policy,
            sink,
            inputs,
            session,
            output,
            saving,
            replaces,
        })
    }

    /// Lets the next rows through, at most as many as lie between two checkpoints, or ends a
    /// source; false when every source has ended.
    pub(super) fn step(&mut self) -> Result<bool> {
        let Some(source) = self.session.next_source() else {
            return Ok(false);
        };
        let settles = || self.session.settles_in().filter(|&rows| rows > 0);
        let most = match &self.saving {
            None => u64::MAX,
            Some(saving) if saving.is_due => settles().unwrap_or(saving.most()),
            Some(saving) => saving.most(),
        };
        let most = most.min(self.session.takes(source));
        let rows = match self.inputs.next(source, most) {
            Ok(Some(rows)) => rows,
            Ok(None) => {
                let released = self.session.end(source)?;
                self.output.write(released.as_ref())?;
                return Ok(true);
            }
            Err(flaw) => {
                // With a checkpoint it can be gone on with.
                if self.saving.is_none() {
                    self.output.write(self.session.abandon()?.as_ref())?;
                }
                return Err(flaw);
            }
        };
        let (count, behind) = (rows.len(), self.session.is_behind());
        let released = self.session.push_from(source, rows)?;
        self.output.write(released.as_ref())?;
        self.session.stands()?;
        if let Some(saving) = self.saving.as_mut().filter(|_| !behind)
            && saving.is_due_after(count)
            && let Some(resume) = self.session.state()?
        {
            let (bytes, certificate_bytes) = self.output.sync()?;
            saving.save(Checkpoint {
                resume,
                bytes,
                certificate_bytes,
                ..saving.saved.clone()
            })?;
        }
        Ok(true)
    }

    /// Takes away what is of no use, unless it can be gone on with.
    fn failed(self, error: Error) -> Error {
        if self.saving.is_none() {
            self.output.abandon();
        }
        error.instead_of(Path::new("the source"), &self.policy.source.path)
    }

    /// Ends the release and writes the report.
    pub(super) fn finish(mut self, options: &Options<'_>) -> Result<Outcome> {
        self.session.note(self.inputs.notes());
        let Run {
            policy,
            sink,
            inputs,
            session,
            mut output,
            mut saving,
            replaces,
            _running,
        } = self;
        drop(inputs);
        let (rest, outcome) = match session.finish() {
            Ok(finished) => finished,
            Err(error) => {
                if saving.is_none() {
                    output.abandon();
                }
                return Err(error.instead_of(Path::new("the source"), &policy.source.path));
            }
        };
        output.end(&rest)?;
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
        if let Some(saving) = &mut saving {
            // A run that is killed from here on may find its own report.
            saving.save(Checkpoint {
                replaces: true,
                finished: true,
                ..saving.saved.clone()
            })?;
        }
        let mut files = write_reports(policy, &report, options)?;
        // The release comes last, since what has gone to standard output cannot be taken back.
        files.extend(output.into_pending());
        commit_all(files, replaces)?;
        if let Some(saving) = &saving {
            Checkpoint::remove(&saving.place.path)?;
        }
        Ok(Outcome {
            report,
            measures: outcome.measures,
        })
    }
}

/// The checkpoints of a run.
struct Saving<'a> {
    place: &'a CheckpointPolicy,
    due: Due,
    /// One is to be made as soon as the session can tell how far it is.
    is_due: bool,
    /// The one that is there.
    saved: Checkpoint,
}

impl<'a> Saving<'a> {
    fn new(
        policy: &Policy,
        place: &'a CheckpointPolicy,
        resumed: Option<&Checkpoint>,
        replaces: bool,
    ) -> Result<Self> {
        let saved = match resumed {
            Some(checkpoint) => checkpoint.clone(),
            None => {
                // Before the release is created, or a crash in between could not be told from
                // a finished run.
                let start = Checkpoint {
                    replaces,
                    ..Checkpoint::start(policy, &Bound::now(policy)?)
                };
                start.save(&place.path)?;
                start
            }
        };
        Ok(Saving {
            place,
            due: Due::new(place.every),
            is_due: false,
            saved,
        })
    }

    /// The most rows between two checkpoints.
    fn most(&self) -> u64 {
        match self.place.every {
            Every::Rows(rows) => rows,
            Every::Milliseconds(_) => u64::MAX,
        }
    }

    fn is_due_after(&mut self, rows: usize) -> bool {
        self.is_due |= self.due.after(rows);
        self.is_due
    }

    fn save(&mut self, checkpoint: Checkpoint) -> Result<()> {
        checkpoint.save(&self.place.path)?;
        self.saved = checkpoint;
        self.is_due = false;
        Ok(())
    }
}

/// The checkpoint, unless its run had put the release in its place and was killed before it
/// could take the checkpoint away.
fn unfinished(
    found: Option<Checkpoint>,
    policy: &Policy,
    sink: &SinkPolicy,
) -> Result<Option<Checkpoint>> {
    let gone = !is_seen(policy, sink) && !partial(&sink.path).exists();
    match (&found, &policy.checkpoint) {
        (Some(checkpoint), Some(place)) if checkpoint.finished && gone => {
            Checkpoint::remove(&place.path)?;
            Ok(None)
        }
        _ => Ok(found),
    }
}

/// Takes away what dead runs have left beside what will be written.
fn sweep_beside(policy: &Policy, sink: &SinkPolicy) {
    let checkpoint = policy.checkpoint.iter().map(|place| &place.path);
    let release = std::iter::once(&sink.path).filter(|path| *path != Path::new("-"));
    for path in release.chain(&sink.certificate).chain(checkpoint) {
        sweep(folder_of(path));
    }
}
