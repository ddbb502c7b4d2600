//! Records and cells of CSV, found with wide searches and without allocation per cell.

use super::super::blocks::Cut;
use super::super::chunk::{Cells, Flaw};
use super::super::compression::size_text;
use super::super::line_ends::count_lines;
use super::super::misfit::grouped;
use super::super::options::ReadOptions;
use super::super::text::Syntax;
use super::marks::Marks;
use memchr::{memchr, memrchr2};
use moretta_data::error::{Error, Result};
use std::path::Path;

/// How the CSV of one file is written.
#[derive(Clone, Debug)]
pub(crate) struct Csv {
    pub(crate) delimiter: u8,
    pub(crate) quote: u8,
    /// How many cells a record has.
    pub(crate) columns: usize,
    pub(crate) field_bytes: usize,
    most_columns: usize,
}

/// One record, put together cell by cell.
pub(super) struct Record {
    /// At most as many as a table may have columns.
    pub(super) cells: Vec<String>,
    /// How many there are.
    pub(super) count: usize,
    /// Lines up to its end.
    pub(super) lines: u64,
    /// Bytes up to its end.
    pub(super) end: usize,
}

impl Csv {
    /// The delimiter is a comma, or a tab for `.tsv`, when not given.
    pub(crate) fn new(path: &Path, options: &ReadOptions) -> Result<Self> {
        let delimiter = delimiter_of(path, options.delimiter)?;
        if options.quote == delimiter || !is_mark(options.quote) {
            return Err(Error::policy(
                "the quote must be an ASCII character other than the delimiter and line ends",
            ));
        }
        Ok(Csv {
            delimiter,
            quote: options.quote,
            columns: 0,
            field_bytes: options.limits.field_bytes,
            most_columns: options.limits.columns,
        })
    }

    /// The cell at `at` and where it ends, before the delimiter or line end.
    /// `line` is that of its start and becomes that of its end. A cell with
    /// doubled quotes is put together in `scratch`.
    #[inline(always)]
    fn cell<'t>(
        &self,
        text: &'t str,
        at: usize,
        marks: &mut Marks<'_>,
        line: &mut u64,
        scratch: &'t mut String,
    ) -> std::result::Result<(&'t str, usize), Flaw> {
        if text.as_bytes().get(at) == Some(&self.quote) {
            return self.quoted_cell(text, at, line, scratch);
        }
        let end = marks.after(at);
        if end - at > self.field_bytes {
            return Err(self.too_long(*line));
        }
        Ok((&text[at..end], end))
    }

    fn quoted_cell<'t>(
        &self,
        text: &'t str,
        at: usize,
        line: &mut u64,
        scratch: &'t mut String,
    ) -> std::result::Result<(&'t str, usize), Flaw> {
        let bytes = text.as_bytes();
        let opened = *line;
        let Some((end, doubled)) = self.closing_quote(bytes, at + 1) else {
            if bytes.len() - at > self.field_bytes {
                return Err(self
                    .too_long(opened)
                    .help("the quote opened there may never be closed"));
            }
            return Err(
                Flaw::new(opened, "the quote opened on this line is never closed")
                    .help("close it, or set another `quote`"),
            );
        };
        if end - at > self.field_bytes {
            return Err(self.too_long(opened));
        }
        let inside = &text[at + 1..end];
        *line += count_lines(inside.as_bytes());
        if !self.ends_cell(bytes.get(end + 1)) {
            return Err(Flaw::new(*line, "there is text after a closing quote")
                .help("double the quotes inside a quoted cell"));
        }
        if !doubled {
            return Ok((inside, end + 1));
        }
        scratch.clear();
        let mut rest = inside;
        while let Some(quote) = memchr(self.quote, rest.as_bytes()) {
            scratch.push_str(&rest[..=quote]);
            rest = &rest[quote + 2..];
        }
        scratch.push_str(rest);
        Ok((scratch, end + 1))
    }

    /// Where the cell that is open at `from` is closed, and whether it has doubled quotes.
    fn closing_quote(&self, bytes: &[u8], mut from: usize) -> Option<(usize, bool)> {
        let mut doubled = false;
        loop {
            let quote = from + memchr(self.quote, bytes.get(from..)?)?;
            if bytes.get(quote + 1) != Some(&self.quote) {
                return Some((quote, doubled));
            }
            doubled = true;
            from = quote + 2;
        }
    }

    fn ends_cell(&self, byte: Option<&u8>) -> bool {
        byte.is_none_or(|&b| b == self.delimiter || b == b'\n' || b == b'\r')
    }

    #[cold]
    fn too_long(&self, line: u64) -> Flaw {
        let limit = size_text(self.field_bytes as u64);
        Flaw::new(line, format!("field over {limit}"))
    }

    /// The first record that is not an empty line; none when there is none.
    pub(super) fn first_record(&self, text: &str) -> std::result::Result<Option<Record>, Flaw> {
        let bytes = text.as_bytes();
        let (mut at, mut line) = (0, 0);
        while let Some(end) = line_end(bytes, at) {
            at = end;
            line += 1;
        }
        if at == bytes.len() {
            return Ok(None);
        }
        let (mut cells, mut count) = (Vec::new(), 0);
        let mut marks = Marks::new(bytes, self.delimiter);
        loop {
            let mut scratch = String::new();
            let (cell, end) = self.cell(text, at, &mut marks, &mut line, &mut scratch)?;
            // Of too many cells the number alone matters.
            if count < self.most_columns {
                cells.push(cell.to_owned());
            }
            count += 1;
            at = end;
            if bytes.get(at) != Some(&self.delimiter) {
                break;
            }
            at += 1;
        }
        let end = line_end(bytes, at).unwrap_or(at);
        Ok(Some(Record {
            cells,
            count,
            lines: line + 1,
            end,
        }))
    }
}

