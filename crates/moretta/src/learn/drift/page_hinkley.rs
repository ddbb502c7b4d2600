//! Page-Hinkley: the mean of a stream has risen.
//!
//! It sums x − x̄ − δ, forgetting by a factor α, and tells a drift when the sum is more
//! than λ above its least; then it starts afresh. Only rises are seen. Constant time
//! and memory. E. S. Page, "Continuous Inspection Schemes", Biometrika 1954; with
//! MOA's defaults.

use super::super::model::saved;
use super::{Detector, Signal};

/// The options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageHinkley {
    /// Values before anything is told.
    pub least: u64,
    /// Rises of the mean up to this are tolerated.
    pub delta: f64,
    /// The threshold λ: greater ones see fewer and later drifts.
    pub lambda: f64,
    /// What remains of the sum after a value.
    pub alpha: f64,
}

impl Default for PageHinkley {
    fn default() -> Self {
        PageHinkley {
            least: 30,
            delta: 0.005,
            lambda: 50.0,
            alpha: 0.9999,
        }
    }
}

impl PageHinkley {
    /// A detector that saw nothing yet.
    pub fn build(self) -> PageHinkleyDetector {
        PageHinkleyDetector {
            options: self,
            count: 0,
            mean: 0.0,
            sum: 0.0,
            least: f64::MAX,
        }
    }
}

/// Watches any numbers.
#[derive(Clone, Debug)]
pub struct PageHinkleyDetector {
    options: PageHinkley,
    count: u64,
    mean: f64,
    sum: f64,
    least: f64,
}

// All but the options, which are the usual ones.
saved!(
    struct PageHinkleyDetector { count, mean, sum, least, ..PageHinkley::default().build() }
);

impl Detector for PageHinkleyDetector {
    fn update(&mut self, value: f64) -> Signal {
        if !value.is_finite() {
            return Signal::None;
        }
        self.count += 1;
        self.mean += (value - self.mean) / self.count as f64;
        self.sum = self.options.alpha * self.sum + (value - self.mean - self.options.delta);
        self.least = self.least.min(self.sum);
        let risen = self.sum - self.least > self.options.lambda;
        if self.count + 1 < self.options.least || !risen {
            return Signal::None;
        }
        *self = self.options.build();
        Signal::Drift
    }

    fn memory(&self) -> usize {
        size_of::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rise_is_seen_once_and_a_fall_never() {
        let check = |from: f64, to: f64, expected: usize| {
            let mut detector = PageHinkley::default().build();
            let stream = (0..1000).map(|at| if at < 500 { from } else { to });
            let drifts = stream.filter(|&value| detector.update(value) == Signal::Drift);
            assert_eq!(drifts.count(), expected, "{from} to {to}");
        };
        check(0.1, 0.6, 1);
        check(0.6, 0.1, 0);
        check(0.3, 0.3, 0);
    }
}
