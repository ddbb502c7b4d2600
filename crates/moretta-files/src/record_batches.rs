//! Rows that are Arrow record batches already: no file, and no copy of columns that pass
//! through.

use super::Source;
use super::chunk::{Chunk, Chunks, Layout};
use super::gather;
use super::options::{ColumnPlan, ReadAs, ReadOptions};
use super::plan::{self, check_names};
use super::record_batch::{arrow_schema, record_batch};
use super::typed;
use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema as ArrowSchema};
use moretta_data::data::{Batch, Declared};
use moretta_data::error::{Error, Result};
use std::path::{Path, PathBuf};

/// A source of record batches with this schema, read as `plans` say.
///
/// # Errors
/// When a column has no plan, a plan no column, or a type cannot be protected.
pub fn from_record_batches(
    schema: &ArrowSchema,
    batches: impl Iterator<Item = Result<RecordBatch>> + Send + 'static,
    plans: &[ColumnPlan],
) -> Result<Box<dyn Source>> {
    let mut batches = batches;
    let names: Vec<String> = schema.fields().iter().map(|f| f.name().clone()).collect();
    check_names(&names, &ReadOptions::default().limits)?;
    let next = move || batches.next().transpose();
    typed_source(schema, next, plans, Path::new(""), &ReadOptions::default())
}

/// The rows as a record batch; categories become text.
pub fn to_record_batch(rows: &Batch) -> Result<RecordBatch> {
    record_batch(rows, &arrow_schema(rows.schema()))
}

/// A source of what `next` gives, which comes from `path`.
pub(super) fn typed_source(
    schema: &ArrowSchema,
    next: impl FnMut() -> Result<Option<RecordBatch>> + Send + 'static,
    plans: &[ColumnPlan],
    path: &Path,
    options: &ReadOptions,
) -> Result<Box<dyn Source>> {
    let fields = schema.fields().clone();
    let names: Vec<String> = fields.iter().map(|field| field.name().clone()).collect();
    let mut plans = plan::align(&names, plans)?;
    let types: Vec<DataType> = fields.iter().map(|f| f.data_type().clone()).collect();
    typed::resolve(&mut plans, &types).map_err(|e| in_file(e, path))?;
    let rows = plan::schema(&plans, |i| types[i].clone(), |i| declared(&fields[i]))?;
    let layout = Layout::new(plans, &options.missing);
    let gather_layout = Layout::new(layout.plans.clone(), &[]);
    let read = (0..layout.plans.len())
        .filter(|&i| layout.plans[i].read != ReadAs::Skip)
        .collect();
    let chunks = RecordBatches {
        next,
        layout,
        read,
        path: path.to_owned(),
    };
    let path = path.to_owned();
    Ok(gather::source(
        chunks,
        rows,
        &gather_layout,
        path,
        None,
        options,
    ))
}

struct RecordBatches<F> {
    next: F,
    layout: Layout,
    /// The places of the columns that are read.
    read: Vec<usize>,
    path: PathBuf,
}

impl<F: FnMut() -> Result<Option<RecordBatch>> + Send> Chunks for RecordBatches<F> {
    fn next_chunk(&mut self) -> Result<Option<Chunk>> {
        let Some(batch) = (self.next)()? else {
            return Ok(None);
        };
        let batch = batch.project(&self.read).map_err(|_| {
            in_file(
                Error::input("a record batch has other columns than its schema"),
                &self.path,
            )
        })?;
        let chunk = typed::chunk(&batch, &self.layout);
        chunk.map(Some).map_err(|e| in_file(e, &self.path))
    }
}

fn in_file(error: Error, path: &Path) -> Error {
    match path.as_os_str().is_empty() {
        true => error,
        false => error.in_file(path),
    }
}

/// What a field says besides its type: that the order of its dictionary means something.
fn declared(field: &Field) -> Option<Declared> {
    (field.dict_is_ordered() == Some(true)).then_some(Declared::Ordered)
}
