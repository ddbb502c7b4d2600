//! Parquet: read by column, written with statistics of the written rows only.
//!
//! The footer is compared with the size of the file before it is parsed, and a
//! panic of the decoder on damaged bytes becomes an error. Nothing of the input's
//! metadata is written: no key-value pairs, no schema of dropped columns. What is
//! written beside the rows is the Arrow schema of the release, names and types, so
//! that zones, durations and the like come back as they were.

use super::chunk::{Chunk, Chunks, Layout};
use super::compression::Packer;
use super::file_format::FileFormat;
use super::gather;
use super::input::{Watch, compression_of, is_standard};
use super::options::{ColumnPlan, Compression, ReadAs, ReadOptions};
use super::output::Output;
use super::plan::{self, check_names};
use super::record_batch::{arrow_schema, record_batch};
use super::whole_file::WholeFile;
use super::{Sink, Source, typed};
use arrow_array::RecordBatch;
use arrow_schema::{DataType, IntervalUnit, Schema as ArrowSchema};
use moretta_data::data::{Batch, Schema};
use moretta_data::error::{Error, Result};
use parquet::arrow::ArrowWriter;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::arrow_writer::{
    ArrowColumnWriter, ArrowLeafColumn, ArrowRowGroupWriterFactory, ArrowWriterOptions,
    compute_leaves,
};
use parquet::basic::{Compression as Codec, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::writer::SerializedFileWriter;
use rayon::prelude::*;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) const FORMAT: FileFormat = FileFormat {
    names,
    open,
    create: |output, _, schema| Ok(Box::new(ParquetSink::new(output, schema)?)),
    resume: None,
    is_text: false,
    marks_missing: true,
    is_packed_whole: false,
    header_warning: None,
};

/// Rows that are decoded at once.
const CHUNK_ROWS: usize = 65_536;

/// Rows of a group that is written.
const GROUP_ROWS: usize = 1 << 20;

/// The names of the columns.
fn names(path: &Path, options: &ReadOptions) -> Result<Vec<String>> {
    let opened = Opened::new(path, options)?;
    Ok(opened.names())
}

/// Opens a Parquet file for reading.
fn open(path: &Path, options: &ReadOptions, plans: &[ColumnPlan]) -> Result<Box<dyn Source>> {
    let opened = Opened::new(path, options)?;
    let mut plans = plan::align(&opened.names(), plans)?;
    let types = opened.types();
    typed::resolve(&mut plans, &types).map_err(|e| e.in_file(path))?;
    let schema = plan::schema(&plans, |i| types[i].clone(), |_| None)?;
    let read: Vec<usize> = (0..plans.len())
        .filter(|&i| plans[i].read != ReadAs::Skip)
        .collect();
    let layout = Layout::new(plans, &options.missing);
    let gather_layout = Layout::new(layout.plans.clone(), &[]);
    let chunks = opened.chunks(layout, read, options)?;
    Ok(gather::source(
        chunks,
        schema,
        &gather_layout,
        path.to_owned(),
        None,
        options,
    ))
}

/// A Parquet file whose footer has been read.
struct Opened {
    path: PathBuf,
    file: WholeFile,
    watch: Option<Watch>,
    metadata: ArrowReaderMetadata,
}

impl Opened {
    fn new(path: &Path, options: &ReadOptions) -> Result<Self> {
        if is_standard(path) || compression_of(path, options.compression) != Compression::None {
            return Err(Error::policy("Parquet is read from an unpacked file only")
                .help("unpack it first; csv, jsonl and arrows can be read as they come"));
        }
        let (file, watch) = WholeFile::open(path, &options.files)?;
        check_footer(&file).map_err(|e| e.in_file(path))?;
        let metadata = guarded(path, || {
            ArrowReaderMetadata::load(&file, ArrowReaderOptions::default())
        })?;
        let opened = Opened {
            path: path.to_owned(),
            file,
            watch,
            metadata,
        };
        opened.check_codecs()?;
        check_names(&opened.names(), &options.limits).map_err(|e| e.in_file(path))?;
        Ok(opened)
    }

