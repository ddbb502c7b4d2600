//! Discrepancies of means, covariances and correlations.
//!
//! With means m, standard deviations S, covariances v and correlations r of the
//! originals so far, and those with a prime of what was released:
//!
//! ```text
//! mean_discrepancy        = mean over i      of |m'ᵢ − mᵢ| / Sᵢ
//! covariance_discrepancy  = mean over i ≤ j  of |v'ᵢⱼ − vᵢⱼ| / (Sᵢ · Sⱼ)
//! correlation_discrepancy = mean over i < j  of |r'ᵢⱼ − rᵢⱼ|
//! ```
//!
//! Divided by deviations rather than by the statistic itself, which may be 0. The
//! diagonal of the covariances is the change of variances, |S'² / S² − 1|.
//!
//! Numbers and ordinals count, nominal attributes do not. Pairs in which one of
//! their values is missing on either side are left out; attributes that do not vary
//! are left out, for correlations on either side.
//!
//! *Costs* `width²` multiplications a pair. *From* Domingo-Ferrer, Torra, "Disclosure
//! control methods and information loss for microdata" (2001).

use super::{PairSettings, mean};
use crate::math::moments::CoMoments;
use crate::measure::Measure;

/// Moments of both sides, of the same pairs.
pub(super) struct BothMoments {
    places: Vec<usize>,
    pub(super) original: CoMoments,
    pub(super) protected: CoMoments,
    /// The numbers and ordinals of the last pair that counted.
    pub(super) last: (Vec<f64>, Vec<f64>),
}

impl BothMoments {
    pub(in crate::measure) fn new(settings: &PairSettings) -> Self {
        let places = settings.scalars();
        BothMoments {
            original: CoMoments::new(places.len()),
            protected: CoMoments::new(places.len()),
            last: (vec![0.0; places.len()], vec![0.0; places.len()]),
            places,
        }
    }

    /// One more pair; says whether it counts.
    pub(super) fn push(&mut self, original: &[f64], protected: &[f64]) -> bool {
        let places = self.places.iter();
        let (xs, ys) = (&mut self.last.0, &mut self.last.1);
        for (&place, (x, y)) in places.zip(xs.iter_mut().zip(ys.iter_mut())) {
            (*x, *y) = (original[place], protected[place]);
        }
        let complete = xs.iter().chain(ys.iter()).all(|value| value.is_finite());
        complete && self.original.push(xs) && self.protected.push(ys)
    }

    /// The attributes whose originals vary.
    fn varying(&self) -> Vec<usize> {
        let columns = 0..self.original.width();
        columns
            .filter(|&i| self.original.variance(i) > 0.0)
            .collect()
    }
}

/// Every two of some columns, the first before the second or, if wanted, the same.
pub(super) fn couples(
    columns: &[usize],
    itself: bool,
) -> impl Iterator<Item = (usize, usize)> + '_ {
    let firsts = columns.iter().enumerate();
    firsts.flat_map(move |(n, &i)| {
        let from = if itself { n } else { n + 1 };
        columns[from..].iter().map(move |&j| (i, j))
    })
}

/// A discrepancy of the moments of both sides.
pub(in crate::measure) struct Discrepancy {
    moments: BothMoments,
    of: fn(&BothMoments) -> Option<f64>,
}

impl Discrepancy {
    fn new(settings: &PairSettings, of: fn(&BothMoments) -> Option<f64>) -> Self {
        let moments = BothMoments::new(settings);
        Discrepancy { moments, of }
    }

    /// By how much means moved.
    pub(in crate::measure) fn of_means(settings: &PairSettings) -> Self {
        Discrepancy::new(settings, |both| {
            mean(both.varying().into_iter().map(|i| {
                let difference = both.protected.means()[i] - both.original.means()[i];
                difference.abs() / both.original.variance(i).sqrt()
            }))
        })
    }

    /// By how much variances and covariances changed.
    pub(in crate::measure) fn of_covariances(settings: &PairSettings) -> Self {
        Discrepancy::new(settings, |both| {
            let (original, protected) = (&both.original, &both.protected);
            mean(couples(&both.varying(), true).map(|(i, j)| {
                let difference = protected.covariance(i, j) - original.covariance(i, j);
                difference.abs() / (original.variance(i).sqrt() * original.variance(j).sqrt())
            }))
        })
    }

