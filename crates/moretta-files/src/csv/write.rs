//! Writing CSV: cells are quoted when they must be, formulas are guarded.
//!
//! Each level of a category column is escaped once a batch; the rows copy its
//! bytes. Parts of a batch are formatted in parallel and written in order. Names
//! in the header are quoted but not guarded, so that they stay what they were.

use super::super::Sink;
use super::super::options::WriteOptions;
use super::super::output::Output;
use super::guard::is_formula;
use super::record::delimiter_of;
use arrow_array::{Array, StringArray};
use memchr::memchr3;
use moretta_data::data::plain_text::plain_text;
use moretta_data::data::push_number;
use moretta_data::data::{Batch, Categories, Column, DateFormat, Kind, MISSING, Numbers, Schema};
use moretta_data::error::{Error, Result};
use rayon::prelude::*;
use std::ops::Range;

/// Rows that are formatted as one task.
const PART_ROWS: usize = 1 << 15;

/// Writes CSV.
pub(super) struct CsvSink {
    output: Output,
    cells: CellWriter,
    /// The rows of a small batch, in memory that is used again.
    rows: Vec<u8>,
    escaped: u64,
}

/// How a cell is written.
#[derive(Clone)]
struct CellWriter {
    delimiter: u8,
    missing: String,
    guard: bool,
    /// An empty cell of a table with one column is quoted, or its line would be empty.
    single: bool,
}

impl CsvSink {
    /// Starts with the header, unless it is to be left out.
    pub(super) fn create(output: Output, options: &WriteOptions, schema: &Schema) -> Result<Self> {
        let mut sink = CsvSink::new(output, options, schema)?;
        if options.header {
            sink.write_header(schema)?;
        }
        Ok(sink)
    }

    /// Goes on where `output` stands.
    pub(super) fn new(output: Output, options: &WriteOptions, schema: &Schema) -> Result<Self> {
        let cells = CellWriter {
            delimiter: delimiter_of(output.path(), options.delimiter)?,
            missing: options.missing.clone(),
            guard: options.guard_formulas,
            single: schema.len() == 1,
        };
        if cells.delimiter == b'"' {
            return Err(Error::policy("the delimiter must not be the quote"));
        }
        Ok(CsvSink {
            output,
            cells,
            rows: Vec::new(),
            escaped: 0,
        })
    }

    fn write_header(&mut self, schema: &Schema) -> Result<()> {
        let mut header = Vec::new();
        for (i, field) in schema.fields().iter().enumerate() {
            if i > 0 {
                header.push(self.cells.delimiter);
            }
            self.cells.push_quoted(&mut header, &field.name, "");
        }
        header.push(b'\n');
        self.output.write(&header)
    }
}

impl Sink for CsvSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        let columns = batch
            .columns()
            .iter()
            .zip(batch.schema().fields())
            .map(|(column, field)| {
                let prepared = self.cells.prepare(column, &field.kind, batch.len());
                prepared.map_err(|e| e.in_column(&*field.name))
            })
            .collect::<Result<Vec<Prepared>>>()?;
        if batch.len() <= PART_ROWS {
            self.rows.clear();
            self.escaped += self.cells.part(&mut self.rows, &columns, 0..batch.len());
            return self.output.write(&self.rows);
        }
        let wave = PART_ROWS * 2 * rayon::current_num_threads();
        for start in (0..batch.len()).step_by(wave) {
            let end = batch.len().min(start + wave);
            let parts: Vec<(Vec<u8>, u64)> = (start..end)
                .into_par_iter()
                .step_by(PART_ROWS)
                .map(|from| {
                    let mut rows = Vec::new();
                    let part = from..end.min(from + PART_ROWS);
                    let escaped = self.cells.part(&mut rows, &columns, part);
                    (rows, escaped)
                })
                .collect();
            for (bytes, escaped) in parts {
                self.output.write(&bytes)?;
                self.escaped += escaped;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.output.flush()
    }

    fn sync(&mut self) -> Result<u64> {
        self.output.sync()
    }

    fn close(&mut self) -> Result<()> {
        self.output.close()
    }

    fn escaped(&self) -> u64 {
        self.escaped
    }
}

