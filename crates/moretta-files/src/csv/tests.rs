//! CSV as a whole: bad inputs, any block size, and round trips.

use super::super::test_data::{column_text, csv_batches, plan, read_csv};
use super::super::{Encoding, Limits, ReadAs, ReadOptions, WriteOptions, create, open};
use moretta_data::data::{Kind, Role};
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The error that reading `text` with all columns quasi and inferred gives.
#[track_caller]
fn error(text: &[u8], options: &ReadOptions) -> moretta_data::Error {
    read_csv(text, options, &[]).expect_err("an error")
}

#[track_caller]
fn check(text: &[u8], expected: &str) {
    let error = error(text, &ReadOptions::default());
    assert_eq!(error.to_string(), expected);
    assert_eq!(error.exit_code(), 4);
}

#[test]
fn faults_of_the_structure_are_named_with_their_line() {
    check(b"", "-: no header, no rows");
    check(b"\n\r\n", "-: no header, no rows");
    check(b"a,b\n1,2\n3\n", "-: line 3: 1 fields, header has 2");
    check(b"a,b\n1,2,3\n", "-: line 2: 3 fields, header has 2");
    check(
        b"a,b,\n1,2\n",
        "-: line 1: header names 3 columns, last is empty; rows have 2",
    );
    check(b"a,,b\n1,2,3\n", "-: column 2 has no name");
    check(b"a,b,a\n1,2,3\n", "-: columns 1 and 3 have the same name");
    check(
        b"a,b\n1,2\n3,\"x\n",
        "-: line 3: column `b`: the quote opened on this line is never closed",
    );
    check(
        b"a,b\n\"1\n\n\",2\n3,x\0\n",
        "-: line 5: column `b`: there is a NUL byte in the text",
    );
    check(
        b"a,b\n1,\"2\"x\n",
        "-: line 2: column `b`: there is text after a closing quote",
    );
    check(b"a;b\n1;2\n", "-: one column found; did you mean ';'?");
    check(b"a\tb\n1\t2\n", "-: one column found; did you mean a tab?");
    check(
        b"a,b\n1,2\n3,\xfcx\n",
        "-: line 3: byte 3 of the line is not UTF-8",
    );
    check(b"\xfcx,b\n", "-: line 1: byte 1 of the line is not UTF-8");
    check(b"\xff\xfea\0", "-: the text is UTF-16, not UTF-8");
    check(b"a\0,\0", "-: the text is UTF-16, not UTF-8");
}

#[test]
fn limits_are_held() {
    let options = ReadOptions {
        limits: Limits {
            field_bytes: 8,
            columns: 3,
            categories: 2,
            ..Limits::default()
        },
        ..ReadOptions::default()
    };
    for (text, expected) in [
        (
            &b"a,b\n1,2\n1,123456789\n"[..],
            "-: line 3: column `b`: field over 8 bytes",
        ),
        (
            b"a,b\n1,2\n1,\"1234567\n9\"\n",
            "-: line 3: column `b`: field over 8 bytes",
        ),
        (b"a,b,c,d\n", "-: 4 columns; the limit is 3"),
        (
            b"a,b\nx,1\ny,1\nz,1\n",
            "-: column `a`: more than 2 distinct values",
        ),
    ] {
        let error = error(text, &options);
        assert_eq!(error.to_string(), expected);
        assert_eq!(error.exit_code(), 4);
    }
    let endless = [b"a,b\n".as_slice(), &[b'x'; 10_000]].concat();
    let message = error(&endless, &options).to_string();
    assert_eq!(message, "-: line 2: column `a`: field over 8 bytes");
}

