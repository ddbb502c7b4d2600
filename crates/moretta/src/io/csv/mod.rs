//! CSV: text with one record a line, cells between delimiters.
//!
//! A cell that starts with a quote ends with one; a quote inside is doubled, and
//! delimiters and line ends inside belong to the cell. A quote elsewhere is a
//! character like any other. Lines end with LF, CR LF or CR, also mixed. An empty
//! line is skipped, unless the table has one column: there it is a missing cell.

mod guard;
mod header;
mod marks;
mod record;
#[cfg(test)]
mod tests;
mod write;

pub(super) use header::{names, start};
pub(super) use record::{Csv, line_end};
pub(super) use write::CsvSink;

use super::Source;
use super::chunk::Layout;
use super::input::Input;
use super::options::{ColumnPlan, ReadOptions};
use super::plan;
use super::text::TextChunks;
use crate::error::Result;
use arrow_schema::DataType;

/// Opens CSV for reading.
pub(super) fn open(
    input: Input,
    options: &ReadOptions,
    plans: &[ColumnPlan],
    block_bytes: usize,
) -> Result<Box<dyn Source>> {
    let path = input.path().to_owned();
    let csv = Csv::new(&path, options)?;
    let start = start(input, csv, options, block_bytes).map_err(|e| e.in_file(&path))?;
    let plans = plan::align(&start.names, plans)?;
    let layout = Layout {
        decimal_comma: options.decimal_comma,
        ..Layout::new(plans, &options.missing)
    };
    let mut chunks = TextChunks::new(start.csv, layout, start.blocks, start.first);
    chunks.infer()?;
    chunks.into_source(path, start.first_line, options, |_| DataType::Utf8)
}
