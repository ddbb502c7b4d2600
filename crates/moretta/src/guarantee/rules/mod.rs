//! Rules between columns: what must be true of every row, such as `discharge >= admission`.
//!
//! A rule is a [`ColumnRule`]: a condition, or a condition that must hold where another one does.
//! Conditions are written in a small language (`language.rs`): comparisons of a column with a
//! constant or another column, `in (…)`, `is missing`, `and`, `or`, `not`.
//!
//! **Missing.** A comparison with a missing cell is neither true nor false, as in SQL, and a
//! row breaks a rule only where the rule is false; `is missing` is always true or false.
//!
//! **Coarse cells.** A released cell can stand for several values: an interval, a set, a node,
//! `*` for anything, also nothing. A row then *keeps* a rule if it does so whatever the values
//! are, *breaks* it if it does so whatever they are, and leaves it *open* otherwise. This is
//! decided exactly (`possible.rs`), cells being taken as independent of each other. Masked
//! numbers are one value each.
//!
//! Costs: a few comparisons a row; where a column stands twice in a rule, the values that make a
//! difference are tried, once for each combination of cells that was not seen lately.

mod bind;
mod cell;
mod check;
mod formula;
mod language;
mod possible;
mod read;
#[cfg(test)]
mod tests;

pub use bind::{ColumnKind, Mismatch, check_kinds};
pub use check::{RuleChecker, RuleCount};
pub use formula::{Comparison, Constant, Formula, Operand};
pub use language::Misread;
pub use read::{Labels, Reading};

use std::ops::Range;

/// What must be true of every row.
///
/// Two that say the same are equal, wherever they say it.
#[derive(Clone, Debug)]
pub struct ColumnRule {
    /// What it is called in messages and reports.
    pub name: String,
    /// Where it must be kept; `None` for all rows.
    pub when: Option<Condition>,
    /// What must not be false there.
    pub then: Condition,
    /// What becomes of a source in which rows break it.
    pub source: Breach,
    /// What becomes of a release in which rows break it.
    pub release: Breach,
    /// Its place in the text of a policy.
    pub span: Range<usize>,
}

impl PartialEq for ColumnRule {
    fn eq(&self, other: &Self) -> bool {
        let said = |rule: &ColumnRule| (rule.source, rule.release);
        self.name == other.name && self.says_as(other) && said(self) == said(other)
    }
}

impl ColumnRule {
    /// Whether both say the same of rows.
    pub fn says_as(&self, other: &ColumnRule) -> bool {
        self.formula() == other.formula()
    }

    /// The rule as one formula: `then`, or not `when`.
    pub fn formula(&self) -> Formula {
        let then = self.then.formula.clone();
        match &self.when {
            None => then,
            Some(when) => Formula::Or(vec![Formula::Not(Box::new(when.formula.clone())), then]),
        }
    }

    /// The rule in words.
    pub fn text(&self) -> String {
        match &self.when {
            None => self.then.text.clone(),
            Some(when) => format!("{} where {}", self.then.text, when.text),
        }
    }
}

/// A condition as it was written, and what it says.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// As it was written.
    pub text: String,
    /// What it says.
    pub formula: Formula,
}

impl Condition {
    /// Reads a condition.
    ///
    /// # Errors
    /// When it is none, with the place.
    pub fn parse(text: &str) -> Result<Self, Misread> {
        Ok(Condition {
            text: text.to_owned(),
            formula: language::parse(text)?,
        })
    }
}

/// What becomes of rows that break a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Breach {
    /// The run ends with an error.
    #[default]
    Refuse,
    /// It is told.
    Warn,
}