#[test]
fn values_that_do_not_fit_are_counted_over_the_batch() {
    for (read, cells, expected) in [
        (
            ReadAs::Integer,
            "1\nx\n2.5\n3\n",
            "line 3: column `v`: 2 of 4 rows are not numbers; first line 3",
        ),
        (
            ReadAs::Number,
            "1\nNaN\n",
            "line 3: column `v`: not a finite number",
        ),
        (
            ReadAs::Number,
            "-Infinity\n",
            "line 2: column `v`: not a finite number",
        ),
        (
            ReadAs::Number,
            "1e400\n",
            "line 2: column `v`: not a finite number",
        ),
        (
            ReadAs::Integer,
            "9223372036854775808\n",
            "line 2: column `v`: a whole number beyond 64 bits",
        ),
        (
            ReadAs::Number,
            "9007199254740993\n",
            "line 2: column `v`: a whole number beyond 2^53 cannot be held exactly",
        ),
        (
            ReadAs::Infer,
            "2026-02-28\n2026-02-30\n",
            "line 3: column `v`: not a date of the form %Y-%m-%d that exists",
        ),
        (
            ReadAs::Infer,
            "2026-02-28\n01.02.2026\n",
            "line 3: column `v`: not a date of the form %Y-%m-%d that exists",
        ),
        (
            ReadAs::Ordered(vec!["lo".into(), "hi".into()]),
            "lo\nmid\n",
            "line 3: column `v`: not among the declared levels",
        ),
    ] {
        let text = format!("v,w\n{}", cells.replace('\n', ",\n"));
        let plans = [
            plan("v", Role::Quasi, read),
            plan("w", Role::Plain, ReadAs::Infer),
        ];
        let error = read_csv(text.as_bytes(), &ReadOptions::default(), &plans).expect_err(expected);
        assert_eq!(error.to_string(), format!("-: {expected}"));
        assert_eq!(error.exit_code(), 4);
        assert!(error.help_text().is_some());
    }
}

#[test]
fn a_missing_person_is_an_error() {
    let plans = [
        plan("who", Role::Subject, ReadAs::Infer),
        plan("x", Role::Quasi, ReadAs::Infer),
    ];
    let options = ReadOptions {
        missing: vec!["?".into()],
        ..ReadOptions::default()
    };
    let error = read_csv(b"who,x\n7,1\n,2\n?,3\n", &options, &plans).expect_err("no person");
    assert_eq!(
        error.to_string(),
        "-: line 3: column `who`: 2 of 3 rows have no person; first line 3"
    );
}

#[test]
fn line_ends_of_any_kind_and_empty_lines_are_accepted() {
    for text in [
        "a,b\n1,x\n2,y\n",
        "a,b\r\n1,x\r\n\r\n2,y",
        "a,b\r1,x\r2,y\r",
        "\u{feff}a,b\r1,x\n\n2,y\r\n",
    ] {
        let batch = read_csv(text.as_bytes(), &ReadOptions::default(), &[]).expect(text);
        assert_eq!(column_text(&batch, 0), ["1", "2"], "{text:?}");
        assert_eq!(column_text(&batch, 1), ["x", "y"], "{text:?}");
    }
    let single = read_csv(b"a\nx\n\ny\n", &ReadOptions::default(), &[]).expect("one column");
    assert_eq!(column_text(&single, 0), ["x", "", "y"]);
    assert_eq!(single.column(0).missing_count(), 1);
}

#[test]
fn missing_cells_are_missing_in_protected_columns_only() {
    let options = ReadOptions {
        missing: vec!["?".into(), "NA".into()],
        ..ReadOptions::default()
    };
    let plans = [
        plan("n", Role::Quasi, ReadAs::Infer),
        plan("c", Role::Sensitive, ReadAs::Infer),
        plan("p", Role::Plain, ReadAs::Infer),
    ];
    let text = b"n,c,p\n1,?,?\n?,x,\n,\"\",NA\n -0.0 ,y,z\n";
    let batch = read_csv(text, &options, &plans).expect("reads");
    assert_eq!(column_text(&batch, 0), ["1", "", "", "0"]);
    assert_eq!(column_text(&batch, 1), ["", "x", "", "y"]);
    assert_eq!(column_text(&batch, 2), ["?", "", "NA", "z"]);
    assert_eq!(batch.column(2).missing_count(), 0);
}

#[test]
fn latin_1_is_read_when_it_is_named() {
    let options = ReadOptions {
        encoding: Encoding::Latin1,
        ..ReadOptions::default()
    };
    let batch = read_csv(b"n\xe4me,b\nM\xfcller,1\n", &options, &[]).expect("latin-1");
    assert_eq!(&*batch.schema().fields()[0].name, "näme");
    assert_eq!(column_text(&batch, 0), ["Müller"]);
}