/// A column ready to be written row by row.
enum Prepared<'a> {
    Number(&'a Numbers),
    Date(&'a Numbers, DateFormat),
    Category(Categories, Cellar),
    /// Text, and whether no cell of it needs quotes.
    Plain(StringArray, bool),
}

/// The escaped text of each level.
struct Cellar {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// Whether each was guarded; nothing when none was.
    guarded: Vec<bool>,
}

impl Cellar {
    #[inline]
    fn get(&self, code: u32) -> &[u8] {
        let code = code as usize;
        let start = if code == 0 { 0 } else { self.ends[code - 1] };
        &self.bytes[start..self.ends[code]]
    }
}

impl CellWriter {
    fn prepare<'a>(&self, column: &'a Column, kind: &Kind, rows: usize) -> Result<Prepared<'a>> {
        Ok(match (column, kind) {
            (Column::Number(numbers), Kind::Date(format)) => Prepared::Date(numbers, *format),
            (Column::Number(numbers), _) => Prepared::Number(numbers),
            (Column::Category(categories), _) => {
                let categories = if categories.levels().len() > rows {
                    categories.compact()
                } else {
                    categories.clone()
                };
                let cellar = self.cellar(&categories);
                Prepared::Category(categories, cellar)
            }
            (Column::Plain(array), _) => {
                let text = plain_text(array)?;
                let offsets = text.value_offsets();
                let shown = offsets[0] as usize..offsets[text.len()] as usize;
                let quiet = self.is_quiet(&text.value_data()[shown]);
                Prepared::Plain(text, quiet)
            }
        })
    }

    fn cellar(&self, categories: &Categories) -> Cellar {
        let levels = categories.levels();
        let mut cellar = Cellar {
            bytes: Vec::new(),
            ends: Vec::with_capacity(levels.len()),
            guarded: Vec::with_capacity(levels.len()),
        };
        let quiet = self.is_quiet(levels.text().as_bytes());
        for text in levels.iter() {
            let guarded = self.push_text(&mut cellar.bytes, text, quiet);
            cellar.ends.push(cellar.bytes.len());
            cellar.guarded.push(guarded);
        }
        if !cellar.guarded.contains(&true) {
            cellar.guarded.clear();
        }
        cellar
    }

    /// Appends the rows and gives how many cells were guarded.
    fn part(&self, out: &mut Vec<u8>, columns: &[Prepared], rows: Range<usize>) -> u64 {
        out.reserve(rows.len() * columns.len() * 8);
        let mut escaped = 0;
        for row in rows {
            for (i, column) in columns.iter().enumerate() {
                if i > 0 {
                    out.push(self.delimiter);
                }
                escaped += u64::from(self.push_cell(out, column, row));
            }
            out.push(b'\n');
        }
        escaped
    }

    /// Appends the cell and tells whether it was guarded.
    #[inline]
    fn push_cell(&self, out: &mut Vec<u8>, column: &Prepared, row: usize) -> bool {
        match column {
            Prepared::Number(numbers) => match numbers.get(row) {
                Some(number) => push_number(out, number),
                None => self.push_missing(out),
            },
            Prepared::Date(numbers, format) => match numbers.get(row) {
                Some(day) => out.extend_from_slice(format.format(day as i32).as_bytes()),
                None => self.push_missing(out),
            },
            Prepared::Category(categories, cellar) => match categories.codes()[row] {
                MISSING => self.push_missing(out),
                code => {
                    out.extend_from_slice(cellar.get(code));
                    return cellar.guarded.get(code as usize) == Some(&true);
                }
            },
            Prepared::Plain(text, quiet) => {
                if text.is_valid(row) {
                    return self.push_text(out, text.value(row), *quiet);
                }
                self.push_missing(out);
            }
        }
        false
    }

    fn push_missing(&self, out: &mut Vec<u8>) {
        self.push_quoted(out, &self.missing, "");
    }

    /// Appends the text, guarded if need be, and tells whether it was; `quiet`
    /// says that it needs no quotes.
    #[inline]
    fn push_text(&self, out: &mut Vec<u8>, text: &str, quiet: bool) -> bool {
        let guarded = self.guard && is_formula(text);
        if quiet && !guarded {
            out.extend_from_slice(text.as_bytes());
        } else {
            self.push_quoted(out, text, if guarded { "'" } else { "" });
        }
        guarded
    }

    /// Whether no cell cut from `bytes` needs quotes.
    fn is_quiet(&self, bytes: &[u8]) -> bool {
        !self.single
            && memchr3(b'"', b'\n', b'\r', bytes).is_none()
            && memchr::memchr(self.delimiter, bytes).is_none()
    }

    fn push_quoted(&self, out: &mut Vec<u8>, text: &str, prefix: &str) {
        let bytes = text.as_bytes();
        let special = memchr3(b'"', b'\n', b'\r', bytes).is_some()
            || memchr::memchr(self.delimiter, bytes).is_some()
            || prefix.as_bytes().contains(&self.delimiter)
            || bytes.is_empty() && self.single;
        if !special {
            out.extend_from_slice(prefix.as_bytes());
            out.extend_from_slice(bytes);
            return;
        }
        out.push(b'"');
        out.extend_from_slice(prefix.as_bytes());
        for &byte in bytes {
            if byte == b'"' {
                out.push(b'"');
            }
            out.push(byte);
        }
        out.push(b'"');
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::create;
    use super::*;
    use moretta_data::data::{Field, Role, RowIds};
    use proptest::prelude::*;
    use std::sync::Arc;

    /// The same cells as categories and as text that passes through.
    fn batch(cells: &[Option<String>]) -> Batch {
        let fields = vec![
            Field::new("c", Role::Quasi, Kind::Category { ordered: false }),
            Field::new("p", Role::Plain, Kind::Plain(arrow_schema::DataType::Utf8)),
        ];
        let rows = RowIds::Range {
            start: 0,
            len: cells.len(),
        };
        let columns = vec![
            Column::Category(cells.iter().cloned().collect()),
            Column::Plain(Arc::new(cells.iter().cloned().collect::<StringArray>())),
        ];
        let schema = Arc::new(Schema::new(fields).expect("names differ"));
        Batch::new(schema, rows, columns).expect("fits")
    }

    /// What the parts of the batch are written as, and how many cells were escaped.
    fn written(batch: &Batch, part_rows: usize) -> (String, u64) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.csv");
        let options = WriteOptions {
            missing: "NA".to_owned(),
            header: false,
            ..WriteOptions::default()
        };
        let mut sink = create(&path, &options, batch.schema()).expect("creates");
        for start in (0..batch.len()).step_by(part_rows) {
            let part = batch.slice(start, part_rows.min(batch.len() - start));
            sink.write(&part).expect("writes");
        }
        sink.close().expect("closes");
        let text = std::fs::read_to_string(&path).expect("reads");
        (text, sink.escaped())
    }

    fn slow(cell: Option<&str>) -> String {
        let text = match cell {
            Some(text) if is_formula(text) => format!("'{text}"),
            Some(text) => text.to_owned(),
            None => "NA".to_owned(),
        };
        if text.contains(['"', ',', '\n', '\r']) {
            format!("\"{}\"", text.replace('"', "\"\""))
        } else {
            text
        }
    }

    proptest! {
        #[test]
        fn cells_are_written_as_one_by_one(
            cells in proptest::collection::vec(
                proptest::option::of(prop_oneof!["[ab]{0,3}", "[=a\",\n\r-]{0,3}"]), 1..12),
            part_rows in 1usize..5,
        ) {
            let lines = cells.iter().map(|cell| {
                let text = slow(cell.as_deref());
                format!("{text},{text}\n")
            });
            let formulas = cells.iter().flatten().filter(|cell| is_formula(cell)).count();
            let expected = (lines.collect::<String>(), 2 * formulas as u64);
            prop_assert_eq!(written(&batch(&cells), part_rows), expected);
        }
    }

    #[test]
    fn large_batches_are_written_like_small_ones() {
        let cells: Vec<Option<String>> = (0..PART_ROWS + 1000)
            .map(|i| (i % 7 > 0).then(|| format!("={}", i % 100)))
            .collect();
        let batch = batch(&cells);
        assert_eq!(written(&batch, batch.len()), written(&batch, 10_000));
    }
}
