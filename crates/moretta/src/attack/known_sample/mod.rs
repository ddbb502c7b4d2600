//! Known-sample attacks on random projections: an attacker who knows no released
//! record, but others of the same population, wants the originals.
//!
//! A projection to as many numbers as features mixes them, and the covariances of the
//! release and of the sample tell the mixture up to a rotation. The rotation follows
//! where components of both sides can be recognised:
//!
//! - *independent components*: the least normal directions of both sides (FastICA),
//!   matched, sign included, by their distributions.
//! - *fitted components*: the same, from several starts; signs are turned and partners
//!   exchanged as long as the features of what comes out are distributed more like those
//!   of the sample. Ours; of real data it often found much more, and sometimes less.
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

mod components;
mod fit;
mod white;

use super::reconstruction::Stream;
use super::rows::Rows;
use super::success::{Guess, Success, Yardstick};
use crate::data::Records;
use crate::error::{Error, Result};
use components::{Axes, Components, Matches};
use fit::Fit;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::Instant;
use white::White;

/// More features than this would take an hour.
const MOST: usize = 100;

/// How often components of the release are looked for, each time from other starts.
const FITS: usize = 3;

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
    let (known, seen) = (
        White::new(&sides.sample, 0.0),
        White::new(&sides.released, sides.noise),
    );
    let mut attacker = Attacker {
        width: known.width().min(seen.width()),
        known,
        seen,
        sides: &sides,
        generator,
    };
    if attacker.width == 0 {
        return Err(Error::input("no feature of the sample varies")
            .help("take a larger sample with --sample"));
    }
    let guesses = vec![
        attacker.published(Axes::Independent),
        attacker.published(Axes::Principal),
        attacker.fitted(),
        attacker.mean(),
    ];
    Ok(KnownSample {
        sample: sides.sample.len(),
        originals: sides.originals,
        guesses,
    })
}

/// Both sides, and the directions in which both vary.
struct Attacker<'a> {
    sides: &'a Sides,
    known: White,
    seen: White,
    width: usize,
    generator: Xoshiro256PlusPlus,
}

impl Attacker<'_> {
    /// Components as they are matched by their own distributions.
    fn published(&mut self, axes: Axes) -> Guess {
        let start = Instant::now();
        let (known, seen) = (self.of_sample(axes), self.of_release(axes));
        let matches = axes.matches(&known, &seen);
        Guess {
            attack: format!("known sample, {}", axes.name()),
            knows: self.knows(),
            records: guess(&self.sides.released, &known, &seen, &matches),
            seconds: start.elapsed().as_secs_f64(),
        }
    }

    /// Independent components, found several times, whose matches are mended.
    fn fitted(&mut self) -> Guess {
        let start = Instant::now();
        let axes = Axes::Independent;
        let known = self.of_sample(axes);
        let fit = Fit::new(&known, &self.sides.sample);
        let mut best = (f64::INFINITY, Records::new(known.means.len()));
        for _ in 0..FITS {
            let seen = self.of_release(axes);
            let matches = axes.matches(&known, &seen);
            let (matches, misfit) = fit.mend(&seen, &self.sides.released, matches);
            if misfit < best.0 || best.1.is_empty() {
                let records = guess(&self.sides.released, &known, &seen, &matches);
                best = (misfit, records);
            }
        }
        Guess {
            attack: "known sample, fitted components".to_owned(),
            knows: self.knows(),
            records: best.1,
            seconds: start.elapsed().as_secs_f64(),
        }
    }

    fn knows(&self) -> String {
        format!("{} other records", self.sides.sample.len())
    }

    /// What can be guessed without the release.
    fn mean(&self) -> Guess {
        let mut records = Records::new(self.known.means.len());
        (0..self.sides.released.len()).for_each(|_| records.push(&self.known.means));
        Guess {
            attack: "mean of the sample".to_owned(),
            knows: self.knows(),
            records,
            seconds: 0.0,
        }
    }

    fn of_sample(&mut self, axes: Axes) -> Components {
        axes.components(
            &self.known,
            &self.sides.sample,
            self.width,
            &mut self.generator,
        )
    }

    fn of_release(&mut self, axes: Axes) -> Components {
        axes.components(
            &self.seen,
            &self.sides.released,
            self.width,
            &mut self.generator,
        )
    }
}

