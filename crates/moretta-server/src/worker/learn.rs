//! What learners lose on protected data.
//!
//! Rates are of many results, in steps of five of them: shorter windows, and ones that differ by single
//! results, would tell which record was answered well.

use super::{Failure, Job, failure, json};
use crate::job::options::Learn;
use moretta::learn::prequential::{Figures, Schedule, ScorePoint, ScoreSettings};
use moretta::pipeline::{
    self, Arm, LearnSettings, Learned, Lessons, Side, rounded_count, rounded_share, rounded_text,
};
use serde_json::{Value, json as object};

/// The fewest results that a rate is told of.
const LEAST_WINDOW: u64 = 200;
/// Windows and warm-ups are multiples of it.
const STEP: u64 = 100;
/// About so many results count where old ones fade.
const FADED: u64 = 1000;

pub(super) fn work(job: &Job<'_>) -> Result<Value, Failure> {
    let asked: Learn = job.options()?;
    let policy = job.public_policy()?;
    let lessons = pipeline::lessons(&policy, asked.class.as_deref(), None, job.progress);
    let lessons = lessons.map_err(failure)?;
    let window = in_steps(asked.window.max(LEAST_WINDOW));
    let settings = LearnSettings {
        learners: asked.learners,
        arms: arms(&lessons),
        schedule: Schedule::TestThenTrain,
        score: ScoreSettings {
            warm_up: in_steps(asked.warm_up),
            window: usize::try_from(window).unwrap_or(usize::MAX),
            ..ScoreSettings::default()
        },
        seed: asked.seed,
    };
    job.tell_points(move |one| told_on_the_way(one, window));
    let learned = pipeline::learn(&lessons, &settings, None, job.progress).map_err(failure)?;
    let records = lessons.len() as u64;
    let notes: Vec<String> = lessons
        .notes
        .iter()
        .map(|note| rounded_text(note))
        .collect();
    let learners = learned.into_iter().map(|one| told(one, window));
    Ok(object!({
        "records": rounded_count(records, records),
        "learners": learners.collect::<Result<Vec<_>, Failure>>()?,
        "notes": notes,
    }))
}

fn in_steps(results: u64) -> u64 {
    results.div_ceil(STEP).saturating_mul(STEP)
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

/// How a learner did, in rates of many results and rounded counts.
fn told(mut one: Learned, window: u64) -> Result<Value, Failure> {
    let counted = one.counted;
    blur(&mut one.whole, counted);
    blur(&mut one.lately, counted.min(window));
    blur(&mut one.faded, counted.min(FADED));
    one.deviation = one.deviation.map(|deviation| coarse(deviation, STEP));
    let points = one.points.iter();
    one.points = points.filter_map(|point| blurred(*point, window)).collect();
    let mut told = json(&one)?;
    for name in ["results", "counted", "memory"] {
        let count = told[name]
            .as_u64()
            .and_then(|count| rounded_count(count, count));
        told[name] = count.map_or(Value::Null, Value::from);
    }
    Ok(told)
}

/// Figures over so many results. Those of single classes are left out: few persons may be in one.
fn blur(figures: &mut Figures, results: u64) {
    figures.classes = Vec::new();
    figures.accuracy = figures.accuracy.and_then(|share| rate(share, results));
    let hidden = figures.accuracy.is_none();
    for other in [
        &mut figures.kappa,
        &mut figures.kappa_m,
        &mut figures.kappa_t,
        &mut figures.f1,
    ] {
        *other = other.filter(|_| !hidden).map(|of| coarse(of, results));
    }
}

/// How a learner is doing: the last point of its curve as it is told at the end, too.
fn told_on_the_way(mut one: Value, window: u64) -> Option<Value> {
    let point = serde_json::from_value(one["point"].take()).ok()?;
    one["point"] = json(&blurred(point, window)?).ok()?;
    Some(one)
}

/// A point, where it is one of enough results.
fn blurred(point: ScorePoint, window: u64) -> Option<ScorePoint> {
    if point.results < LEAST_WINDOW {
        return None;
    }
    let results = point.results.min(window);
    let accuracy = point.accuracy.and_then(|share| rate(share, results));
    let kappa = point.kappa.filter(|_| accuracy.is_some());
    Some(ScorePoint {
        accuracy,
        kappa: kappa.map(|kappa| coarse(kappa, results)),
        ..point
    })
}

/// A share of so many results, where there are enough of them.
fn rate(share: f64, results: u64) -> Option<f64> {
    match results >= LEAST_WINDOW {
        true => rounded_share(share, results),
        false => None,
    }
}

/// A figure that follows from so many results, in steps of five of them and at least of a hundredth.
fn coarse(figure: f64, results: u64) -> f64 {
    let steps = (results as f64 / 5.0).clamp(1.0, 100.0).floor();
    (figure * steps).round() / steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_of_few_results_and_of_few_right_or_wrong_ones_are_not_told() {
        for (share, results, expected) in [
            (0.5, 199, None),
            (0.5, 200, Some(0.5)),
            (0.97, 200, None),
            (0.03, 200, None),
            (0.502, 1000, Some(0.5)),
        ] {
            assert_eq!(rate(share, results), expected, "{share} of {results}");
        }
        assert_eq!(coarse(0.123456, 4000), 0.12);
        assert_eq!(coarse(0.123456, 200), 0.125);
        assert_eq!((in_steps(0), in_steps(1), in_steps(200)), (0, 100, 200));
        let mut figures = Figures {
            accuracy: Some(0.98),
            f1: Some(0.97),
            ..Figures::default()
        };
        blur(&mut figures, 300);
        assert_eq!((figures.accuracy, figures.f1), (None, None));
    }
}
