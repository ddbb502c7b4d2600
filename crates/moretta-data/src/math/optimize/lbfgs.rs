//! L-BFGS: steps along the gradient, bent by what the last steps told of the curvature.
//!
//! The step length keeps to the weak conditions of Wolfe, found by doubling and
//! bisection, which also finds its way back from where the function is not defined.
//! From Liu and Nocedal 1989; the line search from Lewis and Overton 2013.

use super::{Maximum, Objective};
use std::collections::VecDeque;

/// Steps that are remembered.
const MEMORY: usize = 8;

/// Of the slope: how much a step must gain, and how flat it must become.
const GAIN: f64 = 1e-4;
const FLAT: f64 = 0.9;

/// Gains below this share of the value are rounding.
const SETTLED: f64 = 1e-12;

/// Climbs from `start` with at most so many evaluations.
pub fn lbfgs(objective: &mut impl Objective, start: &[f64], most: usize) -> Maximum {
    let mut at = Place::new(start.to_vec());
    at.evaluate(objective);
    let mut evaluations = 1;
    let mut memory = Memory::default();
    while at.value.is_finite() && evaluations < most {
        let mut direction = memory.bend(&at.gradient);
        let mut slope = dot(&direction, &at.gradient);
        if slope <= 0.0 || !slope.is_finite() {
            memory = Memory::default();
            direction.clone_from(&at.gradient);
            slope = dot(&direction, &direction);
        }
        if slope <= SETTLED * SETTLED {
            break;
        }
        // Nothing is known of the scale before the first step.
        let length = match memory.steps.is_empty() {
            true => (0.1 / slope.sqrt()).min(1.0),
            false => 1.0,
        };
        let left = most - evaluations;
        let (next, used) = search(objective, &at, &direction, slope, length, left);
        evaluations += used;
        let Some(next) = next else { break };
        let gained = next.value - at.value;
        memory.remember(&at, &next);
        at = next;
        if gained <= SETTLED * at.value.abs().max(1.0) {
            break;
        }
    }
    Maximum {
        point: at.point,
        value: at.value,
        evaluations,
    }
}

/// A point with what is known of it.
struct Place {
    point: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
}

impl Place {
    #[inline]
    fn new(point: Vec<f64>) -> Self {
        Place {
            gradient: vec![0.0; point.len()],
            value: f64::NEG_INFINITY,
            point,
        }
    }

    fn evaluate(&mut self, objective: &mut impl Objective) {
        self.value = objective.gradient(&self.point, &mut self.gradient);
        let finite = self.gradient.iter().all(|value| value.is_finite());
        if !finite || self.value.is_nan() {
            self.value = f64::NEG_INFINITY;
        }
    }
}

/// The point along `direction` that gains enough, if one is found, and the evaluations.
fn search(
    objective: &mut impl Objective,
    from: &Place,
    direction: &[f64],
    slope: f64,
    mut length: f64,
    most: usize,
) -> (Option<Place>, usize) {
    const TRIALS: usize = 40;
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut best: Option<Place> = None;
    let trials = TRIALS.min(most);
    for trial in 1..=trials {
        let along = from.point.iter().zip(direction);
        let mut next = Place::new(along.map(|(x, d)| x + length * d).collect());
        next.evaluate(objective);
        if next.value < from.value + GAIN * length * slope || next.value == f64::NEG_INFINITY {
            high = length;
        } else {
            let flat = dot(&next.gradient, direction) <= FLAT * slope;
            best = Some(next);
            if flat {
                return (best, trial);
            }
            low = length;
        }
        length = match high.is_finite() {
            true => 0.5 * (low + high),
            false => 2.0 * low,
        };
    }
    (best, trials)
}

#[derive(Default)]
struct Memory {
    /// Steps, changes of the gradient, and one over their product.
    steps: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
}

impl Memory {
    fn remember(&mut self, from: &Place, to: &Place) {
        let minus =
            |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
        let step = minus(&to.point, &from.point);
        // The gradient falls towards a maximum.
        let change = minus(&from.gradient, &to.gradient);
        let product = dot(&step, &change);
        if product > f64::EPSILON * dot(&change, &change) {
            if self.steps.len() == MEMORY {
                self.steps.pop_front();
            }
            self.steps.push_back((step, change, 1.0 / product));
        }
    }

    /// The inverse of the remembered curvature times the gradient.
    fn bend(&self, gradient: &[f64]) -> Vec<f64> {
        let mut direction = gradient.to_vec();
        let mut shares = Vec::with_capacity(self.steps.len());
        for (step, change, inverse) in self.steps.iter().rev() {
            let share = inverse * dot(step, &direction);
            add(&mut direction, -share, change);
            shares.push(share);
        }
        if let Some((_, change, inverse)) = self.steps.back() {
            let scale = 1.0 / (inverse * dot(change, change));
            direction.iter_mut().for_each(|value| *value *= scale);
        }
        for ((step, change, inverse), share) in self.steps.iter().zip(shares.iter().rev()) {
            let back = inverse * dot(change, &direction);
            add(&mut direction, share - back, step);
        }
        direction
    }
}

#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}

#[inline]
fn add(to: &mut [f64], share: f64, of: &[f64]) {
    for (to, of) in to.iter_mut().zip(of) {
        *to += share * of;
    }
}
