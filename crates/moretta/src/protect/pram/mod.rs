//! PRAM: each category becomes another one by lot, with probabilities that are known.
//!
//! The post-randomisation method draws, for each row by itself, what a category is released as:
//! category k becomes l with probability P_kl. P is the transition matrix. It is made by a `design`
//! from how many rows T_k of all S have each of the L categories, or given by the policy:
//!
//! | design | stays | becomes another one |
//! |---|---|---|
//! | `constant-diagonal` | p | (1 − p) (S − T_k − T_l) / ((L − 2) (S − T_k)): rather a rare one |
//! | `equal-counts` | 1 − θ T_min / T_k: rare ones change most | all others alike |
//! | `random-diagonal` | drawn between p and 1 | all others alike |
//! | `equation` | p, or the equation `diagonal` cut off at 0 and 1 | by the weights that `equation` gives |
//!
//! With `alpha` the matrix is made *invariant*: P times its own Bayes inverse Q is R, and
//! α R + (1 − α) I is used, by which the expected frequencies are those of the original. `groups`
//! takes columns together: the combination of their values is the category, of which only those are
//! released that some row has. `matrices` gives a matrix, or the frequencies for a design, which a
//! stream (`buffer = 1`) needs, since nobody has counted its rows. Categories are those of a
//! declared `order`, else those that rows have. A missing value is one more category, the last;
//! with `missing = "stays"` it takes no part.
//!
//! Who knows the matrix can estimate the frequencies of the original without bias; `moretta
//! compare` does so, with standard errors. `matrices` under `[sink]` publishes it.
//!
//! **Protects against** certainty: a released category may have been drawn, so a person who is
//! found by it may be another one, and a rare value may be nobody's.
//! **Does not protect against** a good guess: what a category was is known as well as p says, and
//! columns of a row that agree with each other give true ones away. Rows are drawn one by one: of a
//! person with several rows whom a released subject or pseudonym tells, what most of them
//! show is true. Nothing is promised. Where the
//! matrix follows from no row and all its entries are above 0, odds of two originals change by a
//! factor of at most e^ε, ε = ln max P_kl / P_k'l; that is a fact of the matrix and no promise, as
//! what was drawn can be drawn again by whoever knows the `seed`. A published matrix of a design
//! tells the frequencies that it was made from, so it is refused where one of them is from 1 to 10,
//! and where a subject tells that rows may be of few persons.
//!
//! **Costs** one draw and a search in a row of the matrix for each value; at most 1,024
//! categories, so at most 8 MB a matrix.
//!
//! **From** Gouweleeuw, Kooiman, Willenborg and de Wolf, Post randomisation for statistical
//! disclosure control, Journal of Official Statistics 1998; the designs from de Wolf and van Gelder
//! 2004 and from Domingo-Ferrer and Torra 2001; the invariant matrix as sdcMicro makes it.
//!
//! ```
//! use moretta::protect::pram::TransitionMatrix;
//! let matrix = TransitionMatrix::new(&[vec![0.9, 0.1], vec![0.1, 0.9]])?;
//! assert_eq!(matrix.expected(&[110.0, 90.0]), [108.0, 92.0]);
//! # Ok::<(), moretta::Error>(())
//! ```

mod equation;
mod estimate;
mod filter;
mod known;
mod matrix;
#[cfg(test)]
mod tests;

pub use equation::{DIAGONAL_VARIABLES, Diagonal, MatrixEquation, WEIGHT_VARIABLES};
pub use estimate::{Estimate, one_way, two_way};
pub use known::{Known, Told};
pub use matrix::TransitionMatrix;

use super::config::MethodConfig;
use super::filter::{Filter, MaskedColumn, Masking};
use super::parameters::{COLUMNS as ANY_COLUMNS, buffer};
use super::transition::Transition;
use crate::config::{Absent, Accepts, Length, NAMES, Parameter, Placed, Protects, Section, words};
use crate::error::{Error, Result};
use crate::math::uniform::Uniform;
use filter::{Changes, Unit};
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::path::{Path, PathBuf};

/// How a matrix is made from frequencies.
#[derive(Clone, Debug, PartialEq)]
pub enum Design {
    /// All categories stay with this probability.
    ConstantDiagonal(f64),
    /// From all categories equally many change, this share of the rarest.
    EqualCounts(f64),
    /// Each category stays with a probability drawn between this and 1.
    RandomDiagonal(f64),
    /// By equations of the frequencies.
    Equation(MatrixEquation),
}

