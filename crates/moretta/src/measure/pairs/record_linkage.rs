//! Buffered record linkage: how often the nearest original is the right one.
//!
//! An intruder who knows the last b originals, the newest included, looks for the
//! one nearest to a protected record by Euclidean distance, a nominal value that
//! differs counting 1. G are the originals at the least distance, equal as doubles;
//! if the right one is among them it is found with chance 1/|G|:
//!
//! ```text
//! DR = 1/n · Σ [right ∈ G] / |G|
//! ```
//!
//! `distance_linkage` divides each number and ordinal by the standard deviation of
//! its originals so far, so that no attribute counts more for its unit; one that
//! does not vary does not count. During the first b pairs the buffer is partial.
//!
//! Of missing values two are equal, and one is at distance 1 from any value.
//!
//! *Does not tell* what an intruder finds who knows more than the buffer: a larger b
//! gives a lower value and is no better protection.
//! *Costs* less than b · width operations: blocks of originals that are too far are
//! left half way, and the first original that is nearer ends the search.
//! *From* Spruill (1983); Domingo-Ferrer, Torra (2001); buffered in Martínez
//! Rodríguez, Nin, Nuñez-del-Prado, "Towards the adaptation of SDC methods to stream
//! mining" (2017).

use super::window::Window;
use super::{PairMeasure, PairSettings};
use crate::data::Records;
use crate::math::distance::{squared_distance, weighted_distance};
use crate::math::moments::Moments;

/// Share of records found again.
pub(super) struct RecordLinkage {
    nominal: Vec<bool>,
    window: Window,
    found: f64,
    scale: Option<Scale>,
    /// The scale is that of all originals.
    prepared: bool,
}

/// The deviations that distances are measured in.
struct Scale {
    moments: Vec<Moments>,
    weights: Vec<f64>,
}

impl RecordLinkage {
    /// In the units of the data.
    pub(super) fn new(settings: &PairSettings) -> Self {
        let nominal = settings.nominal();
        RecordLinkage {
            prepared: false,
            window: Window::new(settings.buffer, &nominal),
            nominal,
            found: 0.0,
            scale: None,
        }
    }

    /// In standard deviations.
    pub(super) fn standardised(settings: &PairSettings) -> Self {
        let width = settings.attributes.len();
        RecordLinkage {
            scale: Some(Scale {
                moments: vec![Moments::default(); width],
                weights: vec![1.0; width],
            }),
            ..RecordLinkage::new(settings)
        }
    }
}

impl Scale {
    fn push(&mut self, record: &[f64], nominal: &[bool]) {
        let columns = self.moments.iter_mut().zip(&mut self.weights);
        for (((moments, weight), &value), &nominal) in columns.zip(record).zip(nominal) {
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

impl PairMeasure for RecordLinkage {
    fn prepare(&mut self, originals: &Records) {
        self.window.fill(originals);
        if let Some(scale) = &mut self.scale {
            for record in originals.iter() {
                scale.push(record, &self.nominal);
            }
            self.prepared = true;
        }
    }

    fn observe(&mut self, original: &[f64], protected: &[f64]) {
        self.window.push(original);
        let nominal = &self.nominal[..];
        let own = match &mut self.scale {
            None => squared_distance(original, protected, nominal),
            Some(scale) => {
                if !self.prepared {
                    scale.push(original, nominal);
                }
                self.window.weigh(&scale.weights);
                weighted_distance(original, protected, &scale.weights, nominal)
            }
        };
        let filled = self.window.filled();
        let ties = self.window.slots().ties(filled, protected, own);
        match ties {
            // Beyond the range of doubles nothing is known, and the worst is assumed.
            _ if !own.is_finite() => self.found += 1.0,
            Some(ties) if ties > 0 => self.found += 1.0 / ties as f64,
            _ => {}
        }
    }

    fn value(&self) -> Option<f64> {
        let seen = self.window.seen();
        (seen > 0).then(|| self.found / seen as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference::{self, Pair, any_pairs, check, same_pairs, settings};
    use super::*;
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn the_risk_is_that_of_looking_at_all_distances(pairs in any_pairs(true)) {
            check(RecordLinkage::new(&settings()), &pairs, |pairs| risk(pairs, |_| [1.0; 4]))?;
            check(RecordLinkage::standardised(&settings()), &pairs, |pairs| risk(pairs, weights))?;
        }

        #[test]
        fn records_released_as_they_were_are_found_but_for_their_likes(pairs in same_pairs()) {
            let mut linkage = RecordLinkage::new(&settings());
            for (n, (original, protected)) in pairs.iter().enumerate() {
                linkage.observe(original, protected);
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
                linkage.observe(&[x, y, 0.0, 0.0], &[x + 3.0, y - 2.0 * unit, 0.0, 0.0]);
            }
            linkage.value().expect("there are pairs")
        };
        assert_eq!(value(1.0), value(1024.0));
    }
}