impl Cut for Csv {
    fn complete(&self, buffer: &[u8]) -> usize {
        // A final CR may be half of a CR LF.
        let search = buffer.len() - usize::from(buffer.last() == Some(&b'\r'));
        let mut complete = 0;
        let mut at = 0;
        loop {
            let quote = memchr(self.quote, &buffer[at..]).map(|i| at + i);
            let open = quote.unwrap_or(search).min(search);
            if open > at
                && let Some(i) = memrchr2(b'\n', b'\r', &buffer[at..open])
            {
                complete = at + i + 1;
            }
            let Some(quote) = quote else {
                return complete;
            };
            let opens = quote == 0 || quote > at && self.ends_cell(buffer.get(quote - 1));
            at = if !opens {
                quote + 1
            } else if let Some((close, _)) = self.closing_quote(buffer, quote + 1) {
                close + 1
            } else {
                return complete;
            };
        }
    }
}

impl Syntax for Csv {
    fn records(&self, text: &str, cells: &mut impl Cells) -> (u64, Option<Flaw>) {
        let bytes = text.as_bytes();
        let check_nul = memchr(0, bytes).is_some();
        let (mut at, mut line) = (0, 0);
        let mut scratch = String::new();
        let mut marks = Marks::new(bytes, self.delimiter);
        while at < bytes.len() && cells.wants_more() {
            if self.columns > 1
                && let Some(end) = line_end(bytes, at)
            {
                at = end;
                line += 1;
                continue;
            }
            let first_line = line;
            let mut column = 0;
            loop {
                let cell = self.cell(text, at, &mut marks, &mut line, &mut scratch);
                let (cell, end) = match cell {
                    Ok(found) => found,
                    Err(flaw) => return (line, Some(self.place(flaw, column))),
                };
                if check_nul && memchr(0, cell.as_bytes()).is_some() {
                    let flaw = Flaw::new(first_line, "there is a NUL byte in the text");
                    return (line, Some(self.place(flaw, column)));
                }
                if column < self.columns {
                    cells.cell(column, cell, first_line);
                }
                column += 1;
                at = end;
                if bytes.get(at) != Some(&self.delimiter) {
                    break;
                }
                at += 1;
            }
            if column != self.columns {
                return (line, Some(self.ragged(first_line, column)));
            }
            cells.end_row();
            let next = line_end(bytes, at).unwrap_or(at);
            cells.end_line(&bytes[at..next]);
            at = next;
            line += 1;
        }
        (line, None)
    }
}

impl Csv {
    fn place(&self, flaw: Flaw, column: usize) -> Flaw {
        if column < self.columns {
            flaw.in_column(column)
        } else {
            flaw
        }
    }

    #[cold]
    fn ragged(&self, line: u64, fields: usize) -> Flaw {
        let (fields, columns) = (grouped(fields as u64), grouped(self.columns as u64));
        Flaw::new(line, format!("{fields} fields, header has {columns}"))
            .help("quote cells that hold the delimiter")
    }
}

/// Where the line end at `at` ends, if there is one.
#[inline]
pub(crate) fn line_end(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at) {
        Some(b'\n') => Some(at + 1),
        Some(b'\r') if bytes.get(at + 1) == Some(&b'\n') => Some(at + 2),
        Some(b'\r') => Some(at + 1),
        _ => None,
    }
}

/// The delimiter that was given, else a tab for `.tsv` and a comma for the rest.
pub(crate) fn delimiter_of(path: &Path, given: Option<u8>) -> Result<u8> {
    let delimiter = given.unwrap_or_else(|| {
        let name = path.to_string_lossy().to_ascii_lowercase();
        let stem = name.trim_end_matches(".gz").trim_end_matches(".zst");
        if stem.ends_with(".tsv") { b'\t' } else { b',' }
    });
    if !is_mark(delimiter) {
        return Err(Error::policy(
            "the delimiter must be one ASCII character other than a line end",
        ));
    }
    Ok(delimiter)
}

pub(super) fn is_mark(byte: u8) -> bool {
    byte.is_ascii() && !matches!(byte, 0 | b'\n' | b'\r')
}
