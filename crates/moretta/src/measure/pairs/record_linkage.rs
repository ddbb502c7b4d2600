//! Record linkage: how often the nearest original is the right one.
//!
//! An intruder looks for the original nearest to a protected record by Euclidean distance,
//! a nominal value that differs counting 1. G are the originals at the least distance,
//! equal as doubles; if the right one is among them it is found with chance 1/|G|:
//!
//! ```text
//! DR = 1/n · Σ [right ∈ G] / |G|
//! ```
//!
//! *Of a table* the intruder knows the originals of everybody and nobody's place, which
//! the order of a release does not tell: G is among all originals, however many there are.
//! Of more than 10,000 records an even sample of 10,000 is looked for, so that the value is
//! within 1 point of that of all records 19 times of 20. Where k records are released alike,
//! at most one in k is found.
//! *Of a stream* the intruder knows when a record came, and so the last b originals, the
//! newest included; during the first b pairs there are fewer.
//!
//! `distance_linkage` divides each number and ordinal by the standard deviation of its
//! originals, of a stream those so far, so that no attribute counts more for its unit; one
//! that does not vary does not count.
//!
//! Of missing values two are equal, and one is at distance 1 from any value.
//!
//! *Does not tell* what an intruder finds who knows more: a larger b gives a lower value
//! and is no better protection, and values of streams and tables do not compare.
//! *Costs* of a stream less than b · width operations a record: blocks of originals that
//! are too far are left half way, and the first original that is nearer ends the search. Of
//! a table a copy of the originals and a search in a k-d tree for each record looked for.
//! *From* Spruill (1983); Domingo-Ferrer, Torra (2001); buffered in Martínez
//! Rodríguez, Nin, Nuñez-del-Prado, "Towards the adaptation of SDC methods to stream
//! mining" (2017).

use super::PairSettings;
use super::sample::EvenSample;
use super::window::Window;
use crate::data::Records;
use crate::math::distance::weighted_distance;
use crate::math::kd_tree::KdTree;
use crate::math::moments::Moments;
use crate::measure::Measure;

/// Records of a table that are looked for.
const MOST_RECORDS: usize = 10_000;

/// Share of records found again.
pub(in crate::measure) struct RecordLinkage {
    nominal: Vec<bool>,
    known: Known,
    /// What squared differences count.
    weights: Vec<f64>,
    /// Of the originals so far, where they make the weights.
    moments: Option<Vec<Moments>>,
    found: f64,
    tested: u64,
}

/// The originals that the intruder knows.
enum Known {
    /// Those that came last.
    Last(Window),
    /// Those of the whole table, and the records that are looked for.
    All(KdTree, EvenSample),
}

impl RecordLinkage {
    /// In the units of the data.
    pub(in crate::measure) fn new(settings: &PairSettings) -> Self {
        let nominal = settings.nominal();
        RecordLinkage {
            known: Known::Last(Window::new(settings.buffer, &nominal)),
            weights: vec![1.0; nominal.len()],
            moments: None,
            nominal,
            found: 0.0,
            tested: 0,
        }
    }

    /// In standard deviations.
    pub(in crate::measure) fn standardised(settings: &PairSettings) -> Self {
        RecordLinkage {
            moments: Some(vec![Moments::default(); settings.attributes.len()]),
            ..RecordLinkage::new(settings)
        }
    }

    /// Takes a record into the deviations.
    fn weigh(&mut self, record: &[f64]) {
        let columns = self.moments.iter_mut().flatten().zip(&mut self.weights);
        for (((moments, weight), &value), &nominal) in columns.zip(record).zip(&self.nominal) {
            if !nominal {
                moments.push(value);
                *weight = match moments.variance() {
                    variance if variance > 0.0 => variance.recip(),
                    _ => 0.0,
                };
            }
        }
    }
}

impl Measure for RecordLinkage {
    fn prepare(&mut self, originals: &Records) {
        originals.iter().for_each(|record| self.weigh(record));
        self.known = Known::All(
            KdTree::new(originals.values(), &self.weights, &self.nominal),
            EvenSample::new(originals.len(), MOST_RECORDS),
        );
    }

