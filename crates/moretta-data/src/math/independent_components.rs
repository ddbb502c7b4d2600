//! Independent components of white data: the rotation after which columns are as far
//! from normal as they can be.
//!
//! Sums of independent things look more normal than the things, so directions that
//! look least normal are the things themselves, up to their order and sign. Of two
//! or more that *are* normal, or have the same mean of ln cosh as normal ones, nothing
//! can be told. FastICA with all components at once
//! and tanh, from several random starts of which the least normal result counts.
//!
//! *Costs* `rows·width²` multiplications a step, at most 200 steps a start.
//! *From* Hyvärinen, "Fast and robust fixed-point algorithms for independent component
//! analysis" (1999).

use super::eigen::Eigen;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

const STARTS: usize = 3;
const STEPS: usize = 200;

/// The mean of ln cosh of a standard normal number.
const NORMAL: f64 = 0.374_567_207_491_438;

/// The rotation, a row for each component, of data with mean 0, variances 1 and no
/// covariances; `rows` holds them one after the other.
pub fn independent_components(
    rows: &[f64],
    width: usize,
    generator: &mut Xoshiro256PlusPlus,
) -> Vec<f64> {
    let mut best = (f64::NEG_INFINITY, identity(width));
    let starts = if rows.is_empty() { 0 } else { STARTS };
    for _ in 0..starts {
        let normal = |_| StandardNormal.sample(&mut *generator);
        let start: Vec<f64> = (0..width * width).map(normal).collect();
        let found = climb(rows, width, rotation(&start, width));
        let contrast = contrast(rows, width, &found);
        if contrast > best.0 {
            best = (contrast, found);
        }
    }
    best.1
}

fn identity(width: usize) -> Vec<f64> {
    let entry = |place: usize| f64::from(u8::from(place / width == place % width));
    (0..width * width).map(entry).collect()
}

fn climb(rows: &[f64], width: usize, mut rotation_now: Vec<f64>) -> Vec<f64> {
    const TURN: f64 = 1e-7;
    for _ in 0..STEPS {
        let next = rotation(&step(rows, width, &rotation_now), width);
        let pairs = next
            .chunks_exact(width)
            .zip(rotation_now.chunks_exact(width));
        // A component may change its sign from step to step.
        let turned = pairs.map(|(a, b)| 1.0 - dot(a, b).abs());
        let turned = turned.fold(0.0, f64::max);
        rotation_now = next;
        if turned < TURN {
            break;
        }
    }
    rotation_now
}

/// One step of the fixed point: E[z·g(w·z)] − E[g'(w·z)]·w for each row w.
fn step(rows: &[f64], width: usize, rotation: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; width * width];
    let mut slopes = vec![0.0; width];
    for row in rows.chunks_exact(width) {
        let directions = rotation
            .chunks_exact(width)
            .zip(sums.chunks_exact_mut(width));
        for ((direction, sum), slope) in directions.zip(&mut slopes) {
            let value = dot(direction, row).tanh();
            *slope += 1.0 - value * value;
            sum.iter_mut()
                .zip(row)
                .for_each(|(sum, x)| *sum += value * x);
        }
    }
    let count = (rows.len() / width).max(1) as f64;
    let directions = rotation
        .chunks_exact(width)
        .zip(sums.chunks_exact_mut(width));
    for ((direction, sum), slope) in directions.zip(slopes) {
        let parts = sum.iter_mut().zip(direction);
        parts.for_each(|(sum, w)| *sum = (*sum - slope * w) / count);
    }
    sums
}

