//! Known-sample attacks on random projections: an attacker who knows no released
//! record, but others of the same population, wants the originals.
//!
//! A projection to as many numbers as features mixes them, and the covariances of the
//! release and of the sample tell the mixture up to a rotation. The rotation follows
//! where components of both sides can be recognised:
//!
//! - *independent components*: the least normal directions of both sides (FastICA),
//!   matched, sign included, by their distributions.
//! - *principal components*: the directions of both sides in the order of their spread,
//!   with signs by their distributions. For projections that keep distances; a random
//!   matrix keeps them only roughly, and the order seldom.
//! - *mean of the sample* does not look at the release: what attacks must beat.
//!
//! Known noise is taken off the covariances, and directions are weighed by their share
//! of signal. Components that are normal, symmetric or alike cannot be told apart, and
//! features of real data are seldom mixtures of independent ones: where that is so the
//! attack finds no more than the mean does. Features without spread are their mean.
//!
//! The sample is drawn from the rows and these are taken out of the release, as if they
//! had never been in it. Records with missing values are left out.
//!
//! *Costs* m³ and 200·n·m² multiplications for components of n records, at most 10,000,
//! and m² a record then.
//! *From* Liu, Giannella and Kargupta 2006 (principal components); Guo and Wu 2007
//! (independent components of both sides, AK-ICA).

use super::reconstruction::Stream;
use super::success::{Guess, Success, Yardstick, norm};
use crate::data::Records;
use crate::error::{Error, Result};
use crate::math::assignment::assign;
use crate::math::eigen::Eigen;
use crate::math::independent_components::independent_components;
use crate::math::moments::CoMoments;
use crate::math::uniform::Uniform;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::Instant;

/// More features than this would take an hour.
const MOST: usize = 100;

/// Records of which components are found.
const LEARNT: usize = 10_000;

/// Share of the largest spread below which a direction has none.
const FLAT: f64 = 1e-9;

/// Originals that are not in the sample, and what attacks take for them.
#[derive(Clone, Debug)]
pub struct KnownSample {
    /// The originals.
    pub originals: Records,
    /// Records of the sample.
    pub sample: usize,
    /// Each attack.
    pub guesses: Vec<Guess>,
}

impl KnownSample {
    /// How each did.
    pub fn successes(&self, yardstick: Yardstick) -> Vec<Success> {
        let guesses = self.guesses.iter();
        guesses
            .map(|guess| Success::of_guess(&self.originals, guess, yardstick))
            .collect()
    }
}

/// Whether there is something to attack: a projection to as many numbers as features.
pub fn applies(features: usize, released: usize) -> bool {
    features == released && (1..=MOST).contains(&features)
}

/// Attacks all records with a sample of so many others; without a number, of a
/// thousand or half of them. `seed` draws the sample.
///
/// # Errors
/// Fewer records of the sample, or of the others, than features; no feature varies.
pub fn attack(stream: &Stream<'_>, sample: Option<usize>, seed: u64) -> Result<KnownSample> {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    let sides = Sides::draw(stream, sample, &mut generator)?;
    let m = sides.sample.width();
    let noise = sides.noise;
    let (known, seen) = (
        White::new(&sides.sample, 0.0),
        White::new(&sides.released, noise),
    );
    let width = known.width().min(seen.width());
    if width == 0 {
        return Err(Error::input("no feature of the sample varies")
            .help("take a larger sample with --sample"));
    }
    let mut guesses = Vec::new();
    for axes in [Axes::Independent, Axes::Principal] {
        let start = Instant::now();
        let known = axes.components(&known, &sides.sample, width, &mut generator);
        let seen = axes.components(&seen, &sides.released, width, &mut generator);
        let matches = axes.matches(&known, &seen);
        let records = guess(&sides.released, &known, &seen, &matches);
        guesses.push(Guess {
            attack: format!("known sample, {}", axes.name()),
            records,
            seconds: start.elapsed().as_secs_f64(),
        });
    }
    let mut means = Records::new(m);
    (0..sides.originals.len()).for_each(|_| means.push(&known.means));
    guesses.push(Guess {
        attack: "mean of the sample".to_owned(),
        records: means,
        seconds: 0.0,
    });
    Ok(KnownSample {
        sample: sides.sample.len(),
        originals: sides.originals,
        guesses,
    })
}

/// What the attacker knows, what is released of others, and what it was.
struct Sides {
    sample: Records,
    released: Records,
    originals: Records,
    /// Mean variance of the noise on a released number.
    noise: f64,
}

