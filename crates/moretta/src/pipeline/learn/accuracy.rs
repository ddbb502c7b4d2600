//! How well one learner does on what is released.

use super::lessons::{Side, class_of, lessons_of_release};
use super::trials::{LearnSettings, learn};
use crate::data::Batch;
use crate::error::{Error, Result};
use crate::learn::prequential::{Schedule, ScoreSettings};
use crate::pipeline::read::Original;
use crate::policy::Policy;

/// A learner and what it predicts.
pub(in crate::pipeline) struct Pupil<'a> {
    /// One of [`crate::learn::LEARNERS`].
    pub(in crate::pipeline) name: &'a str,
    /// The class; none for the column with that role.
    pub(in crate::pipeline) class: Option<&'a str>,
    /// For random numbers.
    pub(in crate::pipeline) seed: u64,
}

/// The accuracy of a learner that is tested with each released row before it learns
/// it, all rows in the order of the source.
pub(in crate::pipeline) fn accuracy_of_release(
    policy: &Policy,
    original: &Original,
    released: Batch,
    pupil: &Pupil<'_>,
) -> Result<f64> {
    let class = class_of(original.batch.schema(), pupil.class)?;
    let lessons = lessons_of_release(policy, original, released, class, None)?;
    let settings = LearnSettings {
        learners: vec![pupil.name.to_owned()],
        sides: vec![Side::Protected],
        schedule: Schedule::TestThenTrain,
        score: ScoreSettings::default(),
        seed: pupil.seed,
    };
    let learned = learn(&lessons, &settings, None)?;
    let accuracy = learned.first().and_then(|learned| learned.whole.accuracy);
    accuracy
        .ok_or_else(|| Error::input("no released row has a class to learn").help("take more rows"))
}
