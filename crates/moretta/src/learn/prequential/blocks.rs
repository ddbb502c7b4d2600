//! How much accuracy varies: the sample deviation over blocks of results.
//!
//! A last block of less than half the size says too little and is left out.

use crate::math::moments::Moments;

/// Accuracies of consecutive blocks.
#[derive(Clone, Debug)]
pub struct Blocks {
    size: u64,
    closed: Moments,
    seen: u64,
    right: u64,
}

impl Blocks {
    /// Of so many results, at least one.
    pub fn new(size: u64) -> Self {
        Blocks {
            size: size.max(1),
            closed: Moments::default(),
            seen: 0,
            right: 0,
        }
    }

    /// One more result.
    pub fn add(&mut self, right: bool) {
        self.seen += 1;
        self.right += u64::from(right);
        if self.seen == self.size {
            self.closed.push(self.open());
            (self.seen, self.right) = (0, 0);
        }
    }

    /// The sample standard deviation; none of fewer than two blocks.
    pub fn deviation(&self) -> Option<f64> {
        let mut blocks = self.closed;
        if self.seen > 0 && 2 * self.seen >= self.size {
            blocks.push(self.open());
        }
        (blocks.count() > 1).then(|| blocks.deviation())
    }

    fn open(&self) -> f64 {
        self.right as f64 / self.seen as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reference(right: &[bool], size: usize) -> Option<f64> {
        let blocks = right.chunks(size).filter(|block| 2 * block.len() >= size);
        let share = |block: &[bool]| {
            block.iter().filter(|right| **right).count() as f64 / block.len() as f64
        };
        let shares: Vec<f64> = blocks.map(share).collect();
        let n = shares.len() as f64;
        let mean = shares.iter().sum::<f64>() / n;
        let squares: f64 = shares.iter().map(|share| (share - mean).powi(2)).sum();
        (n > 1.0).then(|| (squares / (n - 1.0)).sqrt())
    }

    proptest! {
        #[test]
        fn the_deviation_is_that_of_all_blocks_but_a_short_last_one(
            right in prop::collection::vec(any::<bool>(), 0..200), size in 1..30_usize,
        ) {
            let mut blocks = Blocks::new(size as u64);
            right.iter().for_each(|&right| blocks.add(right));
            match (blocks.deviation(), reference(&right, size)) {
                (Some(found), Some(expected)) => prop_assert!((found - expected).abs() < 1e-9),
                (found, expected) => prop_assert_eq!(found, expected),
            }
        }
    }

    #[test]
    fn half_a_block_counts_and_less_does_not() {
        let deviation = |results: u64| {
            let mut blocks = Blocks::new(100);
            (0..results).for_each(|n| blocks.add(n < 100));
            blocks.deviation()
        };
        assert_eq!(deviation(149), None);
        assert_eq!(deviation(150), Some(0.5_f64.sqrt()));
    }
}
