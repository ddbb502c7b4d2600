//! Running means, variances and covariances, without the sums of squares that
//! lose all digits when the mean is large.
//!
//! [`Moments`] is one column after Welford, in this order of operations:
//!
//! ```text
//! n ← n + 1    δ ← x − mean    mean ← mean + δ / n    S ← S + δ · (x − mean)
//! ```
//!
//! which is, bit for bit, the weighted update with weight 1. The first value
//! becomes the mean as it is. [`CoMoments`] does the same for every pair of columns.
//! Two halves of the data are merged after Chan, Golub and LeVeque.
//!
//! Values that are missing (NaN) or infinite are left out; of [`CoMoments`], records
//! that have one, since covariances of different records make no matrix.
//!
//! *Costs* a few operations a value; `width²/2` a record for covariances.
//! *From* Welford, "Note on a method for calculating corrected sums of squares and
//! products" (1962); Chan, Golub, LeVeque, "Algorithms for computing the sample
//! variance" (1983).
//!
//! ```
//! use moretta_data::math::moments::Moments;
//! let column: Moments = [2.0, 4.0, f64::NAN, 6.0].into_iter().collect();
//! assert_eq!((column.count(), column.mean(), column.variance()), (3, 4.0, 4.0));
//! ```

/// Mean and variance of one column so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    count: u64,
    mean: f64,
    /// Sum of squared differences from the mean.
    squares: f64,
}

impl Moments {
    /// One more value.
    #[inline]
    pub fn push(&mut self, value: f64) {
        if !value.is_finite() {
            return;
        }
        self.count += 1;
        if self.count == 1 {
            self.mean = value;
            return;
        }
        let difference = value - self.mean;
        self.mean += difference / self.count as f64;
        self.squares += difference * (value - self.mean);
    }

    /// Those of so many values with this mean and this sum of squared differences from it.
    pub fn from_parts(count: u64, mean: f64, squares: f64) -> Self {
        Moments {
            count,
            mean,
            squares,
        }
    }

    /// Values so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean; 0 of none.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Their variance, over n − 1; 0 of fewer than two.
    #[inline]
    pub fn variance(&self) -> f64 {
        over_one_less(self.squares, self.count)
    }

    /// Their standard deviation.
    #[inline]
    pub fn deviation(&self) -> f64 {
        self.variance().sqrt()
    }

    /// Sum of squared differences from the mean.
    pub fn squares(&self) -> f64 {
        self.squares
    }

    /// The moments of the values of both.
    pub fn merge(&mut self, other: &Moments) {
        if self.count == 0 {
            *self = *other;
        } else if other.count > 0 {
            self.add(other);
        }
    }

    /// Chan's sum of two that are not empty.
    fn add(&mut self, other: &Moments) {
        let (a, b) = (self.count as f64, other.count as f64);
        let difference = other.mean - self.mean;
        self.count += other.count;
        self.mean += difference * (b / (a + b));
        self.squares += other.squares + difference * difference * (a * b / (a + b));
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<T: IntoIterator<Item = f64>>(values: T) -> Self {
        let mut moments = Moments::default();
        values.into_iter().for_each(|value| moments.push(value));
        moments
    }
}

/// Means and covariances of the columns of records so far.
#[derive(Clone, Debug, PartialEq)]
pub struct CoMoments {
    count: u64,
    means: Vec<f64>,
    /// Sums of products of differences from the means: row by row, from the diagonal on.
    products: Vec<f64>,
    /// Differences of the last record from the means, before and after it counted.
    before: Vec<f64>,
    after: Vec<f64>,
}

impl CoMoments {
    /// Of records of so many values.
    pub fn new(width: usize) -> Self {
        CoMoments {
            count: 0,
            means: vec![0.0; width],
            products: vec![0.0; width * (width + 1) / 2],
            before: vec![0.0; width],
            after: vec![0.0; width],
        }
    }