impl Sides {
    fn draw(
        stream: &Stream<'_>,
        sample: Option<usize>,
        generator: &mut Xoshiro256PlusPlus,
    ) -> Result<Self> {
        let (inputs, outputs) = (stream.inputs, stream.outputs);
        let m = inputs.width();
        let complete = |&row: &usize| {
            let values = inputs.record(row).iter().chain(outputs.record(row));
            values.into_iter().all(|value| value.is_finite()) && norm(inputs.record(row)) > 0.0
        };
        let mut rows: Vec<usize> = (0..inputs.len()).filter(complete).collect();
        let wanted = sample.unwrap_or(1000.min(rows.len() / 2));
        let left = rows.len().saturating_sub(wanted);
        if wanted <= m + 1 || left <= m + 1 {
            let what = format!(
                "a sample of {wanted} records leaves {left} to attack, and {m} features need more on both sides"
            );
            return Err(Error::input(what).help("change --sample, or take more rows"));
        }
        for place in 0..wanted {
            let other = place + (generator.draw() * (rows.len() - place) as f64) as usize;
            rows.swap(place, other);
        }
        let (drawn, others) = rows.split_at_mut(wanted);
        others.sort_unstable();
        let collect = |records: &Records, rows: &[usize]| {
            let mut some = Records::new(records.width());
            rows.iter().for_each(|&row| some.push(records.record(row)));
            some
        };
        let variances = others
            .iter()
            .map(|&row| stream.blur.covariance(row as u64, row as u64));
        Ok(Sides {
            noise: variances.sum::<f64>() / left as f64,
            sample: collect(inputs, drawn),
            released: collect(outputs, others),
            originals: collect(inputs, others),
        })
    }
}

/// One side as directions that vary, each by itself, the most first.
struct White {
    means: Vec<f64>,
    eigen: Eigen,
    /// Deviations along the directions.
    deviations: Vec<f64>,
    /// Deviations without noise, over those with it.
    signal: Vec<f64>,
}

impl White {
    fn new(records: &Records, noise: f64) -> Self {
        let mut moments = CoMoments::new(records.width());
        for record in records.iter() {
            moments.push(record);
        }
        let eigen = Eigen::new(records.width(), |i, j| moments.covariance(i, j));
        let most = eigen.values.first().copied().unwrap_or(0.0);
        let varying = eigen.values.iter().filter(|&&value| value > FLAT * most);
        let varying: Vec<f64> = varying.copied().collect();
        let signal = |value: &f64| ((value - noise).max(0.0) / value).sqrt();
        White {
            means: moments.means().to_vec(),
            deviations: varying.iter().map(|value| value.sqrt()).collect(),
            signal: varying.iter().map(signal).collect(),
            eigen,
        }
    }

    fn width(&self) -> usize {
        self.deviations.len()
    }

    /// The first `out.len()` directions of a record, each of mean 0 and variance 1.
    fn whiten(&self, record: &[f64], out: &mut [f64]) {
        for (place, (out, deviation)) in out.iter_mut().zip(&self.deviations).enumerate() {
            let centred = record.iter().zip(&self.means).map(|(x, mean)| x - mean);
            let along: f64 = centred
                .zip(self.eigen.vector(place))
                .map(|(x, v)| x * v)
                .sum();
            *out = along / deviation;
        }
    }

    /// The record with these directions.
    fn colour(&self, white: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&self.means);
        for (place, (value, deviation)) in white.iter().zip(&self.deviations).enumerate() {
            let direction = out.iter_mut().zip(self.eigen.vector(place));
            direction.for_each(|(out, v)| *out += value * deviation * v);
        }
    }
}

/// Which directions of both sides are matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Axes {
    Independent,
    Principal,
}

/// The components of one side.
struct Components<'a> {
    white: &'a White,
    /// A row for each component.
    rotation: Vec<f64>,
    /// What their distributions look like.
    quantiles: Vec<Vec<f64>>,
}

/// A component of the release for each of the sample, and its sign.
type Matches = Vec<(usize, f64)>;

