//! Taking noise off a release whose rows are in order: records that follow each other
//! are alike, and their noise is not.
//!
//! The best linear estimate of an original from the released records around it is
//! Γ·Σ⁻¹·w, where w are the released numbers of the window, Σ is their covariance, and
//! Γ that of the original with them. Both follow from the release: covariances of
//! released records some rows apart are those of the originals, but for the noise of a
//! record with itself, which is known and taken off. This is the filter of Wiener over
//! a window; no original is needed. Records beyond the ends count as the mean.
//!
//! The window holds the rows nearest by, and those a day or a week away, if the release
//! repeats itself: the distances at which its covariances have a peak.
//!
//! *Costs* (rows·m)³/6 once and rows·m² a record, for windows of at most 800 numbers.
//! *From* Wiener 1949.

use super::success::moments;
use crate::data::Records;
use crate::math::cholesky::Cholesky;
use crate::math::eigen::Eigen;
use crate::math::matrix::{Matrix, times};
use crate::math::moments::Moments;
use rayon::prelude::*;
use std::ops::RangeInclusive;

/// Rows on either side that are always looked at.
const NEAR: usize = 12;

/// Distances further away that are looked at, with so many rows on their sides.
const PEAKS: usize = 3;
const AROUND: usize = 4;

/// The furthest of them.
const FAR: usize = 400;

/// Numbers of a window at most.
const MOST: usize = 800;

/// Records of which covariances are taken.
const LEARNT: usize = 100_000;

/// Variance that is always there, beside numbers of variance 1.
const RIDGE: f64 = 1e-9;

/// What is best taken for the originals of standardised released records, in order,
/// whose noise has these covariances; none if there are too few of them.
pub(super) fn estimate(released: &Records, noise: &[f64]) -> Option<Records> {
    let filter = Filter::new(released, noise)?;
    let mut estimated = Records::new(released.width());
    let mut guess = vec![0.0; released.width()];
    for row in 0..released.len() {
        filter.estimate(released, row, &mut guess);
        estimated.push(&guess);
    }
    Some(estimated)
}

/// Released records, in order, with independent noise of this variance on each number,
/// as if there were less: each is what it was without noise, plus noise that goes with
/// none of it and has the covariance that is given as well.
///
/// An estimate is drawn towards the mean, by ρ in each direction where the released
/// numbers, without noise, have variance 1; over ρ it is not, and has noise of 1/ρ − 1.
pub(super) fn sharpen(released: &Records, variance: f64) -> Option<(Records, Matrix)> {
    // Covariances are known to about this share of the noise, and no estimate is exact.
    const LEAST: f64 = 0.2;
    const SHARES: [f64; 2] = [0.01, 0.98];
    let k = released.width();
    let scale = moments(released);
    let mut centred = released.clone();
    for row in 0..centred.len() {
        let values = centred.record_mut(row).iter_mut().zip(&scale);
        values.for_each(|(value, moments)| *value -= moments.mean());
    }
    let noise = Matrix::diagonal(k, variance);
    let filter = Filter::new(&centred, noise.values())?;
    let before = &filter.window.lags[0];
    let eigen = Eigen::new(k, |i, j| before[i * k + j] - noise.at(i, j));
    let power = |power: f64| {
        let values = eigen.map(|value| value.max(LEAST * variance).powf(power));
        Matrix::of_values(k, values)
    };
    let (white, back) = (power(-0.5), power(0.5));
    let told = white.times(&filter.explained).times(&white);
    let told = Eigen::new(k, |i, j| told.at(i, j));
    let of_share = |function: &dyn Fn(f64) -> f64| {
        let values = told.map(|share| function(share.clamp(SHARES[0], SHARES[1])));
        Matrix::of_values(k, values)
    };
    let widened = back.times(&of_share(&|share| 1.0 / share)).times(&white);
    let left = back
        .times(&of_share(&|share| 1.0 / share - 1.0))
        .times(&back);
    let widened = widened.transposed();
    let mut sharpened = Records::new(k);
    let mut guess = vec![0.0; k];
    for row in 0..centred.len() {
        filter.estimate(&centred, row, &mut guess);
        let mut record: Vec<f64> = scale.iter().map(Moments::mean).collect();
        times(&guess, &widened, &mut record);
        sharpened.push(&record);
    }
    Some((sharpened, left))
}

/// A window, and what each number in it tells of the original in its middle.
struct Filter {
    window: Window,
    /// By row of the window, m × m.
    weights: Vec<f64>,
    /// The covariance of estimates.
    explained: Matrix,
}

