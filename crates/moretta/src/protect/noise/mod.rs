//! Noise: adds random amounts to numbers, and to the ranks of ordered categories.
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
//! With `transform` the noise is added on another scale, and σ is that of the column there:
//! *rank-normal* gives the numbers of a table the places of a normal distribution, so that noise
//! moves a number past as many others wherever it lies, few or many far out; no number leaves the
//! range of its column, and with kind = "transformed" its distribution stays what it was. *log*
//! takes logarithms, for numbers above 0, which grow by shares.
//!
//! Ordered categories move up or down their `order`: noise with a standard deviation of `steps`
//! steps, by default a·L of L declared categories, is rounded to whole steps, and what would go
//! beyond an end goes as far back inside. Laplace noise is rounded where that is the `kind`, else
//! normal noise. Of 5 categories and a = 0.1 about one in three changes, nearly always to its
//! neighbour. Nominal categories have no neighbours: they are replaced with probability `replace`
//! by another one that was seen, each with equal chance. That is what PRAM does with the same
//! probability for all; it is here for rows with columns of all kinds, and for streams of which
//! nobody knows the categories beforehand. Take `pram` where frequencies shall be estimated from the
//! release: its matrix is known and can be published, and a missing value can be one of its
//! categories. Columns with the role class get `class` in place of a and of `replace`.
//!
//! With `buffer` the rows are a stream: the first so many wait until σ is
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
//! A category is known as well as its probability to stay says, and a rare one that is released
//! was somebody's.
//! Multiplied values keep their sign, and zero stays zero. Numbers that many rows share often stay
//! as they are under *rank-normal*, and the range of the column is as good as told. The noise can be taken
//! off by whoever knows the `seed`: without one in the policy it is never repeated.
//!
//! **Costs** a few dozen nanoseconds a value, and width² operations a record where
//! correlated. A missing value stays missing.
//!
//! **From** Kim 1986 (correlated noise and its transformation), Sullivan and Fuller 1989 (by way
//! of a normal scale), Brand 2002, Kim and Winkler 2003 (multiplicative); as a filter of streams, Martínez Rodríguez, Nin
//! and Nuñez-del-Prado 2017, which let the first record pass unchanged.

mod filter;
mod ordered;
mod transform;

pub use filter::NoiseFilter;
pub use transform::{Transform, logarithms, normal_scores};

use super::config::MethodConfig;
use super::filter::{Filter, MaskedColumn, Masking, chosen};
use super::parameters::{COLUMNS, buffer};
use crate::config::{Absent, Accepts, Parameter, Placed, Protects, Section, words};
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

const TRANSFORMS: &[(&str, Transform)] = &[
    ("none", Transform::None),
    ("rank-normal", Transform::RankNormal),
    ("log", Transform::Log),
];

/// Noise with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// How noise is made.
    pub kind: Kind,
    /// The scale on which noise is added.
    pub transform: Transform,
    /// Standard deviation of the noise over that of the column.
    pub amount: f64,
    /// Standard deviation of the noise on ordered categories, in steps; none for the amount times
    /// the number of categories.
    pub steps: Option<f64>,
    /// Probability that a nominal category is replaced.
    pub replace: f64,
    /// The same, of columns with the role class; of numbers and ordered categories the amount.
    pub class: f64,
    /// Rows that wait until the spread is known; none for a whole table.
    pub buffer: Option<usize>,
    /// The columns; none for all quasi-identifiers.
    pub columns: Option<Vec<String>>,
}

