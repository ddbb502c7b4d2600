//! k nearest neighbours in a window: the class of a record is that of most of its likes.
//!
//! The last `window` records are kept. Distances are Euclidean, with each number
//! divided by its range in the window, so that no attribute counts more for its unit;
//! an attribute that does not vary does not count. Nominal values differ by 1 or 0.
//! Of missing values two are equal, and one is at distance 1 from any value. Records
//! as near as the k-th vote, too.
//!
//! *Protects* nothing: the model is the records themselves.
//! *Costs* O(window · attributes) a prediction, eight records at a time, and memory
//! for the window. A record that takes the least or the largest value of an attribute
//! with it costs one look at that column.
//! *From* Fix, Hodges (1951); as MOA's `lazy.kNN`, whose defaults these are.

use super::model::{Knowledge, Reader, odd};
use super::{Header, Input, Learner};
use crate::error::{Error, Result};
use crate::math::distance::Slots;
use std::cell::RefCell;

/// A window of more records is no window.
pub(super) const MOST_RECORDS: usize = 1 << 24;

/// k nearest neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NearestNeighbours {
    /// Neighbours that vote. The more, the smoother the borders between classes.
    pub k: usize,
    /// Records that are kept. The more, the slower, and the later drift is followed.
    pub window: usize,
}

impl Default for NearestNeighbours {
    /// 10 neighbours among 1000 records.
    fn default() -> Self {
        NearestNeighbours {
            k: 10,
            window: 1000,
        }
    }
}

impl NearestNeighbours {
    /// A learner that has seen nothing.
    pub fn build(&self, header: &Header) -> Result<NearestNeighboursLearner> {
        if self.k == 0 || self.window < self.k {
            return Err(Error::usage(
                "a window must hold k neighbours, and k is at least 1",
            ));
        }
        if self.window > MOST_RECORDS {
            let what = format!("a window of more than {MOST_RECORDS} records is too long");
            return Err(Error::usage(what).help("choose a shorter one"));
        }
        let inputs = header.attributes().iter();
        let nominal: Vec<bool> = inputs.map(|input| *input != Input::Number).collect();
        Ok(NearestNeighboursLearner {
            k: self.k,
            window: self.window,
            classes: header.classes(),
            slots: Slots::new(0, &nominal),
            labels: Vec::new(),
            oldest: 0,
            ranges: vec![Range::EMPTY; nominal.len()],
            weights: vec![1.0; nominal.len()],
            nominal,
            scratch: RefCell::default(),
        })
    }
}

/// The last records and their classes.
#[derive(Clone, Debug)]
pub struct NearestNeighboursLearner {
    k: usize,
    window: usize,
    classes: usize,
    nominal: Vec<bool>,
    slots: Slots,
    labels: Vec<u32>,
    /// The slot that the next record takes once the window is full.
    oldest: usize,
    ranges: Vec<Range>,
    weights: Vec<f64>,
    /// Room for distances, so that predicting allocates nothing.
    scratch: RefCell<Scratch>,
}

#[derive(Clone, Debug, Default)]
struct Scratch {
    distances: Vec<f64>,
    nearest: Vec<f64>,
}

/// The least and the largest finite value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Range {
    low: f64,
    high: f64,
}

impl Range {
    const EMPTY: Range = Range {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
    };

    fn with(self, value: f64) -> Self {
        match value.is_finite() {
            true => Range {
                low: self.low.min(value),
                high: self.high.max(value),
            },
            false => self,
        }
    }

    fn ends_at(self, value: f64) -> bool {
        value == self.low || value == self.high
    }

    /// What the square of a difference counts.
    fn weight(self) -> f64 {
        let width = self.high - self.low;
        let weight = (width * width).recip();
        match width > 0.0 && weight.is_finite() {
            true => weight,
            false => 0.0,
        }
    }
}

