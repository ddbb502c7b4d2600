//! A normal distribution, estimated from weighted values one by one.

use super::model::saved;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Squares of values beyond this overflow.
const GREATEST: f64 = 1e150;

/// Whether a value can be observed: one that is missing, or out of all measure, says nothing.
#[inline]
pub(super) fn is_observable(value: f64) -> bool {
    value.abs() < GREATEST
}

/// Moments and extremes of the values; what the density needs is kept up to date, since
/// it is asked for more often than values come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gaussian {
    weight: f64,
    mean: f64,
    squares: f64,
    least: f64,
    greatest: f64,
    /// 1/(2σ²).
    steepness: f64,
    /// 1/(σ√(2π)), the density at the mean.
    height: f64,
}

saved!(
    struct Gaussian { weight, mean, squares, least, greatest, ..Gaussian::EMPTY }
    then |mut gaussian| {
        if gaussian.least <= gaussian.greatest {
            gaussian.shape();
        }
        gaussian
    }
);

impl Gaussian {
    pub(super) const EMPTY: Gaussian = Gaussian {
        weight: 0.0,
        mean: 0.0,
        squares: 0.0,
        least: f64::INFINITY,
        greatest: f64::NEG_INFINITY,
        steepness: f64::MAX,
        height: 0.0,
    };

    /// Takes a value that [is observable](is_observable).
    #[inline]
    pub(super) fn add(&mut self, value: f64, weight: f64) {
        if self.weight == 0.0 {
            // Without rounding, so that equal values have no variance whatever their weight.
            self.mean = value;
        }
        self.weight += weight;
        let before = value - self.mean;
        self.mean += weight * before / self.weight;
        self.squares += weight * before * (value - self.mean);
        self.least = self.least.min(value);
        self.greatest = self.greatest.max(value);
        self.shape();
    }

    /// What the density needs, from the moments of some values.
    #[inline]
    fn shape(&mut self) {
        let variance = self.squares / (self.weight - 1.0);
        if self.weight > 1.0 && variance > 0.0 {
            let inverse = 0.5 / variance;
            self.steepness = inverse.min(f64::MAX);
            self.height = (inverse / PI).sqrt();
        } else {
            // All values were the same: the density is 1 there and 0 elsewhere.
            self.steepness = f64::MAX;
            self.height = 1.0;
        }
    }

    pub(super) fn weight(&self) -> f64 {
        self.weight
    }

    /// The least and the greatest value.
    pub(super) fn range(&self) -> (f64, f64) {
        (self.least, self.greatest)
    }

    /// The density is `height * exp(-exponent)`; of a product of densities only one
    /// exponential is taken.
    #[inline]
    pub(super) fn exponent(&self, value: f64) -> f64 {
        let difference = value - self.mean;
        difference * difference * self.steepness
    }

    /// The density at the mean, 0 without values.
    #[inline]
    pub(super) fn height(&self) -> f64 {
        self.height
    }

    /// The weight estimated to lie at or below `point`, and above it.
    pub(super) fn divide(&self, point: f64) -> (f64, f64) {
        if point < self.least {
            return (0.0, self.weight);
        }
        if point >= self.greatest {
            return (self.weight, 0.0);
        }
        let score = (point - self.mean) * (2.0 * self.steepness).sqrt();
        let below = normal_probability(score) * self.weight;
        (below, self.weight - below)
    }
}

/// The probability that a standard normal variable is at most `score`.
fn normal_probability(score: f64) -> f64 {
    0.5 * libm::erfc(-score * FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaussian(values: &[(f64, f64)]) -> Gaussian {
        let mut gaussian = Gaussian::EMPTY;
        for &(value, weight) in values {
            gaussian.add(value, weight);
        }
        gaussian
    }

    fn density(gaussian: &Gaussian, value: f64) -> f64 {
        gaussian.height() * (-gaussian.exponent(value)).exp()
    }

    #[test]
    fn weights_count_as_repetitions() {
        let weighted = gaussian(&[(1.0, 2.0), (4.0, 3.0)]);
        let repeated = gaussian(&[(1.0, 1.0), (1.0, 1.0), (4.0, 1.0), (4.0, 1.0), (4.0, 1.0)]);
        assert!((weighted.mean - 2.8).abs() < 1e-12);
        assert!((weighted.squares - 10.8).abs() < 1e-12);
        assert!((density(&weighted, 2.0) - density(&repeated, 2.0)).abs() < 1e-12);
    }

    #[test]
    fn densities_are_those_of_the_formula() {
        let two = gaussian(&[(-1.0, 1.0), (1.0, 1.0)]);
        let variance = 2.0f64;
        let expected = (-1.0 / (2.0 * variance)).exp() / (2.0 * PI * variance).sqrt();
        assert!((density(&two, 1.0) - expected).abs() < 1e-12);
        for weight in [1.0, 3.0, 5.0, 7.0] {
            let equal = gaussian(&[(0.1, weight), (0.1, 6.0)]);
            assert_eq!((density(&equal, 0.1), density(&equal, 0.3)), (1.0, 0.0));
        }
        assert_eq!(density(&Gaussian::EMPTY, 0.0), 0.0);
    }

    #[test]
    fn divided_weights_add_up() {
        let values = gaussian(&[(0.0, 10.0), (1.0, 20.0), (2.0, 10.0)]);
        assert_eq!(values.divide(-0.1), (0.0, 40.0));
        assert_eq!(values.divide(2.0), (40.0, 0.0));
        let (below, above) = values.divide(1.0);
        assert!((below - 20.0).abs() < 1e-9 && (above - 20.0).abs() < 1e-9);
        let (below, above) = values.divide(0.5);
        assert!(below < 20.0 && (below + above - 40.0).abs() < 1e-9);
    }
}
