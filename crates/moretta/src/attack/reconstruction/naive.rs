//! The density with the covariance of all k·q numbers written out: slow and plain,
//! to hold the fast one against.

use crate::math::cholesky::Cholesky;
use std::f64::consts::TAU;

/// Gives none where the covariance is nearly singular, so that digits are lost.
pub(super) fn log_density(
    m: usize,
    k: usize,
    inputs: &[f64],
    outputs: &[f64],
    noise: &[f64],
) -> Option<f64> {
    let q = inputs.len() / m;
    let block = |i: usize, j: usize| -> f64 {
        let products = (0..m).map(|f| inputs[i * m + f] * inputs[j * m + f]);
        products.sum::<f64>() / k as f64 + noise[i * q + j]
    };
    // Number n is that of record n % q in column n / q: column after column.
    let all = k * q;
    let mut factor = Cholesky::new(all);
    factor.factor(|a, b| match a / q == b / q {
        true => block(a % q, b % q),
        false => 0.0,
    });
    let sound = |i: usize| factor.value(i, i).powi(2) > 1e-5 * block(i % q, i % q);
    if !(0..all).all(sound) {
        return None;
    }
    let mut whitened: Vec<f64> = (0..all).map(|n| outputs[(n % q) * k + n / q]).collect();
    factor.solve_lower(&mut whitened, 1);
    let squares: f64 = whitened.iter().map(|value| value * value).sum();
    Some(-0.5 * (all as f64 * TAU.ln() + factor.log_determinant() + squares))
}
