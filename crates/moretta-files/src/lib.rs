//! Sources and sinks: files, standard input and output.
//!
//! Text formats (CSV, JSON lines, ARFF, GraphML) are read in blocks that end at a record
//! and parsed in parallel; typed formats (Parquet, Arrow IPC) come as they are.
//! Either way the result does not depend on the block size or the number of
//! threads. Protected columns become numbers or categories, the others pass
//! through loss-free. A path of `-` is standard input or output.
//!
//! ```
//! use moretta_data::data::Role;
//! use moretta_files::{ColumnPlan, ReadAs, ReadOptions, open};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("ages.csv");
//! # std::fs::write(&path, "age,note\n34,a\n61,b\n")?;
//! let age = ColumnPlan {
//!     name: "age".to_owned(),
//!     role: Role::Quasi,
//!     read: ReadAs::Integer,
//! };
//! let note = ColumnPlan {
//!     name: "note".to_owned(),
//!     role: Role::Plain,
//!     read: ReadAs::Plain,
//! };
//! for rows in open(&path, &ReadOptions::default(), &[age, note])? {
//!     let rows = rows?;
//!     let ages = rows.column(0).as_numbers().map(|ages| ages.values().to_vec());
//!     assert_eq!(ages, Some(vec![34.0, 61.0]));
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Not done here: nothing is renamed into place, and nothing is protected.

mod arff;
#[cfg(feature = "ipc")]
mod arrow;
mod blocks;
mod chunk;
mod compression;
#[cfg(test)]
mod conformance;
mod csv;
mod feed;
mod file_format;
mod files;
mod gather;
mod graphml;
mod infer;
mod input;
mod jsonl;
mod line_ends;
mod lines;
mod memory_files;
mod misfit;
mod number;
mod open;
mod options;
mod output;
mod packed;
#[cfg(feature = "parquet")]
mod parquet;
mod plan;
mod record_batch;
mod record_batches;
mod several;
mod slots;
mod stream;
#[cfg(test)]
mod test_data;
mod text;
mod typed;
#[cfg(feature = "parquet")]
mod whole_file;

pub use files::{Files, Provider, Readable, Writable};
pub use graphml::append_edges;
#[doc(hidden)]
pub use lines::{LineBlock, LineBlocks};
pub use memory_files::MemoryFiles;
pub use moretta_data::data::{ColumnPlan, ReadAs};
pub use open::{
    create, header_warning, names, open, resumable, resume, unmarked_missing, writable,
};
pub use options::{
    Compression, Encoding, GraphTable, Header, Limits, Needs, ReadOptions, WriteOptions,
};
#[doc(hidden)]
pub use output::create_private;
pub use record_batches::{from_record_batches, to_record_batch};
pub use several::{open_all, same_names};

use file_format::FileFormat;
use moretta_data::data::{Batch, Schema};
use moretta_data::error::{Error, Result};
use std::path::Path;
use std::sync::Arc;

