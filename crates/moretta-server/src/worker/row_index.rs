//! Where rows begin in a released file, so that a page of them costs a frame or two to read.

use moretta::io::{Files, Format};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Result};
use std::path::Path;

/// How many rows lie between two that are noted.
const EVERY: u64 = 100;

/// Where rows begin in the plain bytes of a release: text with one record a line, where a line may
/// end within quotes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowIndex {
    /// How many rows the file holds.
    pub rows: u64,
    /// How many rows lie between two places.
    pub every: u64,
    /// The byte at which each of these rows begins, from the first on.
    pub places: Vec<u64>,
    /// The byte behind the last row.
    pub end: u64,
}

impl RowIndex {
    /// The byte from which to read for a row, and how many rows to leave out then; none behind the
    /// last.
    pub fn at(&self, row: u64) -> Option<(u64, u64)> {
        let place = usize::try_from(row / self.every.max(1)).ok()?;
        let byte = self.places.get(place).filter(|_| row < self.rows)?;
        Some((*byte, row % self.every.max(1)))
    }

    /// Looks through a file; none of a format whose rows do not begin somewhere.
    ///
    /// # Errors
    /// When it cannot be read.
    pub(super) fn of(files: &Files, path: &Path, header: bool) -> Result<Option<Self>> {
        let quoted = match Format::from_path(path) {
            Some(Format::Csv) => true,
            Some(Format::Jsonl) => false,
            _ => return Ok(None),
        };
        if path
            .extension()
            .is_some_and(|ending| ending == "gz" || ending == "zst")
        {
            return Ok(None);
        }
        let reader = BufReader::with_capacity(1 << 20, files.open(path)?);
        scan(reader, quoted, header && quoted).map(Some)
    }
}

fn scan(mut reader: impl BufRead, quoted: bool, header: bool) -> Result<RowIndex> {
    let mut index = RowIndex {
        every: EVERY,
        ..RowIndex::default()
    };
    let (mut at, mut within, mut begun, mut skip) = (0, false, false, header);
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            break;
        }
        for &byte in bytes {
            if !begun {
                begun = true;
                if !skip && index.rows.is_multiple_of(EVERY) {
                    index.places.push(at);
                }
            }
            at += 1;
            match byte {
                b'"' if quoted => within = !within,
                b'\n' if !within => {
                    index.rows += u64::from(!skip);
                    (begun, skip) = (false, false);
                }
                _ => {}
            }
        }
        let read = bytes.len();
        reader.consume(read);
    }
    index.rows += u64::from(begun && !skip);
    index.end = at;
    Ok(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_where_they_begin() {
        let text = "a,b\n".to_owned() + &"1,\"x\ny\"\"\n\"\n".repeat(250);
        let index = scan(text.as_bytes(), true, true).expect("scanned");
        assert_eq!((index.rows, index.end), (250, text.len() as u64));
        for row in [0, 1, 99, 100, 249] {
            let (byte, skip) = index.at(row).expect("a place");
            let begins = 4 + 11 * (row - skip);
            assert_eq!((byte, row % 100), (begins, skip), "{row}");
        }
        assert_eq!(index.at(250), None);
        let lines = scan("{\"a\":\"\\\"\"}\n{}".as_bytes(), false, false).expect("scanned");
        assert_eq!((lines.rows, lines.places), (2, vec![0]));
        let none = scan("a\n".as_bytes(), true, true).expect("scanned");
        assert_eq!((none.rows, none.at(0)), (0, None));
    }
}
