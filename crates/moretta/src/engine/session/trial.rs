//! A session without a sink: what a plan would release, for judges inside the library alone.
//!
//! Learners, attackers and `tune` look at releases that need not be good enough to leave. A trial
//! sends rows through the same flow as every session; what comes out is a [`Candidate`], which no
//! sink takes, and a broken promise is a fact of it rather than an error. A method that finds
//! nothing to release at all still fails: there is nothing to look at then.

use super::steps::Compared;
use super::{Flow, Session};
use crate::data::Batch;
use crate::engine::original::Original;
use crate::engine::plan::Plan;
use crate::error::{Error, Result};
use std::sync::Arc;

/// What a trial is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looked {
    /// The rows alone: nothing is checked or measured.
    Rows,
    /// The rows, and what checks and measures find.
    Verdict,
}

impl Looked {
    pub(super) fn compared(self) -> Compared {
        match self {
            Looked::Rows => Compared::No,
            Looked::Verdict => Compared::Yes,
        }
    }
}

/// What a plan would release. It cannot be written: a sink takes checked rows only.
pub(crate) struct Candidate {
    /// The plan, complete.
    pub(crate) plan: Arc<Plan>,
    /// The rows as they were read, source by source.
    pub(crate) original: Original,
    /// The rows as they would leave.
    pub(crate) rows: Batch,
    /// What was found; `None` where nobody asked.
    pub(crate) verdict: Option<Verdict>,
}

/// What checks and measures have found.
pub(crate) struct Verdict {
    /// Measures by name, exactly; none of one that could not be measured.
    pub(crate) measures: Vec<(&'static str, Option<f64>)>,
    /// Promises and goals that are not kept.
    pub(crate) faults: Vec<Error>,
}

/// Rows on their way to a [`Candidate`].
pub(crate) struct Trial {
    session: Session,
    looked: Looked,
    /// What was read of each source of a stream.
    read: Vec<Vec<Batch>>,
    /// What a stream would have let go so far.
    left: Vec<Batch>,
    notes: Vec<String>,
}

impl Trial {
    pub(super) fn new(session: Session, looked: Looked) -> Self {
        Trial {
            read: vec![Vec::new(); session.sources()],
            left: Vec::new(),
            notes: Vec::new(),
            session,
            looked,
        }
    }

    /// See [`Session::next_source`].
    pub(crate) fn next_source(&self) -> Option<usize> {
        self.session.next_source()
    }

    /// See [`Session::push_from`].
    pub(crate) fn push_from(&mut self, source: usize, rows: Batch) -> Result<()> {
        if self.session.released_schema().is_some() {
            let ids = super::ids(source, self.session.rows(source), rows.len());
            let columns = rows.columns().to_vec();
            let read = Batch::new(Arc::clone(&self.session.schema), ids, columns)?;
            self.read[source].push(read);
        }
        let left = self.session.push_from(source, rows)?;
        self.left.extend(left.map(|left| left.rows));
        self.session.stands()
    }

    /// See [`Session::end`].
    pub(crate) fn end(&mut self, source: usize) -> Result<()> {
        let left = self.session.end(source)?;
        self.left.extend(left.map(|left| left.rows));
        Ok(())
    }

    /// Tells what was odd about the rows.
    pub(crate) fn note(&mut self, notes: Vec<String>) {
        self.notes.extend(notes);
    }

    /// What would leave.
    pub(crate) fn finish(mut self) -> Result<Candidate> {
        self.session.begin()?;
        let schema = Arc::clone(&self.session.schema);
        match self.session.flow {
            Flow::Table(mut flow) => {
                flow.notes = self.notes;
                flow.try_out(self.looked, &self.session.context)
            }
            Flow::Stream(flow) => {
                let plan = Arc::clone(flow.plan());
                let (rest, verdict) = flow.try_out(self.looked)?;
                let released = Arc::clone(rest.schema());
                self.left.push(rest);
                let read = self.read.into_iter().flatten().collect();
                let read = Batch::concat(&schema, read)?;
                Ok(Candidate {
                    original: Original::new(&plan, read, self.notes)?,
                    rows: Batch::concat(&released, self.left)?,
                    plan,
                    verdict,
                })
            }
        }
    }
}