impl Filter {
    /// Of records around 0.
    fn new(released: &Records, noise: &[f64]) -> Option<Self> {
        let m = released.width();
        // Covariances must be of many more records than there are numbers in a window.
        let rows = MOST.min(released.len() / 4) / m.max(1);
        let window = Window::new(released, rows)?;
        let mut factor = Cholesky::new(window.rows.len() * m);
        factor.factor(|i, j| {
            let ridge = if i == j { RIDGE } else { 0.0 };
            window.covariance([i / m, j / m], [i % m, j % m]) + ridge
        });
        if !factor.is_definite() {
            return None;
        }
        let with_original = Matrix::new(window.rows.len() * m, m, |i, j| {
            let blur = match window.rows[i / m] {
                0 => noise[i % m * m + j],
                _ => 0.0,
            };
            window.covariance([i / m, window.middle], [i % m, j]) - blur
        });
        let weights = with_original.clone().solved(&factor);
        Some(Filter {
            explained: with_original.transposed().times(&weights),
            weights: weights.values().to_vec(),
            window,
        })
    }

    /// Puts what a row was into `guess`.
    fn estimate(&self, released: &Records, row: usize, guess: &mut [f64]) {
        guess.fill(0.0);
        let weights = self.weights.chunks_exact(guess.len() * guess.len());
        for (offset, weights) in self.window.rows.iter().zip(weights) {
            let Some(other) = row.checked_add_signed(*offset) else {
                continue;
            };
            if other < released.len() {
                add(guess, released.record(other), weights);
            }
        }
    }
}

/// Adds the record, weighted.
fn add(guess: &mut [f64], record: &[f64], weights: &[f64]) {
    for (value, weights) in record.iter().zip(weights.chunks_exact(guess.len())) {
        let sums = guess.iter_mut().zip(weights);
        sums.for_each(|(sum, weight)| *sum += weight * value);
    }
}

/// Rows around a record, and how released numbers of two of them go together.
struct Window {
    width: usize,
    /// Where they are, seen from the record, in ascending order.
    rows: Vec<isize>,
    /// The place of the record itself.
    middle: usize,
    /// By distance; at i, j the covariance of column i with column j so many rows later.
    lags: Vec<Vec<f64>>,
}

impl Window {
    /// At most so many rows; none where not even both neighbours have room.
    fn new(released: &Records, rows: usize) -> Option<Self> {
        let near = NEAR.min(rows.saturating_sub(1) / 2);
        if near == 0 {
            return None;
        }
        let peaks = PEAKS.min((rows - 2 * near - 1) / (2 * (2 * AROUND + 1)));
        let furthest = match peaks {
            0 => near,
            _ => FAR.min(released.len() / 8).max(near),
        };
        let mut lags = covariances(released, 0..=furthest);
        let mut distances: Vec<usize> = (0..=near).collect();
        for peak in find_peaks(&lags, near + AROUND, peaks) {
            distances.extend(peak - AROUND..=peak + AROUND);
        }
        distances.sort_unstable();
        distances.dedup();
        let last = distances.last().copied().unwrap_or(0);
        lags.truncate(2 * last + 1);
        lags.extend(covariances(released, lags.len()..=2 * last));
        let after = distances.iter().map(|&distance| distance as isize);
        let before = after.clone().skip(1).rev().map(|distance| -distance);
        Some(Window {
            width: released.width(),
            rows: before.chain(after).collect(),
            middle: distances.len() - 1,
            lags,
        })
    }

    /// That of one column at one row of the window with another at another.
    fn covariance(&self, rows: [usize; 2], columns: [usize; 2]) -> f64 {
        let [one, other] = rows.map(|row| self.rows[row]);
        let [i, j] = match one <= other {
            true => columns,
            false => [columns[1], columns[0]],
        };
        self.lags[one.abs_diff(other)][i * self.width + j]
    }
}

/// Covariances of columns so many rows apart, over all n at every distance, which keeps
/// those of a window definite.
fn covariances(released: &Records, distances: RangeInclusive<usize>) -> Vec<Vec<f64>> {
    let m = released.width();
    let n = released.len().min(LEARNT);
    let matrix = |distance: usize| {
        let mut sums = vec![0.0; m * m];
        let later = released.iter().take(n).skip(distance);
        for (one, later) in released.iter().zip(later) {
            for (&x, row) in one.iter().zip(sums.chunks_exact_mut(m)) {
                let products = row.iter_mut().zip(later);
                products.for_each(|(sum, y)| *sum += x * y);
            }
        }
        sums.iter_mut().for_each(|sum| *sum /= n as f64);
        sums
    };
    distances.into_par_iter().map(matrix).collect()
}

