//! Arrow IPC, as a stream or as a file, which is a stream between two magic words.
//!
//! The frames are read here and handed to the decoder whole: their lengths are
//! held against the bytes that really come before anything is allocated, and
//! packed buffers may not claim more than the unpacked limit. A panic of the
//! decoder on damaged bytes becomes an error.

use super::compression::{Packer, size_text};
use super::file_format::FileFormat;
use super::input::Input;
use super::options::{ColumnPlan, ReadOptions};
use super::output::Output;
use super::plan::check_names;
use super::record_batch::{arrow_schema, record_batch};
use super::record_batches::typed_source;
use super::{Sink, Source};
use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_ipc::{MessageHeader, root_as_message};
use arrow_schema::{ArrowError, DataType, Schema as ArrowSchema};
use moretta_data::data::{Batch, Schema};
use moretta_data::error::{Error, Result};
use std::io::BufWriter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) const FILE: FileFormat = FileFormat {
    names: |path, options| names(path, options, Shape::File),
    open: |path, options, plans| open(path, options, plans, Shape::File),
    create: |output, _, schema| Ok(Box::new(ArrowSink::new(output, schema, Shape::File)?)),
    resume: None,
    is_text: false,
    marks_missing: true,
    is_packed_whole: true,
    header_warning: None,
};

pub(super) const STREAM: FileFormat = FileFormat {
    names: |path, options| names(path, options, Shape::Stream),
    open: |path, options, plans| open(path, options, plans, Shape::Stream),
    create: |output, _, schema| Ok(Box::new(ArrowSink::new(output, schema, Shape::Stream)?)),
    ..FILE
};

/// The word at both ends of a file.
const MAGIC: &[u8] = b"ARROW1";

/// Whether the stream stands in a file with a footer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    File,
    Stream,
}

/// The names of the columns.
fn names(path: &Path, options: &ReadOptions, shape: Shape) -> Result<Vec<String>> {
    let frames = Frames::open(path, options, shape)?;
    Ok(frames.names())
}

/// Opens Arrow IPC for reading.
fn open(
    path: &Path,
    options: &ReadOptions,
    plans: &[ColumnPlan],
    shape: Shape,
) -> Result<Box<dyn Source>> {
    let mut frames = Frames::open(path, options, shape)?;
    let schema = frames.schema.clone();
    typed_source(&schema, move || frames.next(), plans, path, options)
}

/// The messages of a stream.
struct Frames {
    path: PathBuf,
    input: Input,
    shape: Shape,
    schema: ArrowSchema,
    decoder: StreamDecoder,
    /// Bytes the decoder has not taken yet.
    pending: Buffer,
    unpacked_limit: u64,
    done: bool,
}

impl Frames {
    fn open(path: &Path, options: &ReadOptions, shape: Shape) -> Result<Self> {
        let mut frames = Frames {
            path: path.to_owned(),
            input: Input::open_bytes(path, options)?,
            shape,
            schema: ArrowSchema::empty(),
            decoder: StreamDecoder::new(),
            pending: Buffer::default(),
            unpacked_limit: options.limits.unpacked_bytes,
            done: false,
        };
        if shape == Shape::File {
            frames.check_magic()?;
        }
        let first = frames.frame()?.ok_or_else(|| frames.incomplete())?;
        frames.schema = first.schema.ok_or_else(|| frames.incomplete())?;
        frames.pending = first.bytes;
        check_names(&frames.names(), &options.limits).map_err(|e| e.in_file(path))?;
        Ok(frames)
    }

    fn names(&self) -> Vec<String> {
        let fields = self.schema.fields();
        fields.iter().map(|f| f.name().clone()).collect()
    }