#[derive(Clone, Copy, PartialEq)]
enum DesignWord {
    ConstantDiagonal,
    EqualCounts,
    RandomDiagonal,
    Equation,
}

const DESIGNS: &[(&str, DesignWord)] = &[
    ("constant-diagonal", DesignWord::ConstantDiagonal),
    ("equal-counts", DesignWord::EqualCounts),
    ("random-diagonal", DesignWord::RandomDiagonal),
    ("equation", DesignWord::Equation),
];

/// What becomes of missing values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingValues {
    /// They are one more category, the last.
    #[default]
    Category,
    /// They stay as they are.
    Stay,
}

const MISSING_WORDS: &[(&str, MissingValues)] = &[
    ("category", MissingValues::Category),
    ("stays", MissingValues::Stay),
];

/// PRAM with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Pram {
    /// How matrices are made that are not given.
    pub design: Design,
    /// How much of the invariant matrix is used; none for the matrix of the design itself.
    pub alpha: Option<f64>,
    /// Columns that are changed one by one; none for all quasi-identifiers, or those that
    /// `groups` and `matrices` name.
    pub columns: Option<Vec<String>>,
    /// Columns that are changed together.
    pub groups: Vec<Vec<String>>,
    /// What is known beforehand of columns.
    pub matrices: Vec<Known>,
    /// What becomes of missing values.
    pub missing: MissingValues,
    /// Rows of a stream leave at once; none for a whole table.
    pub buffer: Option<usize>,
}

const DESIGN: Parameter = Parameter::new(
    "design",
    Accepts::Word(|| words(DESIGNS)),
    Absent::Text("constant-diagonal"),
    "how matrices are made of frequencies: all categories stay with probability p, equally many of each change, each stays with a probability drawn between p and 1, or an equation says how likely each becomes each",
);
const P: Parameter = Parameter::new(
    "p",
    Accepts::Number(0.0, 1.0),
    Absent::Number(0.8),
    "the probability that a category stays, of random-diagonal the least; a smaller one hides and loses more",
)
.tunable(Protects::Less);
const THETA: Parameter = Parameter::new(
    "theta",
    Accepts::Number(0.0, 1.0),
    Absent::Number(0.5),
    "of equal-counts, the share of the rarest category that changes; a larger one hides and loses more",
)
.tunable(Protects::More);
const EQUATION: Parameter = Parameter::new(
    "equation",
    Accepts::Text,
    Absent::Means("must be given with design = \"equation\", and else means nothing"),
    "of equation, the weight by which category k becomes l, of Tk and Tl (rows that have them), S (all rows), L (categories), numbers, + - * / and parentheses; what is divided by 0 is 1, and weights below 0 are 0",
)
.examples(&["\"S - Tk - Tl\""]);
const DIAGONAL: Parameter = Parameter::new(
    "diagonal",
    Accepts::Text,
    Absent::Means("p for all categories"),
    "of equation, the probability that category k stays, of Tk, S, L and numbers, cut off at 0 and 1",
)
.examples(&["\"1 - 16 / Tk\""]);
const ALPHA: Parameter = Parameter::new(
    "alpha",
    Accepts::Number(0.0, 1.0),
    Absent::Means("none; the matrix of the design is used as it is"),
    "makes the matrix invariant, so that frequencies are expected to stay, and uses this share of it; a larger one changes more",
)
.examples(&["0.5"]);
const COLUMNS: Parameter = Parameter {
    absent: Absent::Means("those of `groups` and `matrices`, else all with the role quasi"),
    meaning: "the columns of categories that are changed, each by itself unless `groups` takes it together with others",
    examples: &["[\"sex\", \"region\"]"],
    ..ANY_COLUMNS
};
const GROUPS: Parameter = Parameter::new(
    "groups",
    Accepts::List(&NAMES, Length::ANY),
    Absent::Means("none; each column by itself"),
    "columns whose combined values are one category, so that no combination is released that no row has",
)
.examples(&["[[\"sex\", \"region\"]]"]);
const MATRICES: Parameter = Parameter::new(
    "matrices",
    Accepts::List(&Accepts::Table(known::KNOWN), Length::ANY),
    Absent::Means("none; they are designed from the rows of the table"),
    "what is known beforehand of a column or of several together: the matrix, or the frequencies from which the design makes it; a stream needs it of all columns",
)
.examples(&[
    "[{ columns = [\"sex\"], categories = [\"f\", \"m\"], rows = [[0.9, 0.1], [0.1, 0.9]] }]",
]);
const MISSING: Parameter = Parameter::new(
    "missing",
    Accepts::Word(|| words(MISSING_WORDS)),
    Absent::Text("category"),
    "whether a missing value is one more category, the last, or stays missing",
);
const BUFFER: Parameter = Parameter {
    meaning: "1 makes the rows a stream of which each leaves at once, by matrices that are known beforehand; without it they are a table",
    examples: &["1"],
    ..buffer(1)
};

