//! The density with the covariance of all k·q numbers written out: slow and plain, to
//! hold the fast one against. Tests use it, and `bench/costs` includes this
//! file; the library does not know it.

use crate::attack::reconstruction::Evidence;
use crate::math::cholesky::Cholesky;
use crate::math::optimize::Objective;
use crate::math::uniform::Uniform;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
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

/// A-RP as published, as a function of the unknown record.
pub(super) struct FullCovariance<'a>(pub(super) &'a Evidence<'a>);

impl Objective for FullCovariance<'_> {
    fn value(&mut self, point: &[f64]) -> f64 {
        let (m, k) = (point.len(), self.0.output.len());
        let x = relative(&self.0.inputs, point);
        let y = relative(&self.0.outputs, self.0.output);
        let noise = vec![0.0; self.0.inputs.len() * self.0.inputs.len()];
        log_density(m, k, &x, &y, &noise).unwrap_or(f64::NEG_INFINITY)
    }

    fn gradient(&mut self, point: &[f64], _: &mut [f64]) -> f64 {
        self.value(point)
    }
}

/// All vectors but the first, and the last one, less the first.
pub(super) fn relative(vectors: &[&[f64]], last: &[f64]) -> Vec<f64> {
    let others = vectors[1..].iter().copied().chain([last]);
    others
        .flat_map(|vector| vector.iter().zip(vectors[0]).map(|(a, b)| a - b))
        .collect()
}

/// Uniform records and their projections.
pub(super) struct Projected {
    m: usize,
    k: usize,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
}

impl Projected {
    pub(super) fn draw(
        m: usize,
        k: usize,
        records: usize,
        generator: &mut Xoshiro256PlusPlus,
    ) -> Self {
        let inputs: Vec<f64> = (0..m * records).map(|_| generator.draw()).collect();
        let mut normal = || -> f64 { StandardNormal.sample(&mut *generator) };
        let matrix: Vec<f64> = (0..m * k).map(|_| normal() / (k as f64).sqrt()).collect();
        let project = |x: &[f64], j: usize| -> f64 {
            let column = matrix[j..].iter().step_by(k);
            x.iter().zip(column).map(|(x, r)| x * r).sum()
        };
        let rows = inputs.chunks(m);
        let outputs = rows.flat_map(|x| (0..k).map(move |j| project(x, j)));
        Projected {
            m,
            k,
            outputs: outputs.collect(),
            inputs,
        }
    }

    /// All records are known but the last.
    pub(super) fn evidence(&self) -> Evidence<'_> {
        let known = self.inputs.len() / self.m - 1;
        Evidence {
            rows: (0..known as u64).collect(),
            inputs: self.inputs.chunks(self.m).take(known).collect(),
            outputs: self.outputs.chunks(self.k).take(known).collect(),
            row: known as u64,
            output: &self.outputs[known * self.k..],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Attack, Blur, Optimizer, Search, reconstruct};
    use super::*;
    use crate::math::optimize::nelder_mead;
    use rand_core::SeedableRng;

    #[test]
    fn an_attack_climbs_as_high_as_the_simplex_on_the_full_covariance() {
        let (m, k, known, attacks) = (10, 10, 9, 2);
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(4);
        for _ in 0..attacks {
            let projected = Projected::draw(m, k, known + 1, &mut generator);
            let evidence = projected.evidence();
            let mut full = FullCovariance(&evidence);
            let slow = nelder_mead(&mut full, &vec![0.5; m], 1e-4, 200 * m);
            let (blur, optimizer) = (Blur::None, Optimizer::Lbfgs);
            let search = Search {
                optimizer,
                starts: 1,
            };
            let attack = Attack::Projection;
            let found = reconstruct(attack, &evidence, blur, false, search, &mut generator);
            let found = found.expect("the records are independent");
            let fast = full.value(&found.record);
            let reached = slow.value - 1e-3 * slow.value.abs();
            assert!(fast >= reached, "{fast} {}", slow.value);
        }
    }
}
