//! Local suppression: cells of rows that stand out are emptied, and nothing else changes.
//!
//! Values stay as they are; in rows whose combination of quasi-identifiers is rare, as few cells as
//! the search finds become `*`. What an empty cell means decides what is enough:
//!
//! - `missing = "own"`: an empty cell is a value of its own, equal only to empty ones. Classes
//!   of equal rows have k or more: k-anonymity as everywhere.
//! - `missing = "wild"`: an empty cell could be anything, so it matches every value, and each
//!   released row must match k or more. That needs fewer cells. But whoever knows somebody's
//!   true values looks for rows that match *these*, and may find fewer: so k must hold for the
//!   true values of every person, too, unless the policy says `attacker = "ignore"`. The report
//!   tells both counts.
//!
//! With *own*, and with *wild* against attackers, rows that stand out are put together by the
//! least number of columns in which they differ; with `attacker = "ignore"` each such row loses
//! the least number of cells by which it matches k others.
//!
//! **Protects against** linking a person to fewer than k rows (persons, where a subject is known) by
//! the quasi-identifiers and, with *own* and l, t or p, against learning a sensitive value from a
//! whole class. With `attacker = "ignore"` **it does so only against somebody who does not know the values
//! that were emptied**.
//! **Does not protect against** an attacker who compares several releases, nor against one who fills empty cells by what goes together with the others of a row.
//!
//! **Costs** one pass over the rows that stand out for each set of columns: 2ᵐ of them for m
//! columns at most; from 13 columns on the largest sets are not tried. Needs the whole table.
//!
//! **From** de Waal and Willenborg, Global recodings and local suppressions in microdata sets,
//! 1995; the counts with missing values are those of Templ, Statistical disclosure control for
//! microdata using the R-package sdcMicro, 2008.
//!
//! ```toml
//! [[protect]]
//! method = "suppression"
//! missing = "own"
//! ```

mod own;
#[cfg(test)]
mod tests;
mod wild;

use super::Setting;
use super::config::{MethodConfig, Shown};
use super::limits::Limits;
use super::mu_argus::with_empty;
use super::table::{Release, TableMethod, quasi_as_text};
use super::tree_codes::TreeCodes;
use crate::config::{Absent, Accepts, Parameter, Placed, Section, words};
use crate::data::{Batch, Role, Schema};
use crate::error::{Error, Result};
use crate::guarantee::{Guarantee, Missing};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Local suppression with its parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Suppression {
    /// What an empty cell means.
    pub missing: Reading,
    /// Whether k need not hold for somebody who knows true values.
    pub ignore_attacker: bool,
    /// How much an empty cell of a column counts; 1 where it is not named.
    pub weights: BTreeMap<String, f64>,
}

/// What an empty cell means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// A value of its own.
    #[default]
    Own,
    /// Any value.
    Wild,
}

const READINGS: &[(&str, Reading)] = &[("own", Reading::Own), ("wild", Reading::Wild)];
const ATTACKERS: &[(&str, bool)] = &[("count", false), ("ignore", true)];

const MISSING_CELLS: Parameter = Parameter::new(
    "missing",
    Accepts::Word(|| words(READINGS)),
    Absent::Text("own"),
    "what an empty cell means: a value of its own, or any value",
);
const ATTACKER: Parameter = Parameter::new(
    "attacker",
    Accepts::Word(|| words(ATTACKERS)),
    Absent::Means("count"),
    "with missing = \"wild\": whether k must also hold for somebody who knows the values that were emptied",
);
const WEIGHTS: Parameter = Parameter::new(
    "weights",
    Accepts::By("column", &Accepts::Number(0.0, 1e9)),
    Absent::Means("1 for every column"),
    "how much an empty cell of a column counts, where several could be emptied",
)
.examples(&["{ age = 2 }"]);

impl Suppression {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[MISSING_CELLS, ATTACKER, WEIGHTS];

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let missing = section.word(&MISSING_CELLS, READINGS)?;
        let attacker = section.optional_word(&ATTACKER, ATTACKERS)?;
        if attacker.is_some() && missing == Reading::Own {
            let what =
                "`attacker` is only for `missing = \"wild\"`: otherwise k holds against both";
            return Err(section.error(what));
        }
        let weights = section.by_name(&WEIGHTS, Placed::number)?;
        Ok(Suppression {
            missing,
            ignore_attacker: attacker.unwrap_or(false),
            weights: weights.into_iter().flatten().collect(),
        })
    }

    /// Writes its parameters as [`Suppression::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        section.set_word(&MISSING_CELLS, READINGS, self.missing);
        if self.missing == Reading::Wild {
            section.set_word(&ATTACKER, ATTACKERS, self.ignore_attacker);
        }
        section.set(&WEIGHTS, self.weights.clone());
    }
}

impl MethodConfig for Suppression {
    fn is_random(&self) -> bool {
        false
    }

    fn shows(&self, _column: &str, _hierarchy: bool) -> Shown {
        Shown::Values
    }

    fn suppress(&self) -> Option<f64> {
        Some(0.0)
    }