    fn names(&self) -> Vec<String> {
        let fields = self.metadata.schema().fields();
        fields.iter().map(|f| f.name().clone()).collect()
    }

    fn types(&self) -> Vec<DataType> {
        let fields = self.metadata.schema().fields();
        fields.iter().map(|f| f.data_type().clone()).collect()
    }

    fn check_codecs(&self) -> Result<()> {
        let groups = self.metadata.metadata().row_groups();
        let mut columns = groups.iter().flat_map(|group| group.columns());
        match columns.find_map(|column| left_out(column.compression())) {
            Some(codec) => Err(unsupported(codec).in_file(&self.path)),
            None => Ok(()),
        }
    }

    fn chunks(
        self,
        layout: Layout,
        read: Vec<usize>,
        options: &ReadOptions,
    ) -> Result<ParquetChunks> {
        let mask = ProjectionMask::roots(self.metadata.parquet_schema(), read);
        let rows = options
            .batch_rows
            .unwrap_or(CHUNK_ROWS)
            .clamp(1, CHUNK_ROWS);
        let (file, metadata) = (self.file, self.metadata);
        let reader = guarded(&self.path, || {
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata)
                .with_projection(mask)
                .with_batch_size(rows)
                .build()
        })?;
        Ok(ParquetChunks {
            path: self.path,
            watch: self.watch,
            reader,
            decoded: None,
            layout,
        })
    }
}

/// The magic words must stand at both ends, and the footer must fit between them.
fn check_footer(file: &WholeFile) -> Result<()> {
    let incomplete = || incomplete("not a complete Parquet file");
    let size = file.len();
    let ends = (file.get_bytes(0, 4), size.checked_sub(8));
    let (Ok(head), Some(tail)) = ends else {
        return Err(incomplete());
    };
    let tail = file.get_bytes(tail, 8).map_err(|_| incomplete())?;
    let (length, magic) = tail.split_at(4);
    if magic == b"PARE" {
        return Err(Error::input("the Parquet file is encrypted").help("decrypt it first"));
    }
    let length = length.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b));
    if head.as_ref() != b"PAR1" || magic != b"PAR1" || length + 12 > size {
        return Err(incomplete());
    }
    Ok(())
}

fn incomplete(what: &str) -> Error {
    Error::input(what).help("copy or write the file again")
}

/// Runs the decoder; its errors and panics on damaged bytes mean an incomplete file.
fn guarded<T, E: Display>(
    path: &Path,
    decode: impl FnOnce() -> std::result::Result<T, E>,
) -> Result<T> {
    let error = match catch_unwind(AssertUnwindSafe(decode)) {
        Ok(Ok(value)) => return Ok(value),
        // The decoder's own text could quote the data, so it is looked at and not passed on.
        Ok(Err(error)) if error.to_string().contains("CompressionCodec") => {
            unsupported("an unknown codec")
        }
        Ok(Err(_)) | Err(_) => incomplete("not a complete Parquet file"),
    };
    Err(error.in_file(path))
}

/// The name of a codec that is not built in.
fn left_out(codec: Codec) -> Option<&'static str> {
    match codec {
        Codec::LZO => Some("LZO"),
        Codec::BROTLI(_) => Some("Brotli"),
        _ => None,
    }
}

fn unsupported(codec: &str) -> Error {
    Error::input(format!(
        "the Parquet file is packed with {codec}, which is not supported"
    ))
    .help("write it again with Snappy or Zstandard")
}

struct ParquetChunks {
    path: PathBuf,
    watch: Option<Watch>,
    reader: ParquetRecordBatchReader,
    /// What was decoded while the rows before it were converted; none before the first rows.
    decoded: Option<Result<Option<RecordBatch>>>,
    layout: Layout,
}

