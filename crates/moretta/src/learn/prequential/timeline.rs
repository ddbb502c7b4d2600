//! How a learner did over time, in no more than [`MOST`] points.
//!
//! Every step-th result a point is taken; when there are too many, every other one
//! is dropped and the step doubles, so points depend on the results alone.

use super::confusion::Confusion;
use serde::{Deserialize, Serialize};

/// Points that are kept; even, so that the last one stays when every other is dropped.
const MOST: usize = 200;

/// Results between the first points.
const STEP: u64 = 50;

/// How a learner did lately, after so many results.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct ScorePoint {
    /// Results so far, those left out included.
    pub results: u64,
    /// Share of right answers in the window.
    pub accuracy: Option<f64>,
    /// Better than chance, in the window.
    pub kappa: Option<f64>,
}

/// Points over the results.
#[derive(Clone, Debug)]
pub(super) struct Timeline {
    points: Vec<ScorePoint>,
    step: u64,
}

impl Timeline {
    pub(super) fn new() -> Self {
        Timeline {
            points: Vec::new(),
            step: STEP,
        }
    }

    /// Takes a point if it is time for one.
    #[inline]
    pub(super) fn observe(&mut self, results: u64, window: &Confusion) {
        if !results.is_multiple_of(self.step) {
            return;
        }
        self.points.push(ScorePoint {
            results,
            accuracy: window.accuracy(),
            kappa: window.kappa(),
        });
        if self.points.len() > MOST {
            self.step *= 2;
            let step = self.step;
            self.points
                .retain(|point| point.results.is_multiple_of(step));
        }
    }

    pub(super) fn points(&self) -> &[ScorePoint] {
        &self.points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_evenly_spaced_and_bounded_however_long_the_stream() {
        for results in [0_u64, 49, 50, 10_000, 10_001, 10_050, 123_456] {
            let mut timeline = Timeline::new();
            for n in 1..=results {
                timeline.observe(n, &Confusion::new(1));
            }
            let points = timeline.points();
            assert!(points.len() <= MOST, "{}", points.len());
            assert!(points.len() >= (results / STEP).min(MOST as u64 / 2) as usize);
            for (n, point) in (1..).zip(points) {
                assert_eq!(point.results, n * timeline.step);
            }
        }
    }
}
