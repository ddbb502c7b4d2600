//! Whether a set of rows may become a class: the guarantee as a operator sees it.
//!
//! A [`Profile`] grows row by row and can be asked at any time, so a method
//! that moves a boundary through sorted rows pays for each row once. A class that
//! comes as counts is asked by [`Limits::holds_counts`]; both ask the same questions. The
//! checker of a release is `guarantee::check`, which shares nothing with this.

mod ask;
mod counts;
mod dense;
mod histogram;
mod sensitive;
mod size;
mod tally;
mod whole;

pub(crate) use ask::Growth;
pub(crate) use counts::ClassCounts;
pub(crate) use histogram::Histogram;
pub(crate) use size::first_that_stay;

use crate::data::{Batch, Column, Domains, Role};
use crate::error::{Error, Result};
use crate::guarantee::{Guarantee, persons_of_risk};
use ask::Ask;
use foldhash::fast::FixedState;
use hashbrown::HashSet;
use sensitive::{Sensitive, sensitive};
use size::{Fit, least_size};
use tally::Tally;

/// What every class must have.
pub(crate) struct Limits {
    /// The least number of persons (rows, without a subject column).
    pub(crate) k: usize,
    subjects: Option<Vec<u32>>,
    sensitive: Vec<Sensitive>,
    fit: Fit,
    average_risk: Option<f64>,
}

impl Limits {
    /// Reads the subject and sensitive columns of `batch` that the guarantee speaks of.
    pub(crate) fn new(guarantee: &Guarantee, batch: &Batch, domains: &Domains) -> Result<Self> {
        let subject = batch.schema().with_role(Role::Subject).first().copied();
        let subjects = subject.map(|i| persons(batch.column(i))).transpose()?;
        let sensitive = sensitive(guarantee, batch, subjects.as_deref(), domains)?;
        Ok(Limits {
            k: least_size(guarantee),
            subjects,
            sensitive,
            fit: Fit::new(guarantee),
            average_risk: guarantee.average_risk,
        })
    }

    /// Has every class keep the average risk by its own size, for methods that decide class by
    /// class.
    pub(crate) fn average_by_size(mut self) -> Self {
        if let Some(risk) = self.average_risk {
            self.k = self.k.max(persons_of_risk(risk) as usize);
        }
        self
    }

    /// At least `k` rows, nothing else.
    pub(crate) fn rows(k: usize) -> Self {
        Limits {
            k: k.max(1),
            subjects: None,
            sensitive: Vec::new(),
            fit: Fit::default(),
            average_risk: None,
        }
    }

    /// Compares classes with these rows instead of the whole table. False
    /// when nothing is asked that compares, so that it makes no difference.
    pub(crate) fn refer_to(&mut self, rows: &[u32]) -> bool {
        let subjects = self.subjects.as_deref();
        let mut any = false;
        for column in &mut self.sensitive {
            if column.compares() {
                column.weigh(rows, subjects);
                any = true;
            }
        }
        any
    }

    /// Only rows are counted, so sizes decide.
    pub(crate) fn only_rows(&self) -> bool {
        self.subjects.is_none() && self.sensitive.is_empty()
    }

    /// Whether two sets that hold always hold together. Without persons they mostly do,
    /// since diversity is concave and closeness convex; a person in both counts
    /// once in the union, which shifts its distribution.
    pub(crate) fn unite(&self) -> bool {
        self.growth_of_values() >= Growth::Unions
    }

    /// Whether rows that hold also hold with more rows.
    fn grow(&self) -> bool {
        self.growth_of_values() == Growth::Always
    }

    /// An empty profile for these limits.
    pub(crate) fn profile(&self) -> Profile {
        Profile {
            rows: 0,
            persons: HashSet::default(),
            tallies: self
                .sensitive
                .iter()
                .map(|column| Tally::new(column.value_count, &column.asks))
                .collect(),
        }
    }

    /// Whether these rows may be a class.
    pub(crate) fn hold(&self, rows: &[u32]) -> bool {
        if rows.len() < self.k {
            return false;
        }
        if self.only_rows() {
            return true;
        }
        self.hold_each(rows.iter().copied())
    }

    /// Whether the rows that come may be a class; stops when they are enough.
    pub(crate) fn hold_each(&self, rows: impl Iterator<Item = u32>) -> bool {
        if self.grow() {
            return self.enough(rows).is_some();
        }
        let mut profile = self.profile();
        rows.for_each(|row| profile.add(self, row));
        profile.holds(self)
    }

    /// How many of the rows that come may be a class, if more of them may be one too.
    fn enough(&self, rows: impl Iterator<Item = u32>) -> Option<usize> {
        let mut profile = self.profile();
        for (before, row) in rows.enumerate() {
            profile.add(self, row);
            if profile.holds(self) {
                return Some(before + 1);
            }
        }
        None
    }

