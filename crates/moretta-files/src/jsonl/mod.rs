//! JSON lines: one object a line.
//!
//! The columns are the keys of the first object; a key that is absent later is a
//! missing cell, one that is new is an error, and so is one given twice. In
//! protected columns strings, numbers, `true` and `false` are read by their text
//! and `null` is missing; nested values are refused. Columns that pass through
//! are text when all their first values are strings, else raw tokens, so that
//! 64-bit ids, decimals and nested values come out as they went in.

mod scan;
#[cfg(test)]
mod tests;
mod write;

use self::scan::{Scanner, Token};
use self::write::JsonlSink;
use super::Source;
use super::blocks::{Block, Blocks, Cut};
use super::chunk::flaw_error;
use super::chunk::{Cells, Flaw, Layout};
use super::compression::size_text;
use super::file_format::FileFormat;
use super::input::Input;
use super::misfit::Unfit;
use super::options::{ColumnPlan, Limits, ReadAs, ReadOptions};
use super::plan::{self, check_names, too_many_columns};
use super::text::{BLOCK_BYTES, Syntax, TextChunks};
use arrow_schema::DataType;
use moretta_data::data::json_column;
use moretta_data::error::{Error, Result};
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

pub(super) const FORMAT: FileFormat = FileFormat {
    names,
    open: |path, options, plans| open(Input::open(path, options)?, options, plans, BLOCK_BYTES),
    create: |output, _, schema| Ok(Box::new(JsonlSink::new(output, schema)?)),
    resume: Some(|output, _, schema| Ok(Box::new(JsonlSink::new(output, schema)?))),
    is_text: true,
    marks_missing: true,
    is_packed_whole: true,
    header_warning: None,
};

/// The columns of JSON lines.
struct Jsonl {
    names: Vec<String>,
    places: HashMap<String, usize>,
    passing: Vec<Passing>,
    field_bytes: usize,
}

/// How the values of a column are handed on.
#[derive(Clone, Copy, PartialEq)]
enum Passing {
    /// By their text; nested values are refused.
    Text,
    /// By their text; anything but strings is unfit.
    Strings,
    /// As raw tokens.
    Tokens,
}

/// The names of the columns.
fn names(path: &Path, options: &ReadOptions) -> Result<Vec<String>> {
    let input = Input::open(path, options)?;
    let (jsonl, ..) = start(input, options, 64 << 10).map_err(|e| e.in_file(path))?;
    Ok(jsonl.names)
}

/// Opens JSON lines for reading.
pub(super) fn open(
    input: Input,
    options: &ReadOptions,
    plans: &[ColumnPlan],
    block_bytes: usize,
) -> Result<Box<dyn Source>> {
    let path = input.path().to_owned();
    let (mut jsonl, blocks, first) =
        start(input, options, block_bytes).map_err(|e| e.in_file(&path))?;
    let plans = plan::align(&jsonl.names, plans)?;
    for (passing, plan) in jsonl.passing.iter_mut().zip(&plans) {
        if matches!(plan.read, ReadAs::Plain | ReadAs::Skip) {
            *passing = Passing::Tokens;
        }
    }
    let layout = Layout::new(plans, &options.missing);
    let mut chunks = TextChunks::new(jsonl, layout, blocks, first);
    let strings = find_strings(&mut chunks)?;
    let schema_types = strings.clone();
    for (passing, strings) in chunks.syntax_mut().passing.iter_mut().zip(strings) {
        if *passing == Passing::Tokens && strings {
            *passing = Passing::Strings;
        }
    }
    chunks.infer()?;
    let passing = |i: usize| match schema_types[i] {
        true => DataType::Utf8,
        false => json_column::data_type(),
    };
    chunks.into_source(path, 1, options, passing, |_| None)
}

/// Reads the keys of the first object.
fn start(
    input: Input,
    options: &ReadOptions,
    block_bytes: usize,
) -> Result<(Jsonl, Blocks, Block)> {
    let mut blocks = Blocks::new(input, options, block_bytes);
    let mut jsonl = Jsonl {
        names: Vec::new(),
        places: HashMap::new(),
        passing: Vec::new(),
        field_bytes: options.limits.field_bytes,
    };
    let mut blank = Vec::new();
    while let Some(mut first) = blocks.next(&jsonl)? {
        blank.append(&mut first.bytes);
        first.bytes = std::mem::take(&mut blank);
        let Some((line, record)) = first_line(&first.bytes) else {
            blank = first.bytes;
            continue;
        };
        jsonl.learn_keys(record, line, &options.limits)?;
        check_names(&jsonl.names, &options.limits)?;
        return Ok((jsonl, blocks, first));
    }
    if options.names.is_empty() {
        return Err(Error::input("no header, no rows"));
    }
    jsonl.name_columns(options.names.clone());
    Ok((jsonl, blocks, Block::default()))
}

/// The first line that is not blank, and how many come before it.
fn first_line(bytes: &[u8]) -> Option<(u64, &[u8])> {
    bytes
        .split(|&b| b == b'\n')
        .enumerate()
        .find(|(_, line)| !line.trim_ascii().is_empty())
        .map(|(i, line)| (i as u64, line))
}

/// Which columns hold only strings and missing values in the first rows.
fn find_strings(chunks: &mut TextChunks<Jsonl>) -> Result<Vec<bool>> {
    let columns = chunks.layout().plans.len();
    let mut sampler = StringSampler {
        strings: vec![true; columns],
        left: chunks.sample_rows(),
    };
    chunks.sample(&mut sampler)?;
    Ok(sampler.strings)
}

