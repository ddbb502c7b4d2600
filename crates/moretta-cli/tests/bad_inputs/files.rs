//! 1 to 22: files and text.

use crate::support::{
    CANARY, Folder, HEADER, Table, policy_with, replaced, write_arrow, write_arrow_stream,
    write_parquet,
};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// [`POLICY`] that reads another file.
fn reading(name: &str) -> String {
    policy_with("\"admissions.csv\"", &format!("{name:?}"))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(bytes).expect("packed");
    packer.finish().expect("packed")
}

#[test]
fn case_01_a_missing_file() {
    Folder::new()
        .run()
        .fails(5, "cannot read admissions.csv: no such file");
}

#[test]
fn case_02_a_directory_instead_of_a_file() {
    Folder::new()
        .file("admissions.csv/inner", "")
        .run()
        .fails(5, "cannot read admissions.csv: it is a directory");
}

#[test]
fn case_03_an_empty_file() {
    for bytes in ["", "\n\n", "\u{feff}"] {
        Folder::new()
            .data(bytes)
            .run()
            .fails(4, "admissions.csv: no header, no rows");
    }
}

#[test]
fn case_04_a_header_only() {
    let folder = Folder::with_table(&Table::of(0));
    folder
        .run()
        .fails(1, "0 rows; k=5 needs at least 5 persons");
    let folder = folder.policy(&policy_with("\"mondrian\"", "\"generalization\""));
    folder
        .run()
        .fails(1, "0 rows; k=5 needs at least 5 persons");
}

#[test]
fn case_05_a_row_with_too_few_fields() {
    let short = |line: &str| line.rsplit_once(',').expect("a delimiter").0.to_owned();
    Folder::new()
        .data(Table::of(30).csv_with_line(18, short))
        .run()
        .fails(4, "admissions.csv: line 18: 7 fields, header has 8");
}

#[test]
fn case_06_a_header_with_a_trailing_delimiter() {
    Folder::new()
        .data(Table::of(30).csv_with_line(1, |line| format!("{line},")))
        .run()
        .fails(4, "header names 9 columns, last is empty; rows have 8");
}

#[test]
fn case_07_a_duplicate_column_name() {
    Folder::new()
        .data(Table::of(30).csv_with_line(1, |line| line.replace("sex", "age")))
        .run()
        .fails(4, "admissions.csv: columns 3 and 4 have the same name");
}

#[test]
fn case_08_invalid_utf_8() {
    let lines = Table::of(30).lines();
    let offset = lines[..2].iter().map(|line| line.len() + 1).sum::<usize>() + 40;
    let mut bytes = Table::of(30).csv().into_bytes();
    bytes[offset] = 0xe9;
    let folder = Folder::new().data(bytes);
    folder
        .run()
        .fails(4, "line 3: byte 41 of the line is not UTF-8")
        .says("try encoding = 'latin-1'");
    let latin = policy_with(
        "\"admissions.csv\"",
        "\"admissions.csv\"\nencoding = \"latin-1\"",
    );
    folder
        .policy(&replaced(
            &latin,
            "admission = { role = \"quasi\" }",
            "admission = { role = \"plain\" }",
        ))
        .run()
        .succeeds();
}

#[test]
fn case_09_a_byte_order_mark_is_taken_off_and_utf_16_is_named() {
    let text = Table::of(30).csv();
    Folder::new()
        .data(format!("\u{feff}{text}"))
        .run()
        .succeeds();
    let little =
        |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let big = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_be_bytes).collect() };
    let marked = format!("\u{feff}{text}");
    for bytes in [little(&text), little(&marked), big(&text), big(&marked)] {
        Folder::new()
            .data(bytes)
            .run()
            .fails(4, "admissions.csv: the text is UTF-16, not UTF-8");
    }
}

#[test]
fn case_10_a_field_over_the_limit() {
    let long = CANARY.repeat((1 << 20) / CANARY.len() + 1);
    for cell in [long.clone(), format!("\"{long}\"")] {
        Folder::with_table(&Table::of(30).with(9, "zip", &cell))
            .run()
            .fails(4, "line 9: column `zip`: field over 1 MiB");
    }
}

#[test]
fn case_11_a_gzip_bomb() {
    let table = Table::of(30).csv();
    let bomb = gzip(&[table.as_bytes(), &vec![b'\n'; 64 << 20]].concat());
    assert!(bomb.len() < 1 << 20);
    let limited = "\"admissions.csv.gz\"\nlimits = { unpacked_bytes = 1048576 }";
    let folder = Folder::new()
        .file("admissions.csv.gz", bomb)
        .policy(&policy_with("\"admissions.csv\"", limited));
    folder
        .moretta_within(1 << 20, &["run", "policy.toml"])
        .fails(4, "admissions.csv.gz: unpacked size over 1 MiB limit");
    folder
        .file("admissions.csv.gz", gzip(table.as_bytes()))
        .run()
        .succeeds();
}

