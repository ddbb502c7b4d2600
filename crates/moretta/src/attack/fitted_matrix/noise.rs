//! What known records tell of the noise on others: a random walk has not gone far
//! between rows that are near each other.

use crate::attack::reconstruction::Blur;
use crate::math::cholesky::Cholesky;
use crate::math::matrix::{Matrix, times};

/// Levels of variance that are told apart.
const LEVELS: usize = 8;

/// The noise on all rows, given that on the known ones.
pub(super) struct Conditional<'a> {
    blur: Blur<'a>,
    rows: &'a [u64],
    factor: Cholesky,
    /// Weights of the covariances with the known rows, p × k.
    weights: Matrix,
}

/// How much noise is left on rows: the level of each.
pub(super) struct Levels {
    pub(super) variances: Vec<f64>,
    pub(super) places: Vec<usize>,
}

impl<'a> Conditional<'a> {
    /// Known records tell of the noise by what the matrix makes of them.
    pub(super) fn new(
        blur: Blur<'a>,
        rows: &'a [u64],
        inputs: &Matrix,
        outputs: &Matrix,
        matrix: &Matrix,
    ) -> Self {
        // Noise that is independent tells of no other.
        let rows = match blur {
            Blur::Cumulative { .. } => rows,
            _ => &[],
        };
        let mut factor = Cholesky::new(rows.len());
        factor.factor(|i, j| {
            let ridge = if i == j { f64::EPSILON } else { 0.0 };
            blur.covariance(rows[i], rows[j]) + ridge
        });
        let mut noise = outputs.clone();
        noise.add(-1.0, &inputs.times(matrix));
        let told = rows.len() * matrix.columns();
        let noise = Matrix::of_values(matrix.columns(), noise.values()[..told].to_vec());
        let weights = match factor.is_definite() {
            true => noise.solved(&factor),
            false => Matrix::zeros(rows.len(), matrix.columns()),
        };
        Conditional {
            blur,
            rows,
            factor,
            weights,
        }
    }

    fn covariances(&self, row: u64) -> Vec<f64> {
        let known = self.rows.iter();
        known
            .map(|&known| self.blur.covariance(row, known))
            .collect()
    }

    /// Takes off what is expected of the noise on a row.
    pub(super) fn take_off(&self, row: u64, record: &mut [f64]) {
        let against: Vec<f64> = self.covariances(row).iter().map(|value| -value).collect();
        times(&against, &self.weights, record);
    }

    /// The variance of the rest of it.
    fn variance(&self, row: u64) -> f64 {
        let mut shared = self.covariances(row);
        let whole = self.blur.covariance(row, row);
        if !self.factor.is_definite() {
            return whole;
        }
        self.factor.solve_lower(&mut shared, 1);
        let told: f64 = shared.iter().map(|value| value * value).sum();
        (whole - told).max(0.0)
    }

    /// Rows by how much noise is left on them, as many of each level.
    pub(super) fn levels(&self, rows: &[u64]) -> Levels {
        let all: Vec<f64> = rows.iter().map(|&row| self.variance(row)).collect();
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by(|&a, &b| all[a].total_cmp(&all[b]));
        let size = rows.len().div_ceil(LEVELS).max(1);
        let mut levels = Levels {
            variances: Vec::new(),
            places: vec![0; rows.len()],
        };
        for (level, some) in order.chunks(size).enumerate() {
            let sum: f64 = some.iter().map(|&place| all[place]).sum();
            levels.variances.push(sum / some.len() as f64);
            some.iter().for_each(|&place| levels.places[place] = level);
        }
        levels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_between_known_rows_is_interpolated_and_hardly_moves_beside_them() {
        let blur = Blur::Cumulative {
            deviation: 0.1,
            reset: None,
        };
        let rows = [9, 29];
        let nothing = Matrix::zeros(2, 1);
        let walked = Matrix::of_values(1, vec![1.0, 3.0]);
        let found = Conditional::new(blur, &rows, &nothing, &walked, &Matrix::zeros(1, 1));
        for (row, expected, variance) in [
            (9, 1.0, 0.0),
            (19, 2.0, 0.05),
            (29, 3.0, 0.0),
            (39, 3.0, 0.1),
        ] {
            let mut record = [0.0];
            found.take_off(row, &mut record);
            assert!((record[0] + expected).abs() < 1e-9, "{row}");
            assert!((found.variance(row) - variance).abs() < 1e-9, "{row}");
        }
        let levels = found.levels(&[9, 19, 29, 39]);
        assert_eq!(levels.variances.len(), 4);
        assert_eq!(levels.places[1], 2);
        assert_eq!(levels.places[3], 3);
    }

    #[test]
    fn independent_noise_stays_as_it_is() {
        let blur = Blur::Independent { deviation: 0.5 };
        let one = Matrix::of_values(1, vec![1.0]);
        let found = Conditional::new(blur, &[3], &one, &one, &Matrix::zeros(1, 1));
        let mut record = [2.0];
        found.take_off(3, &mut record);
        assert_eq!((record, found.variance(3)), ([2.0], 0.25));
    }
}
