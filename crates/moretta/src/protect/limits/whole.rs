//! The distribution that classes are compared with.

use super::histogram::Histogram;

/// The distribution of the values in the whole table.
#[derive(Default)]
pub(super) struct Whole {
    /// The share of each value, missing ones last.
    pub(super) shares: Vec<f64>,
    /// How many values have a share, missing ones among them.
    pub(super) held: usize,
    /// The share of each value among the present ones.
    pub(super) present: Vec<f64>,
    pub(super) order: Order,
}

/// The values that the whole holds, as steps of their order.
#[derive(Default)]
pub(super) struct Order {
    /// Of each value, how many smaller ones the whole holds.
    pub(super) step: Vec<u32>,
    /// The share of the values up to each step.
    pub(super) up_to: Vec<f64>,
    /// The sum of `up_to` before each step, and of all.
    pub(super) sums: Vec<f64>,
}

impl Whole {
    /// What a histogram is as a whole; `repeats` tells of each value of the column whether it
    /// is the same number as the one before.
    pub(super) fn new(histogram: &Histogram<'_>, repeats: &[bool]) -> Self {
        let value_count = repeats.len();
        let present = shares_present(histogram, value_count);
        let total = histogram.total();
        let mut shares = vec![0.0; value_count + 1];
        for &(value, count) in histogram.counts {
            shares[value as usize] = f64::from(count) / total;
        }
        shares[value_count] = f64::from(histogram.missing) / total;
        Whole {
            held: shares.iter().filter(|&&share| share > 0.0).count(),
            shares,
            order: Order::new(&present, repeats),
            present,
        }
    }

    /// The share of each value of a class in the class and in the whole, of missing ones last.
    pub(super) fn beside<'a>(
        &'a self,
        class: &Histogram<'a>,
    ) -> impl Iterator<Item = (f64, f64)> + 'a {
        let total = class.total();
        let missing = self.shares.len().saturating_sub(1) as u32;
        let missing = (class.missing > 0).then_some((missing, class.missing));
        let values = class.counts.iter().copied().chain(missing);
        values.map(move |(value, count)| {
            let whole = self.shares.get(value as usize).copied().unwrap_or(0.0);
            (f64::from(count) / total, whole)
        })
    }
}

/// The share of each value among the present ones.
pub(super) fn shares_present(histogram: &Histogram<'_>, value_count: usize) -> Vec<f64> {
    let present = f64::from(histogram.present().max(1));
    let mut shares = vec![0.0; value_count];
    for &(value, count) in histogram.counts {
        shares[value as usize] = f64::from(count) / present;
    }
    shares
}

impl Order {
    /// A value that `repeats` the one before has no step of its own.
    fn new(present: &[f64], repeats: &[bool]) -> Self {
        let mut order = Order {
            sums: vec![0.0],
            ..Order::default()
        };
        let mut shares: Vec<f64> = Vec::new();
        let mut before = 0.0;
        for (&held, &repeats) in present.iter().zip(repeats) {
            before = if repeats { before } else { 0.0 };
            let again = before > 0.0;
            order.step.push((shares.len() - usize::from(again)) as u32);
            match shares.last_mut() {
                Some(share) if again => *share += held,
                _ if held > 0.0 => shares.push(held),
                _ => {}
            }
            before += held;
        }
        let (mut share, mut sum) = (0.0, 0.0);
        for held in shares {
            share += held;
            sum += share;
            order.up_to.push(share);
            order.sums.push(sum);
        }
        order
    }
}
