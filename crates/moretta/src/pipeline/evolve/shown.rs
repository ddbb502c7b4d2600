//! What a release shows, as one value for each cell: regions become a value that they cover.

use super::cells::Cells;
use crate::data::{Batch, Column, Domain, Records, Region, Scale};
use crate::error::{Error, Result};
use std::collections::HashMap;

/// Reads the columns of a release.
pub(super) struct Readers<'a> {
    cells: &'a Cells,
    domains: Vec<Domain>,
}

impl<'a> Readers<'a> {
    /// For releases of these cells.
    pub(super) fn new(cells: &'a Cells) -> Result<Self> {
        let fields = cells.batch.schema().fields().iter();
        let domains = fields.zip(cells.batch.columns());
        let domains = domains.map(|(field, column)| Domain::of(field, column, None));
        Ok(Readers {
            cells,
            domains: domains.collect::<Result<_>>()?,
        })
    }

    /// The records of a release of all rows, in the order of the source.
    ///
    /// # Errors
    /// When it shows what the originals could not be.
    pub(super) fn read(&self, release: &Batch) -> Result<Records> {
        let width = self.cells.width();
        let mut columns = Vec::new();
        for (place, name) in self.cells.names().enumerate() {
            let column = release.column_named(name);
            let column = column.ok_or_else(|| Error::bug("a protected column is gone"))?;
            columns.push(self.column(place, column)?);
        }
        let mut records = Records::new(width);
        let mut record = vec![0.0; width];
        for row in 0..release.len() {
            for (value, column) in record.iter_mut().zip(&columns) {
                *value = column[row];
            }
            records.push(&record);
        }
        Ok(records)
    }

    fn column(&self, place: usize, column: &Column) -> Result<Vec<f64>> {
        match column {
            Column::Number(numbers) => Ok(numbers
                .iter()
                .map(|number| number.unwrap_or(f64::NAN))
                .collect()),
            Column::Category(categories) => {
                let mut known: HashMap<u32, f64> = HashMap::new();
                let counts = self.cells.counts(place);
                let rows = 0..categories.len();
                rows.map(|row| {
                    let code = categories.codes()[row];
                    if let Some(&value) = known.get(&code) {
                        return Ok(value);
                    }
                    let region = Region::parse(categories.get(row), &self.domains[place]);
                    let value = region.and_then(|region| self.value(place, &region, &counts));
                    let value =
                        value.ok_or_else(|| Error::bug("a release shows what no original is"))?;
                    known.insert(code, value);
                    Ok(value)
                })
                .collect()
            }
            Column::Plain(_) => Err(Error::bug("a protected column was released as plain")),
        }
    }

    /// One value of a region: of ordered categories the middle one, of others the most frequent
    /// original (of several the first), of numbers the middle, or the end that is there.
    fn value(&self, place: usize, region: &Region, counts: &[usize]) -> Option<f64> {
        let domain = &self.domains[place];
        let codes: Vec<usize> = match (region, &domain.scale) {
            (Region::Missing, _) => return Some(f64::NAN),
            (Region::Interval(low, high), _) => {
                return Some(match (low.is_finite(), high.is_finite()) {
                    (true, true) => low + (high - low) / 2.0,
                    (true, false) => *low,
                    _ => *high,
                });
            }
            (Region::Any, Scale::Number { low, high, .. }) => return Some((low + high) / 2.0),
            (Region::Any, Scale::Category { .. }) => (0..counts.len()).collect(),
            (Region::Set(codes), _) => codes.iter().map(|&code| code as usize).collect(),
            // No column has a hierarchy here.
            (Region::Node(..), _) => return None,
        };
        let code = match self.cells.is_ordered(place) {
            true => (codes.iter().min()? + codes.iter().max()?) / 2,
            false => {
                let most = codes.iter().map(|&code| counts[code]).max()?;
                codes
                    .into_iter()
                    .filter(|&code| counts[code] == most)
                    .min()?
            }
        };
        Some(code as f64)
    }
}
