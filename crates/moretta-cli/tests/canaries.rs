//! Ten thousand marked cells that must not leave the table, whatever the format of the release.
//!
//! Every row has marks of its own in a dropped identifier, a key or an identifier
//! that becomes a pseudonym, the subject, a key and a quasi-identifier that is text
//! of digits. Rows that are suppressed have marks in every column. All files that a
//! run leaves are searched: as they are, unpacked, and page by page.

mod support;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, RecordBatch, StringArray};
use arrow_ipc::writer::FileWriter;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::collections::HashSet;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use support::{CANARY, CANARY_NUMBER, Folder};

const ROWS: usize = 10_000;

/// Bytes of a mark.
const LENGTH: usize = 12;

const RELEASES: [&str; 6] = [
    "release.csv",
    "release.csv.gz",
    "release.jsonl",
    "release.parquet",
    "release.arrow",
    "release.arrows",
];

/// Marks differ in every row and column; those that start with a digit are digits throughout.
fn mark(column: char, row: usize) -> String {
    let family = if column.is_ascii_digit() {
        "1827"
    } else {
        "7f3a"
    };
    let mark = format!("{column}{family}{:07}", row * 7_919 % 10_000_019);
    assert_eq!(mark.len(), LENGTH);
    mark
}

/// All marks that were planted.
struct Marks(HashSet<Vec<u8>>);

impl Marks {
    fn of<'a>(columns: impl IntoIterator<Item = &'a char>, rows: usize) -> Self {
        let marks = columns
            .into_iter()
            .flat_map(|&column| (0..rows).map(move |row| mark(column, row).into_bytes()));
        Marks(marks.collect())
    }

    fn count(&self, bytes: &[u8]) -> usize {
        bytes
            .windows(LENGTH)
            .filter(|window| self.0.contains(*window))
            .count()
    }

    /// No file but the inputs holds a mark, nor does what was printed.
    fn are_gone(&self, folder: &Folder, printed: &[&str], inputs: &[&str]) {
        for text in printed {
            assert_eq!(self.count(text.as_bytes()), 0, "printed");
        }
        for (path, bytes) in folder.files() {
            let is_input = inputs.iter().any(|name| folder.path(name) == path);
            let (Some(bytes), false) = (bytes, is_input) else {
                continue;
            };
            for part in parts(&path, bytes) {
                assert_eq!(self.count(&part), 0, "{}", path.display());
            }
        }
    }
}

/// The bytes of a file as they are, and what is packed in them.
fn parts(path: &Path, bytes: Vec<u8>) -> Vec<Vec<u8>> {
    let mut parts = Vec::new();
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("gz") => {
            let mut text = Vec::new();
            let mut reader = flate2::read::MultiGzDecoder::new(&bytes[..]);
            reader.read_to_end(&mut text).expect("gzip");
            parts.push(text);
        }
        Some("parquet") => parts.extend(pages(path)),
        _ => {}
    }
    parts.push(bytes);
    parts
}

/// The unpacked pages of a Parquet file, dictionaries among them; statistics stand in the file as they are.
fn pages(path: &Path) -> Vec<Vec<u8>> {
    let file = std::fs::File::open(path).expect("a file");
    let reader = SerializedFileReader::new(file).expect("Parquet");
    let mut pages = Vec::new();
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).expect("a row group");
        for column in 0..group.num_columns() {
            let column = group.get_column_page_reader(column).expect("a column");
            pages.extend(column.map(|page| page.expect("a page").buffer().to_vec()));
        }
    }
    assert!(!pages.is_empty());
    pages
}

const POLICY: &str = r#"version = 1

[source]
path = "table.csv"

[columns]
name      = { role = "identifier" }
record    = { role = "key", action = "pseudonym", key = "file:key" }
patient   = { role = "subject" }
visit     = { role = "key" }
zip       = { role = "quasi", type = "category", hierarchy = { mask = "right" } }
sex       = { role = "quasi" }
diagnosis = { role = "sensitive" }
note      = { role = "plain" }

[guarantee]
k = 5

[[protect]]
method = "mondrian"

[sink]
path = "out/release.csv"

[report]
path = "out/report.html"
"#;

const KEY: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

