//! Tables that grow: rows that were released keep their class and what it shows; new rows wait
//! until enough of them come.
//!
//! New rows join a class whose label covers them when k persons of them do: the difference of
//! two versions is then that batch, so the batch alone must keep every promise. That is known
//! of k alone, so where more is promised new rows form classes of their own instead, by the
//! method of the plan.

use super::{History, KnownRows, Label};
use crate::data::region::Value;
use crate::data::{Batch, Categories, Column, Domain, Domains, Kind, Region, Role, Scale, Schema};
use crate::engine::shown::covered_as_text;
use crate::error::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use std::sync::Arc;

/// Pairs of a label and a new row that are compared at most; beyond, new rows do not join.
const COMPARISONS: usize = 50_000_000;

/// What the latest release shows of its classes.
#[derive(Clone, Default)]
pub(super) struct Labels {
    /// The class of each row that was released.
    pub(super) class_of: HashMap<u128, u32, FixedState>,
    /// The columns of labels.
    pub(super) columns: Vec<String>,
    /// What each class shows, from class 1 on.
    pub(super) labels: Vec<Label>,
}

/// Rows of a table that has grown.
pub(crate) struct Grown {
    /// Those that were released before, or join those that were, with their old labels.
    pub(crate) kept: Batch,
    /// The places of the others.
    pub(crate) fresh: Vec<u32>,
}

impl History {
    /// Gives rows that were released before their labels again; none when nothing was.
    ///
    /// # Errors
    /// When the labels are not of these columns.
    pub(crate) fn grown(
        &self,
        known: &KnownRows,
        rows: &Batch,
        domains: &Domains,
        joins: Option<u32>,
    ) -> Result<Option<Grown>> {
        let Some(latest) = self.latest.as_ref().filter(|l| !l.class_of.is_empty()) else {
            return Ok(None);
        };
        latest.check(rows.schema())?;
        let (mut places, mut classes, mut fresh) = (Vec::new(), Vec::new(), Vec::new());
        for (place, id) in rows.rows().iter().enumerate() {
            let unit = known.rows.get(id as usize).map(|(unit, _)| unit);
            match unit.and_then(|unit| latest.class_of.get(unit)) {
                Some(&class) => {
                    places.push(place as u32);
                    classes.push(class);
                }
                None => fresh.push(place as u32),
            }
        }
        if let Some(k) = joins {
            let joined = latest.joined(known, rows, &fresh, domains, k)?;
            fresh.retain(|place| !joined.contains_key(place));
            let mut joined: Vec<(u32, u32)> = joined.into_iter().collect();
            joined.sort_unstable();
            places.extend(joined.iter().map(|(place, _)| place));
            classes.extend(joined.iter().map(|(_, class)| class));
        }
        Ok(Some(Grown {
            kept: latest.labelled(&rows.take(&places)?, &classes)?,
            fresh,
        }))
    }
}

impl Labels {
    fn check(&self, schema: &Schema) -> Result<()> {
        let quasi = schema.with_role(Role::Quasi).into_iter();
        let mut quasi: Vec<&str> = quasi.map(|i| &*schema.fields()[i].name).collect();
        let mut columns: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        quasi.sort_unstable();
        columns.sort_unstable();
        match quasi == columns {
            true => Ok(()),
            false => Err(Error::policy(
                "the latest release in the ledger has other quasi-identifiers, so its classes cannot be kept",
            )
            .help("give the columns the roles that they had, or take `growth` out of [ledger]")),
        }
    }

    /// The rows with the labels of their classes.
    fn labelled(&self, rows: &Batch, classes: &[u32]) -> Result<Batch> {
        let mut fields = rows.schema().fields().to_vec();
        let mut columns = rows.columns().to_vec();
        for (field, column) in fields.iter_mut().zip(&mut columns) {
            if let Some(place) = self.columns.iter().position(|name| **name == *field.name) {
                let label = |class: &u32| {
                    let label = self.labels.get(*class as usize - 1)?;
                    label.get(place)?.as_deref()
                };
                *column = Column::Category(classes.iter().map(label).collect());
                field.kind = Kind::Category { ordered: false };
            }
        }
        Batch::new(Arc::new(Schema::new(fields)?), rows.rows().clone(), columns)
    }