    /// One more record; says whether it counts, which needs all its values to be finite.
    pub fn push(&mut self, record: &[f64]) -> bool {
        debug_assert_eq!(record.len(), self.means.len());
        if !record.iter().all(|value| value.is_finite()) {
            return false;
        }
        self.count += 1;
        if self.count == 1 {
            self.means.copy_from_slice(record);
            return true;
        }
        let count = self.count as f64;
        let differences = self.before.iter_mut().zip(&mut self.after);
        for ((before, after), (mean, &value)) in differences.zip(self.means.iter_mut().zip(record))
        {
            *before = value - *mean;
            *mean += *before / count;
            *after = value - *mean;
        }
        self.add_products();
        true
    }

    fn add_products(&mut self) {
        let mut rest = &mut self.products[..];
        for (column, &before) in self.before.iter().enumerate() {
            let after = &self.after[column..];
            let (row, below) = rest.split_at_mut(after.len());
            for (product, &after) in row.iter_mut().zip(after) {
                *product += before * after;
            }
            rest = below;
        }
    }

    /// Columns of a record.
    pub fn width(&self) -> usize {
        self.means.len()
    }

    /// Records that counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Mean of each column; 0 of none.
    pub fn means(&self) -> &[f64] {
        &self.means
    }

    /// Covariance of two columns, over n − 1; 0 of fewer than two records.
    #[inline]
    pub fn covariance(&self, i: usize, j: usize) -> f64 {
        over_one_less(self.products[self.place(i, j)], self.count)
    }

    /// Variance of a column, over n − 1.
    pub fn variance(&self, column: usize) -> f64 {
        self.covariance(column, column)
    }

    /// Correlation of two columns, from −1 to 1; none when one of them does not vary.
    pub fn correlation(&self, i: usize, j: usize) -> Option<f64> {
        let product = |i, j| self.products[self.place(i, j)];
        let scale = product(i, i).sqrt() * product(j, j).sqrt();
        (scale > 0.0).then(|| (product(i, j) / scale).clamp(-1.0, 1.0))
    }

    /// The moments of the records of both, which are of one width.
    pub fn merge(&mut self, other: &CoMoments) {
        if self.count == 0 {
            self.clone_from(other);
            return;
        }
        if other.count == 0 {
            return;
        }
        let (a, b) = (self.count as f64, other.count as f64);
        for (before, (&theirs, &ours)) in
            (self.before.iter_mut()).zip(other.means.iter().zip(&self.means))
        {
            *before = theirs - ours;
        }
        for (after, &before) in self.after.iter_mut().zip(&self.before) {
            *after = before * (a * b / (a + b));
        }
        self.add_products();
        for (product, &theirs) in self.products.iter_mut().zip(&other.products) {
            *product += theirs;
        }
        for (mean, &before) in self.means.iter_mut().zip(&self.before) {
            *mean += before * (b / (a + b));
        }
        self.count += other.count;
    }

