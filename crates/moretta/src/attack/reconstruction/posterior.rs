//! How probable an original is, given the evidence.

use super::evidence::Evidence;
use super::likelihood::Likelihood;
use crate::math::optimize::Objective;
use std::f64::consts::TAU;

/// Densities above e to this are taken for it, as the published attacks do.
const CAP: f64 = 1e6;

/// The score of an original of the unknown record: its m features and, where its
/// noise is searched for too, k numbers of noise.
pub(super) struct Posterior {
    m: usize,
    k: usize,
    /// What all records are taken relative to.
    anchor: (Vec<f64>, Vec<f64>),
    /// The release of the unknown record, without what is known of its noise.
    output: Vec<f64>,
    unknown_noise: Option<f64>,
    prior: Option<Prior>,
    likelihood: Likelihood,
    /// What is assumed of the unknown record, relative to the anchor.
    assumed: (Vec<f64>, Vec<f64>),
    by_output: Vec<f64>,
}

/// Where features are expected: independent normals.
pub(super) struct Prior {
    pub(super) means: Vec<f64>,
    pub(super) variances: Vec<f64>,
}

/// What makes one attack differ from another.
pub(super) struct Assumptions<'a> {
    /// Releases of the known records without their noise.
    pub(super) outputs: Vec<f64>,
    /// The release of the unknown record without what is known of its noise.
    pub(super) output: Vec<f64>,
    /// Records are taken relative to the first known one. Relative to any other the
    /// density is the same.
    pub(super) anchored: bool,
    /// Deviation of noise of the unknown record that is searched for.
    pub(super) unknown_noise: Option<f64>,
    /// Covariance of noise between two rows, where it is integrated out.
    pub(super) covariance: &'a dyn Fn(u64, u64) -> f64,
    pub(super) prior: Option<Prior>,
}

impl Posterior {
    pub(super) fn new(evidence: &Evidence<'_>, assumptions: Assumptions<'_>) -> Self {
        let (m, k) = (evidence.features(), evidence.output.len());
        let anchored = assumptions.anchored;
        let mut rows = evidence.rows.clone();
        rows.push(evidence.row);
        let noise = noise(&rows, anchored, assumptions.covariance);
        let inputs = evidence.inputs.concat();
        let anchor = |vectors: &[f64], width: usize| match anchored {
            true => vectors[..width].to_vec(),
            false => vec![0.0; width],
        };
        Posterior {
            m,
            k,
            anchor: (anchor(&inputs, m), anchor(&assumptions.outputs, k)),
            output: assumptions.output,
            unknown_noise: assumptions.unknown_noise,
            prior: assumptions.prior,
            likelihood: Likelihood::new(
                m,
                k,
                relative(inputs, m, anchored),
                relative(assumptions.outputs, k, anchored),
                &noise,
            ),
            assumed: (vec![0.0; m], vec![0.0; k]),
            by_output: vec![0.0; k],
        }
    }

    /// Deviation of the noise that is searched for.
    pub(super) fn unknown_noise(&self) -> Option<f64> {
        self.unknown_noise
    }

    fn assume(&mut self, point: &[f64]) {
        let (features, noise) = point.split_at(self.m);
        let (input, output) = &mut self.assumed;
        subtract(features, &self.anchor.0, input);
        subtract(&self.output, &self.anchor.1, output);
        for (output, noise) in output.iter_mut().zip(noise) {
            *output -= noise;
        }
    }

    /// Weighs the density of the outputs with what is expected of noise and features;
    /// gives the weight of the former.
    fn combine(&self, density: f64, point: &[f64]) -> (f64, f64) {
        let (features, noise) = point.split_at(self.m);
        let expected = self
            .prior
            .as_ref()
            .map_or(0.0, |prior| prior.value(features));
        let Some(deviation) = self.unknown_noise else {
            return (density + expected, 1.0);
        };
        let squares: f64 = noise.iter().map(|noise| noise * noise).sum();
        let variance = deviation * deviation;
        let mean = -0.5 * ((TAU * variance).ln() + squares / variance / self.k as f64);
        (0.5 * (density.min(CAP) + mean.min(CAP)) + expected, 0.5)
    }
}

