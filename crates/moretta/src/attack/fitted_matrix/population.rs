//! What records of each class look like, by the sample, and what was released of them.

use crate::data::Records;
use crate::math::matrix::Matrix;
use crate::math::moments::CoMoments;
use std::collections::{BTreeMap, BTreeSet};

/// Variance that every feature has at least: rounding.
const ROUNDING: f64 = 1e-8;

/// Records of a class of which kernels are made, and to which they are fitted.
const KERNELS: usize = 250;

/// Classes have so many records of the sample at least.
const RARE: usize = 30;

/// Both sides of one class.
pub(super) struct Class {
    /// Of the sample.
    pub(super) mean: Vec<f64>,
    pub(super) covariance: Matrix,
    /// Where kernels are, and their common covariance.
    pub(super) centres: Matrix,
    pub(super) kernel: Matrix,
    /// Of the release.
    pub(super) released: CoMoments,
    /// Some of its records.
    pub(super) records: Matrix,
    /// Records that the two sides are worth together.
    pub(super) weight: f64,
}

impl Class {
    /// Of the records of one class on both sides.
    pub(super) fn new(sample: &Records, released: &Records) -> Self {
        let (known, seen) = (moments(sample), moments(released));
        let (centres, kernel) = kernels(sample, &known);
        let stride = released.len().div_ceil(KERNELS).max(1);
        let some: Vec<f64> = released.iter().step_by(stride).flatten().copied().collect();
        Class {
            mean: known.means().to_vec(),
            covariance: covariance(&known),
            centres,
            kernel,
            records: Matrix::of_values(released.width(), some),
            // Differences of their moments are as large as those of so many records.
            weight: 1.0 / (1.0 / known.count() as f64 + 1.0 / seen.count() as f64),
            released: seen,
        }
    }
}

fn moments(records: &Records) -> CoMoments {
    let mut moments = CoMoments::new(records.width());
    for record in records.iter() {
        moments.push(record);
    }
    moments
}

fn covariance(moments: &CoMoments) -> Matrix {
    let m = moments.width();
    Matrix::new(m, m, |i, j| {
        let least = if i == j { ROUNDING } else { 0.0 };
        moments.covariance(i, j) + least
    })
}

/// Normal kernels round the sample, drawn together so that they have its covariance.
///
/// Features that are 0 or 1 hold categories: kernels are of the records of one category,
/// and no kernel lies between two of them, if there are records enough.
fn kernels(sample: &Records, all: &CoMoments) -> (Matrix, Matrix) {
    let m = sample.width();
    let mut groups: BTreeMap<Vec<bool>, CoMoments> = BTreeMap::new();
    let flags = flags(sample);
    let key = |record: &[f64]| -> Vec<bool> {
        let values = flags.iter().map(|&place| record[place] > 0.5);
        values.collect()
    };
    for record in sample.iter() {
        let group = groups.entry(key(record));
        group.or_insert_with(|| CoMoments::new(m)).push(record);
    }
    let few = 4 * groups.len() > sample.len();
    let mean = |record: &[f64]| match groups.get(&key(record)) {
        Some(group) if !few => group.means(),
        _ => all.means(),
    };
    let mut within = CoMoments::new(m);
    for record in sample.iter() {
        let centred: Vec<f64> = record
            .iter()
            .zip(mean(record))
            .map(|(x, y)| x - y)
            .collect();
        within.push(&centred);
    }
    // Silverman's rule is best for normal records; of others half of it fits better.
    let (n, d) = (sample.len() as f64, m as f64);
    let width = 0.5 * (4.0 / ((d + 2.0) * n)).powf(1.0 / (d + 4.0));
    let share = width * width;
    let stride = sample.len().div_ceil(KERNELS).max(1);
    let mut centres = Vec::new();
    for record in sample.iter().step_by(stride) {
        let towards = record.iter().zip(mean(record));
        centres.extend(towards.map(|(x, mean)| mean + (1.0 - share).sqrt() * (x - mean)));
    }
    let within = covariance(&within);
    let kernel = Matrix::new(m, m, |i, j| share * within.at(i, j));
    (Matrix::of_values(m, centres), kernel)
}

