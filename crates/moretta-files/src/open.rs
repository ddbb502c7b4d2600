//! The doors: a path and options in, a source or sink of the right format out.

use super::file_format::{Begin, FileFormat};
use super::input::{compression_of, is_standard};
use super::options::{ColumnPlan, Compression, Header, ReadOptions, WriteOptions};
use super::output::Output;
use super::{FORMATS, Format, Sink, Source, not_resumable, packed};
use moretta_data::data::plain_text::{has_text, no_text};
use moretta_data::data::{Kind, Schema};
use moretta_data::error::{Error, Result};
use std::path::Path;
use std::sync::Arc;

/// The names of the columns, in the order of the file.
pub fn names(path: &Path, options: &ReadOptions) -> Result<Vec<String>> {
    packed::refuse_by_name(path)?;
    (source_format(path, options)?.names)(path, options)
}

/// What is odd about the header, when it looks like a row; by places, without a name.
pub fn header_warning(path: &Path, options: &ReadOptions) -> Result<Option<String>> {
    match format_of(path, options.format, "source")?.header_warning {
        Some(warning) if options.header != Header::None => warning(path, options),
        _ => Ok(None),
    }
}

/// The format of a source; only CSV can be without a header.
fn source_format(path: &Path, options: &ReadOptions) -> Result<&'static FileFormat> {
    let format = format_of(path, options.format, "source")?;
    if options.header == Header::None && format.header_warning.is_none() {
        return Err(Error::policy("only CSV can be without a header")
            .help("take `header` out: the other formats name their columns"));
    }
    Ok(format)
}

/// Opens a table for reading. Every column of the data needs a plan and every
/// plan a column.
pub fn open(path: &Path, options: &ReadOptions, plans: &[ColumnPlan]) -> Result<Box<dyn Source>> {
    packed::refuse_by_name(path)?;
    (source_format(path, options)?.open)(path, options, plans)
}

/// Fails unless a format is given or the ending of the name tells one, and what is written in it
/// can be read.
pub fn writable(path: &Path, options: &WriteOptions) -> Result<()> {
    let packed = compression_of(path, options.compression) != Compression::None;
    match sink_format(path, options)?.is_packed_whole {
        false if packed => Err(
            Error::policy("a file of this format is not packed as a whole")
                .help("take the compression away: the format packs its columns by itself"),
        ),
        _ => Ok(()),
    }
}

fn sink_format(path: &Path, options: &WriteOptions) -> Result<&'static FileFormat> {
    format_of(path, options.format, "sink")
}

/// Creates exactly this path for writing; only its owner can read it.
pub fn create(path: &Path, options: &WriteOptions, schema: &Arc<Schema>) -> Result<Box<dyn Sink>> {
    let format = sink_format(path, options)?;
    check_texts(format, schema)?;
    (format.create)(Output::create(path, options)?, options, schema)
}

/// Reopens an unpacked file of text, in which every line is a row, and goes on after its first
/// `bytes` bytes, as [`Sink::sync`] told them; what comes after them is cut off. There is no
/// second header.
pub fn resume(
    path: &Path,
    options: &WriteOptions,
    schema: &Arc<Schema>,
    bytes: u64,
) -> Result<Box<dyn Sink>> {
    let format = sink_format(path, options)?;
    let resume = resumed(format, path, options)?;
    check_texts(format, schema)?;
    resume(
        Output::resume(path, &options.files, bytes)?,
        options,
        schema,
    )
}

/// Fails unless what is written to `path` could be resumed.
pub fn resumable(path: &Path, options: &WriteOptions) -> Result<()> {
    resumed(sink_format(path, options)?, path, options).map(|_| ())
}

/// How an output is gone on with; an error where it cannot be.
fn resumed(format: &FileFormat, path: &Path, options: &WriteOptions) -> Result<Begin> {
    let unpacked = compression_of(path, options.compression) == Compression::None;
    let resume = format.resume.filter(|_| unpacked && !is_standard(path));
    resume.ok_or_else(not_resumable)
}

/// Fails when a column that passes through has no text and the format knows nothing else.
fn check_texts(format: &FileFormat, schema: &Schema) -> Result<()> {
    for field in schema.fields() {
        match &field.kind {
            Kind::Plain(data_type) if format.is_text && !has_text(data_type) => {
                return Err(no_text(data_type).in_column(&*field.name));
            }
            _ => {}
        }
    }
    Ok(())
}

/// What a missing cell is written as, when the format of `path` has no sign of its own for it.
pub fn unmarked_missing<'a>(path: &Path, options: &'a WriteOptions) -> Result<Option<&'a str>> {
    let marked = sink_format(path, options)?.marks_missing;
    Ok((!marked).then_some(options.missing.as_str()))
}

/// The format that was asked for or that the ending of the name tells; CSV for
/// standard input and output.
fn format_of(path: &Path, given: Option<Format>, table: &str) -> Result<&'static FileFormat> {
    given
        .or_else(|| Format::from_path(path))
        .or_else(|| is_standard(path).then_some(Format::Csv))
        .ok_or_else(|| {
            let names: Vec<&str> = FORMATS.iter().map(|info| info.name).collect();
            Error::policy(format!("the ending of {} tells no format", path.display())).help(
                format!(
                    "set `format` under [{table}] to one of: {}",
                    names.join(", ")
                ),
            )
        })?
        .file_format()
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
