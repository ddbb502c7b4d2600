//! How the values of each column are distributed, before and after.
//!
//! Only released rows and their originals are counted: a difference between
//! before and after would tell what suppressed persons had.

use crate::data::{Batch, Column, Domains, Field, Role};
use crate::engine::plan::{Action, Plan};
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

    /// Row `i` of `released` was released for row `i` of `original`.
    pub(crate) fn observe(&mut self, original: &Batch, released: &Batch) {
        count_missing(&mut self.missing_before, original);
        count_missing(&mut self.missing_after, released);
        for (name, builder) in &mut self.generalised {
            if let Some(column) = released.column_named(name) {
                builder.observe_released(column);
            }
        }
    }

    /// Counts the originals of the released rows, which are at these places, once all of
    /// them were seen. Of columns that are `masked` originals are not told.
    pub(crate) fn finish(
        &mut self,
        plan: &Plan,
        original: &Batch,
        released: &[u64],
        masked: &[String],
    ) {
        let fields = original.schema().fields().par_iter();
        let histograms = fields
            .zip(original.columns())
            .filter_map(|(field, column)| {
                let action = plan.column(&field.name).map(|column| &column.action);
                let withheld = matches!(action, Some(Action::Drop | Action::Pseudonym { .. }))
                    || field.role != Role::Quasi && masked.iter().any(|name| **name == *field.name);
                let found = (!withheld).then(|| self.count(field, column, released))??;
                Some((field.name.to_string(), found))
            });
        self.histograms = histograms.collect();
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

fn count_missing(counts: &mut HashMap<String, u64>, batch: &Batch) {
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        *counts.entry(field.name.to_string()).or_default() += column.missing_count() as u64;
    }
}
