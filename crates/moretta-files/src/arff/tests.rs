//! ARFF as a whole.

use super::super::ReadOptions;
use super::super::test_data::{check_round_trip, column_text, plan, table};
use super::*;
use moretta_data::data::{Batch, Kind, Role};
use proptest::prelude::*;

const HEADER: &str =
    "% a comment\n@relation r\n@attribute age numeric\n@attribute sex {M, F}\n@data\n";

fn read(text: &[u8], block: usize) -> Result<Batch> {
    let options = ReadOptions::default();
    let plans = [
        plan("age", Role::Quasi, ReadAs::Infer),
        plan("sex", Role::Sensitive, ReadAs::Infer),
    ];
    let input = Input::from_bytes(text, &options)?;
    super::open(input, &options, &plans, block)?
        .next()
        .expect("one batch")
}

#[test]
fn rows_follow_their_declaration() {
    let text = format!("{HEADER}\n% none\n34, M\r\n?,'F'\n  5.5 ,?\n");
    let batch = read(text.as_bytes(), 7).expect("reads");
    assert_eq!(column_text(&batch, 0), ["34", "", "5.5"]);
    assert_eq!(column_text(&batch, 1), ["M", "F", ""]);
    assert_eq!(
        batch.schema().fields()[1].kind,
        Kind::Category { ordered: false }
    );
}

#[test]
fn faults_are_named_with_their_line() {
    for (rows, expected) in [
        (
            "1,M\n2,X\n",
            "-: line 7: column `sex`: not among the values that the attribute declares",
        ),
        (
            "1,M\n2\n",
            "-: line 7: 1 values, the header declares 2 attributes",
        ),
        (
            "1,M,3\n",
            "-: line 6: 3 values, the header declares 2 attributes",
        ),
        ("x,M\n", "-: line 6: column `age`: not a number"),
        (
            "{0 1}\n",
            "-: line 6: column `age`: sparse rows are not supported; write all values",
        ),
        (
            "1,'M\n",
            "-: line 6: column `sex`: the quote opened on this line is never closed",
        ),
        ("1,M\0\n", "-: line 6: there is a NUL byte in the text"),
    ] {
        let error = read(format!("{HEADER}{rows}").as_bytes(), 9).expect_err(expected);
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.exit_code(), 4);
    }
    for (text, expected) in [
        ("", "-: no header, no rows"),
        (
            "@relation r\n",
            "-: no @data line: not a complete ARFF file",
        ),
        (
            "@relation r\n@data\n",
            "-: line 2: no @attribute before @data",
        ),
        ("age,sex\n", "-: line 1: not a line of an ARFF header"),
    ] {
        assert_eq!(
            read(text.as_bytes(), 9).expect_err(expected).to_string(),
            expected
        );
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(
        rows in prop::collection::vec(
            (prop::option::of("[a-e\"\n\r,;é\\\\'% ]{1,3}"), prop::option::of(-1e6f64..1e6), "[x\"\n, =?]{1,3}"),
            0..40,
        ),
    ) {
        let (text, plans) = table(&rows);
        check_round_trip("a.arff", &text, &plans, true);
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..100),
        block in 1usize..50,
    ) {
        let _ = read(&bytes, block);
        let _ = read(&[HEADER.as_bytes(), &bytes[..]].concat(), block);
    }
}
