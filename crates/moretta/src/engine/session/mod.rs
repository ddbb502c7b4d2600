//! Rows in, checked rows out: the one way from a plan to a release.

mod levels;
mod outside;
mod resume;
mod steps;
mod stream;
mod table;
mod trial;

pub use resume::Resume;
pub(crate) use resume::{THE_SOURCE, source_name};
pub(crate) use stream::Why;
use trial::Trial;
pub(crate) use trial::{Candidate, Purpose};

use super::arrival::SOURCE_SHIFT;
use super::context::Context;
use super::ledger::Recorded;
use super::masked;
use super::plan::Plan;
use super::report::Report;
use super::source::Place;
use crate::data::{Batch, RowIds, Schema};
use crate::error::{Error, Result};
use crate::measure::Measure;
use crate::protect::Transition;
use std::fmt;
use std::sync::Arc;
use stream::StreamFlow;
use table::TableFlow;

/// Rows that were checked and may leave. Only a session makes them, and a sink takes
/// nothing else.
#[derive(Clone)]
pub struct Checked {
    rows: Batch,
    /// Why they may leave; empty without a certificate.
    why: Vec<Why>,
}

impl fmt::Debug for Checked {
    /// Shows no cell.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Checked({} rows)", self.rows.len())
    }
}

impl Checked {
    fn new(rows: Batch) -> Self {
        Checked {
            rows,
            why: Vec::new(),
        }
    }

    /// The rows.
    pub fn rows(&self) -> &Batch {
        &self.rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Why they may leave; empty without a certificate.
    pub(crate) fn why(&self) -> &[Why] {
        &self.why
    }
}

/// What a session has found out in the end.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What may be told of it; nothing of it depends on files.
    pub report: Report,
    /// Measures that were added to the session, by name.
    pub measures: Vec<(String, Option<f64>)>,
    /// What the release tells of the rows, to be entered in their ledger; none without one.
    pub recorded: Option<Recorded>,
    /// The matrices by which categories were changed. One that was made from frequencies of the
    /// originals tells these: see [`Transition::fewest`] before it is published.
    pub transitions: Vec<Transition>,
}

/// What leaves at the end, and what is told of it.
struct Finished {
    rows: Checked,
    report: Report,
    /// What is entered in the ledger; none without one.
    recorded: Option<Recorded>,
    /// The matrices by which categories were changed.
    transitions: Vec<Transition>,
}

/// Protects rows by a plan and checks what leaves.
///
/// A table leaves when it is finished, a stream as soon as it may. A session that fails or
/// is cancelled has released what it has given back, and nothing more.
pub struct Session {
    context: Context,
    flow: Flow,
    measures: Vec<Box<dyn Measure>>,
    /// The names of the measures.
    names: Vec<String>,
    schema: Arc<Schema>,
    /// Rows of each source that were pushed, and rows that have left.
    rows: Vec<u64>,
    released: u64,
    /// Where the rows of each source begin that are to be pushed.
    first: Vec<Place>,
    /// Which sources have ended.
    ended: Vec<bool>,
    /// It has failed, or was abandoned.
    over: bool,
    trusted: bool,
}

/// How rows go through.
enum Flow {
    /// All at once, when all are there.
    Table(Box<TableFlow>),
    /// As they come, or when some others have come.
    Stream(Box<StreamFlow>),
}

impl Session {
    /// A session for rows of this schema, of one source.
    ///
    /// # Errors
    /// When the plan does not fit together or does not fit the columns.
    pub fn open(plan: &Arc<Plan>, schema: &Arc<Schema>, context: Context) -> Result<Self> {
        Session::resume(plan, schema, &Resume::start(1), context)
    }

    /// A session that goes on from where another one was, or begins, with several sources. It
    /// asks by [`Session::next_source`] for rows from the first on, and gives back only those
    /// that the other one had not.
    ///
    /// # Errors
    /// When the plan does not fit together or does not fit the columns, or rows have come and it
    /// is not a stream.
    pub fn resume(
        plan: &Arc<Plan>,
        schema: &Arc<Schema>,
        from: &Resume,
        context: Context,
    ) -> Result<Self> {
        Session::new(plan, schema, from, context, None)
    }

