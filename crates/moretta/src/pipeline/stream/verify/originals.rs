//! The rows of the sources as a session would number them, with the columns that it decides.

use crate::data::hierarchy::Ladder;
use crate::data::{Batch, RowIds, Schema};
use crate::engine::arrival::{Columns, SOURCE_SHIFT};
use crate::engine::{Progress, Source};
use crate::error::Result;
use crate::pipeline::ahead::Input;
use crate::pipeline::inputs::Inputs;
use crate::policy::Policy;
use std::collections::HashMap;
use std::sync::Arc;

/// The sources of a stream.
pub(super) struct Originals {
    inputs: Vec<Input>,
    columns: Columns,
    /// Rows of each source that were handed on.
    rows: Vec<u64>,
}

impl Originals {
    pub(super) fn open(
        policy: &Policy,
        ladders: &HashMap<String, Ladder>,
        progress: &Progress,
    ) -> Result<Self> {
        let Inputs { sources, schema } = Inputs::open(policy, progress)?;
        Ok(Originals {
            columns: Columns::new(&policy.plan, &schema, ladders)?,
            rows: vec![0; sources.len()],
            inputs: sources,
        })
    }

    /// The columns of the rows.
    pub(super) fn schema(&self) -> &Arc<Schema> {
        self.columns.schema()
    }

    /// How many sources there are.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The next rows of a source; none when it has ended.
    pub(super) fn next(&mut self, source: usize) -> Result<Option<Batch>> {
        let Some(batch) = self.inputs[source].next()? else {
            return Ok(None);
        };
        let ids = RowIds::Range {
            start: (source as u64) << SOURCE_SHIFT | self.rows[source],
            len: batch.len(),
        };
        self.rows[source] += batch.len() as u64;
        let columns = batch.columns().to_vec();
        let batch = Batch::new(Arc::clone(batch.schema()), ids, columns)?;
        self.columns.of(&batch).map(Some)
    }
}
