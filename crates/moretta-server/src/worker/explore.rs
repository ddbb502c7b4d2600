//! Methods and numbers tried one after the other, each told as soon as it was tried.

use super::{Failure, Job, failure, rounded};
use crate::job::options::Explore;
use moretta::pipeline::{self, ComparisonSettings, rounded_json};
use serde_json::{Value, json as object};

pub(super) fn work(job: &Job<'_>) -> Result<Value, Failure> {
    let asked: Explore = job.options()?;
    let policy = job.public_policy()?;
    job.tell_points(|point| Some(rounded_json(point)));
    if policy.goal.is_some() {
        let plan = pipeline::plan(&policy, job.progress).map_err(failure)?;
        return Ok(object!({ "goal": rounded(&plan.goal)? }));
    }
    let settings = ComparisonSettings {
        methods: Vec::new(),
        k: asked.k,
        clusters: Vec::new(),
        risk: asked.risk,
        loss: asked.loss,
    };
    let found = pipeline::compare_methods(&policy, &settings, job.progress);
    Ok(object!({ "comparison": rounded(&found.map_err(failure)?)? }))
}
