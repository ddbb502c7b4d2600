//! Small dense matrices, row by row.

use super::cholesky::Cholesky;

/// Rows of numbers; there may be none of either.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Matrix {
    /// With these entries by row and column.
    pub fn new(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let places = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
        Matrix {
            rows,
            columns,
            values: places.map(|(i, j)| entry(i, j)).collect(),
        }
    }

    /// Of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Matrix {
            rows,
            columns,
            values: vec![0.0; rows * columns],
        }
    }

    /// With this on the diagonal, and zeros.
    pub fn diagonal(width: usize, value: f64) -> Self {
        Matrix::new(width, width, |i, j| if i == j { value } else { 0.0 })
    }

    /// With these values, row by row.
    pub fn of_values(columns: usize, values: Vec<f64>) -> Self {
        Matrix {
            rows: values.len().checked_div(columns).unwrap_or(0),
            columns,
            values,
        }
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns there are.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// An entry.
    #[inline]
    pub fn at(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.columns + column]
    }

    /// A row.
    #[inline]
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..][..self.columns]
    }

    /// A row, to be changed.
    #[inline]
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.columns..][..self.columns]
    }

    /// All rows in order.
    #[inline]
    pub fn iter(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.columns.max(1))
    }

    /// All values, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Rows and columns exchanged.
    pub fn transposed(&self) -> Self {
        Matrix::new(self.columns, self.rows(), |i, j| self.at(j, i))
    }

    /// Itself times another.
    pub fn times(&self, other: &Matrix) -> Self {
        let mut product = Matrix::zeros(self.rows(), other.columns);
        let rows = product.values.chunks_exact_mut(other.columns.max(1));
        for (out, row) in rows.zip(self.iter()) {
            times(row, other, out);
        }
        product
    }

    /// Adds another one, times a factor.
    #[inline]
    pub fn add(&mut self, factor: f64, other: &Matrix) {
        let sums = self.values.iter_mut().zip(&other.values);
        sums.for_each(|(sum, value)| *sum += factor * value);
    }

    /// The matrix by which this square one becomes the unit matrix; none where there is none, or
    /// it is lost in rounding.
    pub fn inverse(&self) -> Option<Self> {
        let width = self.columns;
        let largest = self.values.iter().fold(0.0, |most, v| v.abs().max(most));
        let (mut left, mut inverse) = (self.clone(), Matrix::diagonal(width, 1.0));
        for place in 0..width {
            let size = |row: &usize| left.at(*row, place).abs();
            let pivot = (place..width).max_by(|a, b| size(a).total_cmp(&size(b)))?;
            if size(&pivot) <= largest * width as f64 * f64::EPSILON {
                return None;
            }
            for matrix in [&mut left, &mut inverse] {
                matrix.swap_rows(place, pivot);
            }
            let by = left.at(place, place);
            for matrix in [&mut left, &mut inverse] {
                matrix.row_mut(place).iter_mut().for_each(|v| *v /= by);
            }
            for row in (0..width).filter(|&row| row != place) {
                let factor = left.at(row, place);
                if factor != 0.0 {
                    left.take_off(row, factor, place);
                    inverse.take_off(row, factor, place);
                }
            }
        }
        Some(inverse)
    }

    fn swap_rows(&mut self, a: usize, b: usize) {
        for column in 0..self.columns {
            self.values
                .swap(a * self.columns + column, b * self.columns + column);
        }
    }

    /// Takes a multiple of one row off another.
    fn take_off(&mut self, row: usize, factor: f64, other: usize) {
        for column in 0..self.columns {
            let less = factor * self.at(other, column);
            self.values[row * self.columns + column] -= less;
        }
    }

    /// Solves A·X = itself, for the factor of a definite A.
    pub fn solved(mut self, factor: &Cholesky) -> Self {
        factor.solve(&mut self.values, self.columns);
        self
    }
}

/// A row times a matrix, added to `out`.
#[inline]
pub fn times(row: &[f64], matrix: &Matrix, out: &mut [f64]) {
    for (&share, other) in row.iter().zip(matrix.iter()) {
        let sums = out.iter_mut().zip(other);
        sums.for_each(|(sum, value)| *sum += share * value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_gives_the_unit_matrix_and_a_singular_matrix_has_none() {
        let a = Matrix::of_values(3, vec![0.0, 2.0, 1.0, 1.0, 1.0, 1.0, 4.0, 0.0, -3.0]);
        let unit = a.times(&a.inverse().expect("regular"));
        for (found, expected) in unit.values().iter().zip(Matrix::diagonal(3, 1.0).values()) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
        let singular = Matrix::of_values(2, vec![0.5, 0.5, 0.5, 0.5]);
        assert_eq!(singular.inverse(), None);
        let nearly = Matrix::of_values(2, vec![0.3, 0.7, 0.3 + 1e-17, 0.7]);
        assert_eq!(nearly.inverse(), None);
        assert_eq!(Matrix::zeros(0, 0).inverse(), Some(Matrix::zeros(0, 0)));
    }

    #[test]
    fn products_sums_and_solutions_are_those_of_paper_and_pencil() {
        let a = Matrix::of_values(3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let square = a.times(&a.transposed());
        assert_eq!(square.values(), [14.0, 32.0, 32.0, 77.0]);
        assert_eq!((a.rows(), a.columns(), a.at(1, 0)), (2, 3, 4.0));
        let mut sum = Matrix::diagonal(2, 1.0);
        sum.add(2.0, &square);
        assert_eq!(sum.values(), [29.0, 64.0, 64.0, 155.0]);
        let none = Matrix::zeros(0, 3);
        assert_eq!(none.transposed().times(&none), Matrix::zeros(3, 3));
        let mut factor = Cholesky::new(2);
        factor.factor(|i, j| sum.at(i, j));
        let back = sum.times(&a.clone().solved(&factor));
        for (found, expected) in back.values().iter().zip(a.values()) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }
}
