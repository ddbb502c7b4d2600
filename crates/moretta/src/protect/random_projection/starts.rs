//! The records with which the random walk of cumulative noise starts anew.

use super::drift::Watch;
use super::{RandomProjection, Reset};

/// Tells which records they are; asked for each record in order.
pub(super) struct Starts {
    /// Records since the last start.
    steps: u64,
    /// Records after which it starts anew.
    reset: Option<u64>,
    /// What it starts anew for.
    watch: Option<Watch>,
}

impl Starts {
    /// For records of `width` features.
    pub(super) fn new(config: &RandomProjection, width: usize) -> Self {
        Starts {
            steps: 0,
            reset: match config.reset {
                Some(Reset::Rows(rows)) => Some(rows),
                _ => None,
            },
            watch: match config.reset {
                Some(Reset::Drift { delta }) => Some(Watch::new(width, delta)),
                _ => None,
            },
        }
    }

    /// Whether the walk starts with the next record, which has these features.
    pub(super) fn with(&mut self, features: &[f64]) -> bool {
        let watch = self.watch.as_mut();
        let drifted = watch.is_some_and(|watch| watch.sees_drift(features));
        if drifted || self.reset == Some(self.steps) {
            self.steps = 0;
        }
        self.steps += 1;
        self.steps == 1
    }
}
