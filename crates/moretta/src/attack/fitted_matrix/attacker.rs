//! What an attacker has in hand, and makes of it.

use super::Release;
use super::fit::{Search, fit};
use super::kernels::Seen;
use super::noise::Conditional;
use super::population::{self, Class};
use super::prior::Prior;
use crate::attack::neighbours;
use crate::attack::reconstruction::{Blur, Stream};
use crate::attack::rows::Rows;
use crate::data::Records;
use crate::error::{Error, Result};
use crate::math::matrix::{Matrix, times};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

/// Records that are reconstructed at most: every n-th of more.
const ATTACKED: usize = 50_000;

/// Variance of noise where there is none: that of rounding.
const ROUNDING: f64 = 1e-6;

/// A sample, and the release.
pub(super) struct Attacker<'a> {
    release: &'a Release<'a>,
    /// Records of the sample.
    sample: usize,
    /// The rows that were released, and what of them, in order.
    rows: Vec<usize>,
    released: Records,
    /// The place of each row's class among `classes`.
    groups: Vec<usize>,
    pub(super) classes: Vec<Class>,
    /// The released records that are attacked.
    targets: Vec<usize>,
    /// Mean variance of the noise on a released number.
    noise: f64,
}

/// Records of which the attacker knows, or takes for certain, what they became.
pub(super) struct Known {
    rows: Vec<u64>,
    pub(super) inputs: Matrix,
    pub(super) outputs: Matrix,
    /// Variance by which each may be the wrong row.
    doubts: Vec<f64>,
}

impl<'a> Attacker<'a> {
    pub(super) fn new(release: &'a Release<'a>, drawn: &Rows) -> Self {
        let stream = release.stream;
        let mut rows: Vec<usize> = drawn.known.iter().chain(&drawn.others).copied().collect();
        rows.sort_unstable();
        let mut released = Records::new(stream.outputs.width());
        rows.iter()
            .for_each(|&row| released.push(stream.outputs.record(row)));
        let class = |row: &usize| {
            let class = release.classes.and_then(|classes| classes.get(*row));
            class.copied().unwrap_or(0)
        };
        let known: Vec<u32> = drawn.sample.iter().map(class).collect();
        let seen: Vec<u32> = rows.iter().map(class).collect();
        let width = stream.inputs.width();
        let names = population::group(&known, &seen, width + 2);
        let group = |class: &u32| names.get(class).copied().unwrap_or(0);
        let groups: Vec<usize> = seen.iter().map(group).collect();
        let many = names.values().copied().max().unwrap_or(0) + 1;
        let mut sides: Vec<(Records, Records)> = (0..many)
            .map(|_| {
                (
                    Records::new(features(stream)),
                    Records::new(released.width()),
                )
            })
            .collect();
        for (&row, class) in drawn.sample.iter().zip(&known) {
            sides[group(class)].0.push(&input(stream, row));
        }
        for (record, &group) in released.iter().zip(&groups) {
            sides[group].1.push(record);
        }
        let attacked =
            (0..rows.len()).filter(|&place| drawn.known.binary_search(&rows[place]).is_err());
        let stride = drawn.others.len().div_ceil(ATTACKED).max(1);
        let variance = |&row: &usize| stream.blur.covariance(row as u64, row as u64);
        let noise = rows.iter().map(variance).sum::<f64>() / rows.len().max(1) as f64;
        Attacker {
            release,
            sample: drawn.sample.len(),
            targets: attacked.step_by(stride).collect(),
            classes: sides
                .iter()
                .map(|(sample, released)| Class::new(sample, released))
                .collect(),
            noise: noise.max(ROUNDING),
            rows,
            released,
            groups,
        }
    }

    /// What such an attacker knows, with the sample.
    pub(super) fn knows(&self, records: &str) -> String {
        let classes = match self.release.classes {
            Some(_) => ", the classes",
            None => "",
        };
        format!("{records}, {} other records{classes}", self.sample)
    }

    /// These rows, with what they became.
    pub(super) fn known(&self, rows: &[usize]) -> Known {
        let stream = self.release.stream;
        let inputs = rows.iter().flat_map(|&row| input(stream, row)).collect();
        let outputs = rows.iter().flat_map(|&row| stream.outputs.record(row));
        Known {
            rows: rows.iter().map(|&row| row as u64).collect(),
            inputs: Matrix::of_values(features(stream), inputs),
            outputs: Matrix::of_values(stream.outputs.width(), outputs.copied().collect()),
            doubts: vec![0.0; rows.len()],
        }
    }

    /// These rows, with the released records of their class that are nearest to what the
    /// matrix makes of them; how far these are is how doubtful they are.
    pub(super) fn link(&self, rows: &[usize], matrix: &Matrix) -> Known {
        let mut known = self.known(rows);
        let k = matrix.columns();
        let group = |row: usize| {
            let place = self.rows.binary_search(&row);
            place.map_or(0, |place| self.groups[place])
        };
        for (place, &row) in rows.iter().enumerate() {
            let group = group(row);
            let mut became = vec![0.0; k];
            times(known.inputs.row(place), matrix, &mut became);
            let moments = &self.classes[group].released;
            let distance = |released: &[f64]| -> f64 {
                let parts = released.iter().zip(&became).enumerate();
                parts
                    .map(|(i, (x, y))| (x - y) * (x - y) / moments.variance(i).max(ROUNDING))
                    .sum()
            };
            let candidates = (0..self.rows.len()).filter(|&place| self.groups[place] == group);
            let distances = candidates.map(|place| (distance(self.released.record(place)), place));
            let Some((_, nearest)) = distances.min_by(|a, b| a.0.total_cmp(&b.0)) else {
                continue;
            };
            let found = self.released.record(nearest);
            let squares = found.iter().zip(&became).map(|(x, y)| (x - y) * (x - y));
            known.doubts[place] = squares.sum::<f64>() / k as f64;
            known.rows[place] = self.rows[nearest] as u64;
            known.outputs.row_mut(place).copy_from_slice(found);
        }
        known
    }

