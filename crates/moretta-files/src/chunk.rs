//! The typed cells of one block of the input, with a dictionary of its own.
//!
//! Blocks are parsed in parallel, so a chunk knows only lines counted from its
//! start and codes of its own levels; gathering makes them those of the file.

use super::line_ends::LineEnds;
use super::misfit::{Misfit, Unfit};
use super::number;
use super::options::{ColumnPlan, ReadAs};
use arrow_array::ArrayRef;
use moretta_data::data::{DateFormat, Levels, LevelsBuilder, MISSING, Role};
use moretta_data::error::{Error, Result};
use std::sync::Arc;

/// A fault in the structure of the input, after which nothing can be read.
#[derive(Debug)]
pub(super) struct Flaw {
    /// Lines after the start of the chunk; none when the file has no lines.
    pub(super) line: Option<u64>,
    /// The column, when it is known.
    pub(super) column: Option<usize>,
    /// What is wrong.
    pub(super) what: String,
    /// The way out.
    pub(super) help: Option<String>,
}

impl Flaw {
    pub(super) fn new(line: u64, what: impl Into<String>) -> Self {
        Flaw {
            line: Some(line),
            column: None,
            what: what.into(),
            help: None,
        }
    }

    pub(super) fn in_column(mut self, column: usize) -> Self {
        self.column = Some(column);
        self
    }

    pub(super) fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }
}

/// The error of a flaw in a chunk that starts at `first_line`; `names` are those of the file.
pub(super) fn flaw_error(flaw: Flaw, first_line: u64, names: &[String]) -> Error {
    let mut error = Error::input(flaw.what);
    if let Some(line) = flaw.line {
        error = error.on_line(first_line + line);
    }
    if let Some(name) = flaw.column.and_then(|c| names.get(c)) {
        error = error.in_column(name);
    }
    match flaw.help {
        Some(help) => error.help(help),
        None => error,
    }
}

/// Gives the chunks of an input in order.
pub(super) trait Chunks: Send {
    /// The next chunk; none at the end.
    fn next_chunk(&mut self) -> Result<Option<Chunk>>;
    /// Goes to a byte of the input at which a record begins; false where it cannot.
    fn seek(&mut self, _position: u64) -> Result<bool> {
        Ok(false)
    }
}

/// The cells of one column in a chunk.
#[derive(Debug)]
pub(super) enum Values {
    /// Numbers and dates; a missing one holds 0 and is listed.
    Number { values: Vec<f64>, missing: Vec<u32> },
    /// Codes of the chunk's own levels.
    Category { codes: Vec<u32>, levels: Levels },
    /// Codes of the declared levels.
    Ordered { codes: Vec<u32> },
    /// Text that passes through; cell `i` ends at `ends[i]`, missing ones are listed.
    Text {
        ends: Vec<u32>,
        text: String,
        missing: Vec<u32>,
    },
    /// An array that passes through, of a typed format.
    Array(ArrayRef),
}

/// One column of a chunk.
#[derive(Debug)]
pub(super) struct ChunkColumn {
    pub(super) values: Values,
    pub(super) misfits: Vec<Misfit>,
}

/// The typed cells of one block; only the columns that are read.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    pub(super) rows: usize,
    pub(super) lines: u64,
    pub(super) line_ends: LineEnds,
    pub(super) columns: Vec<ChunkColumn>,
    pub(super) flaw: Option<Flaw>,
    /// The byte of the file after its last one, where it can be gone to.
    pub(super) end: Option<u64>,
}

/// Takes the cells of records, one column after the other.
pub(super) trait Cells {
    /// A cell of the column at place `column` of the file, on `line` of the chunk.
    fn cell(&mut self, column: usize, text: &str, line: u64);
    /// A cell that the format itself marks as missing.
    fn missing(&mut self, column: usize, line: u64);
    /// A cell of another kind than the format promised.
    fn unfit(&mut self, column: usize, why: Unfit, line: u64);
    /// All cells of the row were given.
    fn end_row(&mut self);
    /// The bytes that ended a line, for formats in which a record ends with one.
    fn end_line(&mut self, _end: &[u8]) {}
    /// Whether more rows are wanted.
    fn wants_more(&self) -> bool {
        true
    }
}