    /// The next batch of rows; none at the end.
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let (decoder, pending) = (&mut self.decoder, &mut self.pending);
            let decoded = catch_unwind(AssertUnwindSafe(|| decoder.decode(pending)));
            match decoded {
                Ok(Ok(Some(batch))) => return Ok(Some(batch)),
                Ok(Ok(None)) if self.done => return Ok(None),
                Ok(Ok(None)) => match self.frame()? {
                    Some(frame) => self.pending = frame.bytes,
                    None => {
                        self.done = true;
                        self.check_end()?;
                        // An end mark lets the decoder give a last batch without a body.
                        self.pending = Buffer::from(vec![0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
                    }
                },
                // The decoder's own text could quote the data.
                Ok(Err(_)) | Err(_) => return Err(self.incomplete()),
            }
        }
    }

    /// The next message with its body; none at the end mark or the end of a stream.
    fn frame(&mut self) -> Result<Option<Frame>> {
        let mut prefix = self.take(4)?;
        // Some writers pad the first magic word to 64 bytes.
        for _ in 0..14 {
            if self.shape == Shape::File && self.schema.fields().is_empty() && prefix == [0; 4] {
                prefix = self.take(4)?;
            }
        }
        if prefix.is_empty() && self.shape == Shape::Stream {
            return Ok(None);
        }
        if prefix == [0xff; 4] {
            prefix = self.take(4)?;
        }
        let Ok(length) = <[u8; 4]>::try_from(prefix).map(u32::from_le_bytes) else {
            return Err(self.incomplete());
        };
        if length == 0 {
            return Ok(None);
        }
        let message = self.take_all(u64::from(length))?;
        let parsed = root_as_message(&message).map_err(|_| self.incomplete())?;
        let body_length = u64::try_from(parsed.bodyLength()).map_err(|_| self.incomplete())?;
        let body = self.take_all(body_length)?;
        self.check_packed(&parsed, &body)?;
        let schema = match parsed.header_type() {
            MessageHeader::Schema => {
                let header = parsed.header_as_schema().ok_or_else(|| self.incomplete())?;
                let convert = || arrow_ipc::convert::fb_to_schema(header);
                Some(catch_unwind(AssertUnwindSafe(convert)).map_err(|_| self.incomplete())?)
            }
            _ => None,
        };
        let mut bytes = Vec::with_capacity(8 + message.len() + body.len());
        bytes.extend_from_slice(&[0xff; 4]);
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(&message);
        bytes.extend_from_slice(&body);
        Ok(Some(Frame {
            bytes: bytes.into(),
            schema,
        }))
    }

    /// Each packed buffer starts with the size it claims to unpack to.
    fn check_packed(&self, message: &arrow_ipc::Message<'_>, body: &[u8]) -> Result<()> {
        let batch = message
            .header_as_record_batch()
            .or_else(|| message.header_as_dictionary_batch()?.data());
        let Some(batch) = batch.filter(|batch| batch.compression().is_some()) else {
            return Ok(());
        };
        let mut claimed = 0u64;
        for buffer in batch.buffers().iter().flatten() {
            let size = usize::try_from(buffer.offset())
                .ok()
                .and_then(|start| body.get(start..)?.first_chunk::<8>())
                .map_or(0, |bytes| i64::from_le_bytes(*bytes));
            if buffer.length() > 0 {
                claimed = claimed.saturating_add(u64::try_from(size).unwrap_or(0));
            }
        }
        if claimed > self.unpacked_limit {
            let limit = size_text(self.unpacked_limit);
            return Err(
                Error::input(format!("unpacked size over {limit} limit")).in_file(&self.path)
            );
        }
        Ok(())
    }

    fn check_magic(&mut self) -> Result<()> {
        let start = self.take(8)?;
        if start.starts_with(b"FEA1") {
            return Err(Error::input("the file is Feather version 1")
                .in_file(&self.path)
                .help("write it again as Feather version 2, which is Arrow IPC"));
        }
        if !start.starts_with(MAGIC) {
            return Err(self.incomplete());
        }
        Ok(())
    }

