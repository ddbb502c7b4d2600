//! EDDM: errors of a learner come closer together.
//!
//! With m and s the mean and the deviation of the distance between errors since the
//! last drift, it compares m + 2s with the greatest it was: below 95 % it warns, below
//! 90 % it tells a drift and starts afresh; never before 30 errors. Better than DDM on
//! slow changes, worse on noise. Constant time and memory. M. Baena-García et al.,
//! "Early Drift Detection Method", 2006; with MOA's constants.

use super::super::model::saved;
use super::{Detector, Signal};

const DRIFT: f64 = 0.9;
const WARNING: f64 = 0.95;
const LEAST: u64 = 30;

/// Watches errors: a value of at least one half is an error.
#[derive(Clone, Debug, Default)]
pub struct Eddm {
    count: u64,
    errors: u64,
    last_error: u64,
    mean: f64,
    squares: f64,
    greatest: f64,
}

impl Eddm {
    /// Compares the distances between errors with the greatest so far.
    fn judge(&mut self) -> Signal {
        let level = self.mean + 2.0 * (self.squares / self.errors as f64).sqrt();
        if self.count < LEAST {
            return Signal::None;
        }
        if level > self.greatest {
            self.greatest = level;
            return Signal::None;
        }
        let ratio = level / self.greatest;
        if self.errors <= LEAST || ratio >= WARNING {
            return Signal::None;
        }
        if ratio >= DRIFT {
            return Signal::Warning;
        }
        *self = Eddm::default();
        Signal::Drift
    }
}

saved!(
    struct Eddm { count, errors, last_error, mean, squares, greatest }
    if |eddm| eddm.last_error <= eddm.count, else "an error that comes later than all errors"
);

impl Detector for Eddm {
    fn update(&mut self, value: f64) -> Signal {
        if !value.is_finite() {
            return Signal::None;
        }
        self.count += 1;
        if value < 0.5 {
            return Signal::None;
        }
        self.errors += 1;
        let distance = (self.count - self.last_error) as f64;
        self.last_error = self.count;
        let before = distance - self.mean;
        self.mean += before / self.errors as f64;
        self.squares += before * (distance - self.mean);
        self.judge()
    }

    fn memory(&self) -> usize {
        size_of::<Self>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_twice_as_dense_are_a_drift_and_as_dense_as_before_are_none() {
        let mut eddm = Eddm::default();
        for at in 0..1000 {
            assert_eq!(
                eddm.update(f64::from(at % 10 == 9)),
                Signal::None,
                "at {at}"
            );
        }
        let signals: Vec<Signal> = (0..1500)
            .map(|at| eddm.update(f64::from(at % 5 == 4)))
            .collect();
        assert!(signals.contains(&Signal::Warning) && signals.contains(&Signal::Drift));
        let sparse: Vec<Signal> = (0..400)
            .map(|at| eddm.update(f64::from(at % 40 == 39)))
            .collect();
        assert!(!sparse.contains(&Signal::Drift));
    }
}