/// The rotation nearest to a matrix: (W·Wᵀ)^(−1/2)·W.
fn rotation(matrix: &[f64], width: usize) -> Vec<f64> {
    let row = |place: usize| &matrix[place * width..][..width];
    let eigen = Eigen::new(width, |i, j| dot(row(i), row(j)));
    let least = 1e-12 * eigen.values.first().copied().unwrap_or(0.0);
    let root = eigen.map(|value| 1.0 / value.max(least).max(f64::MIN_POSITIVE).sqrt());
    let mut turned = vec![0.0; width * width];
    for (out, weights) in turned.chunks_exact_mut(width).zip(root.chunks_exact(width)) {
        for (place, weight) in weights.iter().enumerate() {
            let parts = out.iter_mut().zip(row(place));
            parts.for_each(|(out, x)| *out += weight * x);
        }
    }
    turned
}

/// How far the components are from normal: the sum of squared differences of their
/// mean ln cosh from that of a normal one.
fn contrast(rows: &[f64], width: usize, rotation: &[f64]) -> f64 {
    let count = (rows.len() / width).max(1) as f64;
    let component = |direction: &[f64]| {
        let values = rows.chunks_exact(width).map(|row| dot(direction, row));
        let mean = values.map(log_cosh).sum::<f64>() / count;
        (mean - NORMAL) * (mean - NORMAL)
    };
    rotation.chunks_exact(width).map(component).sum()
}

/// ln cosh x, where cosh x itself may be too large for a number.
fn log_cosh(x: f64) -> f64 {
    let x = x.abs();
    x + (-2.0 * x).exp().ln_1p() - std::f64::consts::LN_2
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::uniform::Uniform;
    use rand_core::SeedableRng;

    #[test]
    fn mixed_components_are_found_up_to_order_and_sign() {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(2);
        let normal: Vec<f64> = (0..16)
            .map(|_| StandardNormal.sample(&mut generator))
            .collect();
        let mixing = rotation(&normal, 4);
        // Uniform, two-valued, exponential and Laplace, each of mean 0 and variance 1.
        let mut draw = || {
            let exponential = |u: f64| -(1.0 - u).ln();
            let (u, v) = (generator.draw(), generator.draw());
            let [a, b, c] = [(); 3].map(|()| generator.draw());
            [
                (2.0 * a - 1.0) * 3.0_f64.sqrt(),
                if b < 0.5 { -1.0 } else { 1.0 },
                exponential(c) - 1.0,
                (exponential(u) - exponential(v)) * std::f64::consts::FRAC_1_SQRT_2,
            ]
        };
        let mut rows = Vec::new();
        for _ in 0..20_000 {
            let things = draw();
            rows.extend((0..4).map(|i| dot(&mixing[i * 4..][..4], &things)));
        }
        let found = independent_components(&rows, 4, &mut generator);
        // Component times mixing is one of the things: a row of zeros and one ±1.
        for row in found.chunks_exact(4) {
            let weights = (0..4).map(|j| (0..4).map(|i| row[i] * mixing[i * 4 + j]).sum::<f64>());
            let mut weights: Vec<f64> = weights.map(f64::abs).collect();
            weights.sort_by(f64::total_cmp);
            assert!(weights[3] > 0.999 && weights[2] < 0.04, "{weights:?}");
        }
    }

    #[test]
    fn normal_data_and_no_data_give_some_rotation() {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(3);
        let rows: Vec<f64> = (0..3000)
            .map(|_| StandardNormal.sample(&mut generator))
            .collect();
        for rows in [&rows[..], &[]] {
            let found = independent_components(rows, 3, &mut generator);
            for (i, a) in found.chunks_exact(3).enumerate() {
                for (j, b) in found.chunks_exact(3).enumerate() {
                    let expected = f64::from(u8::from(i == j));
                    assert!((dot(a, b) - expected).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn the_constant_is_the_mean_of_ln_cosh_of_normal_numbers() {
        // By the trapezoidal rule, which is exact to the last digits for such functions.
        let step = 1e-3;
        let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let sum: f64 = (-12_000..=12_000)
            .map(|n| f64::from(n) * step)
            .map(|x| log_cosh(x) * density(x) * step)
            .sum();
        assert!((sum - NORMAL).abs() < 1e-9, "{sum}");
    }
}
