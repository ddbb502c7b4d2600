//! Cholesky factor of a small covariance matrix: A = L·Lᵀ with L lower triangular.
//!
//! If z is standard normal, L·z has covariance A. A covariance matrix may be
//! singular (a column that is constant, or a sum of others), and rounding may make
//! it slightly indefinite; a pivot that is left below 1e-12 of its own diagonal
//! entry is taken for 0, and its column of L is 0. Of a singular A the product
//! L·Lᵀ is still A, but for that tolerance.
//!
//! Of a matrix that is definite it also solves equations, many at once.
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
    #[inline]
    pub fn value(&self, row: usize, column: usize) -> f64 {
        match column <= row {
            true => self.rows[start(row) + column],
            false => 0.0,
        }
    }

    /// Whether no pivot was taken for 0, so that equations can be solved.
    pub fn is_definite(&self) -> bool {
        (0..self.width).all(|i| self.value(i, i) > 0.0)
    }

    /// Natural logarithm of the determinant of A; −∞ of a singular one.
    pub fn log_determinant(&self) -> f64 {
        (0..self.width).map(|i| 2.0 * self.value(i, i).ln()).sum()
    }

    /// Solves L·X = B, of a definite matrix; `rows` holds B, a row for each of L,
    /// and gets X.
    #[inline]
    pub fn solve_lower(&self, rows: &mut [f64], columns: usize) {
        for i in 0..self.width {
            let (solved, rest) = rows.split_at_mut(i * columns);
            let row = &mut rest[..columns];
            for (j, other) in solved.chunks_exact(columns).enumerate() {
                subtract(row, self.rows[start(i) + j], other);
            }
            let pivot = self.rows[start(i) + i];
            row.iter_mut().for_each(|value| *value /= pivot);
        }
    }

    /// Solves Lᵀ·X = B in the same way.
    #[inline]
    pub fn solve_upper(&self, rows: &mut [f64], columns: usize) {
        for i in (0..self.width).rev() {
            let (rest, solved) = rows.split_at_mut((i + 1) * columns);
            let row = &mut rest[i * columns..];
            for (j, other) in (i + 1..).zip(solved.chunks_exact(columns)) {
                subtract(row, self.rows[start(j) + i], other);
            }
            let pivot = self.rows[start(i) + i];
            row.iter_mut().for_each(|value| *value /= pivot);
        }
    }

    /// Solves A·X = B in the same way.
    pub fn solve(&self, rows: &mut [f64], columns: usize) {
        self.solve_lower(rows, columns);
        self.solve_upper(rows, columns);
    }

    /// Puts L·z into `out`.
    pub fn multiply(&self, z: &[f64], out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate().take(self.width) {
            *out = dot(&self.rows[start(i)..][..=i], z);
        }
    }
}

/// Where a row begins.
#[inline]
fn start(row: usize) -> usize {
    row * (row + 1) / 2
}

#[inline]
fn subtract(from: &mut [f64], share: f64, of: &[f64]) {
    for (from, of) in from.iter_mut().zip(of) {
        *from -= share * of;
    }
}

#[inline]
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

    #[test]
    fn equations_are_solved_and_determinants_known() {
        let matrix = [[4.0, 2.0, 0.4], [2.0, 5.0, 1.0], [0.4, 1.0, 3.0]];
        let mut cholesky = Cholesky::new(3);
        cholesky.factor(|i, j| matrix[i][j]);
        assert!(cholesky.is_definite());
        // 4(15 − 1) − 2(6 − 0.4) + 0.4(2 − 2)
        assert!((cholesky.log_determinant() - 44.8_f64.ln()).abs() < 1e-12);
        let mut rows = [1.0, 0.0, -2.0, 7.0, 3.0, 0.5];
        let wanted = rows;
        cholesky.solve(&mut rows, 2);
        for (i, line) in matrix.iter().enumerate() {
            for column in 0..2 {
                let product: f64 = (0..3).map(|j| line[j] * rows[2 * j + column]).sum();
                assert!((product - wanted[2 * i + column]).abs() < 1e-12);
            }
        }
        cholesky.factor(|_, _| 1.0);
        assert!(!cholesky.is_definite());
        assert_eq!(cholesky.log_determinant(), f64::NEG_INFINITY);
    }
}
