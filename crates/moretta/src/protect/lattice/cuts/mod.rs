//! Cuts: the partition of every column into runs of values, the same for all rows, that loses
//! least of all.

mod columns;
mod partition;
mod search;
#[cfg(test)]
mod tests;

use super::Lattice;
use crate::data::{Batch, Role, Schema};
use crate::error::{Error, Result};
use crate::protect::Setting;
use crate::protect::generalization::{Class, group, keep};
use crate::protect::limits::Limits;
use crate::protect::solutions::{Solution, Solutions};
use crate::protect::table::{Release, TableMethod, quasi_as_text};
use partition::{CutSet, CutTable, Evaluation, MOST_CUTS};
use search::Search;
use std::cmp::Ordering;
use std::sync::Arc;

/// A search for cuts, ready for a table.
pub(super) struct Ready {
    pub(super) config: Lattice,
    pub(super) setting: Setting,
    /// Sets of cuts that are looked at.
    pub(super) most: usize,
    /// Places where a column can be cut; all where it is not given.
    pub(super) per_column: Option<usize>,
}

impl TableMethod for Ready {
    fn schema(&self, original: &Schema) -> Result<Schema> {
        let quasi = original.with_role(Role::Quasi);
        if quasi.is_empty() {
            return Err(Error::policy(
                "no column has the role `quasi`; there is nothing to generalise",
            ));
        }
        let guarantee = &self.setting.guarantee;
        if guarantee.average_risk.is_some() || guarantee.population().is_some() {
            return Err(Error::policy(
                "a search for cuts keeps promises of classes, not of averages or of a population",
            )
            .help("use search = \"optimal\" with hierarchies, or take the promise out"));
        }
        quasi_as_text(original)
    }

    fn release(&self, table: &Batch) -> Result<Release> {
        let mut limits = Limits::new(&self.setting.guarantee, table, &self.setting.domains)?;
        if let Some(error) = limits.refusal(table.len(), true) {
            return Err(error);
        }
        let places = table.schema().with_role(Role::Quasi);
        let weight = |name: &str| self.setting.domains.weight(name);
        let columns = columns::columns(table, &places, weight, self.per_column)?;
        // As in ARX, the budget is rounded down.
        let budget = (self.config.suppress * table.len() as f64).floor() as u64;
        let cut = CutTable::new(&columns, &limits, self.config.metric, budget);
        let cut = cut.ok_or_else(too_many)?;
        let trail = &self.setting.trail;
        trail.begin();
        let mut search = Search {
            table: &cut,
            most: self.most as u64,
            cancel: &self.setting.cancel,
            watch: |cuts: &CutSet, evaluation: &Evaluation, gap| {
                trail.add(solution(&cut, cuts, evaluation), gap);
            },
        };
        let found = search.run()?;
        let Some((cuts, evaluation)) = found.best else {
            return Err(self.unreachable(found.least_suppressed, table.len()));
        };
        let names = places
            .iter()
            .map(|&place| &*table.schema().fields()[place].name);
        let names: Vec<String> = names.map(str::to_owned).collect();
        let solutions = Solutions {
            heights: columns.iter().map(|column| column.n_bins - 1).collect(),
            metric: self.config.metric.name(),
            nodes: 2f64.powi(cut.cuts as i32),
            looked_at: found.looked_at,
            gap: found.gap(),
            best: vec![solution(&cut, &cuts, &evaluation)],
            of_cuts: true,
            columns: names,
            below: Vec::new(),
        };
        let mut shown = table.columns().to_vec();
        for (column, (&place, name)) in places.iter().zip(&solutions.columns).enumerate() {
            let domain = self.setting.domains.require(name)?.clone();
            let parts = cut.parts(&cuts, column);
            shown[place] = columns[column].recode(&parts, &domain.without_hierarchy())?;
        }
        drop(cut);
        let classes = group(places.iter().map(|&place| &shown[place]), table.len());
        let class = |rows| Class {
            rows,
            population: 0,
        };
        let classes = classes.into_iter().map(class).collect();
        let (stay, _) = keep(classes, &mut limits, |_, _| Ordering::Equal)?;
        let gone = (table.len() - stay.len()) as u64;
        if gone > budget {
            return Err(self.unreachable(Some(gone), table.len()));
        }
        let schema = Arc::new(self.schema(table.schema())?);
        let all = Batch::new(schema, table.rows().clone(), shown)?;
        let batch = if gone == 0 { all } else { all.take(&stay)? };
        let suppressed = vec![(
            "the class was too small or not diverse enough".to_owned(),
            gone,
        )];
        Ok(Release {
            solutions: Some(solutions),
            ..Release::new(batch, suppressed)
        })
    }
}

impl Ready {
    /// No set of cuts keeps the promises.
    fn unreachable(&self, least: Option<u64>, rows: usize) -> Error {
        let percent = |share: f64| (share * 1000.0).round() / 10.0;
        let least = least.unwrap_or(rows as u64) as f64 / rows.max(1) as f64;
        Error::guarantee(format!(
            "no cuts keep the promises within {} % suppression; best {} %",
            percent(self.config.suppress),
            percent(least)
        ))
        .help("raise `suppress`, or use method = \"mondrian\"")
    }
}

fn too_many() -> Error {
    Error::policy(format!(
        "the quasi-identifiers have more than {MOST_CUTS} places to cut, or are too many"
    ))
    .help("write cuts_per_column = 15, say: the best cuts are found among as many of each column")
}

fn solution(table: &CutTable<'_>, cuts: &CutSet, evaluation: &Evaluation) -> Solution {
    Solution {
        levels: table.cuts_by_column(cuts),
        holds: evaluation.holds,
        loss: evaluation.holds.then_some(evaluation.value),
        suppressed: evaluation.suppressed,
        classes: evaluation.classes,
    }
}
