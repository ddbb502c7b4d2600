//! `run` of a stream from beginning to end.

use super::checkpoint::{Checkpoint, Due, Marks};
use super::facts::{Facts, report, warnings};
use super::flow::Flow;
use super::outputs::Outputs;
use super::sources::{Sources, ladders};
use crate::data::Batch;
use crate::error::{Error, Result};
use crate::pipeline::place::commit_all;
use crate::pipeline::places::check_places;
use crate::pipeline::progress::{Live, Stage};
use crate::pipeline::run::{Options, Outcome, write_reports};
use crate::policy::{Every, Policy, SinkPolicy};
use crate::protect::z_anonymity::ZAnonymity;

/// Reads, decides, counts again and writes until the sources end.
pub(in crate::pipeline) fn run(
    policy: &Policy,
    config: &ZAnonymity,
    options: &Options<'_>,
) -> Result<Outcome> {
    let sink = policy.sink.as_ref().ok_or_else(|| {
        Error::policy("the policy has no [sink]").help("add [sink] with path = \"-\"")
    })?;
    let resumed = match (&policy.checkpoint, options.force) {
        (Some(place), false) => Checkpoint::load(place, policy)?,
        _ => None,
    };
    check_places(policy, options.force || resumed.is_some())?;
    options.progress.enter(Stage::Protect);
    let ladders = ladders(policy)?;
    let sources = Sources::open(policy, &ladders, options.progress)?;
    let measured = policy.report.is_some() || options.progress.is_watched();
    let flow = Flow::new(
        policy,
        config,
        sources.schema(),
        &ladders,
        sources.len(),
        measured,
    )?;
    let mut run = Run::new(policy, config, sink, sources, flow, resumed)?;
    if let Err(error) = run.stream(options) {
        // With a checkpoint it can be gone on with.
        if policy.checkpoint.is_none() {
            run.outputs.abandon(sink);
        }
        return Err(error);
    }
    run.finish(options)
}

/// A stream that is running.
struct Run<'a> {
    policy: &'a Policy,
    config: &'a ZAnonymity,
    sink: &'a SinkPolicy,
    sources: Sources,
    flow: Flow,
    outputs: Outputs,
    /// How far the run before was; none once it has been caught up with.
    resumed: Option<Checkpoint>,
    marks: Marks,
    /// Rows of each source that the flow has got, and the time of the last of them.
    done: Vec<u64>,
    last: Vec<Option<i64>>,
    /// Rows that an earlier run had done, and those of them that were not read again.
    went_on: Option<(u64, u64)>,
}

impl<'a> Run<'a> {
    fn new(
        policy: &'a Policy,
        config: &'a ZAnonymity,
        sink: &'a SinkPolicy,
        sources: Sources,
        mut flow: Flow,
        resumed: Option<Checkpoint>,
    ) -> Result<Self> {
        if let Some(place) = &policy.checkpoint
            && resumed.is_none()
        {
            // Before the release is created, or a crash in between could not be told from a finished run.
            Checkpoint::start(policy, sources.len()).save(&place.path)?;
        }
        if let Some(checkpoint) = &resumed {
            flow.stream.resume(checkpoint.first, &checkpoint.updates);
        }
        // What a guard has held back depends on all that came before.
        let bounded = !config.hold_unique && sources.len() == 1;
        let spread = config.fakes.as_ref().map_or(0, |fakes| 2 * fakes.spread);
        // Who is made up depends on what was released in the window before, too.
        let windows = if config.fakes.is_some() { 3 } else { 2 };
        let horizon = windows * (config.window + config.lateness) + spread;
        Ok(Run {
            outputs: Outputs::open(policy, sink, flow.schema(), config.window, resumed.as_ref())?,
            marks: Marks::new(bounded.then_some(horizon)),
            done: vec![0; sources.len()],
            last: vec![None; sources.len()],
            went_on: resumed
                .as_ref()
                .filter(|checkpoint| checkpoint.bytes > 0)
                .map(|checkpoint| (checkpoint.rows.iter().sum(), checkpoint.forgotten)),
            policy,
            config,
            sink,
            sources,
            flow,
            resumed,
        })
    }

    /// Lets rows through until every source has ended.
    fn stream(&mut self, options: &Options<'_>) -> Result<()> {
        let mut due = self
            .policy
            .checkpoint
            .as_ref()
            .map(|place| Due::new(place.every));
        let step = match self.policy.checkpoint.as_ref().map(|place| place.every) {
            Some(Every::Rows(rows)) => rows as usize,
            _ => usize::MAX,
        };
        let mut ended = false;
        while let Some(source) = self.flow.next_source(ended) {
            let Some(batch) = self.sources.next(source)? else {
                ended = true;
                let released = self.flow.end(source)?;
                self.write(released)?;
                continue;
            };
            for start in (0..batch.len()).step_by(step) {
                let part = batch.slice(start, step.min(batch.len() - start));
                let rows = part.len();
                self.take(source, part)?;
                let live = self.flow.watch.live(&self.flow.stream);
                options.progress.tell(Live::Events(live));
                if self.resumed.is_none() && due.as_mut().is_some_and(|due| due.after(rows)) {
                    self.save()?;
                }
            }
        }
        if let Some(checkpoint) = &self.resumed {
            let what = format!(
                "the source has {} rows and the checkpoint says {}; --force begins anew",
                self.done.iter().sum::<u64>(),
                checkpoint.rows.iter().sum::<u64>()
            );
            let error = std::io::Error::new(std::io::ErrorKind::InvalidData, what);
            return Err(Error::io("resume from", &self.policy.source.path, error));
        }
        let left = self.flow.finish()?;
        self.write(Some(left))
    }

