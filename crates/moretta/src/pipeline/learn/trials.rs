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
    let header = lessons
        .header(side)
        .ok_or_else(|| Error::bug("a side that is not there"))?;
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

#[cfg(test)]
mod tests {
    use super::super::lessons::lessons_of_file;
    use super::*;
    use crate::io::ReadOptions;
    use crate::pipeline::Progress;

    fn settings(sides: &[Side]) -> LearnSettings {
        LearnSettings {
            learners: vec!["knn".to_owned(), "nb".to_owned(), "arf".to_owned()],
            sides: sides.to_vec(),
            schedule: Schedule::TestThenTrain,
            score: ScoreSettings::default(),
            seed: 3,
        }
    }

    #[test]
    fn learners_come_in_their_order_and_the_same_every_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.csv");
        let row = |n: u32| format!("{},{}\n", n * 37 % 101, u32::from(n * 37 % 101 > 50));
        let rows: String = (0..600).map(row).collect();
        std::fs::write(&path, format!("x,kind\n{rows}")).expect("written");
        let progress = Progress::default();
        let lessons = lessons_of_file(&path, &ReadOptions::default(), "kind", &progress);
        let lessons = lessons.expect("lessons");
        let learned = learn(&lessons, &settings(&[Side::Original])).expect("learnt");
        let names: Vec<&str> = learned.iter().map(|one| one.learner.as_str()).collect();
        assert_eq!(names, ["knn", "nb", "arf"]);
        for one in &learned {
            assert!(one.whole.accuracy > Some(0.9), "{}", one.learner);
            assert_eq!((one.results, one.points.len()), (600, 12));
        }
        let again = learn(&lessons, &settings(&[Side::Original])).expect("learnt");
        assert_eq!(learned, again);
        let error = learn(&lessons, &settings(&[Side::Protected])).expect_err("nothing is");
        assert_eq!(error.exit_code(), 2);
    }
}