/// What is shared by all chunks of a table: how to read each column of the file.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) plans: Vec<ColumnPlan>,
    /// The declared levels of ordered columns, by place in the file.
    pub(super) ordered: Vec<Option<Arc<LevelsBuilder>>>,
    pub(super) missing: Vec<String>,
    /// Numbers have a comma before their decimals.
    pub(super) decimal_comma: bool,
}

impl Layout {
    pub(super) fn new(plans: Vec<ColumnPlan>, missing: &[String]) -> Self {
        let ordered = plans
            .iter()
            .map(|plan| match &plan.read {
                ReadAs::Ordered(levels) => Some(Arc::new(LevelsBuilder::from_levels(
                    &levels.iter().collect::<Levels>(),
                ))),
                _ => None,
            })
            .collect();
        Layout {
            plans,
            ordered,
            missing: missing.to_vec(),
            decimal_comma: false,
        }
    }

    /// Whether `text` means missing in a column that does not pass through.
    pub(super) fn is_missing(&self, text: &str) -> bool {
        text.is_empty() || self.missing.iter().any(|token| token == text)
    }
}

/// Builds a chunk from cells.
pub(super) struct ChunkBuilder<'a> {
    layout: &'a Layout,
    columns: Vec<Builder>,
    rows: usize,
    line_ends: LineEnds,
}

struct Builder {
    cells: Building,
    /// Passes through, so that no cell means missing.
    passes: bool,
    subject: bool,
    misfits: Vec<Misfit>,
}

enum Building {
    Skip,
    Number {
        integer: bool,
        decimal_comma: bool,
        values: Vec<f64>,
        missing: Vec<u32>,
    },
    Date {
        format: DateFormat,
        values: Vec<f64>,
        missing: Vec<u32>,
    },
    Category {
        codes: Vec<u32>,
        levels: LevelsBuilder,
    },
    Ordered {
        codes: Vec<u32>,
        levels: Arc<LevelsBuilder>,
    },
    Text {
        ends: Vec<u32>,
        text: String,
        missing: Vec<u32>,
    },
}

impl<'a> ChunkBuilder<'a> {
    pub(super) fn new(layout: &'a Layout) -> Self {
        let columns = layout
            .plans
            .iter()
            .zip(&layout.ordered)
            .map(|(plan, ordered)| Builder::new(plan, ordered.as_ref(), layout.decimal_comma))
            .collect();
        ChunkBuilder {
            layout,
            columns,
            rows: 0,
            line_ends: LineEnds::default(),
        }
    }

    /// The chunk, with the `lines` it spans and the flaw it ends with.
    pub(super) fn finish(self, lines: u64, flaw: Option<Flaw>) -> Chunk {
        Chunk {
            rows: self.rows,
            lines,
            line_ends: self.line_ends,
            columns: self
                .columns
                .into_iter()
                .filter_map(Builder::finish)
                .collect(),
            flaw,
            end: None,
        }
    }
}

impl Cells for ChunkBuilder<'_> {
    #[inline]
    fn cell(&mut self, column: usize, text: &str, line: u64) {
        let builder = &mut self.columns[column];
        if !builder.passes && self.layout.is_missing(text) {
            return builder.push_missing(self.rows as u32, line);
        }
        builder.push(text, self.rows as u32, line);
    }

    fn missing(&mut self, column: usize, line: u64) {
        self.columns[column].push_missing(self.rows as u32, line);
    }

    fn unfit(&mut self, column: usize, why: Unfit, line: u64) {
        let builder = &mut self.columns[column];
        builder.push_missing(self.rows as u32, line);
        builder.misfits.push(Misfit {
            row: self.rows as u32,
            line: line as u32,
            why,
        });
    }

    #[inline]
    fn end_row(&mut self) {
        self.rows += 1;
    }

    #[inline]
    fn end_line(&mut self, end: &[u8]) {
        self.line_ends.see(end);
    }
}

