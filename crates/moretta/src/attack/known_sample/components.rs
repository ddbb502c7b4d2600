//! Components of one side, and which of the other side they are.

use super::white::White;
use crate::data::Records;
use crate::math::assignment::assign;
use crate::math::independent_components::independent_components;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Records of which components are found.
const LEARNT: usize = 10_000;

/// Which directions of both sides are matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axes {
    Independent,
    Principal,
}

/// The components of one side.
pub(super) struct Components {
    pub(super) means: Vec<f64>,
    /// For each the weights that give it of a centred record.
    pub(super) readers: Vec<Vec<f64>>,
    /// For each what it adds to a record.
    pub(super) directions: Vec<Vec<f64>>,
    /// What their distributions look like.
    quantiles: Vec<Vec<f64>>,
}

/// A component of the release for each of the sample, and its sign.
pub(super) type Matches = Vec<(usize, f64)>;

impl Axes {
    pub(super) fn name(self) -> &'static str {
        match self {
            Axes::Independent => "independent components",
            Axes::Principal => "principal components",
        }
    }

    /// The first `width` components of records.
    pub(super) fn components(
        self,
        white: &White,
        records: &Records,
        width: usize,
        generator: &mut Xoshiro256PlusPlus,
    ) -> Components {
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
        let distribution = |component: &[f64]| {
            let values = all.chunks_exact(width).map(|row| dot(component, row));
            quantiles(values.collect())
        };
        let components = || rotation.chunks_exact(width);
        Components {
            means: white.means.clone(),
            readers: components().map(|one| white.reader(one)).collect(),
            directions: components().map(|one| white.direction(one)).collect(),
            quantiles: components().map(distribution).collect(),
        }
    }

    /// Which component of the release each of the sample is.
    pub(super) fn matches(self, known: &Components, seen: &Components) -> Matches {
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

impl Components {
    /// How far the distributions of matched components are apart.
    pub(super) fn apart(&self, seen: &Components, matches: &Matches) -> f64 {
        let pairs = self.quantiles.iter().zip(matches);
        pairs
            .map(|(known, &(place, sign))| signed_apart(known, &seen.quantiles[place], sign))
            .sum()
    }

    /// Puts the components of a record into `out`.
    pub(super) fn read(&self, record: &[f64], out: &mut [f64]) {
        for (out, reader) in out.iter_mut().zip(&self.readers) {
            let centred = record.iter().zip(&self.means).map(|(x, mean)| x - mean);
            *out = centred.zip(reader).map(|(x, weight)| x * weight).sum();
        }
    }

    /// Puts the record into `out` whose components are matched with these of the release.
    pub(super) fn write(&self, components: &[f64], matches: &Matches, out: &mut [f64]) {
        out.copy_from_slice(&self.means);
        for (&(place, sign), direction) in matches.iter().zip(&self.directions) {
            let component = sign * components[place];
            let parts = out.iter_mut().zip(direction);
            parts.for_each(|(out, x)| *out += component * x);
        }
    }
}

/// A hundred quantiles, each of as many values.
pub(super) fn quantiles(mut values: Vec<f64>) -> Vec<f64> {
    const QUANTILES: usize = 100;
    values.sort_by(f64::total_cmp);
    let quantile = |place: usize| values[(2 * place + 1) * values.len() / (2 * QUANTILES)];
    (0..QUANTILES).map(quantile).collect()
}

/// How far two distributions are apart, as one is or with its sign turned, whichever
/// is nearer, and that sign.
fn unlike(a: &[f64], b: &[f64]) -> (f64, f64) {
    let [upright, turned] = [1.0, -1.0].map(|sign| signed_apart(a, b, sign));
    match turned < upright {
        true => (turned, -1.0),
        false => (upright, 1.0),
    }
}

fn signed_apart(a: &[f64], b: &[f64], sign: f64) -> f64 {
    match sign < 0.0 {
        true => apart(a, b.iter().rev().map(|b| -b)),
        false => apart(a, b.iter().copied()),
    }
}

/// How far two distributions are apart, by their quantiles.
pub(super) fn apart(a: &[f64], b: impl Iterator<Item = f64>) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
