//! Sampling: releases a random part of the rows, as they are.
//!
//! A simple random sample without replacement: every sample of that size is as likely as any
//! other. Its size is a `fraction` of the rows, rounded down, or `size` rows; it never holds
//! all of them. Where a column tells persons (role `subject`, or a released pseudonym), persons
//! are drawn and counted, each with all rows or with none.
//!
//! With `strata` each combination of values of these columns gets its share of the sample,
//! rounded down or up. Which shares are rounded up is drawn as well, so that every row, also of a
//! stratum of one, is drawn with the same chance: all rows have the same design weight, rows
//! read over rows released. No column is added for it; the report shows the policy, and with it
//! the fraction. Strata may be columns that are not released (role `drop`).
//!
//! Rows that were not drawn are held back by design. They count neither as suppressed nor as
//! lost, and nothing in release or report follows from them but a rounded bound of their number.
//! Sampling stands first: methods behind it make a sample k-anonymous, or mask it, and promises
//! about a population (`k_map`, `presence`) hold the sample against the file that they name, which
//! may be the whole table.
//!
//! **Protects against** an attacker who finds one row that fits a person: whether it is that
//! person or somebody like them who was drawn is open, by the more the smaller the fraction is.
//! **Does not protect against** one who knows that a person is in the sample, as after a second
//! release in which they are, nor a person whose values nobody else in the population has: whoever
//! is released with them is that person. So a sample alone promises nothing; rows leave as they
//! are. Samples that are drawn anew for each release add up to the table: draw once. Whoever knows
//! the `seed` and the rows knows who was drawn; without one it is drawn in secret.
//!
//! **Costs** one pass over the rows, and one more for each column of `strata`; needs the whole
//! table. A smaller fraction hides more, and what is computed from it varies more.
//!
//! **From** Cochran, Sampling techniques, 1977; shares are rounded as in Cox, A constructive
//! procedure for unbiased controlled rounding, JASA 1987; as protection of microdata Willenborg
//! and de Waal, Elements of statistical disclosure control, 2001.
//!
//! ```toml
//! [[protect]]
//! method = "sampling"
//! fraction = 0.1
//! strata = ["sex"]
//!
//! [[protect]]
//! method = "mondrian"
//! ```

mod draw;
#[cfg(test)]
mod tests;

use super::Setting;
use super::config::MethodConfig;
use super::generalization::class_of_rows;
use super::table::{Release, TableMethod};
use crate::cancel::Cancel;
use crate::config::{Absent, Accepts, NAMES, POSITIVE, Parameter, Placed, Protects, Section};
use crate::data::{Batch, Kind, Role, Schema};
use crate::error::{Error, Result};
use draw::Units;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Sampling with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// How much is drawn.
    pub size: SampleSize,
    /// The columns whose values make strata; one stratum without any.
    pub strata: Vec<String>,
}

/// How much is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SampleSize {
    /// This share of the rows, or of the persons where a column tells them.
    Fraction(f64),
    /// So many rows or persons.
    Units(u64),
}

const FRACTION: Parameter = Parameter::new(
    "fraction",
    Accepts::Number(POSITIVE, 0.99),
    Absent::Means("`size`"),
    "the share of rows that is drawn, or of persons where a column tells them; a smaller one hides more",
)
.examples(&["0.1"])
.tunable(Protects::Less);
const SIZE: Parameter = Parameter::new(
    "size",
    Accepts::Whole(1, 1 << 32),
    Absent::Means("`fraction`"),
    "the number of rows that are drawn, or of persons where a column tells them, instead of `fraction`",
)
.examples(&["1000"]);
const STRATA: Parameter = Parameter::new(
    "strata",
    NAMES,
    Absent::Means("one stratum"),
    "columns of which each combination of values gets its share of the sample",
)
.examples(&["[\"region\"]"]);