/// The features that are 0 or 1 in every record, and both.
fn flags(sample: &Records) -> Vec<usize> {
    let is_flag = |&place: &usize| {
        let (mut zeros, mut ones) = (0, 0);
        for value in sample.column(place) {
            zeros += usize::from(value == 0.0);
            ones += usize::from(value == 1.0);
        }
        zeros + ones == sample.len() && zeros > 0 && ones > 0
    };
    (0..sample.width()).filter(is_flag).collect()
}

/// Places of classes, from 0; those that are rarer than `least` on one side share one.
pub(super) fn group(sample: &[u32], released: &[u32], least: usize) -> BTreeMap<u32, usize> {
    let least = least.max(RARE);
    let count = |classes: &[u32]| {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for &class in classes {
            *counts.entry(class).or_default() += 1;
        }
        counts
    };
    let (known, seen) = (count(sample), count(released));
    let of = |counts: &BTreeMap<u32, usize>, class: &u32| counts.get(class).copied().unwrap_or(0);
    let names: BTreeSet<u32> = known.keys().chain(seen.keys()).copied().collect();
    let (frequent, rare): (Vec<u32>, Vec<u32>) = names
        .iter()
        .partition(|class| of(&known, class) >= least && of(&seen, class) >= least);
    let sum = |counts: &BTreeMap<u32, usize>| -> usize {
        rare.iter().map(|class| of(counts, class)).sum()
    };
    // Too few for a class of their own join the first.
    let own = sum(&known) >= least && sum(&seen) >= least;
    let last = if own { frequent.len() } else { 0 };
    let places = frequent.iter().copied().zip(0..);
    places
        .chain(rare.iter().map(|&class| (class, last)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_classes_share_a_place() {
        let repeat = |counts: &[(u32, usize)]| -> Vec<u32> {
            let all = counts.iter();
            all.flat_map(|&(class, count)| vec![class; count]).collect()
        };
        let many = repeat(&[(4, 50), (7, 60), (8, 20), (9, 15)]);
        let found = group(&many, &many, 5);
        assert_eq!(found, BTreeMap::from([(4, 0), (7, 1), (8, 2), (9, 2)]));
        let few = repeat(&[(4, 50), (7, 60), (8, 3)]);
        assert_eq!(
            group(&few, &few, 5),
            BTreeMap::from([(4, 0), (7, 1), (8, 0)])
        );
        assert_eq!(
            group(&[1, 2], &[2, 3], 5),
            BTreeMap::from([(1, 0), (2, 0), (3, 0)])
        );
    }

    #[test]
    fn kernels_have_the_covariance_of_the_sample_and_keep_categories_apart() {
        let mut sample = Records::new(3);
        for n in 0..200 {
            let category = f64::from(u8::from(n % 3 == 0));
            let value = f64::from(n * n % 101) / 101.0;
            sample.push(&[category, 1.0 - category, value + 2.0 * category]);
        }
        let class = Class::new(&sample, &sample);
        let mut spread = CoMoments::new(3);
        for centre in class.centres.iter() {
            assert!(
                centre[0] == 0.0 || (centre[0] - 1.0).abs() < 1e-12,
                "{centre:?}"
            );
            spread.push(centre);
        }
        assert!(class.kernel.at(0, 0) < 1e-6);
        for i in 0..3 {
            for j in 0..3 {
                let found = spread.covariance(i, j) + class.kernel.at(i, j);
                let expected = class.covariance.at(i, j);
                assert!(
                    (found - expected).abs() < 1e-3,
                    "{i} {j}: {found} {expected}"
                );
            }
        }
    }
}
