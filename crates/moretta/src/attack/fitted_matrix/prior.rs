//! What an attacker knows of the matrix before looking at other records: how it is
//! drawn, and what it did to the known ones.
//!
//! Entries are independent normals of variances D, and noise is normal with the
//! covariances C. So each column of the matrix is normal given the known records:
//! with A = D^½·Xᵀ·C⁻¹·X·D^½ its covariance is D^½·(1 + A)⁻¹·D^½, and its mean that
//! times Xᵀ·C⁻¹·y. A column is its mean plus a base of that covariance times standard
//! normals, and these are what is left to be found.

use crate::math::cholesky::Cholesky;
use crate::math::eigen::Eigen;
use crate::math::matrix::Matrix;

/// Noise that is always there, over the size of what is released: rounding.
const ROUNDING: f64 = 1e-10;

/// What is left of a variance below this share is nothing: known records tell that much.
const FLAT: f64 = 1e-7;

/// The matrix as far as it is known.
pub(super) struct Prior {
    /// What is expected of it, m × k.
    mean: Matrix,
    /// What is not known: m × q.
    base: Matrix,
    /// Gives the q numbers back that the base made a column of: q × m.
    back: Matrix,
}

impl Prior {
    /// Of a matrix whose entries have these variances by row, and that took the known
    /// inputs, one a row, to the outputs, with noise of these covariances.
    pub(super) fn new(
        variances: &[f64],
        inputs: &Matrix,
        outputs: &Matrix,
        noise: impl Fn(usize, usize) -> f64,
    ) -> Self {
        let (m, p) = (variances.len(), inputs.rows());
        let scaled = Matrix::new(p, m, |i, j| inputs.at(i, j) * variances[j].sqrt());
        let squares = scaled.values().iter().map(|value| value * value);
        let scale = squares.fold(f64::MIN_POSITIVE, f64::max);
        let mut factor = Cholesky::new(p);
        factor.factor(|i, j| {
            let rounding = if i == j { ROUNDING * scale } else { 0.0 };
            noise(i, j) + rounding
        });
        let across = scaled.transposed();
        let told = across.times(&scaled.clone().solved(&factor));
        let eigen = Eigen::new(m, |i, j| told.at(i, j));
        let left = |told: f64| 1.0 / (1.0 + told.max(0.0));
        let shrink = Matrix::of_values(m, eigen.map(left));
        let mean = shrink.times(&across.times(&outputs.clone().solved(&factor)));
        let deviation = |row: usize| variances[row].sqrt();
        // Eigenvalues come in descending order: what the records tell most of is first.
        let open: Vec<usize> = (0..m)
            .filter(|&place| left(eigen.values[place]) > FLAT)
            .collect();
        let size = |place: usize| left(eigen.values[place]).sqrt();
        Prior {
            mean: Matrix::new(m, outputs.columns(), |i, j| deviation(i) * mean.at(i, j)),
            base: Matrix::new(m, open.len(), |i, j| {
                deviation(i) * eigen.vector(open[j])[i] * size(open[j])
            }),
            back: Matrix::new(open.len(), m, |i, j| {
                eigen.vector(open[i])[j] / (deviation(j) * size(open[i]))
            }),
        }
    }

    /// Numbers that are to be found.
    pub(super) fn unknowns(&self) -> usize {
        self.base.columns() * self.mean.columns()
    }

    /// The matrix at a point of these numbers.
    pub(super) fn matrix(&self, point: &[f64]) -> Matrix {
        let mut matrix = self.mean.clone();
        let point = Matrix::of_values(matrix.columns(), point.to_vec());
        matrix.add(1.0, &self.base.times(&point));
        matrix
    }

    /// The numbers of which the matrix is nearest to this one.
    pub(super) fn point(&self, matrix: &Matrix) -> Vec<f64> {
        let mut rest = matrix.clone();
        rest.add(-1.0, &self.mean);
        self.back.times(&rest).values().to_vec()
    }

    /// Puts the slope at a point into `gradient`, from that by entries of the matrix,
    /// and gives the logarithm of the density of the point.
    pub(super) fn slope(&self, point: &[f64], by_entry: &Matrix, gradient: &mut [f64]) -> f64 {
        let slopes = self.base.transposed().times(by_entry);
        let slopes = slopes.values().iter().zip(point);
        for (gradient, (slope, x)) in gradient.iter_mut().zip(slopes) {
            *gradient = slope - x;
        }
        -0.5 * point.iter().map(|x| x * x).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prior(known: usize, noise: f64) -> (Prior, Matrix, Matrix) {
        let matrix = Matrix::new(3, 2, |i, j| (i as f64 - 1.3) * (j as f64 + 0.4));
        let inputs = Matrix::new(known, 3, |i, j| ((3 * i + 5 * j) % 7) as f64 / 7.0);
        let outputs = inputs.times(&matrix);
        let noise = |i, j| if i == j { noise } else { 0.0 };
        let prior = Prior::new(&[0.5; 3], &inputs, &outputs, noise);
        (prior, inputs, outputs)
    }

    #[test]
    fn each_known_record_without_noise_takes_a_row_of_unknowns_off() {
        for (known, unknowns) in [(0, 6), (1, 4), (2, 2), (3, 0), (5, 0)] {
            let (prior, inputs, outputs) = prior(known, 0.0);
            assert_eq!(prior.unknowns(), unknowns, "{known}");
            // Whatever the rest is, known records become what they became.
            let matrix = prior.matrix(&vec![0.7; unknowns]);
            let again = inputs.times(&matrix);
            for (found, expected) in again.values().iter().zip(outputs.values()) {
                assert!((found - expected).abs() < 1e-4, "{found} {expected}");
            }
        }
    }

    #[test]
    fn the_point_of_a_matrix_gives_it_back() {
        let (prior, ..) = prior(1, 0.0);
        let point = [0.3, -1.0, 2.0, 0.5];
        let again = prior.point(&prior.matrix(&point));
        for (found, expected) in again.iter().zip(point) {
            assert!((found - expected).abs() < 1e-6, "{again:?}");
        }
    }

    #[test]
    fn known_records_with_noise_tell_less() {
        let (prior, ..) = prior(3, 0.1);
        assert_eq!(prior.unknowns(), 6);
        let drawn = |x: f64| prior.matrix(&[x; 6]);
        let mut moved = drawn(1.0);
        moved.add(-1.0, &drawn(0.0));
        assert!(moved.values().iter().any(|value| value.abs() > 0.05));
    }
}
