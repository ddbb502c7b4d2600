//! How the values of each column are distributed, before and after.
//!
//! Only released rows and their originals are counted: a difference between
//! before and after would tell what suppressed persons had.

use crate::data::hierarchy::{Hierarchy, distinct_texts};
use crate::data::{Batch, Column, Domain, Domains, Field, Role};
use crate::error::Result;
use crate::measure::{Histogram, HistogramBuilder};
use std::collections::HashMap;
use std::sync::Arc;

/// Histograms and missing cells by column.
pub(super) struct Distributions {
    histograms: HashMap<String, HistogramBuilder>,
    missing_before: HashMap<String, u64>,
    missing_after: HashMap<String, u64>,
}

impl Distributions {
    /// Of a release of the rows `released` of `original`; plain columns and those that name
    /// persons have no histogram.
    pub(super) fn new(original: &Batch, domains: &Domains, released: &[u64]) -> Result<Self> {
        let all = released.len() == original.len();
        let rows: Vec<u32> = released.iter().map(|&id| id as u32).collect();
        let mut histograms = HashMap::new();
        for (field, column) in original.schema().fields().iter().zip(original.columns()) {
            if !is_shown(field, column) {
                continue;
            }
            let known = domains.get(&field.name);
            let histogram = match (known, all) {
                (Some(domain), true) => HistogramBuilder::new(domain),
                (None, true) => HistogramBuilder::new(&Domain::of(field, column, None)?),
                (known, false) => {
                    let tree = known.and_then(|domain| domain.hierarchy.clone());
                    of_released(field, &column.take(&rows)?, tree)?
                }
            };
            histograms.insert(field.name.to_string(), histogram);
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

/// A bin or a share for what suppressed rows alone held would tell of them.
fn of_released(
    field: &Field,
    column: &Column,
    tree: Option<Arc<Hierarchy>>,
) -> Result<HistogramBuilder> {
    let domain = Domain::of(field, &column.used(&field.kind), tree.clone())?;
    let mut histogram = HistogramBuilder::new(&domain);
    if let Some(tree) = tree.filter(|tree| !tree.is_declared()) {
        let mut leaves = vec![false; tree.leaf_count()];
        for text in distinct_texts(&field.kind, column)?.iter() {
            if let Some(leaf) = tree.leaf(text) {
                leaves[leaf as usize] = true;
            }
        }
        histogram.count_leaves(leaves);
    }
    Ok(histogram)
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