    fn observe_record(&mut self, original: &[f64], protected: &[f64]) {
        match &mut self.known {
            Known::All(_, sample) => {
                if !sample.takes_next() {
                    return;
                }
            }
            Known::Last(window) => {
                window.push(original);
                self.weigh(original);
            }
        }
        let own = weighted_distance(original, protected, &self.weights, &self.nominal);
        let ties = match &mut self.known {
            Known::All(tree, _) => tree.ties(protected, own),
            Known::Last(window) => window.ties(protected, own, &self.weights),
        };
        self.tested += 1;
        match ties {
            // Beyond the range of doubles nothing is known, and the worst is assumed.
            _ if !own.is_finite() => self.found += 1.0,
            Some(ties) if ties > 0 => self.found += 1.0 / ties as f64,
            _ => {}
        }
    }

    fn value(&self) -> Option<f64> {
        (self.tested > 0).then(|| self.found / self.tested as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference::{self, Pair, any_pairs, check, same_pairs, settings};
    use super::*;
    use crate::math::uniform::Uniform;
    use proptest::prelude::*;
    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    /// Looks at all distances, with each attribute divided by `scale`.
    fn chance(last: &[Pair], scale: &[f64]) -> f64 {
        let (newest, protected) = last.last().expect("at least one pair");
        let distance = |original: &[f64]| {
            let mut sum = 0.0;
            for place in 0..original.len() {
                let (a, b) = (original[place], protected[place]);
                sum += match (a.is_nan(), b.is_nan()) {
                    (true, true) => 0.0,
                    (true, false) | (false, true) => 1.0,
                    _ if place == 3 => f64::from(a != b),
                    _ => (a - b) * (a - b) * scale[place],
                };
            }
            sum.sqrt()
        };
        let distances: Vec<f64> = last
            .iter()
            .map(|(original, _)| distance(original))
            .collect();
        let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
        let ties = distances.iter().filter(|one| **one == least).count();
        match distance(newest) == least {
            true => 1.0 / ties as f64,
            false => 0.0,
        }
    }

    fn risk(pairs: &[Pair], scale: impl Fn(&[Pair]) -> [f64; 4]) -> Option<f64> {
        let buffer = settings().buffer;
        let chances = (1..=pairs.len()).map(|end| {
            let last = &pairs[end.saturating_sub(buffer)..end];
            chance(last, &scale(&pairs[..end]))
        });
        reference::average(&chances.collect::<Vec<_>>())
    }

    /// The same running deviations, so that distances are the same doubles.
    fn weights(pairs: &[Pair]) -> [f64; 4] {
        [0, 1, 2, 3].map(|place| {
            let moments: Moments = pairs.iter().map(|(original, _)| original[place]).collect();
            match moments.variance() {
                variance if variance > 0.0 => 1.0 / variance,
                _ => 0.0,
            }
        })
    }

    /// Looks at all distances to all originals, for every record.
    fn risk_of_table(pairs: &[Pair], weights: &[f64; 4]) -> Option<f64> {
        let chances = (0..pairs.len()).map(|own| {
            let mut turned = pairs.to_vec();
            turned.rotate_left(own + 1);
            chance(&turned, weights)
        });
        reference::average(&chances.collect::<Vec<_>>())
    }

    fn of_table(mut linkage: RecordLinkage, pairs: &[Pair]) -> Option<f64> {
        let mut originals = Records::new(4);
        pairs
            .iter()
            .for_each(|(original, _)| originals.push(original));
        linkage.prepare(&originals);
        for (original, protected) in pairs {
            linkage.observe_record(original, protected);
        }
        linkage.value()
    }

    /// Pairs of a table: 2 numbers with some noise, one of few values, and a category.
    fn noisy(records: usize, noise: f64) -> Vec<Pair> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(17);
        let pair = |_| {
            let mut draw = || 2.0 * random.draw() - 1.0;
            let original = vec![draw(), draw(), f64::round(3.0 * draw()), 0.0];
            let mut protected = original.clone();
            protected[0] += noise * draw();
            protected[1] += noise * draw();
            (original, protected)
        };
        (0..records).map(pair).collect()
    }

    #[test]
    fn a_row_more_than_are_looked_for_makes_no_jump() {
        let pairs = noisy(MOST_RECORDS + 1, 0.02);
        let built: [fn(&PairSettings) -> RecordLinkage; 2] =
            [RecordLinkage::new, RecordLinkage::standardised];
        for build in built {
            let [few, more] = [0, 1].map(|more| {
                let pairs = &pairs[..MOST_RECORDS + more];
                of_table(build(&settings()), pairs).expect("pairs")
            });
            assert!((0.1..0.9).contains(&few), "{few}");
            assert!((few - more).abs() < 0.001, "{few} {more}");
        }
    }

    #[test]
    fn a_larger_table_is_measured_as_all_of_it_within_the_error_of_a_sample() {
        let pairs = noisy(3 * MOST_RECORDS, 0.01);
        let all = |pairs: &[Pair], most: usize| {
            let mut linkage = RecordLinkage::new(&settings());
            let mut originals = Records::new(4);
            pairs
                .iter()
                .for_each(|(original, _)| originals.push(original));
            linkage.prepare(&originals);
            if let Known::All(_, sample) = &mut linkage.known {
                *sample = EvenSample::new(pairs.len(), most);
            }
            for (original, protected) in pairs {
                linkage.observe_record(original, protected);
            }
            linkage.value().expect("pairs")
        };
        let sampled = of_table(RecordLinkage::new(&settings()), &pairs).expect("pairs");
        let whole = all(&pairs, pairs.len());
        assert!((sampled - whole).abs() < 0.01, "{sampled} {whole}");
    }

    #[test]
    fn of_k_records_released_alike_one_is_found_at_most() {
        for k in [2, 5] {
            let mut pairs = noisy(600, 0.0);
            pairs.sort_by(|(a, _), (b, _)| a[0].total_cmp(&b[0]));
            for group in pairs.chunks_mut(k) {
                let mean = group.iter().map(|(original, _)| original[0]).sum::<f64>() / k as f64;
                let shown = [mean, group[0].0[1], 0.0, 0.0];
                group
                    .iter_mut()
                    .for_each(|(_, released)| *released = shown.to_vec());
            }
            let found = of_table(RecordLinkage::new(&settings()), &pairs).expect("pairs");
            assert!(found > 0.0 && found <= 1.0 / k as f64, "{k}: {found}");
        }
    }

    proptest! {
        #[test]
        fn of_a_table_all_distances_to_all_originals_count(pairs in any_pairs(true)) {
            let found = of_table(RecordLinkage::new(&settings()), &pairs);
            prop_assert_eq!(found, risk_of_table(&pairs, &[1.0; 4]));
            let found = of_table(RecordLinkage::standardised(&settings()), &pairs);
            prop_assert_eq!(found, risk_of_table(&pairs, &weights(&pairs)));
        }

        #[test]
        fn the_risk_is_that_of_looking_at_all_distances(pairs in any_pairs(true)) {
            check(RecordLinkage::new(&settings()), &pairs, |pairs| risk(pairs, |_| [1.0; 4]))?;
            check(RecordLinkage::standardised(&settings()), &pairs, |pairs| risk(pairs, weights))?;
        }

        #[test]
        fn records_released_as_they_were_are_found_but_for_their_likes(pairs in same_pairs()) {
            let mut linkage = RecordLinkage::new(&settings());
            for (n, (original, protected)) in pairs.iter().enumerate() {
                linkage.observe_record(original, protected);
                // Each is among the nearest, of which there are at most 7.
                prop_assert!(linkage.value() >= Some(1.0 / 7.0));
                // 0 and -0 are one number.
                let number = |value: &f64| format!("{:?}", value + 0.0);
                let text = |pair: &Pair| pair.0.iter().map(number).collect::<Vec<_>>().join(" ");
                let texts = pairs[..=n].iter().map(text);
                let different: std::collections::HashSet<String> = texts.collect();
                if different.len() == n + 1 {
                    prop_assert_eq!(linkage.value(), Some(1.0));
                }
            }
        }
    }

    #[test]
    fn the_unit_of_an_attribute_does_not_matter_when_standardised() {
        let value = |unit: f64| {
            let mut linkage = RecordLinkage::standardised(&settings());
            for n in 0..50 {
                let x = f64::from(n * 7 % 50);
                let y = f64::from(n * 3 % 50) * unit;
                linkage.observe_record(&[x, y, 0.0, 0.0], &[x + 3.0, y - 2.0 * unit, 0.0, 0.0]);
            }
            linkage.value().expect("there are pairs")
        };
        assert_eq!(value(1.0), value(1024.0));
    }
}