#[test]
fn marks_of_persons_never_appear_in_a_release() {
    let columns = ['n', 'r', 'p', 'v', '9'];
    let mut table = String::from("name,record,patient,visit,zip,sex,diagnosis,note\n");
    for row in 0..ROWS {
        let marks = columns.map(|column| mark(column, row)).join(",");
        let (sex, diagnosis) = (["f", "m"][row % 2], ["asthma", "burn", "cold"][row % 3]);
        table.push_str(&format!("{marks},{sex},{diagnosis},kept {}\n", row % 50));
    }
    let marks = Marks::of(&columns, ROWS);
    assert_eq!(marks.0.len(), columns.len() * ROWS);
    assert_eq!(
        marks.count(table.as_bytes()),
        columns.len() * ROWS,
        "the search finds them"
    );
    // An identifier that becomes a pseudonym tells the persons, so there is no other subject.
    let identifying = POLICY
        .replace(
            "record    = { role = \"key\"",
            "record    = { role = \"identifier\"",
        )
        .replace(
            "patient   = { role = \"subject\"",
            "patient   = { role = \"identifier\"",
        );
    let policies = RELEASES.map(|name| (name, POLICY));
    for (name, policy) in policies
        .into_iter()
        .chain([(RELEASES[0], identifying.as_str())])
    {
        let folder = Folder::new()
            .policy(&policy.replace("release.csv", name))
            .file("key", KEY)
            .file("table.csv", &table);
        for arguments in [
            &["run", "policy.toml"][..],
            &["run", "policy.toml", "--force", "--json"],
        ] {
            let ran = folder.moretta(arguments);
            assert_eq!(ran.code, Some(0), "{name}: {}", ran.stderr);
            assert!(folder.path("out").join(name).exists());
            marks.are_gone(&folder, &[&ran.stdout, &ran.stderr], &["table.csv"]);
        }
        let report = folder.report();
        assert_eq!(report["rows"]["released"], ROWS, "{name}");
    }
}

/// A policy under which rows with a rare sex are suppressed.
fn suppressing(source: &str, release: &str) -> String {
    format!(
        "version = 1\n[source]\npath = \"{source}\"\n\
         [columns]\nsex = {{ role = \"quasi\" }}\n\
         diagnosis = {{ role = \"sensitive\" }}\n\
         note = {{ role = \"plain\" }}\n\
         [guarantee]\nk = 5\n\
         [[protect]]\nmethod = \"generalization\"\nsuppress = 0.01\n\
         [sink]\npath = \"out/{release}\"\n[report]\npath = \"out/report.html\"\n"
    )
}

/// Rows of sex, diagnosis and note; the first four differ from all others in everything.
fn rows_with_outliers() -> Vec<[String; 3]> {
    (0..ROWS)
        .map(|row| match row < 4 {
            true => ['s', 'd', 't'].map(|column| mark(column, row)),
            false => [
                ["f", "m"][row % 2].to_owned(),
                ["asthma", "burn"][row % 2].to_owned(),
                format!("kept {}", row % 50),
            ],
        })
        .collect()
}

fn as_csv(rows: &[[String; 3]]) -> Vec<u8> {
    let rows: Vec<String> = rows.iter().map(|row| row.join(",")).collect();
    format!("sex,diagnosis,note\n{}\n", rows.join("\n")).into_bytes()
}

/// Arrow with a dictionary for every column, so that the values of suppressed rows stand in it.
fn as_arrow(rows: &[[String; 3]], dictionaries: bool) -> Vec<u8> {
    let columns = ["sex", "diagnosis", "note"]
        .iter()
        .enumerate()
        .map(|(i, name)| {
            let cells = rows.iter().map(|row| row[i].as_str());
            let array: ArrayRef = match dictionaries {
                true => Arc::new(cells.collect::<DictionaryArray<Int32Type>>()),
                false => Arc::new(cells.map(Some).collect::<StringArray>()),
            };
            (*name, array)
        });
    let batch = RecordBatch::try_from_iter(columns).expect("columns of one length");
    let mut writer = FileWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
    writer.write(&batch).expect("written");
    writer.into_inner().expect("closed")
}

#[test]
fn marks_of_suppressed_rows_never_appear_in_a_release() {
    let rows = rows_with_outliers();
    let marks = Marks::of(&['s', 'd', 't'], 4);
    for (source, bytes) in [
        ("table.csv", as_csv(&rows)),
        ("table.arrow", as_arrow(&rows, false)),
        ("dictionaries.arrow", as_arrow(&rows, true)),
    ] {
        assert_eq!(marks.count(&bytes), 12, "the search finds them");
        for name in RELEASES {
            let folder = Folder::new()
                .policy(&suppressing(source, name))
                .file(source, &bytes);
            let ran = folder.run();
            assert_eq!(ran.code, Some(0), "{source} to {name}: {}", ran.stderr);
            assert_eq!(folder.report()["rows"]["released"], ROWS - 4);
            marks.are_gone(&folder, &[&ran.stdout, &ran.stderr], &[source]);
        }
    }
}

