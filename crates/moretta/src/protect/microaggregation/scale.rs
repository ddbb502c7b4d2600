//! How attributes of different units weigh in distances.
//!
//! The spread of a column is that of all records so far: of the whole table at its
//! end, of the past in a stream. Ranks of ordered categories are spread over all levels,
//! where these are known.

use super::axes::Axes;
use crate::data::Attribute;
use crate::math::moments::Moments;

/// What a difference of numbers or ranks is divided by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// The sample standard deviation of its column; for ranks of a table, the levels less one.
    #[default]
    Deviation,
    /// The largest minus the smallest value of its column.
    Range,
    /// Nothing.
    None,
}

/// The running spread of each attribute.
pub(super) struct Spread {
    scale: Scale,
    axes: Axes,
    columns: Vec<Column>,
    weights: Vec<f64>,
}

struct Column {
    attribute: Attribute,
    moments: Moments,
    least: f64,
    most: f64,
}

impl Spread {
    pub(super) fn new(scale: Scale, axes: &Axes) -> Self {
        let column = |attribute: &Attribute| Column {
            attribute: *attribute,
            moments: Moments::default(),
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
        };
        Spread {
            scale,
            axes: axes.clone(),
            columns: axes.columns().iter().map(column).collect(),
            weights: vec![1.0; axes.attributes().len()],
        }
    }

    /// One more record.
    pub(super) fn observe(&mut self, record: &[f64]) {
        let pairs = self.columns.iter_mut().zip(record);
        match self.scale {
            Scale::Deviation => pairs.for_each(|(column, &value)| column.moments.push(value)),
            Scale::Range => pairs.for_each(|(column, &value)| column.widen(value)),
            Scale::None => {}
        }
    }

    /// What the squared difference on each axis counts now. A column without spread has no
    /// differences and counts nothing.
    pub(super) fn weights(&mut self) -> &[f64] {
        for (weight, column) in self.weights.iter_mut().zip(&self.columns) {
            let unit = match (self.scale, column.attribute) {
                (Scale::None, _) | (_, Attribute::Nominal) => 1.0,
                (Scale::Deviation, Attribute::Ordinal { levels: 2.. }) => column.most_rank(),
                (Scale::Deviation, _) => column.moments.variance(),
                (Scale::Range, _) => (column.most - column.least).powi(2),
            };
            let inverse = 1.0 / unit;
            *weight = if inverse.is_finite() { inverse } else { 0.0 };
        }
        self.axes.weigh(&mut self.weights);
        &self.weights
    }
}

impl Column {
    /// The square of the last rank, where the levels are known.
    fn most_rank(&self) -> f64 {
        match self.attribute {
            Attribute::Ordinal { levels } => (levels as f64 - 1.0).powi(2),
            _ => 1.0,
        }
    }

    #[inline]
    fn widen(&mut self, value: f64) {
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranks_weigh_by_their_spread_and_codes_by_one() {
        let kinds = [
            Attribute::Number,
            Attribute::Ordinal { levels: 0 },
            Attribute::Nominal,
            Attribute::Number,
        ];
        let nan = f64::NAN;
        for (scale, expected) in [
            (Scale::Deviation, [1.0 / 16.0, 1.0, 1.0, 0.0]),
            (Scale::Range, [1.0 / 64.0, 0.25, 1.0, 0.0]),
            (Scale::None, [1.0; 4]),
        ] {
            let mut spread = Spread::new(scale, &Axes::new(&kinds));
            for record in [
                [2.0, 0.0, 0.0, 7.0],
                [nan, 1.0, 9.0, nan],
                [6.0, 2.0, 3.0, 7.0],
                [10.0, nan, 1.0, 7.0],
            ] {
                spread.observe(&record);
            }
            assert_eq!(spread.weights(), expected, "{scale:?}");
        }
    }

    #[test]
    fn ranks_of_known_levels_go_from_0_to_1_whichever_of_them_are_there() {
        for (levels, expected) in [(5, 1.0 / 16.0), (3, 0.25), (1, 0.0)] {
            let kinds = Axes::new(&[Attribute::Ordinal { levels }]);
            let mut spread = Spread::new(Scale::Deviation, &kinds);
            assert_eq!(spread.weights(), [expected]);
        }
    }

    #[test]
    fn before_there_is_a_spread_nothing_weighs() {
        let number = Axes::new(&[Attribute::Number]);
        let mut spread = Spread::new(Scale::Range, &number);
        assert_eq!(spread.weights(), [0.0]);
        let mut spread = Spread::new(Scale::Deviation, &number);
        assert_eq!(spread.weights(), [0.0]);
        spread.observe(&[3.0]);
        assert_eq!(spread.weights(), [0.0]);
    }
}
