//! A first policy for a file: guesses, each with its reason, for a person to review.
//!
//! The first rows are read twice: once as what they look like, once as they are written.
//! Each column is then guessed alone ([`column`]) by its name ([`names`]) and its values
//! ([`content`], [`dates`]); one of those that tell persons becomes the subject; and if there
//! is a time as well, a stream is proposed ([`stream`]). No value is ever shown.

mod column;
mod content;
mod dates;
mod names;
mod personal_numbers;
mod stream;
mod text;

use crate::data::hierarchy::HierarchySpec;
use crate::data::{Batch, Categories, Column, Kind, Role};
use crate::error::{Error, Result};
use crate::io::{self, ColumnPlan, Encoding, Format, Header, ReadAs, ReadOptions};
use column::{FEW, Guessed, Look, NEARLY_ALL, Subject};
use std::path::Path;

/// Rows that are looked at.
const LOOK: usize = 100_000;

/// Cells that often mean missing.
const TOKENS: &[&str] = &[
    "?", "NA", "N/A", "n/a", "NULL", "null", "NaN", "nan", "None",
];

/// Cells that look like numbers and are none.
const NOT_FINITE: &[&str] = &[
    "inf",
    "-inf",
    "+inf",
    "Inf",
    "-Inf",
    "+Inf",
    "INF",
    "-INF",
    "infinity",
    "-infinity",
    "Infinity",
    "-Infinity",
    "NaN",
    "nan",
    "NAN",
    "-nan",
];

/// The guesses for a file.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The character between cells, when it is not the usual one.
    pub delimiter: Option<u8>,
    /// What is odd about the first line, when it looks like a row and was taken for one.
    pub headless: Option<String>,
    /// The columns have names in the file.
    pub header: bool,
    /// The character around cells.
    pub quote: u8,
    /// How characters are encoded.
    pub encoding: Encoding,
    /// Whether numbers have a comma before their decimals.
    pub decimal_comma: bool,
    /// Cells that mean missing.
    pub missing: Vec<String>,
    /// One guess a column, in the order of the file.
    pub columns: Vec<Guess>,
    /// Rows that were looked at.
    pub rows: usize,
    /// Whether the rows are events of persons over time, so that a stream is proposed.
    pub stream: bool,
}

/// The guess for a column.
#[derive(Clone, Debug)]
pub struct Guess {
    /// Its name.
    pub name: String,
    /// What it seems to mean for privacy.
    pub role: Role,
    /// Why.
    pub why: String,
    /// How it should be read, when that is not obvious.
    pub read: ReadAs,
    /// How its values could generalise.
    pub hierarchy: Option<HierarchySpec>,
    /// The hierarchy is worth a mention only.
    pub optional: bool,
}

/// Looks at the first rows of a file and guesses.
pub fn propose(path: &Path, options: &ReadOptions) -> Result<Proposal> {
    let mut options = options.clone();
    options.batch_rows = Some(LOOK);
    let csv = options.format.or_else(|| Format::from_path(path)) == Some(Format::Csv);
    let delimiter = if csv && options.delimiter.is_none() {
        sniff(path, &options)?
    } else {
        None
    };
    options.delimiter = delimiter.or(options.delimiter);
    let headless = io::header_warning(path, &options)?;
    if headless.is_some() {
        options.header = Header::None;
    }
    let asked = options.missing.clone();
    let (look, not_finite) = first_look(path, &options)?;
    options.missing = tokens(&look, TOKENS);
    options.missing.extend(not_finite);
    options.missing.extend(asked);
    options.missing.sort_unstable();
    options.missing.dedup();
    options.decimal_comma |= csv && has_decimal_commas(&look);
    let look = if options.missing.is_empty() && !options.decimal_comma {
        look
    } else {
        self::look(path, &options, None)?
    };
    if look.is_empty() {
        return Err(Error::input("0 rows; there is nothing to guess from").in_file(path));
    }
    let texts = self::look(path, &options, Some(&look))?;
    let (columns, stream) = guess(&look, &texts);
    Ok(Proposal {
        delimiter: options.delimiter,
        headless,
        header: options.header != Header::None,
        quote: options.quote,
        encoding: options.encoding,
        decimal_comma: options.decimal_comma,
        missing: options.missing,
        columns,
        rows: look.len(),
        stream,
    })
}

/// The guesses for all columns, and whether they are those of a stream.
fn guess(look: &Batch, texts: &Batch) -> (Vec<Guess>, bool) {
    let texts: Vec<Option<Categories>> = texts
        .columns()
        .iter()
        .map(|column| column.as_categories().map(Categories::compact))
        .collect();
    let fields = look.schema().fields();
    let mut columns: Vec<Guessed> = (0..fields.len())
        .map(|i| {
            Look {
                name: &fields[i].name,
                kind: &fields[i].kind,
                column: look.column(i),
                texts: texts[i].as_ref(),
            }
            .guess()
        })
        .collect();
    choose_subject(&mut columns);
    set_texts_of_persons_aside(&mut columns);
    let stream = stream::propose(&mut columns, fields, &texts);
    let columns = columns.into_iter().map(|column| column.guess).collect();
    (columns, stream)
}

