//! How the values of each column are distributed, before and after.
//!
//! Only released rows and their originals are counted: a difference between
//! before and after would tell what suppressed persons had.

use crate::data::{Batch, Column, Domain, Domains, Field, Role};
use crate::error::Result;
use crate::measure::{Histogram, HistogramBuilder};
use std::collections::HashMap;

/// Histograms and missing cells by column.
pub(super) struct Distributions {
    histograms: HashMap<String, HistogramBuilder>,
    missing_before: HashMap<String, u64>,
    missing_after: HashMap<String, u64>,
}

impl Distributions {
    /// Of releases of `original`; plain columns and those that name persons have no histogram.
    pub(super) fn new(original: &Batch, domains: &Domains) -> Result<Self> {
        let mut histograms = HashMap::new();
        for (field, column) in original.schema().fields().iter().zip(original.columns()) {
            if !is_shown(field, column) {
                continue;
            }
            let domain = match domains.get(&field.name) {
                Some(domain) => domain.clone(),
                None => Domain::of(field, column, None)?,
            };
            histograms.insert(field.name.to_string(), HistogramBuilder::new(&domain));
        }
        Ok(Distributions {
            histograms,
            missing_before: HashMap::new(),
            missing_after: HashMap::new(),
        })
    }

    /// Row `i` of `released` was released for row `i` of `original`.
    pub(super) fn observe(&mut self, original: &Batch, released: &Batch) {
        count_missing(&mut self.missing_before, original);
        count_missing(&mut self.missing_after, released);
        for (name, histogram) in &mut self.histograms {
            if let Some(column) = original.column_named(name) {
                histogram.observe_original(column);
            }
            if let Some(column) = released.column_named(name) {
                histogram.observe_released(column);
            }
        }
    }

    /// The histogram of a column, if it has one.
    pub(super) fn histogram(&self, name: &str) -> Option<Histogram> {
        self.histograms.get(name).map(HistogramBuilder::finish)
    }

    /// Missing cells of a column in the originals of the released rows.
    pub(super) fn missing_before(&self, name: &str) -> Option<u64> {
        self.missing_before.get(name).copied()
    }

    /// Missing cells of a released column.
    pub(super) fn missing_after(&self, name: &str) -> Option<u64> {
        self.missing_after.get(name).copied()
    }
}

fn is_shown(field: &Field, column: &Column) -> bool {
    let telling = matches!(
        field.role,
        Role::Quasi | Role::Sensitive | Role::Class | Role::Time
    );
    telling && !matches!(column, Column::Plain(_))
}

fn count_missing(counts: &mut HashMap<String, u64>, batch: &Batch) {
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        *counts.entry(field.name.to_string()).or_default() += column.missing_count() as u64;
    }
}
