//! Taking additive noise off a release: columns that go together show through noise
//! that does not.
//!
//! The attacker has the release and knows how the noise was made: with it its
//! covariance C follows from that of the release. No original is needed. Columns are
//! standardised by mean and deviation of the release first.
//!
//! - *spectral filter*: where noise has been made white, its eigenvalues do not exceed
//!   (1 + √(m/n))²; what lies along larger ones is kept.
//! - *principal components*: Σ − C is the covariance of the originals; what lies along
//!   its largest eigenvalues is kept, those before the widest gap.
//! - *linear Bayes*: μ + (Σ − C)·Σ⁻¹·(y − μ), the linear estimate of the least squared
//!   error, and the most probable original where all is normal. Directions in which
//!   the release varies less than the noise tell nothing and are left out.
//! - *linear Bayes over neighbours*, where the rows leave in their order: the same from
//!   all records of a window around each one.
//!
//! Noise with the covariances of the columns lies in the same directions as they do:
//! no filter takes it off, and Bayes only draws everything towards the mean; but it is
//! independent from row to row, and neighbours take it off.
//! Of a stream, whose noise follows the spread so far, C is that of its end. Factors
//! are taken for noise that is not related to the columns, which is all that linear
//! estimates see of them.
//!
//! Errors are of columns standardised by mean and deviation of the originals, so that
//! guessing the mean has a relative error of 1. Records with missing values and columns
//! that do not vary are left out.
//!
//! *Costs* m³ once and m² a record.
//! *From* Kargupta, Datta, Wang and Sivakumar 2003 (spectral filter, after Marčenko and
//! Pastur 1967); Huang, Du and Chen 2005 (principal components, Bayes estimate).

use super::neighbours;
use super::success::{Guess, Success, Yardstick, moments};
use crate::data::Records;
use crate::error::{Error, Result};
use crate::math::cholesky::Cholesky;
use crate::math::eigen::Eigen;
use crate::math::moments::{CoMoments, Moments};
use std::time::Instant;

/// More columns than this would take hours.
const MOST: usize = 500;

/// Variance of noise that is always there, beside a release of variance 1: rounding.
const ROUNDING: f64 = 1e-9;

/// What an attacker knows of the noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// Each column has its own.
    Independent {
        /// Its deviation over that of the column.
        amount: f64,
    },
    /// With the covariances of the columns.
    Correlated {
        /// Its deviation over that of the column.
        amount: f64,
        /// The release was drawn towards the mean until its variances were as before.
        shrunk: bool,
    },
    /// Each number was multiplied by a factor around 1.
    Factors {
        /// The variance of the factors.
        variance: f64,
    },
}

impl Noise {
    /// Covariances of the noise on a release with these moments, row by row, where
    /// the release has deviation 1.
    fn covariances(self, release: &CoMoments) -> Vec<f64> {
        let m = release.width();
        let entry = |(i, j): (usize, usize)| match self {
            Noise::Independent { amount } if i == j => part(amount * amount),
            Noise::Correlated { amount, .. } => part(amount * amount) * correlation(release, i, j),
            Noise::Factors { variance } if i == j => {
                let mean = release.means()[i];
                part(variance) * (1.0 + mean * mean / release.variance(i))
            }
            _ => 0.0,
        };
        (0..m * m)
            .map(|place| entry((place / m, place % m)))
            .collect()
    }

    /// How much wider than the release the sum of original and noise was.
    fn widening(self) -> f64 {
        match self {
            Noise::Correlated {
                amount,
                shrunk: true,
            } => (1.0 + amount * amount).sqrt(),
            _ => 1.0,
        }
    }
}

/// Of what has grown by this share of itself, the share that was added.
fn part(added: f64) -> f64 {
    added / (1.0 + added)
}

/// Originals, and what attacks take for them; all standardised by the originals.
#[derive(Clone, Debug)]
pub struct Spectral {
    /// The records without missing values.
    pub originals: Records,
    /// The release as it is, and then each attack.
    pub guesses: Vec<Guess>,
}

