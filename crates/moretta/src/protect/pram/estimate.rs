//! Frequencies of the original, estimated from a release and its transition matrix.
//!
//! A release is expected to have the frequencies Pᵀ T, so (P⁻¹)ᵀ times those that it has is
//! right on average. Two columns that were changed independently have the matrix P_X ⊗ P_Y, of
//! which the estimate is (P_X⁻¹)ᵀ T* P_Y⁻¹.
//!
//! *Variance.* Given the original, released counts T* are a sum of independent multinomial draws,
//! one from row P_k for each of T_k values, so Cov(T*) = diag(Pᵀ T) − Σ_k T_k P_k P_kᵀ. With
//! Q = (P⁻¹)ᵀ, Q P_k is the k-th unit vector, so Cov(Q T*) = Q diag(Pᵀ T) Qᵀ − diag(T). Put in
//! T* for Pᵀ T and Q T* for T, the variance of the estimate of category j is
//! Σ_l (P⁻¹_lj)² T*_l − (Q T*)_j, right on average, too. It is about the draws alone, not about
//! which persons are in the table.

use super::matrix::TransitionMatrix;
use crate::error::Result;
use crate::math::matrix::Matrix;
use serde::Serialize;

/// How many rows of the original had a category.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// Rows of the release that show it.
    pub released: f64,
    /// Rows of the original, estimated without bias; may be below 0.
    pub original: f64,
    /// The standard error of that.
    pub standard_error: f64,
}

/// The estimates of one column of which `released` are the counts.
///
/// # Errors
/// When the matrix has no inverse.
pub fn one_way(matrix: &TransitionMatrix, released: &[f64]) -> Result<Vec<Estimate>> {
    let released = Matrix::of_values(1, released.to_vec());
    let certain = TransitionMatrix::new(&[vec![1.0]])?;
    let estimates = two_way(matrix, &certain, &released)?;
    Ok(estimates.into_iter().flatten().collect())
}

/// The estimates of two columns, a row for each category of the first.
///
/// # Errors
/// When a matrix has no inverse.
pub fn two_way(
    first: &TransitionMatrix,
    second: &TransitionMatrix,
    released: &Matrix,
) -> Result<Vec<Vec<Estimate>>> {
    let (first, second) = (first.inverse()?, second.inverse()?);
    let original = first.transposed().times(released).times(&second);
    let squared = |matrix: &Matrix| {
        Matrix::new(matrix.rows(), matrix.columns(), |i, j| {
            matrix.at(i, j).powi(2)
        })
    };
    let spread = squared(&first).transposed().times(released);
    let spread = spread.times(&squared(&second));
    let estimate = |i: usize, j: usize| Estimate {
        released: released.at(i, j),
        original: original.at(i, j),
        standard_error: (spread.at(i, j) - original.at(i, j)).max(0.0).sqrt(),
    };
    let rows = 0..released.rows();
    Ok(rows
        .map(|i| (0..released.columns()).map(|j| estimate(i, j)).collect())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::uniform::Uniform;
    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    const X: [f64; 3] = [60.0, 30.0, 10.0];

    fn three() -> TransitionMatrix {
        TransitionMatrix::constant_diagonal(&X, 0.7)
    }

    fn two() -> TransitionMatrix {
        TransitionMatrix::new(&[vec![0.9, 0.1], vec![0.3, 0.7]]).expect("probabilities")
    }

    /// Draws by walking over a row, the slow way.
    fn drawn(matrix: &TransitionMatrix, category: usize, uniform: &mut impl Uniform) -> usize {
        let (u, mut sum) = (uniform.draw(), 0.0);
        let row = (0..matrix.levels()).map(|l| matrix.at(category, l));
        let found = row.enumerate().find(|(_, p)| {
            sum += p;
            sum > u
        });
        found.map_or(category, |(l, _)| l)
    }

    #[test]
    fn what_is_expected_of_a_release_gives_the_original_back() {
        let matrix = three();
        let estimates = one_way(&matrix, &matrix.expected(&X)).expect("an inverse");
        for (estimate, expected) in estimates.iter().zip(X) {
            assert!((estimate.original - expected).abs() < 1e-9, "{estimate:?}");
        }
    }

    #[test]
    fn estimates_are_right_on_average_and_as_far_off_as_they_say() {
        let (x, y) = (three(), two());
        // Counts of the pairs of the original.
        let original = Matrix::of_values(2, vec![50.0, 10.0, 12.0, 18.0, 4.0, 6.0]);
        let mut uniform = Xoshiro256PlusPlus::seed_from_u64(20_130_101);
        let runs = 4000;
        let mut found = vec![(0.0, 0.0, 0.0); 6];
        for _ in 0..runs {
            let mut released = Matrix::zeros(3, 2);
            for i in 0..3 {
                for j in 0..2 {
                    for _ in 0..original.at(i, j) as usize {
                        let to = (drawn(&x, i, &mut uniform), drawn(&y, j, &mut uniform));
                        released.row_mut(to.0)[to.1] += 1.0;
                    }
                }
            }
            let estimates = two_way(&x, &y, &released).expect("inverses");
            for (sums, estimate) in found.iter_mut().zip(estimates.iter().flatten()) {
                sums.0 += estimate.original;
                sums.1 += estimate.original.powi(2);
                sums.2 += estimate.standard_error.powi(2);
            }
        }
        let runs = f64::from(runs);
        for ((sum, squares, told), expected) in found.into_iter().zip(original.values()) {
            let mean = sum / runs;
            let variance = squares / runs - mean * mean;
            let error = (variance / runs).sqrt();
            assert!((mean - expected).abs() < 4.0 * error, "{mean} {expected}");
            // The variance of a variance of nearly normal numbers; five standard deviations.
            let off = 5.0 * (2.0 / runs).sqrt() * variance;
            assert!((told / runs - variance).abs() < off, "{told} {variance}");
        }
    }

    /// The covariance matrix of all counts, written out.
    #[test]
    fn variances_are_those_of_the_multinomial_formula() {
        let matrix = three();
        let released = [40.0, 35.0, 25.0];
        let inverse = matrix.inverse().expect("an inverse");
        let estimates = one_way(&matrix, &released).expect("an inverse");
        let covariance = Matrix::new(3, 3, |l, m| {
            let rows = 0..3;
            let terms = rows.map(|k| {
                let both = matrix.at(k, l) * (f64::from(l == m) - matrix.at(k, m));
                estimates[k].original * both
            });
            terms.sum()
        });
        let of_estimates = inverse.transposed().times(&covariance).times(&inverse);
        for (j, estimate) in estimates.iter().enumerate() {
            let expected = of_estimates.at(j, j);
            assert!((estimate.standard_error.powi(2) - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn a_matrix_that_tells_nothing_is_refused() {
        let half = TransitionMatrix::new(&[vec![0.5, 0.5], vec![0.5, 0.5]]).expect("probabilities");
        let error = one_way(&half, &[3.0, 4.0]).expect_err("no inverse");
        assert!(error.to_string().contains("no inverse"), "{error}");
    }
}
