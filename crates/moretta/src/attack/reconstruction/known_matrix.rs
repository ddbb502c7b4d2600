//! With as many known records as features the matrix follows by least squares.

use super::blur::Blur;
use super::evidence::Evidence;
use super::expected::{Reconstruction, UNIFORM, means};
use crate::math::cholesky::Cholesky;

/// Variance of noise where there is none: that of rounding.
const ROUNDING: f64 = 1e-12;

/// The most probable original, as if the matrix were what least squares give: where
/// fewer numbers leave than there are features, the one nearest to what is expected.
pub(super) fn solve(
    evidence: &Evidence<'_>,
    blur: Blur,
    translated: bool,
) -> Option<Reconstruction> {
    let (m, k) = (evidence.features(), evidence.output.len());
    let centre = |vectors: &[&[f64]], width: usize| -> Vec<f64> {
        let mean = |place: usize| {
            vectors.iter().map(|vector| vector[place]).sum::<f64>() / vectors.len() as f64
        };
        match translated {
            true => (0..width).map(mean).collect(),
            false => vec![0.0; width],
        }
    };
    let (x0, y0) = (centre(&evidence.inputs, m), centre(&evidence.outputs, k));
    let matrix = least_squares(evidence, &x0, &y0)?;
    let row = |feature: usize| &matrix[feature * k..][..k];
    // The rest of the noise that estimates of the matrix do not take off.
    let variance = blur.covariance(evidence.row, evidence.row).max(ROUNDING);
    let mut factor = Cholesky::new(m);
    factor.factor(|i, j| {
        let ridge = if i == j { variance / UNIFORM } else { 0.0 };
        dot(row(i), row(j)) + ridge
    });
    let expected: Vec<f64> = means(evidence)
        .iter()
        .zip(&x0)
        .map(|(e, x)| e - x)
        .collect();
    let mut rest: Vec<f64> = evidence
        .output
        .iter()
        .zip(&y0)
        .map(|(y, y0)| y - y0)
        .collect();
    for (feature, expected) in expected.iter().enumerate() {
        let parts = rest.iter_mut().zip(row(feature));
        parts.for_each(|(rest, weight)| *rest -= expected * weight);
    }
    let mut correction: Vec<f64> = (0..m).map(|feature| dot(row(feature), &rest)).collect();
    if !factor.is_definite() {
        return None;
    }
    factor.solve(&mut correction, 1);
    let parts = correction.iter().zip(&expected).zip(&x0);
    Some(Reconstruction {
        record: parts.map(|((c, e), x)| c + e + x).collect(),
        score: 0.0,
    })
}

/// The matrix, m × k, that takes known originals nearest to their releases.
fn least_squares(evidence: &Evidence<'_>, x0: &[f64], y0: &[f64]) -> Option<Vec<f64>> {
    let (m, k) = (x0.len(), y0.len());
    let centred: Vec<Vec<f64>> = evidence
        .inputs
        .iter()
        .map(|input| input.iter().zip(x0).map(|(x, x0)| x - x0).collect())
        .collect();
    let mut factor = Cholesky::new(m);
    factor.factor(|i, j| centred.iter().map(|x| x[i] * x[j]).sum());
    if !factor.is_definite() {
        return None;
    }
    let mut matrix = vec![0.0; m * k];
    for (input, output) in centred.iter().zip(&evidence.outputs) {
        for (&x, row) in input.iter().zip(matrix.chunks_exact_mut(k)) {
            for ((sum, y), y0) in row.iter_mut().zip(*output).zip(y0) {
                *sum += x * (y - y0);
            }
        }
    }
    factor.solve(&mut matrix, k);
    Some(matrix)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
