//! How far released records of a class scatter for a given matrix: M = Wᵀ·H·W + C.

use crate::math::cholesky::Cholesky;
use crate::math::matrix::Matrix;

/// M with what is needed of it.
pub(super) struct Spread {
    /// H·W.
    pub(super) weighted: Matrix,
    /// Of M.
    pub(super) factor: Cholesky,
    pub(super) inverse: Matrix,
}

impl Spread {
    /// Of records of this covariance, with this noise on what the matrix makes of them;
    /// none where it has no spread in some direction.
    pub(super) fn new(matrix: &Matrix, covariance: &Matrix, noise: &Matrix) -> Option<Self> {
        let k = matrix.columns();
        let weighted = covariance.times(matrix);
        let mut spread = matrix.transposed().times(&weighted);
        spread.add(1.0, noise);
        let mut factor = Cholesky::new(k);
        factor.factor(|i, j| spread.at(i, j));
        factor.is_definite().then(|| Spread {
            inverse: Matrix::diagonal(k, 1.0).solved(&factor),
            weighted,
            factor,
        })
    }

    /// Adds to slopes by entries of the matrix what follows from that by entries of M.
    pub(super) fn add_slope(&self, by_spread: &Matrix, slopes: &mut Matrix) {
        slopes.add(2.0, &self.weighted.times(by_spread));
    }

    /// The record, as independent numbers of variance 1.
    pub(super) fn whiten(&self, record: &mut [f64]) {
        self.factor.solve_lower(record, 1);
    }
}
