//! Attacks on what a policy would release, such as go with its methods.

use super::{Failure, Job, failure, json, rounded};
use crate::job::options::Attack;
use moretta::attack::reconstruction::{Optimizer, StudySettings};
use moretta::io::ReadOptions;
use moretta::pipeline::{self, AttackSettings, Progress};
use moretta::policy::Policy;
use serde_json::{Value, json as object};
use std::path::PathBuf;

pub(super) fn work(job: &Job<'_>) -> Result<Value, Failure> {
    let asked: Attack = job.options()?;
    let policy = job.policy()?;
    match policy.plan.keeps_guarantee() {
        true => {
            let found = pipeline::attack_table(&policy, job.progress).map_err(failure)?;
            Ok(object!({ "tables": rounded(&found)? }))
        }
        false => masked(&policy, &asked, job.progress),
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
