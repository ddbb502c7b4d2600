//! The doors: a path and options in, a source or sink of the right format out.

use super::arff::{self, ArffSink};
use super::arrow::{self, ArrowSink, Shape};
use super::csv::{self, CsvSink};
use super::input::{Input, is_standard};
use super::jsonl::{self, JsonlSink};
use super::options::{ColumnPlan, Format, ReadOptions, WriteOptions};
use super::output::Output;
use super::parquet::{self, ParquetSink};
use super::text::BLOCK_BYTES;
use super::{Sink, Source};
use crate::data::Schema;
use crate::error::{Error, Result};
use std::path::Path;
use std::sync::Arc;

/// The names of the columns, in the order of the file.
pub fn names(path: &Path, options: &ReadOptions) -> Result<Vec<String>> {
    match format_of(path, options.format, "source")? {
        Format::Csv => csv::names(path, options),
        Format::Jsonl => jsonl::names(path, options),
        Format::Arff => arff::names(path, options),
        Format::Parquet => parquet::names(path, options),
        Format::Arrow => arrow::names(path, options, Shape::File),
        Format::ArrowStream => arrow::names(path, options, Shape::Stream),
    }
}

/// Opens a table for reading. Every column of the data needs a plan and every
/// plan a column.
pub fn open(path: &Path, options: &ReadOptions, plans: &[ColumnPlan]) -> Result<Box<dyn Source>> {
    match format_of(path, options.format, "source")? {
        Format::Csv => csv::open(Input::open(path, options)?, options, plans, BLOCK_BYTES),
        Format::Jsonl => jsonl::open(Input::open(path, options)?, options, plans, BLOCK_BYTES),
        Format::Arff => arff::open(Input::open(path, options)?, options, plans, BLOCK_BYTES),
        Format::Parquet => parquet::open(path, options, plans),
        Format::Arrow => arrow::open(path, options, plans, Shape::File),
        Format::ArrowStream => arrow::open(path, options, plans, Shape::Stream),
    }
}

/// Creates exactly this path for writing; only its owner can read it.
pub fn create(path: &Path, options: &WriteOptions, schema: &Arc<Schema>) -> Result<Box<dyn Sink>> {
    let format = format_of(path, options.format, "sink")?;
    let output = Output::create(path, options)?;
    Ok(match format {
        Format::Csv => Box::new(CsvSink::new(output, path, options, schema)?),
        Format::Jsonl => Box::new(JsonlSink::new(output, schema)?),
        Format::Arff => Box::new(ArffSink::new(output, schema)),
        Format::Parquet => Box::new(ParquetSink::new(output, schema)?),
        Format::Arrow => Box::new(ArrowSink::new(output, schema, Shape::File)?),
        Format::ArrowStream => Box::new(ArrowSink::new(output, schema, Shape::Stream)?),
    })
}

/// The format that was asked for or that the ending of the name tells; CSV for
/// standard input and output.
pub(super) fn format_of(path: &Path, given: Option<Format>, table: &str) -> Result<Format> {
    given
        .or_else(|| Format::from_path(path).map(|(format, _)| format))
        .or_else(|| is_standard(path).then_some(Format::Csv))
        .ok_or_else(|| {
            Error::policy(format!("the ending of {} tells no format", path.display())).help(
                format!("set `format` under [{table}]: csv, jsonl, arff, parquet, arrow or arrows"),
            )
        })
}
