//! Everything that is told of the answers of one learner.

use super::blocks::Blocks;
use super::confusion::{Confusion, Figures, Outcome};
use super::fading::Fading;
use super::sliding::Sliding;
use super::timeline::{ScorePoint, Timeline};
use crate::error::{Error, Result};

/// How answers are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreSettings {
    /// The first results, which do not count: nothing was learnt by then.
    pub warm_up: u64,
    /// Results that "lately" means; more of them give a smoother curve.
    pub window: usize,
    /// What an older result counts beside the next one, above 0 and at most 1.
    pub fading: f64,
    /// Results of a block, over which the deviation is taken.
    pub block: u64,
}

impl Default for ScoreSettings {
    /// Everything counts; windows of 1000, α = 0.999, blocks of 100.
    fn default() -> Self {
        ScoreSettings {
            warm_up: 0,
            window: 1000,
            fading: 0.999,
            block: 100,
        }
    }
}

/// The answers of a learner so far.
#[derive(Clone, Debug)]
pub struct Score {
    warm_up: u64,
    results: u64,
    before: Option<u32>,
    whole: Confusion,
    sliding: Sliding,
    fading: Fading,
    blocks: Blocks,
    timeline: Timeline,
}

impl Score {
    /// No answers, of a learner of so many classes.
    pub fn new(classes: usize, settings: &ScoreSettings) -> Result<Self> {
        if settings.window == 0 || settings.block == 0 {
            return Err(Error::usage(
                "a window or block of no results tells nothing",
            ));
        }
        if !(settings.fading > 0.0 && settings.fading <= 1.0) {
            return Err(Error::usage("a fading factor is above 0 and at most 1"));
        }
        Ok(Score {
            warm_up: settings.warm_up,
            results: 0,
            before: None,
            whole: Confusion::new(classes),
            sliding: Sliding::new(classes, settings.window),
            fading: Fading::new(classes, settings.fading),
            blocks: Blocks::new(settings.block),
            timeline: Timeline::new(),
        })
    }

    /// One more answer; both classes are below the number of classes.
    pub fn observe(&mut self, actual: u32, predicted: u32) {
        let repeated = self.before.replace(actual) == Some(actual);
        self.results += 1;
        if self.results <= self.warm_up {
            return;
        }
        let outcome = Outcome {
            actual,
            predicted,
            repeated,
        };
        self.whole.add(outcome, 1.0);
        self.sliding.add(outcome);
        self.fading.add(outcome);
        self.blocks.add(actual == predicted);
        self.timeline
            .observe(self.results, self.sliding.confusion());
    }

    /// Answers so far, those left out included.
    pub fn results(&self) -> u64 {
        self.results
    }

    /// Answers that count: all but the warm-up.
    pub fn counted(&self) -> u64 {
        self.results.saturating_sub(self.warm_up)
    }

    /// Share of right answers among all that count.
    pub fn accuracy(&self) -> Option<f64> {
        self.whole.accuracy()
    }

    /// Over all results that count.
    pub fn whole(&self) -> Figures {
        self.whole.figures()
    }

    /// Over the last results.
    pub fn lately(&self) -> Figures {
        self.sliding.confusion().figures()
    }

    /// With older results counting less.
    pub fn faded(&self) -> Figures {
        self.fading.confusion().figures()
    }

    /// The sample deviation of accuracy over blocks.
    pub fn deviation(&self) -> Option<f64> {
        self.blocks.deviation()
    }

    /// How it went.
    pub fn points(&self) -> &[ScorePoint] {
        self.timeline.points()
    }
}

#[cfg(test)]
mod tests {
    use super::super::confusion::tests::{CLASSES, any_answers, close, outcomes, reference};
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_first_results_are_left_out_of_everything(
            answers in any_answers(), warm_up in 0..40_usize,
        ) {
            let settings = ScoreSettings { warm_up: warm_up as u64, window: 20, ..ScoreSettings::default() };
            let mut score = Score::new(CLASSES as usize, &settings).expect("sound settings");
            answers.iter().for_each(|&(actual, predicted)| score.observe(actual, predicted));
            let all = outcomes(&answers);
            let counted = &all[warm_up.min(all.len())..];
            prop_assert!(close(&score.whole(), &reference(counted, |_| 1.0)));
            let last = &counted[counted.len().saturating_sub(20)..];
            prop_assert!(close(&score.lately(), &reference(last, |_| 1.0)));
            prop_assert_eq!(score.results(), answers.len() as u64);
        }
    }

    #[test]
    fn settings_that_mean_nothing_are_refused() {
        let sound = ScoreSettings::default();
        for odd in [
            ScoreSettings { window: 0, ..sound },
            ScoreSettings { block: 0, ..sound },
            ScoreSettings {
                fading: 0.0,
                ..sound
            },
            ScoreSettings {
                fading: 1.5,
                ..sound
            },
            ScoreSettings {
                fading: f64::NAN,
                ..sound
            },
        ] {
            let error = Score::new(2, &odd).expect_err("odd settings");
            assert_eq!(error.exit_code(), 2);
        }
    }
}
