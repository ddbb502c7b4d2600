//! Attacks on what a policy would release, such as go with its methods.

use super::{Failure, Job, failure, json, rounded};
use crate::job::options::Attack;
use moretta::attack::reconstruction::{Optimizer, StudySettings};
use moretta::io::ReadOptions;
use moretta::pipeline::{
    self, AttackSettings, AttackedTables, Progress, rounded_count, rounded_json, rounded_share,
};
use moretta::policy::Policy;
use serde_json::{Value, json as object};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

pub(super) fn work(job: &Job<'_>) -> Result<Value, Failure> {
    let asked: Attack = job.options()?;
    let policy = job.public_policy()?;
    let points = Curves::default();
    let kept = points.clone();
    job.tell_points(move |point| Some(kept.add(point)));
    match policy.plan.keeps_guarantee() {
        true => {
            let found = pipeline::attack_table(&policy, job.progress).map_err(failure)?;
            Ok(object!({ "tables": told_of_tables(&found)? }))
        }
        false => {
            let mut told = masked(&policy, &asked, job.progress)?;
            told["curves"] = Value::Array(points.all());
            Ok(told)
        }
    }
}

/// What attacks get, in rounded figures: of few persons nothing, nor of all but a few.
fn told_of_tables(found: &AttackedTables) -> Result<Value, Failure> {
    let mut told = rounded(found)?;
    for (release, told) in found.releases.iter().zip(items(&mut told, "releases")) {
        for (one, told) in release.attacks.iter().zip(items(told, "attacks")) {
            *told = told_of_attack(json(one)?);
        }
        for (one, told) in release.known_items.iter().zip(items(told, "known_items")) {
            told["singled_out"] = object!(rounded_count(one.singled_out, one.persons));
            told["below_k"] = object!(rounded_count(one.below_k, one.persons));
        }
    }
    Ok(told)
}

/// The same of one attack.
fn told_of_attack(one: Value) -> Value {
    let counts = one["succeeds"].as_u64().zip(one["of"].as_u64());
    let succeeds = counts.and_then(|(succeeds, of)| rounded_count(succeeds, of));
    let share = one["share"].as_f64().zip(succeeds.and(counts));
    let share = share.and_then(|(share, (_, of))| rounded_share(share, of));
    let mut told = rounded_json(one);
    told["succeeds"] = object!(succeeds);
    told["share"] = object!(share);
    if share.is_none() {
        // Sentences about few persons would tell the same.
        told["details"] = object!([]);
        told["classes"] = Value::Null;
    }
    told
}

fn items<'a>(value: &'a mut Value, name: &str) -> impl Iterator<Item = &'a mut Value> + use<'a> {
    let items = value.get_mut(name).and_then(Value::as_array_mut);
    items.into_iter().flatten()
}

/// Names of shares among what attacks on masked records get.
const SHARES: &[&str] = &[
    "breach",
    "certain",
    "linked",
    "records",
    "records_by_chance",
    "share",
    "values",
    "values_by_chance",
];

/// Hides shares that stand for few of the records, or for all but a few. Of how many they are is told
/// beside some of them; of the others it is at least as many as were `attacked`.
fn hide_rare(told: &mut Value, attacked: u64) {
    match told {
        Value::Object(fields) => {
            let of = fields.get("records").and_then(Value::as_u64);
            let of = of.unwrap_or(attacked);
            for (name, value) in fields.iter_mut() {
                match value
                    .as_f64()
                    .filter(|_| SHARES.contains(&&**name) && value.is_f64())
                {
                    Some(share) => {
                        *value = rounded_share(share, of).map_or(Value::Null, Value::from);
                    }
                    None => hide_rare(value, attacked),
                }
            }
            if fields.get("breach").is_some_and(Value::is_null) && fields.contains_key("interval") {
                // It lies round the share.
                fields.insert("interval".to_owned(), Value::Null);
            }
        }
        Value::Array(values) => values
            .iter_mut()
            .for_each(|value| hide_rare(value, attacked)),
        _ => {}
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
            return told_of_attack(point);
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
    let mut told = rounded(&found)?;
    hide_rare(&mut told, asked.attacks.into());
    Ok(object!({ "masked": told }))
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
        return Ok(object!({ "tables": told_of_tables(&found)? }));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_few_records_are_not_told() {
        let mut told = object!({
            "attacks": [
                { "attack": "a", "records": 500, "breach": 0.004, "interval": [0.0, 0.01] },
                { "attack": "b", "records": 500, "breach": 0.5, "interval": [0.4, 0.6] },
            ],
            "intervals": [{ "records": 0.002, "values": 0.25, "by_width": [{ "records": 0.99 }] }],
            "links": [{ "records": 4000, "linked": 0.002, "certain": 0.001 }],
        });
        hide_rare(&mut told, 500);
        let expected = object!({
            "attacks": [
                { "attack": "a", "records": 500, "breach": null, "interval": null },
                { "attack": "b", "records": 500, "breach": 0.5, "interval": [0.4, 0.6] },
            ],
            "intervals": [{ "records": null, "values": 0.25, "by_width": [{ "records": null }] }],
            "links": [{ "records": 4000, "linked": null, "certain": null }],
        });
        assert_eq!(told, expected);
    }
}
