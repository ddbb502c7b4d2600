//! How the values of each column are distributed, before and after.
//!
//! Only released rows and their originals are counted: a difference between
//! before and after would tell what suppressed persons had.

use crate::data::{Batch, Column, Domains, Field, Role};
use crate::engine::plan::{Action, Plan};
use crate::error::Result;
use crate::measure::{Histogram, HistogramBuilder, kept};
use rayon::prelude::*;
use std::collections::HashMap;

/// Histograms and missing cells by column.
pub(crate) struct Distributions {
    generalised: HashMap<String, HistogramBuilder>,
    histograms: HashMap<String, Histogram>,
    missing_before: HashMap<String, u64>,
    missing_after: HashMap<String, u64>,
}

impl Distributions {
    /// Of a release of `original`; columns that name persons have no histogram.
    pub(crate) fn new(plan: &Plan, original: &Batch, domains: &Domains) -> Self {
        let quasi = domains.quasi(original.schema()).into_iter();
        let builders = quasi.map(|(name, domain)| {
            let builder = match plan.represents(&name) {
                true => HistogramBuilder::of_representatives(&domain),
                false => HistogramBuilder::new(&domain),
            };
            (name, builder)
        });
        Distributions {
            generalised: builders.collect(),
            histograms: HashMap::new(),
            missing_before: HashMap::new(),
            missing_after: HashMap::new(),
        }
    }

    /// Takes released rows.
    pub(crate) fn observe(&mut self, released: &Batch) {
        let columns = released.schema().fields().iter().zip(released.columns());
        for (field, column) in columns {
            let missing = self.missing_after.entry(field.name.to_string());
            *missing.or_default() += column.missing_count() as u64;
        }
        for (name, builder) in &mut self.generalised {
            if let Some(column) = released.column_named(name) {
                builder.observe_released(column);
            }
        }
    }

    /// Counts the originals of the released rows, once all of these were seen: all but those
    /// at the places `suppressed`, which ascend. Of columns that are `masked` or recoded
    /// originals are not told.
    pub(crate) fn finish(
        &mut self,
        plan: &Plan,
        original: &Batch,
        suppressed: &[u32],
        masked: &[String],
    ) -> Result<()> {
        let columns = original.schema().fields().iter().zip(original.columns());
        for (field, column) in columns {
            let missing = column.missing_count() - column.take(suppressed)?.missing_count();
            self.missing_before
                .insert(field.name.to_string(), missing as u64);
        }
        let mut gone = suppressed.iter().copied().peekable();
        let places = (0..original.len() as u32).filter(|place| gone.next_if_eq(place).is_none());
        let released: Vec<u64> = places.map(u64::from).collect();
        let fields = original.schema().fields().par_iter();
        let histograms = fields
            .zip(original.columns())
            .filter_map(|(field, column)| {
                let action = plan.column(&field.name).map(|column| &column.action);
                let changed =
                    masked.iter().any(|name| **name == *field.name) || plan.codes(&field.name);
                let withheld = matches!(action, Some(action) if *action != Action::Keep)
                    || field.role != Role::Quasi && changed;
                let found = (!withheld).then(|| self.count(field, column, &released))??;
                Some((field.name.to_string(), found))
            });
        self.histograms = histograms.collect();
        Ok(())
    }

    fn count(&self, field: &Field, column: &Column, released: &[u64]) -> Option<Histogram> {
        match field.role {
            Role::Quasi => {
                let builder = self.generalised.get(&*field.name)?;
                builder.finish(column, released)
            }
            Role::Sensitive | Role::Class | Role::Time | Role::Plain => {
                kept(column, &field.kind, released)
            }
            _ => None,
        }
    }

    /// The histogram of a column, if it has one.
    pub(crate) fn histogram(&self, name: &str) -> Option<&Histogram> {
        self.histograms.get(name)
    }

    /// Missing cells of a column in the originals of the released rows.
    pub(crate) fn missing_before(&self, name: &str) -> Option<u64> {
        self.missing_before.get(name).copied()
    }

    /// Missing cells of a released column.
    pub(crate) fn missing_after(&self, name: &str) -> Option<u64> {
        self.missing_after.get(name).copied()
    }
}
