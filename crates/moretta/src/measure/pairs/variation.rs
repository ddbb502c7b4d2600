//! Mean variation: by how much values, means, covariances and variances change relative to what they
//! were, and correlations by themselves.
//!
//! ```text
//! IL1 = mean over values     of |x' − x| / |x|
//! IL2 = mean over i          of |m'ᵢ − mᵢ| / |mᵢ|
//! IL3 = mean over i ≤ j      of |v'ᵢⱼ − vᵢⱼ| / |vᵢⱼ|
//! IL4 = mean over i          of |S'ᵢ² − Sᵢ²| / Sᵢ²
//! IL5 = mean over i < j      of |r'ᵢⱼ − rᵢⱼ|
//! mean_variation = mean of IL1 to IL5, of those that exist
//! ```
//!
//! What would be divided by 0 is left out of its mean. There is no upper end: a value near 0 that
//! moves a little varies very much, which is what the discrepancies and `il1s` avoid.
//!
//! Numbers and ordinals count, nominal attributes do not; pairs in which one of their values is
//! missing on either side are left out. *Costs* `width²` multiplications a pair. *From*
//! Domingo-Ferrer, Mateo-Sanz, Torra, "Comparing SDC methods for microdata on the basis of
//! information loss and disclosure risk" (2001).

use super::moments::{BothMoments, couples};
use super::{PairSettings, mean};
use crate::measure::Measure;

/// Mean of five variations.
pub(in crate::measure) struct MeanVariation {
    moments: BothMoments,
    /// The sum of variations of values, and how many values are not 0.
    values: (f64, u64),
}

impl MeanVariation {
    pub(in crate::measure) fn new(settings: &PairSettings) -> Self {
        MeanVariation {
            moments: BothMoments::new(settings),
            values: (0.0, 0),
        }
    }

    /// IL1 to IL5.
    fn five(&self) -> [Option<f64>; 5] {
        let BothMoments {
            original,
            protected,
            ..
        } = &self.moments;
        let columns: Vec<usize> = (0..original.width()).collect();
        let covariance = |(i, j)| variation(original.covariance(i, j), protected.covariance(i, j));
        let (sum, count) = self.values;
        [
            (count > 0).then(|| sum / count as f64),
            mean(
                columns
                    .iter()
                    .filter_map(|&i| variation(original.means()[i], protected.means()[i])),
            ),
            mean(couples(&columns, true).filter_map(covariance)),
            mean(columns.iter().filter_map(|&i| covariance((i, i)))),
            mean(couples(&columns, false).filter_map(|(i, j)| {
                let before = original.correlation(i, j)?;
                Some((protected.correlation(i, j)? - before).abs())
            })),
        ]
    }
}

impl Measure for MeanVariation {
    fn observe_record(&mut self, original: &[f64], protected: &[f64]) {
        if !self.moments.push(original, protected) {
            return;
        }
        let (before, after) = &self.moments.last;
        for (&x, &y) in before.iter().zip(after) {
            if let Some(variation) = variation(x, y) {
                self.values.0 += variation;
                self.values.1 += 1;
            }
        }
    }

    fn value(&self) -> Option<f64> {
        if self.moments.original.count() < 2 {
            return None;
        }
        mean(self.five().into_iter().flatten())
    }
}

/// A change relative to what was; none of 0.
fn variation(before: f64, after: f64) -> Option<f64> {
    (before != 0.0).then(|| (after - before).abs() / before.abs())
}

#[cfg(test)]
mod tests {
    use super::super::reference::{Pair, check, complete, same_pairs, settings, worked_example};
    use super::*;
    use crate::data::Attribute;
    use proptest::prelude::*;

    #[test]
    fn variations_are_those_of_the_worked_example() {
        let Some((pairs, expected)) = worked_example("il-continuous-a") else {
            return;
        };
        let mut measure = MeanVariation::new(&PairSettings::new(vec![Attribute::Number; 2]));
        for (original, protected) in &pairs {
            measure.observe_record(original, protected);
        }
        let expected = |name: &str| expected["five"][name].as_f64().expect("a number");
        for (found, name) in measure
            .five()
            .iter()
            .zip(["IL1", "IL2", "IL3", "IL4", "IL5"])
        {
            let found = found.expect("pairs");
            assert!((found - expected(name)).abs() < 1e-9, "{name}: {found}");
        }
        let value = 100.0 * measure.value().expect("pairs");
        assert!((value - expected("IL")).abs() < 1e-9, "{value}");
    }

    #[test]
    fn what_was_zero_is_left_out() {
        let mut measure = MeanVariation::new(&PairSettings::new(vec![Attribute::Number]));
        for (x, y) in [(0.0, 1.0), (2.0, 3.0), (-2.0, -2.0)] {
            measure.observe_record(&[x], &[y]);
        }
        let [values, means, ..] = measure.five();
        assert_eq!((values, means), (Some(0.25), None));
    }

    proptest! {
        #[test]
        fn what_is_released_as_it_was_loses_nothing(same in same_pairs()) {
            let none = |pairs: &[Pair]| {
                let pairs = complete(pairs, &[0, 1, 2]);
                (pairs.len() > 1).then_some(0.0)
            };
            check(MeanVariation::new(&settings()), &same, none)?;
        }
    }
}
