//! Attacks on what a policy would release, such as go with its methods.

use super::{Failure, Job, failure, json, rounded};
use crate::job::options::Attack;
use moretta::attack::reconstruction::{Optimizer, StudySettings};
use moretta::io::ReadOptions;
use moretta::pipeline::{
    self, AttackSettings, Progress, rounded_count, rounded_json, rounded_share,
};
use moretta::policy::Policy;
use serde_json::{Value, json as object};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

pub(super) fn work(job: &Job<'_>) -> Result<Value, Failure> {
    let asked: Attack = job.options()?;
    let policy = job.policy()?;
    let points = Curves::default();
    let kept = points.clone();
    job.tell_points(move |point| kept.add(point));
    match policy.plan.keeps_guarantee() {
        true => {
            let found = pipeline::attack_table(&policy, job.progress).map_err(failure)?;
            Ok(object!({ "tables": rounded(&found)? }))
        }
        false => {
            let mut found = masked(&policy, &asked, job.progress)?;
            found["curves"] = Value::Array(points.all());
            Ok(found)
        }
    }
}

/// Points of attacks over the records that were tried, as they were told: a share stands there
/// where the count that it stands for may be told.
#[derive(Clone, Default)]
struct Curves(Arc<Mutex<Vec<Value>>>);

impl Curves {
    /// The point as it is told.
    fn add(&self, point: Value) -> Value {
        let (Some(tried), Some(breach)) = (point["tried"].as_u64(), point["breach"].as_f64())
        else {
            return rounded_json(point);
        };
        let told = object!({
            "attack": point["attack"],
            "knows": point["knows"],
            "tried": rounded_count(tried, tried),
            "breach": rounded_share(breach, tried),
        });
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(told.clone());
        told
    }

    fn all(&self) -> Vec<Value> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.clone()
    }
}

fn masked(policy: &Policy, asked: &Attack, progress: &Progress) -> Result<Value, Failure> {
    let settings = AttackSettings {
        study: StudySettings {
            known: asked.known as usize,
            attacks: asked.attacks as usize,
            epsilon: asked.epsilon,
            optimizer: Optimizer::Lbfgs,
            starts: 1,
            accuracy: None,
            seed: asked.seed,
        },
        sample: None,
        learner: None,
        class: None,
    };
    let found = pipeline::attack(policy, &settings, progress).map_err(failure)?;
    Ok(object!({ "masked": rounded(&found)? }))
}

/// What attacks get of files that were released; why they were not tried, where none is known.
pub(super) fn on_release(
    policy: &Policy,
    files: &[PathBuf],
    options: &ReadOptions,
    progress: &Progress,
) -> Result<Value, Failure> {
    let stream = policy.plan.is_stream();
    if policy.plan.keeps_guarantee() && policy.evolve.is_none() && !stream {
        let found = pipeline::attack_files(policy, files, options, progress).map_err(failure)?;
        return Ok(object!({ "tables": json(&found)? }));
    }
    let usual: Attack = serde_json::from_value(object!({})).map_err(|_| {
        Failure::from(crate::problem::Problem::bug(
            "an attack has no usual numbers",
        ))
    })?;
    match masked(policy, &usual, progress) {
        // That no attack is known is for the officer to weigh, and no fault of the release.
        Err(why) if why.code == "policy" || why.code == "usage" || why.code == "input" => {
            Ok(object!({ "none": why.what }))
        }
        found => found,
    }
}
