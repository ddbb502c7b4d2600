//! How well one learner does on what is released, and on what it was.

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
    let [accuracy] = pupil.accuracies([Side::Protected], policy, original, released)?;
    accuracy
        .ok_or_else(|| Error::input("no released row has a class to learn").help("take more rows"))
}

impl Pupil<'_> {
    /// On each side; none where no row has a class.
    pub(super) fn accuracies<const N: usize>(
        &self,
        sides: [Side; N],
        policy: &Policy,
        original: &Original,
        released: Batch,
    ) -> Result<[Option<f64>; N]> {
        let class = class_of(original.batch.schema(), self.class)?;
        let lessons = lessons_of_release(policy, original, released, class, None)?;
        let settings = LearnSettings {
            learners: vec![self.name.to_owned()],
            sides: sides.to_vec(),
            schedule: Schedule::TestThenTrain,
            score: ScoreSettings::default(),
            seed: self.seed,
        };
        let learned = learn(&lessons, &settings, None)?;
        let accuracy = |side| {
            let learned = learned.iter().find(|learned| learned.side == side)?;
            learned.whole.accuracy
        };
        Ok(sides.map(accuracy))
    }
}