impl Pram {
    /// Its parameters in a policy.
    pub const PARAMETERS: &'static [Parameter] = &[
        DESIGN, P, THETA, EQUATION, DIAGONAL, ALPHA, COLUMNS, GROUPS, MATRICES, MISSING, BUFFER,
    ];

    /// Reads its parameters.
    pub fn read(section: &mut Section) -> Result<Self> {
        let word = section.word(&DESIGN, DESIGNS)?;
        let unused: &[&Parameter] = match word {
            DesignWord::EqualCounts => &[&P, &EQUATION, &DIAGONAL],
            DesignWord::Equation if section.has(DIAGONAL.name) => &[&THETA, &P],
            DesignWord::Equation => &[&THETA],
            _ => &[&THETA, &EQUATION, &DIAGONAL],
        };
        let unused = unused.iter().map(|parameter| parameter.name);
        if let Some(unused) = { unused }.find(|name| section.has(name)) {
            let what = format!("`{unused}` means nothing for this `design`");
            return Err(section
                .error(what)
                .help("take it out, or choose another design"));
        }
        let (p, theta) = (section.number(&P)?, section.number(&THETA)?);
        let design = match word {
            DesignWord::ConstantDiagonal => Design::ConstantDiagonal(p),
            DesignWord::EqualCounts => Design::EqualCounts(theta),
            DesignWord::RandomDiagonal => Design::RandomDiagonal(p),
            DesignWord::Equation => Design::Equation(read_equations(section, p)?),
        };
        let groups = section.optional(&GROUPS, |placed, name| {
            let groups = placed.list(name)?.iter();
            groups.map(|group| group.texts(name)).collect()
        })?;
        let matrices = section.optional(&MATRICES, |placed, name| {
            let tables = placed.list(name)?.iter();
            let read = |known: &Placed| Known::read(known.table(name)?.clone());
            tables.map(read).collect()
        })?;
        let pram = Pram {
            design,
            alpha: section.optional(&ALPHA, Placed::number)?,
            columns: section.optional(&COLUMNS, Placed::texts)?,
            groups: groups.unwrap_or_default(),
            matrices: matrices.unwrap_or_default(),
            missing: section.word(&MISSING, MISSING_WORDS)?,
            buffer: section.optional(&BUFFER, Placed::whole)?,
        };
        pram.check_units()
            .map_err(|error| error.at(section.place(GROUPS.name)))?;
        pram.check_stream()
            .map_err(|error| error.at(section.place(BUFFER.name)))?;
        Ok(pram)
    }

    /// Writes its parameters as [`Pram::read`] reads them.
    pub fn write(&self, section: &mut Section) {
        let word = match &self.design {
            Design::ConstantDiagonal(_) => DesignWord::ConstantDiagonal,
            Design::EqualCounts(_) => DesignWord::EqualCounts,
            Design::RandomDiagonal(_) => DesignWord::RandomDiagonal,
            Design::Equation(_) => DesignWord::Equation,
        };
        section.set_word(&DESIGN, DESIGNS, word);
        match &self.design {
            Design::ConstantDiagonal(p) | Design::RandomDiagonal(p) => section.set(&P, *p),
            Design::EqualCounts(theta) => section.set(&THETA, *theta),
            Design::Equation(equation) => {
                section.set(&EQUATION, equation.weights_text());
                section.set_optional(&DIAGONAL, equation.diagonal_text());
                if let Diagonal::Constant(p) = equation.diagonal {
                    section.set(&P, p);
                }
            }
        }
        section.set_optional(&ALPHA, self.alpha);
        section.set_optional(&COLUMNS, self.columns.clone());
        if !self.groups.is_empty() {
            section.set(&GROUPS, self.groups.clone());
        }
        if !self.matrices.is_empty() {
            let known: Vec<Section> = self.matrices.iter().map(Known::written).collect();
            section.set(&MATRICES, known);
        }
        section.set_word(&MISSING, MISSING_WORDS, self.missing);
        section.set_optional(&BUFFER, self.buffer);
    }

    /// Takes the matrices that are in files, which the caller finds and reads as rows of cells.
    ///
    /// # Errors
    /// When a file cannot be read, or holds no matrix.
    pub fn load(
        &mut self,
        read: impl Fn(&Path) -> Result<(PathBuf, Vec<Vec<String>>)>,
    ) -> Result<()> {
        let mut known = self.matrices.iter_mut();
        known.try_for_each(|known| known.load(&read))
    }

    /// The files that hold matrices.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.matrices.iter().filter_map(Known::file)
    }

    /// The matrices that follow from no row and no draw.
    ///
    /// # Errors
    /// When one is none.
    pub fn transitions(&self) -> Result<Vec<Transition>> {
        let drawn = matches!(self.design, Design::RandomDiagonal(_));
        let fixed = |known: &&Known| {
            known.fewest.is_none() && !(drawn && matches!(known.told, Told::Counts(_)))
        };
        let known = self.matrices.iter().filter(fixed);
        let told = |known: &Known| {
            let matrix = match &known.told {
                Told::Matrix(rows) | Told::File(_, Some(rows)) => TransitionMatrix::new(rows)?,
                Told::Counts(counts) => {
                    self.designed(counts, &mut Xoshiro256PlusPlus::seed_from_u64(0))
                }
                Told::File(_, None) => return Err(Error::bug("the file of a matrix was not read")),
            };
            let text = |text: &String| (!text.is_empty()).then(|| text.clone());
            let texts = |texts: &Vec<String>| texts.iter().map(text).collect();
            Ok(Transition {
                columns: known.columns.clone(),
                categories: known.categories.iter().map(texts).collect(),
                matrix: matrix.rows().map(<[f64]>::to_vec).collect(),
                fewest: None,
            })
        };
        known.map(told).collect()
    }

    /// The columns of each unit that is named: one column, or several taken together.
    fn named_units(&self) -> Vec<Vec<&str>> {
        let together = self.matrices.iter().map(|known| &known.columns);
        let together = together.chain(&self.groups);
        let mut units: Vec<Vec<&str>> = together
            .map(|columns| columns.iter().map(String::as_str).collect())
            .collect();
        for column in self.columns.iter().flatten() {
            if !units.iter().any(|unit| unit.contains(&column.as_str())) {
                units.push(vec![column]);
            }
        }
        units
    }

    /// No column is changed twice.
    fn check_units(&self) -> Result<()> {
        let units = self.named_units();
        if units.iter().any(Vec::is_empty) {
            return Err(Error::policy("a group of no columns")
                .help("name the columns that are taken together"));
        }
        let names: Vec<&str> = units.concat();
        let twice = (1..names.len()).find(|&i| names[..i].contains(&names[i]));
        match twice {
            None => Ok(()),
            Some(i) => {
                let what = format!("column `{}` would be changed twice", names[i]);
                Err(Error::policy(what).help("name it in one group or entry of `matrices` alone"))
            }
        }
    }

    /// Of a stream, all matrices are known beforehand.
    fn check_stream(&self) -> Result<()> {
        let units = self.named_units();
        let known = |unit: &&Vec<&str>| self.matrices.iter().any(|known| known.columns == **unit);
        match units.iter().find(|unit| !known(unit)) {
            _ if self.buffer.is_none() => Ok(()),
            Some(unit) => Err(unknown_beforehand(&format!("`{}`", unit.join("`, `")))),
            None if units.is_empty() => Err(unknown_beforehand("its quasi-identifiers")),
            None => Ok(()),
        }
    }

    /// The matrix of these frequencies.
    pub(self) fn designed(
        &self,
        frequencies: &[f64],
        uniform: &mut impl Uniform,
    ) -> TransitionMatrix {
        let matrix = match &self.design {
            Design::ConstantDiagonal(p) => TransitionMatrix::constant_diagonal(frequencies, *p),
            Design::EqualCounts(theta) => TransitionMatrix::equal_counts(frequencies, *theta),
            Design::RandomDiagonal(p) => {
                TransitionMatrix::random_diagonal(frequencies.len(), *p, uniform)
            }
            Design::Equation(equation) => equation.matrix(frequencies),
        };
        match self.alpha {
            None => matrix,
            Some(alpha) => matrix.invariant(frequencies, alpha),
        }
    }

    /// Ready to change records of these columns, with draws that the caller provides.
    pub fn filter_with(
        &self,
        columns: &[MaskedColumn<'_>],
        uniform: impl Uniform + 'static,
    ) -> Result<Box<dyn Filter>> {
        use crate::data::Attribute;
        let number = |column: &&MaskedColumn<'_>| column.attribute == Attribute::Number;
        if let Some(column) = columns.iter().find(number) {
            let what = format!(
                "column `{}` is a number; PRAM needs categories",
                column.name
            );
            return Err(Error::policy(what).help(
                "name columns of categories under `columns`, or give it type = \"category\"",
            ));
        }
        let named = self.named_units();
        let units = match named.is_empty() {
            true => columns.iter().map(|column| vec![column.name]).collect(),
            false => named,
        };
        let units = units.into_iter().map(|names| {
            let place = |name: &&str| columns.iter().position(|column| column.name == *name);
            let places: Option<Vec<usize>> = names.iter().map(place).collect();
            let places = places.ok_or_else(|| Error::bug("a column that is not masked"))?;
            let is = |known: &&Known| known.columns.iter().eq(&names);
            let known = self.matrices.iter().find(is);
            if known.is_none() && self.buffer.is_some() {
                return Err(unknown_beforehand(&format!("`{}`", names.join("`, `"))));
            }
            Ok(Unit::new(&names, places, known.cloned()))
        });
        let units = units.collect::<Result<_>>()?;
        Ok(Box::new(Changes::new(self.clone(), units, uniform)?))
    }
}