#[test]
fn columns_can_be_skipped_and_kinds_are_found() {
    let plans = [
        plan("d", Role::Quasi, ReadAs::Infer),
        plan("skipped", Role::Identifier, ReadAs::Skip),
        plan("i", Role::Class, ReadAs::Infer),
        plan("id", Role::Identifier, ReadAs::Infer),
    ];
    let progress = Arc::new(AtomicU64::new(0));
    let options = ReadOptions {
        progress: Some(Arc::clone(&progress)),
        ..ReadOptions::default()
    };
    let text = b"d,skipped,i,id\n2024-01-31,x,3,007\n,y,-4,9223372036854775807\n";
    let batch = read_csv(text, &options, &plans).expect("reads");
    let kinds: Vec<&Kind> = batch.schema().fields().iter().map(|f| &f.kind).collect();
    assert!(matches!(kinds[0], Kind::Date(_)));
    assert_eq!(kinds[1], &Kind::Number { integer: true });
    assert_eq!(column_text(&batch, 2), ["007", "9223372036854775807"]);
    assert_eq!(progress.load(Ordering::Relaxed), 2);
}

#[test]
fn a_header_alone_is_a_table_without_rows() {
    let batch = read_csv(b"a,b", &ReadOptions::default(), &[]).expect("no rows");
    assert_eq!((batch.len(), batch.schema().len()), (0, 2));
}

#[test]
fn formulas_are_guarded_and_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("out.csv");
    let plans = [
        plan("c", Role::Quasi, ReadAs::Category),
        plan("p", Role::Plain, ReadAs::Plain),
    ];
    let text = b"c,p\n=cmd|x,@a\n-5..-1,-5\n=cmd|x,\"=a,b\"\n";
    let batch = read_csv(text, &ReadOptions::default(), &plans).expect("reads");
    let mut sink = create(&path, &WriteOptions::default(), batch.schema()).expect("creates");
    sink.write(&batch).expect("writes");
    sink.close().expect("closes");
    assert_eq!(sink.escaped(), 4);
    let written = std::fs::read_to_string(&path).expect("reads back");
    assert_eq!(written, "c,p\n'=cmd|x,'@a\n-5..-1,-5\n'=cmd|x,\"'=a,b\"\n");
}

#[test]
fn missing_files_and_directories_are_errors_of_the_system() {
    let folder = tempfile::tempdir().expect("a folder");
    for path in [folder.path().join("none.csv"), folder.path().to_owned()] {
        let options = ReadOptions {
            format: Some(super::super::Format::Csv),
            ..ReadOptions::default()
        };
        let error = open(&path, &options, &[]).err().expect("cannot be read");
        assert_eq!(error.exit_code(), 5);
    }
}

/// Cells of all records, one character after the other; `None` when a flaw is met.
fn slow_split(text: &str, delimiter: char) -> Option<Vec<Vec<String>>> {
    let (mut records, mut record, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut closed, mut started) = (false, false, false);
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        if quoted {
            if c != '"' {
                cell.push(c);
            } else if characters.peek() == Some(&'"') {
                characters.next();
                cell.push('"');
            } else {
                (quoted, closed) = (false, true);
            }
        } else if c == delimiter {
            record.push(std::mem::take(&mut cell));
            (closed, started) = (false, true);
        } else if c == '\n' || c == '\r' {
            if c == '\r' && characters.peek() == Some(&'\n') {
                characters.next();
            }
            record.push(std::mem::take(&mut cell));
            let blank = record == [""] && !closed;
            (closed, started) = (false, false);
            records.push((std::mem::take(&mut record), blank));
        } else if closed {
            return None;
        } else if c == '"' && cell.is_empty() {
            quoted = true;
        } else {
            cell.push(c);
        }
    }
    if quoted {
        return None;
    }
    if started || closed || !cell.is_empty() {
        record.push(cell);
        records.push((record, false));
    }
    let columns = records.iter().find(|(_, blank)| !blank)?.0.len();
    let header = records.iter().position(|(_, blank)| !blank)?;
    let kept: Vec<Vec<String>> = records
        .into_iter()
        .skip(header)
        .filter(|(_, blank)| columns == 1 || !blank)
        .map(|(record, _)| record)
        .collect();
    kept.iter().all(|r| r.len() == columns).then_some(kept)
}