impl Chunks for ParquetChunks {
    fn next_chunk(&mut self) -> Result<Option<Chunk>> {
        let (path, layout, reader) = (&self.path, &self.layout, &mut self.reader);
        let mut decode = || guarded(path, || reader.next().transpose());
        let decoded = self.decoded.take().unwrap_or_else(&mut decode)?;
        let Some(batch) = decoded else {
            if let Some(watch) = &self.watch {
                watch.check(path)?;
            }
            return Ok(None);
        };
        let convert = || typed::chunk(&batch, layout).map_err(|e| e.in_file(path));
        let (chunk, next) = rayon::join(convert, decode);
        self.decoded = Some(next);
        chunk.map(Some)
    }
}

/// Writes Parquet, all columns of a group of rows at the same time.
struct ParquetSink {
    output: Output,
    schema: Arc<ArrowSchema>,
    file: Option<SerializedFileWriter<Packer>>,
    factory: ArrowRowGroupWriterFactory,
    /// Those of the group that is written; none between two groups.
    columns: Vec<ArrowColumnWriter>,
    /// Rows of that group.
    rows: usize,
}

impl ParquetSink {
    fn new(mut output: Output, schema: &Schema) -> Result<Self> {
        let schema = unordered(&arrow_schema(schema));
        check_types(&schema)?;
        let properties = WriterProperties::builder()
            .set_compression(Codec::ZSTD(ZstdLevel::default()))
            .set_created_by("moretta".to_owned())
            .build();
        let options = ArrowWriterOptions::new().with_properties(properties);
        let (file, factory) =
            ArrowWriter::try_new_with_options(output.take()?, Arc::clone(&schema), options)
                .and_then(ArrowWriter::into_serialized_writer)
                .map_err(|e| write_error(output.path(), e))?;
        Ok(ParquetSink {
            output,
            schema,
            file: Some(file),
            factory,
            columns: Vec::new(),
            rows: 0,
        })
    }

    /// Adds rows to the group, which has room for them.
    fn add(&mut self, batch: &RecordBatch) -> std::result::Result<(), ParquetError> {
        if let (true, Some(file)) = (self.columns.is_empty(), &self.file) {
            let group = file.flushed_row_groups().len();
            self.columns = self.factory.create_column_writers(group)?;
        }
        let fields = self.schema.fields().par_iter().zip(batch.columns());
        let leaves: Vec<Vec<ArrowLeafColumn>> = fields
            .map(|(field, array)| compute_leaves(field, array))
            .collect::<std::result::Result<_, _>>()?;
        let leaves: Vec<ArrowLeafColumn> = leaves.into_iter().flatten().collect();
        self.columns
            .par_iter_mut()
            .zip(leaves)
            .try_for_each(|(column, leaf)| column.write(&leaf))?;
        self.rows += batch.num_rows();
        Ok(())
    }

    /// Ends the group, if there is one.
    fn end_group(&mut self) -> std::result::Result<(), ParquetError> {
        if self.rows == 0 {
            return Ok(());
        }
        self.rows = 0;
        let columns = std::mem::take(&mut self.columns).into_par_iter();
        let chunks: Vec<_> = columns
            .map(ArrowColumnWriter::close)
            .collect::<std::result::Result<_, _>>()?;
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let mut group = file.next_row_group()?;
        for chunk in chunks {
            chunk.append_to_row_group(&mut group)?;
        }
        group.close().map(drop)
    }
}

impl Sink for ParquetSink {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        if self.file.is_none() {
            return Err(Error::bug("a closed output is written to"));
        }
        let batch = record_batch(batch, &self.schema)?;
        let mut start = 0;
        while start < batch.num_rows() {
            let rows = (batch.num_rows() - start).min(GROUP_ROWS - self.rows);
            let mut written = self.add(&batch.slice(start, rows));
            if self.rows == GROUP_ROWS {
                written = written.and_then(|()| self.end_group());
            }
            written.map_err(|e| write_error(self.output.path(), e))?;
            start += rows;
        }
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        let ended = self.end_group();
        let path = self.output.path();
        ended.map_err(|e| write_error(path, e))?;
        if let Some(file) = self.file.take() {
            let packer = file.into_inner().map_err(|e| write_error(path, e))?;
            self.output.put_back(packer);
        }
        self.output.close()
    }
}

