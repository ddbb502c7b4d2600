//! What every format says of itself, in its own file; [`super::FORMATS`] lists them.

use super::options::{ColumnPlan, ReadOptions, WriteOptions};
use super::output::Output;
use super::{Sink, Source};
use moretta_data::data::Schema;
use moretta_data::error::Result;
use std::path::Path;
use std::sync::Arc;

/// How the files of a format are read and written.
pub(super) struct FileFormat {
    /// The names of the columns, in the order of the file.
    pub(super) names: fn(&Path, &ReadOptions) -> Result<Vec<String>>,
    /// Opens a file, whose columns are laid beside the plans.
    pub(super) open: Open,
    /// Begins an output.
    pub(super) create: Begin,
    /// Goes on with an output that holds rows; none where an output that was not closed
    /// cannot be read.
    pub(super) resume: Option<Begin>,
    /// Whether cells are text, so that values without a text cannot be written.
    pub(super) is_text: bool,
    /// Whether a missing cell has a sign of its own, which no value is written as.
    pub(super) marks_missing: bool,
    /// Whether a file can be packed as a whole, and be read then.
    pub(super) is_packed_whole: bool,
    /// What is odd about a header that looks like a row; none where no file is without names.
    pub(super) header_warning: Option<Look>,
}

type Open = fn(&Path, &ReadOptions, &[ColumnPlan]) -> Result<Box<dyn Source>>;

type Look = fn(&Path, &ReadOptions) -> Result<Option<String>>;

/// Makes the sink that writes rows of a schema into an output.
pub(super) type Begin = fn(Output, &WriteOptions, &Arc<Schema>) -> Result<Box<dyn Sink>>;