#[test]
fn case_12_too_many_columns() {
    let mut header = String::new();
    for column in 0..5_000_000 {
        header.push_str(&format!("{column:x},"));
    }
    header.push_str("last\n");
    Folder::new()
        .data(header)
        .run()
        .fails(4, "5,000,001 columns; the limit is 10,000");
    let limited = "\"admissions.csv\"\nlimits = { columns = 7 }";
    Folder::with_table(&Table::of(30))
        .policy(&policy_with("\"admissions.csv\"", limited))
        .run()
        .fails(4, "8 columns; the limit is 7");
}

#[test]
fn case_13_an_unterminated_quote() {
    Folder::new()
        .data(Table::of(30).csv_with_line(12, |line| format!("\"{line}")))
        .run()
        .fails(
            4,
            "line 12: column `name`: the quote opened on this line is never closed",
        );
}

#[test]
fn case_14_a_nul_byte() {
    Folder::with_table(&Table::of(30).with(7, "zip", &format!("{CANARY}\0")))
        .run()
        .fails(4, "line 7: column `zip`: there is a NUL byte in the text");
}

#[test]
fn case_15_the_wrong_delimiter() {
    for (delimiter, shown) in [(";", "';'"), ("\t", "a tab"), ("|", "'|'")] {
        Folder::new()
            .data(Table::of(30).csv().replace(',', delimiter))
            .run()
            .fails(4, &format!("one column found; did you mean {shown}?"))
            .says("set `delimiter` under [source]");
    }
}

#[test]
fn case_16_carriage_returns_and_mixed_line_ends_are_accepted_and_noted() {
    let table = Table::of(30);
    let mixed: String = table
        .lines()
        .iter()
        .zip(["\n", "\r\n", "\r"].iter().cycle())
        .map(|(line, end)| format!("{line}{end}"))
        .collect();
    let plain = Folder::with_table(&table);
    plain.run().succeeds();
    assert_eq!(
        plain.report()["warnings"]
            .as_array()
            .map(|warnings| warnings
                .iter()
                .any(|warning| warning.to_string().contains("lines end"))),
        Some(false)
    );
    for (text, note) in [
        (table.csv().replace('\n', "\r"), "the lines end with CR"),
        (mixed, "the lines end in different ways: CR, LF and CR LF"),
    ] {
        let folder = Folder::new().data(text);
        folder.run().succeeds().warns(note);
        assert_eq!(
            folder.text("out/release.csv"),
            plain.text("out/release.csv")
        );
    }
    let windows = Folder::new().data(table.csv().replace('\n', "\r\n"));
    assert!(!windows.run().succeeds().stderr.contains("lines end"));
}

#[test]
fn case_17_truncated_typed_files() {
    let table = Table::of(30);
    for (name, bytes, what) in [
        (
            "a.parquet",
            write_parquet(&table),
            "not a complete Parquet file",
        ),
        ("a.arrow", write_arrow(&table), "not a complete Arrow file"),
        (
            "a.arrows",
            write_arrow_stream(&table),
            "not a complete Arrow stream",
        ),
    ] {
        let whole = Folder::new().file(name, &bytes).policy(&reading(name));
        whole.run().succeeds();
        for part in [1, 3, 5, 7] {
            let cut = bytes.len() * part / 8;
            Folder::new()
                .file(name, &bytes[..cut])
                .policy(&reading(name))
                .run()
                .fails(4, &format!("{name}: {what}"));
        }
        Folder::new()
            .file(name, "")
            .policy(&reading(name))
            .run()
            .fails(4, &format!("{name}: {what}"));
    }
}

#[test]
fn case_17_damaged_typed_files_are_read_or_refused_and_never_called_a_bug() {
    let table = Table::of(30);
    for (name, bytes) in [
        ("a.parquet", write_parquet(&table)),
        ("a.arrow", write_arrow(&table)),
        ("a.arrows", write_arrow_stream(&table)),
    ] {
        let mut folder = Folder::new().policy(&reading(name));
        for at in (8..bytes.len()).step_by(bytes.len() / 60) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            folder = folder.file(name, damaged);
            let ran = folder.moretta(&["plan", "policy.toml"]);
            assert!(matches!(ran.code, Some(0 | 3 | 4)), "{at}: {}", ran.stderr);
            assert!(
                !ran.stderr.contains("bug of moretta"),
                "{at}: {}",
                ran.stderr
            );
        }
    }
}

#[test]
fn case_18_a_hostile_parquet_footer_needs_little_memory() {
    // Lists of 2^31 - 1 elements: the schema, the row groups, the key-value pairs.
    let footers: [&[u8]; 4] = [
        &[0x15, 0x02, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00],
        &[0x15, 0x02, 0x29, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00],
        &[0x15, 0x02, 0x39, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00],
        &[0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0x00, 0x00, 0x00],
    ];
    for footer in footers {
        let length = (footer.len() as u32).to_le_bytes();
        let bytes = [b"PAR1".as_slice(), footer, &length, b"PAR1"].concat();
        Folder::new()
            .file("a.parquet", bytes)
            .policy(&reading("a.parquet"))
            .moretta_within(512 << 10, &["run", "policy.toml"])
            .fails(4, "a.parquet: not a complete Parquet file");
    }
}

