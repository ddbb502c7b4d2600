//! What is asked of one sensitive column, and its values as codes.

use super::ask::Ask;
use super::dense::{Dense, dense};
use super::tally::Tally;
use super::whole::Whole;
use crate::data::{Batch, Column, Domains};
use crate::error::{Error, Result};
use crate::guarantee::{
    Absence, ColumnPromise, Diversity, Ground, Guarantee, Likeness, Sensitivity, TCloseness,
};
use std::sync::Arc;

/// What is asked of one sensitive column.
pub(super) struct Sensitive {
    pub(super) name: String,
    /// The code of each row's value.
    pub(super) values: Vec<u32>,
    pub(super) value_count: usize,
    /// Whether each value is the same number as the one before, written differently.
    repeats: Vec<bool>,
    pub(super) asks: Vec<Ask>,
    /// What each ask is called in a policy, with its figure.
    pub(super) labels: Vec<String>,
    pub(super) whole: Whole,
}

/// The sensitive columns that the guarantee speaks of. A column is there twice where a reader
/// sees fewer values than there are texts and both kinds of promises are made of it.
pub(super) fn sensitive(
    guarantee: &Guarantee,
    batch: &Batch,
    subjects: Option<&[u32]>,
    domains: &Domains,
) -> Result<Vec<Sensitive>> {
    let mut names: Vec<&str> = guarantee.of_columns().map(ColumnPromise::column).collect();
    names.sort_unstable();
    names.dedup();
    let mut columns = Vec::new();
    for name in names {
        let promises = || guarantee.of_columns().filter(|p| p.column() == name);
        let add = |batch: &Batch, promises: Vec<ColumnPromise<'_>>| {
            Sensitive::new(name, &promises, batch, subjects, domains)
        };
        match as_it_looks(batch, name)? {
            None => columns.push(add(batch, promises().collect())?),
            Some(seen) => {
                let (diverse, close): (Vec<_>, Vec<_>) = promises().partition(|p| p.is_diversity());
                for (batch, promises) in [(&seen, diverse), (batch, close)] {
                    if !promises.is_empty() {
                        columns.push(add(batch, promises)?);
                    }
                }
            }
        }
    }
    Ok(columns)
}

impl Sensitive {
    fn new(
        name: &str,
        promises: &[ColumnPromise<'_>],
        batch: &Batch,
        subjects: Option<&[u32]>,
        domains: &Domains,
    ) -> Result<Self> {
        let index = batch.schema().index_of(name).ok_or_else(|| {
            Error::policy(format!(
                "the guarantee speaks of a column `{name}` that is not in the data"
            ))
        })?;
        let in_tree = |promise: &ColumnPromise<'_>| matches!(promise, ColumnPromise::T(t) if t.distance == Ground::Hierarchical);
        let dense = dense(batch, index, domains, promises.iter().any(in_tree))?;
        let asks = promises
            .iter()
            .map(|promise| ask(*promise, &dense, domains));
        let (labels, asks) = asks.collect::<Result<Vec<_>>>()?.into_iter().unzip();
        let mut column = Sensitive {
            name: name.to_owned(),
            values: dense.codes,
            value_count: dense.values,
            repeats: dense.repeats,
            asks,
            labels,
            whole: Whole::default(),
        };
        if column.compares() {
            let rows: Vec<u32> = (0..batch.len() as u32).collect();
            column.weigh(&rows, subjects);
        }
        Ok(column)
    }

    /// Whether classes are compared with the whole.
    pub(super) fn compares(&self) -> bool {
        self.asks.iter().any(Ask::compares)
    }

    /// The distribution of the rows that classes are compared with, with and
    /// without missing values.
    pub(super) fn weigh(&mut self, rows: &[u32], subjects: Option<&[u32]>) {
        let mut tally = Tally::new(self.value_count, &self.asks);
        for &row in rows {
            let row = row as usize;
            tally.add(self.values[row], subjects.map(|s| s[row]));
        }
        self.whole = tally.whole(&self.repeats);
    }
}

/// What a promise asks of a class, and what it is called in a policy, with its figure.
fn ask(promise: ColumnPromise<'_>, dense: &Dense, domains: &Domains) -> Result<(String, Ask)> {
    Ok(match promise {
        ColumnPromise::L(l) => {
            let ask = match l.kind {
                Diversity::Distinct => Ask::Distinct(l.l.ceil() as usize),
                Diversity::Entropy => Ask::Entropy(l.l),
                Diversity::Recursive { c } => Ask::Recursive {
                    c,
                    l: l.l.ceil() as usize,
                },
            };
            (format!("l={}", l.l), ask)
        }
        ColumnPromise::P(p) => {
            let ask = match p.kind {
                Sensitivity::Distinct => Ask::Distinct(p.p as usize),
                Sensitivity::Each => Ask::Each(p.p),
            };
            (format!("p={}", p.p), ask)
        }
        ColumnPromise::T(t) => (format!("t={}", t.t), closeness(t, dense, domains)?),
        ColumnPromise::Beta(beta) => {
            let ask = Ask::Likeness {
                beta: beta.beta,
                enhanced: beta.kind == Likeness::Enhanced,
            };
            (format!("beta={}", beta.beta), ask)
        }
        ColumnPromise::Delta(delta) => {
            let ask = Ask::Disclosure {
                delta: delta.delta,
                absent: delta.absent == Absence::Infinite,
            };
            (format!("delta={}", delta.delta), ask)
        }
    })
}

fn closeness(t: &TCloseness, dense: &Dense, domains: &Domains) -> Result<Ask> {
    let name = &t.column;
    match t.distance {
        Ground::Equal => Ok(Ask::Equal(t.t)),
        Ground::Ordered if !dense.in_order => Err(Error::policy(format!(
            "ordered t-closeness needs an order of `{name}`, and its values are not numbers"
        ))
        .help("declare `order`, or use distance = \"equal\" or \"hierarchical\"")),
        Ground::Ordered => Ok(Ask::Ordered(t.t)),
        Ground::Hierarchical => {
            let tree = domains
                .get(name)
                .and_then(|domain| domain.hierarchy.clone())
                .ok_or_else(|| {
                    Error::policy(format!(
                        "hierarchical t-closeness needs a hierarchy of `{name}`"
                    ))
                })?;
            let leaves = dense
                .texts
                .iter()
                .map(|text| tree.leaf(text))
                .collect::<Option<Vec<u32>>>()
                .ok_or_else(|| {
                    Error::policy(format!(
                        "the hierarchy of `{name}` misses values of the data"
                    ))
                })?;
            Ok(Ask::Hierarchical(t.t, tree, leaves))
        }
    }
}

/// The table with the values of the column as a reader sees them, where that is fewer:
/// `flu` and `Flu ` are one, and `*` is none.
fn as_it_looks(batch: &Batch, name: &str) -> Result<Option<Batch>> {
    let place = batch.schema().index_of(name);
    let Some(place) = place else {
        return Ok(None);
    };
    let Some(categories) = batch.column(place).as_categories() else {
        return Ok(None);
    };
    let seen = categories.as_they_look();
    if seen.levels().len() == categories.levels().len() {
        return Ok(None);
    }
    let mut columns = batch.columns().to_vec();
    columns[place] = Column::Category(seen);
    let schema = Arc::clone(batch.schema());
    Batch::new(schema, batch.rows().clone(), columns).map(Some)
}
