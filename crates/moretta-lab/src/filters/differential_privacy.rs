//! "Differential privacy" as published: groups of k records, averaged, plus Laplace noise that promises nothing.
//!
//! Groups should be the k records nearest to a corner of the data. With the same
//! queue upside down as in microaggregation they are the first k of the window, the
//! one nearest to the corner given up for a still nearer one. The head itself can be
//! the one given up, and is then released without its group. The scale of the
//! noise is 1.5 times the range *seen so far*, over ε: it depends on the data, is
//! spent anew on each attribute and not divided by k, and is 0 for the first record.

use super::filter::{Filter, Pair};
use super::window::Window;
use moretta::math::java_random::JavaRandom;

/// What the filter uses unless told.
pub(crate) const SEED: i64 = 3_141_592;

#[derive(Clone, Debug)]
pub(crate) struct DifferentialPrivacy {
    k: usize,
    epsilon: f64,
    random: JavaRandom,
    originals: Window,
    means: Window,
    /// By slot of the window: whether the record is in a group.
    grouped: Vec<bool>,
    /// The least value of each attribute among all records read.
    corner: Vec<f64>,
    /// The least and the largest value of each attribute released so far, before noise.
    ranges: Vec<(f64, f64)>,
    group: Vec<usize>,
}

impl DifferentialPrivacy {
    pub(crate) fn new(epsilon: f64, k: usize, b: usize, attributes: usize, seed: i64) -> Self {
        DifferentialPrivacy {
            k,
            epsilon,
            random: JavaRandom::new(seed),
            originals: Window::new(b, attributes),
            means: Window::new(b, attributes),
            grouped: vec![false; b],
            corner: vec![f64::INFINITY; attributes],
            ranges: vec![(f64::INFINITY, f64::NEG_INFINITY); attributes],
            group: Vec::with_capacity(k),
        }
    }

    fn distance(&self, number: usize) -> f64 {
        let places = self.originals.get(number).iter().zip(&self.corner);
        let square: f64 = places.map(|(value, least)| (value - least).powi(2)).sum();
        square.sqrt()
    }

    /// The first k records without a group, the nearest to the corner replaced
    /// whenever a later one is nearer.
    fn choose(&mut self) {
        let mut group = std::mem::take(&mut self.group);
        group.clear();
        let mut nearest = (f64::INFINITY, 0);
        for number in self.originals.numbers() {
            if self.grouped[self.originals.slot(number)] {
                continue;
            }
            let distance = self.distance(number);
            let waiting = group.len() < self.k;
            if waiting {
                group.push(number);
            }
            if distance < nearest.0 {
                let place = if waiting { group.len() - 1 } else { nearest.1 };
                group[place] = number;
                nearest = (distance, place);
            }
        }
        self.group = group;
    }

    fn average(&mut self) {
        for &number in &self.group {
            self.grouped[self.originals.slot(number)] = true;
        }
        for attribute in 0..self.corner.len() {
            let values = self.group.iter().map(|&n| self.originals.get(n)[attribute]);
            let mean = values.sum::<f64>() / self.group.len() as f64;
            for &number in &self.group {
                self.means.get_mut(number)[attribute] = mean;
            }
        }
    }

    fn release(&mut self, released: &mut [f64]) {
        released.copy_from_slice(self.means.get(self.means.head()));
        for (value, range) in released.iter_mut().zip(&mut self.ranges) {
            *range = (range.0.min(*value), range.1.max(*value));
            let scale = 1.5 * (range.1 - range.0) / self.epsilon;
            let draw = self.random.next_double() - 0.5;
            let sign = if draw < 0.0 { -1.0 } else { 1.0 };
            // Java's smallest positive number keeps the logarithm finite.
            let tail = (1.0 - 2.0 * draw.abs()).max(f64::from_bits(1));
            *value -= scale * sign * tail.ln();
        }
    }
}

impl Filter for DifferentialPrivacy {
    fn push(&mut self, record: &[f64], pair: &mut Pair) -> bool {
        for (least, &value) in self.corner.iter_mut().zip(record) {
            *least = least.min(value);
        }
        let slot = self.originals.slot(self.originals.numbers().end);
        self.grouped[slot] = false;
        self.means.push(record);
        if !self.originals.push(record) {
            return false;
        }
        let head = self.originals.head();
        if !self.grouped[self.originals.slot(head)] {
            self.choose();
            self.average();
        }
        pair.original.copy_from_slice(self.originals.get(head));
        self.release(&mut pair.released);
        self.originals.pop();
        self.means.pop();
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(k: usize, records: &[f64]) -> Vec<usize> {
        let mut filter = DifferentialPrivacy::new(1.0, k, records.len(), 1, SEED);
        let mut pair = Pair::new(1);
        for value in records {
            filter.push(&[*value], &mut pair);
        }
        let mut group = filter.group;
        group.sort_unstable();
        group
    }

    #[test]
    fn the_nearest_to_the_corner_replaces_the_nearest_of_the_first() {
        // Of the first two the nearer, 5, makes way for 4 and that for 1.
        assert_eq!(groups(2, &[9.0, 5.0, 4.0, 6.0, 1.0]), [0, 4]);
        assert_eq!(groups(2, &[5.0, 9.0, 7.0, 6.0]), [0, 1]);
    }

    #[test]
    fn the_head_can_be_given_up_and_is_then_released_alone() {
        assert_eq!(groups(2, &[5.0, 9.0, 7.0, 6.0, 3.0]), [1, 4]);
        let mut filter = DifferentialPrivacy::new(1.0, 2, 3, 1, SEED);
        let mut pair = Pair::new(1);
        let mut released = Vec::new();
        for value in [5.0, 9.0, 3.0] {
            if filter.push(&[value], &mut pair) {
                released.push(pair.released[0]);
            }
        }
        // The first noise has scale 0, so the raw value shows.
        assert_eq!(released, [5.0]);
    }
}