    /// A session without a sink: what the plan would release, whether it may leave or not. Only
    /// judges inside the library see it.
    ///
    /// # Errors
    /// As of [`Session::open`].
    pub(crate) fn trial(
        plan: &Arc<Plan>,
        schema: &Arc<Schema>,
        sources: usize,
        purpose: Purpose,
        context: Context,
    ) -> Result<Trial> {
        if !plan.levels.is_empty() {
            return Err(Error::policy(
                "a plan with levels has several releases, and one is looked at",
            )
            .help("name one of them, or take [levels] out"));
        }
        let from = Resume::start(sources);
        let session = Session::new(plan, schema, &from, context, Some(purpose))?;
        Ok(Trial::new(session.trusted(), purpose))
    }

    /// `purpose` is what a trial is for; `None` where rows leave.
    fn new(
        plan: &Arc<Plan>,
        schema: &Arc<Schema>,
        from: &Resume,
        context: Context,
        purpose: Option<Purpose>,
    ) -> Result<Self> {
        if !from.fits() {
            return Err(Error::usage("this is no state that a session has given")
                .help("take what a session has told of itself, unchanged"));
        }
        let mut plan = Plan::clone(plan);
        plan.complete()?;
        match purpose {
            Some(Purpose::Rows) => {
                // Rows that nobody sees need not keep what is promised of all of them.
                plan.check(&[])?;
                plan.forget_measures();
            }
            Some(Purpose::Assess) | None => check_plan(&plan, context.strict)?,
        }
        plan.refuse_files()?;
        let schema = &Arc::new(plan.labelled(schema)?);
        let plan = Arc::new(plan);
        if from.sources() > 1 && !plan.merges_sources() {
            return Err(Error::usage(
                "rows of several sources are merged by their times, and these are not",
            )
            .help("give the column of the time a `lateness`, or push all rows as one source"));
        }
        if from.has_begun() && !plan.can_go_on() {
            return Err(Error::usage(
                "private noise beside other methods cannot be gone on with: it is never drawn again",
            )
            .help("push all rows into a session of their own"));
        }
        let flow = match plan.is_stream() {
            true => {
                let stream = StreamFlow::new(plan, schema, from, &context, purpose)?;
                Flow::Stream(Box::new(stream))
            }
            false if from.has_begun() => {
                return Err(Error::usage("a table cannot be gone on with")
                    .help("push all rows into a session of their own"));
            }
            false => Flow::Table(Box::new(TableFlow::new(plan, schema)?)),
        };
        Ok(Session {
            context,
            flow,
            measures: Vec::new(),
            names: Vec::new(),
            schema: Arc::clone(schema),
            rows: (0..from.sources())
                .map(|n| from.first_row(n).rows)
                .collect(),
            ended: vec![false; from.sources()],
            first: (0..from.sources()).map(|n| from.first_row(n)).collect(),
            released: from.released(),
            over: false,
            trusted: false,
        })
    }

    /// The columns of what leaves; none before a table is finished.
    pub fn released_schema(&self) -> Option<&Arc<Schema>> {
        match &self.flow {
            Flow::Table(_) => None,
            Flow::Stream(flow) => Some(flow.released_schema()),
        }
    }

    /// Adds a measure called `name`, which sees all rows that leave from now on.
    pub fn measure(&mut self, name: &str, measure: Box<dyn Measure>) {
        self.names.push(name.to_owned());
        self.measures.push(measure);
    }

    /// Adds remarks about the rows, such as odd line ends; they become warnings of the report.
    pub fn note(&mut self, notes: Vec<String>) {
        match &mut self.flow {
            Flow::Table(flow) => flow.notes.extend(notes),
            Flow::Stream(flow) => flow.notes.extend(notes),
        }
    }

    /// Rows come from a source of ours and go into files: nothing is checked twice.
    pub(crate) fn trusted(mut self) -> Self {
        self.trusted = true;
        self
    }

    /// Keeps with the rows why they may leave, for a certificate.
    pub(crate) fn certified(mut self) -> Self {
        if let Flow::Stream(flow) = &mut self.flow {
            flow.certify();
        }
        self
    }

    /// The source whose rows are wanted next; none when all have ended. It is a function of the
    /// rows that have come.
    pub fn next_source(&self) -> Option<usize> {
        match &self.flow {
            Flow::Table(_) => (!self.ended[0]).then_some(0),
            Flow::Stream(flow) => flow.next_source(),
        }
    }

    /// Where the rows of a source begin that are to be pushed: at its first one, unless the
    /// session goes on and need not be shown all that came before.
    pub fn first_row(&self, source: usize) -> Place {
        self.first.get(source).copied().unwrap_or_default()
    }

    /// How many sources it has.
    pub fn sources(&self) -> usize {
        self.first.len()
    }

