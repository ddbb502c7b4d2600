//! Counts numbers that left as they were: a mask that does not mask should be noticed.

use crate::data::{Kind, Schema};

/// Shares of a column's numbers from which on it is told.
const MOST: f64 = 0.5;

/// For each number column that is masked, how many values left as they were.
pub(crate) struct Unchanged {
    /// Name, place in the record, and count.
    columns: Vec<(String, usize, u64)>,
}

impl Unchanged {
    pub(crate) fn new(schema: &Schema, places: &[usize]) -> Self {
        let fields = places.iter().map(|&place| &schema.fields()[place]);
        let numbers = fields
            .enumerate()
            .filter(|(_, field)| matches!(field.kind, Kind::Number { .. } | Kind::Date(_)));
        Unchanged {
            columns: numbers
                .map(|(place, field)| (field.name.to_string(), place, 0))
                .collect(),
        }
    }

    #[inline]
    pub(crate) fn observe(&mut self, original: &[f64], released: &[f64]) {
        for (_, place, count) in &mut self.columns {
            // Missing values equal nothing, and are not counted.
            *count += u64::from(original[*place] == released[*place]);
        }
    }

    /// The columns most of whose numbers left as they were, of so many rows.
    pub(crate) fn columns(&self, rows: u64) -> Vec<&str> {
        let most = |count: u64| rows > 0 && count as f64 >= MOST * rows as f64;
        let told = self.columns.iter().filter(|(_, _, count)| most(*count));
        told.map(|(name, ..)| name.as_str()).collect()
    }
}
