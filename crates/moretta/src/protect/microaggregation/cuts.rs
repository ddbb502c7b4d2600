//! The best cuts of an order: consecutive records in groups of k to 2k - 1, of least loss.
//!
//! The least sum of squares of the first j records is that of the first i and of one group
//! more, from i to j, for the best i that leaves k to 2k - 1 of them; larger groups can be cut
//! without loss. Of equally good ones the smallest i is taken. Sums of squares come from sums
//! over all records before, of values less their mean.
//!
//! In the order of one column, no grouping at all loses less: so *hansen-mukherjee* is optimal.
//!
//! **Costs** k·n·d steps for n records of d values, and memory for 2d sums a record.
//!
//! **From** Hansen and Mukherjee, A polynomial algorithm for optimal univariate
//! microaggregation, TKDE 2003.

use crate::cancel::Cancel;

/// Records between which work can be stopped.
const RECORDS: usize = 1 << 12;

/// Where groups end, the first one first, of records of `width` values that lie in their order,
/// at least k of them; once it is cancelled, in any way.
pub(super) fn best_cuts(values: &[f64], width: usize, k: usize, cancel: &Cancel) -> Vec<usize> {
    let records = values.len() / width.max(1);
    let sums = Sums::new(values, width);
    // best[j]: the least loss of the first j records, and where their last group begins.
    let mut best = vec![(f64::INFINITY, 0_usize); records + 1];
    best[0].0 = 0.0;
    for j in k..=records {
        if j % RECORDS == 0 && cancel.is_cancelled() {
            return vec![records];
        }
        let first = (j + 1).saturating_sub(2 * k);
        let mut least = (f64::INFINITY, 0);
        for (i, before) in (first..).zip(&best[first..=j - k]) {
            // Fewer than k records cannot be grouped, nor can they stand before a group.
            if before.0.is_finite() {
                let loss = before.0 + sums.squares(i, j);
                if loss < least.0 {
                    least = (loss, i);
                }
            }
        }
        best[j] = least;
    }
    let mut ends = Vec::with_capacity(records / k);
    let mut end = records;
    while end > 0 {
        ends.push(end);
        end = best[end].1;
    }
    ends.reverse();
    ends
}

/// Sums of values and of their squares over all records before each place.
struct Sums {
    width: usize,
    values: Vec<f64>,
    squares: Vec<f64>,
}

impl Sums {
    fn new(values: &[f64], width: usize) -> Self {
        let records = values.len() / width.max(1);
        let mut means = vec![0.0; width];
        for record in values.chunks_exact(width.max(1)) {
            for (mean, value) in means.iter_mut().zip(record) {
                *mean += value / records as f64;
            }
        }
        let mut sums = Sums {
            width,
            values: Vec::with_capacity(values.len() + width),
            squares: Vec::with_capacity(records + 1),
        };
        let (mut running, mut squares) = (vec![0.0; width], 0.0);
        sums.values.extend(&running);
        sums.squares.push(0.0);
        for record in values.chunks_exact(width.max(1)) {
            for ((sum, value), mean) in running.iter_mut().zip(record).zip(&means) {
                let centred = value - mean;
                *sum += centred;
                squares += centred * centred;
            }
            sums.values.extend(&running);
            sums.squares.push(squares);
        }
        sums
    }

    /// The sum of squared differences of records `i` to `j` from their mean.
    fn squares(&self, i: usize, j: usize) -> f64 {
        let [from, to] = [i, j].map(|place| &self.values[place * self.width..][..self.width]);
        let of_means: f64 = from.iter().zip(to).map(|(a, b)| (b - a) * (b - a)).sum();
        let squares = self.squares[j] - self.squares[i] - of_means / (j - i) as f64;
        // What is left of equal values is rounding.
        squares.max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Sums of squared differences from the means of groups.
    fn loss(values: &[f64], width: usize, ends: &[usize]) -> f64 {
        let mut from = 0;
        let mut loss = 0.0;
        for &end in ends {
            for attribute in 0..width {
                let column = || (from..end).map(|row| values[row * width + attribute]);
                let mean = column().sum::<f64>() / (end - from) as f64;
                loss += column().map(|value| (value - mean).powi(2)).sum::<f64>();
            }
            from = end;
        }
        loss
    }

    /// The least loss of all ways to cut.
    fn slow(values: &[f64], width: usize, k: usize) -> f64 {
        let records = values.len() / width;
        let one = loss(values, width, &[records]);
        let parted = (k..(records + 1).saturating_sub(k)).map(|cut| {
            let (left, right) = values.split_at(cut * width);
            loss(left, width, &[cut]) + slow(right, width, k)
        });
        parted.fold(one, f64::min)
    }

    proptest! {
        #[test]
        fn no_way_to_cut_loses_less(
            values in prop::collection::vec((0..9).prop_map(f64::from), 4..32),
            width in 1..3_usize,
            k in 2..5_usize,
        ) {
            let records = values.len() / width;
            prop_assume!(records >= k);
            let values = &values[..records * width];
            let ends = best_cuts(values, width, k, &Cancel::default());
            let mut from = 0;
            for &end in &ends {
                prop_assert!(end - from >= k && (end - from < 2 * k));
                from = end;
            }
            prop_assert_eq!(from, records);
            prop_assert!((loss(values, width, &ends) - slow(values, width, k)).abs() < 1e-9);
        }
    }

    #[test]
    fn the_worked_example_is_cut_as_it_says() {
        let values = [1.0, 2.0, 9.0, 10.0, 11.0, 19.0, 20.0];
        let ends = best_cuts(&values, 1, 2, &Cancel::default());
        assert_eq!(ends, [2, 5, 7]);
        assert!((loss(&values, 1, &ends) - 3.0).abs() < 1e-12);
        assert!((loss(&values, 1, &[7]) - 327.4286).abs() < 0.5e-4);
    }
}