    /// Where the product of two columns lies.
    #[inline]
    fn place(&self, i: usize, j: usize) -> usize {
        let (row, column) = (i.min(j), i.max(j));
        // The rows above hold width, width − 1, … products.
        row * (2 * self.width() + 1 - row) / 2 + column - row
    }
}

#[inline]
fn over_one_less(sum: f64, count: u64) -> f64 {
    match count {
        0 | 1 => 0.0,
        _ => sum / (count - 1) as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Two passes over the finite records.
    fn covariance(records: &[Vec<f64>], i: usize, j: usize) -> f64 {
        let n = records.len() as f64;
        let mean = |column: usize| records.iter().map(|record| record[column]).sum::<f64>() / n;
        let (a, b) = (mean(i), mean(j));
        let products = records
            .iter()
            .map(|record| (record[i] - a) * (record[j] - b));
        products.sum::<f64>() / (n - 1.0)
    }

    fn near(a: f64, b: f64, scale: f64) -> bool {
        (a - b).abs() <= 1e-10 * scale.max(1.0)
    }

    fn any_records() -> impl Strategy<Value = Vec<Vec<f64>>> {
        let value = prop_oneof![9 => -1e3..1e3, 1 => Just(7.0)];
        prop::collection::vec(prop::collection::vec(value, 4), 0..40)
    }

    proptest! {
        #[test]
        fn covariances_are_those_of_two_passes(mut records in any_records(), offset in -1e6..1e6) {
            let mut running = CoMoments::new(4);
            let mut columns = [Moments::default(); 4];
            for record in &mut records {
                record[2] += offset;
                running.push(record);
                for (column, &value) in columns.iter_mut().zip(&*record) {
                    column.push(value);
                }
            }
            for (i, column) in columns.iter().enumerate() {
                prop_assert_eq!(column.mean(), running.means()[i]);
                prop_assert_eq!(column.variance(), running.variance(i));
                for j in 0..4 {
                    prop_assert_eq!(running.covariance(i, j), running.covariance(j, i));
                    if records.len() > 1 {
                        let expected = covariance(&records, i, j);
                        prop_assert!(near(running.covariance(i, j), expected, 1e8));
                    }
                }
            }
        }

        #[test]
        fn halves_merge_to_the_whole(records in any_records(), cut in 0..40_usize) {
            let moments = |records: &[Vec<f64>]| {
                let mut moments = CoMoments::new(4);
                for record in records {
                    moments.push(record);
                }
                moments
            };
            let (left, right) = records.split_at(cut.min(records.len()));
            let (whole, mut merged) = (moments(&records), moments(left));
            merged.merge(&moments(right));
            prop_assert_eq!(merged.count(), whole.count());
            let column = |records: &[Vec<f64>]| records.iter().map(|record| record[0]).collect();
            let mut one: Moments = column(left);
            one.merge(&column(right));
            prop_assert!(near(one.variance(), whole.variance(0), 1e6));
            prop_assert!(near(one.mean(), whole.means()[0], 1e3));
            for i in 0..4 {
                prop_assert!(near(merged.means()[i], whole.means()[i], 1e3));
                for j in 0..4 {
                    prop_assert!(near(merged.covariance(i, j), whole.covariance(i, j), 1e6));
                }
            }
        }
    }

    #[test]
    fn the_weighted_update_with_weight_one_is_the_same_to_the_bit() {
        let values = (1..200).map(|n| (f64::from(n) * 0.7).sin() * 1e3 + 0.1);
        let (mut weights, mut mean, mut squares) = (0.0, 0.0, 0.0);
        let mut moments = Moments::default();
        for value in values {
            moments.push(value);
            if weights > 0.0 {
                weights += 1.0;
                let last = mean;
                mean += 1.0 * (value - last) / weights;
                squares += 1.0 * (value - last) * (value - mean);
            } else {
                (weights, mean) = (1.0, value);
            }
            assert_eq!((moments.mean(), moments.squares()), (mean, squares));
        }
    }

    #[test]
    fn a_large_mean_costs_no_digits() {
        let moments: Moments = [1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0]
            .into_iter()
            .collect();
        assert_eq!((moments.mean(), moments.variance()), (1e9 + 10.0, 30.0));
    }

    #[test]
    fn values_that_are_no_numbers_are_left_out() {
        let mut moments = CoMoments::new(2);
        assert!(moments.push(&[1.0, 2.0]));
        assert!(!moments.push(&[f64::NAN, 5.0]));
        assert!(!moments.push(&[4.0, f64::INFINITY]));
        assert!(moments.push(&[3.0, 6.0]));
        assert_eq!((moments.count(), moments.means()), (2, &[2.0, 4.0][..]));
        let correlation = moments.correlation(0, 1).expect("both vary");
        assert!(near(correlation, 1.0, 1.0));
        let none = Moments::default();
        assert_eq!((none.mean(), none.deviation()), (0.0, 0.0));
        assert_eq!(CoMoments::new(1).correlation(0, 0), None);
    }
}
