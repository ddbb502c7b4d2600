//! The doors: a path and options in, a source or sink of the right format out.

use super::arff::{self, ArffSink};
#[cfg(feature = "ipc")]
use super::arrow::{self, ArrowSink, Shape};
use super::csv::{self, CsvSink};
use super::input::{Input, is_standard};
use super::jsonl::{self, JsonlSink};
use super::options::{ColumnPlan, Compression, Format, Header, ReadOptions, WriteOptions};
use super::output::{Output, compression_of, not_resumable};
use super::packed;
#[cfg(feature = "parquet")]
use super::parquet::{self, ParquetSink};
use super::text::BLOCK_BYTES;
use super::{Sink, Source};
use moretta_data::data::plain_text::{has_text, no_text};
use moretta_data::data::{Kind, Schema};
use moretta_data::error::{Error, Result};
use std::path::Path;
use std::sync::Arc;

/// The names of the columns, in the order of the file.
pub fn names(path: &Path, options: &ReadOptions) -> Result<Vec<String>> {
    packed::refuse_by_name(path)?;
    match source_format(path, options)? {
        Format::Csv => csv::names(path, options),
        Format::Jsonl => jsonl::names(path, options),
        Format::Arff => arff::names(path, options),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::names(path, options),
        #[cfg(feature = "ipc")]
        Format::Arrow => arrow::names(path, options, Shape::File),
        #[cfg(feature = "ipc")]
        Format::ArrowStream => arrow::names(path, options, Shape::Stream),
        #[cfg(not(all(feature = "parquet", feature = "ipc")))]
        _ => Err(let_through()),
    }
}

/// What is odd about the header, when it looks like a row; by places, without a name.
pub fn header_warning(path: &Path, options: &ReadOptions) -> Result<Option<String>> {
    match format_of(path, options.format, "source")? {
        Format::Csv if options.header != Header::None => csv::header_warning(path, options),
        _ => Ok(None),
    }
}

/// The format of a source; only CSV can be without a header.
fn source_format(path: &Path, options: &ReadOptions) -> Result<Format> {
    let format = format_of(path, options.format, "source")?;
    if options.header == Header::None && format != Format::Csv {
        return Err(Error::policy("only CSV can be without a header")
            .help("take `header` out: the other formats name their columns"));
    }
    Ok(format)
}

/// Opens a table for reading. Every column of the data needs a plan and every
/// plan a column.
pub fn open(path: &Path, options: &ReadOptions, plans: &[ColumnPlan]) -> Result<Box<dyn Source>> {
    packed::refuse_by_name(path)?;
    match source_format(path, options)? {
        Format::Csv => csv::open(Input::open(path, options)?, options, plans, BLOCK_BYTES),
        Format::Jsonl => jsonl::open(Input::open(path, options)?, options, plans, BLOCK_BYTES),
        Format::Arff => arff::open(Input::open(path, options)?, options, plans, BLOCK_BYTES),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::open(path, options, plans),
        #[cfg(feature = "ipc")]
        Format::Arrow => arrow::open(path, options, plans, Shape::File),
        #[cfg(feature = "ipc")]
        Format::ArrowStream => arrow::open(path, options, plans, Shape::Stream),
        #[cfg(not(all(feature = "parquet", feature = "ipc")))]
        _ => Err(let_through()),
    }
}

/// Fails unless a format is given or the ending of the name tells one, and what is written in it
/// can be read.
pub fn writable(path: &Path, options: &WriteOptions) -> Result<()> {
    let packed = compression_of(path, options) != Compression::None;
    match format_of(path, options.format, "sink")? {
        Format::Parquet if packed => Err(Error::policy("Parquet is not packed as a whole")
            .help("take the compression away: Parquet packs its columns by itself")),
        _ => Ok(()),
    }
}

/// Creates exactly this path for writing; only its owner can read it.
pub fn create(path: &Path, options: &WriteOptions, schema: &Arc<Schema>) -> Result<Box<dyn Sink>> {
    let format = format_of(path, options.format, "sink")?;
    check_texts(format, schema)?;
    let output = Output::create(path, options)?;
    Ok(match format {
        Format::Csv => Box::new(CsvSink::create(output, path, options, schema)?),
        Format::Jsonl => Box::new(JsonlSink::new(output, schema)?),
        Format::Arff => Box::new(ArffSink::new(output, schema)),
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::new(ParquetSink::new(output, schema)?),
        #[cfg(feature = "ipc")]
        Format::Arrow => Box::new(ArrowSink::new(output, schema, Shape::File)?),
        #[cfg(feature = "ipc")]
        Format::ArrowStream => Box::new(ArrowSink::new(output, schema, Shape::Stream)?),
        #[cfg(not(all(feature = "parquet", feature = "ipc")))]
        _ => return Err(let_through()),
    })
}

