//! Leads several learners through both sides at once.

use super::lessons::{Lessons, Side};
use crate::error::{Error, Result};
use crate::learn;
use crate::learn::prequential::{Figures, Schedule, ScorePoint, ScoreSettings, Trial};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::Serialize;

/// Which learners, on what, and how they are judged.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnSettings {
    /// Names of [`learn::LEARNERS`].
    pub learners: Vec<String>,
    /// The sides to learn from.
    pub sides: Vec<Side>,
    /// Which records test and which teach.
    pub schedule: Schedule,
    /// How answers are counted.
    pub score: ScoreSettings,
    /// For learners that draw random numbers.
    pub seed: u64,
}

/// How a learner did on one side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Learned {
    /// Its name.
    pub learner: String,
    /// What it learnt from.
    pub side: Side,
    /// Answers, those left out included.
    pub results: u64,
    /// Over all results that count.
    pub whole: Figures,
    /// Over the last ones.
    pub lately: Figures,
    /// With old ones faded.
    pub faded: Figures,
    /// Sample deviation of accuracy over blocks.
    pub deviation: Option<f64>,
    /// Bytes of the model in the end.
    pub memory: usize,
    /// How it went.
    pub points: Vec<ScorePoint>,
}

/// Leads each learner through each side; in the order of the learners, then the sides.
pub fn learn(lessons: &Lessons, settings: &LearnSettings) -> Result<Vec<Learned>> {
    if let Some(side) = settings.sides.iter().find(|side| !lessons.has(**side)) {
        return Err(Error::usage(format!("nothing is {} here", side.word()))
            .help("give a policy, which says how, or compare `original` only"));
    }
    let runs: Vec<(&String, Side)> = settings
        .learners
        .iter()
        .flat_map(|learner| settings.sides.iter().map(move |side| (learner, *side)))
        .collect();
    runs.into_par_iter()
        .map(|(learner, side)| one(lessons, settings, learner, side))
        .collect()
}

fn one(lessons: &Lessons, settings: &LearnSettings, name: &str, side: Side) -> Result<Learned> {
    let header = lessons.header();
    let learner = learn::build(name, header, settings.seed)?;
    let mut trial = Trial::new(learner, header, settings.schedule, &settings.score)?;
    for (record, actual, taught) in lessons.of(side) {
        trial.push_taught(record, actual, taught);
    }
    let score = trial.score();
    Ok(Learned {
        learner: name.to_owned(),
        side,
        results: score.results(),
        whole: score.whole(),
        lately: score.lately(),
        faded: score.faded(),
        deviation: score.deviation(),
        memory: trial.learner().memory(),
        points: score.points().to_vec(),
    })
}
