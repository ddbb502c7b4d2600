//! Leads several learners through both sides at once.

use super::lessons::{Arm, Lessons, Side};
use super::saved::SavedModel;
use crate::engine::progress::Progress;
use crate::error::{Error, Result};
use crate::learn::prequential::{Figures, Schedule, ScorePoint, ScoreSettings, Trial};
use crate::learn::{self, Model};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use serde::Serialize;
use std::fmt;

/// Which learners, on what, and how they are judged.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnSettings {
    /// Names of [`learn::LEARNERS`].
    pub learners: Vec<String>,
    /// What to learn from, and what to be tested with.
    pub arms: Vec<Arm>,
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
    /// What it was tested with.
    pub tested: Side,
    /// Answers, those of the warm-up included.
    pub results: u64,
    /// Answers that the figures count: all but the warm-up.
    pub counted: u64,
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

/// A learner that went through its side, to be saved.
pub struct Trained {
    /// How it did.
    pub learned: Learned,
    /// The model, as a file holds it.
    pub model: Vec<u8>,
    /// Whether it has ever learnt from rows that were not protected.
    pub from_originals: bool,
}

/// Says how it did and not what it knows.
impl fmt::Debug for Trained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} in {} bytes", self.learned, self.model.len())
    }
}

/// How a learner is doing, told while it goes through its side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Learning {
    /// Its name.
    pub learner: String,
    /// What it learns from.
    pub side: Side,
    /// What it is tested with.
    pub tested: Side,
    /// The last point of its curve.
    pub point: ScorePoint,
}

/// Leads each learner through each arm; in the order of the learners, then the arms.
/// A model that was saved is where each of them begins. Listeners of the progress hear of
/// [`Learning`] at each hundredth of the way.
pub fn learn(
    lessons: &Lessons,
    settings: &LearnSettings,
    start: Option<&SavedModel>,
    progress: &Progress,
) -> Result<Vec<Learned>> {
    let runs: Vec<(&String, Arm)> = settings
        .learners
        .iter()
        .flat_map(|learner| settings.arms.iter().map(move |arm| (learner, *arm)))
        .collect();
    runs.into_par_iter()
        .map(|(learner, arm)| {
            let trial = run(lessons, settings, learner, arm, start, progress)?;
            Ok(told(learner, arm, &trial))
        })
        .collect()
}

/// Leads one learner through one side and keeps what it knows in the end.
pub fn train(
    lessons: &Lessons,
    settings: &LearnSettings,
    start: Option<&SavedModel>,
) -> Result<Trained> {
    let ([learner], [arm]) = (&settings.learners[..], &settings.arms[..]) else {
        return Err(
            Error::usage("a model is one learner that learnt from one side")
                .help("name one learner with --learner, and --compare original or protected"),
        );
    };
    let mut trial = run(
        lessons,
        settings,
        learner,
        *arm,
        start,
        &Progress::default(),
    )?;
    let side = arm.learnt;
    let vocabulary = lessons.vocabulary(side).ok_or_else(|| absent(side))?;
    let learned = told(learner, *arm, &trial);
    trial.finish();
    let from_originals = side == Side::Original || start.is_some_and(SavedModel::is_from_originals);
    Ok(Trained {
        learned,
        model: Model::save(trial.learner(), vocabulary, from_originals)?,
        from_originals,
    })
}

fn run(
    lessons: &Lessons,
    settings: &LearnSettings,
    name: &str,
    arm: Arm,
    start: Option<&SavedModel>,
    progress: &Progress,
) -> Result<Trial> {
    let header = lessons
        .header(arm.learnt)
        .ok_or_else(|| absent(arm.learnt))?;
    let learner = match start {
        None => learn::build(name, header, settings.seed)?,
        Some(model) if model.name() == name => model.learner()?,
        Some(model) => {
            let what = format!("the model is one of `{}`, not of `{name}`", model.name());
            return Err(Error::usage(what).help(format!(
                "leave --learner out, or name `{}` only",
                model.name()
            )));
        }
    };
    let mut trial = Trial::new(learner, header, settings.schedule, &settings.score)?;
    let mut last = None;
    lead_by_parts(&mut trial, lessons, arm, |trial| {
        match trial.score().points().last() {
            Some(point) if last.as_ref() != Some(point) => {
                last = Some(*point);
                progress.found(&Learning {
                    learner: name.to_owned(),
                    side: arm.learnt,
                    tested: arm.tested,
                    point: *point,
                })
            }
            _ => progress.cancel().check(),
        }
    })?;
    Ok(trial)
}

