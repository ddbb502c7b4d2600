//! The sources of a stream: opened, their columns as a stream needs them, their rows numbered.

use super::ahead::Input;
use super::reorder::SOURCE_SHIFT;
use crate::data::hierarchy::{Ladder, Texts};
use crate::data::{
    Batch, Categories, Column, Field, Kind, LevelsBuilder, MISSING, Role, RowIds, Schema,
};
use crate::engine::Progress;
use crate::error::{Error, Result};
use crate::io::{self, ColumnPlan, ReadAs};
use crate::policy::Policy;
use std::collections::HashMap;
use std::sync::Arc;

/// The sources of a stream.
pub(super) struct Sources {
    sources: Vec<Input>,
    /// Rows of each source that were handed on.
    rows: Vec<u64>,
    schema: Arc<Schema>,
    columns: Vec<Made>,
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

impl Sources {
    pub(super) fn open(
        policy: &Policy,
        ladders: &HashMap<String, Ladder>,
        progress: &Progress,
    ) -> Result<Self> {
        let mut options = policy.source.options.clone();
        options.stream = true;
        options.progress = Some(progress.counter());
        let plans = plans(policy)?;
        let paths = std::iter::once(&policy.source.path).chain(&policy.source.more);
        let sources = paths
            .map(|path| io::open(path, &options, &plans))
            .collect::<Result<Vec<_>>>()?;
        let read = sources[0].schema();
        let names = |schema: &Schema| -> Vec<Arc<str>> {
            let fields = schema.fields().iter();
            fields.map(|field| field.name.as_ref().into()).collect()
        };
        if sources
            .iter()
            .any(|other| names(other.schema()) != names(read))
        {
            return Err(Error::input("the sources have different columns")
                .help("give all of them the same columns in the same order"));
        }
        let (schema, columns) = with_cells(policy, read, ladders)?;
        Ok(Sources {
            rows: vec![0; sources.len()],
            sources: sources.into_iter().map(Input::new).collect(),
            schema,
            columns,
        })
    }

    /// The columns of the rows.
    pub(super) fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// How many sources there are.
    pub(super) fn len(&self) -> usize {
        self.sources.len()
    }

    /// The next rows of a source; none when it has ended.
    pub(super) fn next(&mut self, source: usize) -> Result<Option<Batch>> {
        let Some(batch) = self.sources[source].next()? else {
            return Ok(None);
        };
        let start = (source as u64) << SOURCE_SHIFT | self.rows[source];
        self.rows[source] += batch.len() as u64;
        let ids = RowIds::Range {
            start,
            len: batch.len(),
        };
        let columns = self.columns.iter().map(|made| match made {
            Made::Read(place) => Ok(batch.column(*place).clone()),
            Made::Cells(cells) => cells.column(batch.columns()),
        });
        let columns = columns.collect::<Result<Vec<Column>>>()?;
        Batch::new(Arc::clone(&self.schema), ids, columns).map(Some)
    }

    /// What was odd about the rows.
    pub(super) fn notes(&self) -> Vec<String> {
        let sources = self.sources.iter();
        let mut notes: Vec<String> = sources.flat_map(|s| s.notes()).collect();
        notes.dedup();
        notes
    }
}

/// How a stream wants its columns: times as they are, persons and attributes as categories.
pub(super) fn plans(policy: &Policy) -> Result<Vec<ColumnPlan>> {
    let group = policy
        .plan
        .stream()
        .and_then(|config| config.group.as_ref());
    let mut plans = policy.plan.column_plans()?;
    for plan in &mut plans {
        let made = policy.plan.column(&plan.name).is_none();
        plan.read = match plan.role {
            Role::Time => ReadAs::Plain,
            Role::Quasi if !made => ReadAs::Category,
            _ if group.is_some_and(|group| group.column == plan.name) => ReadAs::Category,
            _ => plan.read.clone(),
        };
    }
    Ok(plans)
}

/// How the values of each attribute generalise.
pub(super) fn ladders(policy: &Policy) -> Result<HashMap<String, Ladder>> {
    let mut ladders = HashMap::new();
    for column in policy.plan.columns.iter().filter(|c| c.role == Role::Quasi) {
        let texts = match column.read {
            ReadAs::Number | ReadAs::Integer => Texts::Number,
            ReadAs::Date(format) => Texts::Date(format),
            _ => Texts::Category,
        };
        let ladder = match &column.hierarchy {
            None => Ladder::flat(),
            Some(spec) => spec
                .ladder(&column.name, texts)
                .map_err(|e| e.at(column.span.clone()))?,
        };
        ladders.insert(column.name.clone(), ladder);
    }
    Ok(ladders)
}

/// The columns once latitude and longitude have become cells: each stands where
/// its latitude stood.
fn with_cells(
    policy: &Policy,
    read: &Schema,
    ladders: &HashMap<String, Ladder>,
) -> Result<(Arc<Schema>, Vec<Made>)> {
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    for (place, field) in read.fields().iter().enumerate() {
        let parts = |part: usize| {
            let made = policy.plan.columns.iter();
            made.filter(move |column| column.from.as_ref().is_some_and(|f| f[part] == *field.name))
        };
        for column in parts(0) {
            let longitude = column.from.as_ref().map_or("", |from| &from[1]);
            let longitude = read.index_of(longitude);
            let ladder = ladders.get(&column.name);
            let (Some(longitude), Some(ladder)) = (longitude, ladder) else {
                return Err(Error::bug("a cell without a longitude or a grid"));
            };
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
    Ok((Arc::new(Schema::new(fields)?), columns))
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
