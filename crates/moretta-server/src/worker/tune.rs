//! One number of a policy tuned for goals, each value told as soon as it was tried.

use super::told::{chance, is_of_smallest, items};
use super::{Failure, Job, failure, json};
use crate::job::options::Tune;
use moretta::pipeline::{self, TuneSettings, rounded_json};
use serde_json::Value;

pub(super) fn work(job: &Job<'_>) -> Result<Value, Failure> {
    let asked: Tune = job.options()?;
    let policy = job.public_policy()?;
    let by_k = asked.parameter == "k";
    let own = policy.plan.guarantee.class_size().map_or(1, u64::from);
    job.tell_points(move |point| Some(told(point, by_k, own)));
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
    let mut all = json(&found)?;
    for one in items(&mut all["tried"]) {
        *one = told(one.take(), by_k, own);
    }
    let mut all = rounded_json(all);
    // They are values of the policy, not figures of the data.
    all["best"] = found.best.into();
    all["nearest"] = found.nearest.into();
    Ok(all)
}

/// A value that was tried, as it is told: of k where that was tuned, else with this k.
fn told(mut tried: Value, by_k: bool, own: u64) -> Value {
    let k = tried["value"].as_f64().filter(|_| by_k);
    let least = k.map_or(own, |k| k as u64);
    if tried["measures"].is_array() {
        for one in items(&mut tried["measures"]) {
            if one["name"].as_str().is_some_and(is_of_smallest) {
                chance(&mut one["value"], least);
            }
        }
    }
    rounded_json(tried)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json as object;

    #[test]
    fn what_was_measured_is_rounded_and_what_was_set_is_not() {
        let tried = object!({ "value": 1234.5, "measures": [
            { "name": "prosecutor_risk", "limit": 0.123456, "value": 0.25 },
            { "name": "gcp", "limit": null, "value": 0.123456 },
        ] });
        let expected = object!({ "value": 1234.5, "measures": [
            { "name": "prosecutor_risk", "limit": 0.123456, "value": 0.5 },
            { "name": "gcp", "limit": null, "value": 0.123 },
        ] });
        assert_eq!(told(tried, false, 2), expected);
    }
}
