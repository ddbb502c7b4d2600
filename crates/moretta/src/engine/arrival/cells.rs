//! The columns of a stream once latitude and longitude have become cells.

use crate::data::hierarchy::Ladder;
use crate::data::{Batch, Categories, Column, Field, Kind, LevelsBuilder, MISSING, Schema};
use crate::engine::plan::Plan;
use crate::error::{Error, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// The columns of the rows, and where each comes from.
pub(crate) struct Columns {
    schema: Arc<Schema>,
    made: Vec<Made>,
}

/// Where a column comes from.
enum Made {
    /// It was read.
    Read(usize),
    Cells(Cells),
}

/// A column of cells made from latitude and longitude.
struct Cells {
    latitude: usize,
    longitude: usize,
    ladder: Ladder,
}

impl Columns {
    /// Each cell stands where its latitude stood.
    pub(crate) fn new(
        plan: &Plan,
        read: &Schema,
        ladders: &HashMap<String, Ladder>,
    ) -> Result<Self> {
        let (mut fields, mut columns) = (Vec::new(), Vec::new());
        for (place, field) in read.fields().iter().enumerate() {
            let parts = |part: usize| {
                let made = plan.columns.iter();
                made.filter(move |column| {
                    column.from.as_ref().is_some_and(|f| f[part] == *field.name)
                })
            };
            for column in parts(0) {
                let longitude = column.from.as_ref().map_or("", |from| &from[1]);
                let longitude = read.index_of(longitude);
                let ladder = ladders.get(&column.name);
                let (Some(longitude), Some(ladder)) = (longitude, ladder) else {
                    return Err(Error::bug("a cell without a longitude or a grid"));
                };
                let is_number =
                    |place: usize| matches!(read.fields()[place].kind, Kind::Number { .. });
                if !is_number(place) || !is_number(longitude) {
                    return Err(Error::usage(format!(
                        "the coordinates of `{}` are no numbers",
                        column.name
                    ))
                    .help("latitude and longitude are numbers of degrees"));
                }
                fields.push(Field::new(
                    column.name.as_str(),
                    column.role,
                    Kind::Category { ordered: false },
                ));
                columns.push(Made::Cells(Cells {
                    latitude: place,
                    longitude,
                    ladder: ladder.clone(),
                }));
            }
            if parts(0).chain(parts(1)).next().is_none() {
                fields.push(field.clone());
                columns.push(Made::Read(place));
            }
        }
        Ok(Columns {
            schema: Arc::new(Schema::new(fields)?),
            made: columns,
        })
    }

    /// The columns that the rows have then.
    pub(crate) fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The rows with these columns.
    pub(crate) fn of(&self, batch: &Batch) -> Result<Batch> {
        let columns = self.made.iter().map(|made| match made {
            Made::Read(place) => Ok(batch.column(*place).clone()),
            Made::Cells(cells) => cells.column(batch.columns()),
        });
        let columns = columns.collect::<Result<Vec<Column>>>()?;
        Batch::new(Arc::clone(&self.schema), batch.rows().clone(), columns)
    }
}

impl Cells {
    /// The finest cell of each point; a point that is missing or off the globe has none.
    fn column(&self, columns: &[Column]) -> Result<Column> {
        let (Column::Number(latitude), Column::Number(longitude)) =
            (&columns[self.latitude], &columns[self.longitude])
        else {
            return Err(Error::bug("coordinates were not read as numbers"));
        };
        let (mut levels, mut name) = (LevelsBuilder::default(), String::new());
        let codes = latitude
            .iter()
            .zip(longitude.iter())
            .map(|point| match point {
                (Some(latitude), Some(longitude)) => {
                    name.clear();
                    match self.ladder.cell(latitude, longitude, &mut name) {
                        true => levels.intern(&name),
                        false => MISSING,
                    }
                }
                _ => MISSING,
            })
            .collect();
        Ok(Column::Category(Categories::new(
            codes,
            Arc::new(levels.finish()),
        )))
    }
}
