//! Reads the whole table that a policy names.

use super::memory;
use crate::data::Batch;
use crate::engine::{Original, Progress, Stage};
use crate::error::Result;
use crate::io;
use crate::policy::Policy;
use std::sync::Arc;

/// Reads the source of the policy into one batch.
pub fn read(policy: &Policy, progress: &Progress) -> Result<Original> {
    progress.enter(Stage::Read);
    let mut options = policy.source.options.clone();
    options.progress = Some(progress.counter());
    options.limits.needs = memory::needs(policy);
    let plans = policy.plan.column_plans()?;
    let mut source = io::open_all(&policy.source.paths(), &options, &plans)?;
    let schema = Arc::clone(source.schema());
    let batch = Batch::concat(&schema, source.by_ref().collect::<Result<Vec<_>>>()?)?;
    Original::new(&policy.plan, batch, source.notes())
}
