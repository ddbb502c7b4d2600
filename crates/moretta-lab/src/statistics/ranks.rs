//! Ranks of methods, averaged over data sets.

/// The average rank of each method: a row of `values` holds one value a method, of
/// which the least gets rank 1; those that are equal share the mean of their ranks.
pub(crate) fn average_ranks(values: &[Vec<f64>]) -> Vec<f64> {
    let methods = values.first().map_or(0, Vec::len);
    let mut sums = vec![0.0; methods];
    for row in values {
        for (sum, rank) in sums.iter_mut().zip(ranks(row)) {
            *sum += rank;
        }
    }
    let count = values.len() as f64;
    sums.into_iter().map(|sum| sum / count).collect()
}

fn ranks(row: &[f64]) -> impl Iterator<Item = f64> {
    row.iter().map(move |value| {
        let below = row.iter().filter(|other| *other < value).count();
        let equal = row.iter().filter(|other| *other == value).count();
        below as f64 + (equal + 1) as f64 / 2.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_the_mean_of_their_ranks() {
        for (row, expected) in [
            ([0.3, 0.1, 0.2, 0.4], [3.0, 1.0, 2.0, 4.0]),
            ([0.1, 0.2, 0.2, 0.3], [1.0, 2.5, 2.5, 4.0]),
            ([5.0, 5.0, 5.0, 5.0], [2.5, 2.5, 2.5, 2.5]),
        ] {
            assert_eq!(ranks(&row).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn the_ranks_of_demsars_table_are_those_printed() {
        // Table 6: areas under the curve of C4.5 with its parameters tuned or not.
        let areas = [
            [0.763, 0.768, 0.771, 0.798],
            [0.599, 0.591, 0.590, 0.569],
            [0.954, 0.971, 0.968, 0.967],
            [0.628, 0.661, 0.654, 0.657],
            [0.882, 0.888, 0.886, 0.898],
            [0.936, 0.931, 0.916, 0.931],
            [0.661, 0.668, 0.609, 0.685],
            [0.583, 0.583, 0.563, 0.625],
            [0.775, 0.838, 0.866, 0.875],
            [1.000, 1.000, 1.000, 1.000],
            [0.940, 0.962, 0.965, 0.962],
            [0.619, 0.666, 0.614, 0.669],
            [0.972, 0.981, 0.9751, 0.975],
            [0.957, 0.978, 0.946, 0.970],
        ];
        // More is better there.
        let values: Vec<Vec<f64>> = areas.map(|row| row.map(|area| -area).to_vec()).to_vec();
        let found = average_ranks(&values);
        for (found, printed) in found.iter().zip([3.143, 2.000, 2.893, 1.964]) {
            assert!((found - printed).abs() < 0.0005, "{found} for {printed}");
        }
    }
}
