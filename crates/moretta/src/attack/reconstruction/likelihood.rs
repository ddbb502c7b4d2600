//! The density of projected records, given their originals.
//!
//! Of q vectors xᵢ of m features and yᵢ of k numbers each, the k columns of the y are
//! independent draws of N(0, Σ) with Σᵢⱼ = xᵢ·xⱼ/k + Cᵢⱼ. So the logarithm of the
//! density needs one factor of a q × q matrix, and not of a kq × kq one.

use crate::math::cholesky::Cholesky;
use std::f64::consts::TAU;

/// The density, with room to compute it.
pub(super) struct Likelihood {
    m: usize,
    k: usize,
    /// q × q.
    noise: Vec<f64>,
    factor: Cholesky,
    /// Σ⁻¹·Y, q × k.
    solved: Vec<f64>,
    /// The solved numbers times the originals, k × m.
    mixed: Vec<f64>,
}

impl Likelihood {
    /// For records of m features and k numbers, with noise of this covariance, a
    /// square matrix.
    pub(super) fn new(m: usize, k: usize, noise: Vec<f64>) -> Self {
        let q = noise.len().isqrt();
        Likelihood {
            m,
            k,
            factor: Cholesky::new(q),
            solved: vec![0.0; q * k],
            mixed: vec![0.0; k * m],
            noise,
        }
    }

    /// How many vectors there are: q.
    pub(super) fn vectors(&self) -> usize {
        self.factor.width()
    }

    /// The logarithm of the density; −∞ where the covariance is singular.
    pub(super) fn value(&mut self, inputs: &[f64], outputs: &[f64]) -> f64 {
        let (m, k, q) = (self.m, self.k, self.vectors());
        let noise = &self.noise;
        let input = |i: usize| &inputs[i * m..][..m];
        let scale = 1.0 / k as f64;
        self.factor
            .factor(|i, j| scale * dot(input(i), input(j)) + noise[i * q + j]);
        if !self.factor.is_definite() {
            return f64::NEG_INFINITY;
        }
        self.solved.copy_from_slice(outputs);
        self.factor.solve_lower(&mut self.solved, k);
        let squares = dot(&self.solved, &self.solved);
        let columns = q as f64 * TAU.ln() + self.factor.log_determinant();
        -0.5 * (k as f64 * columns + squares)
    }

    /// The same, with its gradients by all inputs and outputs.
    pub(super) fn gradients(
        &mut self,
        inputs: &[f64],
        outputs: &[f64],
        by_inputs: &mut [f64],
        by_outputs: &mut [f64],
    ) -> f64 {
        let value = self.value(inputs, outputs);
        if value == f64::NEG_INFINITY {
            return value;
        }
        let (m, k) = (self.m, self.k);
        self.factor.solve_upper(&mut self.solved, k);
        for (by, solved) in by_outputs.iter_mut().zip(&self.solved) {
            *by = -solved;
        }
        // With V = Σ⁻¹Y: ∂/∂X = −Σ⁻¹X + V(VᵀX)/k.
        by_inputs.copy_from_slice(inputs);
        self.factor.solve(by_inputs, m);
        by_inputs.iter_mut().for_each(|by| *by = -*by);
        self.mixed.fill(0.0);
        for (solved, input) in self.solved.chunks_exact(k).zip(inputs.chunks_exact(m)) {
            for (&share, mixed) in solved.iter().zip(self.mixed.chunks_exact_mut(m)) {
                add(mixed, share, input);
            }
        }
        let scale = 1.0 / k as f64;
        for (solved, by) in self
            .solved
            .chunks_exact(k)
            .zip(by_inputs.chunks_exact_mut(m))
        {
            for (&share, mixed) in solved.iter().zip(self.mixed.chunks_exact(m)) {
                add(by, scale * share, mixed);
            }
        }
        value
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}

fn add(to: &mut [f64], share: f64, of: &[f64]) {
    for (to, of) in to.iter_mut().zip(of) {
        *to += share * of;
    }
}

#[cfg(test)]
mod tests {
    use super::super::naive;
    use super::*;
    use proptest::prelude::*;

    /// Numbers for q vectors, and a covariance of noise that is L·Lᵀ.
    fn any_case() -> impl Strategy<Value = (usize, usize, usize, Vec<f64>, Vec<f64>, Vec<f64>)> {
        (1..5_usize, 0..4_usize, 1..6_usize).prop_flat_map(|(q, more, k)| {
            let m = q + more;
            let numbers = |n| prop::collection::vec(-1.0..1.0_f64, n);
            (
                Just(q),
                Just(m),
                Just(k),
                numbers(q * m),
                numbers(q * k),
                numbers(q * q),
            )
        })
    }

    fn covariance(q: usize, root: &[f64]) -> Vec<f64> {
        let entry = |n: usize| -> f64 {
            let (i, j) = (n / q, n % q);
            (0..q).map(|c| root[i * q + c] * root[j * q + c]).sum()
        };
        (0..q * q).map(entry).collect()
    }

    proptest! {
        #[test]
        fn it_is_the_density_with_the_full_covariance((q, m, k, x, y, root) in any_case()) {
            for noise in [vec![0.0; q * q], covariance(q, &root)] {
                let naive = naive::log_density(m, k, &x, &y, &noise);
                let found = Likelihood::new(m, k, noise).value(&x, &y);
                if let Some(naive) = naive {
                    let tolerance = 1e-8 * naive.abs().max(1.0);
                    prop_assert!((found - naive).abs() <= tolerance, "{found} {naive}");
                }
            }
        }

        #[test]
        fn its_gradients_are_its_slopes((q, m, k, x, y, root) in any_case()) {
            let mut noise = covariance(q, &root);
            (0..q).for_each(|i| noise[i * q + i] += 0.5);
            let mut likelihood = Likelihood::new(m, k, noise);
            let (mut by_x, mut by_y) = (vec![0.0; q * m], vec![0.0; q * k]);
            let value = likelihood.gradients(&x, &y, &mut by_x, &mut by_y);
            prop_assert_eq!(value, likelihood.value(&x, &y));
            let step = 1e-5;
            let mut check = |place: usize, by: f64, is_input: bool| {
                let mut slope = |sign: f64| {
                    let (mut x, mut y) = (x.clone(), y.clone());
                    if is_input { x[place] += sign * step } else { y[place] += sign * step }
                    sign * likelihood.value(&x, &y) / (2.0 * step)
                };
                let expected = slope(1.0) + slope(-1.0);
                let tolerance = 1e-4 * expected.abs().max(1.0);
                assert!((by - expected).abs() < tolerance, "{by} {expected}");
            };
            by_x.iter().enumerate().for_each(|(place, &by)| check(place, by, true));
            by_y.iter().enumerate().for_each(|(place, &by)| check(place, by, false));
        }
    }
}