impl Sampling {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[FRACTION, SIZE, STRATA];

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let fraction = section.optional(&FRACTION, Placed::number)?;
        let units = section.optional(&SIZE, Placed::whole)?;
        let size = match (fraction, units) {
            (Some(fraction), None) => SampleSize::Fraction(fraction),
            (None, Some(units)) => SampleSize::Units(units),
            (Some(_), Some(_)) => {
                let what = "`fraction` and `size` both say how much is drawn";
                return Err(section.error(what).help("keep one of the two"));
            }
            (None, None) => {
                let what = "nothing says how much is drawn";
                return Err(section
                    .error(what)
                    .help("for example fraction = 0.1 or size = 1000"));
            }
        };
        let strata = section.optional(&STRATA, Placed::texts)?;
        Ok(Sampling {
            size,
            strata: strata.unwrap_or_default(),
        })
    }

    /// Writes its parameters as [`Sampling::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        match self.size {
            SampleSize::Fraction(fraction) => section.set(&FRACTION, fraction),
            SampleSize::Units(units) => section.set(&SIZE, units as usize),
        }
        let strata = Some(&self.strata).filter(|strata| !strata.is_empty());
        section.set_optional(&STRATA, strata.cloned());
    }
}

impl SampleSize {
    /// How many of so many units are drawn: one at least, and never all.
    ///
    /// # Errors
    /// When there are too few.
    pub(super) fn of(self, units: u64) -> Result<u64> {
        let size = match self {
            // A product that is whole may come out a little less.
            SampleSize::Fraction(fraction) => (fraction * units as f64 + 1e-9).floor() as u64,
            SampleSize::Units(size) => size,
        };
        match size {
            0 => Err(Error::guarantee("too few rows to draw any of them")
                .help("raise `fraction`, or say `size`")),
            size if size >= units => {
                Err(Error::guarantee("the sample would hold all rows").help("lower its size"))
            }
            size => Ok(size),
        }
    }
}

impl MethodConfig for Sampling {
    fn is_random(&self) -> bool {
        true
    }

    fn samples(&self) -> bool {
        true
    }

    fn reads(&self) -> Vec<&str> {
        self.strata.iter().map(String::as_str).collect()
    }

    fn table(&self, setting: &Setting) -> Option<Box<dyn TableMethod>> {
        Some(Box::new(Draw {
            config: self.clone(),
            seed: setting.seed,
            cancel: setting.cancel.clone(),
        }))
    }
}

/// Draws rows of a table.
struct Draw {
    config: Sampling,
    seed: u64,
    cancel: Cancel,
}

impl TableMethod for Draw {
    fn schema(&self, original: &Schema) -> Result<Schema> {
        places(&self.config.strata, original)?;
        Ok(original.clone())
    }

    fn release(&self, table: &Batch) -> Result<Release> {
        let strata = places(&self.config.strata, table.schema())?;
        let strata = (!strata.is_empty()).then(|| {
            let columns = strata.iter().map(|&place| table.column(place));
            class_of_rows(columns, table.len()).0
        });
        let units = Units {
            rows: table.len(),
            persons: persons(table)?,
            strata: strata.as_deref(),
        };
        let counts = units.counts()?;
        let size = self.config.size.of(counts.iter().sum())?;
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let shares = draw::shares(&counts, size, &mut generator);
        let drawn = units.draw(counts, shares, &mut generator, &self.cancel)?;
        Ok(Release {
            left_out: (table.len() - drawn.len()) as u64,
            ..Release::new(table.take(&drawn)?, Vec::new())
        })
    }
}

/// The person of each row, where a column tells persons.
fn persons(table: &Batch) -> Result<Option<&[u32]>> {
    let subject = table.schema().with_role(Role::Subject).first().copied();
    let codes = |place| Ok(table.categories(place)?.codes());
    subject.map(codes).transpose()
}

/// The places of the columns that make strata, whose values can be compared.
fn places(names: &[String], schema: &Schema) -> Result<Vec<usize>> {
    let place = |name: &String| {
        let place = schema.index_of(name);
        let typed = |&place: &usize| !matches!(schema.fields()[place].kind, Kind::Plain(_));
        place.filter(typed).ok_or_else(|| {
            Error::policy(format!(
                "`strata` names `{name}`, which is not read, or without a type"
            ))
            .help("name columns of [columns], with a type: number, category or date")
        })
    };
    names.iter().map(place).collect()
}
