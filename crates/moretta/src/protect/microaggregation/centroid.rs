//! What stands for a group: mean, median or mode, over the values that are present.

use crate::data::Attribute;

/// Makes centroids of groups.
pub(super) struct Centroid {
    attributes: Box<[Attribute]>,
    values: Vec<f64>,
}

impl Centroid {
    pub(super) fn new(attributes: &[Attribute]) -> Self {
        Centroid {
            attributes: attributes.into(),
            values: Vec::new(),
        }
    }

    /// What the values of a record mean.
    pub(super) fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// Puts the centroid of the records into `centre`. A value is missing if it is
    /// in all records.
    pub(super) fn of<'a, R>(&mut self, records: R, centre: &mut [f64])
    where
        R: Iterator<Item = &'a [f64]> + Clone,
    {
        for (place, (attribute, value)) in self.attributes.iter().zip(centre).enumerate() {
            let column = records.clone().map(|record| record[place]);
            *value = match attribute {
                Attribute::Number => mean(column),
                Attribute::Ordinal { .. } => median(sorted(&mut self.values, column)),
                Attribute::Nominal => mode(sorted(&mut self.values, column)),
            };
        }
    }
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let (mut sum, mut present) = (0.0, 0.0);
    for value in values.clone() {
        if !value.is_nan() {
            sum += value;
            present += 1.0;
        }
    }
    if sum.is_finite() {
        return sum / present;
    }
    // The sum of very large numbers is no number, yet their mean is.
    let parts = values.filter(|value| !value.is_nan());
    parts.map(|value| value / present).sum()
}

fn sorted(scratch: &mut Vec<f64>, values: impl Iterator<Item = f64>) -> &[f64] {
    scratch.clear();
    scratch.extend(values.filter(|value| !value.is_nan()));
    scratch.sort_unstable_by(f64::total_cmp);
    scratch
}

/// The lower one of two in the middle, so that it is a rank that exists.
fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len().saturating_sub(1) / 2;
    sorted.get(middle).copied().unwrap_or(f64::NAN)
}

/// The smallest of the most frequent.
fn mode(sorted: &[f64]) -> f64 {
    let mut best = (0, f64::NAN);
    for run in sorted.chunk_by(|a, b| a == b) {
        if run.len() > best.0 {
            best = (run.len(), run[0]);
        }
    }
    best.1
}

/// Counts of the values of one attribute, to know the centroid of records that go
/// one after the other.
#[derive(Default)]
pub(super) struct Tally {
    /// In order, each with its count.
    levels: Vec<(f64, usize)>,
    present: usize,
}

impl Tally {
    pub(super) fn add(&mut self, value: f64) {
        if value.is_nan() {
            return;
        }
        self.present += 1;
        match self.place(value) {
            Ok(place) => self.levels[place].1 += 1,
            Err(place) => self.levels.insert(place, (value, 1)),
        }
    }

    pub(super) fn remove(&mut self, value: f64) {
        let Ok(place) = self.place(value) else {
            return;
        };
        self.present -= 1;
        self.levels[place].1 -= 1;
        if self.levels[place].1 == 0 {
            self.levels.remove(place);
        }
    }

    fn place(&self, value: f64) -> Result<usize, usize> {
        self.levels
            .binary_search_by(|(level, _)| level.total_cmp(&value))
    }

    pub(super) fn median(&self) -> f64 {
        let mut before = self.present.saturating_sub(1) / 2;
        for &(level, count) in &self.levels {
            if before < count {
                return level;
            }
            before -= count;
        }
        f64::NAN
    }

    pub(super) fn mode(&self) -> f64 {
        let best =
            self.levels.iter().fold(
                (f64::NAN, 0),
                |best, level| {
                    if level.1 > best.1 { *level } else { best }
                },
            );
        best.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_group_is_shown_by_mean_median_and_mode_of_what_is_present() {
        let kinds = [
            Attribute::Number,
            Attribute::Ordinal { levels: 0 },
            Attribute::Nominal,
        ];
        let nan = f64::NAN;
        for (records, expected) in [
            (
                vec![[1.0, 0.0, 2.0], [2.0, 3.0, 1.0], [6.0, 4.0, 2.0]],
                [3.0, 3.0, 2.0],
            ),
            (vec![[1.0, 5.0, 2.0], [2.0, 3.0, 1.0]], [1.5, 3.0, 1.0]),
            (vec![[nan, 5.0, nan], [2.0, nan, 1.0]], [2.0, 5.0, 1.0]),
            (vec![[f64::MAX, 0.0, 0.0]; 4], [f64::MAX, 0.0, 0.0]),
        ] {
            let mut centre = [0.0; 3];
            let rows = records.iter().map(|record| &record[..]);
            Centroid::new(&kinds).of(rows, &mut centre);
            assert_eq!(centre, expected);
        }
        let mut centre = [0.0; 3];
        Centroid::new(&kinds).of([[nan; 3]].iter().map(|record| &record[..]), &mut centre);
        assert!(centre.iter().all(|value| value.is_nan()));
    }

    proptest! {
        #[test]
        fn counts_know_the_centroid_of_what_is_left(
            values in prop::collection::vec(prop_oneof![9 => (0..6).prop_map(f64::from), 1 => Just(f64::NAN)], 0..40),
            gone in 0..40_usize,
        ) {
            let gone = gone.min(values.len());
            let mut tally = Tally::default();
            values.iter().for_each(|&value| tally.add(value));
            values[..gone].iter().for_each(|&value| tally.remove(value));
            let mut scratch = Vec::new();
            let left = sorted(&mut scratch, values[gone..].iter().copied());
            prop_assert_eq!(tally.median().to_bits(), median(left).to_bits());
            prop_assert_eq!(tally.mode().to_bits(), mode(left).to_bits());
        }
    }
}
