//! What a policy says beforehand of the categories of a column: their matrix or frequencies.

use super::matrix::TransitionMatrix;
use crate::config::{Absent, Accepts, Length, NAMES, Parameter, Placed, Section, Value};
use crate::error::{Error, Result};
use std::path::{Path, PathBuf};

/// More categories than this are no categories: their matrix would need memory without bound.
pub(super) const MOST_CATEGORIES: usize = 1024;

/// What is known of a column, or of several that are taken together.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// The columns.
    pub columns: Vec<String>,
    /// Each category with a text for every column, empty where a value is missing.
    pub categories: Vec<Vec<String>>,
    /// What is known of them.
    pub told: Told,
    /// For each column, its texts in the order of the categories.
    texts: Vec<Vec<String>>,
    /// The least number of rows above 0 that have a category, where it follows from rows.
    pub(super) fewest: Option<u64>,
}

/// A matrix or frequencies.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// The matrix, row by row.
    Matrix(Vec<Vec<f64>>),
    /// How many rows have each category, in any unit.
    Counts(Vec<f64>),
    /// A file with the matrix, and the matrix once it is read.
    File(PathBuf, Option<Vec<Vec<f64>>>),
}

/// The keys of an entry of `matrices`.
pub(super) const KNOWN: &[Parameter] = &[COLUMNS, CATEGORIES, ROWS, COUNTS, FILE];

const COLUMNS: Parameter = Parameter::new(
    "columns",
    NAMES,
    Absent::Refused,
    "the column, or those that are taken together",
)
.examples(&["[\"sex\"]"]);
const CATEGORIES: Parameter = Parameter::new(
    "categories",
    Accepts::List(
        &Accepts::OneOrMore(&Accepts::Text),
        Length {
            least: 1,
            most: MOST_CATEGORIES,
            distinct: true,
        },
    ),
    Absent::Means("those of the file"),
    "the categories in order, of several columns each a list with a text for every column; an empty text is a missing value",
)
.examples(&["[\"f\", \"m\"]", "[[\"f\", \"yes\"], [\"m\", \"no\"]]"]);
const ROWS: Parameter = Parameter::new(
    "rows",
    Accepts::List(
        &Accepts::List(&Accepts::Number(0.0, 1.0), Length::ANY),
        Length::ANY,
    ),
    Absent::Means("none"),
    "the matrix: for each category, with what probability it is released as each of them",
)
.examples(&["[[0.9, 0.1], [0.1, 0.9]]"]);
const COUNTS: Parameter = Parameter::new(
    "counts",
    Accepts::List(&Accepts::Number(0.0, 1e15), Length::ANY),
    Absent::Means("none"),
    "how frequent each category is, in any unit: the design makes the matrix of it, and counts no row",
)
.examples(&["[110, 90]"]);
const FILE: Parameter = Parameter::new(
    "file",
    Accepts::Text,
    Absent::Means("none"),
    "a CSV file with the matrix: a first line that names the categories behind a cell for each column, then a line for each category with its text or texts and its probabilities",
)
.examples(&["\"sex.csv\""]);

impl Known {
    /// What is known of columns with these categories.
    ///
    /// # Errors
    /// When matrix or frequencies are none of these categories.
    pub fn new(columns: Vec<String>, categories: Vec<Vec<String>>, told: Told) -> Result<Self> {
        let mut known = Known {
            columns,
            categories,
            told,
            texts: Vec::new(),
            fewest: None,
        };
        known.check()?;
        known.texts = (0..known.columns.len())
            .map(|place| distinct(known.categories.iter().map(|texts| &texts[place])))
            .collect();
        Ok(known)
    }

    /// The same, found by looking at rows, of which a category has at least so many, or none: who
    /// sees the matrix may learn of them.
    #[must_use]
    pub fn found_from_rows(self, fewest: u64) -> Self {
        Known {
            fewest: Some(fewest),
            ..self
        }
    }

    pub(super) fn read(mut section: Section) -> Result<Self> {
        let columns = section.read(&COLUMNS, Placed::texts)?;
        let categories = section.optional(&CATEGORIES, |placed, name| {
            let list = placed.list(name)?.iter();
            let texts = |category: &Placed| match category.value {
                Value::List(_) => category.texts(name),
                _ => Ok(vec![category.text(name)?]),
            };
            list.map(texts).collect::<Result<Vec<Vec<String>>>>()
        })?;
        let rows = section.optional(&ROWS, |placed, name| {
            let rows = placed.list(name)?.iter();
            rows.map(|row| numbers(row, name)).collect::<Result<_>>()
        })?;
        let counts = section.optional(&COUNTS, numbers)?;
        let file = section.optional(&FILE, Placed::text)?;
        let one = || {
            section
                .error("an entry of `matrices` has one of `rows`, `counts` and `file`")
                .help("give the matrix, the frequencies or the file, and not more than one of them")
        };
        let (categories, told) = match (categories, rows, counts, file) {
            (Some(categories), Some(rows), None, None) => (categories, Told::Matrix(rows)),
            (Some(categories), None, Some(counts), None) => (categories, Told::Counts(counts)),
            (None, None, None, Some(file)) => (Vec::new(), Told::File(file.into(), None)),
            (Some(_), None, None, Some(_)) => {
                return Err(section
                    .error("the file of a matrix names its categories")
                    .help("take `categories` out"));
            }
            (None, ..) => {
                return Err(section
                    .error("an entry of `matrices` needs `categories`")
                    .help("name them in the order of the rows of the matrix, or give a `file`"));
            }
            _ => return Err(one()),
        };
        let known = Known::new(columns, categories, told);
        let known = known.map_err(|error| error.at(section.place(COLUMNS.name)))?;
        section.finish()?;
        Ok(known)
    }

