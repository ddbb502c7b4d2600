//! Eigenvalues and eigenvectors of a small symmetric matrix, by Jacobi's rotations.
//!
//! Each rotation makes one entry off the diagonal 0; sweeps over all of them go on
//! until what is left is rounding. Slow for large matrices and very exact for small.
//!
//! *Costs* about `10·width³` multiplications a sweep, of which some six to ten are needed.
//! *From* Jacobi 1846; Golub and Van Loan, "Matrix Computations", 8.5.

/// Sweeps after which it ends in any case.
const SWEEPS: usize = 60;

/// What a symmetric matrix does: it stretches each vector by its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigen {
    /// The eigenvalues, the largest first.
    pub values: Vec<f64>,
    /// The eigenvectors, of length 1 and in the order of the values, one after the other.
    vectors: Vec<f64>,
}

impl Eigen {
    /// Of the matrix with these entries, asked for where j ≤ i.
    pub fn new(width: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        let symmetric = |place: usize| {
            let (i, j) = (place / width, place % width);
            entry(i.max(j), i.min(j))
        };
        let mut matrix: Vec<f64> = (0..width * width).map(symmetric).collect();
        let mut vectors = vec![0.0; width * width];
        (0..width).for_each(|i| vectors[i * width + i] = 1.0);
        for _ in 0..SWEEPS {
            if !sweep(&mut matrix, &mut vectors, width) {
                break;
            }
        }
        let value = |place: usize| matrix[place * width + place];
        let mut order: Vec<usize> = (0..width).collect();
        order.sort_by(|&a, &b| value(b).total_cmp(&value(a)));
        let sorted = order.iter().flat_map(|&i| &vectors[i * width..][..width]);
        Eigen {
            values: order.iter().map(|&place| value(place)).collect(),
            vectors: sorted.copied().collect(),
        }
    }

    /// The eigenvector of the value at this place.
    pub fn vector(&self, place: usize) -> &[f64] {
        let width = self.values.len();
        &self.vectors[place * width..][..width]
    }

    /// The entries, row by row, of the matrix with the same vectors whose values are
    /// these functions of the values.
    pub fn map(&self, function: impl Fn(f64) -> f64) -> Vec<f64> {
        let width = self.values.len();
        let mut matrix = vec![0.0; width * width];
        for (place, &value) in self.values.iter().enumerate() {
            let (vector, value) = (self.vector(place), function(value));
            for (row, &weight) in matrix.chunks_exact_mut(width.max(1)).zip(vector) {
                let entries = row.iter_mut().zip(vector);
                entries.for_each(|(entry, other)| *entry += value * weight * other);
            }
        }
        matrix
    }
}

/// Rotates each pair of axes once; false if there was nothing left to do.
fn sweep(matrix: &mut [f64], vectors: &mut [f64], width: usize) -> bool {
    let mut turned = false;
    let scale = matrix.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    for p in 0..width {
        for q in p + 1..width {
            let off = matrix[p * width + q];
            let (a, b) = (matrix[p * width + p], matrix[q * width + q]);
            // What is smaller is rounding; of NaN nothing is known.
            if !(off.abs() > 0.1 * f64::EPSILON * scale && off.is_finite()) {
                continue;
            }
            turned = true;
            let slope = (b - a) / (2.0 * off);
            let tangent = slope.signum() / (slope.abs() + slope.hypot(1.0));
            let cosine = 1.0 / tangent.hypot(1.0);
            let turn = (cosine, tangent * cosine);
            for k in 0..width {
                rotate(matrix, k * width + p, k * width + q, turn);
            }
            for k in 0..width {
                rotate(matrix, p * width + k, q * width + k, turn);
                rotate(vectors, p * width + k, q * width + k, turn);
            }
            matrix[p * width + q] = 0.0;
            matrix[q * width + p] = 0.0;
        }
    }
    turned
}

#[inline]
fn rotate(values: &mut [f64], p: usize, q: usize, (cosine, sine): (f64, f64)) {
    let (a, b) = (values[p], values[q]);
    values[p] = cosine * a - sine * b;
    values[q] = sine * a + cosine * b;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(width: usize, matrix: &[f64]) {
        let eigen = Eigen::new(width, |i, j| matrix[i * width + j]);
        let scale = matrix.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        assert!(eigen.values.is_sorted_by(|a, b| a >= b));
        for i in 0..width {
            for j in 0..width {
                let (a, b) = (eigen.vector(i), eigen.vector(j));
                let product: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                let expected = f64::from(u8::from(i == j));
                assert!((product - expected).abs() < 1e-10, "{i} {j} {product}");
            }
        }
        for (found, expected) in eigen.map(|value| value).iter().zip(matrix) {
            assert!((found - expected).abs() <= 1e-10 * scale);
        }
    }

    proptest! {
        #[test]
        fn vectors_are_orthonormal_and_make_the_matrix_again(
            values in prop::collection::vec(-10.0..10.0_f64, 36), rank in 1..7_usize,
        ) {
            // Of a rank below 6 some values are 0.
            let entry = |i: usize, j: usize| -> f64 {
                (0..rank).map(|k| values[i * 6 + k] * values[j * 6 + k]).sum()
            };
            let matrix: Vec<f64> = (0..36).map(|n| entry(n / 6, n % 6)).collect();
            check(6, &matrix);
            let symmetric: Vec<f64> = (0..36).map(|n| values[n] + values[n % 6 * 6 + n / 6]).collect();
            check(6, &symmetric);
        }
    }

    #[test]
    fn values_known_by_heart_are_found() {
        // A circulant matrix has the values 2 − 2·cos(2πk/n).
        let ring = |i: usize, j: usize| match (6 + i - j) % 6 {
            0 => 2.0,
            1 | 5 => -1.0,
            _ => 0.0,
        };
        let eigen = Eigen::new(6, ring);
        for (found, expected) in eigen.values.iter().zip([4.0, 3.0, 3.0, 1.0, 1.0, 0.0]) {
            assert!((found - expected).abs() < 1e-12, "{:?}", eigen.values);
        }
        assert_eq!(Eigen::new(0, |_, _| 0.0).values, [0.0; 0]);
        assert_eq!(Eigen::new(1, |_, _| -3.0).values, [-3.0]);
        check(3, &[0.0; 9]);
    }
}
