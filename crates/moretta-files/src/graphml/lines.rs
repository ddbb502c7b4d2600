//! On which line of the file each row begins, so that an error about a row tells it.

use super::super::Source;
use moretta_data::data::{Batch, Schema};
use moretta_data::error::{Error, Result};
use std::sync::{Arc, Mutex, PoisonError};

/// Lines of rows, as steps from each to the next: a byte or two a row.
#[derive(Default)]
pub(super) struct LineTable {
    steps: Vec<u8>,
    last: u64,
}

/// Marks a line that is one of the file already.
pub(super) const OF_FILE: u64 = 1 << 63;

impl LineTable {
    /// The next row begins on this line, which is not before that of the last one.
    pub(super) fn push(&mut self, line: u64) {
        let mut step = line.saturating_sub(self.last);
        self.last = line;
        while step > 0x7f {
            self.steps.push(step as u8 | 0x80);
            step >>= 7;
        }
        self.steps.push(step as u8);
    }

    /// The line of a row, from 1; of one that is not known that of the last.
    fn line(&self, row: u64) -> u64 {
        let (mut line, mut step, mut shift, mut rows) = (0, 0, 0, 0);
        for &byte in &self.steps {
            step |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                line += step;
                rows += 1;
                if rows == row {
                    return line;
                }
                (step, shift) = (0, 0);
            }
        }
        line
    }
}

/// Rows whose errors tell lines of the file.
pub(super) struct Located {
    pub(super) source: Box<dyn Source>,
    pub(super) lines: Arc<Mutex<LineTable>>,
}

/// The error with the line of the file instead of the number of the row.
pub(super) fn located(mut error: Error, lines: &Mutex<LineTable>) -> Error {
    if let Error::Input(input) = &mut error
        && let Some(line) = input.line
    {
        input.line = Some(match line & OF_FILE {
            0 => lines
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .line(line),
            _ => line ^ OF_FILE,
        });
    }
    error
}

impl Iterator for Located {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        let batch = self.source.next()?;
        Some(batch.map_err(|error| located(error, &self.lines)))
    }
}

impl Source for Located {
    fn schema(&self) -> &Arc<Schema> {
        self.source.schema()
    }

    fn notes(&self) -> Vec<String> {
        self.source.notes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_its_line() {
        let lines = [3, 3, 4, 200, 100_000, 100_001];
        let mut table = LineTable::default();
        lines.iter().for_each(|&line| table.push(line));
        let found: Vec<u64> = (1..=6).map(|row| table.line(row)).collect();
        assert_eq!(found, lines);
        assert_eq!(table.line(7), 100_001);
    }
}
