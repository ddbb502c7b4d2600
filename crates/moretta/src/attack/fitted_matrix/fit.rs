//! The search for the matrix: from many starts where records are normal and both sides
//! are smoothed, then with less and less smoothing, and the best of them with kernels.

use super::kernels::Kernels;
use super::normal::Normal;
use super::population::Class;
use super::prior::Prior;
use crate::math::matrix::Matrix;
use crate::math::optimize::{Maximum, lbfgs};
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

/// Multiplications that searches from all starts may cost.
const BUDGET: usize = 600_000_000;

/// Evaluations of a search from one start, after each smaller smoothing, and with kernels.
const EVALUATIONS: [usize; 3] = [200, 150, 60];

/// Deviations of what is added to both sides, one after the other.
const SMOOTHINGS: [f64; 4] = [0.1, 0.03, 0.01, 0.0];

/// Where the search begins, and how far it goes.
pub(super) struct Search<'a> {
    /// A matrix to start from.
    pub(super) given: Option<&'a Matrix>,
    /// Starts that are drawn.
    pub(super) drawn: usize,
    /// Maxima that are refined with kernels; four times as many are followed to the end
    /// of smoothing.
    pub(super) refined: usize,
}

/// The matrix, m × k, that fits both sides best; none if none does.
pub(super) fn fit(
    prior: &Prior,
    classes: &[Class],
    noise: f64,
    search: Search<'_>,
    generator: &mut Xoshiro256PlusPlus,
) -> Option<Matrix> {
    let unknowns = prior.unknowns();
    let start = |_| -> Vec<f64> {
        let normals = StandardNormal.sample_iter(&mut *generator);
        normals.take(unknowns).collect()
    };
    let zero = prior.matrix(&vec![0.0; unknowns]);
    let cost = EVALUATIONS[0] * classes.len() * zero.rows() * zero.values().len();
    let drawn = search.drawn.min((BUDGET / cost.max(1)).max(4));
    if unknowns == 0 {
        return Some(zero);
    }
    let given = search.given.map(|matrix| prior.point(matrix));
    let mut points: Vec<Vec<f64>> = (0..drawn).map(start).chain(given).collect();
    for (place, deviation) in SMOOTHINGS.into_iter().enumerate() {
        let smoothing = deviation * deviation;
        // Noise smooths as well.
        if place > 0 && smoothing > 0.0 && smoothing < 0.3 * noise {
            continue;
        }
        let climb = |point: &Vec<f64>| {
            let mut normal = Normal {
                prior,
                classes,
                noise,
                smoothing,
            };
            lbfgs(&mut normal, point, EVALUATIONS[place.min(1)])
        };
        points = best(points.par_iter().map(climb).collect(), 4 * search.refined);
    }
    let noise = Matrix::diagonal(zero.columns(), noise);
    let refined = points.iter().take(search.refined).map(|point| {
        let mut kernels = Kernels {
            prior,
            classes,
            noise: &noise,
        };
        lbfgs(&mut kernels, point, EVALUATIONS[2])
    });
    let best = best(refined.collect(), 1);
    best.first().map(|point| prior.matrix(point))
}

/// The points of the highest maxima that are not the same.
fn best(mut found: Vec<Maximum>, most: usize) -> Vec<Vec<f64>> {
    const NEAR: f64 = 1e-2;
    found.retain(|maximum| maximum.value.is_finite());
    found.sort_by(|a, b| b.value.total_cmp(&a.value));
    let mut points: Vec<Vec<f64>> = Vec::new();
    for Maximum { point, .. } in found {
        let is_new = points.iter().all(|other| {
            let squares = other.iter().zip(&point).map(|(a, b)| (a - b) * (a - b));
            squares.sum::<f64>() > NEAR * point.len() as f64
        });
        if is_new && points.len() < most {
            points.push(point);
        }
    }
    points
}
