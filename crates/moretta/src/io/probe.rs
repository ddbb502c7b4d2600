//! A look at the first rows of a table whose policy is still to be written.
//!
//! What is found stays in memory: levels are values of the data, so nothing here
//! prints them and the types have no `Debug`.

use super::chunk::Cells;
use super::csv::LIKELY;
use super::gather::flaw_error;
use super::infer::Guess;
use super::input::Input;
use super::misfit::Unfit;
use super::open::format_of;
use super::options::{ColumnPlan, Format, ReadAs, ReadOptions};
use super::plain_text::plain_text;
use super::text::{Sampled, Syntax, TextChunks};
use super::{arff, csv, jsonl, names, open, typed};
use crate::data::{Batch, Column, Kind, LevelsBuilder, Role};
use crate::error::Result;
use std::path::Path;

/// Texts that often stand for a missing value.
const TOKENS: [&str; 7] = ["?", "NA", "N/A", "NULL", "null", "nan", "-"];

/// Distinct values are counted up to here.
const MOST_DISTINCT: usize = 100_000;

/// Columns with at most so many distinct values tell them.
const MOST_LEVELS: usize = 64;

/// What the first rows of a table look like.
pub struct Probe {
    /// The columns in the order of the file.
    pub columns: Vec<ProbedColumn>,
    /// How many rows were looked at.
    pub rows_seen: u64,
    /// Whether those are all.
    pub complete: bool,
    /// A delimiter that would give more columns than the one.
    pub delimiter: Option<u8>,
}

/// What the first rows of a column look like.
pub struct ProbedColumn {
    /// As in the header.
    pub name: String,
    /// What a protected column would be read as.
    pub guess: ReadAs,
    /// How many distinct values there are, missing ones aside; none beyond 100,000.
    pub distinct: Option<usize>,
    /// How many cells are missing, with those that hold a usual word for it.
    pub missing: u64,
    /// The usual words for missing that were met.
    pub missing_tokens: Vec<String>,
    /// The mean number of characters of a cell that is not missing.
    pub mean_length: f64,
    /// Whether no value occurs twice and none is missing.
    pub unique: bool,
    /// The distinct values when there are at most 64, in the order of first appearance.
    pub levels: Option<Vec<String>>,
}

/// Looks at up to `rows` rows.
pub fn probe(path: &Path, options: &ReadOptions, rows: usize) -> Result<Probe> {
    let in_file = |e: crate::Error| e.in_file(path);
    match format_of(path, options.format, "source")? {
        Format::Csv => {
            let input = Input::open(path, options)?;
            let (names, chunks, line) = csv::peek(input, options).map_err(in_file)?;
            let delimiter = likely_delimiter(&names);
            let probe = probe_text(names, chunks, line, options, rows).map_err(in_file)?;
            Ok(Probe { delimiter, ..probe })
        }
        Format::Jsonl => {
            let input = Input::open(path, options)?;
            let (names, chunks) = jsonl::peek(input, options).map_err(in_file)?;
            probe_text(names, chunks, 1, options, rows).map_err(in_file)
        }
        Format::Arff => {
            let input = Input::open(path, options)?;
            let (names, chunks, line) = arff::peek(input, options).map_err(in_file)?;
            probe_text(names, chunks, line, options, rows).map_err(in_file)
        }
        Format::Parquet | Format::Arrow | Format::ArrowStream => probe_typed(path, options, rows),
    }
}

/// The delimiter that splits the only name into the most parts.
fn likely_delimiter(names: &[String]) -> Option<u8> {
    let [only] = names else {
        return None;
    };
    let parts = |d: u8| only.bytes().filter(|&b| b == d).count();
    LIKELY
        .into_iter()
        .rev()
        .max_by_key(|&d| parts(d))
        .filter(|&d| parts(d) > 0)
}

