//! What a release shows, as one value for each cell: regions become a value that they cover.

use super::cells::Cells;
use crate::data::{Batch, Column, Domain, Records, Region, Scale};
use crate::engine::ColumnPolicy;
use crate::error::{Error, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// Reads the columns of a release.
pub(super) struct Readers<'a> {
    cells: &'a Cells,
    domains: Vec<Domain>,
}

impl<'a> Readers<'a> {
    /// For a release whose columns have these hierarchies.
    pub(super) fn new(cells: &'a Cells, columns: &[ColumnPolicy]) -> Result<Self> {
        let fields = cells.batch.schema().fields().iter();
        let domains = fields.zip(cells.batch.columns()).zip(columns);
        let domains = domains.map(|((field, column), planned)| {
            let spec = planned.hierarchy.as_ref();
            let tree = spec.map(|spec| spec.build_for(field, column)).transpose()?;
            Domain::of(field, column, tree.map(Arc::new))
        });
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
            (Region::Node(level, node), Scale::Category { levels, .. }) => {
                let tree = domain.hierarchy.as_ref()?;
                let leaves = tree.leaves_under(*level, *node);
                let codes = leaves.filter_map(|leaf| levels.find(tree.label(0, leaf)));
                codes.map(|code| code as usize).collect()
            }
            (Region::Node(..), Scale::Number { .. }) => return None,
        };
        let merged = matches!(region, Region::Node(..));
        let code = match self.cells.is_ordered(place) && !merged {
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
