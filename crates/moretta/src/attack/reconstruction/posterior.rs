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
    place: usize,
    /// Originals in the order of the stream; that of the unknown record changes.
    inputs: Vec<f64>,
    /// Releases, with what is known of their noise taken off.
    outputs: Vec<f64>,
    output: Vec<f64>,
    anchored: bool,
    unknown_noise: Option<f64>,
    prior: Option<Prior>,
    likelihood: Likelihood,
    vectors: Vectors,
    by: Vectors,
}

/// Inputs and outputs as the likelihood takes them, or gradients by them.
#[derive(Default)]
struct Vectors {
    inputs: Vec<f64>,
    outputs: Vec<f64>,
}

/// Where features are expected: independent normals.
pub(super) struct Prior {
    pub(super) means: Vec<f64>,
    pub(super) variance: f64,
}

/// What makes one attack differ from another.
pub(super) struct Assumptions<'a> {
    /// Releases of the known records without their noise.
    pub(super) outputs: Vec<f64>,
    /// The release of the unknown record without what is known of its noise.
    pub(super) output: Vec<f64>,
    /// Records are taken relative to the first.
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
        let place = evidence.place();
        let mut rows = evidence.rows.clone();
        rows.insert(place, evidence.row);
        let mut inputs = evidence.inputs.concat();
        inputs.splice(place * m..place * m, std::iter::repeat_n(0.0, m));
        let mut outputs = assumptions.outputs;
        outputs.splice(place * k..place * k, assumptions.output.iter().copied());
        let noise = noise(&rows, assumptions.anchored, assumptions.covariance);
        let likelihood = Likelihood::new(m, k, noise);
        let q = likelihood.vectors();
        let vectors = || Vectors {
            inputs: vec![0.0; q * m],
            outputs: vec![0.0; q * k],
        };
        Posterior {
            m,
            k,
            place,
            inputs,
            outputs,
            output: assumptions.output,
            anchored: assumptions.anchored,
            unknown_noise: assumptions.unknown_noise,
            prior: assumptions.prior,
            vectors: vectors(),
            by: vectors(),
            likelihood,
        }
    }

    /// Deviation of the noise that is searched for.
    pub(super) fn unknown_noise(&self) -> Option<f64> {
        self.unknown_noise
    }

    fn assume(&mut self, point: &[f64]) {
        let (features, noise) = point.split_at(self.m);
        self.inputs[self.place * self.m..][..self.m].copy_from_slice(features);
        let output = &mut self.outputs[self.place * self.k..][..self.k];
        for ((output, &seen), noise) in output.iter_mut().zip(&self.output).zip(noise) {
            *output = seen - noise;
        }
        relative(
            &self.inputs,
            self.m,
            self.anchored,
            &mut self.vectors.inputs,
        );
        relative(
            &self.outputs,
            self.k,
            self.anchored,
            &mut self.vectors.outputs,
        );
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
        let density = self
            .likelihood
            .value(&self.vectors.inputs, &self.vectors.outputs);
        self.combine(density, point).0
    }

    fn gradient(&mut self, point: &[f64], gradient: &mut [f64]) -> f64 {
        self.assume(point);
        let density = self.likelihood.gradients(
            &self.vectors.inputs,
            &self.vectors.outputs,
            &mut self.by.inputs,
            &mut self.by.outputs,
        );
        let (value, weight) = self.combine(density, point);
        let (m, k) = (self.m, self.k);
        let (features, noise) = gradient.split_at_mut(m);
        collect(
            &self.by.inputs,
            m,
            self.anchored,
            self.place,
            weight,
            features,
        );
        if let Some(prior) = &self.prior {
            prior.add_gradient(&point[..m], features);
        }
        if let Some(deviation) = self.unknown_noise {
            // More noise is less output.
            collect(
                &self.by.outputs,
                k,
                self.anchored,
                self.place,
                -weight,
                noise,
            );
            let share = weight / (k as f64 * deviation * deviation);
            for (by, &noise) in noise.iter_mut().zip(&point[m..]) {
                *by -= share * noise;
            }
        }
        value
    }
}

impl Prior {
    fn value(&self, features: &[f64]) -> f64 {
        let both = features.iter().zip(&self.means);
        let squares: f64 = both.map(|(x, mean)| (x - mean) * (x - mean)).sum();
        -0.5 * squares / self.variance
    }

    fn add_gradient(&self, features: &[f64], gradient: &mut [f64]) {
        for ((by, x), mean) in gradient.iter_mut().zip(features).zip(&self.means) {
            *by -= (x - mean) / self.variance;
        }
    }
}

/// Vectors as they are, or all but the first relative to it.
pub(super) fn relative(vectors: &[f64], width: usize, anchored: bool, out: &mut [f64]) {
    if !anchored {
        out.copy_from_slice(vectors);
        return;
    }
    let (first, others) = vectors.split_at(width);
    for (out, other) in out.chunks_exact_mut(width).zip(others.chunks_exact(width)) {
        for ((out, other), first) in out.iter_mut().zip(other).zip(first) {
            *out = other - first;
        }
    }
}

/// The gradient by the vector at `place`, of gradients by relative ones.
fn collect(by: &[f64], width: usize, anchored: bool, place: usize, weight: f64, out: &mut [f64]) {
    out.fill(0.0);
    let mut add = |weight: f64, vector: &[f64]| {
        let both = out.iter_mut().zip(vector);
        both.for_each(|(out, by)| *out += weight * by);
    };
    match (anchored, place) {
        (false, _) => add(weight, &by[place * width..][..width]),
        (true, 1..) => add(weight, &by[(place - 1) * width..][..width]),
        // All others move the other way when the first one moves.
        (true, 0) => by
            .chunks_exact(width)
            .for_each(|vector| add(-weight, vector)),
    }
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
                prior: Some(Prior { means: vec![0.5; m], variance: 0.1 }),
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