fn probe_text<S: Syntax>(
    names: Vec<String>,
    mut chunks: TextChunks<S>,
    first_line: u64,
    options: &ReadOptions,
    rows: usize,
) -> Result<Probe> {
    let mut prober = Prober::new(names.len(), &options.missing, rows as u64);
    let complete = match chunks.sample(&mut prober)? {
        Sampled::All => true,
        Sampled::Some => false,
        Sampled::Flawed(flaw, lines) => return Err(flaw_error(flaw, first_line + lines, &names)),
    };
    Ok(prober.finish(names, complete))
}

fn probe_typed(path: &Path, options: &ReadOptions, rows: usize) -> Result<Probe> {
    let names = names(path, options)?;
    let plans: Vec<ColumnPlan> = names
        .iter()
        .map(|name| ColumnPlan {
            name: name.clone(),
            role: Role::Plain,
            read: ReadAs::Plain,
        })
        .collect();
    let options = ReadOptions {
        batch_rows: Some(rows.clamp(1, 4096)),
        ..options.clone()
    };
    let mut source = open(path, &options, &plans)?;
    let guesses: Vec<ReadAs> = source
        .schema()
        .fields()
        .iter()
        .map(|field| match &field.kind {
            Kind::Plain(data_type) => typed::inferred(data_type, Role::Quasi),
            _ => ReadAs::Plain,
        })
        .collect();
    let mut prober = Prober::new(names.len(), &options.missing, rows as u64);
    let mut complete = false;
    while prober.wants_more() {
        match source.next() {
            Some(batch) => prober.see(&batch?)?,
            None => {
                complete = true;
                break;
            }
        }
    }
    let mut probe = prober.finish(names, complete);
    for (column, guess) in probe.columns.iter_mut().zip(guesses) {
        column.guess = guess;
    }
    Ok(probe)
}

/// Takes note of cells.
struct Prober<'a> {
    columns: Vec<Seen>,
    missing: &'a [String],
    rows: u64,
    most: u64,
}

#[derive(Default)]
struct Seen {
    guess: Guess,
    levels: LevelsBuilder,
    many: bool,
    present: u64,
    missing: u64,
    tokens: [bool; TOKENS.len()],
    characters: u64,
}

impl<'a> Prober<'a> {
    fn new(columns: usize, missing: &'a [String], most: u64) -> Self {
        Prober {
            columns: (0..columns).map(|_| Seen::default()).collect(),
            missing,
            rows: 0,
            most,
        }
    }

    fn see(&mut self, batch: &Batch) -> Result<()> {
        for (index, column) in batch.columns().iter().enumerate() {
            if let Column::Plain(array) = column {
                for cell in &plain_text(array)? {
                    match cell {
                        Some(text) => self.cell(index, text, 0),
                        None => self.missing(index, 0),
                    }
                }
            }
        }
        self.rows += batch.len() as u64;
        Ok(())
    }

    fn finish(self, names: Vec<String>, complete: bool) -> Probe {
        Probe {
            columns: names
                .into_iter()
                .zip(self.columns)
                .map(|(name, seen)| seen.finish(name))
                .collect(),
            rows_seen: self.rows,
            complete,
            delimiter: None,
        }
    }
}

impl Cells for Prober<'_> {
    fn cell(&mut self, column: usize, text: &str, _line: u64) {
        let seen = &mut self.columns[column];
        if text.is_empty() || self.missing.iter().any(|token| token == text) {
            seen.missing += 1;
        } else if let Some(token) = TOKENS.iter().position(|token| *token == text) {
            seen.missing += 1;
            seen.tokens[token] = true;
        } else {
            seen.see(text);
        }
    }

    fn missing(&mut self, column: usize, _line: u64) {
        self.columns[column].missing += 1;
    }

    fn unfit(&mut self, column: usize, _why: Unfit, _line: u64) {
        self.columns[column].missing += 1;
    }

    fn end_row(&mut self) {
        self.rows += 1;
    }

    fn wants_more(&self) -> bool {
        self.rows < self.most
    }
}

impl Seen {
    fn see(&mut self, text: &str) {
        self.present += 1;
        self.characters += text.chars().count() as u64;
        self.guess.see(text);
        if !self.many {
            self.levels.intern(text);
            if self.levels.len() > MOST_DISTINCT {
                self.many = true;
                self.levels = LevelsBuilder::default();
            }
        }
    }

