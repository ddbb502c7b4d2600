//! `run` of a stream from beginning to end.

use super::bound::Bound;
use super::checkpoint::{Checkpoint, Due, Mark, Marks};
use super::facts::{Facts, report, warnings};
use super::flow::{Coming, Flow};
use super::outputs::Outputs;
use super::sources::{Sources, ladders};
use crate::data::{Batch, Role};
use crate::engine::telling::Leaving;
use crate::engine::{Live, Outcome, Stage};
use crate::error::{Error, Result};
use crate::pipeline::interrupted::Running;
use crate::pipeline::leftovers::sweep;
use crate::pipeline::options::Options;
use crate::pipeline::place::{commit_all, folder_of};
use crate::pipeline::places::{check_places, check_report_places};
use crate::pipeline::reports::write_reports;
use crate::policy::{Every, Policy, SinkPolicy};
use crate::protect::z_anonymity::ZAnonymity;
use std::path::Path;

/// The way out when a report is there that a run may not replace.
const MOVE_IT: &str = "move it away and give the same command again; --force replaces it, and begins \
                       a stream that was stopped anew";

/// Reads, decides, counts again and writes until the sources end.
pub(in crate::pipeline) fn run(
    policy: &Policy,
    config: &ZAnonymity,
    options: &Options<'_>,
) -> Result<Outcome> {
    let mut run = Run::begin(policy, config, options)?;
    if let Err(error) = run.stream(options) {
        // With a checkpoint it can be gone on with.
        if policy.checkpoint.is_none() {
            run.outputs.abandon(run.sink);
        }
        return Err(error);
    }
    run.finish(options)
}

/// A stream that is running.
pub(super) struct Run<'a> {
    policy: &'a Policy,
    config: &'a ZAnonymity,
    sink: &'a SinkPolicy,
    sources: Sources,
    pub(super) flow: Flow,
    outputs: Outputs,
    /// Rows of each source that were read and are still to go through.
    read: Vec<Option<Batch>>,
    /// Whether each source has ended.
    ended: Vec<bool>,
    bound: Bound,
    /// The checkpoint that is there.
    saved: Option<Checkpoint>,
    /// Whether a report that is there may be replaced.
    replaces: bool,
    _running: Running,
    due: Option<Due>,
    /// How far the run before was; none once it has been caught up with.
    resumed: Option<Checkpoint>,
    marks: Marks,
    /// Rows of each source that the flow has got, and the time of the last of them.
    done: Vec<u64>,
    last: Vec<Option<i64>>,
    /// Rows that an earlier run had done, and those of them that were not read again.
    went_on: Option<(u64, u64)>,
    leaving: Leaving,
}

impl<'a> Run<'a> {
    /// Opens everything, or goes on where an earlier run was.
    pub(super) fn begin(
        policy: &'a Policy,
        config: &'a ZAnonymity,
        options: &Options<'_>,
    ) -> Result<Self> {
        let sink = policy.sink.as_ref().ok_or_else(|| {
            Error::policy("the policy has no [sink]").help("add [sink] with path = \"-\"")
        })?;
        let resumed = match (&policy.checkpoint, options.force) {
            (Some(place), false) => Checkpoint::load(place, policy)?,
            _ => None,
        };
        check_places(policy, options.force || resumed.is_some())?;
        let replaces = match &resumed {
            None => options.force,
            Some(checkpoint) => checkpoint.replaces,
        };
        check_report_places(policy, replaces, MOVE_IT)?;
        sweep_beside(policy, sink);
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
        Run::new(policy, config, sink, sources, flow, resumed, replaces)
    }

    fn new(
        policy: &'a Policy,
        config: &'a ZAnonymity,
        sink: &'a SinkPolicy,
        sources: Sources,
        mut flow: Flow,
        resumed: Option<Checkpoint>,
        replaces: bool,
    ) -> Result<Self> {
        let mut saved = resumed.clone();
        let bound = match (&resumed, &policy.checkpoint) {
            (Some(checkpoint), _) => checkpoint.bound.clone(),
            (None, None) => Bound::default(),
            (None, Some(place)) => {
                let bound = Bound::now(policy)?;
                // Before the release is created, or a crash in between could not be told from a finished run.
                let start = Checkpoint {
                    replaces,
                    ..Checkpoint::start(policy, &bound)
                };
                start.save(&place.path)?;
                saved = Some(start);
                bound
            }
        };
        let mut first = Mark::default();
        if let Some(checkpoint) = &resumed {
            first = checkpoint.mark;
            flow.resume(&first, checkpoint.first, &checkpoint.updates);
            flow.refused = checkpoint.refused.clone();
        }
        // What a guard has held back depends on all that came before.
        let bounded = !config.hold_unique && sources.len() == 1;
        let spread = config.fakes.as_ref().map_or(0, |fakes| 2 * fakes.spread);
        // Who is made up depends on what was released in the window before, too.
        let windows = if config.fakes.is_some() { 3 } else { 2 };
        let horizon = windows * (config.window + config.lateness) + spread;
        let mut run = Run {
            outputs: Outputs::open(policy, sink, flow.schema(), config.window, resumed.as_ref())?,
            marks: Marks::new(bounded.then_some(horizon), first),
            done: vec![0; sources.len()],
            last: vec![None; sources.len()],
            went_on: resumed
                .as_ref()
                .filter(|checkpoint| checkpoint.has_begun())
                .map(|checkpoint| (checkpoint.rows.iter().sum(), checkpoint.mark.rows)),
            read: vec![None; sources.len()],
            ended: vec![false; sources.len()],
            bound,
            saved,
            replaces,
            _running: Running::new(
                &sink.path,
                policy.checkpoint.as_ref().map(|place| &*place.path),
            ),
            due: policy
                .checkpoint
                .as_ref()
                .map(|place| Due::new(place.every)),
            // Nearly every row has a time of its own.
            leaving: Leaving::new(named(policy, Role::Time)),
            policy,
            config,
            sink,
            sources,
            flow,
            resumed,
        };
        run.catch_up()?;
        Ok(run)
    }