struct StringSampler {
    strings: Vec<bool>,
    /// Rows still to be looked at.
    left: usize,
}

impl Cells for StringSampler {
    fn cell(&mut self, column: usize, text: &str, _line: u64) {
        self.strings[column] &= self.left == 0 || text.starts_with('"');
    }

    fn missing(&mut self, _column: usize, _line: u64) {}

    fn unfit(&mut self, _column: usize, _why: Unfit, _line: u64) {}

    fn end_row(&mut self) {
        self.left = self.left.saturating_sub(1);
    }

    fn wants_more(&self) -> bool {
        self.left > 0
    }
}

impl Jsonl {
    fn learn_keys(&mut self, record: &[u8], line: u64, limits: &Limits) -> Result<()> {
        let not_utf8 = |e: std::str::Utf8Error| {
            let byte = e.valid_up_to() + 1;
            Error::input(format!("byte {byte} of the line is not UTF-8"))
                .on_line(line + 1)
                .help("try encoding = 'latin-1'")
        };
        let text = std::str::from_utf8(record).map_err(not_utf8)?;
        let mut scanner = Scanner::new(text);
        let mut keys = Vec::new();
        let mut count = 0;
        let scanned = scanner.object(|key, _| {
            // Of too many keys the number alone matters.
            count += 1;
            if count <= limits.columns {
                keys.push(key.into_owned());
            }
            Ok(())
        });
        scanned.map_err(|what| flaw_error(Flaw::new(line, what), 1, &[]))?;
        if count > limits.columns {
            return Err(too_many_columns(count, limits).on_line(line + 1));
        }
        if keys.is_empty() {
            return Err(Error::input("the first object has no keys").on_line(line + 1));
        }
        self.name_columns(keys);
        Ok(())
    }

    fn name_columns(&mut self, names: Vec<String>) {
        self.places = names.iter().cloned().zip(0..).collect();
        self.passing = vec![Passing::Text; names.len()];
        self.names = names;
    }

    fn place(&self, key: &str, likely: usize) -> Option<usize> {
        match self.names.get(likely) {
            Some(name) if name == key => Some(likely),
            _ => self.places.get(key).copied(),
        }
    }

    /// Hands on the cells of one object; `seen` remembers the row that last had each key.
    fn object(
        &self,
        text: &str,
        line: u64,
        seen: &mut [u64],
        cells: &mut impl Cells,
    ) -> std::result::Result<(), Flaw> {
        let mut likely = 0;
        let mut faulty = None;
        let scanned = Scanner::new(text).object(|key, token| {
            let Some(column) = self.place(&key, likely) else {
                return Err("a key that the first object does not have".to_owned());
            };
            if seen[column] == line + 1 {
                faulty = Some(column);
                return Err("the key is given twice".to_owned());
            }
            seen[column] = line + 1;
            likely = column + 1;
            self.value(column, token, line, cells)
                .inspect_err(|_| faulty = Some(column))
        });
        let place = |flaw: Flaw| match faulty {
            Some(column) => flaw.in_column(column),
            None => flaw,
        };
        scanned.map_err(|what| place(Flaw::new(line, what)))?;
        for (column, &seen) in seen.iter().enumerate() {
            if seen != line + 1 {
                cells.missing(column, line);
            }
        }
        cells.end_row();
        Ok(())
    }

    fn value(
        &self,
        column: usize,
        token: Token<'_>,
        line: u64,
        cells: &mut impl Cells,
    ) -> std::result::Result<(), String> {
        if token.raw().len() > self.field_bytes {
            return Err(format!("field over {}", size_text(self.field_bytes as u64)));
        }
        match (token, self.passing[column]) {
            (Token::Null, _) => cells.missing(column, line),
            (token, Passing::Tokens) => cells.cell(column, token.raw(), line),
            (Token::String(raw), _) => cells.cell(column, &string_text(raw)?, line),
            (_, Passing::Strings) => cells.unfit(column, Unfit::Text, line),
            (Token::Scalar(text), _) => cells.cell(column, text, line),
            (Token::Nested(_), _) => {
                let name = &self.names[column];
                return Err(format!(
                    "a nested value at $.{name}, where one value is expected"
                ));
            }
        }
        Ok(())
    }
}

/// The text of a string token.
fn string_text(raw: &str) -> std::result::Result<Cow<'_, str>, String> {
    let inside = &raw[1..raw.len() - 1];
    if memchr::memchr(b'\\', inside.as_bytes()).is_none() {
        return Ok(Cow::Borrowed(inside));
    }
    serde_json::from_str::<String>(raw)
        .map(Cow::Owned)
        .map_err(|_| "a string with an escape that does not exist".to_owned())
}

impl Cut for Jsonl {
    fn complete(&self, buffer: &[u8]) -> usize {
        memchr::memrchr(b'\n', buffer).map_or(0, |i| i + 1)
    }
}

impl Syntax for Jsonl {
    fn records(&self, text: &str, cells: &mut impl Cells) -> (u64, Option<Flaw>) {
        let mut seen = vec![0; self.names.len()];
        let mut line = 0;
        for record in text.split_inclusive('\n') {
            if !cells.wants_more() {
                break;
            }
            if !record.trim_ascii().is_empty()
                && let Err(flaw) = self.object(record, line, &mut seen, cells)
            {
                return (line, Some(flaw));
            }
            line += 1;
        }
        (line, None)
    }
}