#[test]
fn case_19_parquet_that_is_encrypted_or_packed_with_an_unknown_codec() {
    let mut bytes = write_parquet(&Table::of(30));
    // In the footer the codec follows the name of the column: 0 is none, 2 * 3 is LZO.
    let name = b"\x19\x18\x03zip\x15\x00";
    let codec = bytes
        .windows(name.len())
        .position(|window| window == name)
        .expect("the column of the footer")
        + name.len()
        - 1;
    for (value, what) in [
        (
            2 * 3,
            "a.parquet: the Parquet file is packed with LZO, which is not supported",
        ),
        (
            2 * 20,
            "a.parquet: the Parquet file is packed with an unknown codec",
        ),
    ] {
        bytes[codec] = value;
        Folder::new()
            .file("a.parquet", &bytes)
            .policy(&reading("a.parquet"))
            .run()
            .fails(4, what);
    }
    let end = bytes.len() - 4;
    bytes[end..].copy_from_slice(b"PARE");
    Folder::new()
        .file("a.parquet", &bytes)
        .policy(&reading("a.parquet"))
        .run()
        .fails(4, "a.parquet: the Parquet file is encrypted");
}

/// The table as JSON lines, with the cell of one column given as JSON.
fn json_lines(table: &Table, line: usize, column: &str, json: &str) -> String {
    let mut text = String::new();
    for (i, row) in table.rows.iter().enumerate() {
        let cells = HEADER.iter().zip(row).map(|(name, cell)| {
            if i + 1 == line && *name == column {
                format!("{name:?}:{json}")
            } else {
                format!("{name:?}:{cell:?}")
            }
        });
        text.push_str(&format!("{{{}}}\n", cells.collect::<Vec<_>>().join(",")));
    }
    text
}

#[test]
fn case_20_json_lines_with_an_array_or_a_nested_object() {
    let good = json_lines(&Table::of(30), 0, "", "");
    for (text, what) in [
        (format!("[{:?}]\n{good}", CANARY), "a.jsonl: line 1"),
        (
            format!("[{}]", good.lines().collect::<Vec<_>>().join(",")),
            "a.jsonl: line 1",
        ),
        (
            json_lines(
                &Table::of(30),
                4,
                "zip",
                &format!("{{\"code\":{CANARY:?}}}"),
            ),
            "a.jsonl: line 4: column `zip`",
        ),
        (
            json_lines(
                &Table::of(30),
                1,
                "zip",
                &format!("{{\"code\":{CANARY:?}}}"),
            ),
            "a.jsonl: line 1: column `zip",
        ),
    ] {
        Folder::new()
            .file("a.jsonl", text)
            .policy(&reading("a.jsonl"))
            .run()
            .fails(4, what);
    }
    Folder::new()
        .file("a.jsonl", good)
        .policy(&reading("a.jsonl"))
        .run()
        .succeeds();
}

#[test]
fn case_21_an_undeclared_nominal_value_in_arff() {
    let arff = |table: &Table| {
        let attributes: String = HEADER
            .iter()
            .map(|name| match *name {
                "sex" => "@attribute sex {f,m}\n".to_owned(),
                "age" | "cost" => format!("@attribute {name} numeric\n"),
                _ => format!("@attribute {name} string\n"),
            })
            .collect();
        let rows: Vec<String> = table.lines().split_off(1);
        format!(
            "@relation admissions\n{attributes}@data\n{}\n",
            rows.join("\n")
        )
    };
    let folder = Folder::new().policy(&reading("a.arff"));
    let folder = folder.file("a.arff", arff(&Table::of(30).with(7, "sex", CANARY)));
    folder.run().fails(
        4,
        "a.arff: line 16: column `sex`: not among the values that the attribute declares",
    );
    folder.file("a.arff", arff(&Table::of(30))).run().succeeds();
}

#[test]
fn case_22_a_file_that_changes_while_it_is_read() {
    let folder = Folder::with_table(&Table::of(300_000));
    let file = std::fs::File::options()
        .append(true)
        .open(folder.path("admissions.csv"))
        .expect("the table");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // The clock of the file goes on by a second each time, so that no change is too small.
            let mut time = SystemTime::now();
            while !done.load(Ordering::Relaxed) {
                time += Duration::from_secs(1);
                file.set_modified(time).expect("touched");
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        let ran = folder.run();
        done.store(true, Ordering::Relaxed);
        ran.fails(4, "admissions.csv: the file changed while it was read");
    });
}
