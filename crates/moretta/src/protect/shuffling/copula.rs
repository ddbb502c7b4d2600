//! The normal model of ranks: correlations, and draws of some columns given the others.
//!
//! Spearman's rank correlation ρ of two columns is that of normal ones whose correlation is
//! 2·sin(πρ/6). Such a matrix need not belong to any normal columns; then the nearest values are
//! taken for its eigenvalues that are too small. Of shuffled columns X and given ones S a draw is
//! R_XS·R_SS⁻¹·s plus noise of covariance R_XX − R_XS·R_SS⁻¹·R_SX.

use crate::cancel::Cancel;
use crate::error::Result;
use crate::math::cholesky::Cholesky;
use crate::math::eigen::Eigen;
use std::f64::consts::PI;

/// Eigenvalues below this are too small to solve equations with.
const LEAST_VALUE: f64 = 1e-6;

/// A normal model of shuffled columns, given others.
pub(super) struct Copula {
    /// For each shuffled column, how much of each given one goes into a draw.
    slopes: Vec<Vec<f64>>,
    /// The root of the covariance of what is left.
    noise: Cholesky,
}

impl Copula {
    /// The model with the rank correlations of columns, the first of which are shuffled.
    pub(super) fn new(ranks: &[Vec<f64>], shuffled: usize, cancel: &Cancel) -> Result<Self> {
        let width = ranks.len();
        let mut matrix = vec![0.0; width * width];
        for i in 0..width {
            cancel.check()?;
            matrix[i * width + i] = 1.0;
            for j in 0..i {
                let correlation = 2.0 * (PI * rank_correlation(&ranks[i], &ranks[j]) / 6.0).sin();
                (matrix[i * width + j], matrix[j * width + i]) = (correlation, correlation);
            }
        }
        let matrix = definite(matrix, width);
        Ok(Copula::of_matrix(
            |i, j| matrix[i * width + j],
            width,
            shuffled,
        ))
    }

    /// The model with the correlations of a definite matrix.
    fn of_matrix(entry: impl Fn(usize, usize) -> f64, width: usize, shuffled: usize) -> Self {
        let given = width - shuffled;
        let mut root = Cholesky::new(given);
        root.factor(|i, j| entry(shuffled + i, shuffled + j));
        // R_SS⁻¹·R_SX, a row for each given column.
        let cells = (0..given * shuffled).map(|cell| (cell / shuffled, cell % shuffled));
        let mut solved: Vec<f64> = cells.map(|(s, x)| entry(shuffled + s, x)).collect();
        root.solve(&mut solved, shuffled);
        let slope = |x: usize, s: usize| solved[s * shuffled + x];
        let mut noise = Cholesky::new(shuffled);
        noise.factor(|x, y| {
            let explained = (0..given).map(|s| entry(x, shuffled + s) * slope(y, s));
            entry(x, y) - explained.sum::<f64>()
        });
        let slopes = (0..shuffled).map(|x| (0..given).map(|s| slope(x, s)).collect());
        Copula {
            slopes: slopes.collect(),
            noise,
        }
    }

    /// Puts what standard normal noise makes of these scores into `out`.
    pub(super) fn draw(&self, scores: &[f64], noise: &[f64], out: &mut [f64]) {
        self.noise.multiply(noise, out);
        for (out, slopes) in out.iter_mut().zip(&self.slopes) {
            let explained = slopes
                .iter()
                .zip(scores)
                .map(|(slope, score)| slope * score);
            *out += explained.sum::<f64>();
        }
    }
}

