//! The examples for library users: each short enough to read at once, each run.

use std::path::Path;
use std::process::Command;

/// Each example, and how what it prints begins.
const EXAMPLES: &[(&str, &[&str])] = &[
    (
        "table",
        &["60 rows", "k-anonymity: promised", "distinct l-diversity"],
    ),
    (
        "stream",
        &["minute 0: 0 rows", "at the end:", "k-anonymity"],
    ),
    ("own_method", &["k = 5"]),
    ("own_measure", &["[(\"largest change\", Some("]),
    (
        "own_sink",
        &["100 numbers are public", "100 rows were released"],
    ),
    ("cancel", &["cancelled after"]),
];

#[test]
fn every_example_does_what_it_says() {
    let test = std::env::current_exe().expect("this test");
    let folder = test.ancestors().nth(2).expect("the profile's folder");
    for (name, expected) in EXAMPLES {
        let program = folder
            .join("examples")
            .join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        let ran = Command::new(&program).output();
        let ran = ran.unwrap_or_else(|e| panic!("{name}: {e}; `cargo test` builds it"));
        let text = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success(), "{name}: {text}");
        for begin in *expected {
            let found = text.lines().any(|line| line.starts_with(begin));
            assert!(found, "{name} lacks {begin}:\n{text}");
        }
    }
}

#[test]
fn examples_are_short_and_none_is_forgotten() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut found = 0;
    for entry in std::fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("an example").path();
        let text = std::fs::read_to_string(&path).expect("a text");
        assert!(text.lines().count() < 60, "{} is long", path.display());
        let stem = path.file_stem().expect("a name");
        assert!(EXAMPLES.iter().any(|(name, _)| stem == *name));
        found += 1;
    }
    assert_eq!(found, EXAMPLES.len());
}