    pub(super) fn written(&self) -> Section {
        let mut section = Section::default();
        section.set(&COLUMNS, self.columns.clone());
        let categories = || match self.columns.len() {
            1 => Value::from(self.categories.concat()),
            _ => Value::from(self.categories.clone()),
        };
        match &self.told {
            Told::Matrix(rows) => {
                section.set(&CATEGORIES, categories());
                section.set(&ROWS, rows.clone());
            }
            Told::Counts(counts) => {
                section.set(&CATEGORIES, categories());
                section.set(&COUNTS, counts.clone());
            }
            Told::File(file, _) => section.set(&FILE, file.display().to_string()),
        }
        section
    }

    pub(super) fn file(&self) -> Option<&Path> {
        match &self.told {
            Told::File(file, _) => Some(file),
            _ => None,
        }
    }

    pub(super) fn load(
        &mut self,
        read: impl Fn(&Path) -> Result<(PathBuf, Vec<Vec<String>>)>,
    ) -> Result<()> {
        let Told::File(file, _) = &self.told else {
            return Ok(());
        };
        let (path, lines) = read(file)?;
        let (categories, rows) = matrix_of(&lines, self.columns.len()).map_err(|what| {
            Error::policy(format!("matrix {}: {what}", path.display())).help(LAYOUT)
        })?;
        let told = Told::File(path, Some(rows));
        *self = Known::new(self.columns.clone(), categories, told)?;
        Ok(())
    }

    /// The texts of a column, whose places are its codes.
    pub(super) fn texts(&self, column: &str) -> Option<&[String]> {
        let place = self.columns.iter().position(|name| name == column)?;
        self.texts.get(place).map(Vec::as_slice)
    }

    /// The categories by the places of their texts; NaN where a value is missing.
    pub(super) fn codes(&self) -> Vec<Vec<f64>> {
        let code = |(text, texts): (&String, &Vec<String>)| {
            let place = texts.iter().position(|other| other == text);
            place.map_or(f64::NAN, |place| place as f64)
        };
        let category = |texts: &Vec<String>| texts.iter().zip(&self.texts).map(code).collect();
        self.categories.iter().map(category).collect()
    }

    fn check(&self) -> Result<()> {
        let refuse = |what: String| {
            let columns = self.columns.join("`, `");
            Error::policy(format!("the matrix of `{columns}`: {what}"))
        };
        let width = self.columns.len();
        if let Some(place) = self
            .categories
            .iter()
            .position(|texts| texts.len() != width)
        {
            let what = format!("category {} has not one text for each column", place + 1);
            return Err(refuse(what).help(
                "of one column a category is a text, of several a list with a text for every column",
            ));
        }
        let twice = (1..self.categories.len())
            .find(|&i| self.categories[..i].contains(&self.categories[i]));
        if let Some(place) = twice {
            let what = format!("category {} is there twice", place + 1);
            return Err(refuse(what).help("name each category once"));
        }
        if self.categories.len() > MOST_CATEGORIES {
            let what = format!("more than {MOST_CATEGORIES} categories");
            return Err(refuse(what).help("group categories first"));
        }
        let number = self.categories.len();
        let found = match &self.told {
            Told::Counts(counts) if counts.iter().all(|&count| count == 0.0) => {
                return Err(refuse("no category is frequent".to_owned())
                    .help("give counts of which one is above 0"));
            }
            Told::Counts(counts) => counts.len(),
            Told::File(_, None) => return Ok(()),
            Told::Matrix(rows) | Told::File(_, Some(rows)) => {
                TransitionMatrix::new(rows).map_err(|error| {
                    let help = error.help_text().unwrap_or_default().to_owned();
                    refuse(error.to_string()).help(help)
                })?;
                rows.len()
            }
        };
        match found == number {
            true => Ok(()),
            false => Err(
                refuse(format!("{number} categories, and values for {found}"))
                    .help("give a row or a count for each category, in their order"),
            ),
        }
    }
}

const LAYOUT: &str = "the first line names the categories behind a cell for each column; each further line is a category and its probabilities, in the same order";

/// Categories and their probabilities.
type Labelled = (Vec<Vec<String>>, Vec<Vec<f64>>);

/// Categories and probabilities of a file, whose lines begin with so many texts.
fn matrix_of(lines: &[Vec<String>], texts: usize) -> std::result::Result<Labelled, String> {
    let (head, lines) = lines.split_first().ok_or("the file holds no lines")?;
    let (mut categories, mut rows) = (Vec::new(), Vec::new());
    for (line, number) in lines.iter().zip(2..) {
        if line.len() <= texts {
            return Err(format!("line {number} holds no probabilities"));
        }
        let (category, row) = line.split_at(texts);
        let row = row.iter().map(|cell| cell.trim().parse::<f64>());
        let row = row.collect::<std::result::Result<Vec<f64>, _>>();
        rows.push(row.map_err(|_| format!("line {number} holds a cell that is no number"))?);
        categories.push(category.to_vec());
    }
    let named = head.iter().skip(texts);
    let same = named.eq(categories
        .iter()
        .map(|texts| texts.join(" & "))
        .collect::<Vec<_>>()
        .iter());
    match same {
        true => Ok((categories, rows)),
        false => Err("the first line does not name the categories of the lines in their order, those of several columns joined by \" & \"".to_owned()),
    }
}

fn numbers(placed: &Placed, name: &str) -> Result<Vec<f64>> {
    let list = placed.list(name)?.iter();
    list.map(|number| number.number(name)).collect()
}

/// Each text once, in order; those of missing values are none.
fn distinct<'a>(texts: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut distinct: Vec<String> = Vec::new();
    for text in texts.filter(|text| !text.is_empty()) {
        if !distinct.contains(text) {
            distinct.push(text.clone());
        }
    }
    distinct
}
