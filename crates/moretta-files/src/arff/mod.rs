//! ARFF, the format of Weka and MOA: declared attributes, then comma-separated rows.
//!
//! Attributes are numeric, nominal, string or date. A value of a nominal
//! attribute that is not declared is an error. `?` is missing in every column.
//! Sparse rows and relational attributes are refused by name.
//!
//! The order in which the values of a nominal attribute are declared is that of
//! learners, whatever order they appear in. The writer declares the values that the
//! released rows show and no other, those of an attribute that the source declares in
//! its order, so it holds the released table until it is closed.

mod header;
#[cfg(test)]
mod tests;
mod token;
mod write;

use self::header::{Attribute, Type};
use self::token::{Value, next_value};
use self::write::ArffSink;
use super::Source;
use super::blocks::{Block, Blocks, Cut};
use super::chunk::{Cells, Flaw, Layout};
use super::compression::size_text;
use super::file_format::FileFormat;
use super::input::Input;
use super::misfit::{Unfit, grouped};
use super::options::{ColumnPlan, ReadAs, ReadOptions};
use super::plan::{self, check_names, too_many_columns};
use super::text::{BLOCK_BYTES, Syntax, TextChunks};
use arrow_schema::DataType;
use moretta_data::data::{DateFormat, Declared, LevelsBuilder};
use moretta_data::error::{Error, Result};
use std::path::Path;
use std::sync::Arc;

pub(super) const FORMAT: FileFormat = FileFormat {
    names,
    open: |path, options, plans| open(Input::open(path, options)?, options, plans, BLOCK_BYTES),
    create: |output, _, schema| Ok(Box::new(ArffSink::new(output, schema))),
    resume: None,
    is_text: true,
    marks_missing: true,
    is_packed_whole: true,
    header_warning: None,
};

/// The attributes of an ARFF file.
#[derive(Default)]
struct Arff {
    names: Vec<String>,
    types: Vec<Type>,
    /// The declared values of nominal attributes.
    nominal: Vec<Option<LevelsBuilder>>,
    field_bytes: usize,
}

/// The names of the attributes.
fn names(path: &Path, options: &ReadOptions) -> Result<Vec<String>> {
    let input = Input::open(path, options)?;
    let (arff, ..) = start(input, options, 64 << 10).map_err(|e| e.in_file(path))?;
    Ok(arff.names)
}

/// Opens ARFF for reading.
fn open(
    input: Input,
    options: &ReadOptions,
    plans: &[ColumnPlan],
    block_bytes: usize,
) -> Result<Box<dyn Source>> {
    let path = input.path().to_owned();
    let (arff, blocks, first, first_line) =
        start(input, options, block_bytes).map_err(|e| e.in_file(&path))?;
    let mut plans = plan::align(&arff.names, plans)?;
    for (plan, declared) in plans.iter_mut().zip(&arff.types) {
        if plan.read == ReadAs::Infer {
            plan.read = declared.read_as();
        }
    }
    let declared: Vec<Option<Declared>> = arff.types.iter().map(Type::declared).collect();
    let layout = Layout::new(plans, &options.missing);
    let chunks = TextChunks::new(arff, layout, blocks, first);
    chunks.into_source(
        path,
        first_line,
        options,
        |_| DataType::Utf8,
        |i| declared[i].clone(),
    )
}

/// Reads the header up to the line of `@data`.
fn start(
    input: Input,
    options: &ReadOptions,
    block_bytes: usize,
) -> Result<(Arff, Blocks, Block, u64)> {
    let mut blocks = Blocks::new(input, options, block_bytes);
    let mut arff = Arff {
        field_bytes: options.limits.field_bytes,
        ..Arff::default()
    };
    let mut line = 0;
    let mut empty = true;
    while let Some(mut block) = blocks.next(&arff)? {
        empty = false;
        while let Some((text, end)) = next_line(block.bytes(), block.start) {
            line += 1;
            let statement = statement(text).map_err(|e| e.on_line(line))?;
            block.start = end;
            match statement {
                header::Statement::None => {}
                header::Statement::Attribute(attribute) => {
                    arff.declare(attribute);
                    if arff.names.len() > options.limits.columns {
                        return Err(too_many_columns(arff.names.len(), &options.limits));
                    }
                }
                header::Statement::Data => {
                    if arff.names.is_empty() {
                        return Err(Error::input("no @attribute before @data").on_line(line));
                    }
                    check_names(&arff.names, &options.limits)?;
                    return Ok((arff, blocks, block, line + 1));
                }
            }
        }
    }
    Err(Error::input(if empty {
        "no header, no rows"
    } else {
        "no @data line: not a complete ARFF file"
    }))
}

