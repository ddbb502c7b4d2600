//! The rank of a confidence among the last ones of its source.
//!
//! A window of at most W confidences, oldest first, and the same sorted. A confidence is pushed
//! before its rank is taken, so no rank is 0. O(log W) comparisons and a move of the
//! values between the one that leaves and the one that comes.

use super::ratio::Rank;
use super::state::{Reader, Writer, odd};
use crate::error::Result;
use std::collections::VecDeque;

/// The window.
#[derive(Clone, Debug)]
pub(super) struct Quantile {
    most: usize,
    window: VecDeque<f64>,
    sorted: Vec<f64>,
}

impl Quantile {
    /// An empty window of at most so many values.
    pub(super) fn new(most: usize) -> Self {
        Quantile {
            most: most.max(1),
            window: VecDeque::new(),
            sorted: Vec::new(),
        }
    }

    /// Pushes a value, which is no NaN, and ranks it.
    pub(super) fn push(&mut self, value: f64) -> Rank {
        let place = match self.window.len() == self.most {
            true => self.replace_oldest(value),
            false => {
                let place = self.sorted.partition_point(|&other| other <= value);
                self.sorted.insert(place, value);
                place
            }
        };
        self.window.push_back(value);
        Rank {
            at_most: place as u32 + 1,
            size: self.sorted.len() as u32,
        }
    }

    /// Puts a value into the place of the oldest one; only what lies between both is moved.
    fn replace_oldest(&mut self, value: f64) -> usize {
        let oldest = self.window.pop_front().unwrap_or(value);
        let from = self.sorted.partition_point(|&other| other < oldest);
        let to = self.sorted.partition_point(|&other| other <= value);
        if from < to {
            self.sorted.copy_within(from + 1..to, from);
            self.sorted[to - 1] = value;
            return to - 1;
        }
        self.sorted.copy_within(to..from, to + 1);
        self.sorted[to] = value;
        to
    }

    /// Values from the first on and below the second would have had ranks from `low` to `high` in
    /// the place of the value that was pushed last, whose rank is among them.
    pub(super) fn span(&self, low: u32, high: u32) -> (f64, f64) {
        let value = |place: Option<u32>| self.sorted.get(place? as usize).copied();
        (
            value(low.checked_sub(2)).unwrap_or(f64::NEG_INFINITY),
            value(Some(high)).unwrap_or(f64::INFINITY),
        )
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.size(self.window.len());
        self.window.iter().for_each(|&value| out.f64(value));
    }

    pub(super) fn load(most: usize, from: &mut Reader<'_>) -> Result<Self> {
        let mut quantile = Quantile::new(most);
        let length = from.length()?;
        for value in from.f64s(length)? {
            if value.is_nan() || length > quantile.most {
                return Err(odd("a window that there cannot be"));
            }
            quantile.push(value);
        }
        Ok(quantile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::java_random::JavaRandom;

    #[test]
    fn ranks_are_those_of_counting() {
        let mut random = JavaRandom::new(3);
        let (mut quantile, mut all) = (Quantile::new(20), Vec::new());
        for at in 0..500 {
            let value = f64::from(random.next_int_below(12)) / 11.0;
            all.push(value);
            let window = &all[all.len().saturating_sub(20)..];
            let at_most = window.iter().filter(|&&other| other <= value).count() as u32;
            let size = window.len() as u32;
            assert_eq!(quantile.push(value), Rank { at_most, size }, "at {at}");
        }
        let mut out = Writer::default();
        quantile.save(&mut out);
        let bytes = out.into_bytes();
        let mut loaded = Quantile::load(20, &mut Reader::new(&bytes)).expect("whole");
        assert_eq!(loaded.push(0.5), quantile.push(0.5));
        assert!(Quantile::load(19, &mut Reader::new(&bytes)).is_err());
    }
}