    /// Lets rows through until every source has ended.
    fn stream(&mut self, options: &Options<'_>) -> Result<()> {
        while self.step()? {
            let live = self.flow.watch.live(&self.flow.stream);
            options.progress.tell(Live::Events(live));
        }
        Ok(())
    }

    /// Lets the next rows through, at most as many as lie between two checkpoints, or ends a
    /// source; false when every source has ended.
    pub(super) fn step(&mut self) -> Result<bool> {
        let Some(source) = self.next_source() else {
            return self.end().map(|()| false);
        };
        let Some(batch) = self.rows_of(source)? else {
            self.ended[source] = true;
            let released = self.flow.end(source)?;
            self.write(released)?;
            return self.catch_up().map(|()| true);
        };
        if self.resumed.is_some() {
            self.take_again(source, batch)?;
            self.mark();
            return self.catch_up().map(|()| true);
        }
        let rows = batch.len();
        self.take(source, batch)?;
        if self.due.as_mut().is_some_and(|due| due.after(rows)) {
            self.save()?;
        }
        Ok(true)
    }

    /// The source whose rows come next; none when all have ended. It is a function of the
    /// rows that the flow has got, so a run that an earlier one is caught up with asks the
    /// sources in the same order.
    fn next_source(&self) -> Option<usize> {
        self.flow.next_source(self.ended[0])
    }

    /// Whether rows come that an earlier run had done.
    #[cfg(test)]
    pub(super) fn is_catching_up(&self) -> bool {
        self.resumed.as_ref().is_some_and(Checkpoint::has_begun)
    }

    /// The next rows of a source; none when it has ended.
    fn rows_of(&mut self, source: usize) -> Result<Option<Batch>> {
        let batch = match self.read[source].take() {
            Some(batch) => batch,
            None => match self.sources.next(source)? {
                Some(batch) => batch,
                None => return Ok(None),
            },
        };
        let most = match self.policy.checkpoint.as_ref().map(|place| place.every) {
            Some(Every::Rows(rows)) => rows as usize,
            _ => usize::MAX,
        };
        // Rows that the earlier run has not done wait until it is caught up with.
        let left = self.resumed.as_ref().map_or(u64::MAX, |checkpoint| {
            checkpoint.rows[source] - self.done[source].min(checkpoint.rows[source])
        });
        let rows = most.min(left as usize).min(batch.len());
        if rows == 0 && !batch.is_empty() {
            return Err(self.cannot_resume(
                "a source that had ended has more rows now; --force begins anew".to_owned(),
            ));
        }
        if rows < batch.len() {
            self.read[source] = Some(batch.slice(rows, batch.len() - rows));
        }
        Ok(Some(batch.slice(0, rows)))
    }

    /// Lets go of what is left.
    fn end(&mut self) -> Result<()> {
        if let Some(checkpoint) = &self.resumed {
            return Err(self.cannot_resume(format!(
                "the source has {} rows and the checkpoint says {}; --force begins anew",
                self.done.iter().sum::<u64>(),
                checkpoint.rows.iter().sum::<u64>()
            )));
        }
        let left = self.flow.finish()?;
        self.write(Some(left))
    }

    /// Lets rows of a source through.
    fn take(&mut self, source: usize, batch: Batch) -> Result<()> {
        self.note(source, &batch);
        let released = match self.flow.push(batch.clone(), Coming::Live) {
            Ok(released) => released,
            Err(flaw) => {
                // Rows before one whose time cannot be read are good.
                let good = self.flow.readable(&batch);
                if good > 0 && good < batch.len() {
                    let released = self.flow.push(batch.slice(0, good), Coming::Live)?;
                    self.write(released)?;
                    self.outputs.flush()?;
                }
                return Err(flaw);
            }
        };
        self.write(released)?;
        let turned_away = self.flow.take_turned_away();
        self.outputs.turn_away(&turned_away)?;
        self.outputs.flush()?;
        self.mark();
        Ok(())
    }

    /// Notes that the flow gets rows of a source.
    fn note(&mut self, source: usize, batch: &Batch) {
        self.done[source] += batch.len() as u64;
        self.last[source] = self.flow.last_time(batch).or(self.last[source]);
    }

