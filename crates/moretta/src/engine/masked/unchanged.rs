//! Counts values that left as they were: a mask that does not mask should be noticed.

use crate::data::{Kind, Schema};

/// The share of a column's numbers from which on it is told.
const MOST: f64 = 0.5;

/// The same of categories, many of which stay under any mask.
const NEARLY_ALL: f64 = 0.95;

/// For each masked column, how many values left as they were.
pub(crate) struct Unchanged(Vec<Counted>);

struct Counted {
    name: String,
    is_number: bool,
    unchanged: u64,
}

impl Unchanged {
    pub(crate) fn new(schema: &Schema, places: &[usize]) -> Self {
        let fields = places.iter().map(|&place| &schema.fields()[place]);
        let columns = fields.map(|field| Counted {
            name: field.name.to_string(),
            is_number: matches!(field.kind, Kind::Number { .. } | Kind::Date(_)),
            unchanged: 0,
        });
        Unchanged(columns.collect())
    }

    #[inline]
    pub(crate) fn observe(&mut self, original: &[f64], released: &[f64]) {
        let values = original.iter().zip(released);
        for (column, (original, released)) in self.0.iter_mut().zip(values) {
            // Missing values equal nothing, and are not counted.
            column.unchanged += u64::from(original == released);
        }
    }

    /// What is told of columns too much of which left as it was, of so many rows.
    pub(crate) fn told(&self, rows: u64) -> impl Iterator<Item = String> {
        let told = move |column: &Counted| {
            let (least, what) = match column.is_number {
                true => (MOST, "most numbers"),
                false => (NEARLY_ALL, "nearly all categories"),
            };
            let is_told = rows > 0 && column.unchanged as f64 >= least * rows as f64;
            is_told.then(|| format!("{what} of column `{}` left as they were", column.name))
        };
        self.0.iter().filter_map(told)
    }
}
