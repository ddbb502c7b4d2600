//! What the columns of uploaded data are like, in rounded counts, with a guessed policy.

use super::{Failure, Job, failure, json};
use crate::problem::Problem;
use moretta::io::ReadOptions;
use moretta::pipeline;
use serde_json::Value;
use std::path::Path;

pub(super) fn work(job: &Job<'_>) -> Result<Value, Failure> {
    let data = job.task.inputs.first();
    let data = data.ok_or_else(|| Problem::bug("a profile of no data was wanted"))?;
    let mut options = ReadOptions {
        files: job.files.clone(),
        ..ReadOptions::default()
    };
    options.limits.memory = job.task.memory / 4 * 3;
    let found = pipeline::profile(Path::new(&data.name), &options, job.progress);
    json(&found.map_err(failure)?)
}
