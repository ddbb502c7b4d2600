//! Where rows begin in a released file, so that a page of a large file costs a few frames.
//!
//! A line of JSON tells how the file is read; behind it stand the places of rows 0, 64, 128, … and of
//! the end, eight bytes each. It says nothing that the file does not say.

use super::csv::{Csv, Format};
use crate::problem::{Problem, Result};
use serde::{Deserialize, Serialize};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};

/// How many rows stand between two places.
pub const EVERY: u64 = 64;
/// How long the line may be.
const LINE: u64 = 1 << 20;

/// What the line of an index says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// How the file is read.
    pub format: Format,
    /// The columns, in order.
    pub columns: Vec<String>,
    /// The number of rows.
    pub rows: u64,
}

/// Writes the index of a released CSV file; gives what it begins with.
///
/// # Errors
/// When the file is no CSV whose rows have one cell a column, or cannot be read, or the index cannot
/// be written.
pub fn make(
    csv: impl Read,
    format: Format,
    columns: &[String],
    mut to: impl Write,
) -> Result<Head> {
    let mut csv = Csv::new(BufReader::new(csv), format.clone());
    if format.header && csv.record()?.as_deref().map(names) != Some(columns.to_vec()) {
        return Err(Problem::bug("a release does not begin with its columns"));
    }
    let mut places = vec![csv.position()];
    let mut rows = 0;
    while let Some(cells) = csv.pass()? {
        if cells != columns.len() {
            return Err(Problem::bug("a row of a release has not one cell a column"));
        }
        rows += 1;
        if rows % EVERY == 0 {
            places.push(csv.position());
        }
    }
    places.push(csv.position());
    let head = Head {
        format,
        columns: columns.to_vec(),
        rows,
    };
    let line = serde_json::to_vec(&head).map_err(|_| Problem::bug("an index cannot be written"))?;
    let places = places
        .into_iter()
        .flat_map(u64::to_be_bytes)
        .collect::<Vec<u8>>();
    for bytes in [&line[..], b"\n", &places] {
        to.write_all(bytes).map_err(|e| crate::seal::problem(&e))?;
    }
    Ok(head)
}

fn names(record: &[Option<String>]) -> Vec<String> {
    record
        .iter()
        .map(|name| name.clone().unwrap_or_default())
        .collect()
}

/// An index that is read.
pub struct Index<R> {
    head: Head,
    sealed: R,
    /// Where the places begin.
    begin: u64,
}

impl<R: Read + Seek> Index<R> {
    /// Reads what it begins with.
    ///
    /// # Errors
    /// When it is no index.
    pub fn open(mut sealed: R) -> Result<Self> {
        let mut line = Vec::new();
        let mut piece = [0; 4096];
        let end = loop {
            let read = sealed
                .read(&mut piece)
                .map_err(|e| crate::seal::problem(&e))?;
            line.extend_from_slice(&piece[..read]);
            if let Some(end) = line.iter().position(|byte| *byte == b'\n') {
                break end;
            }
            if read == 0 || line.len() as u64 > LINE {
                return Err(damaged());
            }
        };
        let head = serde_json::from_slice(&line[..end]).map_err(|_| damaged())?;
        Ok(Index {
            head,
            sealed,
            begin: end as u64 + 1,
        })
    }

    /// What it begins with.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Where to read on for row `row`: a place in the file, and the number of rows to skip there.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn place(&mut self, row: u64) -> Result<(u64, u64)> {
        let row = row.min(self.head.rows);
        let at = self.begin + row / EVERY * 8;
        let mut bytes = [0; 8];
        let read = |sealed: &mut R, bytes: &mut [u8; 8]| {
            sealed.seek(SeekFrom::Start(at))?;
            sealed.read_exact(bytes)
        };
        read(&mut self.sealed, &mut bytes).map_err(|e| crate::seal::problem(&e))?;
        Ok((u64::from_be_bytes(bytes), row % EVERY))
    }
}

fn damaged() -> Problem {
    crate::seal::damaged()
}

impl<R> std::fmt::Debug for Index<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index")
            .field("rows", &self.head.rows)
            .finish_non_exhaustive()
    }
}