impl Spectral {
    /// How each did.
    pub fn successes(&self, yardstick: Yardstick) -> Vec<Success> {
        let guesses = self.guesses.iter();
        guesses
            .map(|guess| Success::of_guess(&self.originals, guess, yardstick))
            .collect()
    }
}

/// Attacks a release of numbers, whose originals are in the same order. Without noise
/// that is known, the release is taken as it is. `in_order`: the rows left in the order
/// of the source, so that neighbours tell of each other.
///
/// # Errors
/// Too few complete records, too many columns, or none that varies.
pub fn attack(
    originals: &Records,
    released: &Records,
    noise: Option<Noise>,
    in_order: bool,
) -> Result<Spectral> {
    let (originals, released) = complete(originals, released);
    let m = released.width();
    if m == 0 || released.len() <= m + 1 {
        let what = format!(
            "{} complete records of {m} numbers that vary",
            released.len()
        );
        return Err(Error::input(what).help("attack a table with more rows than columns"));
    }
    if m > MOST {
        return Err(Error::input(format!("{m} columns are too many to filter"))
            .help(format!("mask at most {MOST} with one method")));
    }
    let scale = moments(&originals);
    let mut guesses = vec![Guess {
        attack: "release as it is".to_owned(),
        knows: Filter::Bayes.knows().to_owned(),
        records: standardised(&released, &scale),
        seconds: 0.0,
    }];
    let filters = [Filter::Spectral, Filter::Principal, Filter::Bayes];
    let over_neighbours = in_order.then_some(Filter::Neighbours);
    for (filter, noise) in filters
        .into_iter()
        .chain(over_neighbours)
        .filter_map(|filter| Some((filter, noise?)))
    {
        let start = Instant::now();
        let Some(estimated) = estimate(&released, noise, filter) else {
            continue;
        };
        let seconds = start.elapsed().as_secs_f64();
        guesses.push(Guess {
            attack: filter.name().to_owned(),
            knows: filter.knows().to_owned(),
            records: standardised(&estimated, &scale),
            seconds,
        });
    }
    Ok(Spectral {
        originals: standardised(&originals, &scale),
        guesses,
    })
}

/// How noise is taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Filter {
    Spectral,
    Principal,
    Bayes,
    Neighbours,
}

impl Filter {
    fn name(self) -> &'static str {
        match self {
            Filter::Spectral => "spectral filter",
            Filter::Principal => "principal components",
            Filter::Bayes => "linear Bayes",
            Filter::Neighbours => "linear Bayes over neighbours",
        }
    }

    fn knows(self) -> &'static str {
        match self {
            Filter::Neighbours => "the release, in the order of its source",
            _ => "the release",
        }
    }
}

/// Records without missing values on either side, of columns that vary on both.
fn complete(originals: &Records, released: &Records) -> (Records, Records) {
    let varies = |moments: &Moments| moments.variance() > 0.0;
    let (before, after) = (moments(originals), moments(released));
    let places: Vec<usize> = (0..originals.width())
        .filter(|&place| varies(&before[place]) && varies(&after[place]))
        .collect();
    let mut sides = (Records::new(places.len()), Records::new(places.len()));
    let (mut original, mut release) = (Vec::new(), Vec::new());
    for (before, after) in originals.iter().zip(released.iter()) {
        original.clear();
        original.extend(places.iter().map(|&place| before[place]));
        release.clear();
        release.extend(places.iter().map(|&place| after[place]));
        if original
            .iter()
            .chain(&release)
            .all(|value| value.is_finite())
        {
            sides.0.push(&original);
            sides.1.push(&release);
        }
    }
    sides
}

/// The records with these means at 0 and these deviations of 1.
fn standardised(records: &Records, scale: &[Moments]) -> Records {
    let mut all = records.clone();
    for row in 0..all.len() {
        for (value, moments) in all.record_mut(row).iter_mut().zip(scale) {
            *value = (*value - moments.mean()) / moments.deviation();
        }
    }
    all
}

