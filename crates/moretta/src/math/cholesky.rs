//! Cholesky factor of a small covariance matrix: A = L·Lᵀ with L lower triangular.
//!
//! If z is standard normal, L·z has covariance A. A covariance matrix may be
//! singular (a column that is constant, or a sum of others), and rounding may make
//! it slightly indefinite; a pivot that is left below 1e-12 of its own diagonal
//! entry is taken for 0, and its column of L is 0. Of a singular A the product
//! L·Lᵀ is still A, but for that tolerance.
//!
//! *Costs* `width³/6` multiplications. Nothing is allocated after [`Cholesky::new`].

/// Shares of a diagonal entry below which what is left of it is rounding.
const TOLERANCE: f64 = 1e-12;

/// A lower triangular factor.
#[derive(Clone, Debug, PartialEq)]
pub struct Cholesky {
    width: usize,
    /// Row by row; row i holds i + 1 values.
    rows: Vec<f64>,
}

impl Cholesky {
    /// The factor of the zero matrix of this width.
    pub fn new(width: usize) -> Self {
        Cholesky {
            width,
            rows: vec![0.0; width * (width + 1) / 2],
        }
    }

    /// Columns of the matrix.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Makes this the factor of the matrix with these entries, asked for where j ≤ i.
    pub fn factor(&mut self, entry: impl Fn(usize, usize) -> f64) {
        for i in 0..self.width {
            let (above, rest) = self.rows.split_at_mut(start(i));
            let row = &mut rest[..=i];
            for j in 0..i {
                let other = &above[start(j)..][..=j];
                row[j] = match other[j] > 0.0 {
                    true => (entry(i, j) - dot(&row[..j], &other[..j])) / other[j],
                    false => 0.0,
                };
            }
            let diagonal = entry(i, i);
            let pivot = diagonal - dot(&row[..i], &row[..i]);
            row[i] = match pivot > TOLERANCE * diagonal {
                true => pivot.sqrt(),
                false => 0.0,
            };
        }
    }

    /// A value of the factor; 0 above the diagonal.
    pub fn value(&self, row: usize, column: usize) -> f64 {
        match column <= row {
            true => self.rows[start(row) + column],
            false => 0.0,
        }
    }

    /// Puts L·z into `out`.
    pub fn multiply(&self, z: &[f64], out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate().take(self.width) {
            *out = dot(&self.rows[start(i)..][..=i], z);
        }
    }
}

/// Where a row begins.
fn start(row: usize) -> usize {
    row * (row + 1) / 2
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(width: usize, matrix: &[f64]) {
        let mut cholesky = Cholesky::new(width);
        cholesky.factor(|i, j| matrix[i * width + j]);
        let scale = matrix.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        for i in 0..width {
            for j in 0..width {
                let row = |row| (0..width).map(move |k| (row, k));
                let product: f64 = row(i)
                    .zip(row(j))
                    .map(|((i, k), (j, _))| cholesky.value(i, k) * cholesky.value(j, k))
                    .sum();
                let expected = matrix[i * width + j];
                let difference = (product - expected).abs();
                assert!(difference <= 1e-5 * scale, "{i} {j} {difference}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_factor_times_itself_is_the_matrix(
            values in prop::collection::vec(-10.0..10.0_f64, 25),
            rank in 1..6_usize,
        ) {
            // Of a rank below 5 the matrix is singular.
            let entry = |i: usize, j: usize| -> f64 {
                (0..rank).map(|k| values[i * 5 + k] * values[j * 5 + k]).sum()
            };
            let matrix: Vec<f64> = (0..25).map(|n| entry(n / 5, n % 5)).collect();
            check(5, &matrix);
        }
    }

    #[test]
    fn singular_matrices_have_a_factor() {
        check(2, &[4.0, 2.0, 2.0, 3.0]);
        check(2, &[0.0, 0.0, 0.0, 0.0]);
        check(3, &[1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0]);
        check(3, &[1.0, 1.0, 2.0, 1.0, 1.0, 2.0, 2.0, 2.0, 4.0]);
    }

    #[test]
    fn the_factor_multiplies() {
        let mut cholesky = Cholesky::new(2);
        cholesky.factor(|i, j| [[4.0, 2.0], [2.0, 5.0]][i][j]);
        let mut out = [0.0; 2];
        cholesky.multiply(&[1.0, 10.0], &mut out);
        assert_eq!(out, [2.0, 21.0]);
    }
}