proptest! {
    #[test]
    fn cells_are_those_of_the_slow_reader_for_any_block_size(
        body in "([ab\"é\r\n;|]|\"\"|\r\n|;){0,60}",
        columns in 1usize..4,
        block in 1usize..40,
        delimiter in prop::sample::select(vec![b';', b'|']),
    ) {
        let header: Vec<String> = (0..columns).map(|i| format!("c{i}")).collect();
        let text = format!("{}\n{body}", header.join(&char::from(delimiter).to_string()));
        let options = ReadOptions { delimiter: Some(delimiter), ..ReadOptions::default() };
        let plans: Vec<_> = header.iter().map(|n| plan(n, Role::Plain, ReadAs::Plain)).collect();
        let read = csv_batches(text.as_bytes(), &options, &plans, block);
        match slow_split(&text, char::from(delimiter)) {
            None => prop_assert!(read.is_err()),
            Some(records) => {
                let batches = read.expect("the slow reader reads it");
                for column in 0..columns {
                    let expected: Vec<&str> = records[1..].iter().map(|r| r[column].as_str()).collect();
                    prop_assert_eq!(column_text(&batches[0], column), expected);
                }
            }
        }
    }

    #[test]
    fn block_size_does_not_matter(
        rows in prop::collection::vec(("[a-e]{0,2}", -50i32..50, "[x\"\n,]{0,3}"), 0..60),
        block in 1usize..200,
        batch_rows in 1usize..20,
    ) {
        let mut text = "c,n,p\n".to_owned();
        for (c, n, p) in &rows {
            text += &format!("{c},{n},\"{}\"\n", p.replace('"', "\"\""));
        }
        let plans = [
            plan("c", Role::Quasi, ReadAs::Category),
            plan("n", Role::Quasi, ReadAs::Integer),
            plan("p", Role::Plain, ReadAs::Plain),
        ];
        let options = ReadOptions { batch_rows: Some(batch_rows), ..ReadOptions::default() };
        let small = csv_batches(text.as_bytes(), &options, &plans, block).expect("reads");
        let large = csv_batches(text.as_bytes(), &options, &plans, 1 << 20).expect("reads");
        prop_assert_eq!(small.len(), rows.len().div_ceil(batch_rows));
        prop_assert_eq!(format!("{small:?}"), format!("{large:?}"));
        let ids: Vec<u64> = small.iter().flat_map(|b| b.rows().iter().collect::<Vec<_>>()).collect();
        prop_assert_eq!(ids, (0..rows.len() as u64).collect::<Vec<_>>());
    }

    #[test]
    fn errors_do_not_depend_on_the_block_size(
        body in "([1x\n]|,){0,60}",
        block in 1usize..50,
        batch_rows in 1usize..5,
    ) {
        let text = format!("a,b\n{body}");
        let plans = [plan("a", Role::Quasi, ReadAs::Integer), plan("b", Role::Quasi, ReadAs::Integer)];
        let options = ReadOptions { batch_rows: Some(batch_rows), ..ReadOptions::default() };
        let small = csv_batches(text.as_bytes(), &options, &plans, block);
        let large = csv_batches(text.as_bytes(), &options, &plans, 1 << 20);
        prop_assert_eq!(
            small.err().map(|e| e.to_string()),
            large.err().map(|e| e.to_string())
        );
    }

    #[test]
    fn what_is_written_is_read_again(
        rows in prop::collection::vec(
            (prop::option::of("[a-e\"\n\r,;é]{1,3}"), prop::option::of(-1e6f64..1e6), "[x\"\n, =]{0,3}"),
            0..40,
        ),
    ) {
        let (text, plans) = super::super::test_data::table(&rows);
        super::super::test_data::check_round_trip("a.csv", &text, &plans, true);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), block in 1usize..50) {
        let _ = csv_batches(&bytes, &ReadOptions::default(), &[], block);
    }
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let mut text = "c,n,p\n".to_owned();
    for i in 0..5_000 {
        text += &format!("c{},{},\"p\n{}\"\n", i * 7 % 100, i % 13, i % 3);
    }
    let read = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads").install(|| {
            let batches = csv_batches(text.as_bytes(), &ReadOptions::default(), &[], 500);
            format!("{:?}", batches.expect("reads"))
        })
    };
    let one = read(1);
    assert_eq!(one, read(2));
    assert_eq!(one, read(8));
}