/// What an attacker takes for the originals; none where neighbours tell nothing.
fn estimate(released: &Records, noise: Noise, filter: Filter) -> Option<Records> {
    let m = released.width();
    let mut release = CoMoments::new(m);
    for record in released.iter() {
        release.push(record);
    }
    let mut estimated = released.clone();
    let deviations: Vec<f64> = (0..m).map(|place| release.variance(place).sqrt()).collect();
    let scales = || release.means().iter().zip(&deviations);
    for row in 0..estimated.len() {
        let values = estimated.record_mut(row).iter_mut().zip(scales());
        values.for_each(|(value, (mean, deviation))| *value = (*value - mean) / deviation);
    }
    match filter {
        Filter::Neighbours => {
            estimated = neighbours::estimate(&estimated, &noise.covariances(&release))?;
        }
        Filter::Principal => multiply(&mut estimated, &principal(&release, noise)),
        _ => multiply(&mut estimated, &whitened(&release, noise, filter)),
    }
    for row in 0..estimated.len() {
        let values = estimated.record_mut(row).iter_mut().zip(scales());
        values.for_each(|(value, (mean, deviation))| {
            *value = mean + deviation * noise.widening() * *value;
        });
    }
    Some(estimated)
}

/// Each record, times the matrix.
fn multiply(records: &mut Records, matrix: &[f64]) {
    let m = records.width();
    let mut product = vec![0.0; m];
    for row in 0..records.len() {
        let record = records.record_mut(row);
        for (product, weights) in product.iter_mut().zip(matrix.chunks_exact(m)) {
            *product = weights.iter().zip(&*record).map(|(a, b)| a * b).sum();
        }
        record.copy_from_slice(&product);
    }
}

/// The matrix that keeps the principal components of the originals.
fn principal(release: &CoMoments, noise: Noise) -> Vec<f64> {
    let m = release.width();
    let covariances = noise.covariances(release);
    let eigen = Eigen::new(m, |i, j| {
        correlation(release, i, j) - covariances[i * m + j]
    });
    let gap = |place: &usize| eigen.values[place - 1] - eigen.values[*place];
    let widest = (1..m).max_by(|a, b| gap(a).total_cmp(&gap(b)));
    let kept = widest.unwrap_or(m);
    let least = eigen.values[kept - 1];
    eigen.map(|value| f64::from(u8::from(value >= least)))
}

/// The matrix that weighs each direction by its share of signal, where noise is white:
/// L·K·L⁻¹ with C = L·Lᵀ and K of the eigenvectors of L⁻¹·Σ·L⁻ᵀ.
fn whitened(release: &CoMoments, noise: Noise, filter: Filter) -> Vec<f64> {
    let m = release.width();
    let covariances = noise.covariances(release);
    let mut factor = Cholesky::new(m);
    factor.factor(|i, j| {
        let ridge = if i == j { ROUNDING } else { 0.0 };
        covariances[i * m + j] + ridge
    });
    let mut white: Vec<f64> = (0..m * m)
        .map(|place| correlation(release, place / m, place % m))
        .collect();
    factor.solve_lower(&mut white, m);
    white = transposed(&white, m);
    factor.solve_lower(&mut white, m);
    let eigen = Eigen::new(m, |i, j| 0.5 * (white[i * m + j] + white[j * m + i]));
    let edge = (1.0 + (m as f64 / release.count() as f64).sqrt()).powi(2);
    let mut kernel = eigen.map(|value| match filter {
        Filter::Bayes => (1.0 - 1.0 / value.max(1.0)).max(0.0),
        _ => f64::from(u8::from(value > edge)),
    });
    factor.solve_upper(&mut kernel, m);
    let right = transposed(&kernel, m);
    let mut matrix = vec![0.0; m * m];
    for (i, row) in matrix.chunks_exact_mut(m).enumerate() {
        for (k, other) in right.chunks_exact(m).enumerate().take(i + 1) {
            let weight = factor.value(i, k);
            row.iter_mut()
                .zip(other)
                .for_each(|(sum, x)| *sum += weight * x);
        }
    }
    matrix
}

fn correlation(moments: &CoMoments, i: usize, j: usize) -> f64 {
    moments.correlation(i, j).unwrap_or(0.0)
}

