//! How well one learner does on what is released, and on what it was.

use super::lessons::{Arm, Lessons, class_of};
use super::release::lessons_of_release;
use super::trials::{LearnSettings, learn};
use crate::data::Batch;
use crate::engine::original::Original;
use crate::engine::plan::Plan;
use crate::engine::progress::Progress;
use crate::error::{Error, Result};
use crate::learn::prequential::{Schedule, ScoreSettings};

/// A learner and what it predicts.
pub(crate) struct Pupil<'a> {
    /// One of [`crate::learn::LEARNERS`].
    pub(crate) name: &'a str,
    /// The class; none for the column with that role.
    pub(crate) class: Option<&'a str>,
    /// For random numbers.
    pub(crate) seed: u64,
}

/// The accuracy of a learner that is tested with each released row before it learns
/// it, all rows in the order of the source.
pub(crate) fn accuracy_of_release(
    plan: &Plan,
    original: &Original,
    released: Batch,
    pupil: &Pupil<'_>,
) -> Result<f64> {
    let lessons = pupil.lessons(plan, original, released)?;
    let accuracies = pupil.accuracies(&lessons, &[Arm::PROTECTED])?;
    accuracies[0]
        .ok_or_else(|| Error::input("no released row has a class to learn").help("take more rows"))
}

impl Pupil<'_> {
    /// What it learns of a release.
    pub(crate) fn lessons(
        &self,
        plan: &Plan,
        original: &Original,
        released: Batch,
    ) -> Result<Lessons> {
        let class = class_of(original.batch.schema(), self.class)?;
        lessons_of_release(plan, original, released, class, None)
    }

    /// In each arm; none where no row has a class.
    pub(crate) fn accuracies(&self, lessons: &Lessons, arms: &[Arm]) -> Result<Vec<Option<f64>>> {
        let settings = LearnSettings {
            learners: vec![self.name.to_owned()],
            arms: arms.to_vec(),
            schedule: Schedule::TestThenTrain,
            score: ScoreSettings::default(),
            seed: self.seed,
        };
        let learned = learn(lessons, &settings, None, &Progress::default())?;
        Ok(learned.iter().map(|one| one.whole.accuracy).collect())
    }
}
