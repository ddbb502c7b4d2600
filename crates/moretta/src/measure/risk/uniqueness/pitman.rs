//! Pitman's sampling formula, fitted by maximum likelihood (Hoshino 2001).
//!
//! The two parameters θ and α solve
//! Σᵢ 1/(θ + iα) = Σᵢ 1/(θ + i) and Σᵢ i/(θ + iα) = Σⱼ cⱼ Σᵢ 1/(i - α);
//! Γ(θ + 1)/Γ(θ + α) N^α persons are then unique. Sums are differences of digamma functions,
//! so that a step costs as many operations as there are sizes, not persons.

use super::Sample;
use crate::math::digamma::{digamma, trigamma};

/// Both equations hold to this.
const RESIDUAL: f64 = 1e-6;

/// Steps from one start.
const STEPS: usize = 200;

/// The parameters of the formula.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameters {
    pub(super) theta: f64,
    pub(super) alpha: f64,
}

/// How many persons of the population are alone; none where the formula does not fit.
pub(super) fn uniques(sample: &Sample) -> Option<f64> {
    let Parameters { theta, alpha } = fit(sample)?;
    let log = libm::lgamma(theta + 1.0) - libm::lgamma(theta + alpha);
    let uniques = (log + alpha * sample.population.ln()).exp();
    (0.0..=sample.population)
        .contains(&uniques)
        .then_some(uniques)
}

/// The parameters that make the sample most probable.
pub(super) fn fit(sample: &Sample) -> Option<Parameters> {
    let n = sample.persons;
    let grid = [0.5, 0.1, 0.9, 0.01, 0.3, 0.7].into_iter();
    let grid = grid.flat_map(|alpha| {
        let thetas = [1.0, 10.0, 100.0, 1e3, 1e4, n / 2.0].into_iter();
        thetas.map(move |theta| Parameters { theta, alpha })
    });
    let mut starts = hoshino(sample).into_iter().chain(grid);
    starts.find_map(|start| newton(sample, start))
}

/// Where Hoshino starts, if that is inside of what is allowed.
fn hoshino(sample: &Sample) -> Option<Parameters> {
    let (n, u) = (sample.persons, sample.count());
    let (one, two) = (sample.of_size(1.0), sample.of_size(2.0));
    let c = one * (one - 1.0) / two.max(1.0);
    let theta = (n * u * c - one * (n - 1.0) * (2.0 * u + c)) / (2.0 * one * u + one * c - n * c);
    let alpha = (theta * (one - n) + (n - 1.0) * one) / (n * u);
    let start = Parameters { theta, alpha };
    start.is_allowed().then_some(start)
}

/// Newton's steps, halved while they lead further away or out of what is allowed.
fn newton(sample: &Sample, start: Parameters) -> Option<Parameters> {
    let mut here = start;
    let mut equations = Equations::at(sample, here);
    for _ in 0..STEPS {
        if equations.largest() <= RESIDUAL {
            return Some(here);
        }
        let (theta, alpha) = equations.step()?;
        let mut share = 1.0;
        loop {
            let there = Parameters {
                theta: here.theta + share * theta,
                alpha: here.alpha + share * alpha,
            };
            if there.is_allowed() {
                let next = Equations::at(sample, there);
                if next.distance() < equations.distance() {
                    (here, equations) = (there, next);
                    break;
                }
            }
            share /= 2.0;
            if share < 1e-12 {
                return None;
            }
        }
    }
    None
}

impl Parameters {
    fn is_allowed(self) -> bool {
        self.theta >= 0.0 && self.alpha > 0.0 && self.alpha < 1.0
    }
}

/// By how much both equations are missed, and how that changes with θ and α.
struct Equations {
    missed: [f64; 2],
    /// By θ and by α of the first, by α of the second; by θ it is as the first by α.
    slopes: [f64; 3],
}

impl Equations {
    fn at(sample: &Sample, Parameters { theta, alpha }: Parameters) -> Self {
        let (n, u) = (sample.persons, sample.count());
        let ratio = theta / alpha;
        // Σ 1/(θ + iα) and Σ 1/(θ + iα)² for i from 1 to u - 1.
        let first = (digamma(ratio + u) - digamma(ratio + 1.0)) / alpha;
        let second = (trigamma(ratio + 1.0) - trigamma(ratio + u)) / (alpha * alpha);
        let persons = digamma(theta + n) - digamma(theta + 1.0);
        let persons_squared = trigamma(theta + 1.0) - trigamma(theta + n);
        let weighted = ((u - 1.0) - theta * first) / alpha;
        let weighted_squared = (first - theta * second) / alpha;
        let square_squared =
            ((u - 1.0) - 2.0 * theta * first + theta * theta * second) / (alpha * alpha);
        let (from, from_squared) = (digamma(1.0 - alpha), trigamma(1.0 - alpha));
        let larger = sample.classes.iter().filter(|(size, _)| *size > 1.0);
        let (mut classes, mut classes_squared) = (0.0, 0.0);
        for &(size, count) in larger {
            classes += count * (digamma(size - alpha) - from);
            classes_squared += count * (from_squared - trigamma(size - alpha));
        }
        Equations {
            missed: [first - persons, weighted - classes],
            slopes: [
                persons_squared - second,
                -weighted_squared,
                -square_squared - classes_squared,
            ],
        }
    }

    fn largest(&self) -> f64 {
        self.missed[0].abs().max(self.missed[1].abs())
    }

    fn distance(&self) -> f64 {
        self.missed[0].hypot(self.missed[1])
    }

    fn step(&self) -> Option<(f64, f64)> {
        let [a, b, c] = self.slopes;
        let determinant = a * c - b * b;
        let [p, q] = self.missed;
        let step = ((b * q - c * p) / determinant, (b * p - a * q) / determinant);
        (step.0.is_finite() && step.1.is_finite()).then_some(step)
    }
}
