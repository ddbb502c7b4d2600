//! What a policy would release, in memory: its sources are read once and go through sessions
//! without a sink.

use super::inputs::open_sources;
use super::memory;
use crate::data::{Batch, RowIds, Schema};
use crate::engine::{Candidate, Context, Original, Plan, Progress, Purpose, Session, Stage};
use crate::error::Result;
use crate::policy::Policy;
use std::sync::Arc;

/// The rows of all sources of a policy.
pub(super) struct Rows {
    schema: Arc<Schema>,
    /// Files that are merged by time are sources of their own, others one.
    sources: Vec<Vec<Batch>>,
    notes: Vec<String>,
}

/// Reads the source of the policy into one batch.
pub fn read(policy: &Policy, progress: &Progress) -> Result<Original> {
    let rows = Rows::read(policy, progress)?;
    let batches = rows.sources.into_iter().flatten().collect();
    let batch = Batch::concat(&rows.schema, batches)?;
    Original::new(&policy.plan, batch, rows.notes)
}

impl Rows {
    /// Those of a table that is in memory.
    pub(super) fn of(batch: Batch) -> Self {
        Rows {
            schema: Arc::clone(batch.schema()),
            sources: vec![vec![batch]],
            notes: Vec::new(),
        }
    }

    /// Reads all sources of the policy.
    pub(super) fn read(policy: &Policy, progress: &Progress) -> Result<Self> {
        progress.enter(Stage::Read);
        let mut options = policy.source.options.clone();
        options.progress = Some(progress.counter());
        options.limits.needs = memory::needs(policy);
        let opened = open_sources(policy, &options)?;
        let mut rows = Rows {
            schema: Arc::clone(opened[0].schema()),
            sources: Vec::new(),
            notes: Vec::new(),
        };
        let mut start = 0;
        for mut source in opened {
            let mut batches = Vec::new();
            for batch in source.by_ref() {
                progress.cancel().check()?;
                let batch = batch?;
                let len = batch.len();
                let (ids, columns) = (RowIds::Range { start, len }, batch.columns().to_vec());
                batches.push(Batch::new(Arc::clone(&rows.schema), ids, columns)?);
                start += len as u64;
            }
            rows.sources.push(batches);
            rows.notes.extend(source.notes());
        }
        Ok(rows)
    }

    /// How many there are.
    pub(super) fn len(&self) -> u64 {
        let batches = self.sources.iter().flatten();
        batches.map(|batch| batch.len() as u64).sum()
    }

    /// What the plan would release of them.
    pub(super) fn try_out(
        &self,
        plan: Plan,
        purpose: Purpose,
        context: &Context,
    ) -> Result<Candidate> {
        let (plan, sources) = (&Arc::new(plan), self.sources.len());
        let context = context.clone();
        let mut trial = Session::trial(plan, &self.schema, sources, purpose, context)?;
        trial.note(self.notes.clone());
        let mut batches: Vec<_> = self.sources.iter().map(|source| source.iter()).collect();
        while let Some(source) = trial.next_source() {
            match batches[source].next() {
                Some(batch) => trial.push_from(source, batch.clone())?,
                None => trial.end(source)?,
            }
        }
        trial.finish()
    }
}
