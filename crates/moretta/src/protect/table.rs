//! Lifts a function on whole tables to a protector: it waits for the end, then releases.

use super::Protector;
use crate::data::{Batch, Schema};
use crate::error::Result;
use crate::guarantee::Guarantee;
use std::sync::Arc;

/// What a table method gives back.
pub struct Release {
    /// The rows that may be released.
    pub batch: Batch,
    /// Why others may not, with counts.
    pub suppressed: Vec<(String, u64)>,
}

/// A method that sees the whole table at once.
pub trait TableMethod: Send {
    /// The schema of what it releases, given that of the table.
    fn schema(&self, original: &Schema) -> Result<Schema>;
    /// Protects the table.
    fn release(&self, table: &Batch) -> Result<Release>;
}

/// Collects batches, protects them as one table at the end.
pub struct Table {
    method: Box<dyn TableMethod>,
    original: Arc<Schema>,
    released: Arc<Schema>,
    guarantee: Guarantee,
    batches: Vec<Batch>,
    suppressed: Vec<(String, u64)>,
}

impl Table {
    /// Fails when the method cannot work on such a table.
    pub fn new(
        method: Box<dyn TableMethod>,
        original: &Arc<Schema>,
        guarantee: Guarantee,
    ) -> Result<Self> {
        Ok(Table {
            released: Arc::new(method.schema(original)?),
            method,
            original: Arc::clone(original),
            guarantee,
            batches: Vec::new(),
            suppressed: Vec::new(),
        })
    }
}

impl Protector for Table {
    fn schema(&self) -> &Arc<Schema> {
        &self.released
    }

    fn protect(&mut self, batch: Batch) -> Result<Batch> {
        self.batches.push(batch);
        Ok(Batch::empty(Arc::clone(&self.released)))
    }

    fn finish(&mut self) -> Result<Batch> {
        let table = Batch::concat(&self.original, std::mem::take(&mut self.batches))?;
        let release = self.method.release(&table)?;
        self.suppressed = release.suppressed;
        Ok(release.batch)
    }

    fn guarantee(&self) -> Guarantee {
        self.guarantee.clone()
    }

    fn suppressed(&self) -> Vec<(String, u64)> {
        self.suppressed.clone()
    }
}