#[test]
fn published_tables_are_read_whole() {
    let adult = ReadOptions {
        delimiter: Some(b';'),
        ..ReadOptions::default()
    };
    for (name, options, rows) in [
        ("adult/adult.csv", &adult, 30_162),
        ("adult-uci/adult-uci.csv", &ReadOptions::default(), 32_561),
    ] {
        let Some(path) = super::super::test_data::shared(name) else {
            continue;
        };
        let names = super::super::names(&path, options).expect("a header");
        let plans: Vec<_> = names
            .iter()
            .map(|n| plan(n, Role::Quasi, ReadAs::Infer))
            .collect();
        let mut source = open(&path, options, &plans).expect("opens");
        let batch = source.next().expect("a batch").expect("reads");
        assert_eq!(batch.len(), rows);
        let age = batch.schema().index_of("age").expect("a column");
        assert_eq!(
            batch.schema().fields()[age].kind,
            Kind::Number { integer: true }
        );
        assert!(source.next().is_none());
    }
}

#[test]
fn decimals_may_follow_a_comma() {
    let options = ReadOptions {
        delimiter: Some(b';'),
        decimal_comma: true,
        ..ReadOptions::default()
    };
    let plans = ["a", "b"].map(|name| plan(name, Role::Quasi, ReadAs::Infer));
    let batch = read_csv(b"a;b\n1,5;7\n-0,25;8\n", &options, &plans).expect("reads");
    assert_eq!(
        batch.schema().fields()[0].kind,
        Kind::Number { integer: false }
    );
    assert_eq!(
        batch.schema().fields()[1].kind,
        Kind::Number { integer: true }
    );
    assert_eq!(column_text(&batch, 0), ["1.5", "-0.25"]);
    let numbers = ["a", "b"].map(|name| plan(name, Role::Quasi, ReadAs::Number));
    for bad in ["1.5", "1.000,5", "1,2,3", ","] {
        let text = format!("a;b\n{bad};1\n");
        let error = read_csv(text.as_bytes(), &options, &numbers).expect_err(bad);
        assert!(error.to_string().contains("not a number"), "{error}");
        assert!(!error.to_string().contains(bad), "no cell is shown");
    }
}

#[test]
fn a_first_line_may_tell_the_delimiter() {
    let plans = ["a", "b"].map(|name| plan(name, Role::Quasi, ReadAs::Category));
    for text in [
        "sep=;\na;b\n1;x\n",
        "SEP=;\r\na;b\r\n1;x\r\n",
        "\u{feff}sep=;\na;b\n1;x\n",
        "sep=\t\na\tb\n1\tx\n",
        "sep=,\na,b\n1,x\n",
    ] {
        let batch = read_csv(text.as_bytes(), &ReadOptions::default(), &plans).expect(text);
        assert_eq!(
            (batch.len(), column_text(&batch, 1)),
            (1, vec!["x".to_owned()]),
            "{text}"
        );
    }
    let told = ReadOptions {
        delimiter: Some(b'|'),
        ..ReadOptions::default()
    };
    let batch = read_csv(b"sep=;\na|b\n1|x\n", &told, &plans).expect("the policy decides");
    assert_eq!(column_text(&batch, 1), ["x"]);
    let wrong = read_csv(b"sep=;\na;b\n1;x;3\n", &ReadOptions::default(), &plans);
    let error = wrong.expect_err("three cells");
    assert!(error.to_string().contains("line 3"), "{error}");
}