/// Leads a learner through one arm of the lessons.
pub(super) fn lead(trial: &mut Trial, lessons: &Lessons, arm: Arm) -> Result<()> {
    lead_by_parts(trial, lessons, arm, |_| Ok(()))
}

/// Into how many parts lessons are cut, and how many records each has at least.
const PARTS: (usize, usize) = (100, 200);

/// The same; `after` hears of the trial after each part.
fn lead_by_parts(
    trial: &mut Trial,
    lessons: &Lessons,
    arm: Arm,
    mut after: impl FnMut(&Trial) -> Result<()>,
) -> Result<()> {
    let (records, actual, taught) = lessons.of(arm.learnt).ok_or_else(|| absent(arm.learnt))?;
    let exams = match arm.tested == arm.learnt {
        true => None,
        false => Some(lessons.exams(arm).ok_or_else(|| absent(arm.tested))?),
    };
    let size = actual.len().div_ceil(PARTS.0).max(PARTS.1);
    for start in (0..actual.len()).step_by(size) {
        let part = start..(start + size).min(actual.len());
        match exams {
            None => trial.push_part(records, actual, taught, part),
            Some(exams) => trial.push_part_tested([exams, records], actual, taught, part),
        }
        after(trial)?;
    }
    Ok(())
}

fn absent(side: Side) -> Error {
    Error::usage(format!("nothing is {} here", side.word()))
        .help("give a policy, which says how rows are protected, or compare the side that is there")
}

fn told(name: &str, arm: Arm, trial: &Trial) -> Learned {
    let score = trial.score();
    Learned {
        learner: name.to_owned(),
        side: arm.learnt,
        tested: arm.tested,
        results: score.results(),
        counted: score.counted(),
        whole: score.whole(),
        lately: score.lately(),
        faded: score.faded(),
        deviation: score.deviation(),
        memory: trial.learner().memory(),
        points: score.points().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::ReadOptions;
    use crate::pipeline::Progress;
    use crate::pipeline::lessons_of_file;

    fn settings(arms: &[Arm]) -> LearnSettings {
        LearnSettings {
            learners: ["knn", "nb", "arf", "bagging"].map(str::to_owned).to_vec(),
            arms: arms.to_vec(),
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
        let lessons = lessons_of_file(&path, &ReadOptions::default(), "kind", None, &progress);
        let lessons = lessons.expect("lessons");
        let learned = learn(&lessons, &settings(&[Arm::ORIGINAL]), None, &progress);
        let learned = learned.expect("learnt");
        let names: Vec<&str> = learned.iter().map(|one| one.learner.as_str()).collect();
        assert_eq!(names, ["knn", "nb", "arf", "bagging"]);
        for one in &learned {
            assert!(one.whole.accuracy > Some(0.9), "{}", one.learner);
            assert_eq!((one.results, one.points.len()), (600, 12));
        }
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.expect("a few threads");
            let all = settings(&[Arm::ORIGINAL]);
            let again = pool.install(|| learn(&lessons, &all, None, &progress));
            assert_eq!(learned, again.expect("learnt"), "{threads} threads");
        }
        let none = learn(&lessons, &settings(&[Arm::PROTECTED]), None, &progress);
        assert_eq!(none.expect_err("nothing is").exit_code(), 2);
    }

    #[test]
    fn points_are_told_on_the_way_and_are_those_of_the_end() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows.csv");
        let row = |n: u32| format!("{},{}\n", n * 37 % 101, u32::from(n * 37 % 101 > 50));
        let rows: String = (0..2000).map(row).collect();
        std::fs::write(&path, format!("x,kind\n{rows}")).expect("written");
        let progress = Progress::default();
        let lessons = lessons_of_file(&path, &ReadOptions::default(), "kind", None, &progress);
        let lessons = lessons.expect("lessons");
        let (tell, told) = std::sync::mpsc::channel();
        progress.on_found(move |value| tell.send(value).expect("heard"));
        let settings = LearnSettings {
            learners: vec!["nb".to_owned()],
            ..settings(&[Arm::ORIGINAL])
        };
        let learned = learn(&lessons, &settings, None, &progress).expect("learnt");
        let told: Vec<_> = told.try_iter().collect();
        assert_eq!(told.len(), 10, "one after each 200 records");
        for one in &told {
            let (of, point) = (&one["learner"], &one["point"]);
            assert_eq!(of, "nb");
            let all = learned[0].points.iter();
            let mut all = all.map(|point| serde_json::to_value(point).expect("JSON"));
            assert!(all.any(|of_the_end| of_the_end == *point), "{point}");
        }
        progress.cancel().cancel();
        assert!(learn(&lessons, &settings, None, &progress).is_err());
    }
}
