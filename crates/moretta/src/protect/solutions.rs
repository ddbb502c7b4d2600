//! What a search over recodings has found, while it goes on and when it ends.

use std::sync::{Arc, Mutex, PoisonError};

/// One recoding that a search has looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The level of each quasi-identifier, or how often it is cut, in the order of
    /// [`Solutions::columns`].
    pub levels: Vec<usize>,
    /// Whether it keeps the promises.
    pub holds: bool,
    /// What is lost by it; none where it does not keep them.
    pub loss: Option<f64>,
    /// Rows that it suppresses.
    pub suppressed: u64,
    /// Classes that it keeps.
    pub classes: u64,
}

/// What a search over recodings has found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solutions {
    /// The quasi-identifiers.
    pub columns: Vec<String>,
    /// The top level of each, or the places where it can be cut.
    pub heights: Vec<usize>,
    /// Recodings are sets of cuts, not levels of hierarchies.
    pub of_cuts: bool,
    /// What was to be small, as a policy calls it.
    pub metric: &'static str,
    /// How many recodings there are.
    pub nodes: f64,
    /// How many were looked at.
    pub looked_at: u64,
    /// By which share less than the best one another could lose; 0 is proven.
    pub gap: f64,
    /// The best one first; then others that keep the promises, in the order of what they lose.
    pub best: Vec<Solution>,
    /// Recodings just below the best ones that do not keep them.
    pub below: Vec<Solution>,
}

/// By which share less than the best, if there is one, others could lose that lose at least `open`;
/// 0 is proven.
pub(super) fn gap(best: Option<f64>, open: f64) -> f64 {
    match best {
        Some(best) if best > 0.0 => ((best - open) / best).max(0.0),
        Some(_) => 0.0,
        None => 1.0,
    }
}

/// How a search goes, for a program that shows it. Clones are about the same search.
#[derive(Clone, Debug, Default)]
pub struct Trail(Arc<Mutex<Walked>>);

#[derive(Debug, Default)]
struct Walked {
    points: Vec<Solution>,
    looked_at: u64,
    gap: Option<f64>,
}

/// Points that are kept for programs that look later.
const MOST_POINTS: usize = 1 << 16;

impl Trail {
    /// Begins a new search.
    pub(super) fn begin(&self) {
        *self.walked() = Walked::default();
    }

    /// Adds a recoding that was looked at, and by which share less than the best one another
    /// could lose.
    pub(super) fn add(&self, point: Solution, gap: f64) {
        let mut walked = self.walked();
        walked.looked_at += 1;
        walked.gap = Some(gap);
        if walked.points.len() < MOST_POINTS {
            walked.points.push(point);
        }
    }

    /// The recodings that were looked at, in that order, without the first `from`.
    pub fn points(&self, from: usize) -> Vec<Solution> {
        let walked = self.walked();
        walked
            .points
            .get(from..)
            .map_or_else(Vec::new, <[_]>::to_vec)
    }

    /// How many recodings were looked at, and by which share less than the best one another could
    /// lose; none before the search.
    pub fn so_far(&self) -> Option<(u64, f64)> {
        let walked = self.walked();
        walked.gap.map(|gap| (walked.looked_at, gap))
    }

    fn walked(&self) -> std::sync::MutexGuard<'_, Walked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
