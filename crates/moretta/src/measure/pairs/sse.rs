//! Sum of squared errors: `sse` in the units of the data, `sse_ratio` without.
//!
//! ```text
//! SSE = Σ over pairs and attributes of (x − x')²      1 for a nominal value that changed
//! ratio = mean over the attributes of SSE of it / SST of it
//! ```
//!
//! SST is the SSE of a release that shows only the mean of an attribute, or its most
//! frequent category: Σ (x − mean)², or the number of values that are another. On
//! standardised columns the ratio is the SSE/SST of microaggregation. Attributes that
//! do not vary are left out of the ratio.
//!
//! Of missing values two are equal, and one differs by 1 from any value; the SST is
//! of the values that are there.
//!
//! *Costs* some operations a value. *From* Domingo-Ferrer, Mateo-Sanz, "Practical
//! data-oriented microaggregation for statistical disclosure control" (2002).

use super::{PairSettings, mean};
use crate::math::distance::{squared_difference, squared_distance};
use crate::math::moments::Moments;
use crate::measure::Measure;
use foldhash::fast::FixedState;
use std::collections::HashMap;

/// Categories of an attribute that are counted; others cannot become the most frequent.
const MOST_CATEGORIES: usize = 1 << 16;

/// Sum of squared differences.
pub(in crate::measure) struct Sse {
    nominal: Vec<bool>,
    pairs: u64,
    sum: f64,
}

impl Sse {
    pub(in crate::measure) fn new(settings: &PairSettings) -> Self {
        Sse {
            nominal: settings.nominal(),
            pairs: 0,
            sum: 0.0,
        }
    }
}

impl Measure for Sse {
    fn observe_record(&mut self, original: &[f64], protected: &[f64]) {
        self.pairs += 1;
        self.sum += squared_distance(original, protected, &self.nominal);
    }

    fn value(&self) -> Option<f64> {
        (self.pairs > 0 && self.sum.is_finite()).then_some(self.sum)
    }
}

/// Squared differences over those from the mean.
pub(in crate::measure) struct SseRatio {
    errors: Vec<f64>,
    totals: Vec<Total>,
}

/// What an attribute would lose if only its mean were shown.
enum Total {
    Scalar(Moments),
    Nominal(Frequencies),
}

/// How often categories occur.
#[derive(Default)]
struct Frequencies {
    counts: HashMap<u64, u64, FixedState>,
    values: u64,
    most: u64,
}

impl Frequencies {
    fn push(&mut self, value: f64) {
        if value.is_nan() {
            return;
        }
        self.values += 1;
        let room = self.counts.len() < MOST_CATEGORIES;
        let code = value.to_bits();
        if room || self.counts.contains_key(&code) {
            let count = self.counts.entry(code).or_default();
            *count += 1;
            self.most = self.most.max(*count);
        }
    }
}

impl SseRatio {
    pub(in crate::measure) fn new(settings: &PairSettings) -> Self {
        let total = |nominal: bool| match nominal {
            true => Total::Nominal(Frequencies::default()),
            false => Total::Scalar(Moments::default()),
        };
        let nominal = settings.nominal();
        SseRatio {
            errors: vec![0.0; nominal.len()],
            totals: nominal.into_iter().map(total).collect(),
        }
    }
}

impl Measure for SseRatio {
    fn observe_record(&mut self, original: &[f64], protected: &[f64]) {
        let columns = self.errors.iter_mut().zip(&mut self.totals);
        for ((error, total), (&x, &y)) in columns.zip(original.iter().zip(protected)) {
            match total {
                Total::Scalar(moments) => {
                    moments.push(x);
                    *error += squared_difference(x, y, false);
                }
                Total::Nominal(frequencies) => {
                    frequencies.push(x);
                    *error += squared_difference(x, y, true);
                }
            }
        }
    }

    fn value(&self) -> Option<f64> {
        let totals = self.totals.iter().map(|total| match total {
            Total::Scalar(moments) => moments.squares(),
            Total::Nominal(frequencies) => (frequencies.values - frequencies.most) as f64,
        });
        let columns = self.errors.iter().zip(totals);
        let varying = columns.filter(|(_, total)| *total > 0.0);
        mean(varying.map(|(error, total)| error / total))
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference::{Pair, any_pairs, average, check, same_pairs, settings};
    use super::*;
    use proptest::prelude::*;

    fn errors(pairs: &[Pair], place: usize) -> f64 {
        let squares = pairs.iter().map(|(original, protected)| {
            let (x, y) = (original[place], protected[place]);
            match (x.is_nan(), y.is_nan()) {
                (true, true) => 0.0,
                (true, false) | (false, true) => 1.0,
                _ if place == 3 => f64::from(x != y),
                _ => (x - y).powi(2),
            }
        });
        squares.sum()
    }

    fn total(pairs: &[Pair], place: usize) -> f64 {
        let values = pairs.iter().map(|(original, _)| original[place]);
        let values: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
        let around = |centre: f64| -> f64 {
            let differs = |value: &f64| match place {
                3 => f64::from(*value != centre),
                _ => (value - centre).powi(2),
            };
            values.iter().map(differs).sum()
        };
        match place {
            3 => (0..4)
                .map(|code| around(f64::from(code)))
                .fold(f64::INFINITY, f64::min),
            _ => average(&values).map_or(0.0, around),
        }
    }

    fn ratio(pairs: &[Pair]) -> Option<f64> {
        let places = (0..4).filter(|&place| total(pairs, place) > 1e-20);
        let ratios = places.map(|place| errors(pairs, place) / total(pairs, place));
        average(&ratios.collect::<Vec<_>>())
    }

    proptest! {
        #[test]
        fn sums_and_ratios_are_those_of_two_passes(pairs in any_pairs(true)) {
            let sum = |pairs: &[Pair]| Some((0..4).map(|place| errors(pairs, place)).sum());
            check(Sse::new(&settings()), &pairs, sum)?;
            check(SseRatio::new(&settings()), &pairs, ratio)?;
        }

        #[test]
        fn what_is_released_as_it_was_loses_nothing(pairs in same_pairs()) {
            check(Sse::new(&settings()), &pairs, |_| Some(0.0))?;
            check(SseRatio::new(&settings()), &pairs, |pairs| ratio(pairs).map(|_| 0.0))?;
        }
    }

    #[test]
    fn showing_only_means_and_modes_is_a_ratio_of_one() {
        let mut measure = SseRatio::new(&settings());
        for n in 0..30 {
            let code = f64::from(u8::from(n % 3 == 0));
            let x = f64::from(n);
            measure.observe_record(
                &[x, x * x, code, code],
                &[14.5, 8555.0 / 30.0, 1.0 / 3.0, 0.0],
            );
        }
        let value = measure.value().expect("all vary");
        assert!((value - 1.0).abs() < 1e-12, "{value}");
    }
}