fn statement(line: &[u8]) -> Result<header::Statement> {
    let line = std::str::from_utf8(line).map_err(|e| {
        let byte = e.valid_up_to() + 1;
        Error::input(format!("byte {byte} of the line is not UTF-8"))
            .help("try encoding = 'latin-1'")
    })?;
    header::statement(line).map_err(Error::input)
}

/// The line at the start of `rest` and where the next one starts in the block.
fn next_line(rest: &[u8], start: usize) -> Option<(&[u8], usize)> {
    if rest.is_empty() {
        return None;
    }
    let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    let next = super::csv::line_end(rest, end).unwrap_or(end);
    Some((&rest[..end], start + next))
}

impl Type {
    fn declared(&self) -> Option<Declared> {
        match self {
            Type::Numeric => Some(Declared::Number { integer: false }),
            Type::Integer => Some(Declared::Number { integer: true }),
            Type::Nominal(values) => {
                // A value that is declared twice is one.
                let values = LevelsBuilder::from_levels(&values.iter().collect());
                Some(Declared::Nominal(Arc::new(values.finish())))
            }
            Type::Text | Type::IsoDate => None,
        }
    }

    fn read_as(&self) -> ReadAs {
        match self {
            Type::Integer => ReadAs::Integer,
            Type::Numeric => ReadAs::Number,
            Type::IsoDate => ReadAs::Date(DateFormat::ISO),
            Type::Text | Type::Nominal(_) => ReadAs::Category,
        }
    }
}

impl Arff {
    fn declare(&mut self, attribute: Attribute) {
        self.nominal.push(match &attribute.declared {
            Type::Nominal(values) => Some(LevelsBuilder::from_levels(&values.iter().collect())),
            _ => None,
        });
        self.names.push(attribute.name);
        self.types.push(attribute.declared);
    }

    fn row(&self, text: &str, line: u64, cells: &mut impl Cells) -> std::result::Result<(), Flaw> {
        let mut rest = text;
        let mut column = 0;
        loop {
            let (value, next) = next_value(rest).map_err(|what| self.flaw(line, column, what))?;
            if column < self.names.len() {
                self.value(&value, column, line, cells)?;
            }
            column += 1;
            match next {
                Some(next) => rest = next,
                None => break,
            }
        }
        if column != self.names.len() {
            let (found, declared) = (grouped(column as u64), grouped(self.names.len() as u64));
            let what = format!("{found} values, the header declares {declared} attributes");
            return Err(Flaw::new(line, what));
        }
        cells.end_row();
        Ok(())
    }

    fn value(
        &self,
        value: &Value<'_>,
        column: usize,
        line: u64,
        cells: &mut impl Cells,
    ) -> std::result::Result<(), Flaw> {
        let Value::Text(text) = value else {
            cells.missing(column, line);
            return Ok(());
        };
        if text.len() > self.field_bytes {
            let what = format!("field over {}", size_text(self.field_bytes as u64));
            return Err(self.flaw(line, column, what));
        }
        match &self.nominal[column] {
            Some(declared) if declared.find(text).is_none() => {
                cells.unfit(column, Unfit::Nominal, line);
            }
            _ => cells.cell(column, text, line),
        }
        Ok(())
    }

    fn flaw(&self, line: u64, column: usize, what: impl Into<String>) -> Flaw {
        let flaw = Flaw::new(line, what);
        if column < self.names.len() {
            flaw.in_column(column)
        } else {
            flaw
        }
    }
}

impl Cut for Arff {
    fn complete(&self, buffer: &[u8]) -> usize {
        let search = buffer.len() - usize::from(buffer.last() == Some(&b'\r'));
        memchr::memrchr2(b'\n', b'\r', &buffer[..search]).map_or(0, |i| i + 1)
    }
}

impl Syntax for Arff {
    fn records(&self, text: &str, cells: &mut impl Cells) -> (u64, Option<Flaw>) {
        let bytes = text.as_bytes();
        let (mut at, mut line) = (0, 0);
        while let Some((row, next)) = next_line(&bytes[at..], at) {
            if !cells.wants_more() {
                break;
            }
            let row = &text[at..at + row.len()];
            let blank = row.trim_ascii_start();
            if !blank.is_empty() && !blank.starts_with('%') {
                if memchr::memchr(0, row.as_bytes()).is_some() {
                    return (
                        line,
                        Some(Flaw::new(line, "there is a NUL byte in the text")),
                    );
                }
                if let Err(flaw) = self.row(row, line, cells) {
                    return (line, Some(flaw));
                }
            }
            at = next;
            line += 1;
        }
        (line, None)
    }
}