/// The correlation of two columns of ranks, over records that have both; 0 where one of them is
/// constant.
fn rank_correlation(one: &[f64], other: &[f64]) -> f64 {
    let both = || {
        one.iter()
            .zip(other)
            .filter(|(a, b)| !a.is_nan() && !b.is_nan())
    };
    let count = both().count().max(1) as f64;
    let sums = both().fold((0.0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    let (mean, other_mean) = (sums.0 / count, sums.1 / count);
    let (mut product, mut squares, mut other_squares) = (0.0, 0.0, 0.0);
    for (x, y) in both() {
        let (x, y) = (x - mean, y - other_mean);
        product += x * y;
        squares += x * x;
        other_squares += y * y;
    }
    match squares > 0.0 && other_squares > 0.0 {
        true => (product / (squares.sqrt() * other_squares.sqrt())).clamp(-1.0, 1.0),
        false => 0.0,
    }
}

/// The matrix with no eigenvalue that is too small, and ones on its diagonal again.
fn definite(matrix: Vec<f64>, width: usize) -> Vec<f64> {
    let eigen = Eigen::new(width, |i, j| matrix[i * width + j]);
    if eigen
        .values
        .last()
        .is_none_or(|&least| least >= LEAST_VALUE)
    {
        return matrix;
    }
    let mut lifted = eigen.map(|value| value.max(LEAST_VALUE));
    let roots: Vec<f64> = (0..width).map(|i| lifted[i * width + i].sqrt()).collect();
    for (cell, value) in lifted.iter_mut().enumerate() {
        *value /= roots[cell / width] * roots[cell % width];
    }
    lifted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(matrix: &[&[f64]], shuffled: usize) -> Copula {
        let width = matrix.len();
        let matrix = definite(matrix.concat(), width);
        Copula::of_matrix(|i, j| matrix[i * width + j], width, shuffled)
    }

    #[test]
    fn one_column_given_another_is_the_regression_by_hand() {
        let copula = of(&[&[1.0, 0.6], &[0.6, 1.0]], 1);
        let mut out = [0.0];
        copula.draw(&[2.0], &[0.0], &mut out);
        assert!((out[0] - 1.2).abs() < 1e-12);
        copula.draw(&[0.0], &[1.0], &mut out);
        assert!((out[0] - 0.8).abs() < 1e-12, "the root of 1 - 0.36");
    }

    #[test]
    fn two_columns_given_one_keep_what_is_left_of_their_correlation() {
        let copula = of(&[&[1.0, 0.5, 0.6], &[0.5, 1.0, 0.8], &[0.6, 0.8, 1.0]], 2);
        let noise = |i, j| {
            let root = &copula.noise;
            (0..2)
                .map(|k| root.value(i, k) * root.value(j, k))
                .sum::<f64>()
        };
        assert!((noise(0, 0) - 0.64).abs() < 1e-12);
        assert!((noise(1, 1) - 0.36).abs() < 1e-12);
        assert!((noise(0, 1) - (0.5 - 0.48)).abs() < 1e-12);
    }

    #[test]
    fn a_matrix_of_no_columns_is_mended_and_a_good_one_is_left() {
        let good = vec![1.0, 0.5, 0.5, 1.0];
        assert_eq!(definite(good.clone(), 2), good);
        // Two that go with a third nearly as one cannot be opposites.
        let bad = vec![1.0, 0.9, 0.9, 0.9, 1.0, -0.9, 0.9, -0.9, 1.0];
        let mended = definite(bad, 3);
        let mut root = Cholesky::new(3);
        root.factor(|i, j| mended[i * 3 + j]);
        assert!(root.is_definite());
        for i in 0..3 {
            assert!((mended[i * 4] - 1.0).abs() < 1e-12);
        }
        // Given columns that are the same one.
        let same = of(&[&[1.0, 0.5, 0.5], &[0.5, 1.0, 1.0], &[0.5, 1.0, 1.0]], 1);
        let mut out = [0.0];
        same.draw(&[2.0, 2.0], &[0.0], &mut out);
        assert!((out[0] - 1.0).abs() < 1e-4, "{out:?}");
    }

    #[test]
    fn constant_columns_go_with_nothing() {
        assert_eq!(rank_correlation(&[2.0, 2.0, 2.0], &[1.0, 2.0, 3.0]), 0.0);
        assert_eq!(rank_correlation(&[], &[]), 0.0);
        let missing = f64::NAN;
        let found = rank_correlation(&[1.0, missing, 2.0, 3.0], &[3.0, 4.0, 2.0, 1.0]);
        assert!((found + 1.0).abs() < 1e-12);
    }
}
