//! Shuffling: values of confidential columns change places so that rank correlations stay.
//!
//! Values of `columns` are dealt out anew. New ranks are drawn from a normal model that has the
//! rank correlations of the table, given the ranks of the columns that are named by `given`, which leave
//! as they are; the record with the j-th smallest draw gets the j-th smallest value. So each
//! shuffled column has exactly the values that it had, in other rows; shuffled columns go
//! together, and with those of `given`, as their ranks did, within the error of a sample; and
//! which value a record had has no part in which it gets but by what the columns of `given` tell.
//! Relations that are not between ranks, and those with other columns, are lost: name all numbers
//! that matter in one of the two lists. Ordered categories are shuffled like numbers.
//! A missing value stays missing, and its record counts for the other columns; where it is one of
//! `given`, it tells nothing. With `buffer` the rows are a stream: so many at a time
//! are shuffled as a table of their own. Fewer than 10 rows, a short table or the last of a stream,
//! are suppressed: their correlations would tell their order.
//!
//! **Protects against** linking a person to a record by shuffled values, and against learning
//! a confidential value of a person whose other values are known: it is known no better than by
//! a regression on `given`.
//! **Does not protect against** what holds of a column alone: each value, the largest one too, is
//! published as somebody's. A value that the columns of `given` determine stays where it was (a
//! rank correlation near 1), and the more columns there are for few rows, the more of their order
//! is in the correlations. Whoever knows the `seed` can tell in which order records were drawn for,
//! which follows from their originals, and test guesses by it; without one it is drawn in secret. It
//! promises nothing formally.
//!
//! **Costs** n log n for each column, and n·w² for the correlations of w columns; two numbers a
//! cell in memory besides the table, or b rows of a stream.
//!
//! **From** Muralidhar and Sarathy, Data shuffling: a new masking approach for numerical data,
//! Management Science 2006.
//!
//! ```toml
//! [[protect]]
//! method = "shuffling"
//! columns = ["cost"]
//! given = ["age"]
//!
//! [[protect]]
//! method = "mondrian"
//! ```

mod copula;
mod ranks;
#[cfg(test)]
mod tests;

use super::Company;
use super::config::MethodConfig;
use super::filter::{Filter, MaskedColumn, Masking, chosen, only_ranked};
use super::parameters::{COLUMNS, buffer};
use super::window::{Mask, Window};
use crate::cancel::Cancel;
use crate::config::{Absent, NAMES, Parameter, Placed, Section};
use crate::data::Records;
use crate::error::{Error, Result};
use copula::Copula;
use rand_core::SeedableRng;
use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use ranks::{average_ranks, normal_score};

/// Shuffling with its parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shuffling {
    /// The columns whose ranks tell where values go, and which leave as they are.
    pub given: Vec<String>,
    /// Rows of a stream that are shuffled together; none for a whole table.
    pub buffer: Option<usize>,
    /// The columns that are shuffled; none for all quasi-identifiers.
    pub columns: Option<Vec<String>>,
}

const GIVEN: Parameter = Parameter::new(
    "given",
    NAMES,
    Absent::Means("none"),
    "columns that stay as they are and whose rank correlations with the shuffled ones are kept; more of them keep more, and tell more of the values",
)
.examples(&["[\"age\"]"]);
const BUFFER: Parameter = buffer(LEAST as i64);

/// The correlations of fewer records would tell their order.
const LEAST: usize = 10;

impl Shuffling {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[GIVEN, BUFFER, COLUMNS];

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let given = section.optional(&GIVEN, Placed::texts)?;
        Ok(Shuffling {
            given: given.unwrap_or_default(),
            buffer: section.optional(&BUFFER, Placed::whole)?,
            columns: section.optional(&COLUMNS, Placed::texts)?,
        })
    }

    /// Writes its parameters as [`Shuffling::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        let given = Some(&self.given).filter(|given| !given.is_empty());
        section.set_optional(&GIVEN, given.cloned());
        section.set_optional(&BUFFER, self.buffer);
        section.set_optional(&COLUMNS, self.columns.clone());
    }
}

impl MethodConfig for Shuffling {
    fn is_random(&self) -> bool {
        true
    }

    fn reads(&self) -> Vec<&str> {
        self.beside()
    }

    fn masking(&self) -> Option<&dyn Masking> {
        Some(self)
    }
}

impl Masking for Shuffling {
    fn least(&self) -> usize {
        LEAST
    }

