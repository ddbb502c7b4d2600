//! Whether a hierarchy knows all values of a column.

use super::Hierarchy;
use crate::data::folded;
use crate::data::levels::Levels;
use crate::error::{Error, Result};
use foldhash::HashSet;
use std::borrow::Cow;
use std::fmt::Display;

/// How the values of a column and the leaves of a hierarchy go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Distinct values of the column.
    pub values: usize,
    /// Those that are leaves.
    pub covered: usize,
    /// Those that are not.
    pub missing: usize,
    /// Of the missing ones, those that differ from a leaf only in spaces,
    /// letter case or Unicode form.
    pub near_misses: usize,
    /// The code of the first missing value.
    pub first_missing: Option<u32>,
    /// Leaves that are no value of the column.
    pub unused: usize,
}

/// Counts which of the distinct `values` are leaves of `hierarchy`.
pub fn coverage(hierarchy: &Hierarchy, values: &Levels) -> Coverage {
    let missing: Vec<u32> = (0..values.len() as u32)
        .filter(|&code| hierarchy.leaf(values.get(code)).is_none())
        .collect();
    let covered = values.len() - missing.len();
    Coverage {
        values: values.len(),
        covered,
        missing: missing.len(),
        near_misses: near_misses(hierarchy, values, &missing),
        first_missing: missing.first().copied(),
        unused: hierarchy.leaf_count().saturating_sub(covered),
    }
}

fn near_misses(hierarchy: &Hierarchy, values: &Levels, missing: &[u32]) -> usize {
    if missing.is_empty() {
        return 0;
    }
    let leaves: HashSet<Cow<str>> = (0..hierarchy.leaf_count() as u32)
        .map(|leaf| folded(hierarchy.label(0, leaf)))
        .collect();
    let is_near = |&&code: &&u32| leaves.contains(&folded(values.get(code)));
    missing.iter().filter(is_near).count()
}

impl Coverage {
    /// Whether all values are leaves.
    pub fn is_complete(&self) -> bool {
        self.missing == 0
    }

    /// Fails unless all values are leaves; `source` names the hierarchy.
    ///
    /// # Errors
    /// `Error::input` when all missing values are near misses, so that the data
    /// is to be cleaned; `Error::policy` otherwise. Both count and name no value.
    pub fn require(&self, source: impl Display, column: &str) -> Result<()> {
        let Some(first) = self.first_missing.map(|code| code as usize + 1) else {
            return Ok(());
        };
        let (verb, them) = match self.missing {
            1 => ("value is", "it"),
            _ => ("values are", "them"),
        };
        if self.near_misses == self.missing {
            let differ = if self.missing == 1 {
                "value differs"
            } else {
                "values differ"
            };
            return Err(Error::input(format!(
                "{} {differ} from hierarchy {source} only in spaces, letter case or Unicode form, {}",
                self.missing,
                place_of(first)
            ))
            .in_column(column)
            .help(format!("normalise {them}, in the data or in the hierarchy")));
        }
        let near = match self.near_misses {
            0 => String::new(),
            n => format!(", {n} of them only by spaces, letter case or Unicode form"),
        };
        let help = match self.covered {
            0 => "is it the hierarchy of another column?".to_owned(),
            _ => format!("add a row for {them} to the hierarchy"),
        };
        Err(Error::policy(format!(
            "hierarchy {source} covers {} of {} values of column `{column}`; {} {verb} not in it, {}{near}",
            self.covered,
            self.values,
            self.missing,
            place_of(first)
        ))
        .help(help))
    }
}

/// Which of the distinct values it is, counted from 1: values of persons are shown to nobody.
pub(super) fn place_of(first: usize) -> String {
    format!("the first of them is no. {first} of its distinct values, sorted")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(leaves: &[&str], values: &[&str]) -> (Coverage, Result<()>) {
        let chains: Vec<Vec<&str>> = leaves.iter().map(|leaf| vec![*leaf, "*"]).collect();
        let hierarchy = Hierarchy::from_chains(&chains).expect("a tree");
        let coverage = coverage(&hierarchy, &values.iter().collect());
        let result = coverage.require("h.csv", "town");
        (coverage, result)
    }

    #[test]
    fn missing_values_are_counted_and_refused() {
        let (coverage, result) = check(&["a", "b", "c"], &["a", "x", "b", "y"]);
        assert_eq!((coverage.covered, coverage.missing), (2, 2));
        assert_eq!((coverage.first_missing, coverage.unused), (Some(1), 1));
        let error = result.expect_err("two are missing");
        assert_eq!(error.exit_code(), 3);
        assert_eq!(
            error.to_string(),
            "hierarchy h.csv covers 2 of 4 values of column `town`; 2 values are not in it, the first of them is no. 2 of its distinct values, sorted"
        );
    }

    #[test]
    fn the_hierarchy_of_another_column_covers_nothing() {
        let (_, result) = check(&["a", "b"], &["1", "2", "3"]);
        let error = result.expect_err("nothing is covered");
        assert!(
            error.to_string().contains("covers 0 of 3 values"),
            "{error}"
        );
        assert_eq!(
            error.help_text(),
            Some("is it the hierarchy of another column?")
        );
    }

    #[test]
    fn look_alikes_are_near_misses_and_an_error_of_the_input() {
        for near in ["cafe\u{301}", " caf\u{e9}", "caf\u{e9}\u{a0}", "CAF\u{c9}"] {
            let (coverage, result) = check(&["caf\u{e9}", "tea"], &["tea", near]);
            assert_eq!(coverage.near_misses, 1, "{near:?}");
            let error = result.expect_err("not equal");
            assert_eq!(error.exit_code(), 4, "{error}");
            assert!(!error.to_string().contains("caf"), "{error}");
        }
        let (coverage, result) = check(&["tea"], &["Tea", "milk"]);
        assert_eq!((coverage.near_misses, coverage.missing), (1, 2));
        assert_eq!(result.expect_err("missing").exit_code(), 3);
    }

    #[test]
    fn a_column_without_values_is_covered() {
        let (coverage, result) = check(&["a"], &[]);
        assert!(coverage.is_complete() && result.is_ok());
    }
}
