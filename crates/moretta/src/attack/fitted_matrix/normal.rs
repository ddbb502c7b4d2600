//! How well a matrix fits if records of each class are normal: means and covariances
//! of the sample become those of the release.

use super::population::Class;
use super::prior::Prior;
use super::spread::Spread;
use crate::math::matrix::Matrix;
use crate::math::optimize::Objective;

/// The logarithm of the density of the released moments.
pub(super) struct Normal<'a> {
    pub(super) prior: &'a Prior,
    pub(super) classes: &'a [Class],
    /// Variance of the noise on a released number.
    pub(super) noise: f64,
    /// Variance that is added to both sides, which smooths the way to the maximum.
    pub(super) smoothing: f64,
}

impl Normal<'_> {
    /// None where the density is not defined.
    fn class(&self, matrix: &Matrix, class: &Class, slopes: &mut Matrix) -> Option<f64> {
        let k = matrix.columns();
        let noise = Matrix::diagonal(k, self.noise + self.smoothing);
        let spread = Spread::new(matrix, &class.covariance, &noise)?;
        let mut apart = class.released.means().to_vec();
        for (&mean, row) in class.mean.iter().zip(matrix.iter()) {
            let parts = apart.iter_mut().zip(row);
            parts.for_each(|(apart, weight)| *apart -= mean * weight);
        }
        let scatter = Matrix::new(k, k, |i, j| {
            let smoothing = if i == j { self.smoothing } else { 0.0 };
            class.released.covariance(i, j) + smoothing + apart[i] * apart[j]
        });
        let relative = spread.inverse.times(&scatter);
        let trace: f64 = (0..k).map(|i| relative.at(i, i)).sum();
        let mut by_spread = relative.times(&spread.inverse);
        by_spread.add(-1.0, &spread.inverse);
        let by_spread = Matrix::new(k, k, |i, j| 0.5 * class.weight * by_spread.at(i, j));
        spread.add_slope(&by_spread, slopes);
        let pull = Matrix::of_values(1, apart).solved(&spread.factor);
        for (place, &mean) in class.mean.iter().enumerate() {
            let slopes = slopes.row_mut(place).iter_mut().zip(pull.values());
            slopes.for_each(|(slope, pull)| *slope += class.weight * mean * pull);
        }
        Some(-0.5 * class.weight * (spread.factor.log_determinant() + trace))
    }
}

impl Objective for Normal<'_> {
    fn value(&mut self, point: &[f64]) -> f64 {
        self.gradient(point, &mut vec![0.0; point.len()])
    }

    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> f64 {
        let matrix = self.prior.matrix(point);
        let mut slopes = Matrix::zeros(matrix.rows(), matrix.columns());
        let mut value = 0.0;
        for class in self.classes {
            match self.class(&matrix, class, &mut slopes) {
                Some(part) => value += part,
                None => return f64::NEG_INFINITY,
            }
        }
        value + self.prior.slope(point, &slopes, gradient)
    }
}