impl Objective for Posterior {
    fn value(&mut self, point: &[f64]) -> f64 {
        self.assume(point);
        let density = self.likelihood.value(&self.assumed.0, &self.assumed.1);
        self.combine(density, point).0
    }

    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> f64 {
        self.assume(point);
        let (features, noise) = gradient.split_at_mut(self.m);
        let (input, output) = &self.assumed;
        let by_output = &mut self.by_output;
        let density = self
            .likelihood
            .gradients(input, output, features, by_output);
        let (value, weight) = self.combine(density, point);
        features.iter_mut().for_each(|by| *by *= weight);
        if let Some(prior) = &self.prior {
            prior.add_gradient(&point[..self.m], features);
        }
        if let Some(deviation) = self.unknown_noise {
            let share = weight / (self.k as f64 * deviation * deviation);
            let outputs = self.by_output.iter().zip(&point[self.m..]);
            for (by, (by_output, assumed)) in noise.iter_mut().zip(outputs) {
                // More noise is less output.
                *by = -weight * by_output - share * assumed;
            }
        }
        value
    }
}

impl Prior {
    fn value(&self, features: &[f64]) -> f64 {
        let expected = self.means.iter().zip(&self.variances);
        let squares = features.iter().zip(expected);
        -0.5 * squares
            .map(|(x, (mean, variance))| (x - mean) * (x - mean) / variance)
            .sum::<f64>()
    }

    fn add_gradient(&self, features: &[f64], gradient: &mut [f64]) {
        let expected = self.means.iter().zip(&self.variances);
        for ((by, x), (mean, variance)) in gradient.iter_mut().zip(features).zip(expected) {
            *by -= (x - mean) / variance;
        }
    }
}

fn subtract(from: &[f64], what: &[f64], out: &mut [f64]) {
    for ((out, from), what) in out.iter_mut().zip(from).zip(what) {
        *out = from - what;
    }
}

/// Vectors as they are, or all but the first relative to it.
pub(super) fn relative(mut vectors: Vec<f64>, width: usize, anchored: bool) -> Vec<f64> {
    if anchored {
        let others = vectors.split_off(width);
        let first = vectors.iter().cycle();
        return others
            .iter()
            .zip(first)
            .map(|(other, first)| other - first)
            .collect();
    }
    vectors
}

/// Covariance of the noise of rows, or of all but the first relative to it.
pub(super) fn noise(
    rows: &[u64],
    anchored: bool,
    covariance: &dyn Fn(u64, u64) -> f64,
) -> Vec<f64> {
    let pairs = |rows: &[u64], entry: &dyn Fn(u64, u64) -> f64| -> Vec<f64> {
        let pairs = rows.iter().flat_map(|&a| rows.iter().map(move |&b| (a, b)));
        pairs.map(|(a, b)| entry(a, b)).collect()
    };
    match (anchored, rows.split_first()) {
        (true, Some((&first, others))) => pairs(others, &|a, b| {
            covariance(a, b) - covariance(a, first) - covariance(first, b)
                + covariance(first, first)
        }),
        _ => pairs(rows, covariance),
    }
}

#[cfg(test)]
mod tests {
    use super::super::blur::Blur;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_gradient_is_the_slope_wherever_the_unknown_record_is(
            numbers in prop::collection::vec(0.05..1.0_f64, 3 * 5 + 3 * 4 + 4),
            point in prop::collection::vec(0.05..1.0_f64, 9),
            row in 0..4_u64, anchored in any::<bool>(), searched in any::<bool>(),
        ) {
            let (m, k) = (5, 4);
            let (inputs, outputs) = numbers.split_at(3 * m);
            let evidence = Evidence {
                rows: vec![1, 3, 5],
                inputs: inputs.chunks(m).collect(),
                outputs: outputs[..3 * k].chunks(k).collect(),
                row: 2 * row,
                output: &outputs[3 * k..],
            };
            let blur = Blur::Cumulative { deviation: 0.3, reset: None };
            let mut posterior = Posterior::new(&evidence, Assumptions {
                outputs: evidence.outputs.concat(),
                output: evidence.output.to_vec(),
                anchored,
                unknown_noise: searched.then_some(0.2),
                covariance: &|a, b| blur.covariance(a, b),
                prior: Some(Prior { means: vec![0.5; m], variances: vec![0.1; m] }),
            });
            let point = if searched { point } else { point[..m].to_vec() };
            let mut gradient = vec![0.0; point.len()];
            let value = posterior.gradient(&point, &mut gradient);
            prop_assert!((value - posterior.value(&point)).abs() < 1e-9);
            for (place, &by) in gradient.iter().enumerate() {
                let mut at = |step: f64| {
                    let mut moved = point.clone();
                    moved[place] += step;
                    posterior.value(&moved)
                };
                let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                prop_assert!((by - slope).abs() < 1e-4 * slope.abs().max(1.0), "{by} {slope}");
            }
        }
    }
}
