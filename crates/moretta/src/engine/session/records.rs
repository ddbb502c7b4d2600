//! Records of a stream on their way: masked while others wait, measured and counted as
//! they leave.

use super::Checked;
use crate::data::{Batch, Schema};
use crate::engine::columns::without_dropped;
use crate::engine::context::Context;
use crate::engine::facts::{Facts, Masked, report};
use crate::engine::masked::{self, Flow, Masks, Waiting};
use crate::engine::plan::Plan;
use crate::engine::progress::Live;
use crate::engine::report::Report;
use crate::error::Result;
use crate::guarantee::CrowdChecker;
use crate::measure::Measure;
use std::sync::Arc;

/// A stream of records.
pub(super) struct RecordFlow {
    plan: Arc<Plan>,
    masks: Masks,
    schema: Arc<Schema>,
    released: Arc<Schema>,
    flow: Flow,
    crowds: Vec<CrowdChecker>,
    /// Originals for measures that were added.
    waiting: Waiting,
    pub(super) notes: Vec<String>,
    /// Nothing has come yet.
    new: bool,
}

impl RecordFlow {
    pub(super) fn new(
        plan: Arc<Plan>,
        masks: Masks,
        schema: &Arc<Schema>,
        context: &Context,
    ) -> Result<Self> {
        let flow = Flow::new(&plan, &masks, schema, context)?;
        let released = without_dropped(&plan, Batch::empty(Arc::clone(flow.schema())))?;
        Ok(RecordFlow {
            crowds: masks.crowds.iter().map(|crowd| crowd.checker()).collect(),
            released: Arc::clone(released.schema()),
            schema: Arc::clone(schema),
            plan,
            masks,
            flow,
            waiting: Waiting::default(),
            notes: Vec::new(),
            new: true,
        })
    }

    /// The columns of what leaves.
    pub(super) fn released_schema(&self) -> &Arc<Schema> {
        &self.released
    }

    pub(super) fn push(
        &mut self,
        rows: Batch,
        context: &Context,
        measures: &mut [Box<dyn Measure>],
    ) -> Result<Checked> {
        if self.new && !rows.is_empty() {
            self.new = false;
            masked::refuse_mixed(&self.plan, &rows, &self.masks.places)?;
        }
        if !measures.is_empty() {
            self.waiting.read(&rows);
        }
        let released = self.flow.push(rows)?;
        context.progress.tell(Live::Records(self.flow.live()));
        self.check(released, measures)
    }

    /// What has not left yet.
    pub(super) fn rest(&mut self, measures: &mut [Box<dyn Measure>]) -> Result<Checked> {
        let released = self.flow.finish()?;
        self.check(released, measures)
    }

    /// Counts and measures rows before they leave.
    fn check(&mut self, released: Batch, measures: &mut [Box<dyn Measure>]) -> Result<Checked> {
        let released = without_dropped(&self.plan, released)?;
        for (checker, crowd) in self.crowds.iter_mut().zip(&self.masks.crowds) {
            checker.observe(&released, &crowd.places(released.schema())?)?;
        }
        if !measures.is_empty() {
            self.waiting.pair(&released, |original, released| {
                let mut measures = measures.iter_mut();
                measures.try_for_each(|measure| measure.observe(original, released))
            })?;
        }
        Ok(Checked(released))
    }

    pub(super) fn finish(mut self, measures: &mut [Box<dyn Measure>]) -> Result<(Checked, Report)> {
        let rest = self.rest(measures)?;
        let crowds = self.crowds.into_iter().map(CrowdChecker::finish);
        let crowds = crowds.collect::<Result<Vec<_>>>()?;
        masked::keep_limits(&self.plan, &self.flow.watch)?;
        self.notes.extend(self.flow.telling()?);
        let report = report(&Facts {
            plan: &self.plan,
            schema: &self.schema,
            judgement: None,
            masked: Some(Masked {
                masks: &self.masks,
                watch: &self.flow.watch,
                crowds: &crowds,
            }),
            read: self.flow.read,
            released: self.flow.released,
            suppressed: &self.flow.suppressed(),
            warnings: &self.notes,
        });
        Ok((rest, report))
    }
}
