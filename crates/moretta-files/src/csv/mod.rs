//! CSV: text with one record a line, cells between delimiters.
//!
//! A cell that starts with a quote ends with one; a quote inside is doubled, and
//! delimiters and line ends inside belong to the cell. A quote elsewhere is a
//! character like any other. Lines end with LF, CR LF or CR, also mixed. An empty
//! line is skipped, unless the table has one column: there it is a missing cell.

mod guard;
mod header;
mod headless;
mod marks;
mod record;
#[cfg(test)]
mod tests;
mod write;

pub(super) use header::start;
pub(super) use record::{Csv, line_end};

use self::header::{header_warning, names};
use self::write::CsvSink;
use super::Source;
use super::chunk::Layout;
use super::file_format::FileFormat;
use super::input::Input;
use super::options::{ColumnPlan, Header, ReadOptions};
use super::plan;
use super::text::{BLOCK_BYTES, TextChunks};
use arrow_schema::DataType;
use moretta_data::data::{Batch, Schema};
use moretta_data::error::{Error, Result};
use std::sync::Arc;

pub(super) const FORMAT: FileFormat = FileFormat {
    names,
    open: |path, options, plans| open(Input::open(path, options)?, options, plans, BLOCK_BYTES),
    create: |output, options, schema| Ok(Box::new(CsvSink::create(output, options, schema)?)),
    resume: Some(|output, options, schema| Ok(Box::new(CsvSink::new(output, options, schema)?))),
    is_text: true,
    marks_missing: false,
    is_packed_whole: true,
    header_warning: Some(header_warning),
};

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
    let odd = start.warning();
    if let (Some(odd), Header::Strict) = (&odd, options.header) {
        return Err(Error::input(odd.as_str())
            .in_file(&path)
            .help(format!("{HEADER_HELP}, or run without --strict")));
    }
    let plans = plan::align(&start.names, plans).map_err(|error| match &odd {
        // Its message could show names, which are cells then.
        Some(odd) => Error::policy(format!("columns of the policy are not in the data; {odd}"))
            .help(format!(
                "is the first line of the file its header? {HEADER_HELP}"
            )),
        None => error,
    })?;
    let layout = Layout {
        decimal_comma: options.decimal_comma,
        ..Layout::new(plans, &options.missing)
    };
    let mut chunks = TextChunks::new(start.csv, layout, start.blocks, start.first);
    chunks.infer()?;
    let line = start.first_line;
    let source = chunks.into_source(path, line, options, |_| DataType::Utf8, |_| None)?;
    Ok(match odd {
        Some(odd) => Box::new(Headless { source, odd }),
        None => source,
    })
}

const HEADER_HELP: &str = "if it is a row, set `header = false` under [source]; the columns are then `column1`, `column2`, …";

/// A source whose header looks like a row.
struct Headless {
    source: Box<dyn Source>,
    odd: String,
}

impl Iterator for Headless {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.source.next()
    }
}

impl Source for Headless {
    fn schema(&self) -> &Arc<Schema> {
        self.source.schema()
    }

    fn offset(&self) -> Option<u64> {
        self.source.offset()
    }

    fn seek(&mut self, position: u64) -> Result<bool> {
        self.source.seek(position)
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = self.source.notes();
        notes.push(format!("{}; {HEADER_HELP}", self.odd));
        notes
    }
}