/// Reopens an unpacked CSV or JSONL file and goes on after its first `bytes`
/// bytes, as [`Sink::sync`] told them; what comes after them is cut off. There
/// is no second header.
pub fn resume(
    path: &Path,
    options: &WriteOptions,
    schema: &Schema,
    bytes: u64,
) -> Result<Box<dyn Sink>> {
    resumable(path, options)?;
    check_texts(format_of(path, options.format, "sink")?, schema)?;
    let output = Output::resume(path, bytes)?;
    Ok(match format_of(path, options.format, "sink")? {
        Format::Jsonl => Box::new(JsonlSink::new(output, schema)?),
        _ => Box::new(CsvSink::new(output, path, options, schema)?),
    })
}

/// Fails when a column that passes through has no text and the format knows nothing else.
fn check_texts(format: Format, schema: &Schema) -> Result<()> {
    if !matches!(format, Format::Csv | Format::Jsonl | Format::Arff) {
        return Ok(());
    }
    for field in schema.fields() {
        match &field.kind {
            Kind::Plain(data_type) if !has_text(data_type) => {
                return Err(no_text(data_type).in_column(&*field.name));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Fails unless what is written to `path` could be resumed.
pub fn resumable(path: &Path, options: &WriteOptions) -> Result<()> {
    let format = format_of(path, options.format, "sink")?;
    let unpacked = compression_of(path, options) == Compression::None;
    match format {
        Format::Csv | Format::Jsonl if unpacked && !is_standard(path) => Ok(()),
        _ => Err(not_resumable()),
    }
}

/// What a missing cell is written as, when the format of `path` has no sign of its own for it.
pub fn unmarked_missing<'a>(path: &Path, options: &'a WriteOptions) -> Result<Option<&'a str>> {
    let format = format_of(path, options.format, "sink")?;
    Ok((format == Format::Csv).then_some(options.missing.as_str()))
}

/// The format that was asked for or that the ending of the name tells; CSV for
/// standard input and output.
pub(super) fn format_of(path: &Path, given: Option<Format>, table: &str) -> Result<Format> {
    let format = given
        .or_else(|| Format::from_path(path).map(|(format, _)| format))
        .or_else(|| is_standard(path).then_some(Format::Csv))
        .ok_or_else(|| {
            Error::policy(format!("the ending of {} tells no format", path.display())).help(
                format!("set `format` under [{table}]: csv, jsonl, arff, parquet, arrow or arrows"),
            )
        })?;
    match format {
        Format::Parquet if !cfg!(feature = "parquet") => {
            Err(Error::left_out("the format Parquet", "parquet"))
        }
        Format::Arrow | Format::ArrowStream if !cfg!(feature = "ipc") => {
            Err(Error::left_out("the format Arrow IPC", "ipc"))
        }
        _ => Ok(format),
    }
}

#[cfg(not(all(feature = "parquet", feature = "ipc")))]
fn let_through() -> Error {
    Error::bug("a format that is left out was let through")
}

#[cfg(test)]
mod tests {
    use super::super::test_data::{plan, read_csv};
    use super::super::{ReadAs, ReadOptions};
    use super::*;
    use moretta_data::data::{Batch, Role};

    fn batch() -> Batch {
        let plans = ["a", "b"].map(|name| plan(name, Role::Quasi, ReadAs::Category));
        read_csv(b"a,b\n1,x\n2,y\n", &ReadOptions::default(), &plans).expect("reads")
    }

    #[test]
    fn a_format_that_is_left_out_names_its_feature() {
        for (name, feature, is_on) in [
            ("a.csv", "", true),
            ("a.parquet", "parquet", cfg!(feature = "parquet")),
            ("a.arrow", "ipc", cfg!(feature = "ipc")),
            ("a.arrows", "ipc", cfg!(feature = "ipc")),
        ] {
            match writable(Path::new(name), &WriteOptions::default()) {
                Ok(()) => assert!(is_on, "{name}"),
                Err(error) => {
                    assert!(!is_on, "{name}: {error}");
                    let help = error.help_text().expect("a way out");
                    assert!(help.contains(&format!("feature `{feature}`")), "{help}");
                }
            }
        }
    }

    #[test]
    #[cfg(feature = "parquet")]
    fn nothing_is_written_that_could_not_be_read() {
        let packed = WriteOptions {
            compression: Some(Compression::Zstd),
            ..WriteOptions::default()
        };
        let plain = WriteOptions::default();
        for (name, options, writes) in [
            ("a.parquet", &plain, true),
            ("a.parquet.gz", &plain, false),
            ("a.parquet", &packed, false),
            ("a.csv", &packed, true),
        ] {
            assert_eq!(writable(Path::new(name), options).is_ok(), writes, "{name}");
        }
    }

    #[test]
    fn a_release_goes_on_after_the_bytes_that_were_synced() {
        let batch = batch();
        let options = WriteOptions::default();
        for (name, first, row) in [
            ("a.csv", "a,b\n1,x\n2,y\n", "2,y\n"),
            (
                "a.jsonl",
                "{\"a\":\"1\",\"b\":\"x\"}\n{\"a\":\"2\",\"b\":\"y\"}\n",
                "{\"a\":\"2\",\"b\":\"y\"}\n",
            ),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join(name);
            let mut sink = create(&path, &options, batch.schema()).expect("creates");
            sink.write(&batch).expect("writes");
            sink.flush().expect("flushes");
            assert_eq!(std::fs::read_to_string(&path).expect("reads"), first);
            let bytes = sink.sync().expect("syncs");
            assert_eq!(bytes, first.len() as u64);
            sink.write(&batch).expect("writes what is to be forgotten");
            drop(sink);
            let mut sink = resume(&path, &options, batch.schema(), bytes).expect("reopens");
            sink.write(&batch.slice(1, 1)).expect("writes");
            let synced = sink.sync().expect("syncs");
            sink.close().expect("closes");
            let text = std::fs::read_to_string(&path).expect("reads");
            assert_eq!(text, [first, row].concat());
            assert_eq!(synced, text.len() as u64);
        }
    }

    #[test]
    fn a_file_that_is_not_the_one_that_was_written_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.csv");
        let (batch, options) = (batch(), WriteOptions::default());
        for (text, bytes, reason) in [
            (None, 4, "no such file"),
            (Some("a,b\n"), 5, "it has 4 bytes, of 5 that were written"),
            (
                Some("a,b\n1,x\n"),
                6,
                "no line ends after the 6 bytes that were written",
            ),
        ] {
            if let Some(text) = text {
                std::fs::write(&path, text).expect("writes");
            }
            let error = resume(&path, &options, batch.schema(), bytes).err();
            let error = error.expect("refused");
            let shown = path.display();
            let expected = format!("cannot go on writing {shown}: {reason}");
            assert_eq!(error.to_string(), expected);
            assert_eq!(error.exit_code(), 5);
            assert_eq!(std::fs::read_to_string(&path).ok().as_deref(), text);
        }
    }

    #[test]
    fn only_unpacked_csv_and_jsonl_files_can_be_resumed() {
        let folder = tempfile::tempdir().expect("a folder");
        let (batch, options) = (batch(), WriteOptions::default());
        for name in [
            "a.csv.gz",
            "a.jsonl.zst",
            "a.arff",
            "a.parquet",
            "a.arrow",
            "a.arrows",
        ] {
            let path = folder.path().join(name);
            let mut sink = create(&path, &options, batch.schema()).expect("creates");
            sink.write(&batch).expect("writes");
            sink.flush().expect("flushes");
            let refused = [
                sink.sync().err(),
                resumable(&path, &options).err(),
                resume(&path, &options, batch.schema(), 0).err(),
            ];
            for error in refused {
                let error = error.expect(name);
                assert_eq!(error.exit_code(), 3, "{name}");
                let help = error.help_text().expect("a way out");
                assert!(help.contains("csv or jsonl, not packed"), "{help}");
            }
            sink.close().expect("closes");
        }
        assert!(resumable(Path::new("-"), &options).is_err());
        for name in ["a.csv", "a.tsv", "a.ndjson"] {
            assert!(resumable(Path::new(name), &options).is_ok(), "{name}");
        }
    }

    #[test]
    fn the_header_can_be_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.csv");
        let batch = batch();
        let options = WriteOptions {
            header: false,
            ..WriteOptions::default()
        };
        let mut sink = create(&path, &options, batch.schema()).expect("creates");
        sink.write(&batch).expect("writes");
        sink.close().expect("closes");
        let text = std::fs::read_to_string(&path).expect("reads");
        assert_eq!(text, "1,x\n2,y\n");
    }
}
