//! Interval disclosure: how often the protected value gives the original away
//! within an interval, although not exactly.
//!
//! `rank_interval_disclosure`: of the last b protected values of the attribute, the
//! newest included, fewer than h lie strictly between the value and its protected
//! value, h being p percent of those there are, at least 1; that is, the value is
//! within h ranks; of a table b is 1,000. `sd_interval_disclosure`: the value is within p percent of a
//! standard deviation S of its protected value, S of the originals up to this one.
//! Both are shares of all values so far. A larger p finds more.
//!
//! Numbers and ordinals count, nominal attributes do not. A value that was missing
//! before is left out; one that is missing after is not disclosed. Where S is 0 only
//! an equal value is within it.
//!
//! *Does not tell* whether the intruder can find the record in the first place.
//! *Costs* b comparisons a value for ranks, a few operations for deviations.
//! *From* Pagliuca, Seri, "Some results of individual ranking method on the system of
//! enterprise accounts annual survey" (1999); Mateo-Sanz, Sebé, Domingo-Ferrer,
//! "Outlier protection in continuous microdata masking" (2004).

use super::PairSettings;
use crate::math::moments::Moments;
use crate::measure::Measure;

/// Shares of values within some ranks.
pub(in crate::measure) struct RankIntervals {
    share: f64,
    buffer: usize,
    /// The last protected values of each attribute, by its place.
    columns: Vec<(usize, Vec<f64>)>,
    seen: u64,
    count: Count,
}

/// How many of how many.
#[derive(Default)]
struct Count {
    disclosed: u64,
    values: u64,
}

impl Count {
    fn add(&mut self, disclosed: bool) {
        self.values += 1;
        self.disclosed += u64::from(disclosed);
    }

    fn share(&self) -> Option<f64> {
        (self.values > 0).then(|| self.disclosed as f64 / self.values as f64)
    }
}

impl RankIntervals {
    pub(in crate::measure) fn new(settings: &PairSettings) -> Self {
        let columns = settings.scalars().into_iter();
        RankIntervals {
            share: settings.interval / 100.0,
            buffer: settings.buffer.max(1),
            columns: columns.map(|place| (place, Vec::new())).collect(),
            seen: 0,
            count: Count::default(),
        }
    }
}

impl Measure for RankIntervals {
    fn observe_record(&mut self, original: &[f64], protected: &[f64]) {
        let slot = (self.seen % self.buffer as u64) as usize;
        self.seen += 1;
        for (place, last) in &mut self.columns {
            let (x, y) = (original[*place], protected[*place]);
            match last.get_mut(slot) {
                Some(oldest) => *oldest = y,
                None => last.push(y),
            }
            if !x.is_nan() {
                let ranks = (self.share * last.len() as f64).max(1.0);
                let disclosed = !y.is_nan() && (between(last, x, y) as f64) < ranks;
                self.count.add(disclosed);
            }
        }
    }

    fn value(&self) -> Option<f64> {
        self.count.share()
    }
}

/// How many values are strictly between two.
fn between(values: &[f64], x: f64, y: f64) -> u64 {
    let (low, high) = (x.min(y), x.max(y));
    let inside = values
        .iter()
        .map(|&value| u64::from((low < value) & (value < high)));
    inside.sum()
}

/// Shares of values within some of a standard deviation.
pub(in crate::measure) struct DeviationIntervals {
    share: f64,
    columns: Vec<(usize, Moments)>,
    count: Count,
}

impl DeviationIntervals {
    pub(in crate::measure) fn new(settings: &PairSettings) -> Self {
        let columns = settings.scalars().into_iter();
        DeviationIntervals {
            share: settings.interval / 100.0,
            columns: columns.map(|place| (place, Moments::default())).collect(),
            count: Count::default(),
        }
    }
}

impl Measure for DeviationIntervals {
    fn observe_record(&mut self, original: &[f64], protected: &[f64]) {
        for (place, moments) in &mut self.columns {
            let (x, y) = (original[*place], protected[*place]);
            moments.push(x);
            if !x.is_nan() {
                self.count
                    .add((x - y).abs() <= self.share * moments.deviation());
            }
        }
    }

    fn value(&self) -> Option<f64> {
        self.count.share()
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference::{Pair, any_pairs, check, same_pairs, settings};
    use super::*;
    use proptest::prelude::*;

    fn share(pairs: &[Pair], disclosed: impl Fn(&[Pair], usize, f64, f64) -> bool) -> Option<f64> {
        let mut count = Count::default();
        for (n, (original, protected)) in pairs.iter().enumerate() {
            for place in 0..3 {
                let (x, y) = (original[place], protected[place]);
                if !x.is_nan() {
                    count.add(!y.is_nan() && disclosed(&pairs[..=n], place, x, y));
                }
            }
        }
        count.share()
    }

    /// By sorting: the h-th next different value on either side bounds the interval.
    fn by_rank(pairs: &[Pair], place: usize, x: f64, y: f64) -> bool {
        let last = &pairs[pairs.len().saturating_sub(settings().buffer)..];
        let ranks = (settings().interval / 100.0 * last.len() as f64)
            .max(1.0)
            .ceil() as usize;
        let values = last.iter().map(|(_, protected)| protected[place]);
        let mut sorted: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
        sorted.sort_by(f64::total_cmp);
        let above = sorted.iter().filter(|value| **value > y).nth(ranks - 1);
        let below = sorted
            .iter()
            .rev()
            .filter(|value| **value < y)
            .nth(ranks - 1);
        above.is_none_or(|bound| x <= *bound) && below.is_none_or(|bound| x >= *bound)
    }

    fn by_deviation(pairs: &[Pair], place: usize, x: f64, y: f64) -> bool {
        let moments: Moments = pairs.iter().map(|(original, _)| original[place]).collect();
        (x - y).abs() <= settings().interval / 100.0 * moments.deviation()
    }

    proptest! {
        #[test]
        fn shares_are_those_of_sorting_and_of_two_passes(pairs in any_pairs(true)) {
            check(RankIntervals::new(&settings()), &pairs, |pairs| share(pairs, by_rank))?;
            check(DeviationIntervals::new(&settings()), &pairs, |p| share(p, by_deviation))?;
        }

        #[test]
        fn what_is_released_as_it_was_is_disclosed(pairs in same_pairs()) {
            let all = |pairs: &[Pair]| share(pairs, |_, _, _, _| true);
            check(RankIntervals::new(&settings()), &pairs, all)?;
            check(DeviationIntervals::new(&settings()), &pairs, all)?;
        }
    }

    #[test]
    fn a_wider_interval_discloses_more() {
        let value = |interval: f64| {
            let settings = super::PairSettings {
                interval,
                buffer: 100,
                ..settings()
            };
            let mut measure = RankIntervals::new(&settings);
            for n in 0..500 {
                let (x, noise) = (f64::from(n * 37 % 101), f64::from(n * 11 % 23) - 11.0);
                measure.observe_record(&[x; 4], &[x + noise; 4]);
            }
            measure.value().expect("there are values")
        };
        let shares = [1.0, 5.0, 10.0, 100.0].map(value);
        assert!(shares.windows(2).all(|two| two[0] < two[1]), "{shares:?}");
        assert_eq!(shares[3], 1.0);
    }
}