    fn finish(self, name: String) -> ProbedColumn {
        let distinct = (!self.many).then(|| self.levels.len());
        let tokens = TOKENS.iter().zip(self.tokens);
        ProbedColumn {
            name,
            guess: self.guess.verdict(),
            distinct,
            missing: self.missing,
            missing_tokens: tokens
                .filter(|(_, met)| *met)
                .map(|(token, _)| (*token).to_owned())
                .collect(),
            mean_length: self.characters as f64 / self.present.max(1) as f64,
            unique: self.missing == 0
                && distinct.is_some_and(|d| d > 0 && d as u64 == self.present),
            levels: distinct
                .filter(|&d| d <= MOST_LEVELS)
                .map(|_| self.levels.levels().iter().map(str::to_owned).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_data::{sample_arrays, write_plain};
    use super::*;

    fn probe_file(name: &str, text: &[u8], rows: usize) -> Result<Probe> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("writes");
        probe(&path, &ReadOptions::default(), rows)
    }

    #[test]
    fn columns_are_described() {
        let text = b"id,age,sex\n1,34,M\n2,?,F\n3,NA,M\n";
        let probe = probe_file("a.csv", text, 100).expect("probes");
        assert_eq!(
            (probe.rows_seen, probe.complete, probe.delimiter),
            (3, true, None)
        );
        let [id, age, sex] = &probe.columns[..] else {
            panic!("three columns");
        };
        assert!(id.unique && id.guess == ReadAs::Integer && id.distinct == Some(3));
        assert_eq!((age.missing, age.distinct), (2, Some(1)));
        assert_eq!(age.missing_tokens, ["?", "NA"]);
        assert_eq!(age.guess, ReadAs::Integer);
        assert!(!age.unique && !sex.unique);
        assert_eq!(
            sex.levels.as_deref(),
            Some(&["M".to_owned(), "F".to_owned()][..])
        );
        assert_eq!(sex.mean_length, 1.0);
        let part = probe_file("a.csv", text, 2).expect("probes");
        assert_eq!((part.rows_seen, part.complete), (2, false));
    }

    #[test]
    fn a_better_delimiter_is_told() {
        let probe = probe_file("a.csv", b"a;b;c,d\n1;2;3,4\n", 10);
        assert_eq!(probe.expect("probes").delimiter, None);
        let probe = probe_file("a.csv", b"a;b;c\n1;2;3\n", 10);
        assert_eq!(probe.expect("probes").delimiter, Some(b';'));
    }

    #[test]
    fn other_formats_are_described_too() {
        let json = probe_file("a.jsonl", b"{\"a\":1,\"b\":\"x\"}\n{\"b\":\"x\"}\n", 10);
        let json = json.expect("probes");
        assert_eq!(json.columns[0].guess, ReadAs::Integer);
        assert_eq!(
            (json.columns[0].missing, json.columns[1].distinct),
            (1, Some(1))
        );
        let arff = b"@relation r\n@attribute a numeric\n@data\n1.5\n?\n";
        let arff = probe_file("a.arff", arff, 10).expect("probes");
        assert_eq!((arff.columns[0].missing, arff.rows_seen), (1, 2));
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a.parquet", "a.arrow"] {
            let path = folder.path().join(name);
            write_plain(&path, &sample_arrays());
            let probe = probe(&path, &ReadOptions::default(), 10).expect("probes");
            assert_eq!((probe.rows_seen, probe.complete), (3, true));
            assert_eq!(probe.columns[0].guess, ReadAs::Integer);
            assert!(probe.columns.iter().all(|column| column.missing == 1));
        }
    }

    #[test]
    fn flaws_are_told_with_their_line() {
        let error = probe_file("a.csv", b"a,b\n1,2\n3\n", 10)
            .err()
            .expect("a flaw");
        assert!(
            error
                .to_string()
                .ends_with("line 3: 1 fields, header has 2")
        );
    }
}