impl Axes {
    fn name(self) -> &'static str {
        match self {
            Axes::Independent => "independent components",
            Axes::Principal => "principal components",
        }
    }

    fn components<'a>(
        self,
        white: &'a White,
        records: &Records,
        width: usize,
        generator: &mut Xoshiro256PlusPlus,
    ) -> Components<'a> {
        let stride = records.len().div_ceil(LEARNT).max(1);
        let rows = records.iter().step_by(stride);
        let mut all = vec![0.0; rows.len() * width];
        for (record, out) in rows.zip(all.chunks_exact_mut(width)) {
            white.whiten(record, out);
        }
        let rotation = match self {
            Axes::Independent => independent_components(&all, width, generator),
            Axes::Principal => (0..width * width)
                .map(|place| f64::from(u8::from(place / width == place % width)))
                .collect(),
        };
        let component = |direction: &[f64]| {
            let values = all.chunks_exact(width).map(|row| dot(direction, row));
            quantiles(values.collect())
        };
        Components {
            white,
            quantiles: rotation.chunks_exact(width).map(component).collect(),
            rotation,
        }
    }

    fn matches(self, known: &Components<'_>, seen: &Components<'_>) -> Matches {
        let width = known.quantiles.len();
        let unlike = |i: usize, j: usize| unlike(&known.quantiles[i], &seen.quantiles[j]);
        let places = match self {
            Axes::Independent => assign(width, |i, j| unlike(i, j).0),
            Axes::Principal => (0..width).collect(),
        };
        let pairs = places.into_iter().enumerate();
        pairs.map(|(i, j)| (j, unlike(i, j).1)).collect()
    }
}

/// A hundred quantiles, each of as many values.
fn quantiles(mut values: Vec<f64>) -> Vec<f64> {
    const QUANTILES: usize = 100;
    values.sort_by(f64::total_cmp);
    let quantile = |place: usize| values[(2 * place + 1) * values.len() / (2 * QUANTILES)];
    (0..QUANTILES).map(quantile).collect()
}

/// How far two distributions are apart, as one is or with its sign turned, whichever
/// is nearer, and that sign.
fn unlike(a: &[f64], b: &[f64]) -> (f64, f64) {
    let apart = |b: &mut dyn Iterator<Item = f64>| -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
    };
    let upright = apart(&mut b.iter().copied());
    let turned = apart(&mut b.iter().rev().map(|b| -b));
    match turned < upright {
        true => (turned, -1.0),
        false => (upright, 1.0),
    }
}