/// Reads the equations of a matrix.
fn read_equations(section: &mut Section, p: f64) -> Result<MatrixEquation> {
    let Some(weights) = section.optional(&EQUATION, Placed::text)? else {
        return Err(section
            .error("design = \"equation\" needs an `equation`")
            .help("give one, such as equation = \"S - Tk - Tl\""));
    };
    let diagonal = section.optional(&DIAGONAL, Placed::text)?;
    let read = |key: &Parameter, text: &str, names: &[&str]| {
        equation::read(key.name, text, names).map_err(|error| error.at(section.place(key.name)))
    };
    Ok(MatrixEquation {
        weights: read(&EQUATION, &weights, &WEIGHT_VARIABLES)?,
        diagonal: match diagonal {
            None => Diagonal::Constant(p),
            Some(text) => Diagonal::Equation(read(&DIAGONAL, &text, &DIAGONAL_VARIABLES)?),
        },
    })
}

fn unknown_beforehand(columns: &str) -> Error {
    let what = format!("a stream needs to know the matrix of {columns} before its first row");
    Error::policy(what).help("give it an entry of `matrices` with its categories and either `rows` (the matrix), `counts` (frequencies for the design) or a `file`; or take `buffer` out, so that the rows are a table and are counted")
}

impl MethodConfig for Pram {
    fn is_random(&self) -> bool {
        true
    }

