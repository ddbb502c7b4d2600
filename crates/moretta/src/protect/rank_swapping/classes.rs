//! Rank swapping inside classes: values change places between rows that show the same.
//!
//! The classes are those of the rows as they are: the same texts in all quasi-identifiers. So
//! each class keeps its values, and with them all that is counted of them.
//!
//! A value may also stay, as likely as it gets any one partner. In a whole table that hardly
//! matters, but the two values of a class of two would else always be swapped, and be swapped
//! back by every reader.

use super::table::Columns;
use super::{Direction, RankSwapping};
use crate::cancel::Cancel;
use crate::data::{Batch, Column, Records, Role, Schema};
use crate::error::Result;
use crate::protect::filter::encoder;
use crate::protect::generalization::group;
use crate::protect::window::Mask;
use crate::protect::{Release, TableMethod};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Swaps values inside the classes of a table.
pub(super) struct InsideClasses {
    pub(super) config: RankSwapping,
    pub(super) seed: u64,
    pub(super) cancel: Cancel,
}

impl TableMethod for InsideClasses {
    fn schema(&self, original: &Schema) -> Result<Schema> {
        encoder(&self.config, original)?;
        Ok(original.clone())
    }

    fn release(&self, table: &Batch) -> Result<Release> {
        let mut encoder = encoder(&self.config, table.schema())?;
        let mut records = Records::new(encoder.places().len());
        encoder.encode(table, &mut records)?;
        let mut swaps = Columns {
            within: self.config.within,
            direction: Direction::Both,
            may_stay: true,
            uniform: Xoshiro256PlusPlus::seed_from_u64(self.seed),
        };
        let mut class = Records::new(records.width());
        let quasi = table.schema().with_role(Role::Quasi);
        for rows in group(quasi.iter().map(|&i| table.column(i)), table.len()) {
            self.cancel.check()?;
            class.clear();
            for &row in &rows {
                class.push(records.record(row as usize));
            }
            swaps.mask(&mut class, rows.len(), &self.cancel)?;
            for (&row, record) in rows.iter().zip(class.iter()) {
                records.record_mut(row as usize).copy_from_slice(record);
            }
        }
        let mut columns: Vec<Column> = table.columns().to_vec();
        let places: Vec<usize> = encoder.places().collect();
        for (place, column) in places.into_iter().zip(encoder.decode(&records)) {
            columns[place] = column;
        }
        let batch = Batch::new(table.schema().clone(), table.rows().clone(), columns)?;
        Ok(Release::new(batch, Vec::new()))
    }
}
