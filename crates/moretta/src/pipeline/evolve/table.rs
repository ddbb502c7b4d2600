//! The cells of a policy in memory, for studies: what methods make of them, and what a search
//! begins with.

use super::categories;
use super::cells::Cells;
use super::numbers::NumberFiles;
use super::start::{self, Start, start};
use crate::data::{CategoricalTable, Records};
use crate::engine::{Context, Order, Plan, Progress};
use crate::error::{Error, Result};
use crate::pipeline::trial::{Rows, read};
use crate::policy::Policy;

/// The cells that `[evolve]` of a policy is about. Nothing of them is released here.
pub struct SearchTable {
    cells: Cells,
    context: Context,
}

impl SearchTable {
    /// Reads the source of a policy.
    ///
    /// # Errors
    /// When the policy has no `[evolve]`, or its columns cannot be searched.
    pub fn read(policy: &Policy) -> Result<Self> {
        let evolve = policy.evolve.as_ref();
        let evolve = evolve.ok_or_else(|| Error::policy("the policy has no [evolve]"))?;
        let progress = Progress::default();
        Ok(SearchTable {
            cells: Cells::of(policy, evolve, &read(policy, &progress)?)?,
            context: policy.context(&progress)?,
        })
    }

    /// The names of the columns.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.cells.names()
    }

    /// The categories of a column, whose places are their codes; none of numbers.
    pub fn categories(&self, place: usize) -> Option<&[String]> {
        self.cells.categories[place].as_deref()
    }

    /// The originals as numbers and codes; NaN is a missing value.
    pub fn originals(&self) -> &Records {
        &self.cells.records
    }

    /// Records of these columns as a table of categories; a missing value is the last one.
    ///
    /// # Errors
    /// When the columns hold numbers, or these are not such records.
    pub fn categorical(&self, records: &Records) -> Result<CategoricalTable> {
        if !self.cells.are_categories() {
            return Err(Error::policy("the columns hold numbers, not categories"));
        }
        let (originals, _) = categories::coded(&self.cells)?;
        categories::table(originals.variables().to_vec(), records)
    }

    /// What makes files of numbers, with so many bits each, of these originals.
    pub fn number_files(&self, bits: u32) -> NumberFiles {
        NumberFiles::new(&self.cells, bits)
    }

    /// What every method of the grid makes of the cells, and what made it.
    ///
    /// # Errors
    /// When hardly any can protect them.
    pub fn start(&self, seed: u64) -> Result<Vec<(String, Records)>> {
        let made = start(&self.cells, seed, &self.context)?;
        Ok(made
            .into_iter()
            .map(|Start { label, records }| (label, records))
            .collect())
    }

    /// What the methods, the promise, the clusters and the seed of a plan make of the cells, in
    /// their order; regions that are released become one value that they cover. None where rows
    /// would be left out.
    ///
    /// # Errors
    /// When the plan cannot protect them.
    pub fn protected(&self, plan: &Plan) -> Result<Option<Records>> {
        let plan = Plan {
            columns: self.cells.columns.clone(),
            order: Order::Input,
            ..plan.clone()
        };
        let rows = Rows::of(self.cells.batch.clone());
        start::protected(&self.cells, plan, &rows, &start::unwatched(&self.context))
    }
}