    fn works_in_clusters(&self) -> bool {
        false
    }

    fn masking(&self) -> Option<&dyn Masking> {
        Some(self)
    }
}

impl Masking for Pram {
    fn buffer(&self) -> Option<usize> {
        self.buffer
    }

    fn columns(&self) -> Option<Vec<&str>> {
        let named = self.named_units().concat();
        (self.columns.is_some() || !named.is_empty()).then_some(named)
    }

    fn categories(&self, column: &str) -> Option<&[String]> {
        self.matrices.iter().find_map(|known| known.texts(column))
    }

    fn is_row_local(&self) -> bool {
        self.buffer.is_some()
    }

    fn strength(&self) -> Option<(&'static str, String)> {
        Some(match &self.design {
            Design::ConstantDiagonal(p) | Design::RandomDiagonal(p) => (P.name, p.to_string()),
            Design::EqualCounts(theta) => (THETA.name, theta.to_string()),
            Design::Equation(equation) => match &equation.diagonal {
                Diagonal::Constant(p) => (P.name, p.to_string()),
                Diagonal::Equation(_) => (DIAGONAL.name, equation.diagonal_text()?),
            },
        })
    }

    fn filter(&self, columns: &[MaskedColumn<'_>], seed: u64) -> Result<Box<dyn Filter>> {
        self.filter_with(columns, Xoshiro256PlusPlus::seed_from_u64(seed))
    }
}
