//! Methods and numbers tried one after the other, each told as soon as it was tried.

use super::told::{chance, is_of_smallest, items};
use super::{Failure, Job, failure, json, rounded};
use crate::job::options::Explore;
use moretta::pipeline::{self, ComparisonSettings, rounded_json};
use serde_json::{Value, json as object};

pub(super) fn work(job: &Job<'_>) -> Result<Value, Failure> {
    let asked: Explore = job.options()?;
    let policy = job.public_policy()?;
    let settings = ComparisonSettings {
        methods: Vec::new(),
        k: asked.k,
        clusters: Vec::new(),
        risk: asked.risk,
        loss: asked.loss,
    };
    let smallest = settings.measures();
    let smallest = smallest.iter().map(|name| is_of_smallest(name));
    let smallest: Vec<bool> = smallest.collect();
    let kept = smallest.clone();
    job.tell_points(move |point| Some(told(point, &kept)));
    if policy.goal.is_some() {
        let plan = pipeline::plan(&policy, job.progress).map_err(failure)?;
        return Ok(object!({ "goal": rounded(&plan.goal)? }));
    }
    let found = pipeline::compare_methods(&policy, &settings, job.progress);
    let mut comparison = json(&found.map_err(failure)?)?;
    for one in items(&mut comparison["tried"]) {
        *one = told(one.take(), &smallest);
    }
    Ok(object!({ "comparison": rounded_json(comparison) }))
}

/// What was tried, as it is told; which values are about the smallest class, `smallest` says.
fn told(mut tried: Value, smallest: &[bool]) -> Value {
    let least = tried["k"].as_u64().unwrap_or(1);
    if tried["values"].is_array() {
        for (value, _) in items(&mut tried["values"])
            .zip(smallest)
            .filter(|(_, is)| **is)
        {
            chance(value, least);
        }
    }
    rounded_json(tried)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_tried_tells_no_size_of_a_small_class() {
        let tried = object!({ "k": 2, "released": 4001, "values": [0.123456, 0.25, null] });
        let expected = object!({ "k": 2, "released": 4000, "values": [0.123, 0.5, null] });
        assert_eq!(told(tried, &[false, true, true]), expected);
    }
}
