//! What becomes of columns that name persons: pseudonyms are put in, others are not released.

use super::arrival::EventTime;
use super::context::Keys;
use super::plan::{Action, Plan};
use crate::data::{Batch, Column, Field, Kind, Numbers, Role, Schema};
use crate::error::Result;
use crate::protect::Operator;
use crate::protect::identifiers::Pseudonyms;
use crate::protect::rotation::Rotation;
use std::sync::Arc;

/// The columns that get pseudonyms.
pub(crate) fn pseudonyms(plan: &Plan, keys: &Keys, schema: &Arc<Schema>) -> Result<Pseudonyms> {
    pseudonyms_of(plan, keys, schema, |_| true)
}

fn pseudonyms_of(
    plan: &Plan,
    keys: &Keys,
    schema: &Arc<Schema>,
    wanted: impl Fn(Role) -> bool,
) -> Result<Pseudonyms> {
    let mut pseudonyms = Vec::new();
    for column in plan.columns.iter().filter(|column| wanted(column.role)) {
        if let (Action::Pseudonym { domain, key, .. }, Some(i)) =
            (&column.action, schema.index_of(&column.name))
        {
            let key = keys.get(key).map_err(|e| e.at(column.span.clone()))?;
            pseudonyms.push((i, domain.clone(), key));
        }
    }
    Ok(Pseudonyms::new(schema, pseudonyms))
}

/// The pseudonyms of the persons of a stream, which may change with time.
pub(crate) fn rotation(plan: &Plan, keys: &Keys, schema: &Schema) -> Result<Option<Rotation>> {
    let subject = plan.columns.iter().find_map(|column| {
        let place = schema.index_of(&column.name)?;
        match &column.action {
            Action::Pseudonym {
                domain,
                key,
                rotate,
            } if column.role == Role::Subject => Some((column, place, domain, key, *rotate)),
            _ => None,
        }
    });
    let Some((column, place, domain, key, rotate)) = subject else {
        return Ok(None);
    };
    let key = keys.get(key).map_err(|e| e.at(column.span.clone()))?;
    let time = EventTime::find(plan, schema);
    let (time, format) = time.map_or((place, None), |time| (time.place, time.format));
    Ok(Some(Rotation::new(
        place, time, format, domain, key, rotate,
    )))
}

/// Puts pseudonyms into a stream.
pub(crate) struct Persons {
    rotation: Option<Rotation>,
    others: Pseudonyms,
}

impl Persons {
    pub(crate) fn new(plan: &Plan, keys: &Keys, schema: &Arc<Schema>) -> Result<Self> {
        Ok(Persons {
            rotation: rotation(plan, keys, schema)?,
            others: pseudonyms_of(plan, keys, schema, |role| role != Role::Subject)?,
        })
    }
}

impl Operator for Persons {
    fn schema(&self) -> &Arc<Schema> {
        self.others.schema()
    }

    fn push(&mut self, batch: Batch) -> Result<Batch> {
        match &mut self.rotation {
            None => self.others.push(batch),
            Some(rotation) => self.others.push(rotation.apply(&batch)?),
        }
    }

    fn finish(&mut self) -> Result<Batch> {
        self.others.finish()
    }
}

/// The columns that are released.
pub(crate) struct Kept {
    places: Vec<usize>,
    schema: Arc<Schema>,
}

impl Kept {
    /// Subjects and keys count persons and join rows; they are released only if the plan says so.
    pub(crate) fn new(plan: &Plan, schema: &Schema) -> Result<Self> {
        let is_kept = |place: &usize| {
            let column = plan.column(&schema.fields()[*place].name);
            column.is_none_or(|c| !matches!(c.action, Action::Drop | Action::Number))
        };
        let places: Vec<usize> = (0..schema.len()).filter(is_kept).collect();
        let fields = places.iter().map(|&place| schema.fields()[place].clone());
        Ok(Kept {
            schema: Arc::new(Schema::new(fields.collect())?),
            places,
        })
    }

    /// The columns of what leaves.
    pub(crate) fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The rows without the others.
    pub(crate) fn of(&self, rows: &Batch) -> Result<Batch> {
        let columns = self.places.iter();
        let columns = columns.map(|&place| rows.column(place).clone()).collect();
        Batch::new(Arc::clone(&self.schema), rows.rows().clone(), columns)
    }
}

/// The rows of a table as they leave, with their numbers, from 1, where the plan wants them. A
/// number follows from the place of its row and tells nothing more.
pub(crate) fn numbered(plan: &Plan, release: Batch) -> Result<Batch> {
    let mut names = plan.columns.iter().filter(|c| c.action == Action::Number);
    let Some(column) = names.next() else {
        return Ok(release);
    };
    let integer = Kind::Number { integer: true };
    let number = Field::new(column.name.as_str(), column.role, integer);
    let numbers = Numbers::new((1..=release.len()).map(|n| n as f64).collect());
    let fields = std::iter::once(number).chain(release.schema().fields().iter().cloned());
    let columns = std::iter::once(Column::Number(numbers)).chain(release.columns().iter().cloned());
    let schema = Arc::new(Schema::new(fields.collect())?);
    Batch::new(schema, release.rows().clone(), columns.collect())
}

/// The rows of a table without the columns that are not released.
pub(crate) fn without_dropped(plan: &Plan, release: &Batch) -> Result<Batch> {
    Kept::new(plan, release.schema())?.of(release)
}
