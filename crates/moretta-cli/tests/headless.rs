//! A CSV without a header: its first person is released like any other, not as the names
//! of the columns, and no message shows a cell of the first line.

mod support;

use std::process::Stdio;
use support::{CANARY, CANARY_NUMBER, Folder, PROGRAM};

/// 40 persons without a header: name, age, town.
fn persons() -> String {
    let row = |i: usize| match i {
        0 => format!("{CANARY},{CANARY_NUMBER},Pisa\n"),
        _ => format!("n{i},{},{}\n", 20 + i % 3, ["Pisa", "Rome"][i % 2]),
    };
    (0..40).map(row).collect()
}

/// A policy whose columns have these names.
fn policy(header: &str, names: [&str; 3]) -> String {
    format!(
        "version = 1\n[source]\npath = \"persons.csv\"\n{header}\n[columns]\n\
         \"{}\" = {{ role = \"identifier\" }}\n\"{}\" = {{ role = \"quasi\" }}\n\"{}\" = {{ role = \"quasi\" }}\n\
         [guarantee]\nk = 5\n[[protect]]\nmethod = \"mondrian\"\nsuppress = 0.1\n\
         [sink]\npath = \"out/release.csv\"\n[report]\npath = \"out/report.html\"\n",
        names[0], names[1], names[2]
    )
}

const PLACES: [&str; 3] = ["column1", "column2", "column3"];
const ODD: &str = "the first line looks like a row and not like a header";

#[test]
fn init_takes_the_first_line_for_a_row_and_says_so() {
    let folder = Folder::new().file("persons.csv", persons());
    let made = folder.moretta(&["init", "persons.csv", "--output", "first.toml"]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    made.says(ODD).says("wrote header = false");
    let text = folder.text("first.toml");
    assert!(
        text.contains("header = false") && text.contains("column3"),
        "{text}"
    );
    assert!(
        !text.contains(CANARY) && !text.contains(CANARY_NUMBER),
        "{text}"
    );
    let checked = folder.moretta(&["check", "first.toml"]);
    assert_eq!(checked.code, Some(0), "{}", checked.stderr);
    assert!(!checked.stderr.contains(ODD), "{}", checked.stderr);
}

#[test]
fn a_first_row_is_a_row_where_there_is_no_header() {
    let folder = Folder::new()
        .file("persons.csv", persons())
        .policy(&policy("header = false", PLACES));
    let ran = folder.moretta(&["run", "policy.toml", "--strict"]);
    ran.succeeds();
    // One of the 40 rows is suppressed, which is told as a bound.
    assert!(
        ran.stdout.contains("released 39 of ≤ 49 rows"),
        "{}",
        ran.stdout
    );
    let release = folder.text("out/release.csv");
    assert!(release.starts_with("column2,column3\n"), "{release}");
}

#[test]
fn a_header_that_looks_like_a_row_is_a_warning_and_refused_when_strict() {
    // The names are cells then; these are nobody's.
    let lines = persons()
        .replace(CANARY, "Anna")
        .replace(CANARY_NUMBER, "21");
    let folder = Folder::new()
        .file("persons.csv", lines)
        .policy(&policy("", ["Anna", "21", "Pisa"]));
    folder.moretta(&["check", "policy.toml"]).says(ODD);
    folder
        .moretta(&["run", "policy.toml", "--strict"])
        .fails(4, ODD)
        .says("header = false");
    folder.run().succeeds().warns(ODD).warns("columns 2, 3");
}

#[test]
fn names_that_are_not_there_do_not_show_the_first_row() {
    for names in [["name", "age", "town"], ["name", "age", "Pisa"]] {
        let folder = Folder::new()
            .file("persons.csv", persons())
            .policy(&policy("", names));
        for command in ["check", "run", "plan"] {
            folder.moretta(&[command, "policy.toml"]).fails(3, ODD);
        }
    }
}

#[test]
fn other_formats_have_names() {
    let folder = Folder::new()
        .file("persons.jsonl", "{\"a\":1}\n")
        .policy(&policy("header = false", PLACES).replace("persons.csv", "persons.jsonl"));
    folder.run().fails(3, "only CSV can be without a header");
}

#[test]
fn a_stream_can_be_without_a_header() {
    let stream = |header: &str, names: [&str; 3]| {
        format!(
            "version = 1\n[source]\npath = \"-\"\n{header}\n[columns]\n\"{}\" = {{ role = \"time\" }}\n\
             \"{}\" = {{ role = \"subject\" }}\n\"{}\" = {{ role = \"quasi\" }}\n\
             [[protect]]\nmethod = \"z-anonymity\"\nz = 2\nwindow = \"1h\"\n[sink]\npath = \"-\"\n",
            names[0], names[1], names[2]
        )
    };
    let rows: String = (0..6)
        .map(|i| format!("{},u{i},page\n", 1000 + i))
        .collect();
    let run = |text: &str, arguments: &[&str]| {
        let folder = Folder::new().policy(text).file("rows.csv", &rows);
        let input = std::fs::File::open(folder.path("rows.csv")).expect("rows");
        let output = folder
            .command(PROGRAM)
            .args(["run", "policy.toml"])
            .args(arguments)
            .stdin(Stdio::from(input))
            .output();
        output.expect("the program starts")
    };
    let ran = run(&stream("header = false", PLACES), &["--strict"]);
    let text = String::from_utf8(ran.stdout).expect("text");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    assert!(text.starts_with("column1,"), "{text}");
    assert_eq!(
        text.lines().count(),
        6,
        "five of six rows and the names: {text}"
    );
    let ran = run(&stream("", ["1000", "u0", "page"]), &["--strict"]);
    assert_eq!(ran.status.code(), Some(4));
    assert!(ran.stdout.is_empty(), "nothing is released");
}

#[test]
fn a_hierarchy_of_a_column_that_is_not_there_shows_no_cell() {
    let folder = Folder::new().file("persons.csv", persons());
    let asked = ["hierarchy", "new", "persons.csv", "--column", "zip"];
    let told = folder.moretta(&[&asked[..], &["--output", "zip.csv"]].concat());
    assert_eq!(told.code, Some(2), "{}", told.stderr);
    told.says(ODD).says("--no-header");
    assert!(
        !told.stderr.contains(CANARY) && !told.stderr.contains(CANARY_NUMBER),
        "{}",
        told.stderr
    );
}