    fn reads_missing(&self) -> Missing {
        match (self.missing, self.ignore_attacker) {
            (Reading::Own, _) => Missing::Own,
            (Reading::Wild, ignore_attacker) => Missing::Wild { ignore_attacker },
        }
    }

    fn table(&self, setting: &Setting) -> Option<Box<dyn TableMethod>> {
        Some(Box::new(Ready {
            config: self.clone(),
            setting: setting.clone(),
        }))
    }
}

struct Ready {
    config: Suppression,
    setting: Setting,
}

impl TableMethod for Ready {
    fn schema(&self, original: &Schema) -> Result<Schema> {
        quasi_as_text(original)
    }

    fn release(&self, table: &Batch) -> Result<Release> {
        let limits = Limits::new(&self.setting.guarantee, table, &self.setting.domains)?;
        if let Some(error) = limits.refusal(table.len(), false) {
            return Err(error);
        }
        self.refuse_unread(table)?;
        let quasi = table.schema().with_role(Role::Quasi);
        if quasi.len() > MOST_COLUMNS {
            let what = format!("suppression of more than {MOST_COLUMNS} quasi-identifiers");
            return Err(Error::policy(what).help("leave some out, or use mondrian"));
        }
        let mut cells = Cells {
            columns: Vec::new(),
            weights: Vec::new(),
            emptied: vec![0; table.len()],
            k: limits.k,
        };
        for &place in &quasi {
            let name = &table.schema().fields()[place].name;
            let domain = self
                .setting
                .domains
                .require(name)?
                .clone()
                .without_hierarchy();
            let (_, codes) = TreeCodes::new(name, table.column(place), &domain)?;
            cells.columns.push(codes);
            cells
                .weights
                .push(self.config.weights.get(&**name).copied().unwrap_or(1.0));
        }
        match self.config.reads_missing() {
            Missing::Wild {
                ignore_attacker: true,
            } => wild::empty(&mut cells, &self.setting.cancel)?,
            _ => own::empty(&mut cells, &limits, &self.setting.cancel)?,
        }
        let mut released = table.columns().to_vec();
        for (bit, &place) in quasi.iter().enumerate() {
            let domain = self
                .setting
                .domains
                .require(&table.schema().fields()[place].name)?;
            let empty = |row: usize| cells.emptied[row] >> bit & 1 == 1;
            released[place] = with_empty(&released[place], domain, empty)?;
        }
        let schema = Arc::new(self.schema(table.schema())?);
        let batch = Batch::new(schema, table.rows().clone(), released)?;
        Ok(Release::new(batch, Vec::new()))
    }
}

impl Ready {
    /// Rows that match each other are no classes: of them only k can be promised, and of rows.
    fn refuse_unread(&self, table: &Batch) -> Result<()> {
        if self.config.missing == Reading::Own {
            return Ok(());
        }
        let only_k = Guarantee {
            k: self.setting.guarantee.k,
            ..Guarantee::default()
        };
        if self.setting.guarantee != only_k {
            let what = "suppression with `missing = \"wild\"` promises nothing but k";
            return Err(Error::policy(what).help("take l, t and p out, or say missing = \"own\""));
        }
        match table.schema().with_role(Role::Subject).is_empty() {
            true => Ok(()),
            false => Err(Error::policy(
                "suppression with `missing = \"wild\"` counts rows and not persons",
            )
            .help("say missing = \"own\", or, where each person has one row, make the subject an identifier")),
        }
    }
}

/// Sets of columns are bits of a number.
const MOST_COLUMNS: usize = 24;

/// The quasi-identifiers of a table as codes, and which of them are empty.
struct Cells {
    columns: Vec<Vec<u32>>,
    weights: Vec<f64>,
    /// For each row the columns that are emptied, as bits.
    emptied: Vec<u32>,
    k: usize,
}

impl Cells {
    fn rows(&self) -> usize {
        self.emptied.len()
    }

    /// What a row shows in some columns.
    fn key(&self, row: usize, columns: u32) -> Box<[u32]> {
        let shown = (0..self.columns.len()).filter(|bit| columns >> bit & 1 == 1);
        shown.map(|column| self.columns[column][row]).collect()
    }

    /// What the cells of some columns count.
    fn weight(&self, columns: u32) -> f64 {
        let bits = (0..self.columns.len()).filter(|bit| columns >> bit & 1 == 1);
        bits.map(|column| self.weights[column]).sum()
    }

    /// All sets of so many columns, the lightest first, in order; none where they are too many.
    fn sets(&self, size: usize) -> Vec<u32> {
        /// As many as 12 columns have at most.
        const MOST_SETS: usize = 924;
        let width = self.columns.len();
        let count = (0..size).fold(1, |count, i| count * (width - i) / (i + 1));
        if count > MOST_SETS {
            return Vec::new();
        }
        let all = 0..1_u32 << width;
        let mut sets: Vec<u32> = all
            .filter(|set| set.count_ones() as usize == size)
            .collect();
        sets.sort_by(|&a, &b| self.weight(a).total_cmp(&self.weight(b)));
        sets
    }
}