    /// The most probable matrix.
    ///
    /// # Errors
    /// No matrix fits.
    pub(super) fn fit(
        &self,
        known: &Known,
        search: Search<'_>,
        generator: &mut Xoshiro256PlusPlus,
    ) -> Result<Matrix> {
        let stream = self.release.stream;
        let k = stream.outputs.width();
        let mut variances = vec![1.0 / k as f64; stream.inputs.width()];
        if stream.translated {
            let squares = self.released.iter().flatten().map(|value| value * value);
            let values = self.released.len() * k;
            variances.push(1.0 + squares.sum::<f64>() / values.max(1) as f64);
        }
        let noise = |i: usize, j: usize| {
            let doubt = if i == j { known.doubts[i] } else { 0.0 };
            stream.blur.covariance(known.rows[i], known.rows[j]) + doubt
        };
        let prior = Prior::new(&variances, &known.inputs, &known.outputs, noise);
        fit(&prior, &self.classes, self.noise, search, generator).ok_or_else(no_fit)
    }

    /// What is expected of all records that are attacked.
    ///
    /// # Errors
    /// The matrix leaves no spread.
    pub(super) fn guess(&self, matrix: &Matrix, known: &Known) -> Result<Records> {
        let blur = self.release.stream.blur;
        let conditional =
            Conditional::new(blur, &known.rows, &known.inputs, &known.outputs, matrix);
        let rows: Vec<u64> = self
            .targets
            .iter()
            .map(|&place| self.rows[place] as u64)
            .collect();
        let levels = conditional.levels(&rows);
        let seen: Option<Vec<Vec<Seen<'_>>>> = levels
            .variances
            .iter()
            .map(|variance| {
                self.seen(
                    matrix,
                    &Matrix::diagonal(matrix.columns(), variance.max(ROUNDING)),
                )
            })
            .collect();
        let seen = seen.ok_or_else(no_fit)?;
        let guesses = self.targets.par_iter().zip(&rows).zip(&levels.places);
        let guesses = guesses.map(|((&target, &row), &level)| {
            let mut record = self.released.record(target).to_vec();
            conditional.take_off(row, &mut record);
            seen[level][self.groups[target]].expected(&record)
        });
        Ok(self.collect(guesses.collect()))
    }

    /// The same of what neighbours leave of independent noise; none where that is not known.
    pub(super) fn guess_over_neighbours(&self, matrix: &Matrix) -> Option<Records> {
        let Blur::Independent { deviation } = self.release.stream.blur else {
            return None;
        };
        if !self.release.in_order {
            return None;
        }
        let (sharpened, noise) = neighbours::sharpen(&self.released, deviation * deviation)?;
        let mut least = Matrix::diagonal(matrix.columns(), ROUNDING);
        least.add(1.0, &noise);
        let seen = self.seen(matrix, &least)?;
        let guesses = self.targets.par_iter().map(|&target| {
            let class = &seen[self.groups[target]];
            class.expected(sharpened.record(target))
        });
        Some(self.collect(guesses.collect()))
    }

    /// What can be guessed without the released numbers.
    pub(super) fn means(&self) -> Records {
        let mean = |&target: &usize| self.classes[self.groups[target]].mean.clone();
        self.collect(self.targets.iter().map(mean).collect())
    }

    /// What attacks want.
    pub(super) fn originals(&self) -> Records {
        let inputs = self.release.stream.inputs;
        let mut originals = Records::new(inputs.width());
        for &target in &self.targets {
            originals.push(inputs.record(self.rows[target]));
        }
        originals
    }

    /// All classes, as the matrix and this noise show them.
    fn seen<'b>(&'b self, matrix: &'b Matrix, noise: &Matrix) -> Option<Vec<Seen<'b>>> {
        let classes = self.classes.iter();
        classes
            .map(|class| Seen::new(matrix, class, noise))
            .collect()
    }

    fn collect(&self, guesses: Vec<Vec<f64>>) -> Records {
        let m = self.release.stream.inputs.width();
        let mut records = Records::new(m);
        guesses.iter().for_each(|guess| records.push(&guess[..m]));
        records
    }
}

/// Features of a record, and one more for a translation.
fn features(stream: &Stream<'_>) -> usize {
    stream.inputs.width() + usize::from(stream.translated)
}

/// The features of a row; a translation is a feature that is always 1.
fn input(stream: &Stream<'_>, row: usize) -> Vec<f64> {
    let shift = stream.translated.then_some(1.0);
    stream
        .inputs
        .record(row)
        .iter()
        .copied()
        .chain(shift)
        .collect()
}

fn no_fit() -> Error {
    Error::input("no matrix fits the sample and the release")
        .help("take a larger sample with --sample")
}
