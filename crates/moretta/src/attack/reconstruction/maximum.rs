//! The most probable original of an unknown record.

use super::blur::Blur;
use super::evidence::Evidence;
use super::expected::{Reconstruction, UNIFORM, means};
use super::known_matrix;
use super::known_noise;
use super::posterior::{Assumptions, Posterior, Prior};
use crate::math::optimize::{Maximum, lbfgs, nelder_mead};
use crate::math::uniform::Uniform;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;

/// An attack; the module tells what each does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attack {
    /// A-RP: as if there were no noise.
    Projection,
    /// A-RPIN or A-RPCN: noise is estimated and taken off.
    Noise,
    /// The same with the nearest known record only.
    Nearest,
    /// Whichever of the two has the higher score.
    Best,
    /// Noise is integrated out.
    Marginal,
    /// The matrix is solved for.
    KnownMatrix,
}

impl Attack {
    /// Those that make sense with this noise and so many known records of so many features.
    pub fn all(blur: Blur, known: usize, features: usize, translated: bool) -> Vec<Attack> {
        let noisy = blur != Blur::None;
        let solvable = known >= features + usize::from(translated);
        [
            (Attack::Projection, true),
            (Attack::Noise, noisy),
            (Attack::Nearest, known > 1),
            (Attack::Best, known > 1),
            (Attack::Marginal, true),
            (Attack::KnownMatrix, solvable),
        ]
        .into_iter()
        .filter_map(|(attack, sensible)| sensible.then_some(attack))
        .collect()
    }

    /// What it is called.
    pub fn name(self, blur: Blur) -> String {
        let word = blur.word();
        match self {
            Attack::Projection => "A-RP".to_owned(),
            Attack::Noise => word.to_owned(),
            Attack::Nearest => format!("{word}-1"),
            Attack::Best => format!("MAX({word}, {word}-1)"),
            Attack::Marginal => "marginal".to_owned(),
            Attack::KnownMatrix => "known matrix".to_owned(),
        }
    }
}

/// How maxima are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimizer {
    /// Along analytic gradients.
    Lbfgs,
    /// By values alone, as published: threshold 10⁻⁴, 200 evaluations a variable.
    NelderMead,
}

/// A search for a maximum.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// How.
    pub optimizer: Optimizer,
    /// From so many points; the best maximum counts.
    pub starts: usize,
}

/// Attacks one record; none if the evidence allows no guess. `translated`: the
/// projection may have shifted all records.
pub fn reconstruct(
    attack: Attack,
    evidence: &Evidence<'_>,
    blur: Blur,
    translated: bool,
    search: Search,
    generator: &mut Xoshiro256PlusPlus,
) -> Option<Reconstruction> {
    let mut climb = |evidence: &Evidence<'_>, assumptions: Assumptions<'_>| {
        let mut posterior = Posterior::new(evidence, assumptions);
        climb(&mut posterior, evidence, search, generator)
    };
    match attack {
        Attack::Projection => climb(evidence, without_noise(evidence)),
        Attack::Noise => climb(evidence, with_noise(evidence, blur)),
        Attack::Nearest => {
            let nearest = evidence.nearest();
            climb(&nearest, with_noise(&nearest, blur))
        }
        Attack::Best => {
            let nearest = evidence.nearest();
            let all = climb(evidence, with_noise(evidence, blur));
            let one = climb(&nearest, with_noise(&nearest, blur));
            let both = all.into_iter().chain(one);
            both.max_by(|a, b| a.score.total_cmp(&b.score))
        }
        Attack::Marginal => {
            let covariance = |a, b| blur.covariance(a, b);
            let assumptions = Assumptions {
                anchored: translated,
                covariance: &covariance,
                prior: Some(expected(evidence)),
                ..without_noise(evidence)
            };
            climb(evidence, assumptions)
        }
        Attack::KnownMatrix => known_matrix::solve(evidence, blur, translated),
    }
}

fn without_noise(evidence: &Evidence<'_>) -> Assumptions<'static> {
    Assumptions {
        outputs: evidence.outputs.concat(),
        output: evidence.output.to_vec(),
        anchored: true,
        unknown_noise: None,
        covariance: &|_, _| 0.0,
        prior: None,
    }
}

fn with_noise(evidence: &Evidence<'_>, blur: Blur) -> Assumptions<'static> {
    let mut assumptions = without_noise(evidence);
    let estimated = known_noise::estimate(evidence, blur);
    let (shift, deviation) = known_noise::of_unknown(evidence, blur, &estimated);
    subtract(&mut assumptions.outputs, &estimated);
    subtract(&mut assumptions.output, &shift);
    assumptions.unknown_noise = (deviation > 0.0).then_some(deviation);
    assumptions
}

fn subtract(from: &mut [f64], what: &[f64]) {
    for (from, what) in from.iter_mut().zip(what) {
        *from -= what;
    }
}

/// The unknown record is expected where the known ones are; a feature of uniform
/// variance counts as one more of them.
fn expected(evidence: &Evidence<'_>) -> Prior {
    let means = means(evidence);
    let weight = evidence.inputs.len() as f64 + 1.0;
    let variance = |(feature, mean): (usize, &f64)| {
        let known = evidence.inputs.iter().map(|input| input[feature] - mean);
        (known.map(|x| x * x).sum::<f64>() + UNIFORM) / weight
    };
    Prior {
        variances: means.iter().enumerate().map(variance).collect(),
        means,
    }
}

fn climb(
    posterior: &mut Posterior,
    evidence: &Evidence<'_>,
    search: Search,
    generator: &mut Xoshiro256PlusPlus,
) -> Option<Reconstruction> {
    const EVALUATIONS: usize = 500;
    let m = evidence.features();
    let best = (0..search.starts)
        .map(|_| {
            let mut start = start(evidence, search.optimizer, generator);
            if let Some(deviation) = posterior.unknown_noise() {
                let normal = |_| {
                    let normal: f64 = StandardNormal.sample(&mut *generator);
                    deviation * normal
                };
                start.extend((0..evidence.output.len()).map(normal));
            }
            match search.optimizer {
                Optimizer::Lbfgs => lbfgs(posterior, &start, EVALUATIONS),
                Optimizer::NelderMead => nelder_mead(posterior, &start, 1e-4, 200 * start.len()),
            }
        })
        .max_by(|a, b| a.value.total_cmp(&b.value));
    best.filter(|best| best.value > f64::NEG_INFINITY).map(
        |Maximum {
             mut point, value, ..
         }| {
            point.truncate(m);
            Reconstruction {
                record: point,
                score: value,
            }
        },
    )
}

/// Medians of the known features, moved by at most half their range.
fn start(
    evidence: &Evidence<'_>,
    optimizer: Optimizer,
    generator: &mut Xoshiro256PlusPlus,
) -> Vec<f64> {
    // The density is not defined on the known records themselves, and a simplex
    // looks beyond its start while a gradient does not.
    let least = match optimizer {
        Optimizer::Lbfgs => 0.05,
        Optimizer::NelderMead => 0.0,
    };
    let mut values = Vec::with_capacity(evidence.inputs.len());
    let feature = |feature: usize| {
        values.clear();
        values.extend(evidence.inputs.iter().map(|input| input[feature]));
        values.sort_by(f64::total_cmp);
        let (middle, last) = (values.len() / 2, values.len() - 1);
        let median = 0.5 * (values[middle] + values[last - middle]);
        let half = (0.5 * (values[last] - values[0])).max(least);
        median + (2.0 * generator.draw() - 1.0) * half
    };
    (0..evidence.features()).map(feature).collect()
}
