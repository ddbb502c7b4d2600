//! Released rows, read from the released bytes and nothing else: pages and counts tell no more than
//! the download.

use super::csv::{Cell, Csv};
use super::filter::{Filter, place_of};
use super::index::{Head, Index};
use crate::problem::{Problem, Result};
use std::collections::BTreeMap;
use std::io::{BufReader, Read, Seek, SeekFrom};

/// How many rows are looked at for one page; a page that ends before says where to go on.
const LOOKED_AT: u64 = 100_000;
/// How many different counts are given.
const GROUPS: usize = 10_000;
/// By how many columns is counted.
const BY: usize = 3;

/// The rows of a release at one level.
#[derive(Debug)]
pub struct Table<R> {
    index: Index<R>,
    rows: R,
}

/// Rows, and where the next ones begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The rows, cell by cell.
    pub rows: Vec<Vec<Cell>>,
    /// The row from which to look on; none at the end.
    pub next: Option<u64>,
}

/// How many rows show the same, by what they show.
pub type Counts = BTreeMap<Vec<Cell>, u64>;

impl<R: Read + Seek> Table<R> {
    /// With the released file and its index.
    ///
    /// # Errors
    /// When the index is none.
    pub fn open(rows: R, index: R) -> Result<Self> {
        Ok(Table {
            index: Index::open(index)?,
            rows,
        })
    }

    /// Its columns and the number of its rows.
    pub fn head(&self) -> &Head {
        self.index.head()
    }

    /// At most `limit` rows from row `from` on that meet conditions.
    ///
    /// # Errors
    /// When a condition is none, or the file cannot be read.
    pub fn page(&mut self, conditions: Option<&str>, from: u64, limit: usize) -> Result<Found> {
        let filter = Filter::read(conditions, &self.head().columns)?;
        let end = self.head().rows.min(from.saturating_add(LOOKED_AT));
        let mut found = Vec::new();
        let mut row = from;
        if from < end {
            let mut csv = self.at(from)?;
            while row < end && found.len() < limit {
                let record = csv.record()?.ok_or_else(crate::seal::damaged)?;
                row += 1;
                if filter.keeps(&record) {
                    found.push(record);
                }
            }
        }
        let next = (row < self.head().rows).then_some(row);
        Ok(Found { rows: found, next })
    }

    /// How many rows that meet conditions show the same in up to three columns.
    ///
    /// # Errors
    /// When there is no such column, there are too many different counts, or the file cannot be
    /// read.
    pub fn counts(&mut self, conditions: Option<&str>, by: &[String]) -> Result<Counts> {
        if by.len() > BY {
            let what = format!("rows are counted by at most {BY} columns");
            return Err(Problem::unusable(what));
        }
        let columns = &self.head().columns;
        let filter = Filter::read(conditions, columns)?;
        let places = by.iter().map(|name| place_of(name, columns));
        let places = places.collect::<Result<Vec<usize>>>()?;
        let rows = self.head().rows;
        let mut csv = self.at(0)?;
        let mut counts = Counts::new();
        for _ in 0..rows {
            let record = csv.record()?.ok_or_else(crate::seal::damaged)?;
            if !filter.keeps(&record) {
                continue;
            }
            let shown = places.iter().map(|place| record[*place].clone()).collect();
            *counts.entry(shown).or_default() += 1;
            if counts.len() > GROUPS {
                let what = format!("there would be more than {GROUPS} counts");
                return Err(Problem::unusable(what)
                    .help("count by fewer columns, or only rows that meet a condition"));
            }
        }
        Ok(counts)
    }

    /// The records from row `row` on.
    fn at(&mut self, row: u64) -> Result<Csv<BufReader<&mut R>>> {
        let (place, skipped) = self.index.place(row)?;
        let format = self.head().format.clone();
        self.rows
            .seek(SeekFrom::Start(place))
            .map_err(|e| crate::seal::problem(&e))?;
        let mut csv = Csv::new(BufReader::with_capacity(16 << 10, &mut self.rows), format);
        for _ in 0..skipped {
            csv.pass()?.ok_or_else(crate::seal::damaged)?;
        }
        Ok(csv)
    }
}