    /// What keeps these rows from being a class.
    pub(crate) fn obstacle(&self, rows: &[u32]) -> Option<String> {
        let mut profile = self.profile();
        rows.iter().for_each(|&row| profile.add(self, row));
        if profile.persons(self) < self.k {
            return Some(format!("k={}", self.k));
        }
        let columns = self.sensitive.iter().zip(&profile.tallies);
        columns.into_iter().find_map(|(column, tally)| {
            let mut asks = column.asks.iter().zip(&column.labels);
            let (_, label) = asks.find(|(ask, _)| !tally.holds(ask, &column.whole))?;
            Some(format!("{label} of `{}`", column.name))
        })
    }

    /// For each of the ascending `positions`, whether both the rows before it
    /// and the rows from it on may be classes.
    pub(crate) fn allow(&self, rows: &[u32], positions: &[usize]) -> Vec<bool> {
        if self.only_rows() {
            let fits = |&p: &usize| p >= self.k && rows.len() - p >= self.k;
            return positions.iter().map(fits).collect();
        }
        if self.grow() {
            let first = self.enough(rows.iter().copied());
            let last = self.enough(rows.iter().rev().copied());
            let (Some(first), Some(last)) = (first, last) else {
                return vec![false; positions.len()];
            };
            let fits = |&p: &usize| p >= first && rows.len() - p >= last;
            return positions.iter().map(fits).collect();
        }
        let mut flags = vec![false; positions.len()];
        let mut profile = self.profile();
        let mut done = 0;
        for (flag, &position) in flags.iter_mut().zip(positions) {
            rows[done..position]
                .iter()
                .for_each(|&row| profile.add(self, row));
            done = position;
            *flag = profile.holds(self);
        }
        profile = self.profile();
        let mut done = rows.len();
        for (flag, &position) in flags.iter_mut().zip(positions).rev() {
            rows[position..done]
                .iter()
                .for_each(|&row| profile.add(self, row));
            done = position;
            *flag = *flag && profile.holds(self);
        }
        flags
    }

    /// Why the whole table cannot be one class, if it cannot: then nothing can be released. A value
    /// that is too rare may still go with its class, where classes may be suppressed.
    pub(crate) fn refusal(&self, n_rows: usize, suppresses: bool) -> Option<Error> {
        let mut profile = self.profile();
        (0..n_rows as u32).for_each(|row| profile.add(self, row));
        let (persons, least) = match self.average_risk {
            None => (profile.persons(self), self.k),
            Some(risk) => {
                let rows: Vec<u32> = (0..n_rows as u32).collect();
                let least = persons_of_risk(risk) as usize;
                (self.size_of(&rows), self.k.max(least))
            }
        };
        if persons < least {
            let unit = if self.subjects.is_some() && n_rows > 0 {
                "persons"
            } else {
                "rows"
            };
            return Some(
                Error::guarantee(format!(
                    "{persons} {unit}; k={least} needs at least {least} persons"
                ))
                .help("lower k, or bring more data"),
            );
        }
        let columns = self.sensitive.iter().zip(&profile.tallies);
        columns.into_iter().find_map(|(column, tally)| {
            let mut asks = column.asks.iter();
            let ask = asks.find(|ask| {
                let may_go = suppresses && matches!(ask, Ask::Each(_));
                !may_go && !tally.holds(ask, &column.whole)
            })?;
            Some(ask.refusal(&column.name, tally.distinct))
        })
    }

    /// How many persons these rows are, or how many rows where there is no subject.
    pub(crate) fn size_of(&self, rows: &[u32]) -> usize {
        match &self.subjects {
            None => rows.len(),
            Some(subjects) => {
                let persons = rows.iter().map(|&row| subjects[row as usize]);
                persons.collect::<HashSet<u32, FixedState>>().len()
            }
        }
    }
}

/// What a growing set of rows holds.
pub(crate) struct Profile {
    rows: usize,
    persons: HashSet<u32, FixedState>,
    tallies: Vec<Tally>,
}

impl Profile {
    /// Adds a row.
    pub(crate) fn add(&mut self, limits: &Limits, row: u32) {
        self.rows += 1;
        let subject = limits.subjects.as_ref().map(|s| s[row as usize]);
        if self.persons.len() < limits.k {
            self.persons.extend(subject);
        }
        for (tally, column) in self.tallies.iter_mut().zip(&limits.sensitive) {
            tally.add(column.values[row as usize], subject);
        }
    }

    fn persons(&self, limits: &Limits) -> usize {
        if limits.subjects.is_some() {
            self.persons.len()
        } else {
            self.rows
        }
    }

    /// Whether the rows so far may be a class.
    pub(crate) fn holds(&self, limits: &Limits) -> bool {
        self.persons(limits) >= limits.k
            && self
                .tallies
                .iter()
                .zip(&limits.sensitive)
                .all(|(tally, column)| {
                    column
                        .asks
                        .iter()
                        .all(|ask| tally.holds(ask, &column.whole))
                })
    }
}

/// The person of each row.
fn persons(column: &Column) -> Result<Vec<u32>> {
    let persons = column.as_categories();
    let persons = persons.ok_or_else(|| Error::bug("persons were not read as categories"))?;
    Ok(persons.codes().to_vec())
}

#[cfg(test)]
mod tests;
