//! One number of a policy tuned for goals, each value told as soon as it was tried.

use super::{Failure, Job, failure, rounded};
use crate::job::options::Tune;
use moretta::pipeline::{self, TuneSettings, rounded_json};
use serde_json::{Value, json};

pub(super) fn work(job: &Job<'_>) -> Result<Value, Failure> {
    let asked: Tune = job.options()?;
    let policy = job.public_policy()?;
    job.tell_points(|point| Some(rounded_json(point)));
    let settings = TuneSettings {
        parameter: asked.parameter,
        between: asked.between,
        steps: asked.steps as usize,
        scale: None,
        bisections: asked.bisections as usize,
        prefer: None,
        goals: asked.goals,
        seed: asked.seed,
        draws: asked.draws,
    };
    let found = pipeline::tune(&policy, &job.root, &settings, job.progress);
    let found = found.map_err(failure)?;
    let mut told = rounded(&found)?;
    // They are values of the policy, not figures of the data.
    told["best"] = json!(found.best);
    told["nearest"] = json!(found.nearest);
    Ok(told)
}
