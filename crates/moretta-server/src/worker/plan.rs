//! What a run of a policy would face, in rounded counts.

use super::{Failure, Job, failure, json, refuse_private, rounded};
use moretta::pipeline;
use serde_json::Value;

pub(super) fn work(job: &Job<'_>) -> Result<Value, Failure> {
    let policy = job.policy()?;
    if policy.goal.is_some() {
        // It is searched for, on the data.
        refuse_private(&policy)?;
    }
    job.tell_points(|point| Some(pipeline::rounded_json(point)));
    let plan = pipeline::plan(&policy, job.progress).map_err(failure)?;
    let share = |share: f64| pipeline::rounded_share(share, plan.persons);
    let mut told = rounded(&plan)?;
    told["uniques"] = json(&share(plan.uniques))?;
    told["below_k"] = json(&plan.below_k.and_then(share))?;
    for (column, told) in plan
        .columns
        .iter()
        .zip(told["columns"].as_array_mut().into_iter().flatten())
    {
        let identifies = matches!(column.role.as_str(), "identifier" | "subject" | "key");
        told["missing"] = json(&pipeline::rounded_share(column.missing, plan.rows))?;
        if identifies {
            told["missing"] = Value::Null;
            told["distinct"] = Value::Null;
        }
    }
    Ok(told)
}