fn transposed(matrix: &[f64], width: usize) -> Vec<f64> {
    (0..width * width)
        .map(|place| matrix[place % width * width + place / width])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};
    use rand_xoshiro::Xoshiro256PlusPlus;

    const ROWS: usize = 6_000;

    /// `columns` with one common factor of this share of their variance, each of another
    /// mean and spread, with the noise of an attacker's words.
    fn table(columns: usize, common: f64, noise: Noise) -> (Records, Records) {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(4);
        let mut normal = || -> f64 { StandardNormal.sample(&mut generator) };
        let (mut originals, mut released) = (Records::new(columns), Records::new(columns));
        for _ in 0..ROWS {
            let mut draw = || {
                let factor = normal();
                let own = (1.0 - common).sqrt();
                let part = |_| common.sqrt() * factor + own * normal();
                (0..columns).map(part).collect::<Vec<f64>>()
            };
            let (signal, likewise) = (draw(), draw());
            let spread = |place: usize| 10.0_f64.powi(place as i32 - 2);
            let original = |place: usize| spread(place) * (3.0 + signal[place]);
            let mut masked = |place: usize| match noise {
                Noise::Independent { amount } => {
                    original(place) + spread(place) * amount * normal()
                }
                Noise::Correlated { amount, shrunk } => {
                    let sum = signal[place] + amount * likewise[place];
                    let width = if shrunk {
                        (1.0 + amount * amount).sqrt()
                    } else {
                        1.0
                    };
                    spread(place) * (3.0 + sum / width)
                }
                Noise::Factors { variance } => original(place) * (1.0 + variance.sqrt() * normal()),
            };
            let release: Vec<f64> = (0..columns).map(&mut masked).collect();
            originals.push(&(0..columns).map(original).collect::<Vec<_>>());
            released.push(&release);
        }
        (originals, released)
    }

    /// The mean squared error of each guess, where columns have variance 1.
    fn errors(columns: usize, common: f64, noise: Noise) -> Vec<f64> {
        let (originals, released) = table(columns, common, noise);
        let found = attack(&originals, &released, Some(noise), false).expect("enough rows");
        let squares = |guess: &Guess| {
            let pairs = guess.records.iter().zip(found.originals.iter());
            let squares = pairs.flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)));
            squares.sum::<f64>() / (ROWS * columns) as f64
        };
        found.guesses.iter().map(squares).collect()
    }

    fn near(found: &[f64], expected: [f64; 4]) {
        for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert!(
                (found / expected - 1.0).abs() < 0.05,
                "{place}: {found} {expected}"
            );
        }
    }

    #[test]
    fn noise_on_columns_that_are_one_falls_as_theory_says() {
        // All variance of the originals lies in one of m directions, which has 1/m of
        // the noise; Bayes weighs it by m/(m + a²).
        for (columns, amount) in [(5, 1.0_f64), (3, 0.5), (8, 2.0)] {
            let (m, noise) = (columns as f64, amount * amount);
            let found = errors(columns, 1.0, Noise::Independent { amount });
            near(&found, [noise, noise / m, noise / m, noise / (m + noise)]);
        }
    }

    #[test]
    fn noise_like_the_columns_is_only_drawn_towards_the_mean() {
        let noise: f64 = 0.25;
        for shrunk in [false, true] {
            let amount = noise.sqrt();
            let found = errors(4, 0.6, Noise::Correlated { amount, shrunk });
            // Bayes keeps 1/(1 + a²) of each number, whatever the others are.
            let bayes = noise / (1.0 + noise);
            assert!((found[3] / bayes - 1.0).abs() < 0.05, "{found:?}");
            assert!(
                (found[1] / noise - 1.0).abs() < 0.05,
                "nothing is filtered: {found:?}"
            );
        }
    }

    #[test]
    fn bayes_is_the_best_of_all_and_factors_are_noise_too() {
        for noise in [
            Noise::Independent { amount: 0.7 },
            Noise::Factors { variance: 0.04 },
        ] {
            let found = errors(5, 0.8, noise);
            assert!(found[3] < 0.8 * found[0], "{found:?}");
            assert!(
                found[1..].iter().all(|error| found[3] <= error * 1.001),
                "{found:?}"
            );
        }
    }

    #[test]
    fn bayes_is_the_textbook_formula() {
        let noise = Noise::Independent { amount: 0.5 };
        let (_, released) = table(2, 0.5, noise);
        let estimated = estimate(&released, noise, Filter::Bayes).expect("no window");
        let mut moments = CoMoments::new(2);
        for record in released.iter() {
            moments.push(record);
        }
        let [a, b, d] = [(0, 0), (0, 1), (1, 1)].map(|(i, j)| moments.covariance(i, j));
        // y − C·Σ⁻¹·(y − μ), with a fifth of each variance of the release noise.
        let determinant = a * d - b * b;
        for (record, found) in released.iter().zip(estimated.iter()) {
            let (x, y) = (
                record[0] - moments.means()[0],
                record[1] - moments.means()[1],
            );
            let expected = [
                record[0] - 0.2 * a * (d * x - b * y) / determinant,
                record[1] - 0.2 * d * (a * y - b * x) / determinant,
            ];
            for (found, expected) in found.iter().zip(expected) {
                assert!(
                    (found - expected).abs() < 1e-6 * expected.abs().max(0.01),
                    "{found} {expected}"
                );
            }
        }
    }

    #[test]
    fn breaches_are_counted_before_and_after() {
        let noise = Noise::Independent { amount: 0.5 };
        let (originals, released) = table(6, 1.0, noise);
        let found = attack(&originals, &released, Some(noise), false).expect("enough rows");
        let yardstick = Yardstick {
            epsilon: 0.2,
            accuracy: None,
        };
        let [before, .., after] = &found.successes(yardstick)[..] else {
            panic!("four guesses");
        };
        assert_eq!(before.attack, "release as it is");
        assert!(
            before.breach < 0.1 && after.breach > 0.4,
            "{before:?} {after:?}"
        );
        assert!(after.median_error < 0.7 * before.median_error);
    }

    #[test]
    fn numbers_without_measure_are_no_trouble() {
        let odd = [1e308, -1e308, 1e154, 5e-324, 0.0, 1.0];
        let (mut originals, mut released) = (Records::new(2), Records::new(2));
        for n in 0..60 {
            originals.push(&[odd[n % 6], odd[n * 5 % 6]]);
            released.push(&[odd[n * 7 % 6], odd[n / 6 % 6]]);
        }
        let yardstick = Yardstick {
            epsilon: 0.2,
            accuracy: None,
        };
        for noise in [
            Noise::Independent { amount: 1.0 },
            Noise::Factors { variance: 1.0 },
            Noise::Correlated {
                amount: 1.0,
                shrunk: true,
            },
        ] {
            if let Ok(found) = attack(&originals, &released, Some(noise), false) {
                let successes = found.successes(yardstick);
                let shares = successes.iter().map(|one| one.breach);
                assert!(shares.into_iter().all(|share| (0.0..=1.0).contains(&share)));
            }
        }
    }

    #[test]
    fn what_is_missing_or_constant_is_left_out_and_too_little_is_told() {
        let noise = Noise::Independent { amount: 0.5 };
        let (mut originals, mut released) = (Records::new(3), Records::new(3));
        for n in 0..30 {
            let x = f64::from(n * 7 % 30);
            let missing = if n == 4 { f64::NAN } else { x };
            originals.push(&[x, 5.0, missing]);
            released.push(&[x + 1.0, 5.0, missing - 1.0]);
        }
        let found = attack(&originals, &released, Some(noise), false).expect("enough rows");
        assert_eq!((found.originals.len(), found.originals.width()), (29, 2));
        for (originals, released) in [
            (Records::new(3), Records::new(3)),
            (found.originals.clone(), {
                let mut all = Records::new(2);
                (0..29).for_each(|_| all.push(&[1.0, f64::NAN]));
                all
            }),
        ] {
            let error = attack(&originals, &released, Some(noise), false).expect_err("too little");
            assert_eq!(error.exit_code(), 4);
        }
    }
}