    /// By how much correlations changed.
    pub(in crate::measure) fn of_correlations(settings: &PairSettings) -> Self {
        Discrepancy::new(settings, |both| {
            mean(couples(&both.varying(), false).filter_map(|(i, j)| {
                let before = both.original.correlation(i, j)?;
                let after = both.protected.correlation(i, j)?;
                Some((after - before).abs())
            }))
        })
    }
}

impl Measure for Discrepancy {
    fn observe_record(&mut self, original: &[f64], protected: &[f64]) {
        self.moments.push(original, protected);
    }

    fn value(&self) -> Option<f64> {
        (self.of)(&self.moments)
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference::{
        Pair, any_pairs, average, check, complete, deviation, same_pairs, settings,
    };
    use super::*;
    use proptest::prelude::*;

    /// Two passes over both columns.
    fn covariance(a: &[f64], b: &[f64]) -> f64 {
        let (Some(m), Some(n)) = (average(a), average(b)) else {
            return 0.0;
        };
        let products = a.iter().zip(b).map(|(a, b)| (a - m) * (b - n));
        products.sum::<f64>() / (a.len() - 1) as f64
    }

    /// Columns of both sides that vary.
    fn columns(pairs: &[Pair]) -> Vec<(Vec<f64>, Vec<f64>)> {
        let pairs = complete(pairs, &[0, 1, 2]);
        let columns = (0..3).map(|place| {
            let column = |side: fn(&Pair) -> &Vec<f64>| pairs.iter().map(move |p| side(p)[place]);
            (
                column(|pair| &pair.0).collect(),
                column(|pair| &pair.1).collect(),
            )
        });
        let varies = |column: &(Vec<f64>, Vec<f64>)| deviation(&column.0) > 1e-9;
        columns.filter(varies).collect()
    }

    fn means(pairs: &[Pair]) -> Option<f64> {
        let moved = columns(pairs)
            .into_iter()
            .filter_map(|(x, y)| Some((average(&y)? - average(&x)?).abs() / deviation(&x)));
        average(&moved.collect::<Vec<_>>())
    }

    fn covariances(pairs: &[Pair]) -> Option<f64> {
        let columns = columns(pairs);
        let mut changes = Vec::new();
        for i in 0..columns.len() {
            for j in i..columns.len() {
                let ((a, c), (b, d)) = (&columns[i], &columns[j]);
                let change = covariance(c, d) - covariance(a, b);
                changes.push(change.abs() / (deviation(a) * deviation(b)));
            }
        }
        average(&changes)
    }

    fn correlations(pairs: &[Pair]) -> Option<f64> {
        let columns = columns(pairs);
        let mut changes = Vec::new();
        for i in 0..columns.len() {
            for j in i + 1..columns.len() {
                let ((a, c), (b, d)) = (&columns[i], &columns[j]);
                if deviation(c) > 0.0 && deviation(d) > 0.0 {
                    let before = covariance(a, b) / (deviation(a) * deviation(b));
                    let after = covariance(c, d) / (deviation(c) * deviation(d));
                    changes.push((after - before).abs());
                }
            }
        }
        average(&changes)
    }

    proptest! {
        #[test]
        fn discrepancies_are_those_of_two_passes(pairs in any_pairs(true)) {
            check(Discrepancy::of_means(&settings()), &pairs, means)?;
            check(Discrepancy::of_covariances(&settings()), &pairs, covariances)?;
            check(Discrepancy::of_correlations(&settings()), &pairs, correlations)?;
        }

        #[test]
        fn what_is_released_as_it_was_loses_nothing(pairs in same_pairs()) {
            let none = |value: Option<f64>| value.map(|_| 0.0);
            check(Discrepancy::of_means(&settings()), &pairs, |pairs| none(means(pairs)))?;
            check(Discrepancy::of_covariances(&settings()), &pairs, |p| none(covariances(p)))?;
            check(Discrepancy::of_correlations(&settings()), &pairs, |p| none(correlations(p)))?;
        }
    }
}