    /// After the end mark a file has its footer, and a stream nothing.
    fn check_end(&mut self) -> Result<()> {
        let mut tail = Vec::new();
        loop {
            let more = self.take(1 << 16)?;
            if more.is_empty() {
                break;
            }
            tail.extend_from_slice(&more);
            let keep = tail.len().saturating_sub(MAGIC.len());
            tail.drain(..keep);
        }
        let complete = match self.shape {
            Shape::File => tail == MAGIC,
            Shape::Stream => tail.is_empty(),
        };
        if complete {
            Ok(())
        } else {
            Err(self.incomplete())
        }
    }

    /// Up to `most` bytes; fewer only at the end.
    fn take(&mut self, most: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; most];
        let mut n = 0;
        while n < most {
            match self.input.read(&mut bytes[n..])? {
                0 => break,
                more => n += more,
            }
        }
        bytes.truncate(n);
        Ok(bytes)
    }

    /// Exactly `length` bytes, in memory that grows only as they come.
    fn take_all(&mut self, length: u64) -> Result<Vec<u8>> {
        const STEP: u64 = 16 << 20;
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < length {
            let step = (length - bytes.len() as u64).min(STEP) as usize;
            let more = self.take(step)?;
            if more.len() < step {
                return Err(self.incomplete());
            }
            if bytes.is_empty() {
                bytes = more;
            } else {
                bytes.extend_from_slice(&more);
            }
        }
        Ok(bytes)
    }

    fn incomplete(&self) -> Error {
        let what = match self.shape {
            Shape::File => "not a complete Arrow file",
            Shape::Stream => "not a complete Arrow stream",
        };
        Error::input(what)
            .in_file(&self.path)
            .help("copy or write the file again")
    }
}

/// One message with its body, as it stands in the stream.
struct Frame {
    bytes: Buffer,
    schema: Option<ArrowSchema>,
}

/// Writes Arrow IPC.
struct ArrowSink {
    output: Output,
    schema: Arc<ArrowSchema>,
    writer: Option<Writer>,
    /// A file has one dictionary for each column, so its rows are written at the end.
    waits: bool,
    waiting: Vec<Batch>,
}

enum Writer {
    File(Box<FileWriter<BufWriter<Packer>>>),
    Stream(Box<StreamWriter<BufWriter<Packer>>>),
}

impl ArrowSink {
    fn new(mut output: Output, schema: &Schema, shape: Shape) -> Result<Self> {
        let schema = arrow_schema(schema);
        let packer = output.take()?;
        let writer = match shape {
            Shape::File => FileWriter::try_new_buffered(packer, &schema)
                .map(|writer| Writer::File(Box::new(writer))),
            Shape::Stream => StreamWriter::try_new_buffered(packer, &schema)
                .map(|writer| Writer::Stream(Box::new(writer))),
        };
        let writer = writer.map_err(|e| write_error(output.path(), e))?;
        let mut types = schema.fields().iter().map(|field| field.data_type());
        let has_dictionaries = types.any(|t| matches!(t, DataType::Dictionary(..)));
        Ok(ArrowSink {
            output,
            schema,
            writer: Some(writer),
            waits: shape == Shape::File && has_dictionaries,
            waiting: Vec::new(),
        })
    }

    fn write_now(&mut self, batch: &Batch) -> Result<()> {
        let batch = record_batch(batch, &self.schema)?;
        match &mut self.writer {
            Some(Writer::File(writer)) => writer.write(&batch),
            Some(Writer::Stream(writer)) => writer.write(&batch),
            None => return Err(Error::bug("a closed output is written to")),
        }
        .map_err(|e| write_error(self.output.path(), e))
    }

    /// Writes the rows that have waited, with one dictionary for all of them.
    fn write_waiting(&mut self) -> Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        let Some(first) = waiting.first() else {
            return Ok(());
        };
        let schema = Arc::clone(first.schema());
        self.write_now(&Batch::concat(&schema, waiting)?)
    }
}

