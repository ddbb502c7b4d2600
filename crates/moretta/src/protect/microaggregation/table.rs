//! Whole tables: points of rows or of persons, grouped list of columns by list of columns.

use super::axes::Axes;
use super::centroid::Centroid;
use super::{Masking, Microaggregation, Setting};
use crate::data::{Attribute, Batch, Column, Encoder, Records, Role, Schema};
use crate::error::{Error, Result};
use crate::protect::filter::{MaskedColumn, TOO_FEW, masked_columns, masked_schema};
use crate::protect::{Release, TableMethod};
use foldhash::HashMap;
use std::sync::Arc;

/// Microaggregation of whole tables.
pub(super) struct WholeTable {
    config: Microaggregation,
    setting: Setting,
}

impl WholeTable {
    pub(super) fn new(config: &Microaggregation, setting: &Setting) -> Self {
        WholeTable {
            config: config.clone(),
            setting: setting.clone(),
        }
    }

    /// What the points of some columns differ in.
    fn axes(
        &self,
        columns: &[MaskedColumn<'_>],
        encoder: &Encoder,
        part: &[usize],
    ) -> Result<Axes> {
        let attributes: Vec<Attribute> = part.iter().map(|&i| columns[i].attribute).collect();
        let mut axes = Axes::new(&attributes);
        for (place, &column) in part.iter().enumerate() {
            let domain = self.setting.domains.get(columns[column].name);
            let tree = domain.and_then(|domain| domain.hierarchy.as_ref());
            if let (Some(tree), Attribute::Nominal) = (tree, attributes[place]) {
                axes = axes.with_hierarchy(place, encoder.levels(column), tree)?;
            }
        }
        Ok(axes)
    }

    /// Masks some columns of the records.
    fn mask(
        &self,
        records: &mut Records,
        part: &[usize],
        axes: &Axes,
        (persons, classes): (Option<&Persons>, Option<Vec<u32>>),
    ) -> Result<()> {
        let own = columns_of(records, part);
        let points = match persons {
            None => own,
            Some(persons) => persons.centres(&own, axes.columns()),
        };
        // All rows of a person are in one class.
        let classes = classes.map(|of_rows| match persons {
            None => of_rows,
            Some(all) => (0..all.len())
                .map(|one| of_rows[all.rows(one)[0]])
                .collect(),
        });
        let cancel = &self.setting.cancel;
        let points_of = axes.points(&points);
        let groups = self
            .config
            .partition(axes, &points_of, classes.as_deref(), cancel);
        // What was grouped then is not whole.
        cancel.check()?;
        let mut centroid = Centroid::new(axes.columns());
        let mut centre = vec![0.0; part.len()];
        for group in &groups {
            centroid.of(group.iter().map(|&point| points.record(point)), &mut centre);
            for &point in group {
                let rows = persons.map_or(std::slice::from_ref(&point), |all| all.rows(point));
                for &row in rows {
                    let record = records.record_mut(row);
                    part.iter()
                        .zip(&centre)
                        .for_each(|(&i, &value)| record[i] = value);
                }
            }
        }
        Ok(())
    }
}

impl TableMethod for WholeTable {
    fn schema(&self, original: &Schema) -> Result<Schema> {
        masked_schema(original, &self.config.places(original)?)
    }

    fn release(&self, table: &Batch) -> Result<Release> {
        let schema = Arc::new(self.schema(table.schema())?);
        let places = self.config.places(table.schema())?;
        let mut encoder = Encoder::new(table.schema(), &places)?;
        let mut records = Records::default();
        encoder.encode(table, &mut records)?;
        let columns = masked_columns(&encoder, table.schema());
        self.config.check(&columns)?;
        let persons = Persons::of(table)?;
        let points = persons.as_ref().map_or(table.len(), Persons::len);
        if points < self.config.k {
            let rows = table.len() as u64;
            let suppressed = (rows > 0).then(|| (TOO_FEW.to_owned(), rows));
            let suppressed = suppressed.into_iter().collect();
            return Ok(Release::new(Batch::empty(schema), suppressed));
        }
        for part in parts(&self.config, &columns) {
            let axes = self.axes(&columns, &encoder, &part)?;
            let names: Vec<&str> = part.iter().map(|&column| columns[column].name).collect();
            let classes = self.setting.nest.classes(table, &names)?;
            self.mask(&mut records, &part, &axes, (persons.as_ref(), classes))?;
        }
        let mut released = table.columns().to_vec();
        for (&place, column) in places.iter().zip(encoder.decode(&records)) {
            released[place] = column;
        }
        let batch = Batch::new(schema, table.rows().clone(), released)?;
        Ok(Release::new(batch, Vec::new()))
    }
}

/// The places, among the masked columns, of those that are grouped together.
pub(super) fn parts(config: &Microaggregation, columns: &[MaskedColumn<'_>]) -> Vec<Vec<usize>> {
    let Some(parts) = config.parts() else {
        return vec![(0..columns.len()).collect()];
    };
    let place = |name: &&str| columns.iter().position(|column| column.name == *name);
    let parts = parts
        .iter()
        .map(|names| names.iter().filter_map(place).collect());
    parts.collect()
}

/// Some columns of records.
fn columns_of(records: &Records, columns: &[usize]) -> Records {
    if columns.iter().copied().eq(0..records.width()) {
        return records.clone();
    }
    let mut own = Records::new(columns.len());
    let mut values = vec![0.0; columns.len()];
    for record in records.iter() {
        for (value, &column) in values.iter_mut().zip(columns) {
            *value = record[column];
        }
        own.push(&values);
    }
    own
}

/// The rows of each person, who are numbered in the order of their first rows.
struct Persons {
    /// The rows of each, one person after the other.
    rows: Vec<usize>,
    /// Where each person's rows begin; and where the last one's end.
    starts: Vec<usize>,
}

impl Persons {
    /// The persons of a table that tells them; rows without one are one person's.
    fn of(table: &Batch) -> Result<Option<Self>> {
        let subject = table.schema().with_role(Role::Subject).first().copied();
        let Some(Column::Category(subjects)) = subject.map(|place| table.column(place)) else {
            return match subject {
                None => Ok(None),
                Some(_) => Err(Error::bug("persons were not read as categories")),
            };
        };
        let mut numbers: HashMap<u32, usize> = HashMap::default();
        let mut of = Vec::with_capacity(table.len());
        for &code in subjects.codes() {
            let next = numbers.len();
            of.push(*numbers.entry(code).or_insert(next));
        }
        let mut starts = vec![0; numbers.len() + 1];
        of.iter().for_each(|&person| starts[person + 1] += 1);
        for person in 1..starts.len() {
            starts[person] += starts[person - 1];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; of.len()];
        for (row, &person) in of.iter().enumerate() {
            rows[next[person]] = row;
            next[person] += 1;
        }
        Ok(Some(Persons { rows, starts }))
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn rows(&self, person: usize) -> &[usize] {
        &self.rows[self.starts[person]..self.starts[person + 1]]
    }

    /// One record for each person: what stands for their rows.
    fn centres(&self, records: &Records, attributes: &[Attribute]) -> Records {
        let mut centres = Records::new(records.width());
        let mut centroid = Centroid::new(attributes);
        let mut centre = vec![0.0; records.width()];
        for person in 0..self.len() {
            let rows = self.rows(person).iter();
            centroid.of(rows.map(|&row| records.record(row)), &mut centre);
            centres.push(&centre);
        }
        centres
    }
}
