//! Records of a released CSV file, as the release writes them: its own words, nothing guessed.

use crate::problem::{Problem, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
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
        if !self.next_line()? {
            return Ok(None);
        }
        let mut cells = Vec::new();
        self.cells(|cell| {
            let text = cell.text();
            cells.push((text != self.format.missing).then(|| text.into_owned()));
        })?;
        Ok(Some(cells))
    }

    /// Passes the next record and gives the number of its cells; none at the end.
    ///
    /// # Errors
    /// When it cannot be read, or is none.
    pub fn pass(&mut self) -> Result<Option<usize>> {
        if !self.next_line()? {
            return Ok(None);
        }
        let mut cells = 0;
        self.cells(|_| cells += 1)?;
        Ok(Some(cells))
    }

    /// Reads the line of the next record without its end; false where there is none.
    fn next_line(&mut self) -> Result<bool> {
        self.line.clear();
        // A line end inside of quotes belongs to the cell: lines are joined until quotes are even.
        let mut quotes = 0;
        loop {
            let begin = self.line.len();
            let read = read_line(&mut self.from, &mut self.line)?;
            self.position += read as u64;
            quotes += memchr::memchr_iter(b'"', &self.line[begin..]).count();
            if quotes % 2 == 0 || read == 0 {
                break;
            }
        }
        if self.line.is_empty() {
            return Ok(false);
        }
        if quotes % 2 == 1 {
            return Err(broken());
        }
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        }
        Ok(true)
    }

    fn cells<'a>(&'a self, mut each: impl FnMut(Written<'a>)) -> Result<()> {
        let text = std::str::from_utf8(&self.line).map_err(|_| broken())?;
        let mut rest = text;
        loop {
            let (cell, after) = match rest.strip_prefix('"') {
                Some(inner) => quoted(inner)?,
                None => {
                    let end = rest.find(self.format.delimiter).unwrap_or(rest.len());
                    (Written::Plain(&rest[..end]), &rest[end..])
                }
            };
            each(cell);
            match after.strip_prefix(self.format.delimiter) {
                Some(next) => rest = next,
                None if after.is_empty() => return Ok(()),
                None => return Err(broken()),
            }
        }
    }
}

/// A cell as it is written.
enum Written<'a> {
    /// Without quotes.
    Plain(&'a str),
    /// Between quotes, which are doubled inside of it.
    Quoted(&'a str),
}

impl<'a> Written<'a> {
    fn text(&self) -> Cow<'a, str> {
        match *self {
            Written::Quoted(text) if text.contains('"') => text.replace("\"\"", "\"").into(),
            Written::Plain(text) | Written::Quoted(text) => text.into(),
        }
    }
}

/// A quoted cell, which stands without its first quote, and what follows it.
fn quoted(inner: &str) -> Result<(Written<'_>, &str)> {
    let mut from = 0;
    loop {
        let quote = from + inner[from..].find('"').ok_or_else(broken)?;
        match inner[quote + 1..].starts_with('"') {
            true => from = quote + 2,
            false => return Ok((Written::Quoted(&inner[..quote]), &inner[quote + 1..])),
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
        let end = memchr::memchr(b'\n', piece);
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
    fn records_are_passed_where_they_are_read() {
        let text = "a,\"b\"\"\n,\",c\n\n\"\",\"x\"\n1,2,3,4";
        let (mut read, mut passed) = (
            Csv::new(text.as_bytes(), Format::default()),
            Csv::new(text.as_bytes(), Format::default()),
        );
        while let Some(record) = read.record().expect("CSV") {
            assert_eq!(passed.pass(), Ok(Some(record.len())));
            assert_eq!(passed.position(), read.position());
        }
        assert_eq!(passed.pass(), Ok(None));
    }

    #[test]
    fn what_is_no_csv_is_an_error() {
        for text in ["\"a", "\"a\"b,c\n", "\"a\nb,c\n"] {
            assert!(records(text, Format::default()).is_err(), "{text}");
            assert!(Csv::new(text.as_bytes(), Format::default()).pass().is_err());
        }
    }
}