impl NearestNeighboursLearner {
    /// Puts the saved records into their slots again, from which all else follows.
    pub(super) fn load(header: &Header, from: &mut Reader<'_>) -> Result<Self> {
        let options = NearestNeighbours {
            k: from.size()?,
            window: from.size()?,
        };
        let learner = options.build(header);
        let mut learner = learner.map_err(|_| odd("options that are out of range"))?;
        let (oldest, width) = (from.size()?, header.attributes().len());
        let records = from.length()?;
        let full = records == options.window;
        if records > options.window || oldest >= if full { records } else { 1 } {
            return Err(odd("more records than its window"));
        }
        for _ in 0..records {
            let class = from.u32()?;
            if class as usize >= header.classes() {
                return Err(odd("a record of a class that there is not"));
            }
            learner.put(&from.f64s(width)?, class);
        }
        learner.oldest = oldest;
        learner.weigh();
        Ok(learner)
    }

    /// Lets each attribute count by its range.
    fn weigh(&mut self) {
        let columns = self.weights.iter_mut().zip(&self.ranges).zip(&self.nominal);
        for ((weight, range), &nominal) in columns {
            *weight = if nominal { 1.0 } else { range.weight() };
        }
        self.slots.weigh(&self.weights);
    }

    fn put(&mut self, record: &[f64], class: u32) {
        if self.labels.len() < self.window {
            self.slots.push(record);
            self.labels.push(class);
            for (range, &value) in self.ranges.iter_mut().zip(record) {
                *range = range.with(value);
            }
            return;
        }
        let slot = self.oldest;
        self.oldest = (slot + 1) % self.window;
        self.labels[slot] = class;
        for (attribute, &value) in record.iter().enumerate() {
            let gone = self.slots.value(slot, attribute);
            let range = match self.ranges[attribute].ends_at(gone) {
                true => self.range_without(slot, attribute),
                false => self.ranges[attribute],
            };
            self.ranges[attribute] = range.with(value);
        }
        self.slots.set(slot, record);
    }

    /// The range of an attribute over all slots but one.
    fn range_without(&self, slot: usize, attribute: usize) -> Range {
        let slots = (0..self.labels.len()).filter(|other| *other != slot);
        slots.fold(Range::EMPTY, |range, other| {
            range.with(self.slots.value(other, attribute))
        })
    }
}

impl Learner for NearestNeighboursLearner {
    fn predict(&self, record: &[f64], votes: &mut Vec<f64>) {
        votes.clear();
        votes.resize(self.classes, 0.0);
        let Scratch { distances, nearest } = &mut *self.scratch.borrow_mut();
        self.slots.squared_distances(record, distances);
        let Some(last) = last_of_nearest(distances, self.k, nearest) else {
            return;
        };
        for (&distance, &label) in distances.iter().zip(&self.labels) {
            if distance <= last {
                votes[label as usize] += 1.0;
            }
        }
    }

    /// A record is kept once, whatever its weight, and not at all for none.
    fn learn_weighted(&mut self, record: &[f64], class: u32, weight: f64) {
        if weight > 0.0 && (class as usize) < self.classes {
            self.put(record, class);
            self.weigh();
        }
    }

    fn memory(&self) -> usize {
        let values = self.labels.len().next_multiple_of(8) * self.nominal.len();
        size_of::<Self>()
            + (values + self.labels.len() + self.k) * size_of::<f64>()
            + self.labels.len() * size_of::<u32>()
            + self.nominal.len() * (size_of::<Range>() + 3 * size_of::<f64>())
    }

    fn knowledge(&self) -> Option<Knowledge> {
        Knowledge::new("knn", |out| {
            out.size(self.k);
            out.size(self.window);
            out.size(self.oldest);
            out.size(self.labels.len());
            for (slot, &label) in self.labels.iter().enumerate() {
                out.u32(label);
                let values = 0..self.nominal.len();
                values.for_each(|attribute| out.f64(self.slots.value(slot, attribute)));
            }
        })
    }
}