    fn buffer(&self) -> Option<usize> {
        self.buffer
    }

    fn columns(&self) -> Option<Vec<&str>> {
        chosen(&self.columns)
    }

    fn beside(&self) -> Vec<&str> {
        self.given.iter().map(String::as_str).collect()
    }

    fn company(&self) -> Company {
        Company::Window
    }

    fn check(&self, columns: &[MaskedColumn<'_>]) -> Result<()> {
        only_ranked("shuffling", columns)?;
        let names = columns.iter().map(|column| column.name);
        let both = |name: &str| self.given.iter().any(|given| *given == name);
        let shuffled = columns.len().saturating_sub(self.given.len());
        match names.take(shuffled.max(1)).find(|name| both(name)) {
            None => Ok(()),
            Some(name) => Err(Error::policy(format!(
                "`{name}` is shuffled, and `given` says that it stays as it is"
            ))
            .help("name it in one of the two lists")),
        }
    }

    fn filter(&self, columns: &[MaskedColumn<'_>], seed: u64) -> Result<Box<dyn Filter>> {
        self.check(columns)?;
        let mask = Box::new(Shuffle {
            shuffled: columns.len() - self.given.len(),
            generator: Xoshiro256PlusPlus::seed_from_u64(seed),
        });
        let (width, buffer) = (columns.len(), self.buffer);
        Ok(Box::new(Window::one_by_one(mask, width, buffer, LEAST)))
    }
}

/// Shuffles tables.
struct Shuffle {
    /// Attributes that are shuffled; those behind them are given.
    shuffled: usize,
    generator: Xoshiro256PlusPlus,
}

/// Records between which the work can be stopped.
const RECORDS: usize = 1 << 16;

impl Mask for Shuffle {
    fn mask(
        &mut self,
        records: &mut Records,
        rows: usize,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<usize>>> {
        let mut ranks = Vec::with_capacity(records.width());
        for attribute in 0..records.width() {
            cancel.check()?;
            ranks.push(average_ranks(records.column(attribute).take(rows)));
        }
        let copula = Copula::new(&ranks, self.shuffled, cancel)?;
        let mut scores = ranks.split_off(self.shuffled);
        scores.iter_mut().for_each(|column| to_scores(column));
        let mut drawn = ranks;
        self.draw(&copula, &scores, &mut drawn, cancel)?;
        for (attribute, drawn) in drawn.iter().enumerate() {
            cancel.check()?;
            deal(records, attribute, drawn);
        }
        Ok(Vec::new())
    }
}

impl Shuffle {
    /// Draws for each record what is put in the place of its ranks.
    fn draw(
        &mut self,
        copula: &Copula,
        scores: &[Vec<f64>],
        drawn: &mut [Vec<f64>],
        cancel: &Cancel,
    ) -> Result<()> {
        let mut given = vec![0.0; scores.len()];
        let (mut noise, mut record) = (vec![0.0; drawn.len()], vec![0.0; drawn.len()]);
        for row in 0..drawn.first().map_or(0, Vec::len) {
            if row % RECORDS == 0 {
                cancel.check()?;
            }
            for (given, column) in given.iter_mut().zip(scores) {
                *given = column[row];
            }
            for z in &mut noise {
                *z = StandardNormal.sample(&mut self.generator);
            }
            copula.draw(&given, &noise, &mut record);
            for (column, &value) in drawn.iter_mut().zip(&record) {
                column[row] = value;
            }
        }
        Ok(())
    }
}

/// Ranks as normal scores; a missing one as the mean.
fn to_scores(ranks: &mut [f64]) {
    let present = ranks.iter().filter(|rank| !rank.is_nan()).count();
    for rank in ranks {
        *rank = match rank.is_nan() {
            true => 0.0,
            false => normal_score(*rank, present),
        };
    }
}

/// Gives the j-th smallest value of an attribute to the record with the j-th smallest draw.
fn deal(records: &mut Records, attribute: usize, drawn: &[f64]) {
    let values = records.column(attribute).take(drawn.len()).zip(drawn);
    let present = values.enumerate().filter(|(_, (value, _))| !value.is_nan());
    let (mut values, mut order): (Vec<f64>, Vec<(f64, usize)>) = present
        .map(|(row, (value, &draw))| (value, (draw, row)))
        .unzip();
    values.sort_unstable_by(f64::total_cmp);
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (value, (_, row)) in values.into_iter().zip(order) {
        records.record_mut(row)[attribute] = value;
    }
}
