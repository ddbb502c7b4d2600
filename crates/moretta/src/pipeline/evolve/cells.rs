//! The cells that a search works on: the protected columns of a table, alone.

use crate::data::{Attribute, Batch, Column, Encoder, Field, Records, Role, Schema};
use crate::engine::{ColumnPolicy, Original};
use crate::error::{Error, Result};
use crate::policy::{Evolve, Policy};
use std::sync::Arc;

/// The protected columns.
pub(super) struct Cells {
    /// All rows in the order of the source, with these columns and the role of a quasi-identifier.
    pub(super) batch: Batch,
    /// What the policy says of each column, without its hierarchy.
    pub(super) columns: Vec<ColumnPolicy>,
    /// What the numbers of each column mean.
    pub(super) attributes: Vec<Attribute>,
    /// The categories of each column, whose places are their codes; none of numbers.
    pub(super) categories: Vec<Option<Vec<String>>>,
    /// The originals as numbers and codes; NaN is a missing value.
    pub(super) records: Records,
}

impl Cells {
    /// Those that `[evolve]` names, or all quasi-identifiers.
    ///
    /// # Errors
    /// When there are none, or they are neither all categories nor all numbers.
    pub(super) fn of(policy: &Policy, evolve: &Evolve, original: &Original) -> Result<Self> {
        let at = |error: Error| Err(error.at(evolve.span.clone()));
        let schema = original.batch.schema();
        let places = match &evolve.columns {
            None => schema.with_role(Role::Quasi),
            Some(names) => {
                let places = names.iter().filter_map(|name| schema.index_of(name));
                places.collect()
            }
        };
        if original.batch.is_empty() {
            return Err(Error::input("the source has no rows to search over")
                .help("bring a table with rows"));
        }
        if places.is_empty() {
            return at(Error::policy("there are no cells to protect")
                .help("give columns the role quasi, or name them under `columns`"));
        }
        let field = |&place: &usize| Field {
            role: Role::Quasi,
            ..schema.fields()[place].clone()
        };
        let fields: Vec<Field> = places.iter().map(field).collect();
        let columns = places
            .iter()
            .map(|&place| original.batch.column(place).clone());
        let columns: Vec<Column> = columns.collect();
        let categorical = columns
            .iter()
            .filter(|c| c.as_categories().is_some())
            .count();
        if categorical != 0 && categorical != columns.len() {
            return at(Error::policy(
                "some columns hold categories and others numbers, and a search works on one kind",
            )
            .help("name columns of one kind under `columns`, or give all the type category"));
        }
        let planned = fields.iter().map(|field| {
            let own = policy.plan.column(&field.name).cloned();
            let own = own.unwrap_or_else(|| ColumnPolicy::new(&*field.name, Role::Quasi));
            ColumnPolicy {
                role: Role::Quasi,
                hierarchy: None,
                ..own
            }
        });
        let planned = planned.collect();
        let categories = columns.iter().map(|column| {
            let levels = column.as_categories()?.levels();
            Some(levels.iter().map(str::to_owned).collect())
        });
        let categories: Vec<Option<Vec<String>>> = categories.collect();
        let schema = Arc::new(Schema::new(fields)?);
        let batch = Batch::new(schema, original.batch.rows().clone(), columns)?;
        let mut cells = Cells {
            columns: planned,
            attributes: Vec::new(),
            categories,
            records: Records::default(),
            batch,
        };
        let mut encoder = cells.encoder()?;
        encoder.encode(&cells.batch, &mut cells.records)?;
        cells.attributes = encoder.attributes();
        Ok(cells)
    }

    /// Makes records of these columns, with the codes of these categories.
    fn encoder(&self) -> Result<Encoder> {
        let places: Vec<usize> = (0..self.categories.len()).collect();
        let mut encoder = Encoder::new(self.batch.schema(), &places)?;
        for (place, categories) in self.categories.iter().enumerate() {
            if let Some(categories) = categories {
                encoder.declare(place, categories);
            }
        }
        Ok(encoder)
    }

    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.batch.len()
    }

    /// How many columns there are.
    pub(super) fn width(&self) -> usize {
        self.categories.len()
    }

    /// Whether they hold categories.
    pub(super) fn are_categories(&self) -> bool {
        self.categories.iter().all(Option::is_some)
    }

    /// The names of the columns.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.batch
            .schema()
            .fields()
            .iter()
            .map(|field| &*field.name)
    }

    /// Whether the order of the categories of a column means something.
    pub(super) fn is_ordered(&self, place: usize) -> bool {
        matches!(self.attributes[place], Attribute::Ordinal { .. })
    }

    /// How often each category of a column is there.
    pub(super) fn counts(&self, place: usize) -> Vec<usize> {
        let categories = self.categories[place].as_ref();
        let mut counts = vec![0; categories.map_or(0, Vec::len)];
        for code in self.records.column(place).filter(|code| !code.is_nan()) {
            counts[code as usize] += 1;
        }
        counts
    }
}
