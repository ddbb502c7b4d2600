//! Records of a released CSV file, as the release writes them: its own words, nothing guessed.

use crate::problem::{Problem, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, ErrorKind};

/// How a released CSV file is read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Format {
    /// What stands between cells.
    pub delimiter: char,
    /// What a missing cell is written as.
    pub missing: String,
    /// Whether the file begins with the names of the columns.
    pub header: bool,
}

impl Default for Format {
    fn default() -> Self {
        Format {
            delimiter: ',',
            missing: String::new(),
            header: true,
        }
    }
}

/// A cell; none where it is missing.
pub type Cell = Option<String>;

/// How long a record may be.
const RECORD: usize = 16 << 20;

/// Reads records one after the other.
pub struct Csv<R> {
    from: R,
    format: Format,
    position: u64,
    line: Vec<u8>,
}

impl<R: BufRead> Csv<R> {
    /// From the beginning of a record.
    pub fn new(from: R, format: Format) -> Self {
        Csv {
            from,
            format,
            position: 0,
            line: Vec::new(),
        }
    }

    /// How many bytes were read.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// The next record; none at the end.
    ///
    /// # Errors
    /// When it cannot be read, or is none.
    pub fn record(&mut self) -> Result<Option<Vec<Cell>>> {
        self.line.clear();
        // A line end inside of quotes belongs to the cell: lines are joined until quotes are even.
        let mut quotes = 0;
        loop {
            let begin = self.line.len();
            let read = read_line(&mut self.from, &mut self.line)?;
            self.position += read as u64;
            quotes += self.line[begin..]
                .iter()
                .filter(|byte| **byte == b'"')
                .count();
            if quotes % 2 == 0 || read == 0 {
                break;
            }
        }
        if self.line.is_empty() {
            return Ok(None);
        }
        if quotes % 2 == 1 {
            return Err(broken());
        }
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        }
        self.cells().map(Some)
    }

    fn cells(&self) -> Result<Vec<Cell>> {
        let text = std::str::from_utf8(&self.line).map_err(|_| broken())?;
        let mut cells = Vec::new();
        let mut rest = text;
        loop {
            let (cell, after) = match rest.strip_prefix('"') {
                Some(inner) => quoted(inner)?,
                None => {
                    let end = rest.find(self.format.delimiter).unwrap_or(rest.len());
                    (rest[..end].to_owned(), &rest[end..])
                }
            };
            cells.push((cell != self.format.missing).then_some(cell));
            match after.strip_prefix(self.format.delimiter) {
                Some(next) => rest = next,
                None if after.is_empty() => return Ok(cells),
                None => return Err(broken()),
            }
        }
    }
}

/// A quoted cell without its first quote, and what follows it.
fn quoted(inner: &str) -> Result<(String, &str)> {
    let mut cell = String::new();
    let mut rest = inner;
    loop {
        let end = rest.find('"').ok_or_else(broken)?;
        cell.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(next) => {
                cell.push('"');
                rest = next;
            }
            None => return Ok((cell, rest)),
        }
    }
}

fn read_line(from: &mut impl BufRead, into: &mut Vec<u8>) -> Result<usize> {
    let mut read = 0;
    loop {
        let piece = match from.fill_buf() {
            Ok(piece) => piece,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => return Err(crate::seal::problem(&e)),
        };
        let end = piece.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(piece.len(), |end| end + 1);
        if into.len() + taken > RECORD {
            return Err(broken());
        }
        into.extend_from_slice(&piece[..taken]);
        from.consume(taken);
        read += taken;
        if end.is_some() || taken == 0 {
            return Ok(read);
        }
    }
}

fn broken() -> Problem {
    Problem::new(500, "damaged", "a released file is no CSV of its format")
        .help("have it restored from a backup")
}

impl<R> std::fmt::Debug for Csv<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Csv")
            .field("position", &self.position)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str, format: Format) -> Result<Vec<Vec<Cell>>> {
        let mut csv = Csv::new(text.as_bytes(), format);
        std::iter::from_fn(|| csv.record().transpose()).collect()
    }

    #[test]
    fn cells_are_read_as_they_were_written() {
        let format = Format {
            delimiter: ';',
            missing: "NA".to_owned(),
            header: false,
        };
        let read = records("57..80;\"a;\"\"b\"\"\nc\";NA\n;x y;\"\"\n", format);
        let cell = |text: &str| Some(text.to_owned());
        assert_eq!(
            read,
            Ok(vec![
                vec![cell("57..80"), cell("a;\"b\"\nc"), None],
                vec![cell(""), cell("x y"), cell("")],
            ])
        );
    }

    #[test]
    fn what_is_no_csv_is_an_error() {
        for text in ["\"a", "\"a\"b,c\n", "\"a\nb,c\n"] {
            assert!(records(text, Format::default()).is_err(), "{text}");
        }
    }
}