/// What became of which original, if the matched components are the same.
fn guess(released: &Records, known: &Components, seen: &Components, matches: &Matches) -> Records {
    let mut guessed = Records::new(known.means.len());
    let mut components = vec![0.0; matches.len()];
    let mut record = vec![0.0; known.means.len()];
    for release in released.iter() {
        seen.read(release, &mut components);
        known.write(&components, matches, &mut record);
        guessed.push(&record);
    }
    guessed
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
        let Rows {
            sample: drawn,
            others,
            ..
        } = Rows::draw(stream, sample, 0, generator)?;
        let (inputs, outputs) = (stream.inputs, stream.outputs);
        let collect = |records: &Records, rows: &[usize]| {
            let mut some = Records::new(records.width());
            rows.iter().for_each(|&row| some.push(records.record(row)));
            some
        };
        let variances = others
            .iter()
            .map(|&row| stream.blur.covariance(row as u64, row as u64));
        Ok(Sides {
            noise: variances.sum::<f64>() / others.len() as f64,
            sample: collect(inputs, &drawn),
            released: collect(outputs, &others),
            originals: collect(inputs, &others),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attack::reconstruction::Blur;
    use crate::math::uniform::Uniform;
    use rand_distr::{Distribution, StandardNormal};

    const FEATURES: usize = 4;
    const ROWS: usize = 2400;
    const SAMPLE: usize = 1200;

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

    /// Breaches of independent components, principal components, the mean, and fitted ones.
    fn breaches((inputs, outputs): (Records, Records), blur: Blur) -> [f64; 4] {
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
        [0, 1, 3, 2].map(|place| all[place].breach)
    }

    #[test]
    fn independent_features_that_are_not_normal_come_back() {
        for seed in 0..2 {
            let table = release(ROWS, &random_matrix(seed), 0.0, skewed);
            let [independent, _, mean, fitted] = breaches(table, Blur::None);
            assert!(
                independent > 0.8 && fitted > 0.8 && mean < 0.1,
                "{seed}: {independent} {fitted} {mean}"
            );
        }
    }

    #[test]
    fn wrong_matches_are_mended() {
        let (inputs, outputs) = release(ROWS, &random_matrix(1), 0.0, skewed);
        let stream = Stream {
            inputs: &inputs,
            outputs: &outputs,
            blur: Blur::None,
            translated: true,
        };
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(5);
        let sides = Sides::draw(&stream, Some(SAMPLE), &mut generator).expect("enough rows");
        let mut attacker = Attacker {
            known: White::new(&sides.sample, 0.0),
            seen: White::new(&sides.released, 0.0),
            width: FEATURES,
            sides: &sides,
            generator,
        };
        let axes = Axes::Independent;
        let (known, seen) = (attacker.of_sample(axes), attacker.of_release(axes));
        let right = axes.matches(&known, &seen);
        let mut wrong = right.clone();
        wrong.swap(0, 2);
        wrong[1].1 *= -1.0;
        wrong[2].1 *= -1.0;
        let fit = Fit::new(&known, &sides.sample);
        let (mended, misfit) = fit.mend(&seen, &sides.released, wrong);
        assert_eq!(mended, right);
        assert_eq!(fit.mend(&seen, &sides.released, right), (mended, misfit));
    }

    #[test]
    fn features_that_are_normal_do_not() {
        let table = release(ROWS, &random_matrix(1), 0.0, normal);
        let [independent, _, mean, fitted] = breaches(table, Blur::None);
        let best = independent.max(fitted);
        assert!(best < mean + 0.15, "{independent} {fitted} {mean}");
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
        let [_, principal, mean, _] = breaches(release(ROWS, &rotation, 0.0, spread), Blur::None);
        assert!(principal > 0.8 && mean < 0.2, "{principal} {mean}");
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
                assert_eq!(found.guesses.len(), 4);
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
