//! Microaggregation as published: it says k nearest neighbours, averages k consecutive records, and releases none of the averages.
//!
//! The queue that should keep the k nearest is upside down: it gives up its
//! nearest member, which is the target itself at distance 0, and only for a nearer
//! one. So a group is the next k records in order of arrival. Then the mean is
//! written over the originals and the copies are released: **the release is the
//! raw data**, and the linker looks for raw records among means.

use super::filter::{Filter, Pair};
use super::window::Window;

#[derive(Clone, Debug)]
pub(crate) struct Microaggregation {
    k: usize,
    window: Window,
    /// The mean of the group of the head, and how many of its members are left.
    mean: Vec<f64>,
    left: usize,
}

impl Microaggregation {
    pub(crate) fn new(k: usize, b: usize, attributes: usize) -> Self {
        Microaggregation {
            k,
            window: Window::new(b, attributes),
            mean: vec![0.0; attributes],
            left: 0,
        }
    }

    fn group(&mut self) {
        let numbers = self.window.numbers().take(self.k);
        self.left = numbers.len();
        self.mean.fill(0.0);
        for number in numbers {
            for (sum, value) in self.mean.iter_mut().zip(self.window.get(number)) {
                *sum += value;
            }
        }
        for sum in &mut self.mean {
            *sum /= self.left as f64;
        }
    }
}

impl Filter for Microaggregation {
    fn push(&mut self, record: &[f64], pair: &mut Pair) -> bool {
        if !self.window.push(record) {
            return false;
        }
        if self.left == 0 {
            self.group();
        }
        pair.original.copy_from_slice(&self.mean);
        pair.released
            .copy_from_slice(self.window.get(self.window.head()));
        self.window.pop();
        self.left -= 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_released_is_raw_and_what_is_called_original_is_the_mean() {
        let mut filter = Microaggregation::new(2, 3, 1);
        let mut pair = Pair::new(1);
        let mut pairs = Vec::new();
        for value in [1.0, 5.0, 2.0, 8.0, 0.0, 4.0] {
            if filter.push(&[value], &mut pair) {
                pairs.push((pair.original[0], pair.released[0]));
            }
        }
        assert_eq!(pairs, [(3.0, 1.0), (3.0, 5.0), (5.0, 2.0), (5.0, 8.0)]);
    }
}