    /// New rows that a label covers, where at least `k` persons of them join one class: the
    /// class of each place.
    fn joined(
        &self,
        known: &KnownRows,
        rows: &Batch,
        fresh: &[u32],
        domains: &Domains,
        k: u32,
    ) -> Result<HashMap<u32, u32, FixedState>> {
        let mut joined: HashMap<u32, u32, FixedState> = HashMap::default();
        if fresh.len().saturating_mul(self.labels.len()) > COMPARISONS {
            return Ok(joined);
        }
        let columns = self.columns.iter().enumerate().map(|(place, name)| {
            let domain = domains.require(name)?;
            let regions = self.labels.iter();
            let regions = regions.map(|label| Region::parse(label[place].as_deref(), domain));
            let column = rows.column_named(name);
            let column = column.ok_or_else(|| Error::bug("a column of labels is not there"))?;
            Ok((Original::new(column, domain), regions.collect(), domain))
        });
        type Compared<'a> = (Original<'a>, Vec<Option<Region>>, &'a Domain);
        let columns = columns.collect::<Result<Vec<Compared<'_>>>>()?;
        for &row in fresh {
            let covers = |label: &usize| {
                columns.iter().all(|(column, regions, domain)| {
                    let region = regions[*label].as_ref();
                    region.is_some_and(|region| region.covers(column.value(row as usize), domain))
                })
            };
            if let Some(label) = (0..self.labels.len()).find(covers) {
                joined.insert(row, label as u32 + 1);
            }
        }
        let ids: Vec<u64> = rows.rows().iter().collect();
        let person = |place: u32| {
            let row = known.rows.get(ids[place as usize] as usize);
            row.map(|(_, person)| *person)
        };
        let mut persons: HashMap<u32, HashSet<u64, FixedState>, FixedState> = HashMap::default();
        for (&place, &class) in &joined {
            persons.entry(class).or_default().extend(person(place));
        }
        joined.retain(|_, class| persons[class].len() >= k as usize);
        Ok(joined)
    }
}

/// Original values of a column, as regions read them.
struct Original<'a> {
    column: &'a Column,
    codes: HashMap<&'a str, u32, FixedState>,
}

impl<'a> Original<'a> {
    fn new(column: &'a Column, domain: &'a Domain) -> Self {
        let codes = match &domain.scale {
            Scale::Category { levels, .. } => levels.iter().zip(0..).collect(),
            Scale::Number { .. } => HashMap::default(),
        };
        Original { column, codes }
    }

    fn value(&self, row: usize) -> Value<'_> {
        match self.column {
            Column::Number(numbers) => numbers.get(row).map_or(Value::Missing, Value::Number),
            Column::Category(cells) => cells.get(row).map_or(Value::Missing, |text| {
                Value::Category(self.codes.get(text).copied().unwrap_or(u32::MAX), text)
            }),
            Column::Plain(_) => Value::Missing,
        }
    }
}

/// What each class of a release shows, from class 1 on, and of which columns.
pub(super) fn labels_of(release: &Batch, classes: &[u32]) -> Result<(Vec<String>, Vec<Label>)> {
    let release = covered_as_text(release)?;
    let quasi = release.schema().with_role(Role::Quasi);
    let names = quasi.iter();
    let names = names.map(|&i| release.schema().fields()[i].name.to_string());
    let cells: Vec<&Categories> = quasi
        .iter()
        .filter_map(|&i| release.column(i).as_categories())
        .collect();
    let mut labels: Vec<Label> = Vec::new();
    for (row, &class) in classes.iter().enumerate() {
        // Classes are numbered as they appear.
        if class as usize == labels.len() {
            let shown = cells.iter().map(|cells| cells.get(row).map(str::to_owned));
            labels.push(shown.collect());
        }
    }
    Ok((names.collect(), labels))
}

/// Old and new rows together.
pub(crate) fn together(kept: Batch, fresh: Batch) -> Result<Batch> {
    let fresh = covered_as_text(&fresh)?;
    let schema = kept.schema().clone();
    let fresh = Batch::new(
        schema.clone(),
        fresh.rows().clone(),
        fresh.columns().to_vec(),
    )?;
    let parts = [kept, fresh].into_iter().filter(|part| !part.is_empty());
    Batch::concat(&schema, parts.collect())
}