impl Builder {
    fn new(plan: &ColumnPlan, ordered: Option<&Arc<LevelsBuilder>>, decimal_comma: bool) -> Self {
        let cells = match &plan.read {
            ReadAs::Skip => Building::Skip,
            ReadAs::Number | ReadAs::Integer => Building::Number {
                integer: plan.read == ReadAs::Integer,
                decimal_comma,
                values: Vec::new(),
                missing: Vec::new(),
            },
            ReadAs::Date(format) => Building::Date {
                format: *format,
                values: Vec::new(),
                missing: Vec::new(),
            },
            ReadAs::Category => Building::Category {
                codes: Vec::new(),
                levels: LevelsBuilder::default(),
            },
            ReadAs::Ordered(_) => Building::Ordered {
                codes: Vec::new(),
                levels: ordered.cloned().unwrap_or_default(),
            },
            ReadAs::Plain | ReadAs::Infer => Building::Text {
                ends: Vec::new(),
                text: String::new(),
                missing: Vec::new(),
            },
        };
        Builder {
            passes: matches!(cells, Building::Text { .. }),
            subject: plan.role == Role::Subject,
            cells,
            misfits: Vec::new(),
        }
    }

    #[inline]
    fn push(&mut self, text: &str, row: u32, line: u64) {
        let fits = match &mut self.cells {
            Building::Skip => Ok(()),
            Building::Number {
                integer,
                decimal_comma,
                values,
                ..
            } => match decimal_comma {
                true => number::parse_with_comma(text),
                false => number::parse(text),
            }
            .and_then(|parsed| {
                if *integer && !parsed.whole {
                    return Err(Unfit::Whole);
                }
                Ok(parsed.value)
            })
            .map(|value| values.push(value)),
            Building::Date { format, values, .. } => format
                .day_of(text.trim_matches(' '))
                .map(|day| values.push(f64::from(day)))
                .ok_or(Unfit::Date(*format)),
            Building::Category { codes, levels } => {
                codes.push(levels.intern(text));
                Ok(())
            }
            Building::Ordered { codes, levels } => levels
                .find(text)
                .map(|code| codes.push(code))
                .ok_or(Unfit::Level),
            Building::Text {
                ends, text: all, ..
            } => {
                all.push_str(text);
                ends.push(all.len() as u32);
                Ok(())
            }
        };
        if let Err(why) = fits {
            self.push_unfit(why, text, row, line);
        }
    }

    #[cold]
    fn push_unfit(&mut self, why: Unfit, text: &str, row: u32, line: u64) {
        self.push_slot(row);
        let blank = text.bytes().all(|b| b == b' ' || b == b'\t');
        if !blank || matches!(why, Unfit::Level) {
            let line = line as u32;
            self.misfits.push(Misfit { row, line, why });
        }
    }

    fn push_missing(&mut self, row: u32, line: u64) {
        self.push_slot(row);
        if self.subject {
            self.misfits.push(Misfit {
                row,
                line: line as u32,
                why: Unfit::Subject,
            });
        }
    }

    fn push_slot(&mut self, row: u32) {
        match &mut self.cells {
            Building::Skip => {}
            Building::Number {
                values, missing, ..
            }
            | Building::Date {
                values, missing, ..
            } => {
                values.push(0.0);
                missing.push(row);
            }
            Building::Category { codes, .. } | Building::Ordered { codes, .. } => {
                codes.push(MISSING);
            }
            Building::Text {
                ends,
                text,
                missing,
            } => {
                ends.push(text.len() as u32);
                missing.push(row);
            }
        }
    }

    fn finish(self) -> Option<ChunkColumn> {
        let values = match self.cells {
            Building::Skip => return None,
            Building::Number {
                values, missing, ..
            }
            | Building::Date {
                values, missing, ..
            } => Values::Number { values, missing },
            Building::Category { codes, levels } => Values::Category {
                codes,
                levels: levels.finish(),
            },
            Building::Ordered { codes, .. } => Values::Ordered { codes },
            Building::Text {
                ends,
                text,
                missing,
            } => Values::Text {
                ends,
                text,
                missing,
            },
        };
        Some(ChunkColumn {
            values,
            misfits: self.misfits,
        })
    }
}