    /// Lets rows of a source through.
    fn take(&mut self, source: usize, batch: Batch) -> Result<()> {
        self.done[source] += batch.len() as u64;
        self.last[source] = self.flow.last_time(&batch).or(self.last[source]);
        let batch = self.catch_up(source, batch)?;
        let released = match self.flow.push(batch.clone()) {
            Ok(released) => released,
            Err(flaw) => {
                // Rows before one whose time cannot be read are good.
                let good = self.flow.readable(&batch);
                if good > 0 && good < batch.len() {
                    let released = self.flow.push(batch.slice(0, good))?;
                    self.write(released)?;
                    self.outputs.flush()?;
                }
                return Err(flaw);
            }
        };
        self.write(released)?;
        self.outputs.flush()?;
        self.marks
            .add(self.done[0], self.flow.latest(), self.flow.reached());
        Ok(())
    }

    /// After a restart: shows the flow the rows that were done before, without
    /// releasing anything, and gives those that were not.
    fn catch_up(&mut self, source: usize, batch: Batch) -> Result<Batch> {
        let Some(checkpoint) = &self.resumed else {
            return Ok(batch);
        };
        let start = self.done[source] - batch.len() as u64;
        let place = |row: u64| (row.saturating_sub(start) as usize).min(batch.len());
        let forgotten = match self.sources.len() {
            1 => place(checkpoint.forgotten),
            _ => 0,
        };
        let done = place(checkpoint.rows[source]);
        if done > 0 && start + done as u64 == checkpoint.rows[source] {
            let last = self.flow.last_time(&batch.slice(0, done));
            if last != checkpoint.last[source] {
                let what = format!(
                    "row {} of the source has another time than when the checkpoint was made; \
                     send the stream from its first row, or begin anew with --force",
                    checkpoint.rows[source]
                );
                let error = std::io::Error::new(std::io::ErrorKind::InvalidData, what);
                return Err(Error::io("resume from", &self.policy.source.path, error));
            }
        }
        if done > forgotten {
            self.flow.push(batch.slice(forgotten, done - forgotten))?;
        }
        let mut pairs = self.done.iter().zip(&checkpoint.rows);
        if pairs.all(|(read, done)| read >= done)
            && let Some(checkpoint) = self.resumed.take()
        {
            self.flow.stream.set_tally(checkpoint.tally);
        }
        Ok(batch.slice(done, batch.len() - done))
    }

    fn write(&mut self, released: Option<Batch>) -> Result<()> {
        match released {
            Some(released) if self.resumed.is_none() => {
                self.outputs.write(&released, self.flow.stream.cells())
            }
            _ => Ok(()),
        }
    }

    /// Brings what was released to disk and notes how far the stream is.
    fn save(&mut self) -> Result<()> {
        let Some(place) = &self.policy.checkpoint else {
            return Ok(());
        };
        let (bytes, certificate_bytes) = self.outputs.sync()?;
        Checkpoint {
            rows: self.done.clone(),
            last: self.last.clone(),
            forgotten: self.marks.forgotten(),
            bytes,
            certificate_bytes,
            released: self.outputs.released(),
            first: self.flow.stream.span().map(|(first, _)| first),
            updates: self.flow.stream.updates().to_vec(),
            tally: self.flow.stream.tally().clone(),
            ..Checkpoint::start(self.policy, self.sources.len())
        }
        .save(&place.path)
    }

    /// Ends the release and writes the report.
    fn finish(mut self, options: &Options<'_>) -> Result<Outcome> {
        self.outputs.close()?;
        options.progress.enter(Stage::Report);
        let report = report(&Facts {
            policy: self.policy,
            config: self.config,
            sink: self.sink,
            measured: self.flow.watch.measured(),
            findings: self.flow.watch.findings(),
            stream: &self.flow.stream,
            read: self.done.iter().sum(),
            released: self.outputs.released(),
            escaped: self.outputs.escaped(),
            warnings: warnings(
                self.policy,
                &self.flow.stream,
                self.went_on,
                self.sources.notes(),
            ),
            command: &options.command,
            progress: options.progress,
        })?;
        commit_all(write_reports(self.policy, &report, options)?, options.force)?;
        if let Some(place) = &self.policy.checkpoint {
            // What is finished must not be gone on with.
            std::fs::remove_file(&place.path).map_err(|e| Error::io("remove", &place.path, e))?;
        }
        Ok(Outcome {
            report,
            read: self.done.iter().sum(),
        })
    }
}
