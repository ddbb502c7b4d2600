//! The header of CSV: names of the columns, and what is wrong with them.

use super::super::blocks::{Block, Blocks};
use super::super::chunk::flaw_error;
use super::super::input::Input;
use super::super::options::{Header, ReadOptions};
use super::super::plan::{check_names, too_many_columns};
use super::headless;
use super::record::{Csv, Record, is_mark};
use moretta_data::error::{Error, Result};
use std::path::Path;

/// Delimiters that are looked for when one column is found.
const LIKELY: [u8; 4] = [b',', b';', b'\t', b'|'];

/// CSV whose header has been read.
pub(crate) struct Start {
    pub(crate) csv: Csv,
    pub(crate) names: Vec<String>,
    pub(crate) blocks: Blocks,
    /// The block of the header, with the records after it still to be parsed.
    pub(crate) first: Block,
    /// The line of the first row.
    pub(crate) first_line: u64,
    /// Places of names that look like cells.
    cells: Vec<usize>,
}

impl Start {
    /// What is odd about the header, when it looks like a row.
    pub(super) fn warning(&self) -> Option<String> {
        let odd = !self.cells.is_empty();
        odd.then(|| headless::warning(&self.cells, self.names.len()))
    }
}

/// What is odd about the header, when it looks like a row.
pub(crate) fn header_warning(path: &Path, options: &ReadOptions) -> Result<Option<String>> {
    let csv = Csv::new(path, options)?;
    let input = Input::open(path, options)?;
    let start = start(input, csv, options, 64 << 10).map_err(|e| e.in_file(path))?;
    Ok(start.warning())
}

/// The names of the columns.
pub(crate) fn names(path: &Path, options: &ReadOptions) -> Result<Vec<String>> {
    let csv = Csv::new(path, options)?;
    let input = Input::open(path, options)?;
    let start = start(input, csv, options, 64 << 10).map_err(|e| e.in_file(path))?;
    Ok(start.names)
}

/// Reads the header.
pub(crate) fn start(
    input: Input,
    csv: Csv,
    options: &ReadOptions,
    block_bytes: usize,
) -> Result<Start> {
    let start = start_unchecked(input, csv, options, block_bytes)?;
    let delimiter = start.csv.delimiter;
    if let [only] = &start.names[..]
        && let Some(likely) = LIKELY
            .iter()
            .find(|&&d| d != delimiter && only.as_bytes().contains(&d))
    {
        return Err(Error::input(format!(
            "one column found; did you mean {}?",
            delimiter_text(*likely)
        ))
        .help("set `delimiter` under [source]"));
    }
    Ok(start)
}

/// Reads the header, even if the delimiter looks wrong.
fn start_unchecked(
    input: Input,
    mut csv: Csv,
    options: &ReadOptions,
    block_bytes: usize,
) -> Result<Start> {
    let mut blocks = Blocks::new(input, options, block_bytes);
    let mut first_line = 1;
    loop {
        let Some(mut first) = blocks.next(&csv)? else {
            return Err(Error::input("no header, no rows"));
        };
        let text = valid_text(first.bytes(), first_line)?;
        let told = match first_line {
            1 => told_delimiter(text),
            _ => None,
        };
        let skipped = told.map_or(0, |(_, end)| end);
        if let Some((delimiter, _)) = told {
            csv.delimiter = options.delimiter.unwrap_or(delimiter);
            first_line += 1;
        }
        let text = &text[skipped..];
        let record = csv
            .first_record(text)
            .map_err(|flaw| flaw_error(flaw, first_line, &[]))?;
        let Some(Record {
            cells: mut names,
            count,
            lines,
            end,
        }) = record
        else {
            first_line += super::super::line_ends::count_lines(text.as_bytes());
            continue;
        };
        if first.overlong || count > options.limits.columns {
            return Err(too_many_columns(count, &options.limits));
        }
        if options.header == Header::None {
            names = match options.names.is_empty() {
                true => (1..=count).map(|place| format!("column{place}")).collect(),
                false => options.names.clone(),
            };
            csv.columns = names.len();
            first.start = skipped;
            return Ok(Start {
                csv,
                names,
                blocks,
                first,
                first_line,
                cells: Vec::new(),
            });
        }
        if names.len() > 1 && names.last().is_some_and(String::is_empty) {
            let mut rest = text[end..].to_owned();
            if let (true, Some(next)) = (rest.is_empty(), blocks.next(&csv)?) {
                rest.push_str(&String::from_utf8_lossy(next.bytes()));
            }
            return Err(last_is_empty(&csv, names.len(), &rest));
        }
        let cells = headless::cells_among(&names, &rows(&csv, &text[end..]));
        check_names(&names, &options.limits)?;
        first.start = skipped + end;
        csv.columns = names.len();
        return Ok(Start {
            csv,
            names,
            blocks,
            first,
            first_line: first_line + lines,
            cells,
        });
    }
}

/// The first rows of `text`, up to one that cannot be read.
fn rows(csv: &Csv, mut text: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    while rows.len() < headless::LOOK
        && let Ok(Some(record)) = csv.first_record(text)
    {
        text = &text[record.end..];
        rows.push(record.cells);
    }
    rows
}

/// The delimiter that a first line such as `sep=;` tells, as spreadsheets write it, and where
/// the next line starts.
fn told_delimiter(text: &str) -> Option<(u8, usize)> {
    let line = text.split(['\r', '\n']).next()?;
    let &[s, e, p, b'=', delimiter] = line.as_bytes() else {
        return None;
    };
    let end = match &text.as_bytes()[line.len()..] {
        [] => 0,
        [b'\r', b'\n', ..] => 2,
        _ => 1,
    };
    ([s, e, p].eq_ignore_ascii_case(b"sep") && is_mark(delimiter))
        .then_some((delimiter, line.len() + end))
}

/// The text of the block up to the first byte that is not UTF-8, which must not be in the header.
fn valid_text(bytes: &[u8], first_line: u64) -> Result<&str> {
    let valid = match std::str::from_utf8(bytes) {
        Ok(text) => return Ok(text),
        Err(error) => error.valid_up_to(),
    };
    let text = std::str::from_utf8(&bytes[..valid]).expect("valid up to there");
    if memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_none() {
        return Err(
            Error::input(format!("byte {} of the line is not UTF-8", valid + 1))
                .on_line(first_line)
                .help("try encoding = 'latin-1'"),
        );
    }
    Ok(text)
}

/// A delimiter after the last name gives a column without a name.
fn last_is_empty(csv: &Csv, columns: usize, rest: &str) -> Error {
    let rows = match csv.first_record(rest) {
        Ok(Some(record)) => format!("; rows have {}", record.count),
        _ => String::new(),
    };
    Error::input(format!(
        "header names {columns} columns, last is empty{rows}"
    ))
    .on_line(1)
    .help("take the last delimiter off, or give the column a name")
}

/// The delimiter as people write it.
pub(crate) fn delimiter_text(delimiter: u8) -> String {
    match delimiter {
        b'\t' => "a tab".to_owned(),
        other => format!("'{}'", char::from(other)),
    }
}