/// Makes [`Format`] and [`FORMATS`] of one list: what a policy calls a format, what its own file
/// says of it, the endings of names that tell it, and the feature without which it is left out.
macro_rules! formats {
    ($($(#[$meaning:meta])* $name:literal, $variant:ident($own:path), $endings:expr $(, $feature:literal)?;)*) => {
        /// The format of a table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Format {
            $($(#[$meaning])* $variant,)*
        }

        /// Every format.
        pub const FORMATS: &[FormatInfo] = &[$(FormatInfo {
            name: $name,
            format: Format::$variant,
            endings: &$endings,
        },)*];

        impl Format {
            /// How its files are read and written; an error where it was left out.
            fn file_format(self) -> Result<&'static FileFormat> {
                match self {
                    $($(#[cfg(feature = $feature)])?
                    Format::$variant => Ok(&$own),
                    $(#[cfg(not(feature = $feature))]
                    Format::$variant => {
                        Err(Error::left_out(concat!("the format `", $name, "`"), $feature))
                    })?)*
                }
            }
        }
    };
}

formats! {
    /// Text with one record a line, cells between delimiters.
    "csv", Csv(csv::FORMAT), ["csv", "tsv", "txt"];
    /// One JSON object a line.
    "jsonl", Jsonl(jsonl::FORMAT), ["jsonl", "ndjson"];
    /// Attribute-Relation File Format, of Weka and MOA.
    "arff", Arff(arff::FORMAT), ["arff"];
    /// GraphML: of a graph, its table of nodes.
    "graphml", GraphMl(graphml::FORMAT), ["graphml"];
    /// Apache Parquet.
    "parquet", Parquet(parquet::FORMAT), ["parquet"], "parquet";
    /// Arrow IPC, as a file with a footer.
    "arrow", Arrow(arrow::FILE), ["arrow", "feather"], "ipc";
    /// Arrow IPC, as a stream.
    "arrows", ArrowStream(arrow::STREAM), ["arrows"], "ipc";
}

/// What is known of a format.
#[derive(Clone, Copy, Debug)]
pub struct FormatInfo {
    /// What a policy calls it.
    pub name: &'static str,
    /// The format.
    pub format: Format,
    /// The endings of names that tell it.
    pub endings: &'static [&'static str],
}

impl Format {
    /// The format that the ending of the name tells, before that of a packing.
    pub fn from_path(path: &Path) -> Option<Format> {
        let stem = match Compression::from_path(path) {
            Compression::None => path.to_owned(),
            _ => path.with_extension(""),
        };
        let ending = stem.extension()?.to_str()?.to_ascii_lowercase();
        let told = |info: &&FormatInfo| info.endings.contains(&&*ending);
        FORMATS.iter().find(told).map(|info| info.format)
    }

    /// What a policy calls it.
    pub fn name(self) -> &'static str {
        FORMATS[self as usize].name
    }
}

/// The error of a format or place that cannot be gone on with.
fn not_resumable() -> Error {
    let resumes = |info: &&FormatInfo| {
        let own = info.format.file_format();
        own.is_ok_and(|own| own.resume.is_some())
    };
    let names: Vec<&str> = FORMATS.iter().filter(resumes).map(|i| i.name).collect();
    let names = names.join(" or ");
    Error::policy("the release cannot be resumed after a stop").help(format!(
        "a release that can be resumed is {names}, not packed, in a file"
    ))
}

/// Gives batches of rows with ids 0, 1, 2, … in the order of the input.
///
/// The levels of a category column belong to the batch: their order is that of
/// first appearance in it, except for ordered columns, whose levels are declared.
pub trait Source: Iterator<Item = Result<Batch>> + Send {
    /// Names, roles and kinds of the columns.
    fn schema(&self) -> &Arc<Schema>;
    /// The byte of the file at which the row after those that were given last begins; none
    /// where rows begin nowhere that can be gone to, as in what is packed.
    fn offset(&self) -> Option<u64> {
        None
    }
    /// Goes to a byte that [`Source::offset`] has told of the same file before the first row
    /// is asked for; false where it cannot. Rows are numbered from there on, lines of errors are
    /// those of the file.
    ///
    /// # Errors
    /// When the file cannot be read.
    fn seek(&mut self, _position: u64) -> Result<bool> {
        Ok(false)
    }
    /// What was odd about the rows so far, though it could be read.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Takes batches of released rows.
pub trait Sink {
    /// Writes the rows; the ids do not reach the file.
    fn write(&mut self, batch: &Batch) -> Result<()>;
    /// Hands what was written so far to the operating system, as far as the
    /// format can be read before it is complete: Parquet and ARFF wait for the end.
    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
    /// Brings what was written so far to disk and gives the bytes of the output
    /// up to here, at which [`resume`] goes on; standard output is only flushed.
    fn sync(&mut self) -> Result<u64> {
        Err(not_resumable())
    }
    /// Ends the file and makes sure it is on disk.
    fn close(&mut self) -> Result<()>;
    /// How many cells were escaped so that no spreadsheet runs them as a formula.
    fn escaped(&self) -> u64 {
        0
    }
}
