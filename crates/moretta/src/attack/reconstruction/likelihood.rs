//! The density of projected records, given their originals.
//!
//! Of vectors xᵢ of m features and yᵢ of k numbers each, the k columns of the y are
//! independent draws of N(0, Σ) with Σᵢⱼ = xᵢ·xⱼ/k + Cᵢⱼ. So the logarithm of the
//! density needs a factor of one block of Σ, and not of the covariance of all numbers.
//! Only the last vector is unknown: the others are factored once, and what is left is
//! the density of the last release given theirs, N(Wᵀl, s), at p·(m + k + p) a time.

use crate::math::cholesky::Cholesky;
use std::f64::consts::TAU;

/// What is left of a variance below this share of it is rounding.
const TOLERANCE: f64 = 1e-12;

/// The density as a function of the last vector.
pub(super) struct Likelihood {
    m: usize,
    k: usize,
    /// The known inputs, and the factor L of their part of Σ.
    inputs: Vec<f64>,
    factor: Cholesky,
    /// W = L⁻¹·Y of the known outputs, and the logarithm of their density.
    whitened: Vec<f64>,
    known: f64,
    /// Covariances of the last vector's noise with the others', and its variance.
    noise: Vec<f64>,
    /// l = L⁻¹·Σ₁ and what is derived by it.
    shares: Vec<f64>,
    by_shares: Vec<f64>,
    /// What the known outputs do not tell of the last one.
    rest: Vec<f64>,
}

impl Likelihood {
    /// Of known vectors, one after the other; `noise` is a square matrix with one more
    /// line than there are of them.
    pub(super) fn new(
        m: usize,
        k: usize,
        inputs: Vec<f64>,
        mut outputs: Vec<f64>,
        noise: &[f64],
    ) -> Self {
        let q = outputs.len() / k;
        let input = |i: usize| &inputs[i * m..][..m];
        let mut factor = Cholesky::new(q);
        let entry = |i, j| dot(input(i), input(j)) / k as f64 + noise[i * (q + 1) + j];
        factor.factor(entry);
        let mut known = f64::NEG_INFINITY;
        if factor.is_definite() {
            factor.solve_lower(&mut outputs, k);
            let columns = q as f64 * TAU.ln() + factor.log_determinant();
            known = -0.5 * (k as f64 * columns + dot(&outputs, &outputs));
        }
        Likelihood {
            m,
            k,
            inputs,
            factor,
            whitened: outputs,
            known,
            noise: noise[q * (q + 1)..].to_vec(),
            shares: vec![0.0; q],
            by_shares: vec![0.0; q],
            rest: vec![0.0; k],
        }
    }

    /// The logarithm of the density; −∞ where the covariance is singular.
    pub(super) fn value(&mut self, input: &[f64], output: &[f64]) -> f64 {
        match self.condition(input, output) {
            None => f64::NEG_INFINITY,
            Some(variance) => {
                let columns = self.k as f64 * (TAU * variance).ln();
                self.known - 0.5 * (columns + dot(&self.rest, &self.rest) / variance)
            }
        }
    }

    /// Finds the rest and its variance s, if there is any.
    fn condition(&mut self, input: &[f64], output: &[f64]) -> Option<f64> {
        if self.known == f64::NEG_INFINITY {
            return None;
        }
        let scale = 1.0 / self.k as f64;
        let known = self.inputs.chunks_exact(self.m).zip(&self.noise);
        for (share, (known, noise)) in self.shares.iter_mut().zip(known) {
            *share = scale * dot(known, input) + noise;
        }
        self.factor.solve_lower(&mut self.shares, 1);
        let whole = scale * dot(input, input) + self.noise[self.shares.len()];
        let variance = whole - dot(&self.shares, &self.shares);
        self.rest.copy_from_slice(output);
        let whitened = self.whitened.chunks_exact(self.k);
        for (share, row) in self.shares.iter().zip(whitened) {
            add(&mut self.rest, -share, row);
        }
        (variance > TOLERANCE * whole).then_some(variance)
    }

    /// The same, with its gradients by the last input and output.
    pub(super) fn gradients(
        &mut self,
        input: &[f64],
        output: &[f64],
        by_input: &mut [f64],
        by_output: &mut [f64],
    ) -> f64 {
        let value = self.value(input, output);
        if value == f64::NEG_INFINITY {
            return value;
        }
        let scale = 1.0 / self.k as f64;
        let whole = scale * dot(input, input) + self.noise[self.shares.len()];
        let variance = whole - dot(&self.shares, &self.shares);
        for (by, rest) in by_output.iter_mut().zip(&self.rest) {
            *by = -rest / variance;
        }
        let squares = dot(&self.rest, &self.rest) / variance;
        let by_variance = 0.5 * (squares - self.k as f64) / variance;
        let whitened = self.whitened.chunks_exact(self.k);
        let shares = self.shares.iter().zip(whitened);
        for (by, (share, row)) in self.by_shares.iter_mut().zip(shares) {
            *by = dot(row, &self.rest) / variance - 2.0 * share * by_variance;
        }
        self.factor.solve_upper(&mut self.by_shares, 1);
        for (by, x) in by_input.iter_mut().zip(input) {
            *by = 2.0 * scale * by_variance * x;
        }
        for (by, known) in self.by_shares.iter().zip(self.inputs.chunks_exact(self.m)) {
            add(by_input, scale * by, known);
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
        (1..6_usize, 0..4_usize, 1..6_usize).prop_flat_map(|(q, more, k)| {
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
                let (inputs, input) = x.split_at((q - 1) * m);
                let (outputs, output) = y.split_at((q - 1) * k);
                let (inputs, outputs) = (inputs.to_vec(), outputs.to_vec());
                let found = Likelihood::new(m, k, inputs, outputs, &noise).value(input, output);
                if let Some(naive) = naive {
                    let tolerance = 1e-8 * naive.abs().max(1.0);
                    prop_assert!((found - naive).abs() <= tolerance, "{found} {naive}");
                }
            }
        }
    }
}