/// The k-th least distance, or the largest of fewer; none of none.
fn last_of_nearest(distances: &[f64], k: usize, nearest: &mut Vec<f64>) -> Option<f64> {
    nearest.clear();
    let mut last = f64::INFINITY;
    for &distance in distances {
        if nearest.len() == k {
            if distance >= last {
                continue;
            }
            nearest.pop();
        }
        let place = nearest.partition_point(|other| *other <= distance);
        nearest.insert(place, distance);
        last = nearest[nearest.len() - 1];
    }
    nearest.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn header() -> Header {
        let inputs = vec![Input::Number, Input::Nominal { values: 3 }, Input::Number];
        Header::new(inputs, 3).expect("a header")
    }

    /// Sorts all distances to the last records of the window.
    fn reference(seen: &[(Vec<f64>, u32)], record: &[f64], k: usize, window: usize) -> Vec<f64> {
        let last = &seen[seen.len().saturating_sub(window)..];
        let scale = |attribute: usize| {
            let values = last.iter().map(|(record, _)| record[attribute]);
            let values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
            let low = values.iter().copied().fold(f64::INFINITY, f64::min);
            let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let width: f64 = high - low;
            if width > 0.0 {
                1.0 / (width * width)
            } else {
                0.0
            }
        };
        let scales = [scale(0), 1.0, scale(2)];
        let distance = |other: &[f64]| {
            (0..3).fold(0.0, |sum, place| {
                let (a, b) = (record[place], other[place]);
                sum + match (a.is_nan(), b.is_nan()) {
                    (true, true) => 0.0,
                    (true, false) | (false, true) => 1.0,
                    _ if place == 1 => f64::from(a != b),
                    _ => (a - b) * (a - b) * scales[place],
                }
            })
        };
        let mut all: Vec<(f64, u32)> = last
            .iter()
            .map(|(r, class)| (distance(r), *class))
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut votes = vec![0.0; 3];
        if let Some(&(bound, _)) = all.get(k.min(all.len()).wrapping_sub(1)) {
            for (_, class) in all.iter().filter(|(distance, _)| *distance <= bound) {
                votes[*class as usize] += 1.0;
            }
        }
        votes
    }

    fn any_record() -> impl Strategy<Value = (Vec<f64>, u32)> {
        let number = prop_oneof![
            4 => -5.0..5.0,
            4 => prop::sample::select(vec![0.0, 1.0, 2.0]),
            1 => Just(f64::NAN),
        ];
        let code = prop::sample::select(vec![0.0, 1.0, 2.0, f64::NAN]);
        let values = (number.clone(), code, number);
        (values.prop_map(|(a, b, c)| vec![a, b, c]), 0..3_u32)
    }

    proptest! {
        #[test]
        fn votes_are_those_of_sorting_all_distances(
            records in prop::collection::vec(any_record(), 1..60),
            k in 1..6_usize, more in 0..12_usize,
        ) {
            let window = k + more;
            let options = NearestNeighbours { k, window };
            let mut learner = options.build(&header()).expect("sound options");
            let mut votes = Vec::new();
            for (n, (record, class)) in records.iter().enumerate() {
                learner.predict(record, &mut votes);
                prop_assert_eq!(&votes, &reference(&records[..n], record, k, window));
                learner.learn(record, *class);
            }
        }
    }

    #[test]
    fn options_that_mean_nothing_are_refused() {
        for (k, window) in [(0, 10), (11, 10)] {
            let options = NearestNeighbours { k, window };
            assert_eq!(options.build(&header()).expect_err("odd").exit_code(), 2);
        }
    }

    #[test]
    fn odd_values_and_no_attributes_are_no_trouble() {
        let odd = [
            1e308,
            -1e308,
            f64::INFINITY,
            f64::NAN,
            5e-324,
            f64::NEG_INFINITY,
        ];
        let options = NearestNeighbours { k: 2, window: 4 };
        let mut votes = Vec::new();
        let mut learner = options.build(&header()).expect("sound");
        for n in 0..100 {
            let record = [odd[n % 6], odd[n * 5 % 6], odd[n * 7 % 6]];
            learner.predict(&record, &mut votes);
            learner.learn(&record, n as u32 % 3);
        }
        assert!(votes.iter().sum::<f64>() >= 2.0);
        let none = Header::new(vec![], 2).expect("a header");
        let mut learner = options.build(&none).expect("sound");
        learner.learn(&[], 1);
        learner.predict(&[], &mut votes);
        assert_eq!(votes, [0.0, 1.0]);
    }
}
