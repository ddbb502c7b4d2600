//! A learner on its way through a stream: which records test it, and which teach it.

use super::score::{Score, ScoreSettings};
use crate::data::Records;
use crate::error::{Error, Result};
use crate::learn::{Header, Learner, predicted};
use std::ops::Range;

/// Records that a learner is given at once, at most: enough to keep all threads busy.
const MOST_RECORDS: usize = 1024;

/// Votes that are kept for records given at once, where there are many classes.
const MOST_VOTES: usize = 1 << 16;

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
        self.push_tested(record, record, actual, taught);
    }

    /// One more record of class `actual`, which the learner is tested with as `exam` and
    /// learns as `lesson`, of class `taught`.
    pub fn push_tested(&mut self, exam: &[f64], lesson: &[f64], actual: u32, taught: u32) {
        let place = self.pushed;
        self.pushed += 1;
        match self.schedule {
            Schedule::TestThenTrain => {
                self.test(exam, actual);
                self.learner.learn(lesson, taught);
            }
            Schedule::HoldOut { test, train } => match place % test.saturating_add(train) < test {
                true => self.test(exam, actual),
                false => self.learner.learn(lesson, taught),
            },
            Schedule::Chunks { size } => {
                self.test(exam, actual);
                self.chunk.push(lesson);
                self.lessons.push(taught);
                if self.lessons.len() == size {
                    self.learn_chunk();
                }
            }
        }
    }

    /// More records, as if they were pushed one by one: of these classes, but taught as of
    /// those. Under test-then-train a forest goes through them on all threads.
    pub fn push_all(&mut self, records: &Records, actual: &[u32], taught: &[u32]) {
        self.push_part(records, actual, taught, 0..actual.len());
    }

    /// The same with a part of the records.
    pub fn push_part(
        &mut self,
        records: &Records,
        actual: &[u32],
        taught: &[u32],
        part: Range<usize>,
    ) {
        if self.schedule != Schedule::TestThenTrain || records.width() == 0 {
            for place in part {
                self.push_taught(record(records, place), actual[place], taught[place]);
            }
            return;
        }
        let size = (MOST_VOTES / self.classes).clamp(1, MOST_RECORDS);
        for start in part.clone().step_by(size) {
            let rows = start..(start + size).min(part.end);
            self.chunk.clear();
            self.chunk.extend_from(records, rows.clone());
            self.test_then_train(&actual[rows.clone()], &taught[rows]);
        }
        self.chunk.clear();
    }

    /// A part of more records, each tested with one of `exams` and learnt as one of `lessons`,
    /// as if they were pushed one by one.
    pub fn push_part_tested(
        &mut self,
        [exams, lessons]: [&Records; 2],
        actual: &[u32],
        taught: &[u32],
        part: Range<usize>,
    ) {
        for place in part {
            let (exam, lesson) = (record(exams, place), record(lessons, place));
            self.push_tested(exam, lesson, actual[place], taught[place]);
        }
    }

    /// Lets the learner learn what is left of an open chunk.
    pub fn finish(&mut self) {
        self.learn_chunk();
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

    /// Tests with the open chunk and learns it, record by record.
    fn test_then_train(&mut self, actual: &[u32], taught: &[u32]) {
        self.learner
            .predict_then_learn(&self.chunk, taught, &mut self.votes);
        self.pushed += actual.len() as u64;
        for (votes, &actual) in self.votes.chunks_exact(self.classes).zip(actual) {
            self.score.observe(actual, predicted(votes));
        }
    }

    fn learn_chunk(&mut self) {
        for (place, &class) in self.lessons.iter().enumerate() {
            self.learner.learn(record(&self.chunk, place), class);
        }
        self.chunk.clear();
        self.lessons.clear();
    }
}

/// A record, which may be of no width.
fn record(records: &Records, place: usize) -> &[f64] {
    match records.width() {
        0 => &[],
        _ => records.record(place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::{Input, LEARNERS, build};

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
    fn many_at_once_are_judged_as_one_by_one() {
        let attributes = vec![Input::Number, Input::Nominal { values: 3 }];
        let header = Header::new(attributes, 3).expect("a header");
        let (mut records, mut actual, mut taught) = (Records::new(2), Vec::new(), Vec::new());
        for n in 0..2500_u32 {
            let x = n * 37 % 101;
            records.push(&[f64::from(x), f64::from(n % 3)]);
            actual.push(u32::from(x > 50) + u32::from(n % 3 == 2));
            // Some are taught as of a class that there is not.
            taught.push(if n % 50 == 49 { 9 } else { actual[n as usize] });
        }
        for info in LEARNERS {
            for schedule in [
                Schedule::TestThenTrain,
                Schedule::HoldOut { test: 1, train: 2 },
                Schedule::Chunks { size: 900 },
            ] {
                let trial = || {
                    let learner = build(info.name, &header, 7).expect("listed");
                    let settings = ScoreSettings::default();
                    Trial::new(learner, &header, schedule, &settings).expect("a trial")
                };
                let (mut alone, mut together) = (trial(), trial());
                for (place, record) in records.iter().enumerate() {
                    alone.push_taught(record, actual[place], taught[place]);
                }
                together.push_all(&records, &actual, &taught);
                let name = info.name;
                assert_eq!(alone.score().whole(), together.score().whole(), "{name}");
                assert_eq!(alone.score().points(), together.score().points(), "{name}");
            }
        }
    }

    #[test]
    fn the_rest_of_a_chunk_is_learnt_in_the_end() {
        let header = Header::new(vec![], 4).expect("a header");
        let settings = ScoreSettings::default();
        let schedule = Schedule::Chunks { size: 10 };
        let mut trial =
            Trial::new(Box::<Parrot>::default(), &header, schedule, &settings).expect("a trial");
        trial.push_all(&Records::new(0), &[1, 2, 3], &[1, 2, 3]);
        let said = |trial: &Trial| {
            let mut votes = Vec::new();
            trial.learner().predict(&[], &mut votes);
            predicted(&votes)
        };
        assert_eq!(said(&trial), 0);
        trial.finish();
        assert_eq!((said(&trial), trial.score().results()), (3, 3));
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
