//! Rows in, checked rows out: the one way from a plan to a release.

mod outside;
mod records;
mod table;

pub(crate) use table::look;

use super::context::Context;
use super::masked::{self, Masks};
use super::plan::Plan;
use super::report::Report;
use crate::data::{Batch, RowIds, Schema};
use crate::error::{Error, Result};
use crate::measure::Measure;
use records::RecordFlow;
use std::fmt;
use std::sync::Arc;
use table::TableFlow;

/// Rows that were checked and may leave. Only a session makes them, and a sink takes
/// nothing else.
#[derive(Clone)]
pub struct Checked(Batch);

impl fmt::Debug for Checked {
    /// Shows no cell.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Checked({} rows)", self.0.len())
    }
}

impl Checked {
    /// The rows.
    pub fn rows(&self) -> &Batch {
        &self.0
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What a session has found out in the end.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What may be told of it; nothing of it depends on files.
    pub report: Report,
    /// Measures that were added to the session, by name.
    pub measures: Vec<(String, Option<f64>)>,
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
    /// Rows that were pushed, and rows that have left.
    rows: u64,
    released: u64,
    /// It has failed, or was abandoned.
    over: bool,
    trusted: bool,
}

/// How rows go through.
enum Flow {
    /// All at once, when all are there.
    Table(Box<TableFlow>),
    /// Records that wait for some others.
    Records(Box<RecordFlow>),
}

impl Session {
    /// A session for rows of this schema.
    ///
    /// # Errors
    /// When the plan does not fit together or does not fit the columns.
    pub fn open(plan: &Arc<Plan>, schema: &Arc<Schema>, context: Context) -> Result<Self> {
        let mut plan = Plan::clone(plan);
        plan.complete()?;
        check_plan(&plan, context.strict)?;
        plan.refuse_files()?;
        let schema = &Arc::new(plan.labelled(schema)?);
        let plan = Arc::new(plan);
        if plan.stream().is_some() {
            return Err(Error::policy("z-anonymity does not run in a session yet")
                .help("run it from a policy file"));
        }
        let flow = match plan.is_buffered() {
            false => Flow::Table(Box::new(TableFlow::new(plan, schema)?)),
            true => {
                let masks = Masks::new(&plan, schema)?;
                let masks = masks.ok_or_else(|| Error::bug("nothing masks these records"))?;
                Flow::Records(Box::new(RecordFlow::new(plan, masks, schema, &context)?))
            }
        };
        Ok(Session {
            context,
            flow,
            measures: Vec::new(),
            names: Vec::new(),
            schema: Arc::clone(schema),
            rows: 0,
            released: 0,
            over: false,
            trusted: false,
        })
    }

    /// The columns of what leaves; none before a table is finished.
    pub fn released_schema(&self) -> Option<&Arc<Schema>> {
        match &self.flow {
            Flow::Table(_) => None,
            Flow::Records(flow) => Some(flow.released_schema()),
        }
    }

    /// Adds a measure called `name`, which sees all rows that leave from now on.
    pub fn measure(&mut self, name: &str, measure: Box<dyn Measure>) {
        self.names.push(name.to_owned());
        self.measures.push(measure);
    }

    /// Tells the session what was odd about its rows; the report repeats it.
    pub fn note(&mut self, notes: Vec<String>) {
        match &mut self.flow {
            Flow::Table(flow) => flow.notes.extend(notes),
            Flow::Records(flow) => flow.notes.extend(notes),
        }
    }

    /// Rows come from a source of ours and go into files: nothing is checked twice.
    pub(crate) fn trusted(mut self) -> Self {
        self.trusted = true;
        self
    }

    /// Takes rows; gives those that may leave now. Whatever ids and roles they had, rows are
    /// numbered as they come and have the roles of the plan.
    ///
    /// # Errors
    /// When they have other columns than the session was opened for, or the plan cannot be
    /// kept. A session that has failed takes no more rows.
    pub fn push(&mut self, rows: Batch) -> Result<Option<Checked>> {
        self.begin()?;
        let rows = self.numbered(&rows)?;
        let released = match &mut self.flow {
            Flow::Table(flow) => flow.push(rows).map(|()| None),
            Flow::Records(flow) => {
                let released = flow.push(rows, &self.context, &mut self.measures);
                released.map(Some)
            }
        }?;
        let released = released.map(|rows| self.shown(rows)).transpose()?;
        self.over = false;
        Ok(released)
    }

    /// The source has failed: gives what is left of records, so that what was promised of
    /// those that have left holds, such as the rest of a group. Nothing can be pushed any more.
    pub fn abandon(&mut self) -> Result<Option<Checked>> {
        self.begin()?;
        match &mut self.flow {
            Flow::Table(_) => Ok(None),
            Flow::Records(flow) => {
                let rest = flow.rest(&mut self.measures)?;
                self.shown(rest).map(Some)
            }
        }
    }

    /// Gives what is left and tells how it went.
    ///
    /// # Errors
    /// When a promise is not kept, or a measure is above its limit; rows of a table do not
    /// leave then.
    pub fn finish(mut self) -> Result<(Checked, Outcome)> {
        self.begin()?;
        let (rest, report) = match self.flow {
            Flow::Table(flow) => flow.finish(&self.context, &mut self.measures)?,
            Flow::Records(flow) => flow.finish(&mut self.measures)?,
        };
        let rest = match self.trusted {
            true => rest,
            false => Checked(outside::shown(&rest.0, self.released)?),
        };
        let found = self.measures.iter().map(|measure| measure.value());
        let measures = self.names.into_iter().zip(found).collect();
        Ok((rest, Outcome { report, measures }))
    }

    /// Until the work is done, the session counts as failed.
    fn begin(&mut self) -> Result<()> {
        self.context.cancel.check()?;
        match std::mem::replace(&mut self.over, true) {
            false => Ok(()),
            true => Err(Error::usage("the session has failed or was abandoned")
                .help("open another one for rows that have not left")),
        }
    }

    fn numbered(&mut self, rows: &Batch) -> Result<Batch> {
        if !self.trusted {
            outside::check(rows, &self.schema)?;
        }
        let ids = RowIds::Range {
            start: self.rows,
            len: rows.len(),
        };
        self.rows += rows.len() as u64;
        Batch::new(Arc::clone(&self.schema), ids, rows.columns().to_vec())
    }

    fn shown(&mut self, rows: Checked) -> Result<Checked> {
        if self.trusted {
            return Ok(rows);
        }
        let shown = outside::shown(&rows.0, self.released)?;
        self.released += shown.len() as u64;
        Ok(Checked(shown))
    }
}

/// Checks what can be known of a plan before there are rows.
///
/// # Errors
/// When methods do not go together, or a promise does not hold.
pub(crate) fn check_plan(plan: &Plan, strict: bool) -> Result<()> {
    plan.check(&[])?;
    check_levels(plan)?;
    masked::check(plan)?;
    masked::refuse_sensitive(plan, strict)
}

/// A plan with levels promises more than one release, so one of them is not made in silence.
fn check_levels(plan: &Plan) -> Result<()> {
    match plan.levels.is_empty() {
        true => Ok(()),
        false => Err(Error::policy("levels are read but not released yet")
            .help("take [levels] out and run one policy for each level")),
    }
}