    /// After a restart: shows the flow rows that were done before, without releasing
    /// anything.
    fn take_again(&mut self, source: usize, batch: Batch) -> Result<()> {
        let start = self.done[source];
        self.note(source, &batch);
        let Some(checkpoint) = &self.resumed else {
            return Ok(());
        };
        if self.done[source] == checkpoint.rows[source]
            && self.last[source] != checkpoint.last[source]
        {
            return Err(self.cannot_resume(format!(
                "row {} of the source has another time than when the checkpoint was made; \
                 send the stream from its first row, or begin anew with --force",
                checkpoint.rows[source]
            )));
        }
        let forgotten = match self.sources.len() {
            1 => checkpoint.mark.rows.saturating_sub(start) as usize,
            _ => 0,
        };
        let forgotten = forgotten.min(batch.len());
        if forgotten < batch.len() {
            let again = batch.slice(forgotten, batch.len() - forgotten);
            self.flow.push(again, Coming::Again)?;
        }
        Ok(())
    }

    /// Goes on for the first time once the earlier run is caught up with: when the flow asks
    /// for a row that the earlier run had not got. What that run had read of other sources
    /// and was waiting is read first.
    fn catch_up(&mut self) -> Result<()> {
        let Some(checkpoint) = &self.resumed else {
            return Ok(());
        };
        let wanted = self.next_source();
        let is_new = |source: usize| {
            self.done[source] >= checkpoint.rows[source] && !checkpoint.ended[source]
        };
        if !wanted.is_some_and(is_new) {
            return Ok(());
        }
        let rows = checkpoint.rows.clone();
        for (source, rows) in rows.into_iter().enumerate() {
            while self.done[source] < rows {
                match self.rows_of(source)? {
                    Some(batch) => self.take_again(source, batch)?,
                    None => return self.end(),
                }
            }
        }
        if let Some(checkpoint) = self.resumed.take() {
            self.flow.stream.caught_up(checkpoint.tally);
        }
        Ok(())
    }

    fn cannot_resume(&self, what: String) -> Error {
        let error = std::io::Error::new(std::io::ErrorKind::InvalidData, what);
        Error::io("resume from", &self.policy.source.path, error)
    }

    fn write(&mut self, released: Option<Batch>) -> Result<()> {
        match released {
            Some(released) if self.resumed.is_none() => {
                self.leaving.observe(&released)?;
                self.outputs.write(&released, self.flow.stream.cells())
            }
            _ => Ok(()),
        }
    }

    /// Notes from where on a restart would have to read.
    fn mark(&mut self) {
        let (flow, rows) = (&self.flow, self.done[0]);
        self.marks
            .add(|| flow.mark(rows), flow.latest(), flow.decided());
        if self.marks.first().rows > 0 {
            self.flow.refused.forget(self.marks.first().rows);
        }
    }

    /// Brings what was released to disk and notes how far the stream is.
    fn save(&mut self) -> Result<()> {
        let Some(place) = &self.policy.checkpoint else {
            return Ok(());
        };
        if !self.flow.refused.is_whole() {
            return Ok(());
        }
        let (bytes, certificate_bytes) = self.outputs.sync()?;
        let checkpoint = Checkpoint {
            rows: self.done.clone(),
            last: self.last.clone(),
            ended: self.ended.clone(),
            mark: self.marks.first(),
            refused: self.flow.refused.clone(),
            bytes,
            certificate_bytes,
            released: self.outputs.released(),
            first: self.flow.stream.span().map(|(first, _)| first),
            updates: self.flow.stream.updates().to_vec(),
            tally: self.flow.stream.tally().clone(),
            replaces: self.replaces,
            ..Checkpoint::start(self.policy, &self.bound)
        };
        checkpoint.save(&place.path)?;
        self.saved = Some(checkpoint);
        Ok(())
    }

    /// Ends the release and writes the report.
    pub(super) fn finish(mut self, options: &Options<'_>) -> Result<Outcome> {
        self.outputs.close()?;
        options.progress.enter(Stage::Report);
        let mut notes = self.sources.notes();
        notes.extend(self.leaving.warning()?);
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
            warnings: warnings(self.policy, &self.flow.stream, self.went_on, notes),
            command: &options.command,
            progress: options.progress,
        })?;
        check_report_places(self.policy, self.replaces, MOVE_IT)?;
        if let (Some(place), Some(saved)) = (&self.policy.checkpoint, self.saved.take()) {
            // A run that is killed from here on may find its own report.
            let replaces = true;
            Checkpoint { replaces, ..saved }.save(&place.path)?;
        }
        commit_all(write_reports(self.policy, &report, options)?, self.replaces)?;
        if let Some(place) = &self.policy.checkpoint {
            Checkpoint::remove(&place.path)?;
        }
        Ok(Outcome {
            report,
            measures: Vec::new(),
        })
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

fn named(policy: &Policy, role: Role) -> Vec<String> {
    let columns = policy
        .plan
        .columns
        .iter()
        .filter(|column| column.role == role);
    columns.map(|column| column.name.clone()).collect()
}
