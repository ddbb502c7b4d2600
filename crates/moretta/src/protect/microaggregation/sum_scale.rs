//! What a difference on each column is worth where differences are added up.
//!
//! Ranks of L ordered categories differ by |a − b| / L, other categories by 0 or 1, numbers by
//! their difference over the range of their column. A missing value differs by 1 from all others.
//! Distances of categories are counted in units of which each takes a whole number, so that equal
//! ones are equal.

use crate::data::{Attribute, Units, Variable};

/// The smallest and the largest number of each column, of all records so far.
#[derive(Clone, Debug)]
pub(super) struct Ends {
    attributes: Vec<Attribute>,
    ends: Vec<(f64, f64)>,
}

impl Ends {
    /// Before any record.
    pub(super) fn new(attributes: &[Attribute]) -> Self {
        Ends {
            attributes: attributes.to_vec(),
            ends: vec![(f64::INFINITY, f64::NEG_INFINITY); attributes.len()],
        }
    }

    /// How many ordered categories there are is known by now.
    pub(super) fn know(&mut self, attributes: &[Attribute]) {
        self.attributes.copy_from_slice(attributes);
    }

    /// One more record.
    pub(super) fn observe(&mut self, record: &[f64]) {
        for ((least, most), &value) in self.ends.iter_mut().zip(record) {
            *least = least.min(value);
            *most = most.max(value);
        }
    }

    /// What differences are worth by now.
    pub(super) fn scale(&self) -> SumScale {
        let variable = |attribute: &Attribute| match *attribute {
            Attribute::Ordinal { levels } => Variable::ordinal(levels.max(1)),
            _ => Variable::nominal(0),
        };
        let variables: Vec<Variable> = self.attributes.iter().map(variable).collect();
        let units = Units::new(&variables);
        let one = units.one() as f64;
        let columns = self.attributes.iter().zip(&self.ends).enumerate();
        let step = |(place, (&attribute, &(least, most)))| match attribute {
            Attribute::Number if most > least => (attribute, one / (most - least)),
            Attribute::Number => (attribute, one),
            _ => (attribute, units.step(place).1 as f64),
        };
        SumScale {
            columns: columns.map(step).collect(),
            one,
        }
    }
}

/// What a difference on each column is worth.
pub(super) struct SumScale {
    /// With what a step between ranks, or a difference of numbers by 1, is worth.
    columns: Vec<(Attribute, f64)>,
    /// What other differences are worth.
    one: f64,
}

impl SumScale {
    /// What each column means.
    pub(super) fn attributes(&self) -> impl Iterator<Item = Attribute> + '_ {
        self.columns.iter().map(|&(attribute, _)| attribute)
    }

    /// The distance of two values of a column.
    #[inline]
    pub(super) fn difference(&self, column: usize, a: f64, b: f64) -> f64 {
        let (attribute, step) = self.columns[column];
        match attribute {
            _ if a.is_nan() && b.is_nan() => 0.0,
            _ if a.is_nan() || b.is_nan() => self.one,
            Attribute::Nominal if a == b => 0.0,
            Attribute::Nominal => self.one,
            _ => (a - b).abs() * step,
        }
    }

    /// The distance of two records.
    pub(super) fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let values = a.iter().zip(b).enumerate();
        values
            .map(|(column, (&a, &b))| self.difference(column, a, b))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_shares_of_what_a_column_can_differ_by() {
        let attributes = [
            Attribute::Number,
            Attribute::Ordinal { levels: 4 },
            Attribute::Nominal,
        ];
        let mut ends = Ends::new(&attributes);
        for record in [[2.0, 0.0, 0.0], [f64::NAN, 3.0, 7.0], [10.0, 1.0, 1.0]] {
            ends.observe(&record);
        }
        let scale = ends.scale();
        for (column, a, b, share) in [
            (0, 3.0, 5.0, 0.25),
            (1, 0.0, 3.0, 0.75),
            (2, 7.0, 1.0, 1.0),
            (2, 7.0, 7.0, 0.0),
            (0, f64::NAN, 5.0, 1.0),
            (1, f64::NAN, f64::NAN, 0.0),
        ] {
            let found = scale.difference(column, a, b) / scale.one;
            assert!((found - share).abs() < 1e-12, "{column}: {found}");
        }
    }
}
