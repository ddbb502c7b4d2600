//! What learners lose on protected data.

use super::{Failure, Job, failure, json};
use crate::job::options::Learn;
use moretta::learn::prequential::{Schedule, ScoreSettings};
use moretta::pipeline::{self, Arm, LearnSettings, Lessons, Side, rounded_count, rounded_text};
use serde_json::{Value, json as object};

pub(super) fn work(job: &Job<'_>) -> Result<Value, Failure> {
    let asked: Learn = job.options()?;
    let policy = job.policy()?;
    let lessons = pipeline::lessons(&policy, asked.class.as_deref(), None, job.progress);
    let lessons = lessons.map_err(failure)?;
    let settings = LearnSettings {
        learners: asked.learners,
        arms: arms(&lessons),
        schedule: Schedule::TestThenTrain,
        score: ScoreSettings {
            warm_up: asked.warm_up,
            window: usize::try_from(asked.window).unwrap_or(usize::MAX),
            ..ScoreSettings::default()
        },
        seed: asked.seed,
    };
    job.tell_points(|mut point| {
        blur(&mut point);
        point
    });
    let learned = pipeline::learn(&lessons, &settings, None, job.progress).map_err(failure)?;
    let records = lessons.len() as u64;
    let notes: Vec<String> = lessons
        .notes
        .iter()
        .map(|note| rounded_text(note))
        .collect();
    let mut learners = json(&learned)?;
    for one in learners.as_array_mut().into_iter().flatten() {
        blur(one);
    }
    Ok(object!({
        "records": rounded_count(records, records),
        "learners": learners,
        "notes": notes,
    }))
}

/// What can be compared: original rows, released ones, and what was learnt from these on those.
fn arms(lessons: &Lessons) -> Vec<Arm> {
    let mut arms = Vec::new();
    arms.extend(lessons.has(Side::Original).then_some(Arm::ORIGINAL));
    if lessons.has(Side::Protected) {
        arms.push(Arm::PROTECTED);
        arms.extend(lessons.exams(Arm::APPLIED).map(|_| Arm::APPLIED));
    }
    arms
}

/// Rates over time stay as they are; counts of answers are rounded.
fn blur(value: &mut Value) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(blur),
        Value::Array(items) => items.iter_mut().for_each(blur),
        Value::Number(number) => {
            if let Some(count) = number.as_u64() {
                *value = rounded_count(count, count).map_or(Value::Null, Value::from);
            }
        }
        _ => {}
    }
}
