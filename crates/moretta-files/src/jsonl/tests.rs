//! JSON lines as a whole.

use super::super::test_data::{check_round_trip, column_text, plan, table};
use super::super::{ReadAs, ReadOptions, WriteOptions, create, open};
use super::*;
use moretta_data::data::{Batch, Kind, Role};
use proptest::prelude::*;

fn read(text: &[u8], plans: &[ColumnPlan], block: usize) -> Result<Batch> {
    let options = ReadOptions::default();
    let input = Input::from_bytes(text, &options)?;
    open_all(super::open(input, &options, plans, block)?)
}

fn open_all(mut source: Box<dyn Source>) -> Result<Batch> {
    source.next().expect("one batch")
}

fn quasi(names: &[&str]) -> Vec<ColumnPlan> {
    names
        .iter()
        .map(|name| plan(name, Role::Quasi, ReadAs::Infer))
        .collect()
}

#[test]
fn faults_are_named_with_their_line() {
    for (text, expected) in [
        ("", "-: no header, no rows"),
        (
            "\n[1]\n",
            "-: line 2: an array ($) where an object is expected",
        ),
        ("7\n", "-: line 1: not a JSON object"),
        ("{}\n", "-: line 1: the first object has no keys"),
        (
            "{\"a\":1}\n\n{\"b\":1}\n",
            "-: line 3: a key that the first object does not have",
        ),
        (
            "{\"a\":1}\n{\"a\":1,\"a\":2}\n",
            "-: line 2: column `a`: the key is given twice",
        ),
        (
            "{\"a\":1,\"a\":2}\n",
            "-: columns 1 and 2 have the same name",
        ),
        (
            "{\"a\":1}\n{\"a\":{\"b\":1}}\n",
            "-: line 2: column `a`: a nested value at $.a, where one value is expected",
        ),
        (
            "{\"a\":1}\n{\"a\":01}\n",
            "-: line 2: not JSON at byte 6 of the line",
        ),
        (
            "{\"a\":1}\n{\"a\":\"\\q\"}\n",
            "-: line 2: column `a`: a string with an escape that does not exist",
        ),
        (
            "{\"a\":1}\n{\"a\":1\n",
            "-: line 2: not JSON at byte 8 of the line",
        ),
        (
            "{\"a\":1}\n{\"a\":\"x\"}\n{\"a\":\"y\"}",
            "-: line 2: column `a`: 2 of 3 rows are not numbers; first line 2",
        ),
    ] {
        let mut plans = quasi(&["a"]);
        plans[0].read = ReadAs::Number;
        let error = read(text.as_bytes(), &plans, 5).expect_err(expected);
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.exit_code(), 4);
    }
}

#[test]
fn values_are_read_by_their_text_and_absent_keys_are_missing() {
    let text = r#"{"n":1,"c":"x\u00e9\n","b":true}
{"b":false,"n":2.5}

{"c":null,"n":null,"b":"y"}"#;
    let batch = read(text.as_bytes(), &quasi(&["n", "c", "b"]), 9).expect("reads");
    assert_eq!(column_text(&batch, 0), ["1", "2.5", ""]);
    assert_eq!(column_text(&batch, 1), ["xé\n", "", ""]);
    assert_eq!(column_text(&batch, 2), ["true", "false", "y"]);
    assert_eq!(batch.column(1).missing_count(), 2);
}

#[test]
fn what_passes_through_comes_out_to_the_letter() {
    let text = r#"{"id":9223372036854775807,"d":1.50,"s":"a\"b","o":{"x":[1,2.0]},"m":null}
{"id":18446744073709551615,"d":-0.0,"s":null,"o":null,"m":"t"}
"#;
    let plans: Vec<_> = ["id", "d", "s", "o", "m"]
        .iter()
        .map(|name| plan(name, Role::Plain, ReadAs::Infer))
        .collect();
    let batch = read(text.as_bytes(), &plans, 30).expect("reads");
    assert_eq!(batch.schema().fields()[2].kind, Kind::Plain(DataType::Utf8));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.jsonl.gz");
    let mut sink = create(&path, &WriteOptions::default(), batch.schema()).expect("creates");
    sink.write(&batch).expect("writes");
    sink.close().expect("closes");
    let again =
        open_all(open(&path, &ReadOptions::default(), &plans).expect("opens")).expect("reads");
    let mut unpacked = String::new();
    let file = std::fs::File::open(&path).expect("there");
    std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(file), &mut unpacked)
        .expect("gzip");
    assert_eq!(unpacked, text);
    assert_eq!(
        column_text(&again, 0),
        ["9223372036854775807", "18446744073709551615"]
    );
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(
        rows in prop::collection::vec(
            (prop::option::of("[a-e\"\n\r,;é\\\\]{1,3}"), prop::option::of(-1e6f64..1e6), "[x\"\n, =]{0,3}"),
            1..40,
        ),
    ) {
        let (text, plans) = table(&rows);
        check_round_trip("a.jsonl", &text, &plans, true);
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..100),
        block in 1usize..50,
    ) {
        let _ = read(&bytes, &quasi(&["a"]), block);
        let _ = read(&[b"{\"a\":1}\n", &bytes[..]].concat(), &quasi(&["a"]), block);
    }
}