/// A page of Parquet holds the values of a dictionary as the rows came, so that no order can
/// be read off it, nor be promised.
fn unordered(schema: &ArrowSchema) -> Arc<ArrowSchema> {
    let fields = schema.fields().iter();
    let fields = fields.map(|field| field.as_ref().clone().with_dict_is_ordered(false));
    Arc::new(ArrowSchema::new(fields.collect::<Vec<_>>()))
}

/// Refuses types that Parquet does not know; the writer would panic on some.
fn check_types(schema: &ArrowSchema) -> Result<()> {
    match schema.fields().iter().find(|f| !is_known(f.data_type())) {
        Some(field) => Err(unknown_type().in_column(field.name())),
        None => Ok(()),
    }
}

fn is_known(data_type: &DataType) -> bool {
    match data_type {
        DataType::Union(..) | DataType::Interval(IntervalUnit::MonthDayNano) => false,
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => is_known(item.data_type()),
        DataType::Struct(fields) => {
            !fields.is_empty() && fields.iter().all(|field| is_known(field.data_type()))
        }
        _ => true,
    }
}

fn unknown_type() -> Error {
    Error::input("a column has a type that Parquet cannot hold")
        .help("write arrow instead, or drop the column")
}

fn write_error(path: &Path, error: parquet::errors::ParquetError) -> Error {
    match error {
        ParquetError::NYI(_) => unknown_type(),
        other => Error::io("write", path, std::io::Error::other(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_data::{
        check_round_trip, column_text, plan, read_all, sample_arrays, table, write_plain,
    };
    use super::*;
    use crate::{WriteOptions, create};
    use arrow_array::types::Int64Type;
    use arrow_array::{ArrayRef, Int64Array, ListArray, StringArray};
    use moretta_data::data::{Column, Field as TableField, Kind, Role, RowIds};
    use proptest::prelude::*;

    fn refused(bytes: &[u8]) -> Error {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.parquet");
        std::fs::write(&path, bytes).expect("writes");
        let plans = [plan("c", Role::Quasi, ReadAs::Infer)];
        read_all(&path, &ReadOptions::default(), &plans).expect_err("refused")
    }

    #[test]
    fn incomplete_and_hostile_files_are_refused() {
        let footer = |n: u32| [b"PAR1".as_slice(), &[0xff; 10], &n.to_le_bytes(), b"PAR1"].concat();
        for bytes in [
            b"".to_vec(),
            b"PAR1".to_vec(),
            b"PAR1PAR1".to_vec(),
            footer(10),
            footer(u32::MAX),
            footer(0),
            [
                b"PAR1".as_slice(),
                &[0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 7, 0, 0, 0],
                &10u32.to_le_bytes(),
                b"PAR1",
            ]
            .concat(),
        ] {
            let error = refused(&bytes);
            assert!(
                error.to_string().ends_with("not a complete Parquet file"),
                "{error}"
            );
            assert_eq!(error.exit_code(), 4);
        }
        let encrypted = refused(b"PAR1\0\0\0\0\0\0\0\0PARE");
        assert!(
            encrypted.to_string().ends_with("is encrypted"),
            "{encrypted}"
        );
    }

    #[test]
    fn codecs_that_are_not_built_in_are_known_by_name() {
        for (codec, name) in [
            (Codec::BROTLI(Default::default()), Some("Brotli")),
            (Codec::LZO, Some("LZO")),
            (Codec::SNAPPY, None),
            (Codec::ZSTD(ZstdLevel::default()), None),
            (Codec::LZ4_RAW, None),
            (Codec::GZIP(Default::default()), None),
            (Codec::UNCOMPRESSED, None),
        ] {
            assert_eq!(left_out(codec), name, "{codec}");
        }
    }

    #[test]
    fn an_unknown_codec_is_named_and_other_errors_are_not_passed_on() {
        for (text, expected) in [
            (
                "Unexpected CompressionCodec 20",
                "packed with an unknown codec",
            ),
            ("a cell of the data", "not a complete Parquet file"),
        ] {
            let error = guarded(Path::new("a.parquet"), || Err::<(), _>(text));
            let error = error.expect_err("refused").to_string();
            assert!(error.contains(expected) && !error.contains(text), "{error}");
        }
    }

    #[test]
    fn native_types_pass_through() {
        let arrays = sample_arrays();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.parquet");
        write_plain(&path, &arrays);
        let plans: Vec<_> = arrays
            .iter()
            .map(|(name, _)| plan(name, Role::Plain, ReadAs::Infer))
            .collect();
        let batch = read_all(&path, &ReadOptions::default(), &plans).expect("reads");
        for (column, (name, array)) in batch.columns().iter().zip(&arrays) {
            let moretta_data::data::Column::Plain(read) = column else {
                panic!("{name} passes through");
            };
            assert_eq!(read, array, "{name}");
        }
    }

    #[test]
    fn protected_columns_take_their_type_from_the_file() {
        let arrays = sample_arrays();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.parquet");
        write_plain(&path, &arrays);
        let plans: Vec<_> = arrays
            .iter()
            .map(|(name, _)| match *name {
                "id" | "nested" | "moment" => plan(name, Role::Identifier, ReadAs::Skip),
                _ => plan(name, Role::Quasi, ReadAs::Infer),
            })
            .collect();
        let batch = read_all(&path, &ReadOptions::default(), &plans).expect("reads");
        let found: Vec<(String, Vec<String>)> = batch
            .schema()
            .fields()
            .iter()
            .enumerate()
            .map(|(i, field)| (field.name.to_string(), column_text(&batch, i)))
            .collect();
        let expected = [
            ("decimal", ["1.5", "", "-2.25"]),
            ("day", ["2024-03-01", "", "1969-12-31"]),
            ("midnight", ["2024-03-01", "", "1970-01-01"]),
            ("word", ["b", "", "a"]),
            ("flag", ["true", "", "false"]),
        ];
        assert_eq!(found.len(), expected.len());
        for ((name, cells), (expected_name, expected_cells)) in found.iter().zip(expected) {
            assert_eq!(
                (name.as_str(), &cells[..]),
                (expected_name, &expected_cells.map(str::to_owned)[..])
            );
        }
    }

    #[test]
    fn whole_numbers_beyond_the_floats_are_refused_in_protected_columns() {
        let arrays = sample_arrays();
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.parquet");
        write_plain(&path, &arrays[..1]);
        let error = read_all(
            &path,
            &ReadOptions::default(),
            &[plan("id", Role::Quasi, ReadAs::Infer)],
        )
        .expect_err("2^63 - 1 is no float");
        assert!(
            error
                .to_string()
                .contains("column `id`: 2 of 3 rows are whole numbers beyond 2^53"),
            "{error}"
        );
        assert_eq!(error.exit_code(), 4);
    }

    #[test]
    fn the_written_file_names_no_dropped_value() {
        let plans = [plan("c", Role::Quasi, ReadAs::Category)];
        let batch = super::super::test_data::read_csv(
            b"c\nsecret\nopen\nopen\n",
            &ReadOptions::default(),
            &plans,
        )
        .expect("reads");
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["a.parquet", "a.arrow", "a.arrows"] {
            let path = folder.path().join(name);
            let mut sink =
                super::super::create(&path, &Default::default(), batch.schema()).expect("creates");
            sink.write(&batch.slice(1, 2)).expect("writes");
            sink.close().expect("closes");
            let bytes = std::fs::read(&path).expect("reads");
            let holds = |word: &[u8]| memchr::memmem::find(&bytes, word).is_some();
            assert!(!holds(b"secret"), "{name}");
        }
    }

    /// Two groups of rows, lists among them, by the crate's own writer of one column after the
    /// other.
    #[test]
    fn columns_that_are_written_at_once_give_the_bytes_of_one_after_the_other() {
        let rows = GROUP_ROWS + 5;
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(
            (0..rows as i64).map(|n| n % 7),
        ));
        let words = ["a", "b", "c"].map(Some).into_iter().chain([None]);
        let words: ArrayRef = Arc::new(words.cycle().take(rows).collect::<StringArray>());
        let lists = (0..rows).map(|n| (n % 3 > 0).then(|| vec![Some(1_i64); n % 2]));
        let lists: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(lists));
        let arrays = [("n", numbers), ("l", lists), ("w", words)];
        let fields = arrays.iter().map(|(name, array)| {
            TableField::new(*name, Role::Plain, Kind::Plain(array.data_type().clone()))
        });
        let schema = Arc::new(Schema::new(fields.collect()).expect("names differ"));
        let columns = arrays
            .iter()
            .map(|(_, array)| Column::Plain(Arc::clone(array)));
        let ids = RowIds::Range {
            start: 0,
            len: rows,
        };
        let batch = Batch::new(Arc::clone(&schema), ids, columns.collect()).expect("fits");
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.parquet");
        let mut sink = create(&path, &WriteOptions::default(), &schema).expect("creates");
        let written = record_batch(&batch, &arrow_schema(&schema)).expect("arrays");
        let properties = WriterProperties::builder()
            .set_compression(Codec::ZSTD(ZstdLevel::default()))
            .set_created_by("moretta".to_owned())
            .build();
        let mut expected = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut expected, written.schema(), Some(properties))
            .expect("a writer");
        for start in (0..rows).step_by(100_000) {
            let len = 100_000.min(rows - start);
            sink.write(&batch.slice(start, len)).expect("writes");
            writer.write(&written.slice(start, len)).expect("writes");
        }
        sink.close().expect("closes");
        writer.close().expect("closes");
        assert!(std::fs::read(&path).expect("reads") == expected);
    }

    #[test]
    fn the_schema_beside_the_rows_tells_names_and_types_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.parquet");
        write_plain(&path, &sample_arrays());
        let file = std::fs::File::open(&path).expect("opens");
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::default());
        let metadata = metadata.expect("a footer");
        let pairs = metadata.metadata().file_metadata().key_value_metadata();
        let keys: Vec<&str> = pairs
            .into_iter()
            .flatten()
            .map(|p| p.key.as_str())
            .collect();
        assert_eq!(keys, ["ARROW:schema"]);
        let schema = metadata.schema();
        assert!(schema.metadata().is_empty());
        for (field, (name, array)) in schema.fields().iter().zip(sample_arrays()) {
            assert_eq!(field.name(), name);
            assert_eq!(field.data_type(), array.data_type());
            assert!(field.metadata().is_empty(), "{name}");
        }
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
            check_round_trip("a.parquet", &text, &plans, true);
        }

        #[test]
        fn damaged_files_are_read_or_refused(at in 4usize..1000, with in any::<u8>(), cut in 0usize..1000) {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("a.parquet");
            write_plain(&path, &sample_arrays());
            let mut bytes = std::fs::read(&path).expect("reads");
            let at = at % bytes.len();
            bytes[at] = with;
            let plans: Vec<_> = sample_arrays().iter().map(|(n, _)| plan(n, Role::Plain, ReadAs::Infer)).collect();
            std::fs::write(&path, &bytes).expect("writes");
            let _ = read_all(&path, &ReadOptions::default(), &plans);
            bytes.truncate(cut % bytes.len());
            std::fs::write(&path, &bytes).expect("writes");
            prop_assert!(read_all(&path, &ReadOptions::default(), &plans).is_err());
        }
    }
}
