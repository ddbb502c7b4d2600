//! Noise addition as published: each number plus a·σ·N(0, 1), σ that of the column so far.
//!
//! The column's deviation includes the current value, so the first record is
//! released as it is. The class of a record costs a draw even when it is left
//! alone, as it is throughout the tables.

use super::filter::{Filter, Pair};
use moretta::math::java_random::JavaRandom;

/// What the filter uses unless told; its documentation names another.
pub(crate) const SEED: i64 = 31_415_921;

#[derive(Clone, Debug)]
pub(crate) struct Noise {
    fraction: f64,
    random: JavaRandom,
    columns: Vec<Deviation>,
}

impl Noise {
    pub(crate) fn new(fraction: f64, attributes: usize, seed: i64) -> Self {
        Noise {
            fraction,
            random: JavaRandom::new(seed),
            columns: vec![Deviation::default(); attributes],
        }
    }
}

impl Filter for Noise {
    fn push(&mut self, record: &[f64], pair: &mut Pair) -> bool {
        pair.original.copy_from_slice(record);
        let places = pair.released.iter_mut().zip(record);
        for ((released, &value), column) in places.zip(&mut self.columns) {
            column.observe(value);
            *released = value + self.random.next_gaussian() * column.value() * self.fraction;
        }
        self.random.next_double();
        true
    }
}

/// A running standard deviation, after Welford.
#[derive(Clone, Debug, Default)]
struct Deviation {
    count: f64,
    mean: f64,
    squares: f64,
}

impl Deviation {
    fn observe(&mut self, value: f64) {
        self.count += 1.0;
        let before = value - self.mean;
        self.mean += before / self.count;
        self.squares += before * (value - self.mean);
    }

    fn value(&self) -> f64 {
        if self.count > 1.0 {
            (self.squares / (self.count - 1.0)).sqrt()
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_record_is_released_as_it_is() {
        let mut noise = Noise::new(1.0, 2, SEED);
        let mut pair = Pair::new(2);
        assert!(noise.push(&[3.0, 4.0], &mut pair));
        assert_eq!(pair.released, [3.0, 4.0]);
        noise.push(&[5.0, 6.0], &mut pair);
        assert_eq!(pair.original, [5.0, 6.0]);
        assert_ne!(pair.released, [5.0, 6.0]);
    }
}