#[test]
fn marks_never_appear_in_what_the_other_commands_print() {
    let columns = ['n', 'r', 'p', 'v', '9'];
    let mut table = String::from("name,record,patient,visit,zip,sex,diagnosis,note\n");
    for row in 0..ROWS {
        let marks = columns.map(|column| mark(column, row)).join(",");
        table.push_str(&format!("{marks},f,asthma,kept\n"));
    }
    let marks = Marks::of(&columns, ROWS);
    let folder = Folder::new()
        .policy(POLICY)
        .file("key", KEY)
        .file("table.csv", &table);
    for (arguments, code) in [
        (&["check", "policy.toml"][..], 0),
        (&["plan", "policy.toml"], 0),
        (&["plan", "policy.toml", "--json"], 0),
        (&["init", "table.csv", "--output", "guess.toml"], 0),
        (&["verify", "table.csv", "--policy", "policy.toml"], 1),
        (
            &[
                "compare",
                "table.csv",
                "table.csv",
                "--policy",
                "policy.toml",
            ],
            0,
        ),
    ] {
        let ran = folder.moretta(arguments);
        assert_eq!(ran.code, Some(code), "{arguments:?}: {}", ran.stderr);
        marks.are_gone(&folder, &[&ran.stdout, &ran.stderr], &["table.csv"]);
    }
}

/// Three outliers with one diagnosis are suppressed; the report must not tell it by a difference.
#[test]
fn what_suppressed_persons_had_is_no_difference_in_the_report() {
    let policy = r#"version = 1
[source]
path = "admissions.csv"
[columns]
sex = { role = "quasi" }
age = { role = "quasi" }
diagnosis = { role = "sensitive" }
[guarantee]
k = 5
[[protect]]
method = "generalization"
suppress = 0.05
[sink]
path = "release.csv"
[report]
path = "report.json"
"#;
    let row = |i: usize| {
        let (sex, diagnosis) = (["f", "m"][i % 2], ["flu", "cold", "rare"][i / 2 % 3]);
        format!("{sex},{},{diagnosis}\n", 20 + i / 6 % 4 * 10)
    };
    let crowd: String = (0..288).map(row).collect();
    let outliers = "f,101,rare\nm,102,rare\nx,50,rare\n";
    let folder = Folder::new()
        .policy(policy)
        .data(format!("sex,age,diagnosis\n{crowd}{outliers}"));
    let ran = folder.moretta(&["run", "policy.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let report: serde_json::Value =
        serde_json::from_str(&folder.text("report.json")).expect("a report");
    let columns = report["columns"].as_array().expect("columns");
    let bins = columns
        .iter()
        .flat_map(|column| column["histogram"]["bins"].as_array().expect("bins"));
    let mut seen = 0;
    for bin in bins {
        assert_eq!(bin["before"], bin["after"], "{bin}");
        assert!(bin["label"] != "x" && bin["label"] != "100 to 105", "{bin}");
        seen += 1;
    }
    assert!(seen >= 2 + 3 + 4, "{seen}");
}

/// Data where a policy is expected: no line of it may be shown to say what is wrong.
#[test]
fn data_in_the_place_of_a_policy_is_not_quoted() {
    let cells = format!("{CANARY},{CANARY_NUMBER}");
    let tables = [
        format!("name,age\n{cells}\n"),
        format!("{cells}\n"),
        format!("{CANARY} = {CANARY_NUMBER}\n"),
        format!("\"{CANARY}\" = \"{CANARY_NUMBER}\"\n\"{CANARY}\" = 1\n"),
        format!("[{CANARY}]\n{CANARY}\n"),
        format!("{{\"version\": \"{CANARY}\"}}\n"),
        format!("version={CANARY} age={CANARY_NUMBER}\n"),
    ];
    let calls: [&[&str]; 9] = [
        &["run", "data.toml"],
        &["check", "data.toml"],
        &["plan", "data.toml"],
        &["attack", "data.toml"],
        &["learn", "data.toml", "--class", "age"],
        &["tune", "data.toml", "--vary", "k=2..5", "--goal", "gcp=0.3"],
        &["verify", "other.csv", "--policy", "data.toml"],
        &["attack", "data.toml", "--json"],
        &["check", "bytes.toml"],
    ];
    for table in &tables {
        let folder = Folder::new()
            .file("data.toml", table)
            .file("bytes.toml", [table.as_bytes(), b"\xff\xfe"].concat())
            .file("other.csv", "age\n1\n");
        for call in calls {
            // Whatever is printed is searched for the marks.
            let ran = folder.moretta(call);
            ran.fails(3, ".toml: this file is no policy");
            ran.says("moretta init DATA");
        }
    }
}
