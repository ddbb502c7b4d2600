//! IL1s: by how much values moved, in units of √2 standard deviations.
//!
//! ```text
//! IL1s = mean over the attributes of  1/n · Σ |x − x'| / (√2 · S)
//! ```
//!
//! with S the standard deviation of the originals (over n − 1) of all pairs so far:
//! absolute differences are summed as they are and divided when asked, so the value
//! is always that of a table of these pairs. 0 is no loss; two independent draws of
//! one normal distribution differ by 0.8.
//!
//! Numbers and ordinals count, nominal attributes do not. A cell that is missing on
//! either side is left out, S is of the originals that are there, and an attribute
//! that does not vary is left out.
//!
//! *From* Yancey, Winkler, Creecy, "Disclosure risk assessment in perturbative
//! microdata protection" (2002), with the mean over cells.

use super::{PairSettings, mean};
use crate::math::moments::Moments;
use crate::measure::Measure;
use std::f64::consts::SQRT_2;

/// Mean standardised absolute difference.
pub(in crate::measure) struct Il1s {
    columns: Vec<Column>,
}

struct Column {
    place: usize,
    originals: Moments,
    cells: u64,
    differences: f64,
}

impl Il1s {
    pub(in crate::measure) fn new(settings: &PairSettings) -> Self {
        let column = |place| Column {
            place,
            originals: Moments::default(),
            cells: 0,
            differences: 0.0,
        };
        Il1s {
            columns: settings.scalars().into_iter().map(column).collect(),
        }
    }
}

impl Measure for Il1s {
    fn observe_record(&mut self, original: &[f64], protected: &[f64]) {
        for column in &mut self.columns {
            let (x, y) = (original[column.place], protected[column.place]);
            column.originals.push(x);
            let difference = (x - y).abs();
            if difference.is_finite() {
                column.cells += 1;
                column.differences += difference;
            }
        }
    }

    fn value(&self) -> Option<f64> {
        let columns = self.columns.iter();
        mean(columns.filter_map(|column| {
            let scale = column.cells as f64 * SQRT_2 * column.originals.deviation();
            (scale > 0.0).then(|| column.differences / scale)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference::{
        Pair, any_pairs, average, check, deviation, same_pairs, settings,
    };
    use super::*;
    use proptest::prelude::*;

    fn reference(pairs: &[Pair]) -> Option<f64> {
        let columns = (0..3).filter_map(|place| {
            let values = pairs.iter().map(|(original, _)| original[place]);
            let values: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
            let s = deviation(&values);
            let cells = pairs.iter().map(|(x, y)| (x[place] - y[place]).abs());
            let cells: Vec<f64> = cells.filter(|cell| !cell.is_nan()).collect();
            average(&cells)
                .filter(|_| s > 1e-12)
                .map(|mean| mean / (2_f64.sqrt() * s))
        });
        average(&columns.collect::<Vec<_>>())
    }

    proptest! {
        #[test]
        fn the_value_is_that_of_the_table_so_far(pairs in any_pairs(true)) {
            check(Il1s::new(&settings()), &pairs, reference)?;
        }

        #[test]
        fn what_is_released_as_it_was_loses_nothing(pairs in same_pairs()) {
            check(Il1s::new(&settings()), &pairs, |pairs| reference(pairs).map(|_| 0.0))?;
        }
    }
}
