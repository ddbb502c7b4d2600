//! A learner on its way through a stream: which records test it, and which teach it.

use super::score::{Score, ScoreSettings};
use crate::data::Records;
use crate::error::{Error, Result};
use crate::learn::{Header, Learner, predicted};

/// Which records are tests and which are lessons.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// Each record is a test, then a lesson.
    #[default]
    TestThenTrain,
    /// Some records are tests only, the next ones lessons only, and so on.
    HoldOut {
        /// Records that only test.
        test: u64,
        /// Records that only teach.
        train: u64,
    },
    /// A chunk of records is a test, and then, as a whole, a lesson.
    Chunks {
        /// Records of a chunk. The more, the older what a test meets.
        size: usize,
    },
}

/// A learner, the records it still has to learn, and its score.
pub struct Trial {
    learner: Box<dyn Learner>,
    schedule: Schedule,
    score: Score,
    pushed: u64,
    classes: usize,
    votes: Vec<f64>,
    /// The open chunk.
    chunk: Records,
    lessons: Vec<u32>,
}

impl Trial {
    /// Begins with a learner that was built for `header`.
    pub fn new(
        learner: Box<dyn Learner>,
        header: &Header,
        schedule: Schedule,
        settings: &ScoreSettings,
    ) -> Result<Self> {
        if let Schedule::HoldOut { test: 0, .. } | Schedule::Chunks { size: 0 } = schedule {
            return Err(
                Error::usage("nothing would be tested").help("test with one record at least")
            );
        }
        Ok(Trial {
            learner,
            schedule,
            score: Score::new(header.classes(), settings)?,
            pushed: 0,
            classes: header.classes(),
            votes: Vec::new(),
            chunk: Records::new(header.attributes().len()),
            lessons: Vec::new(),
        })
    }

    /// One more record of this class.
    pub fn push(&mut self, record: &[f64], class: u32) {
        self.push_taught(record, class, class);
    }

    /// One more record of class `actual`, which the learner is told to be of class `taught`.
    pub fn push_taught(&mut self, record: &[f64], actual: u32, taught: u32) {
        let place = self.pushed;
        self.pushed += 1;
        match self.schedule {
            Schedule::TestThenTrain => {
                self.test(record, actual);
                self.learner.learn(record, taught);
            }
            Schedule::HoldOut { test, train } => match place % test.saturating_add(train) < test {
                true => self.test(record, actual),
                false => self.learner.learn(record, taught),
            },
            Schedule::Chunks { size } => {
                self.test(record, actual);
                self.chunk.push(record);
                self.lessons.push(taught);
                if self.lessons.len() == size {
                    self.learn_chunk();
                }
            }
        }
    }

    /// How the learner did.
    pub fn score(&self) -> &Score {
        &self.score
    }

    /// The learner as it is now.
    pub fn learner(&self) -> &dyn Learner {
        &*self.learner
    }

    fn test(&mut self, record: &[f64], actual: u32) {
        self.learner.predict(record, &mut self.votes);
        self.votes.truncate(self.classes);
        self.score.observe(actual, predicted(&self.votes));
    }

    fn learn_chunk(&mut self) {
        let width = self.chunk.width();
        for (place, &class) in self.lessons.iter().enumerate() {
            let record = match width {
                0 => &[][..],
                _ => self.chunk.record(place),
            };
            self.learner.learn(record, class);
        }
        self.chunk.clear();
        self.lessons.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::Input;

    /// Answers the class it was told last, and class 0 at first.
    #[derive(Default)]
    struct Parrot(u32);

    impl Learner for Parrot {
        fn predict(&self, _: &[f64], votes: &mut Vec<f64>) {
            votes.clear();
            votes.resize(4, 0.0);
            votes[self.0 as usize] = 1.0;
        }

        fn learn_weighted(&mut self, _: &[f64], class: u32, _: f64) {
            self.0 = class;
        }

        fn memory(&self) -> usize {
            0
        }
    }

    /// Shares of right answers, as results and how many of them are right.
    fn check(schedule: Schedule, classes: &[u32], expected: (u64, u64)) {
        let header = Header::new(vec![Input::Number], 4).expect("a header");
        let settings = ScoreSettings::default();
        let learner = Box::<Parrot>::default();
        let mut trial = Trial::new(learner, &header, schedule, &settings).expect("a trial");
        for &class in classes {
            trial.push(&[0.0], class);
        }
        let results = trial.score().results();
        let accuracy = trial.score().whole().accuracy.unwrap_or(0.0);
        let right = (accuracy * results as f64).round() as u64;
        assert_eq!((results, right), expected, "{schedule:?}");
    }

    #[test]
    fn schedules_test_and_teach_what_they_say() {
        let classes = [0, 1, 1, 2, 2, 2, 3, 3];
        check(Schedule::TestThenTrain, &classes, (8, 5));
        // Tests are 0, 1, 2, 3; the lessons before them nothing, 1, 2 and 2.
        check(Schedule::HoldOut { test: 1, train: 1 }, &classes, (4, 3));
        check(Schedule::HoldOut { test: 3, train: 0 }, &classes, (8, 1));
        // Chunks 0 1 1 | 2 2 2 | 3 3: the last lesson of each meets the next.
        check(Schedule::Chunks { size: 3 }, &classes, (8, 1));
        check(Schedule::Chunks { size: 1 }, &classes, (8, 5));
    }

    #[test]
    fn schedules_without_a_test_are_refused() {
        let header = Header::new(vec![], 2).expect("a header");
        for odd in [
            Schedule::HoldOut { test: 0, train: 5 },
            Schedule::Chunks { size: 0 },
        ] {
            let learner = Box::<Parrot>::default();
            assert!(Trial::new(learner, &header, odd, &ScoreSettings::default()).is_err());
        }
    }
}