const KIND: Parameter = Parameter::new(
    "kind",
    Accepts::Word(|| words(KINDS)),
    Absent::Text("uncorrelated"),
    "how noise is made; correlated keeps correlations, transformed variances too",
);
const TRANSFORM: Parameter = Parameter::new(
    "transform",
    Accepts::Word(|| words(TRANSFORMS)),
    Absent::Text("none"),
    "the scale on which noise is added: that of ranks in a normal distribution, of a table, or of logarithms",
);
const AMOUNT: Parameter = Parameter::new(
    "amount",
    Accepts::Number(0.0, 10.0),
    Absent::Number(0.1),
    "standard deviation of the noise over that of the column; a larger one hides and loses more",
)
.tunable(Protects::More);
const STEPS: Parameter = Parameter::new(
    "steps",
    Accepts::Number(0.0, 1000.0),
    Absent::Means("amount times the number of categories"),
    "standard deviation of the noise on ordered categories, in steps from one to the next; a larger one hides and loses more",
)
.examples(&["1"])
.tunable(Protects::More);
const REPLACE: Parameter = Parameter::new(
    "replace",
    Accepts::Number(0.0, 1.0),
    Absent::Means("amount, at most 1"),
    "probability that a nominal category is replaced by another one",
)
.tunable(Protects::More);
const CLASS: Parameter = Parameter::new(
    "class",
    Accepts::Number(0.0, 1.0),
    Absent::Number(0.0),
    "the same for columns with the role class",
)
.tunable(Protects::More);
const BUFFER: Parameter = buffer(2);

impl Noise {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[
        KIND, TRANSFORM, AMOUNT, STEPS, REPLACE, CLASS, BUFFER, COLUMNS,
    ];

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let amount = section.number(&AMOUNT)?;
        let steps = section.optional(&STEPS, Placed::number)?;
        let replace = section.optional(&REPLACE, Placed::number)?;
        let kind = section.word(&KIND, KINDS)?;
        let transform = section.word(&TRANSFORM, TRANSFORMS)?;
        let buffer = section.optional(&BUFFER, Placed::whole)?;
        let factors = matches!(kind, Kind::Multiplicative | Kind::LogNormal);
        if factors && transform != Transform::None {
            return Err(section
                .error("`transform` is for noise that is added, and this kind multiplies")
                .help(
                    "use kind = \"uncorrelated\", \"correlated\", \"transformed\" or \"laplace\"",
                ));
        }
        if transform == Transform::RankNormal && buffer.is_some() {
            return Err(section
                .error("transform = \"rank-normal\" needs all ranks, and a stream has them never")
                .help("take `buffer` out, or use transform = \"log\""));
        }
        Ok(Noise {
            kind,
            transform,
            amount,
            steps,
            replace: replace.unwrap_or(amount.min(1.0)),
            class: section.number(&CLASS)?,
            buffer,
            columns: section.optional(&COLUMNS, Placed::texts)?,
        })
    }

    /// Writes its parameters as [`Noise::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        section.set_word(&KIND, KINDS, self.kind);
        if self.transform != Transform::None {
            section.set_word(&TRANSFORM, TRANSFORMS, self.transform);
        }
        section.set(&AMOUNT, self.amount);
        section.set_optional(&STEPS, self.steps);
        section.set(&REPLACE, self.replace);
        section.set(&CLASS, self.class);
        section.set_optional(&BUFFER, self.buffer);
        section.set_optional(&COLUMNS, self.columns.clone());
    }
}

impl MethodConfig for Noise {
    fn is_random(&self) -> bool {
        true
    }

    fn masking(&self) -> Option<&dyn Masking> {
        Some(self)
    }
}

impl Masking for Noise {
    fn buffer(&self) -> Option<usize> {
        self.buffer
    }

    fn columns(&self) -> Option<Vec<&str>> {
        chosen(&self.columns)
    }

    fn strength(&self) -> Option<(&'static str, String)> {
        Some((AMOUNT.name, self.amount.to_string()))
    }

    fn masks_classes(&self) -> bool {
        self.class > 0.0
    }

    fn filter(&self, columns: &[MaskedColumn<'_>], seed: u64) -> Result<Box<dyn Filter>> {
        Ok(Box::new(NoiseFilter::new(self, columns, seed)))
    }
}