/// Makes the column that tells persons best the subject; others that could have been are
/// identifiers, since a policy has one subject.
fn choose_subject(columns: &mut [Guessed]) {
    let best = columns.iter().filter_map(|column| column.subject).max();
    let best = columns
        .iter()
        .position(|column| column.subject.is_some() && column.subject == best);
    for (i, column) in columns.iter_mut().enumerate() {
        let is_best = Some(i) == best;
        if column.subject.is_none() || (!is_best && column.guess.role == Role::Identifier) {
            continue;
        }
        let (role, why) = match is_best {
            true => (
                Role::Subject,
                "it tells persons, and values repeat: k counts them, not rows",
            ),
            false => (
                Role::Identifier,
                "it may tell persons too, and one column alone is the subject",
            ),
        };
        column.guess = Guess {
            name: std::mem::take(&mut column.guess.name),
            role,
            why: why.to_owned(),
            read: ReadAs::Infer,
            hierarchy: None,
            optional: false,
        };
    }
}

/// Makes texts of which there are about as many as persons identifiers: they repeat with the
/// rows of a person, but each of them tells the person.
fn set_texts_of_persons_aside(columns: &mut [Guessed]) {
    let subject = columns
        .iter()
        .find(|column| column.guess.role == Role::Subject);
    let Some(persons) = subject
        .and_then(|column| column.subject)
        .map(Subject::persons)
    else {
        return;
    };
    for column in columns
        .iter_mut()
        .filter(|column| column.guess.role == Role::Quasi)
    {
        let texts = column.unsure_texts.unwrap_or(0) as f64;
        let each = NEARLY_ALL * persons as f64..=persons as f64 / NEARLY_ALL;
        if texts >= FEW as f64 && each.contains(&texts) {
            column.guess.role = Role::Identifier;
            column.guess.why = "nearly every person has another text".to_owned();
            column.guess.hierarchy = None;
        }
    }
}

/// The first rows: every column read as what it looks like, or, once that is known, as it is
/// written.
fn look(path: &Path, options: &ReadOptions, known: Option<&Batch>) -> Result<Batch> {
    let plans: Vec<ColumnPlan> = io::names(path, options)?
        .into_iter()
        .map(|name| ColumnPlan {
            read: match known.and_then(|known| known.column_named(&name)) {
                None => ReadAs::Infer,
                Some(Column::Plain(_)) => ReadAs::Plain,
                Some(_) => ReadAs::Category,
            },
            name,
            role: Role::Quasi,
        })
        .collect();
    let mut source = io::open(path, options, &plans)?;
    let schema = source.schema().clone();
    source.next().unwrap_or_else(|| Ok(Batch::empty(schema)))
}

/// The delimiter that gives the most columns, when it is not the comma.
fn sniff(path: &Path, options: &ReadOptions) -> Result<Option<u8>> {
    let count = |delimiter: u8| {
        let options = ReadOptions {
            delimiter: Some(delimiter),
            ..options.clone()
        };
        io::names(path, &options).map_or(0, |names| names.len())
    };
    let usual = io::names(path, options).map_or(0, |names| names.len());
    let best = [b';', b'\t', b'|'].into_iter().max_by_key(|&d| count(d));
    Ok(best.filter(|&d| count(d) > usual.max(1)))
}

/// Whether numbers seem to have a comma before their decimals: a column has nothing else, and
/// no column has points.
fn has_decimal_commas(look: &Batch) -> bool {
    let with_comma = |text: &str| {
        let number = text.trim().replacen(',', ".", 1);
        !text.contains('.') && number.parse::<f64>().is_ok()
    };
    let mut texts = look.columns().iter().filter_map(Column::as_categories);
    let fractions = Kind::Number { integer: false };
    let points = look.schema().fields().iter().any(|f| f.kind == fractions);
    !points
        && texts.any(|column| {
            let levels = column.levels();
            levels.iter().any(|text| text.contains(','))
                && levels
                    .iter()
                    .all(|text| with_comma(text) || TOKENS.contains(&text))
        })
}

/// The first rows, and which cells such as `inf` stand among their numbers: if nothing else
/// is wrong with them, these mean missing.
fn first_look(path: &Path, options: &ReadOptions) -> Result<(Batch, Vec<String>)> {
    let error = match look(path, options, None) {
        Err(error @ Error::Input(_)) => error,
        other => return Ok((other?, Vec::new())),
    };
    let mut without = options.clone();
    without
        .missing
        .extend(NOT_FINITE.iter().map(|&token| token.to_owned()));
    let Ok(first) = look(path, &without, None) else {
        return Err(error);
    };
    let written = look(path, options, Some(&first))?;
    Ok((first, tokens(&written, NOT_FINITE)))
}

/// The tokens that occur.
fn tokens(look: &Batch, tokens: &[&str]) -> Vec<String> {
    let occurs = |token: &&&str| {
        look.columns()
            .iter()
            .filter_map(Column::as_categories)
            .any(|column| column.levels().iter().any(|text| text == **token))
    };
    tokens
        .iter()
        .filter(occurs)
        .map(|token| (*token).to_owned())
        .collect()
}