impl Sink for ArrowSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        match self.waits {
            true => self.waiting.push(batch.clone()),
            false => self.write_now(batch)?,
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        match &mut self.writer {
            Some(Writer::File(writer)) => writer.flush(),
            Some(Writer::Stream(writer)) => writer.flush(),
            None => return Err(Error::bug("a closed output is written to")),
        }
        .map_err(|e| write_error(self.output.path(), e))
    }

    fn close(&mut self) -> Result<()> {
        self.write_waiting()?;
        if let Some(writer) = self.writer.take() {
            let buffered = match writer {
                Writer::File(writer) => writer.into_inner(),
                Writer::Stream(writer) => writer.into_inner(),
            };
            let path = self.output.path();
            let buffered = buffered.map_err(|e| write_error(path, e))?;
            let packer = buffered
                .into_inner()
                .map_err(|e| Error::io("write", path, e.into_error()))?;
            self.output.put_back(packer);
        }
        self.output.close()
    }
}

fn write_error(path: &Path, error: ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, source) => Error::io("write", path, source),
        other => Error::io("write", path, std::io::Error::other(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::ReadAs;
    use super::super::test_data::{
        check_round_trip, plan, read_all, sample_arrays, table, write_plain,
    };
    use super::*;
    use moretta_data::data::{Column, Role};
    use proptest::prelude::*;

    const NAMES: [&str; 4] = ["a.arrow", "a.arrows", "a.arrow.zst", "a.arrows.gz"];

    fn plain_plans() -> Vec<ColumnPlan> {
        sample_arrays()
            .iter()
            .map(|(name, _)| plan(name, Role::Plain, ReadAs::Infer))
            .collect()
    }

    #[test]
    fn native_types_pass_through() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in NAMES {
            let path = folder.path().join(name);
            write_plain(&path, &sample_arrays());
            let batch = read_all(&path, &ReadOptions::default(), &plain_plans()).expect("reads");
            for (column, (name, array)) in batch.columns().iter().zip(sample_arrays()) {
                let Column::Plain(read) = column else {
                    panic!("{name} passes through");
                };
                assert_eq!(read, &array, "{name}");
            }
        }
    }

    #[test]
    fn every_truncation_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.arrow");
        write_plain(&path, &sample_arrays());
        let bytes = std::fs::read(&path).expect("reads");
        for end in 0..bytes.len() {
            std::fs::write(&path, &bytes[..end]).expect("writes");
            let error = read_all(&path, &ReadOptions::default(), &plain_plans()).expect_err("cut");
            assert!(
                error.to_string().ends_with("not a complete Arrow file"),
                "{end}: {error}"
            );
            assert_eq!(error.exit_code(), 4);
        }
    }

    #[test]
    fn old_feather_is_refused_by_name() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.feather");
        std::fs::write(&path, b"FEA1    ").expect("writes");
        let error = super::super::names(&path, &ReadOptions::default()).expect_err("old");
        assert!(error.to_string().ends_with("the file is Feather version 1"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn what_is_written_is_read_again(
            rows in prop::collection::vec(
                (prop::option::of("[a-e\"\n,é]{1,3}"), prop::option::of(-1e6f64..1e6), "[x\"\n, =]{0,3}"),
                0..40,
            ),
        ) {
            let (text, plans) = table(&rows);
            for name in NAMES {
                check_round_trip(name, &text, &plans, true);
            }
        }

        #[test]
        fn damaged_files_are_read_or_refused(at in any::<usize>(), with in any::<u8>(), stream in any::<bool>()) {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join(if stream { "a.arrows" } else { "a.arrow" });
            write_plain(&path, &sample_arrays());
            let mut bytes = std::fs::read(&path).expect("reads");
            let at = at % bytes.len();
            bytes[at] = with;
            std::fs::write(&path, &bytes).expect("writes");
            let _ = read_all(&path, &ReadOptions::default(), &plain_plans());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let folder = tempfile::tempdir().expect("a folder");
            for (name, start) in [("a.arrow", &b"ARROW1\0\0"[..]), ("a.arrows", &[0xff; 4]), ("b.arrows", b"")] {
                let path = folder.path().join(name);
                std::fs::write(&path, [start, &bytes].concat()).expect("writes");
                prop_assert!(read_all(&path, &ReadOptions::default(), &plain_plans()).is_err());
            }
        }
    }
}