/// The distances beyond `near` at which the covariances are larger than around them, the
/// largest first.
fn find_peaks(lags: &[Vec<f64>], near: usize, most: usize) -> Vec<usize> {
    let sizes: Vec<f64> = lags
        .iter()
        .map(|matrix| matrix.iter().map(|entry| entry * entry).sum())
        .collect();
    let is_peak = |place: &usize| {
        let around = &sizes[place - AROUND..=place + AROUND];
        around.iter().all(|size| *size <= sizes[*place])
    };
    let inside = near + 1..sizes.len().saturating_sub(AROUND);
    let mut peaks: Vec<usize> = inside.filter(is_peak).collect();
    peaks.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]));
    peaks.truncate(most);
    peaks
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;
    use rand_distr::{Distribution, StandardNormal};
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Rows of normal numbers with this sum of a wave.
    fn noisy(rows: usize, width: usize, wave: impl Fn(usize) -> f64) -> Records {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut records = Records::new(width);
        for row in 0..rows {
            let mut value = |_| -> f64 {
                let normal: f64 = StandardNormal.sample(&mut generator);
                normal + wave(row)
            };
            records.push(&(0..width).map(&mut value).collect::<Vec<_>>());
        }
        records
    }

    #[test]
    fn windows_have_room_and_hold_what_repeats() {
        for (width, rows, room, expected) in [
            (1, 2_000, 800, 25),
            (1, 40, 10, 9),
            (2, 40, 2, 0),
            (4, 60, 3, 3),
        ] {
            let records = noisy(rows, width, |_| 0.0);
            let window = Window::new(&records, room).map_or(0, |window| window.rows.len());
            // Chance may look like a peak.
            let peaks = window.saturating_sub(expected);
            assert!(
                window >= expected && peaks <= 6 * (2 * AROUND + 1),
                "{window}"
            );
        }
        let daily = noisy(3_000, 1, |row| f64::from(u8::from(row % 60 == 0)) * 9.0);
        let window = Window::new(&daily, 800).expect("room");
        for day in [60, 120, 180_isize] {
            assert!(window.rows.contains(&day) && window.rows.contains(&-day));
        }
        assert_eq!(window.rows[window.middle], 0);
        assert!(window.rows.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn noise_on_a_slow_wave_falls_as_theory_says() {
        // A walk x' = φx + √(1 − φ²)·N has covariances φ^lag. With noise of variance v
        // the error over all rows is ∫ S·v/(S + v) over frequencies of the spectrum S.
        let (phi, variance, rows) = (0.95_f64, 0.5_f64, 40_000);
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut normal = || -> f64 { StandardNormal.sample(&mut generator) };
        let (mut originals, mut released) = (Vec::new(), Records::new(1));
        let (mut x, total) = (0.0, 1.0 + variance);
        for _ in 0..rows {
            x = phi * x + (1.0 - phi * phi).sqrt() * normal();
            originals.push(x);
            released.push(&[(x + variance.sqrt() * normal()) / total.sqrt()]);
        }
        let found = estimate(&released, &[variance / total]).expect("it varies");
        let pairs = found.column(0).zip(&originals);
        let squares = pairs.map(|(guess, x)| (guess * total.sqrt() - x).powi(2));
        let error = squares.sum::<f64>() / f64::from(rows);
        let steps = 10_000;
        let spectrum = |step: i32| {
            let angle = std::f64::consts::PI * (f64::from(step) + 0.5) / f64::from(steps);
            (1.0 - phi * phi) / (1.0 + phi * phi - 2.0 * phi * angle.cos())
        };
        let parts = (0..steps)
            .map(spectrum)
            .map(|s| s * variance / (s + variance));
        let expected = parts.sum::<f64>() / f64::from(steps);
        assert!((error / expected - 1.0).abs() < 0.05, "{error} {expected}");
    }

    #[test]
    fn columns_that_are_one_are_no_trouble() {
        let mut released = Records::new(2);
        for n in 0..200 {
            let value = f64::from(n % 7) - 3.0;
            released.push(&[value, value]);
        }
        if let Some(found) = estimate(&released, &[0.1, 0.0, 0.0, 0.1]) {
            assert!(found.iter().flatten().all(|value| value.is_finite()));
        }
    }
}