    /// Where the next row of a source is: rows that have come, and those before the first.
    pub fn rows(&self, source: usize) -> u64 {
        self.rows.get(source).copied().unwrap_or(0)
    }

    /// The source tells where the row after those that were pushed last begins; a session that
    /// goes on repeats it.
    pub fn reached(&mut self, source: usize, position: u64) {
        if let Flow::Stream(flow) = &mut self.flow {
            flow.reached(source, position);
        }
    }

    /// How many rows of a source can come at once. A session that goes on is shown what came
    /// before by itself.
    pub fn takes(&self, source: usize) -> u64 {
        match &self.flow {
            Flow::Table(_) => u64::MAX,
            Flow::Stream(flow) => flow.takes(source),
        }
    }

    /// Whether rows come that an earlier session had done.
    pub fn is_behind(&self) -> bool {
        match &self.flow {
            Flow::Table(_) => false,
            Flow::Stream(flow) => flow.is_behind(),
        }
    }

    /// Takes rows of the first source, as [`Session::push_from`].
    ///
    /// # Errors
    /// As there.
    pub fn push(&mut self, rows: Batch) -> Result<Option<Checked>> {
        self.push_from(0, rows)
    }

    /// Takes rows of a source; gives those that may leave now. Whatever ids and roles they had,
    /// rows are numbered as they come and have the roles of the plan.
    ///
    /// # Errors
    /// When they have other columns than the session was opened for, or the plan cannot be
    /// kept. A session that has failed takes no more rows. Where a time cannot be read, the rows
    /// before it are taken, and the next call fails.
    pub fn push_from(&mut self, source: usize, rows: Batch) -> Result<Option<Checked>> {
        self.begin()?;
        self.check_open(source)?;
        let rows = self.numbered(source, &rows)?;
        let released = match &mut self.flow {
            Flow::Table(flow) => flow.push(rows).map(|()| None),
            Flow::Stream(flow) => {
                let released = flow.push(source, &rows, &self.context, &mut self.measures);
                released.map(Some)
            }
        }?;
        let released = released.map(|rows| self.shown(rows)).transpose()?;
        self.over = false;
        Ok(released)
    }

    /// Fails when the last rows that were pushed were followed by one that cannot be taken; the
    /// next call would fail, too.
    ///
    /// # Errors
    /// What is wrong with that row.
    pub fn stands(&mut self) -> Result<()> {
        self.begin()?;
        self.over = false;
        Ok(())
    }

    /// A source has ended; gives the rows that have waited for it alone.
    ///
    /// # Errors
    /// When the plan cannot be kept.
    pub fn end(&mut self, source: usize) -> Result<Option<Checked>> {
        self.begin()?;
        self.check_open(source)?;
        self.ended[source] = true;
        let released = match &mut self.flow {
            Flow::Table(_) => None,
            Flow::Stream(flow) => Some(flow.end(source, &mut self.measures)?),
        };
        let released = released.map(|rows| self.shown(rows)).transpose()?;
        self.over = false;
        Ok(released)
    }

    /// After how many more rows of the next source the session can tell how far it is; none
    /// where that is not known.
    pub fn settles_in(&self) -> Option<u64> {
        match &self.flow {
            Flow::Table(_) => None,
            Flow::Stream(flow) => flow.settles_in(),
        }
    }

    /// How far the session is, so that another one can go on from there once all that it has
    /// given back so far is safe. None of a table, or while it cannot be told.
    ///
    /// # Errors
    /// When the session has failed.
    pub fn state(&mut self) -> Result<Option<Resume>> {
        self.begin()?;
        self.over = false;
        Ok(match &self.flow {
            Flow::Table(_) => None,
            Flow::Stream(flow) => flow.state(),
        })
    }

    /// The source has failed: gives what is left of records, so that what was promised of
    /// those that have left holds, such as the rest of a group. Nothing can be pushed any more.
    pub fn abandon(&mut self) -> Result<Option<Checked>> {
        self.begin()?;
        match &mut self.flow {
            Flow::Table(_) => Ok(None),
            Flow::Stream(flow) => {
                let rest = flow.rest(&mut self.measures)?;
                self.shown(rest).map(Some)
            }
        }
    }

