//! Compares a release with its original, pair by pair: is what it says true?
//!
//! A protected value must be a region of its column's domain and cover the
//! original; every other column must be as it was, identifying columns gone,
//! pseudonyms one for each value. Faults are counted by column and rule; no
//! value is kept or told. It says nothing about how many persons are alike:
//! that is the [`Checker`](super::Checker)'s part.
//!
//! Cost: a table lookup and a comparison a cell; memory for the distinct texts
//! and one bit a row.

use super::classes::Texts;
use super::coded::Coding;
use super::cover::Cover;
use super::exchanged::Exchanged;
use super::findings::{Fault, Rule};
use super::listed::Listed;
use super::same::{Same, texts_of};
use crate::data::{Batch, Column, Domain, MISSING, Role, Schema};
use crate::error::{Error, Result};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// What is done to a column on its way into the release.
#[derive(Clone, Debug)]
pub enum Treatment {
    /// It is not released.
    Dropped,
    /// Each value is replaced by another one, always the same.
    Pseudonym,
    /// It is released as it is.
    Kept,
    /// Each value is replaced by a region of this domain that covers it.
    Generalised(Domain),
    /// Each value is replaced by one of this domain that stands for a group:
    /// a mean, median or mode. It need not cover the original, which may be missing.
    Representative(Domain),
    /// Each list of items is replaced by one of regions of this domain, with this between them.
    Listed(Domain, String),
    /// Each value is replaced by its code.
    Coded(Coding),
    /// Values change places between rows with the same released quasi-identifiers.
    Exchanged,
    /// Each value is replaced by another one, which says nothing of the original.
    Masked,
}

/// Compares released rows with their originals.
pub struct Truth {
    columns: Vec<Watched>,
    exchanged: Exchanged,
    made: Vec<String>,
    faults: BTreeMap<(Option<String>, Rule), u64>,
    seen: Vec<u64>,
    rows: u64,
    columns_checked: bool,
}

struct Watched {
    name: String,
    role: Role,
    comparison: Comparison,
}

enum Comparison {
    Absent,
    Pseudonyms(Box<Pseudonyms>),
    Same(Box<Same>),
    Cover(Box<Cover>),
    Listed(Box<Listed>),
    Coded(Coding),
    Nothing,
}

impl Truth {
    /// Every column of the original has a treatment. `escapes`: the release is a
    /// CSV file in which cells were escaped against formula injection.
    ///
    /// # Errors
    /// A bug, when a column has no treatment.
    pub fn new(
        original: &Schema,
        treatments: &[(String, Treatment)],
        escapes: bool,
    ) -> Result<Self> {
        let columns = original
            .fields()
            .iter()
            .map(|field| {
                let treatment = treatments
                    .iter()
                    .find(|(name, _)| **name == *field.name)
                    .ok_or_else(|| {
                        Error::bug(format!("column `{}` has no treatment", field.name))
                    })?;
                let comparison = match &treatment.1 {
                    Treatment::Dropped => Comparison::Absent,
                    Treatment::Pseudonym => Comparison::Pseudonyms(Box::default()),
                    Treatment::Kept => {
                        Comparison::Same(Box::new(Same::new(field.kind.clone(), escapes)))
                    }
                    Treatment::Generalised(domain) => {
                        Comparison::Cover(Box::new(Cover::new(domain.clone(), false, escapes)))
                    }
                    Treatment::Representative(domain) => {
                        Comparison::Cover(Box::new(Cover::new(domain.clone(), true, escapes)))
                    }
                    Treatment::Listed(domain, separator) => {
                        let listed = Listed::new(domain.clone(), separator.clone());
                        Comparison::Listed(Box::new(listed))
                    }
                    Treatment::Coded(coding) => Comparison::Coded(coding.clone()),
                    Treatment::Exchanged | Treatment::Masked => Comparison::Nothing,
                };
                Ok(Watched {
                    name: field.name.to_string(),
                    role: field.role,
                    comparison,
                })
            })
            .collect::<Result<_>>()?;
        let exchanged = treatments
            .iter()
            .filter(|(_, t)| matches!(t, Treatment::Exchanged));
        let exchanged = exchanged.map(|(name, _)| name.clone()).collect();
        Ok(Truth {
            columns,
            exchanged: Exchanged::new(exchanged),
            made: Vec::new(),
            faults: BTreeMap::new(),
            seen: Vec::new(),
            rows: 0,
            columns_checked: false,
        })
    }

    /// These columns of the release have no original: they were made from others.
    pub fn with_made(mut self, names: Vec<String>) -> Self {
        self.made = names;
        self
    }

    /// Says what a missing cell is written as in a format that cannot mark it.
    pub fn with_missing(mut self, text: Option<&str>) -> Self {
        for column in &mut self.columns {
            if let Comparison::Same(same) = &mut column.comparison {
                same.set_missing(text);
            }
        }
        self
    }

