//! Projection: records in the order of one axis, cut where that loses least.
//!
//! The axis is the direction in which the records are spread most (the first principal
//! component), or the sum of all columns, each divided by its scale. Records that follow each
//! other on it are grouped by the best cuts of that order ([`super::cuts`]). A missing value
//! takes the place of its column's mean.
//!
//! With one column the order is its own, and the groups are those of *hansen-mukherjee*:
//! none lose less.
//!
//! From Mateo-Sanz and Domingo-Ferrer, A comparative study of microaggregation methods,
//! Qüestiió 1998.

use super::cuts::best_cuts;
use super::points::Points;
use crate::cancel::Cancel;
use crate::math::eigen::Eigen;
use crate::math::moments::Moments;

/// The axis that records are put in order by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Axis {
    /// The first principal component.
    #[default]
    Principal,
    /// The sum of the columns.
    Sum,
}

/// Groups all points, at least k, whose columns are numbers or ranks.
pub(super) fn projected(
    points: &Points<'_>,
    axis: Axis,
    k: usize,
    cancel: &Cancel,
) -> Vec<Vec<usize>> {
    let width = points.weights.len();
    let scaled = scaled(points);
    let direction = match axis {
        Axis::Principal => principal(&scaled, width),
        Axis::Sum => vec![1.0; width],
    };
    let place = |record: &[f64]| -> f64 {
        let terms = record.iter().zip(&direction);
        // Zeros of both signs are one place.
        terms.map(|(value, part)| value * part).sum::<f64>() + 0.0
    };
    let mut order: Vec<(f64, usize)> = scaled.chunks_exact(width).map(place).zip(0..).collect();
    order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let sorted: Vec<f64> = order
        .iter()
        .flat_map(|&(_, row)| &scaled[row * width..][..width])
        .copied()
        .collect();
    let mut from = 0;
    let ends = best_cuts(&sorted, width, k, cancel).into_iter();
    ends.map(|end| {
        let group = order[from..end].iter().map(|&(_, row)| row).collect();
        from = end;
        group
    })
    .collect()
}

/// All values less the mean of their column, times the root of what its squares count.
fn scaled(points: &Points<'_>) -> Vec<f64> {
    let width = points.weights.len();
    let mut scaled = points.records.values().to_vec();
    for (column, weight) in points.weights.iter().enumerate() {
        let mut moments = Moments::default();
        points
            .records
            .column(column)
            .for_each(|value| moments.push(value));
        for value in scaled.iter_mut().skip(column).step_by(width) {
            let centred = (*value - moments.mean()) * weight.sqrt();
            *value = if centred.is_finite() { centred } else { 0.0 };
        }
    }
    scaled
}

/// The direction in which centred records are spread most.
fn principal(scaled: &[f64], width: usize) -> Vec<f64> {
    let mut products = vec![0.0; width * width];
    for record in scaled.chunks_exact(width) {
        for (i, &a) in record.iter().enumerate() {
            let row = &mut products[i * width..][..=i];
            row.iter_mut()
                .zip(record)
                .for_each(|(sum, b)| *sum += a * b);
        }
    }
    let eigen = Eigen::new(width, |i, j| products[i * width + j]);
    let mut direction = eigen.vector(0).to_vec();
    // Either way along a line is its direction: the sign of the largest part decides.
    let largest = direction.iter().copied().fold(0.0, |largest: f64, part| {
        if part.abs() > largest.abs() {
            part
        } else {
            largest
        }
    });
    if largest < 0.0 {
        direction.iter_mut().for_each(|part| *part = -*part);
    }
    direction
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Attribute, Records};
    use crate::protect::microaggregation::axes::Axes;

    fn groups(records: &[[f64; 2]], axis: Axis) -> Vec<Vec<usize>> {
        let mut all = Records::new(2);
        records.iter().for_each(|record| all.push(record));
        let points = Points {
            axes: &Axes::new(&[Attribute::Number; 2]),
            records: &all,
            weights: &[1.0; 2],
        };
        projected(&points, axis, 2, &Cancel::default())
    }

    #[test]
    fn records_follow_each_other_where_they_are_spread_most() {
        // Spread along x - y; their sums are all about the same and put them otherwise.
        let records = [[9.0, 1.0], [1.0, 9.0], [2.0, 8.1], [8.0, 2.1]];
        assert_eq!(groups(&records, Axis::Principal), [[0, 3], [2, 1]]);
        assert_eq!(groups(&records, Axis::Sum), [[0, 1], [2, 3]]);
    }

    #[test]
    fn a_missing_value_lies_at_the_mean() {
        let records = [
            [0.0, 0.0],
            [f64::NAN, 0.0],
            [9.0, 0.0],
            [10.0, 0.0],
            [1.0, 0.0],
            [5.0, 0.0],
        ];
        let found = groups(&records, Axis::Sum);
        assert_eq!(found, [vec![0, 4], vec![1, 5], vec![2, 3]]);
    }
}
