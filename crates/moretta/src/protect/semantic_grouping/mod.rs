//! Semantic grouping: rows that mean nearly the same show their lowest common ancestors.
//!
//! Each quasi-identifier has a taxonomy, which is its hierarchy. The distance of two values is
//! the number of steps from both up to their lowest common ancestor, divided by twice the height
//! of the taxonomy; that of two rows is the mean over the columns. The first row that is in no
//! group yet takes the k − 1 rows nearest to it (of several the first), and more of them until
//! the guarantee holds; when what is left could not be a group, it is the last one together with
//! these. Every column of a group shows the lowest common ancestor of its values, `*` where that
//! is the root. A column without a hierarchy shows a value that all rows of the group share, or
//! `*`; give numbers `intervals`.
//!
//! **Protects against** linking a person to a row by the quasi-identifiers and,
//! with l, t or p, against learning a sensitive value from a whole class.
//! **Does not protect against** an attacker who compares several releases, nor, in a social
//! graph, against one who knows links between nodes. Groups are made one after the other, so the
//! last ones hold what the others have left, and may lose much; weights of columns play no part.
//!
//! **Costs** n² / (2 k) distances in a table of at most `part` rows. In a larger one rows that
//! are equal and enough for a group are one at once, and the others are first divided where
//! their taxonomies branch, until no part has more rows: the time then grows with n times `part`.
//! Needs the whole table.
//!
//! **From** Marés, Categorical data protection on statistical datasets and social networks, UAB
//! 2013, chapter 6: k-anonymity of the nodes of a social graph.
//!
//! ```toml
//! [[protect]]
//! method = "semantic-grouping"
//! ```

mod divide;
mod groups;
mod joined;

pub use groups::nearest_groups;

use super::Setting;
use super::config::{MethodConfig, Shown};
use super::limits::Limits;
use super::table::{Release, TableMethod, quasi_as_text};
use crate::cancel::Cancel;
use crate::config::{Absent, Accepts, Parameter, Section};
use crate::data::{
    Batch, Categories, Column, LevelsBuilder, MISSING, Role, Schema, SemanticSpace, Taxonomy,
};
use crate::error::{Error, Result};
use std::sync::Arc;

/// Semantic grouping with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct SemanticGrouping {
    /// Rows that are compared with each other.
    pub part: usize,
}

const PART: Parameter = Parameter::new(
    "part",
    Accepts::Whole(1, 1 << 20),
    Absent::Whole(1 << 13),
    "how many rows are compared with each other at most; a larger part loses less, and takes longer",
);

impl Default for SemanticGrouping {
    fn default() -> Self {
        SemanticGrouping { part: 1 << 13 }
    }
}

impl SemanticGrouping {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[PART];

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        Ok(SemanticGrouping {
            part: section.whole(&PART)?,
        })
    }

    /// Writes its parameters as [`SemanticGrouping::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        section.set(&PART, self.part);
    }
}

impl MethodConfig for SemanticGrouping {
    fn is_random(&self) -> bool {
        false
    }

    fn shows(&self, _column: &str, hierarchy: bool) -> Shown {
        match hierarchy {
            true => Shown::Labels,
            false => Shown::Values,
        }
    }

    fn decides(&self) -> bool {
        true
    }

    fn suppress(&self) -> Option<f64> {
        Some(0.0)
    }

    fn table(&self, setting: &Setting) -> Option<Box<dyn TableMethod>> {
        Some(Box::new(Ready {
            part: self.part,
            setting: setting.clone(),
        }))
    }
}

struct Ready {
    part: usize,
    setting: Setting,
}

/// The rows as nodes of the taxonomies of their quasi-identifiers.
struct Records {
    space: SemanticSpace,
    /// The node of each row, column by column.
    columns: Vec<Vec<u32>>,
    rows: usize,
    cancel: Cancel,
}

/// Rows that show the same, and what that is in each column.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    rows: Vec<u32>,
    shown: Vec<u32>,
}

impl Records {
    fn group(&self, rows: Vec<u32>) -> Group {
        let shown = (0..self.columns.len()).map(|column| self.common(column, &rows));
        Group {
            shown: shown.collect(),
            rows,
        }
    }

    /// The lowest node that covers the values of these rows.
    fn common(&self, column: usize, rows: &[u32]) -> u32 {
        let taxonomy = &self.space.taxonomies()[column];
        let mut nodes = rows.iter().map(|&row| self.columns[column][row as usize]);
        let first = nodes.next().unwrap_or(Taxonomy::ROOT);
        nodes.fold(first, |common, node| match common == node {
            true => common,
            false => taxonomy.common(common, node),
        })
    }
}

impl TableMethod for Ready {
    fn schema(&self, original: &Schema) -> Result<Schema> {
        quasi_as_text(original)
    }

    fn release(&self, table: &Batch) -> Result<Release> {
        let limits = Limits::new(&self.setting.guarantee, table, &self.setting.domains)?;
        let limits = limits.average_by_size();
        if let Some(error) = limits.refusal(table.len(), false) {
            return Err(error);
        }
        let quasi = table.schema().with_role(Role::Quasi);
        let records = self.records(table, &quasi)?;
        let groups = divide::groups(&records, &limits, self.part)?;
        let groups = joined::joined(&records, &limits, groups)?;
        let mut columns = table.columns().to_vec();
        for (column, &place) in quasi.iter().enumerate() {
            columns[place] = records.released(column, &groups);
        }
        let schema = Arc::new(self.schema(table.schema())?);
        let batch = Batch::new(schema, table.rows().clone(), columns)?;
        Ok(Release::new(batch, Vec::new()))
    }
}

impl Ready {
    fn records(&self, table: &Batch, quasi: &[usize]) -> Result<Records> {
        let mut taxonomies = Vec::new();
        let mut columns = Vec::new();
        for &place in quasi {
            let name = &table.schema().fields()[place].name;
            let domain = self.setting.domains.require(name)?;
            let taxonomy = Taxonomy::of(domain, table.column(place));
            let nodes = taxonomy.encode(table.column(place), domain);
            columns.push(nodes.ok_or_else(|| {
                let what = format!("the hierarchy of column `{name}` misses values of the data");
                Error::policy(what)
            })?);
            taxonomies.push(taxonomy);
        }
        Ok(Records {
            space: SemanticSpace::new(taxonomies),
            columns,
            rows: table.len(),
            cancel: self.setting.cancel.clone(),
        })
    }
}

impl Records {
    /// What the groups show in a column.
    fn released(&self, column: usize, groups: &[Group]) -> Column {
        let taxonomy = &self.space.taxonomies()[column];
        let mut labels = LevelsBuilder::default();
        let mut codes = vec![MISSING; self.rows];
        for group in groups {
            let label = taxonomy.shown(group.shown[column]);
            let code = label.map_or(MISSING, |label| labels.intern(label));
            group
                .rows
                .iter()
                .for_each(|&row| codes[row as usize] = code);
        }
        Column::Category(Categories::new(codes, Arc::new(labels.finish())))
    }
}

#[cfg(test)]
mod tests;
