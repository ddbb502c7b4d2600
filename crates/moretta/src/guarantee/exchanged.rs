//! Whether the values of each class are those that it had, whichever rows hold them now.
//!
//! Each row adds a hash of its class and its value to a sum, once with the original value and
//! once with the released one: the same values in each class have the same sum. Other values
//! have the same sum with probability 2⁻⁶⁴. Costs a hash a cell and no memory.

use crate::data::{Batch, Column, MISSING, Role};
use crate::error::Result;
use foldhash::quality::RandomState;
use std::hash::{BuildHasher, Hash, Hasher};

/// Sums over the rows, one for each column whose values change places.
pub(super) struct Exchanged {
    columns: Vec<(String, u64)>,
    hasher: RandomState,
}

impl Exchanged {
    pub(super) fn new(columns: Vec<String>) -> Self {
        Exchanged {
            columns: columns.into_iter().map(|name| (name, 0)).collect(),
            hasher: RandomState::default(),
        }
    }

    /// Row `i` of `released` was released for row `i` of `original`.
    pub(super) fn observe(&mut self, original: &Batch, released: &Batch) -> Result<()> {
        if self.columns.is_empty() {
            return Ok(());
        }
        let quasi: Vec<usize> = released.schema().with_role(Role::Quasi);
        let classes: Vec<u64> = (0..released.len())
            .map(|row| {
                let mut hasher = self.hasher.build_hasher();
                for &place in &quasi {
                    hash_cell(released.column(place), row, &mut hasher);
                }
                hasher.finish()
            })
            .collect();
        for (name, sum) in &mut self.columns {
            let (Some(before), Some(after)) =
                (original.column_named(name), released.column_named(name))
            else {
                continue;
            };
            for (row, class) in classes.iter().enumerate() {
                let hash = |column: &Column| {
                    let mut hasher = self.hasher.build_hasher();
                    class.hash(&mut hasher);
                    hash_cell(column, row, &mut hasher);
                    hasher.finish()
                };
                *sum = sum.wrapping_add(hash(before)).wrapping_sub(hash(after));
            }
        }
        Ok(())
    }

    /// The columns with values that their class did not have.
    pub(super) fn faults(&self) -> impl Iterator<Item = &str> {
        let faults = self.columns.iter().filter(|(_, sum)| *sum != 0);
        faults.map(|(name, _)| name.as_str())
    }
}

fn hash_cell(column: &Column, row: usize, hasher: &mut impl Hasher) {
    match column {
        Column::Number(numbers) => numbers.get(row).map(|n| (n + 0.0).to_bits()).hash(hasher),
        Column::Category(categories) => match categories.codes()[row] {
            MISSING => None::<&str>.hash(hasher),
            code => Some(categories.levels().get(code)).hash(hasher),
        },
        Column::Plain(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Field, Kind, RowIds, Schema};
    use std::sync::Arc;

    fn rows(values: [Option<f64>; 4]) -> Batch {
        let kind = Kind::Number { integer: true };
        let fields = vec![
            Field::new("class", Role::Quasi, kind.clone()),
            Field::new("value", Role::Sensitive, kind),
        ];
        let schema = Arc::new(Schema::new(fields).expect("names differ"));
        let classes = Column::Number([1.0, 1.0, 2.0, 2.0].into_iter().map(Some).collect());
        let values = Column::Number(values.into_iter().collect());
        let ids = RowIds::Range { start: 0, len: 4 };
        Batch::new(schema, ids, vec![classes, values]).expect("fits")
    }

    #[test]
    fn values_may_move_inside_a_class_and_nowhere_else() {
        let before = [Some(5.0), Some(6.0), Some(7.0), None];
        for (after, is_fault) in [
            (before, false),
            ([Some(6.0), Some(5.0), None, Some(7.0)], false),
            ([Some(7.0), Some(6.0), Some(5.0), None], true),
            ([Some(6.0), Some(6.0), Some(7.0), None], true),
            ([Some(5.0), Some(6.0), Some(7.0), Some(7.0)], true),
        ] {
            let mut exchanged = Exchanged::new(vec!["value".to_owned()]);
            let pair = (rows(before), rows(after));
            exchanged.observe(&pair.0, &pair.1).expect("numbers");
            assert_eq!(exchanged.faults().count() > 0, is_fault, "{after:?}");
        }
    }
}
