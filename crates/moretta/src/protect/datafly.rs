//! Datafly: raises the column with most different values until few rows stand out.
//!
//! As long as more rows than the budget are in classes that miss the guarantee, the
//! quasi-identifier that shows most different values now goes one level up its hierarchy, for
//! all rows (of several the first; not one that is at its top). The rows that still stand out
//! are suppressed. The budget is a share of the rows (`suppress`), or k rows, as in the
//! original (`budget = "k"`). A column without a hierarchy stays as it is.
//!
//! **Protects against** linking a person to a row by the quasi-identifiers and,
//! with l, t or p, against learning a sensitive value from a whole class.
//! **Does not protect against** an attacker who compares several releases. It looks one step
//! ahead: columns with many values lose more than they must, and other levels may lose
//! less (`lattice` finds the best).
//!
//! **Costs** one pass over the rows to find those that are alike, and then one over the
//! classes for each step, of which there are as many as all hierarchies have levels at most;
//! needs the whole table.
//!
//! **From** Sweeney, Guaranteeing anonymity when sharing medical data, the Datafly system,
//! AMIA 1997; Achieving k-anonymity privacy protection using generalization and suppression,
//! IJUFKS 2002.
//!
//! ```toml
//! [[protect]]
//! method = "datafly"
//! suppress = 0.05
//! ```

use super::Setting;
use super::config::{MethodConfig, Shown};
use super::generalization::{FullDomain, Generalization, generalize, group, percent};
use super::limits::Limits;
use super::parameters::SUPPRESS;
use super::table::{Release, TableMethod};
use super::tree_codes::TreeCodes;
use crate::config::{Absent, Accepts, Parameter, Section, words};
use crate::data::{Batch, Column, Role, Schema};
use crate::error::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

/// Datafly with its parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Datafly {
    /// What `suppress` is, or else k rows.
    pub budget: Budget,
    /// The largest share of rows that may be suppressed.
    pub suppress: f64,
}

/// How many rows may be suppressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Budget {
    /// A share of the table.
    #[default]
    Share,
    /// k rows.
    K,
}

const BUDGETS: &[(&str, Budget)] = &[("share", Budget::Share), ("k", Budget::K)];

const BUDGET: Parameter = Parameter::new(
    "budget",
    Accepts::Word(|| words(BUDGETS)),
    Absent::Text("share"),
    "how many rows may be suppressed: the share that `suppress` says, or k rows, as in the original",
);

impl Datafly {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[BUDGET, SUPPRESS];

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let budget = section.word(&BUDGET, BUDGETS)?;
        if budget == Budget::K && section.has(SUPPRESS.name) {
            let what = "`suppress` is a share, and `budget = \"k\"` allows k rows";
            return Err(section.error(what).help("keep one of the two"));
        }
        Ok(Datafly {
            budget,
            suppress: section.number(&SUPPRESS)?,
        })
    }

    /// Writes its parameters as [`Datafly::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        section.set_word(&BUDGET, BUDGETS, self.budget);
        section.set(&SUPPRESS, self.suppress);
    }
}

impl MethodConfig for Datafly {
    fn is_random(&self) -> bool {
        false
    }

    fn depends_on_order(&self) -> bool {
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
        match self.budget {
            Budget::Share => Some(self.suppress),
            // Of a table that is not known: some of its rows, not all.
            Budget::K => Some(0.5),
        }
    }

    fn suppress_at_most(&mut self, share: f64) {
        *self = Datafly {
            suppress: share,
            ..Datafly::default()
        };
    }

    fn table(&self, setting: &Setting) -> Option<Box<dyn TableMethod>> {
        Some(Box::new(Ready {
            config: self.clone(),
            setting: setting.clone(),
        }))
    }
}

struct Ready {
    config: Datafly,
    setting: Setting,
}

impl TableMethod for Ready {
    fn schema(&self, original: &Schema) -> Result<Schema> {
        self.full_domain([]).schema(original)
    }

