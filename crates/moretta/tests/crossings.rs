//! Every format read, every format written: what is not protected passes without loss.
//!
//! A typed column keeps its type in typed formats and gets the text of the table in
//! `data/plain_text.rs` in text formats; what text formats cannot hold is refused.
//! The files are written and read here by other code than ours.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::*;
use arrow_buffer::OffsetBuffer;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{DataType, Field};
use moretta::io::FORMATS;
use moretta::pipeline::{self, Options, Progress};
use moretta::policy::{Policy, Root};
use moretta::{Error, Result};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

const TYPED: [&str; 3] = ["parquet", "arrow", "arrows"];
const TEXT: [&str; 3] = ["csv", "jsonl", "arff"];
/// Of a graph; its own tests cross it.
const GRAPH: [&str; 1] = ["graphml"];

#[test]
fn every_format_is_crossed() {
    let mut crossed = [&TYPED[..], &TEXT, &GRAPH].concat();
    let mut listed: Vec<&str> = FORMATS.iter().map(|info| info.name).collect();
    crossed.sort_unstable();
    listed.sort_unstable();
    assert_eq!(crossed, listed);
}

/// Three cells of a type, and what they are in JSON lines; in other text formats a
/// string has no quotes and `null` is a missing cell.
struct Case {
    name: &'static str,
    array: ArrayRef,
    tokens: [&'static str; 3],
}

fn case(name: &'static str, array: impl Array + 'static, tokens: [&'static str; 3]) -> Case {
    let array = Arc::new(array);
    Case {
        name,
        array,
        tokens,
    }
}

fn cases() -> Vec<Case> {
    let moments = [Some(1_709_290_800), None, Some(-1)];
    let seconds = TimestampSecondArray::from(moments.to_vec());
    let small = |factor: i64| moments.map(|m| m.map(|m| m * factor + 1)).to_vec();
    let words = ["b", "", "a b"];
    let dictionary: DictionaryArray<Int32Type> = [Some("b"), None, Some("a")].into_iter().collect();
    let numbers = DictionaryArray::new(
        Int32Array::from(vec![Some(1), None, Some(0)]),
        Arc::new(Int64Array::from(vec![7, 8])),
    );
    vec![
        case("null", NullArray::new(3), ["null"; 3]),
        case(
            "flag",
            BooleanArray::from(vec![Some(true), None, Some(false)]),
            ["true", "null", "false"],
        ),
        case(
            "tiny",
            Int8Array::from(vec![Some(-128), None, Some(127)]),
            ["-128", "null", "127"],
        ),
        case("whole", Int32Array::from(vec![1, 2, 3]), ["1", "2", "3"]),
        case(
            "long",
            Int64Array::from(vec![Some(i64::MIN), None, Some(i64::MAX)]),
            ["-9223372036854775808", "null", "9223372036854775807"],
        ),
        case(
            "unsigned",
            UInt64Array::from(vec![Some(u64::MAX), None, Some(0)]),
            ["18446744073709551615", "null", "0"],
        ),
        case(
            "single",
            Float32Array::from(vec![Some(0.1), None, Some(-2.5)]),
            ["0.1", "null", "-2.5"],
        ),
        case(
            "double",
            Float64Array::from(vec![Some(0.1), None, Some(1e300)]),
            ["0.1", "null", "1e300"],
        ),
        case(
            "money",
            Decimal128Array::from(vec![Some(150), None, Some(-25)])
                .with_precision_and_scale(12, 2)
                .expect("fits"),
            ["1.50", "null", "-0.25"],
        ),
        case(
            "wide",
            Decimal256Array::from_iter([Some(arrow_buffer::i256::from(12_345)), None, None])
                .with_precision_and_scale(50, 4)
                .expect("fits"),
            ["1.2345", "null", "null"],
        ),
        case(
            "day",
            Date32Array::from(vec![Some(19_783), None, Some(-1)]),
            [r#""2024-03-01""#, "null", r#""1969-12-31""#],
        ),
        case(
            "day64",
            Date64Array::from(vec![Some(86_400_000), None, Some(0)]),
            [r#""1970-01-02""#, "null", r#""1970-01-01""#],
        ),
        case(
            "clock",
            Time64MicrosecondArray::from(vec![Some(45_000_000_001), None, Some(0)]),
            [r#""12:30:00.000001""#, "null", r#""00:00:00""#],
        ),
        case(
            "second",
            seconds.clone(),
            [
                r#""2024-03-01T11:00:00""#,
                "null",
                r#""1969-12-31T23:59:59""#,
            ],
        ),
        case(
            "milli",
            TimestampMillisecondArray::from(small(1000)),
            [
                r#""2024-03-01T11:00:00.001""#,
                "null",
                r#""1969-12-31T23:59:59.001""#,
            ],
        ),
        case(
            "rome",
            TimestampMicrosecondArray::from(small(1_000_000)).with_timezone("Europe/Rome"),
            [
                r#""2024-03-01T11:00:00.000001Z""#,
                "null",
                r#""1969-12-31T23:59:59.000001Z""#,
            ],
        ),
        case(
            "offset",
            seconds.with_timezone("+02:00"),
            [
                r#""2024-03-01T11:00:00Z""#,
                "null",
                r#""1969-12-31T23:59:59Z""#,
            ],
        ),
        case(
            "nano",
            TimestampNanosecondArray::from(small(1_000_000_000)).with_timezone("UTC"),
            [
                r#""2024-03-01T11:00:00.000000001Z""#,
                "null",
                r#""1969-12-31T23:59:59.000000001Z""#,
            ],
        ),
        case(
            "word",
            StringArray::from_iter_values(words),
            [r#""b""#, r#""""#, r#""a b""#],
        ),
        case(
            "gap",
            StringArray::from(vec![Some("x"), None, Some("-1+2")]),
            [r#""x""#, "null", r#""-1+2""#],
        ),
        case(
            "large",
            LargeStringArray::from_iter_values(words),
            [r#""b""#, r#""""#, r#""a b""#],
        ),
        case(
            "view",
            StringViewArray::from_iter_values(words),
            [r#""b""#, r#""""#, r#""a b""#],
        ),
        case("coded", dictionary, [r#""b""#, "null", r#""a""#]),
        case("numbered", numbers, ["8", "null", "7"]),
    ]
}

/// Columns that text formats cannot hold, and whether Parquet can.
fn textless() -> Vec<(&'static str, ArrayRef, bool)> {
    let list = vec![Some(vec![Some(1), None]), None, Some(vec![])];
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>(list);
    let pair = vec![
        Field::new("a", DataType::Int32, true),
        Field::new("b", DataType::Utf8, true),
    ];
    let parts: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![Some(1), None, Some(3)])),
        Arc::new(StringArray::from(vec![Some("x"), Some("y"), None])),
    ];
    let entries = StructArray::new(
        vec![
            Field::new("keys", DataType::Utf8, false),
            Field::new("values", DataType::Int32, true),
        ]
        .into(),
        vec![
            Arc::new(StringArray::from(vec!["k", "l"])),
            Arc::new(Int32Array::from(vec![Some(1), None])),
        ],
        None,
    );
    let field = Arc::new(Field::new("entries", entries.data_type().clone(), false));
    let map = MapArray::new(
        field,
        OffsetBuffer::from_lengths([1, 0, 1]),
        entries,
        None,
        false,
    );
    let bytes = vec![Some(&b"\xff\0"[..]), None, Some(&b""[..])];
    let fixed = [Some([1u8, 2]), None, Some([3, 4])];
    let fixed = FixedSizeBinaryArray::try_from_sparse_iter_with_size(fixed.into_iter(), 2);
    let interval = arrow_buffer::IntervalMonthDayNano::new(1, 2, 3);
    vec![
        ("binary", Arc::new(BinaryArray::from(bytes)), true),
        ("fixed-size binary", Arc::new(fixed.expect("fits")), true),
        ("list", Arc::new(list), true),
        (
            "struct",
            Arc::new(StructArray::new(pair.into(), parts, None)),
            true,
        ),
        ("map", Arc::new(map), true),
        (
            "duration",
            Arc::new(DurationMillisecondArray::from(vec![
                Some(1),
                None,
                Some(-1),
            ])),
            true,
        ),
        (
            "interval",
            Arc::new(IntervalMonthDayNanoArray::from(vec![
                Some(interval),
                None,
                None,
            ])),
            false,
        ),
    ]
}

fn table(columns: &[(&str, &ArrayRef)]) -> RecordBatch {
    let group: ArrayRef = Arc::new(StringArray::from(vec!["g"; 3]));
    let columns = columns.iter().copied().chain([("g", &group)]);
    RecordBatch::try_from_iter(columns.map(|(name, array)| (name, Arc::clone(array))))
        .expect("columns of three rows")
}

fn write(path: &Path, table: &RecordBatch) {
    let file = File::create(path).expect("creates");
    let schema = table.schema();
    match path.extension().and_then(|e| e.to_str()) {
        Some("parquet") => {
            let mut writer = ArrowWriter::try_new(file, schema, None).expect("a writer");
            writer.write(table).expect("writes");
            writer.close().expect("closes");
        }
        Some("arrow") => {
            let mut writer = FileWriter::try_new(file, &schema).expect("a writer");
            writer.write(table).expect("writes");
            writer.finish().expect("closes");
        }
        _ => {
            let mut writer = StreamWriter::try_new(file, &schema).expect("a writer");
            writer.write(table).expect("writes");
            writer.finish().expect("closes");
        }
    }
}

fn read(path: &Path) -> RecordBatch {
    let file = File::open(path).expect("opens");
    let batch = match path.extension().and_then(|e| e.to_str()) {
        Some("parquet") => ParquetRecordBatchReaderBuilder::try_new(file)
            .expect("a file")
            .build()
            .expect("a reader")
            .next(),
        Some("arrow") => FileReader::try_new(file, None).expect("a file").next(),
        _ => StreamReader::try_new(file, None).expect("a stream").next(),
    };
    batch.expect("a batch").expect("rows")
}

/// Runs a policy that releases all columns of `in.<source>`, in their order.
fn run(folder: &Path, source: &str, sink: &str, columns: &str) -> Result<()> {
    run_with(folder, (source, sink), columns, "method = \"mondrian\"")
}

/// The same, and a stream that releases the same rows, packed or not, which is read back, too.
fn run_both(folder: &Path, source: &str, sink: &str, columns: &str) -> Result<()> {
    let packings: &[&str] = match sink {
        "parquet" => &[""],
        _ => &[".gz", ".zst", ""],
    };
    let out = || std::fs::read(folder.join(format!("out.{sink}"))).ok();
    let table = run(folder, source, sink, columns);
    let expected = out();
    for packing in packings {
        let sink = &format!("{sink}{packing}");
        let method = "method = \"microaggregation\"\nk = 3\nbuffer = 6";
        let stream = run_with(folder, (source, sink), columns, method);
        let told = format!("a stream from {source} to {sink}");
        match &table {
            Ok(()) => stream.unwrap_or_else(|e| panic!("{told}: {e}")),
            Err(_) => assert!(stream.is_err(), "{told}"),
        }
    }
    assert!(out() == expected, "a stream from {source} to {sink}");
    table
}

fn run_with(
    folder: &Path,
    (source, sink): (&str, &str),
    columns: &str,
    method: &str,
) -> Result<()> {
    let place = folder.join("policy.toml");
    let text = format!(
        "version = 1\n[source]\npath = \"in.{source}\"\n[columns]\n{columns}\n\
         g = {{ role = \"quasi\", type = \"category\" }}\n[guarantee]\nk = 3\n[[protect]]\n{method}\n\
         [sink]\npath = \"out.{sink}\"\norder = \"input\"\n"
    );
    std::fs::write(&place, text).expect("written");
    let policy = Policy::load(&place, &Root::of_policy(&place, None)?)?;
    let options = Options {
        command: String::new(),
        date: None,
        force: true,
        strict: false,
        render: &|_| String::new(),
        progress: &Progress::default(),
    };
    pipeline::run(&policy, &options).map(|_| ())
}

fn plain(names: &[&str]) -> String {
    let lines = names
        .iter()
        .map(|name| format!("{name} = {{ role = \"plain\" }}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// A token of JSON as it stands in another text format.
fn cell(token: &str, format: &str) -> String {
    let text = match (token, format) {
        ("null", "csv") => String::new(),
        ("null", _) => "?".to_owned(),
        _ => token.trim_matches('"').to_owned(),
    };
    match format {
        "csv" if text == "-1+2" => format!("'{text}"),
        "arff" if text.is_empty() || text.contains(' ') => format!("'{text}'"),
        _ => text,
    }
}

/// The rows of a text release are these tokens of JSON, row by row.
fn check_text(path: &Path, format: &str, names: &[&str], rows: &[Vec<&str>], told: &str) {
    let text = std::fs::read_to_string(path).expect("a text");
    let lines: Vec<&str> = match format {
        "arff" => text.lines().skip_while(|l| *l != "@data").skip(1).collect(),
        "csv" => text.lines().skip(1).collect(),
        _ => text.lines().collect(),
    };
    let expected = rows.iter().map(|row| match format {
        "jsonl" => {
            let cells = names.iter().zip(row).map(|(n, t)| format!("\"{n}\":{t}"));
            format!("{{{},\"g\":\"g\"}}", cells.collect::<Vec<_>>().join(","))
        }
        _ => {
            let cells = row.iter().map(|token| cell(token, format));
            cells.chain(["g".to_owned()]).collect::<Vec<_>>().join(",")
        }
    });
    assert_eq!(lines, expected.collect::<Vec<_>>(), "{told}");
}

/// The type that is written: views hold values that no row shows.
fn written(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Utf8View => DataType::Utf8,
        other => other.clone(),
    }
}

fn check_typed(found: &RecordBatch, name: &str, array: &ArrayRef, told: &str) {
    let column = found.column_by_name(name).expect(name);
    let expected = arrow_cast::cast(array, &written(array.data_type())).expect("the same values");
    assert_eq!(column.data_type(), expected.data_type(), "{name} {told}");
    assert_eq!(column, &expected, "{name} {told}");
}

#[test]
fn typed_columns_keep_type_and_value_and_have_the_documented_text() {
    let cases = cases();
    let columns: Vec<_> = cases.iter().map(|c| (c.name, &c.array)).collect();
    let names: Vec<_> = cases.iter().map(|c| c.name).collect();
    let rows: Vec<Vec<&str>> = (0..3)
        .map(|row| cases.iter().map(|c| c.tokens[row]).collect())
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    for source in TYPED {
        write(
            &folder.path().join(format!("in.{source}")),
            &table(&columns),
        );
        for sink in TYPED.iter().chain(&TEXT) {
            let told = format!("from {source} to {sink}");
            let out = folder.path().join(format!("out.{sink}"));
            run_both(folder.path(), source, sink, &plain(&names))
                .unwrap_or_else(|e| panic!("{told}: {e}"));
            if TEXT.contains(sink) {
                check_text(&out, sink, &names, &rows, &told);
            } else {
                let found = read(&out);
                for case in &cases {
                    check_typed(&found, case.name, &case.array, &told);
                }
            }
        }
    }
}

#[test]
fn what_text_cannot_hold_passes_in_typed_formats_and_is_refused_in_others() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, array, in_parquet) in textless() {
        for source in TYPED.iter().filter(|s| in_parquet || **s != "parquet") {
            let input = folder.path().join(format!("in.{source}"));
            write(&input, &table(&[("v", &array)]));
            for sink in TYPED.iter().chain(&TEXT) {
                let told = format!("{name} from {source} to {sink}");
                let out = folder.path().join(format!("out.{sink}"));
                let done = run_both(folder.path(), source, sink, &plain(&["v"]));
                if TEXT.contains(sink) || *sink == "parquet" && !in_parquet {
                    refused(done, &told);
                } else {
                    done.unwrap_or_else(|e| panic!("{told}: {e}"));
                    check_typed(&read(&out), "v", &array, &told);
                }
            }
        }
    }
}

#[track_caller]
fn refused(done: Result<()>, told: &str) {
    let error: Error = done.expect_err(told);
    assert_eq!(error.exit_code(), 4, "{told}: {error}");
    assert!(error.to_string().contains("column `v`"), "{told}: {error}");
    let help = error.help_text().unwrap_or_default();
    assert!(help.contains("drop the column"), "{told}: {help}");
}

#[test]
fn columns_of_text_formats_pass_to_the_letter() {
    let names = ["id", "price", "flag", "word"];
    let rows = [
        vec!["9007199254740993", "1.10", "true", r#""a b""#],
        vec!["null", "null", "null", "null"],
        vec!["-7", "0.5", "false", r#""""#],
    ];
    let folder = tempfile::tempdir().expect("a folder");
    for source in TEXT {
        let lines = rows.iter().map(|row| match source {
            "jsonl" => {
                let cells = names.iter().zip(row).map(|(n, t)| format!("\"{n}\":{t}"));
                format!("{{{},\"g\":\"g\"}}\n", cells.collect::<Vec<_>>().join(","))
            }
            _ => {
                let cells: Vec<String> = row.iter().map(|token| cell(token, source)).collect();
                format!("{},g\n", cells.join(","))
            }
        });
        let header = match source {
            "csv" => "id,price,flag,word,g\n",
            "jsonl" => "",
            _ => {
                "@relation r\n@attribute id integer\n@attribute price numeric\n\
                 @attribute flag {true,false}\n@attribute word string\n@attribute g {g}\n@data\n"
            }
        };
        let text = header.to_owned() + &lines.collect::<String>();
        std::fs::write(folder.path().join(format!("in.{source}")), text).expect("written");
        for sink in TYPED.iter().chain(&TEXT) {
            let told = format!("from {source} to {sink}");
            let out = folder.path().join(format!("out.{sink}"));
            run_both(folder.path(), source, sink, &plain(&names))
                .unwrap_or_else(|e| panic!("{told}: {e}"));
            // CSV knows neither types nor missing cells: an empty one is an empty text.
            let as_text = |token: &'static str| match (source, token) {
                ("csv", "null") => r#""""#.to_owned(),
                ("csv" | "arff", token) if token != "null" && !token.starts_with('"') => {
                    format!("\"{token}\"")
                }
                _ => token.to_owned(),
            };
            let expected: Vec<Vec<String>> = rows
                .iter()
                .map(|row| row.iter().map(|t| as_text(t)).collect())
                .collect();
            if TEXT.contains(sink) {
                let tokens: Vec<Vec<&str>> = expected
                    .iter()
                    .map(|row| row.iter().map(String::as_str).collect())
                    .collect();
                check_text(&out, sink, &names, &tokens, &told);
                continue;
            }
            let found = read(&out);
            for (column, name) in names.iter().enumerate() {
                let cells: StringArray = expected
                    .iter()
                    .map(|row| match row[column].as_str() {
                        "null" => None,
                        token => Some(token.trim_matches('"').to_owned()),
                    })
                    .collect();
                let cells: ArrayRef = Arc::new(cells);
                check_typed(&found, name, &cells, &told);
            }
        }
    }
}

#[test]
fn dates_of_any_form_and_missing_times_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "born,seen,g\n01.03.2024,2024-05-01T12:00:00Z,g\n,,g\n31.12.1969,,g\n";
    std::fs::write(folder.path().join("in.csv"), text).expect("written");
    for sink in TYPED.iter().chain(&TEXT) {
        for role in ["sensitive", "class", "plain"] {
            let columns = format!(
                "born = {{ role = \"{role}\", type = \"date\", format = \"%d.%m.%Y\" }}\n\
                 seen = {{ role = \"time\" }}"
            );
            run(folder.path(), "csv", sink, &columns)
                .unwrap_or_else(|e| panic!("{role} to {sink}: {e}"));
            let out = folder.path().join(format!("out.{sink}"));
            if TYPED.contains(sink) {
                let days: ArrayRef =
                    Arc::new(Date32Array::from(vec![Some(19_783), None, Some(-1)]));
                check_typed(&read(&out), "born", &days, sink);
            } else {
                let text = std::fs::read_to_string(&out).expect("a text");
                assert!(
                    text.contains("01.03.2024") && text.contains("31.12.1969"),
                    "{text}"
                );
            }
        }
    }
}

/// Six rows, of which the last is of a class of its own and so is not released. What it shows
/// and what nobody shows are in the dictionaries, which say whether their order means something.
fn sizes(ordered: bool) -> RecordBatch {
    let values = ["small", "nobody", "secret", "medium", "large"];
    let keys = Int8Array::from(vec![Some(4), Some(0), None, Some(3), Some(0), Some(2)]);
    let sizes = DictionaryArray::new(keys, Arc::new(StringArray::from(values.to_vec())));
    let numbers = Arc::new(Int64Array::from(vec![7, 424_242, 8]));
    let numbers = DictionaryArray::new(Int32Array::from(vec![2, 0, 0, 2, 0, 1]), numbers);
    let groups = StringArray::from(vec!["g", "g", "g", "g", "g", "lone"]);
    let field = |name: &str, array: &dyn Array| Field::new(name, array.data_type().clone(), true);
    let fields = vec![
        field("size", &sizes).with_dict_is_ordered(ordered),
        field("number", &numbers),
        field("g", &groups),
    ];
    RecordBatch::try_new(
        Arc::new(arrow_schema::Schema::new(fields)),
        vec![Arc::new(sizes), Arc::new(numbers), Arc::new(groups)],
    )
    .expect("columns of six rows")
}

#[test]
fn dictionaries_stay_dictionaries_and_hold_what_released_rows_show() {
    let folder = tempfile::tempdir().expect("a folder");
    for ordered in [true, false] {
        let table = sizes(ordered);
        for source in TYPED {
            // Parquet holds values in the order of its rows, which must not be told.
            let ordered = ordered && source != "parquet";
            let expected = match ordered {
                true => ["small", "medium", "large"],
                false => ["large", "medium", "small"],
            };
            write(&folder.path().join(format!("in.{source}")), &table);
            for sink in TYPED.iter().chain(&["arff"]) {
                let told = format!("ordered {ordered}, from {source} to {sink}");
                run_with(
                    folder.path(),
                    (source, sink),
                    &plain(&["size", "number"]),
                    "method = \"generalization\"\nsuppress = 0.5",
                )
                .unwrap_or_else(|e| panic!("{told}: {e}"));
                let out = folder.path().join(format!("out.{sink}"));
                let bytes = std::fs::read(&out).expect("reads");
                for hidden in ["nobody", "secret", "424242"] {
                    let mut windows = bytes.windows(hidden.len());
                    assert!(!windows.any(|part| part == hidden.as_bytes()), "{told}");
                }
                let number = 424_242_i64.to_le_bytes();
                assert!(!bytes.windows(8).any(|part| part == number), "{told}");
                if *sink == "arff" {
                    let text = String::from_utf8(bytes).expect("a text");
                    let line = format!("@attribute size {{{}}}", expected.join(","));
                    assert!(text.contains(&line), "{told}: {text}");
                    continue;
                }
                let found = read(&out);
                for name in ["size", "number"] {
                    let original = table.column_by_name(name).expect(name).slice(0, 5);
                    check_typed(&found, name, &original, &told);
                }
                let schema = found.schema();
                let field = schema.field_with_name("size").expect("a column");
                let is_ordered = ordered && *sink != "parquet";
                assert_eq!(field.dict_is_ordered(), Some(is_ordered), "{told}");
                let sizes: &DictionaryArray<Int8Type> = found.column(0).as_dictionary();
                let values: Vec<_> = sizes.values().as_string::<i32>().iter().flatten().collect();
                if *sink != "parquet" {
                    assert_eq!(values, expected, "{told}");
                }
            }
        }
    }
}

/// Rows are written a quarter of a million at a time.
#[test]
fn a_file_of_many_rows_has_one_dictionary() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = 300_000;
    let words: Vec<String> = (0..rows).map(|row| format!("w{}", row / 1000)).collect();
    let words: DictionaryArray<Int32Type> = words.iter().map(String::as_str).collect();
    let groups = StringArray::from(vec!["g"; rows]);
    let columns: [(&str, ArrayRef); 2] = [("word", Arc::new(words)), ("g", Arc::new(groups))];
    let table = RecordBatch::try_from_iter(columns).expect("columns");
    write(&folder.path().join("in.parquet"), &table);
    run(folder.path(), "parquet", "arrow", &plain(&["word"])).expect("released");
    let file = File::open(folder.path().join("out.arrow")).expect("opens");
    let batches = FileReader::try_new(file, None).expect("a file");
    let found: Vec<RecordBatch> = batches.map(|batch| batch.expect("rows")).collect();
    assert_eq!(found.iter().map(RecordBatch::num_rows).sum::<usize>(), rows);
    let words: &DictionaryArray<Int32Type> = found[0].column(0).as_dictionary();
    assert_eq!(words.values().len(), 300);
}

/// As in text formats, where a time of day behind a date is left out.
#[test]
fn moments_are_read_as_their_days() {
    let folder = tempfile::tempdir().expect("a folder");
    let moments = [Some(1_709_290_800), None, Some(-1)];
    let seconds = TimestampSecondArray::from(moments.to_vec());
    let zoned = seconds.clone().with_timezone("+02:00");
    let milliseconds = Date64Array::from(moments.map(|m| m.map(|m| m * 1000)).to_vec());
    let arrays: [ArrayRef; 3] = [Arc::new(seconds), Arc::new(zoned), Arc::new(milliseconds)];
    for array in &arrays {
        for source in TYPED {
            write(
                &folder.path().join(format!("in.{source}")),
                &table(&[("seen", array)]),
            );
            let told = format!("{} from {source}", array.data_type());
            run(
                folder.path(),
                source,
                "csv",
                "seen = { role = \"sensitive\" }",
            )
            .unwrap_or_else(|e| panic!("{told}: {e}"));
            let text = std::fs::read_to_string(folder.path().join("out.csv")).expect("a text");
            assert_eq!(text, "seen,g\n2024-03-01,g\n,g\n1969-12-31,g\n", "{told}");
        }
    }
}

/// The attribute lines of a release of this table, all of whose columns have this role.
fn released_header(role: &str, columns: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "@relation r\n@attribute size {small,secret,large,medium}\n@attribute label {no,yes,unseen}\n\
        @attribute id integer\n@attribute g {g}\n@data\nlarge,yes,1,g\nmedium,no,2,g\nsmall,?,3,g\n";
    std::fs::write(folder.path().join("in.arff"), text).expect("written");
    let columns = columns.replace("ROLE", role);
    run(folder.path(), "arff", "arff", &columns).unwrap_or_else(|e| panic!("{role}: {e}"));
    let text = std::fs::read_to_string(folder.path().join("out.arff")).expect("a text");
    let lines = text.lines().filter(|line| line.starts_with("@attribute"));
    lines.map(str::to_owned).collect()
}

#[test]
fn declared_values_keep_their_order_and_those_of_no_row_are_not_told() {
    for role in ["sensitive", "class", "plain"] {
        let columns =
            "size = { role = \"ROLE\" }\nlabel = { role = \"plain\" }\nid = { role = \"plain\" }";
        let expected = [
            "@attribute size {small,large,medium}",
            "@attribute label {no,yes}",
            "@attribute id integer",
            "@attribute g {g}",
        ];
        assert_eq!(released_header(role, columns), expected, "{role}");
    }
}

#[test]
fn what_is_made_coarser_declares_what_it_shows() {
    let columns =
        "size = { role = \"quasi\" }\nlabel = { role = \"plain\" }\nid = { role = \"plain\" }";
    let header = released_header("quasi", columns);
    assert_eq!(header[0], "@attribute size {'{large|medium|small}'}");
}
