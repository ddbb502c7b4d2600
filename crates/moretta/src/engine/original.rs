//! The rows of a table as they were read, with the columns that are made from two.

use super::plan::{ColumnPolicy, Plan};
use crate::data::hierarchy::Hierarchy;
use crate::data::{Batch, Column, Field, Kind, Role, RowIds, Schema};
use crate::error::{Error, Result};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// The original table and the hierarchies that had to be made with it.
#[derive(Clone)]
pub struct Original {
    /// The rows.
    pub batch: Batch,
    /// Hierarchies of columns made from latitude and longitude, by name.
    pub made: HashMap<String, Arc<Hierarchy>>,
    /// What was odd about the input.
    pub notes: Vec<String>,
}

impl Original {
    /// The rows of a table in the order in which they came, as columns of the plan.
    ///
    /// # Errors
    /// When a latitude or longitude is none.
    pub fn new(plan: &Plan, batch: Batch, notes: Vec<String>) -> Result<Original> {
        let mut original = Original {
            batch,
            made: HashMap::new(),
            notes,
        };
        for column in &plan.columns {
            if let Some(from) = &column.from {
                let (batch, hierarchy) = locate(original.batch, column, from)?;
                original.batch = batch;
                let made = (column.name.clone(), Arc::new(hierarchy));
                original.made.extend([made]);
            }
        }
        original.batch = in_order_of_texts(original.batch)?;
        Ok(original)
    }

    /// These rows as a table of their own: no category and no cell that none of them holds.
    pub(crate) fn alone(&self, ids: &RowIds) -> Result<Original> {
        let rows = places_of(&self.batch, ids)?;
        self.with_rows(self.batch.take(&rows)?)
    }

    /// Rows that were made of some of these, likewise as a table of their own.
    pub(crate) fn with_rows(&self, rows: Batch) -> Result<Original> {
        let batch = in_order_of_texts(rows)?;
        let made = self.made.iter().map(|(name, tree)| {
            let place = batch.schema().index_of(name);
            let cells = place.and_then(|place| batch.column(place).as_categories());
            let held = |text: &str| cells.is_some_and(|c| c.levels().find(text).is_some());
            (name.clone(), Arc::new(tree.over(held)))
        });
        Ok(Original {
            made: made.collect(),
            batch,
            notes: self.notes.clone(),
        })
    }

    /// These rows alone, in the columns that warnings look at, with no category that none of
    /// them holds.
    pub(crate) fn of_rows(&self, ids: &[u64]) -> Result<Original> {
        let rows: Vec<u32> = ids.iter().map(|&id| id as u32).collect();
        let fields = self
            .batch
            .schema()
            .fields()
            .iter()
            .zip(self.batch.columns());
        let looked_at = fields.filter(|(field, _)| {
            matches!(field.role, Role::Quasi | Role::Sensitive | Role::Subject)
        });
        let (fields, columns): (Vec<Field>, Vec<Column>) = looked_at
            .map(|(field, column)| (field.clone(), column.clone()))
            .unzip();
        let schema = Arc::new(Schema::new(fields)?);
        let batch = Batch::new(schema, self.batch.rows().clone(), columns)?.take(&rows)?;
        let columns = batch.schema().fields().iter().zip(batch.columns());
        let columns = columns.map(|(field, column)| column.used(&field.kind));
        let columns = columns.collect();
        Ok(Original {
            batch: Batch::new(Arc::clone(batch.schema()), batch.rows().clone(), columns)?,
            made: self.made.clone(),
            notes: self.notes.clone(),
        })
    }
}

/// The originals of released rows, in the order of these.
pub(crate) fn originals_of(original: &Batch, released: &RowIds) -> Result<Batch> {
    original.take(&places_of(original, released)?)
}

/// The places of the originals. The ids of a table that was read whole are the places of
/// its rows; where some rows are gone, ids still ascend.
pub(crate) fn places_of(original: &Batch, released: &RowIds) -> Result<Vec<u32>> {
    let ids = original.rows();
    let whole = matches!(ids, RowIds::Range { start: 0, .. });
    let place = |id: u64| match whole {
        true => (id < original.len() as u64).then_some(id as u32),
        false => place_of(ids, id),
    };
    let places: Option<Vec<u32>> = released.iter().map(place).collect();
    places.ok_or_else(|| Error::bug("a row was released that was never read"))
}

/// The place of an id among ascending ones.
fn place_of(ids: &RowIds, id: u64) -> Option<u32> {
    let (mut from, mut to) = (0, ids.len());
    while from < to {
        let middle = from + (to - from) / 2;
        match ids.get(middle) < id {
            true => from = middle + 1,
            false => to = middle,
        }
    }
    (from < ids.len() && ids.get(from) == id).then_some(from as u32)
}

/// The rows in the order of their ids, which is that of the source.
pub(crate) fn in_order_of_ids(rows: &Batch) -> Result<Batch> {
    let mut places: Vec<u32> = (0..rows.len() as u32).collect();
    places.sort_by_key(|&place| rows.rows().get(place as usize));
    rows.take(&places)
}

/// Categories without a declared order in the order of their texts: what is
/// released must not depend on which value came first in the file.
pub(crate) fn in_order_of_texts(batch: Batch) -> Result<Batch> {
    let fields = batch.schema().fields().par_iter();
    let columns = fields
        .zip(batch.columns())
        .map(|(field, column)| match field.role {
            Role::Subject | Role::Identifier | Role::Key => column.clone(),
            _ => column.used(&field.kind),
        })
        .collect();
    Batch::new(Arc::clone(batch.schema()), batch.rows().clone(), columns)
}

/// Replaces latitude and longitude by the cell that holds them, and tells the cells' hierarchy.
pub(crate) fn locate(
    batch: Batch,
    column: &ColumnPolicy,
    from: &[String; 2],
) -> Result<(Batch, Hierarchy)> {
    let place = |name: &str| {
        batch
            .schema()
            .index_of(name)
            .ok_or_else(|| Error::bug(format!("column `{name}` was not read")))
    };
    let places = [place(&from[0])?, place(&from[1])?];
    let (Column::Number(latitude), Column::Number(longitude)) =
        (batch.column(places[0]), batch.column(places[1]))
    else {
        return Err(Error::bug("coordinates were not read as numbers"));
    };
    let spec = column
        .hierarchy
        .as_ref()
        .ok_or_else(|| Error::bug("a cell without a grid"))?;
    let (cells, hierarchy) = spec.cells(latitude, longitude)?;
    let mut fields = batch.schema().fields().to_vec();
    let mut columns = batch.columns().to_vec();
    fields[places[0]] = Field::new(
        column.name.as_str(),
        column.role,
        Kind::Category { ordered: false },
    );
    columns[places[0]] = Column::Category(cells);
    fields.remove(places[1]);
    columns.remove(places[1]);
    let batch = Batch::new(
        Arc::new(Schema::new(fields)?),
        batch.rows().clone(),
        columns,
    )?;
    Ok((batch, hierarchy))
}
