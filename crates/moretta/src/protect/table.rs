//! Lifts a function on whole tables to a operator: it waits for the end, then releases.

use super::{Operator, Solutions};
use crate::data::{Batch, Field, Kind, Role, Schema};
use crate::error::Result;
use std::sync::Arc;

/// What a table method gives back.
pub struct Release {
    /// The rows that may be released.
    pub batch: Batch,
    /// Why others may not, with counts.
    pub suppressed: Vec<(String, u64)>,
    /// How many others are not in the sample that it draws.
    pub left_out: u64,
    /// What a search has found, where it was one that chose the recoding.
    pub solutions: Option<Solutions>,
}

impl Release {
    /// Without a search or a sample.
    pub fn new(batch: Batch, suppressed: Vec<(String, u64)>) -> Self {
        Release {
            batch,
            suppressed,
            left_out: 0,
            solutions: None,
        }
    }
}

/// A method that sees the whole table at once.
pub trait TableMethod: Send {
    /// The schema of what it releases, given that of the table.
    fn schema(&self, original: &Schema) -> Result<Schema>;
    /// Protects the table.
    fn release(&self, table: &Batch) -> Result<Release>;
}

/// The schema of a release that shows every quasi-identifier as a text: a label, a value or `*`.
pub(super) fn quasi_as_text(original: &Schema) -> Result<Schema> {
    let released = |field: &Field| match field.role {
        Role::Quasi => Field {
            kind: Kind::Category { ordered: false },
            ..field.clone()
        },
        _ => field.clone(),
    };
    Schema::new(original.fields().iter().map(released).collect())
}

/// Collects batches, protects them as one table at the end.
pub struct Table {
    method: Box<dyn TableMethod>,
    original: Arc<Schema>,
    released: Arc<Schema>,
    batches: Vec<Batch>,
    suppressed: Vec<(String, u64)>,
    left_out: u64,
    solutions: Option<Solutions>,
}

impl Table {
    /// Fails when the method cannot work on such a table.
    pub fn new(method: Box<dyn TableMethod>, original: &Arc<Schema>) -> Result<Self> {
        Ok(Table {
            released: Arc::new(method.schema(original)?),
            method,
            original: Arc::clone(original),
            batches: Vec::new(),
            suppressed: Vec::new(),
            left_out: 0,
            solutions: None,
        })
    }
}

impl Operator for Table {
    fn schema(&self) -> &Arc<Schema> {
        &self.released
    }

    fn push(&mut self, batch: Batch) -> Result<Batch> {
        // An empty batch would make one table into two that have to be joined.
        if !batch.is_empty() {
            self.batches.push(batch);
        }
        Ok(Batch::empty(Arc::clone(&self.released)))
    }

    fn finish(&mut self) -> Result<Batch> {
        let table = Batch::concat(&self.original, std::mem::take(&mut self.batches))?;
        let release = self.method.release(&table)?;
        self.suppressed = release.suppressed;
        self.left_out = release.left_out;
        self.solutions = release.solutions;
        Ok(release.batch)
    }

    fn solutions(&self) -> Option<Solutions> {
        self.solutions.clone()
    }

    fn suppressed(&self) -> Vec<(String, u64)> {
        self.suppressed.clone()
    }

    fn left_out(&self) -> u64 {
        self.left_out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, RowIds};
    use crate::error::Error;

    /// Releases the table without its last row, or nothing if it is short.
    struct AllButLast;

    impl TableMethod for AllButLast {
        fn schema(&self, original: &Schema) -> Result<Schema> {
            match original.is_empty() {
                true => Err(Error::policy("no columns")),
                false => Ok(original.clone()),
            }
        }

        fn release(&self, table: &Batch) -> Result<Release> {
            if table.len() < 2 {
                return Err(Error::guarantee("too short"));
            }
            let all_but_last = table.slice(0, table.len() - 1);
            Ok(Release::new(all_but_last, vec![("the last".to_owned(), 1)]))
        }
    }

    fn batch(start: u64, len: usize) -> Batch {
        let field = Field::new("n", Role::Quasi, Kind::Number { integer: true });
        let schema = Arc::new(Schema::new(vec![field]).expect("one name"));
        let numbers = Column::Number((0..len).map(|n| Some((start + n as u64) as f64)).collect());
        Batch::new(schema, RowIds::Range { start, len }, vec![numbers]).expect("fits")
    }

    fn table() -> Table {
        Table::new(Box::new(AllButLast), batch(0, 0).schema()).expect("it has a column")
    }

    #[test]
    fn nothing_is_released_before_the_end_and_then_all_at_once() {
        let mut table = table();
        for (start, len) in [(0, 3), (3, 0), (3, 2)] {
            assert!(table.push(batch(start, len)).expect("taken").is_empty());
        }
        assert_eq!(table.suppressed(), []);
        let release = table.finish().expect("released");
        assert_eq!(release.rows().iter().collect::<Vec<u64>>(), [0, 1, 2, 3]);
        assert_eq!(table.suppressed(), [("the last".to_owned(), 1)]);
    }

    #[test]
    fn a_table_without_rows_or_columns_is_the_methods_to_refuse() {
        assert_eq!(table().finish().expect_err("too short").exit_code(), 1);
        let nothing = Arc::new(Schema::default());
        let refused = Table::new(Box::new(AllButLast), &nothing);
        assert_eq!(refused.err().expect("no columns").exit_code(), 3);
    }
}