    /// Gives the rows that are left, and the report.
    ///
    /// # Errors
    /// When a promise is not kept, or a measure is above its limit; rows of a table do not
    /// leave then. Of a plan with levels there are several releases.
    pub fn finish(mut self) -> Result<(Checked, Outcome)> {
        self.begin()?;
        if self.has_levels() {
            return Err(Error::usage("a plan with levels has several releases")
                .help("take them by finish_levels"));
        }
        let Finished {
            rows: rest,
            report,
            recorded,
            transitions,
        } = match self.flow {
            Flow::Table(flow) => flow.finish(&self.context, &mut self.measures)?,
            Flow::Stream(flow) => flow.finish(&mut self.measures)?,
        };
        let rest = match self.trusted {
            true => rest,
            false => Checked::new(outside::shown(&rest.rows, self.released)?),
        };
        let found = self.measures.iter().map(|measure| measure.value());
        let measures = self.names.into_iter().zip(found).collect();
        let outcome = Outcome {
            report,
            measures,
            recorded,
            transitions,
        };
        Ok((rest, outcome))
    }

    /// Gives the rows of each level of a plan with levels, from the least to the most protected,
    /// and their reports.
    ///
    /// # Errors
    /// As of [`Session::finish`], of any level; none leaves then. Measures of one's own are of
    /// one release.
    pub fn finish_levels(mut self) -> Result<Vec<(Checked, Outcome)>> {
        self.begin()?;
        if !self.has_levels() {
            return self.finish_one();
        }
        if !self.measures.is_empty() {
            return Err(Error::usage("measures of one's own are of one release")
                .help("add them to a session of a plan without levels"));
        }
        let Flow::Table(flow) = self.flow else {
            return Err(Error::bug("a stream has no levels"));
        };
        let levels = flow.finish_levels(&self.context)?.into_iter();
        let shown = |level: Finished| {
            let rows = match self.trusted {
                true => level.rows,
                false => Checked::new(outside::shown(&level.rows.rows, 0)?),
            };
            let outcome = Outcome {
                report: level.report,
                measures: Vec::new(),
                recorded: level.recorded,
                transitions: level.transitions,
            };
            Ok((rows, outcome))
        };
        levels.map(shown).collect()
    }

    /// The one release of a plan without levels.
    fn finish_one(mut self) -> Result<Vec<(Checked, Outcome)>> {
        self.over = false;
        self.finish().map(|release| vec![release])
    }

    fn has_levels(&self) -> bool {
        match &self.flow {
            Flow::Table(flow) => flow.has_levels(),
            Flow::Stream(_) => false,
        }
    }

    /// Fails where the session has no such source, or it has ended.
    fn check_open(&self, source: usize) -> Result<()> {
        let what = match self.ended.get(source) {
            Some(false) => return Ok(()),
            Some(true) => format!("source {source} has ended"),
            None => format!("the session has no source {source}"),
        };
        Err(Error::usage(what).help("sources are counted from 0, and each ends once"))
    }

    /// Until the work is done, the session counts as failed.
    fn begin(&mut self) -> Result<()> {
        self.context.cancel.check()?;
        match std::mem::replace(&mut self.over, true) {
            false => match &mut self.flow {
                Flow::Stream(flow) => flow.take_flaw().map_or(Ok(()), Err),
                Flow::Table(_) => Ok(()),
            },
            true => Err(Error::usage("the session has failed or was abandoned")
                .help("open another one for rows that have not left")),
        }
    }

    fn numbered(&mut self, source: usize, rows: &Batch) -> Result<Batch> {
        if !self.trusted {
            outside::check(rows, &self.schema)?;
        }
        let before = self.rows[source];
        self.rows[source] = before + rows.len() as u64;
        let columns = rows.columns().to_vec();
        let ids = ids(source, before, rows.len());
        Batch::new(Arc::clone(&self.schema), ids, columns)
    }

    fn shown(&mut self, rows: Checked) -> Result<Checked> {
        if self.trusted {
            return Ok(rows);
        }
        let shown = outside::shown(&rows.rows, self.released)?;
        self.released += shown.len() as u64;
        Ok(Checked::new(shown))
    }
}

/// The ids of `len` rows of a source that come after `before` others.
fn ids(source: usize, before: u64, len: usize) -> RowIds {
    RowIds::Range {
        start: (source as u64) << SOURCE_SHIFT | before,
        len,
    }
}

/// Checks what can be known of a plan before there are rows.
///
/// # Errors
/// When methods do not go together, or a promise does not hold.
pub(crate) fn check_plan(plan: &Plan, strict: bool) -> Result<()> {
    plan.check(&[])?;
    masked::check(plan)?;
    masked::refuse_sensitive(plan, strict)
}
