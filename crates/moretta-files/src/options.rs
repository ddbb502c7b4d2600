//! How a table is read and written: format, packing, limits and the plan of each column.

use super::Format;
use super::files::Files;
pub(super) use moretta_data::data::{ColumnPlan, ReadAs};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// How the whole file is packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// Not at all.
    #[default]
    None,
    /// gzip; several members one after the other are one file.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Compression {
    /// The packing that the ending of the name tells.
    pub fn from_path(path: &Path) -> Compression {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some(ending) if ending.eq_ignore_ascii_case("gz") => Compression::Gzip,
            Some(ending) if ending.eq_ignore_ascii_case("zst") => Compression::Zstd,
            _ => Compression::None,
        }
    }
}

/// How the characters of a text file are encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Encoding {
    /// UTF-8, with or without a byte order mark.
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// ISO 8859-1: each byte is one character.
    #[serde(rename = "latin-1")]
    Latin1,
}

/// Where the names of the columns of CSV come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// The first record; one that looks like a row is noted.
    #[default]
    First,
    /// The first record; one that looks like a row is refused.
    Strict,
    /// There is no header: the columns are `column1`, `column2`, and so on.
    None,
}

/// Which table of a file is meant that holds a graph; other files have one table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum GraphTable {
    /// The attributes of nodes.
    #[default]
    Attributes,
    /// The same with the ids of nodes.
    Nodes {
        /// What the column of ids is called.
        id: String,
        /// Whether edges have a direction, where the file is written.
        directed: bool,
    },
    /// The edges.
    Edges {
        /// What the columns of both ends are called.
        ends: [String; 2],
    },
}

/// What an input may not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one cell.
    pub field_bytes: usize,
    /// Bytes of a packed file once unpacked.
    pub unpacked_bytes: u64,
    /// Columns.
    pub columns: usize,
    /// Distinct values of a quasi, sensitive or class column of categories, in one batch.
    pub categories: usize,
    /// Bytes of memory that a batch may need, with what is done with its rows.
    pub memory: u64,
    /// What is done with the rows of a batch.
    pub needs: Needs,
}

/// Bytes of memory that rows need, besides the program itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Each row, besides its texts.
    pub row: u64,
    /// Each of the rows that are worked on at a time, more than that.
    pub window_row: u64,
}

impl Needs {
    /// Rows that are worked on at a time.
    const WINDOW: u64 = 1 << 16;
    /// How often a text is held, of the table and of its release, and how often besides of
    /// the rows that are worked on: taken, written, read back.
    const COPIES: [f64; 2] = [2.0, 3.0];

    /// What so many rows need, with `texts` bytes of text.
    pub fn bytes(self, rows: u64, texts: u64) -> u64 {
        let window = rows.min(Self::WINDOW);
        let share = window as f64 / rows.max(1) as f64;
        let texts = texts as f64 * (Self::COPIES[0] + share * Self::COPIES[1]);
        let all = rows as f64 * self.row as f64 + window as f64 * self.window_row as f64;
        (all + texts) as u64
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            field_bytes: 1 << 20,
            unpacked_bytes: 20 << 30,
            columns: 10_000,
            categories: 1_000_000,
            memory: u64::MAX,
            needs: Needs::default(),
        }
    }
}

/// How a table is read.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    /// The format; from the ending of the name when not given.
    pub format: Option<Format>,
    /// The compression; from the ending of the name when not given.
    pub compression: Option<Compression>,
    /// The character between cells: `,`, or a tab for `.tsv`, when not given.
    pub delimiter: Option<u8>,
    /// The character around cells that hold delimiters or line ends.
    pub quote: u8,
    /// Where the names of the columns of CSV come from.
    pub header: Header,
    /// The encoding of text formats.
    pub encoding: Encoding,
    /// What means missing, besides the empty cell, in columns that are read as
    /// numbers, dates or categories. Those that pass through keep their bytes.
    pub missing: Vec<String>,
    /// Whether numbers of CSV have a comma before their decimals, and no points.
    pub decimal_comma: bool,
    /// Rows of a batch; the whole input is one batch when not given.
    pub batch_rows: Option<usize>,
    /// Whether rows are handed on as they come: what has been parsed becomes a
    /// batch at once, whatever `batch_rows` says, and rows before a faulty one
    /// are given before the error. Of an input that comes slowly a batch holds
    /// the complete records that have arrived, and types are inferred from its
    /// first row, so they are better declared.
    pub stream: bool,
    /// Bytes of text that are parsed together, some at a time; fewer need less memory and take
    /// longer. 1 MiB when not given.
    pub block_bytes: Option<usize>,
    /// The columns, where a file cannot tell them: CSV with [`Header::None`] and JSON lines
    /// without a line. Without these the former are numbered and the latter is an error.
    pub names: Vec<String>,
    /// Which table of a graph is read.
    pub graph: GraphTable,
    /// What the input may not exceed.
    pub limits: Limits,
    /// Counts the rows read so far.
    pub progress: Option<Arc<AtomicU64>>,
    /// Where the file is.
    pub files: Files,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions {
            format: None,
            compression: None,
            delimiter: None,
            quote: b'"',
            header: Header::First,
            encoding: Encoding::Utf8,
            missing: Vec::new(),
            decimal_comma: false,
            batch_rows: None,
            stream: false,
            block_bytes: None,
            names: Vec::new(),
            graph: GraphTable::default(),
            limits: Limits::default(),
            progress: None,
            files: Files::default(),
        }
    }
}

/// How a table is written.
#[derive(Clone, Debug)]
pub struct WriteOptions {
    /// The format; from the ending of the name when not given.
    pub format: Option<Format>,
    /// The compression; from the ending of the name when not given.
    pub compression: Option<Compression>,
    /// The character between cells: `,`, or a tab for `.tsv`, when not given.
    pub delimiter: Option<u8>,
    /// What a missing cell is written as in CSV.
    pub missing: String,
    /// Whether cells of CSV that a spreadsheet would run as a formula get a leading `'`.
    pub guard_formulas: bool,
    /// Whether CSV starts with the names of the columns.
    pub header: bool,
    /// Which table of a graph is written.
    pub graph: GraphTable,
    /// Where the file will be.
    pub files: Files,
}

impl Default for WriteOptions {
    fn default() -> Self {
        WriteOptions {
            format: None,
            compression: None,
            delimiter: None,
            missing: String::new(),
            guard_formulas: true,
            header: true,
            graph: GraphTable::default(),
            files: Files::default(),
        }
    }
}
