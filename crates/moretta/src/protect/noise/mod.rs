//! Noise: adds random amounts to numbers and replaces categories at random.
//!
//! Each number gets noise whose size follows the spread σ of its column: with
//! `amount` a the standard deviation of what is added is a·σ. Where numbers are
//! multiplied instead, a is the standard deviation of the factor.
//!
//! - *uncorrelated*: x' = x + a·σ·N(0, 1), column by column.
//! - *correlated*: the noise of a record has covariance a²·Σ, where Σ is that of the
//!   columns, so correlations survive; variances grow by 1 + a².
//! - *transformed*: correlated, then drawn towards the mean by 1/√(1 + a²), so means,
//!   variances and covariances survive.
//! - *multiplicative*: x' = x·e with e normal around 1, redrawn outside (0, 2).
//! - *log-normal*: x' = x·e with e log-normal of mean 1 and standard deviation a.
//! - *laplace*: x' = x + Laplace noise of standard deviation a·σ; this is not
//!   differential privacy, since σ comes from the data.
//!
//! Categories are replaced with probability `replace` by another one that was
//! seen, each with equal chance; those with the role class with probability
//! `class`. With `buffer` the rows are a stream: the first so many wait until σ is
//! known, the others leave at once, with the σ of all rows so far.
//!
//! **Protects against** an exact match of a record with one that is known.
//! **Does not protect against** an attacker who averages over repeated releases, over
//! correlated columns or, where rows leave in their order, over neighbours (`moretta
//! attack` tells how far that leads), nor outliers, which stay far out; it promises
//! nothing. Of electricity prices with `amount` 0.25 the release shows 19 % of the
//! records to a fifth of their length, and with its neighbouring rows 77 %.
//! A column that has been constant so far has no spread and gets no noise, and in a
//! stream the first values after such a stretch get little.
//! Multiplied values keep their sign, and zero stays zero. The noise can be taken
//! off by whoever knows the `seed`: without one in the policy it is never repeated.
//!
//! **Costs** a few dozen nanoseconds a value, and width² operations a record where
//! correlated. A missing value stays missing.
//!
//! **From** Kim 1986 (correlated noise and its transformation), Brand 2002, Kim and
//! Winkler 2003 (multiplicative); as a filter of streams, Martínez Rodríguez, Nin
//! and Nuñez-del-Prado 2017, which let the first record pass unchanged.

mod filter;

pub use filter::NoiseFilter;

use super::filter::{BUFFER, COLUMNS, Filter, MaskedColumn, Masking, read_buffer};
use super::method::Parameter;
use crate::config::Section;
use crate::error::Result;

/// How noise is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Each column for itself.
    #[default]
    Uncorrelated,
    /// With the covariances of the columns.
    Correlated,
    /// With the covariances of the columns, and variances as they were.
    Transformed,
    /// Normal factors around 1.
    Multiplicative,
    /// Log-normal factors of mean 1.
    LogNormal,
    /// Each column for itself, with heavier tails.
    Laplace,
}

const KINDS: &[(&str, Kind)] = &[
    ("uncorrelated", Kind::Uncorrelated),
    ("correlated", Kind::Correlated),
    ("transformed", Kind::Transformed),
    ("multiplicative", Kind::Multiplicative),
    ("log-normal", Kind::LogNormal),
    ("laplace", Kind::Laplace),
];

/// Noise with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// How noise is made.
    pub kind: Kind,
    /// Standard deviation of the noise over that of the column.
    pub amount: f64,
    /// Probability that a category is replaced.
    pub replace: f64,
    /// The same, of columns with the role class; of numbers the amount.
    pub class: f64,
    /// Rows that wait until the spread is known; none for a whole table.
    pub buffer: Option<usize>,
    /// The columns; none for all quasi-identifiers.
    pub columns: Option<Vec<String>>,
}

impl Noise {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[
        Parameter {
            name: "kind",
            values: "uncorrelated, correlated, transformed, multiplicative, log-normal, laplace",
            default: "uncorrelated",
            meaning: "how noise is made; correlated keeps correlations, transformed variances too",
        },
        Parameter {
            name: "amount",
            values: "0 to 10",
            default: "0.1",
            meaning: "standard deviation of the noise over that of the column; a larger one hides and loses more",
        },
        Parameter {
            name: "replace",
            values: "0 to 1",
            default: "amount, at most 1",
            meaning: "probability that a category is replaced by another one",
        },
        Parameter {
            name: "class",
            values: "0 to 1",
            default: "0",
            meaning: "the same for columns with the role class",
        },
        BUFFER,
        COLUMNS,
    ];

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let amount = section.number("amount", 0.0..=10.0)?.unwrap_or(0.1);
        let replace = section.number("replace", 0.0..=1.0)?;
        Ok(Noise {
            kind: section.word("kind", KINDS)?.unwrap_or_default(),
            amount,
            replace: replace.unwrap_or(amount.min(1.0)),
            class: section.number("class", 0.0..=1.0)?.unwrap_or(0.0),
            buffer: read_buffer(section, 2)?,
            columns: section.texts("columns")?,
        })
    }
}

impl Masking for Noise {
    fn buffer(&self) -> Option<usize> {
        self.buffer
    }

    fn columns(&self) -> Option<Vec<&str>> {
        let columns = self.columns.as_ref()?;
        Some(columns.iter().map(String::as_str).collect())
    }

    fn masks_classes(&self) -> bool {
        self.class > 0.0
    }

    fn filter(&self, columns: &[MaskedColumn<'_>], seed: u64) -> Result<Box<dyn Filter>> {
        Ok(Box::new(NoiseFilter::new(self, columns, seed)))
    }
}