    /// Row `i` of `released` was released for row `i` of `original`.
    pub fn observe(&mut self, original: &Batch, released: &Batch) -> Result<()> {
        if original.len() != released.len() {
            return Err(Error::bug(
                "released rows were paired with fewer or more originals",
            ));
        }
        if !std::mem::replace(&mut self.columns_checked, true) {
            self.check_columns(released.schema());
        }
        self.rows += released.len() as u64;
        let twice = original.rows().iter().filter(|&id| !self.first_time(id));
        let twice = twice.count() as u64;
        self.add(None, Rule::ReleasedTwice, twice);
        let compare = |column: &mut Watched| {
            let before = original.column_named(&column.name);
            match before.zip(released.column_named(&column.name)) {
                None => Ok(Vec::new()),
                Some((before, after)) => column.comparison.compare(before, after),
            }
        };
        let mut columns = std::mem::take(&mut self.columns);
        let found: Vec<Result<Vec<(Rule, u64)>>> = columns.par_iter_mut().map(compare).collect();
        for (column, found) in columns.iter().zip(found) {
            for (rule, rows) in found? {
                self.add(Some(&column.name), rule, rows);
            }
        }
        self.columns = columns;
        self.exchanged.observe(original, released)
    }

    /// The faults, by column and rule. `released` is how many rows the release
    /// should have, when that is known.
    pub fn findings(&self, released: Option<u64>) -> Vec<Fault> {
        let mut faults: Vec<Fault> = self
            .faults
            .iter()
            .map(|((column, rule), &count)| Fault {
                column: column.clone(),
                rule: *rule,
                count,
            })
            .collect();
        // Sums do not tell how many rows have a value that their class did not have.
        faults.extend(self.exchanged.faults().map(|column| Fault {
            column: Some(column.to_owned()),
            rule: Rule::Changed,
            count: self.rows,
        }));
        if let Some(released) = released.filter(|&released| released != self.rows) {
            faults.push(Fault {
                column: None,
                rule: Rule::RowsDiffer,
                count: released.abs_diff(self.rows),
            });
        }
        faults
    }

    fn check_columns(&mut self, released: &Schema) {
        let mut found = Vec::new();
        for column in &self.columns {
            let there = released.index_of(&column.name).is_some();
            let rule = match (&column.comparison, there) {
                (Comparison::Absent, true) if column.role == Role::Identifier => {
                    Rule::IdentifierReleased
                }
                (Comparison::Absent, true) => Rule::UnexpectedColumn,
                (Comparison::Absent, false) | (_, true) => continue,
                (_, false) => Rule::ColumnAbsent,
            };
            found.push((column.name.clone(), rule));
        }
        for field in released.fields() {
            let mut known = self.columns.iter().map(|column| &column.name);
            if known.all(|name| *name != *field.name)
                && self.made.iter().all(|name| **name != *field.name)
            {
                found.push((field.name.to_string(), Rule::UnexpectedColumn));
            }
        }
        for (name, rule) in found {
            self.add(Some(&name), rule, 1);
        }
    }

    fn first_time(&mut self, id: u64) -> bool {
        let (word, bit) = ((id / 64) as usize, 1u64 << (id % 64));
        if word >= self.seen.len() {
            self.seen.resize(word + 1, 0);
        }
        let new = self.seen[word] & bit == 0;
        self.seen[word] |= bit;
        new
    }

    fn add(&mut self, column: Option<&str>, rule: Rule, count: u64) {
        if count > 0 {
            *self
                .faults
                .entry((column.map(str::to_owned), rule))
                .or_insert(0) += count;
        }
    }
}

impl Comparison {
    fn compare(&mut self, original: &Column, released: &Column) -> Result<Vec<(Rule, u64)>> {
        match self {
            Comparison::Absent | Comparison::Nothing => Ok(Vec::new()),
            Comparison::Pseudonyms(pseudonyms) => pseudonyms.compare(original, released),
            Comparison::Same(same) => Ok(vec![(
                Rule::Changed,
                same.count_changed(original, released)?,
            )]),
            Comparison::Cover(cover) => cover.compare(original, released),
            Comparison::Listed(listed) => listed.compare(original, released),
            Comparison::Coded(coding) => Ok(vec![coding.compare(original, released)?]),
        }
    }
}

/// Which pseudonym each value has and which value each pseudonym.
#[derive(Default)]
struct Pseudonyms {
    original: Texts,
    released: Texts,
    pseudonym_of: Vec<u32>,
    value_of: Vec<u32>,
    codes: [Vec<u32>; 2],
}

impl Pseudonyms {
    fn compare(&mut self, original: &Column, released: &Column) -> Result<Vec<(Rule, u64)>> {
        self.original
            .translate(&*texts_of(original)?, &mut self.codes[0]);
        self.released
            .translate(&*texts_of(released)?, &mut self.codes[1]);
        let (values, names) = (self.original.levels(), self.released.levels());
        self.pseudonym_of.resize(values.len(), MISSING);
        self.value_of.resize(names.len(), MISSING);
        let (mut bare, mut mixed, mut changed) = (0, 0, 0);
        for (&value, &name) in self.codes[0].iter().zip(&self.codes[1]) {
            if value == MISSING || name == MISSING {
                changed += u64::from(value != name);
                continue;
            }
            let pair = (
                &mut self.pseudonym_of[value as usize],
                &mut self.value_of[name as usize],
            );
            if (*pair.0, *pair.1) == (MISSING, MISSING) {
                (*pair.0, *pair.1) = (name, value);
            }
            mixed += u64::from((*pair.0, *pair.1) != (name, value));
            bare += u64::from(values.get(value) == names.get(name));
        }
        Ok(vec![
            (Rule::NotPseudonymous, bare),
            (Rule::PseudonymsMixed, mixed),
            (Rule::Changed, changed),
        ])
    }
}
