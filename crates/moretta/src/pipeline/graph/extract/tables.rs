//! The node table and the edge list that were extracted, as files.

use super::Persons;
use crate::data::{
    Batch, Categories, Column, Field, Kind, Levels, LevelsBuilder, MISSING, Role, RowIds, Schema,
    Taxonomy,
};
use crate::error::Result;
use crate::io::{self, Sink, WriteOptions};
use arrow_array::builder::StringBuilder;
use arrow_schema::DataType;
use std::path::Path;
use std::sync::Arc;

/// Rows of a batch.
const ROWS: usize = 1 << 16;

/// Raw data is written as it is; it goes to no spreadsheet.
fn options() -> WriteOptions {
    WriteOptions {
        guard_formulas: false,
        ..WriteOptions::default()
    }
}

fn text(name: &str) -> Field {
    Field::new(name, Role::Plain, Kind::Plain(DataType::Utf8))
}

/// Writes one row a person: id, place, kept fields, topics.
pub(super) fn write_nodes(
    path: &Path,
    names: &[String],
    persons: &Persons,
    places: &Taxonomy,
    (topics, interests): (Option<&Taxonomy>, &[Vec<Option<u32>>]),
) -> Result<()> {
    let label = |name: &str| Field::new(name, Role::Quasi, Kind::Category { ordered: false });
    let plain = 2 + persons.kept.len();
    let field = |(place, name): (usize, &String)| match place {
        1 => label(name),
        place if place < plain => text(name),
        _ => label(name),
    };
    let fields = names.iter().enumerate().map(field).collect();
    let schema = Arc::new(Schema::new(fields)?);
    let place_labels = labels(places);
    let topic_labels = topics.map(labels).unwrap_or_default();
    let mut file = io::create(path, &options(), &schema)?;
    let all = persons.places.len();
    for start in (0..all).step_by(ROWS) {
        let rows = start..all.min(start + ROWS);
        let ids = rows
            .clone()
            .map(|row| Some(persons.ids.levels().get(row as u32)));
        let places = rows.clone().map(|row| match persons.places[row] {
            node if node == places.missing() => MISSING,
            node => node,
        });
        let mut columns = vec![plain_column(ids), category(places.collect(), &place_labels)];
        for kept in &persons.kept {
            columns.push(plain_column(
                kept[rows.clone()].iter().map(Option::as_deref),
            ));
        }
        for topics in interests {
            let codes = topics[rows.clone()]
                .iter()
                .map(|topic| topic.unwrap_or(MISSING));
            columns.push(category(codes.collect(), &topic_labels));
        }
        let ids = RowIds::Range {
            start: start as u64,
            len: rows.len(),
        };
        file.write(&Batch::new(Arc::clone(&schema), ids, columns)?)?;
    }
    file.close()
}

/// The label of each node of a taxonomy but the missing one.
fn labels(taxonomy: &Taxonomy) -> Arc<Levels> {
    let label = |node| taxonomy.shown(node).unwrap_or_default();
    Arc::new((0..taxonomy.missing()).map(label).collect())
}

fn category(codes: Vec<u32>, levels: &Arc<Levels>) -> Column {
    Column::Category(Categories::new(codes, Arc::clone(levels)))
}

fn plain_column<'a>(cells: impl Iterator<Item = Option<&'a str>>) -> Column {
    let mut texts = StringBuilder::new();
    cells.for_each(|cell| texts.append_option(cell));
    Column::Plain(Arc::new(texts.finish()))
}

/// An edge list that grows.
pub(super) struct EdgeTable<'a> {
    ids: &'a LevelsBuilder,
    schema: Arc<Schema>,
    file: Box<dyn Sink>,
    waiting: Vec<(u32, u32)>,
    written: u64,
}

impl<'a> EdgeTable<'a> {
    pub(super) fn create(path: &Path, ids: &'a LevelsBuilder) -> Result<Self> {
        let schema = Arc::new(Schema::new(vec![text("from"), text("to")])?);
        Ok(EdgeTable {
            ids,
            file: io::create(path, &options(), &schema)?,
            schema,
            waiting: Vec::new(),
            written: 0,
        })
    }

    pub(super) fn push(&mut self, edge: (u32, u32)) -> Result<()> {
        self.waiting.push(edge);
        match self.waiting.len() {
            ROWS => self.flush(),
            _ => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<()> {
        let edges = std::mem::take(&mut self.waiting);
        let end = |end: fn(&(u32, u32)) -> u32| {
            let ids = edges
                .iter()
                .map(|edge| Some(self.ids.levels().get(end(edge))));
            plain_column(ids)
        };
        let columns = vec![end(|edge| edge.0), end(|edge| edge.1)];
        let ids = RowIds::Range {
            start: self.written,
            len: edges.len(),
        };
        self.written += edges.len() as u64;
        self.file
            .write(&Batch::new(Arc::clone(&self.schema), ids, columns)?)
    }

    /// Ends the file; gives the number of its rows.
    pub(super) fn close(mut self) -> Result<u64> {
        self.flush()?;
        self.file.close()?;
        Ok(self.written)
    }
}