    fn release(&self, table: &Batch) -> Result<Release> {
        let limits = Limits::new(&self.setting.guarantee, table, &self.setting.domains)?;
        if let Some(error) = limits.refusal(table.len(), true) {
            return Err(error);
        }
        let budget = self.budget(limits.k, table.len());
        let quasi = table.schema().with_role(Role::Quasi);
        let mut nodes = Nodes::new(table, &quasi, &self.setting)?;
        while nodes.failing(&limits) > budget {
            self.setting.cancel.check()?;
            if !nodes.raise() {
                break;
            }
        }
        let names = quasi
            .iter()
            .map(|&i| table.schema().fields()[i].name.to_string());
        let release = self.full_domain(names.zip(nodes.levels())).release(table)?;
        let gone = table.len() - release.batch.len();
        if gone > budget {
            let share = |rows: usize| percent(rows as f64 / table.len() as f64);
            return Err(Error::guarantee(format!(
                "the promises are not reachable within {} % suppression; best {} % with every hierarchy at its top",
                share(budget),
                share(gone)
            ))
            .help("give more columns a `hierarchy`, or raise `suppress`"));
        }
        Ok(release)
    }
}

impl Ready {
    /// The recoding to these levels, whatever it suppresses.
    fn full_domain(&self, levels: impl IntoIterator<Item = (String, usize)>) -> FullDomain {
        FullDomain {
            config: Generalization {
                levels: levels.into_iter().collect(),
                suppress: 1.0,
            },
            setting: self.setting.clone(),
            as_text: true,
        }
    }

    fn budget(&self, k: usize, rows: usize) -> usize {
        match self.config.budget {
            Budget::Share => (self.config.suppress * rows as f64).floor() as usize,
            Budget::K => k,
        }
    }
}

/// The columns of the table with quasi-identifiers at these levels.
pub(super) fn recoded(
    table: &Batch,
    quasi: &[usize],
    levels: &[usize],
    setting: &Setting,
) -> Result<Vec<Column>> {
    let mut columns = table.columns().to_vec();
    for (&place, &level) in quasi.iter().zip(levels) {
        let name = &table.schema().fields()[place].name;
        let domain = setting.domains.require(name)?;
        if let Some(tree) = domain.hierarchy.as_deref() {
            let column = generalize(&columns[place], domain, tree, level);
            columns[place] = column.ok_or_else(|| {
                let what = format!("the hierarchy of column `{name}` misses values of the data");
                Error::policy(what)
            })?;
        }
    }
    Ok(columns)
}

/// The classes of the table at some levels of its hierarchies.
struct Nodes<'a> {
    columns: Vec<TreeCodes<'a>>,
    /// What each class shows, and its rows.
    classes: Vec<(Box<[u32]>, Vec<u32>)>,
}

impl<'a> Nodes<'a> {
    fn new(table: &Batch, quasi: &[usize], setting: &'a Setting) -> Result<Self> {
        let mut columns = Vec::new();
        let mut codes = Vec::new();
        for &place in quasi {
            let name = &table.schema().fields()[place].name;
            let domain = setting.domains.require(name)?;
            let (column, own) = TreeCodes::new(name, table.column(place), domain)?;
            columns.push(column);
            codes.push(own);
        }
        let rows = group(quasi.iter().map(|&place| table.column(place)), table.len());
        let shown = |row: u32| codes.iter().map(|codes| codes[row as usize]).collect();
        let classes = rows.into_iter().map(|rows| (shown(rows[0]), rows));
        Ok(Nodes {
            classes: classes.collect(),
            columns,
        })
    }

    fn levels(&self) -> Vec<usize> {
        self.columns.iter().map(TreeCodes::level).collect()
    }

    /// Rows in classes that miss the guarantee.
    fn failing(&self, limits: &Limits) -> usize {
        let rows = self.classes.iter().map(|(_, rows)| rows);
        rows.filter(|rows| !limits.hold(rows)).map(Vec::len).sum()
    }

    /// Raises the column that shows most different values by a level; false when all are at
    /// the top.
    fn raise(&mut self) -> bool {
        let open = (0..self.columns.len()).filter(|&i| !self.columns[i].is_at_top());
        // Of several the first: the last one of those that are as large, backwards.
        let Some(place) = open.rev().max_by_key(|&i| self.columns[i].distinct()) else {
            return false;
        };
        let parents = self.columns[place].raise();
        let mut merged: HashMap<Box<[u32]>, usize, FixedState> = HashMap::default();
        let mut classes: Vec<(Box<[u32]>, Vec<u32>)> = Vec::new();
        for (mut shown, rows) in std::mem::take(&mut self.classes) {
            shown[place] = parents[&shown[place]];
            match merged.get(&shown) {
                Some(&class) => classes[class].1.extend(rows),
                None => {
                    merged.insert(shown.clone(), classes.len());
                    classes.push((shown, rows));
                }
            }
        }
        self.classes = classes;
        true
    }
}

#[cfg(test)]
mod tests;