/// What became of which original, if the components are the same.
fn guess(
    released: &Records,
    known: &Components<'_>,
    seen: &Components<'_>,
    matches: &Matches,
) -> Records {
    let width = matches.len();
    let mut guessed = Records::new(known.white.means.len());
    let (mut white, mut rotated) = (vec![0.0; width], vec![0.0; width]);
    let mut record_out = vec![0.0; known.white.means.len()];
    for record in released.iter() {
        seen.white.whiten(record, &mut white);
        let shares = white.iter_mut().zip(&seen.white.signal);
        shares.for_each(|(value, signal)| *value *= signal);
        rotated.fill(0.0);
        for (&(place, sign), direction) in matches.iter().zip(known.rotation.chunks_exact(width)) {
            let component = sign * dot(&seen.rotation[place * width..][..width], &white);
            let parts = rotated.iter_mut().zip(direction);
            parts.for_each(|(out, x)| *out += component * x);
        }
        known.white.colour(&rotated, &mut record_out);
        guessed.push(&record_out);
    }
    guessed
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::reconstruction::Blur;
    use rand_distr::{Distribution, StandardNormal};

    const FEATURES: usize = 4;
    const ROWS: usize = 4000;
    const SAMPLE: usize = 2000;

    /// Independent features, no two distributed alike and none symmetric.
    fn skewed(generator: &mut Xoshiro256PlusPlus) -> Vec<f64> {
        let mut draw = || generator.draw();
        let exponential = -(1.0 - draw()).ln();
        let rare = f64::from(u8::from(draw() < 0.1));
        vec![
            draw().powi(3),
            0.3 * exponential,
            rare,
            draw().sqrt() * draw(),
        ]
    }

    fn normal(generator: &mut Xoshiro256PlusPlus) -> Vec<f64> {
        let mut draw = || -> f64 { StandardNormal.sample(&mut *generator) };
        (0..FEATURES).map(|_| 1.0 + 0.3 * draw()).collect()
    }

    /// Records and their release by this matrix, with noise.
    fn release(
        rows: usize,
        matrix: &[f64],
        deviation: f64,
        record: impl Fn(&mut Xoshiro256PlusPlus) -> Vec<f64>,
    ) -> (Records, Records) {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(6);
        let (mut inputs, mut outputs) = (Records::new(FEATURES), Records::new(FEATURES));
        for _ in 0..rows {
            let x = record(&mut generator);
            let mut mixed = |j: usize| {
                let noise: f64 = StandardNormal.sample(&mut generator);
                let sum: f64 = (0..FEATURES).map(|i| x[i] * matrix[i * FEATURES + j]).sum();
                sum + deviation * noise + 7.0
            };
            let y: Vec<f64> = (0..FEATURES).map(&mut mixed).collect();
            inputs.push(&x);
            outputs.push(&y);
        }
        (inputs, outputs)
    }

    fn random_matrix(seed: u64) -> Vec<f64> {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
        let entry = |_| -> f64 { StandardNormal.sample(&mut generator) };
        (0..FEATURES * FEATURES)
            .map(entry)
            .map(|x| x / 2.0)
            .collect()
    }

    /// Breaches of independent components, principal components and the mean.
    fn breaches((inputs, outputs): (Records, Records), blur: Blur) -> [f64; 3] {
        let stream = Stream {
            inputs: &inputs,
            outputs: &outputs,
            blur,
            translated: true,
        };
        let found = attack(&stream, Some(SAMPLE), 3).expect("enough rows");
        assert_eq!(
            (found.sample, found.originals.len()),
            (SAMPLE, ROWS - SAMPLE)
        );
        let yardstick = Yardstick {
            epsilon: 0.2,
            accuracy: None,
        };
        let all = found.successes(yardstick);
        [0, 1, 2].map(|place| all[place].breach)
    }

    #[test]
    fn independent_features_that_are_not_normal_come_back() {
        for seed in 0..2 {
            let table = release(ROWS, &random_matrix(seed), 0.0, skewed);
            let [independent, _, mean] = breaches(table, Blur::None);
            assert!(
                independent > 0.8 && mean < 0.1,
                "{seed}: {independent} {mean}"
            );
        }
    }

    #[test]
    fn features_that_are_normal_do_not() {
        let table = release(ROWS, &random_matrix(1), 0.0, normal);
        let [independent, _, mean] = breaches(table, Blur::None);
        assert!(independent < mean + 0.1, "{independent} {mean}");
    }

    #[test]
    fn principal_components_come_back_where_distances_are_kept() {
        // Features of different spread, and a rotation.
        let spread = |generator: &mut Xoshiro256PlusPlus| {
            let features = skewed(generator);
            let scales = [3.0, 1.2, 0.35, 0.15];
            features
                .iter()
                .zip(scales)
                .map(|(x, scale)| x * scale)
                .collect::<Vec<f64>>()
        };
        let (c, s) = (0.6, 0.8);
        let rotation = [
            c, s, 0.0, 0.0, -s, c, 0.0, 0.0, 0.0, 0.0, s, -c, 0.0, 0.0, c, s,
        ];
        let [_, principal, mean] = breaches(release(ROWS, &rotation, 0.0, spread), Blur::None);
        assert!(principal > 0.9 && mean < 0.2, "{principal} {mean}");
    }

    #[test]
    fn noise_hides() {
        let blur = |deviation| Blur::Independent { deviation };
        let breach = |deviation: f64| {
            let table = release(ROWS, &random_matrix(2), deviation, skewed);
            breaches(table, blur(deviation))[0]
        };
        let found = [0.0, 0.1, 1.0].map(breach);
        assert!(found.is_sorted_by(|a, b| a > b), "{found:?}");
        assert!(found[2] < 0.2, "{found:?}");
    }

    #[test]
    fn numbers_without_measure_are_no_trouble() {
        let odd = [1e308, -1e308, 1e154, 5e-324, 0.0, 1.0];
        let (mut inputs, mut outputs) = (Records::new(2), Records::new(2));
        for n in 0..60 {
            inputs.push(&[odd[n % 6], odd[n * 5 % 6]]);
            outputs.push(&[odd[n * 7 % 6], odd[n / 6 % 6]]);
        }
        for (inputs, outputs) in [(&inputs, &outputs), (&outputs, &inputs)] {
            let stream = Stream {
                inputs,
                outputs,
                blur: Blur::None,
                translated: false,
            };
            if let Ok(found) = attack(&stream, None, 1) {
                assert_eq!(found.guesses.len(), 3);
            }
        }
    }

    #[test]
    fn too_few_rows_and_features_without_spread_are_told() {
        let (inputs, outputs) = release(20, &random_matrix(1), 0.0, skewed);
        let mut constant = Records::new(FEATURES);
        (0..20).for_each(|_| constant.push(&[1.0; FEATURES]));
        for (inputs, outputs, sample) in [
            (&inputs, &outputs, Some(3)),
            (&inputs, &outputs, Some(18)),
            (&constant, &constant, None),
        ] {
            let stream = Stream {
                inputs,
                outputs,
                blur: Blur::None,
                translated: false,
            };
            let error = attack(&stream, sample, 1).expect_err("too little");
            assert_eq!(error.exit_code(), 4);
        }
        assert!(applies(4, 4) && !applies(4, 3) && !applies(0, 0) && !applies(101, 101));
    }
}
