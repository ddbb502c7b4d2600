//! Rows in, checked rows out: the one way from a plan to a release.

mod records;
mod table;

pub(crate) use table::look;

use super::context::Context;
use super::masked::{self, Masks};
use super::measure::Measure;
use super::plan::Plan;
use super::report::Report;
use crate::data::{Batch, RowIds, Schema};
use crate::error::{Error, Result};
use records::RecordFlow;
use std::sync::Arc;
use table::TableFlow;

/// Rows that were checked and may leave. Only a session makes them, and a sink takes
/// nothing else.
#[derive(Clone, Debug)]
pub struct Checked(Batch);

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
    schema: Arc<Schema>,
    /// Rows that were pushed.
    rows: u64,
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
            schema: Arc::clone(schema),
            rows: 0,
        })
    }

    /// The columns of what leaves; none before a table is finished.
    pub fn released_schema(&self) -> Option<&Arc<Schema>> {
        match &self.flow {
            Flow::Table(_) => None,
            Flow::Records(flow) => Some(flow.released_schema()),
        }
    }

    /// Adds a measure, which sees all rows that leave from now on.
    pub fn measure(&mut self, measure: Box<dyn Measure>) {
        self.measures.push(measure);
    }

    /// Tells the session what was odd about its rows; the report repeats it.
    pub fn note(&mut self, notes: Vec<String>) {
        match &mut self.flow {
            Flow::Table(flow) => flow.notes.extend(notes),
            Flow::Records(flow) => flow.notes.extend(notes),
        }
    }

    /// Takes rows; gives those that may leave now. Whatever ids and roles they had, rows are
    /// numbered as they come and have the roles of the plan.
    ///
    /// # Errors
    /// When they have other columns than the session was opened for, or the plan cannot be kept.
    pub fn push(&mut self, rows: Batch) -> Result<Option<Checked>> {
        self.context.cancel.check()?;
        let rows = self.numbered(&rows)?;
        match &mut self.flow {
            Flow::Table(flow) => flow.push(rows).map(|()| None),
            Flow::Records(flow) => {
                let released = flow.push(rows, &self.context, &mut self.measures);
                released.map(Some)
            }
        }
    }

    fn numbered(&mut self, rows: &Batch) -> Result<Batch> {
        let names = |schema: &Schema| -> Vec<Arc<str>> {
            let fields = schema.fields().iter();
            fields.map(|field| field.name.as_ref().into()).collect()
        };
        if !Arc::ptr_eq(rows.schema(), &self.schema) && names(rows.schema()) != names(&self.schema)
        {
            return Err(Error::usage("the rows have other columns than the session")
                .help("push rows of the schema that the session was opened with"));
        }
        let ids = RowIds::Range {
            start: self.rows,
            len: rows.len(),
        };
        self.rows += rows.len() as u64;
        Batch::new(Arc::clone(&self.schema), ids, rows.columns().to_vec())
    }

    /// The source has failed: gives what must still leave of records that have left in part,
    /// such as the rest of a group, so that what was promised of them holds.
    pub fn abandon(&mut self) -> Result<Option<Checked>> {
        match &mut self.flow {
            Flow::Table(_) => Ok(None),
            Flow::Records(flow) => flow.rest(&mut self.measures).map(Some),
        }
    }

    /// Gives what is left and tells how it went.
    ///
    /// # Errors
    /// When a promise is not kept, or a measure is above its limit; rows of a table do not
    /// leave then.
    pub fn finish(mut self) -> Result<(Checked, Outcome)> {
        self.context.cancel.check()?;
        let (rest, report) = match self.flow {
            Flow::Table(flow) => flow.finish(&self.context, &mut self.measures)?,
            Flow::Records(flow) => flow.finish(&mut self.measures)?,
        };
        let found = self.measures.iter();
        let measures = found.map(|one| (one.name().to_owned(), one.value()));
        let measures = measures.collect();
        Ok((rest, Outcome { report, measures }))
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
