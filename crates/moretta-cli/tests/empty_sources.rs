//! Sources without rows get one answer from every command, and too few rows are no empty release.

mod support;

use support::{Folder, HEADER, Table, policy_with};

const GUARANTEE: &str = "[guarantee]\nk = 5\n\n[[protect]]\nmethod = \"mondrian\"\n";

/// The policy with other methods, and a class to learn.
fn policy(protect: &str) -> String {
    let text = policy_with(GUARANTEE, &format!("{protect}\n"));
    let text = text.replace(
        "cost      = { role = \"plain\" }",
        "cost = { role = \"class\" }",
    );
    text.replace("{ role = \"subject\" }", "{ role = \"identifier\" }")
}

const MASKS: &[&str] = &[
    "[[protect]]\nmethod = \"noise\"",
    "[[protect]]\nmethod = \"noise\"\nbuffer = 20",
    "[[protect]]\nmethod = \"pram\"\ncolumns = [\"sex\"]",
    "[[protect]]\nmethod = \"microaggregation\"\nk = 3",
];

const COMMANDS: &[&[&str]] = &[
    &["run", "policy.toml"],
    &["plan", "policy.toml"],
    &["attack", "policy.toml"],
    &["learn", "policy.toml", "--learner", "nb"],
    &[
        "compare",
        "admissions.csv",
        "admissions.csv",
        "--policy",
        "policy.toml",
    ],
];

/// How a command ends where there is a header alone, and what it says.
fn header_alone(policy: &str) -> (i32, &'static str) {
    if policy.contains("[guarantee]") {
        (1, "0 rows; k=5 needs at least 5 persons")
    } else if policy.contains("k = 3") {
        (1, "0 rows; k=3 needs at least 3 persons")
    } else {
        (4, "a header, and no rows")
    }
}

/// What is in the source, how every command ends, and what it says.
fn sources(policy: &str) -> [(Option<String>, i32, &'static str); 3] {
    let (code, message) = header_alone(policy);
    [
        (Some(HEADER.join(",") + "\n"), code, message),
        (Some(String::new()), 4, "admissions.csv: no header, no rows"),
        (None, 5, "cannot read admissions.csv: no such file"),
    ]
}

fn check(policy: &str, command: &[&str]) {
    for (source, code, message) in sources(policy) {
        let folder = Folder::new().policy(policy);
        let folder = match source {
            Some(text) => folder.data(text),
            None => folder,
        };
        let ran = folder.moretta(command);
        assert_eq!(
            ran.code,
            Some(code),
            "{command:?} {policy}\n{}{}",
            ran.stdout,
            ran.stderr
        );
        ran.fails(code, message);
    }
}

#[test]
fn every_command_says_the_same_of_a_source_without_rows() {
    let classes = policy(GUARANTEE);
    for policy in MASKS.iter().map(|mask| policy(mask)).chain([classes]) {
        for command in COMMANDS {
            check(&policy, command);
        }
    }
}

#[test]
fn a_search_says_it_too() {
    let text = policy("[evolve]\ncolumns = [\"sex\", \"zip\"]\ngenerations = 2\n");
    check(&text, &["evolve", "policy.toml"]);
}

#[test]
fn so_does_verify_of_a_release() {
    let micro = policy(MASKS[3]);
    for text in [policy(GUARANTEE), micro] {
        let folder = Folder::new().policy(&text);
        let folder = folder.file("release.csv", "age,sex,zip,admission,diagnosis,cost\n");
        let verify = ["verify", "release.csv", "--policy", "policy.toml"];
        let (code, message) = header_alone(&text);
        folder.moretta(&verify).fails(code, message);
        let folder = folder.file("release.csv", "");
        folder
            .moretta(&verify)
            .fails(4, "release.csv: no header, no rows");
        let verify = ["verify", "gone.csv", "--policy", "policy.toml"];
        folder.moretta(&verify).fails(5, "cannot read gone.csv");
    }
}

#[test]
fn a_method_that_would_release_none_of_few_rows_writes_nothing() {
    for (method, rows, code, message) in [
        ("noise\"", 1, 4, "1 rows; noise needs at least 2"),
        (
            "noise\"\nbuffer = 20",
            1,
            4,
            "1 rows; noise needs at least 2",
        ),
        (
            "rank-swapping\"",
            1,
            4,
            "1 rows; rank-swapping needs at least 2",
        ),
        (
            "resampling\"\ncolumns = [\"age\"]",
            1,
            4,
            "1 rows; resampling needs at least 2",
        ),
        (
            "shuffling\"\ncolumns = [\"age\"]",
            9,
            4,
            "9 rows; shuffling needs at least 10",
        ),
        (
            "shuffling\"\ncolumns = [\"age\"]\nbuffer = 12",
            9,
            4,
            "9 rows; shuffling needs at least 10",
        ),
        (
            "microaggregation\"\nk = 3",
            2,
            1,
            "2 rows; k=3 needs at least 3 persons",
        ),
        (
            "microaggregation\"\nk = 3\nbuffer = 12",
            2,
            1,
            "2 rows; k=3 needs at least 3 persons",
        ),
    ] {
        let text = policy(&format!("[[protect]]\nmethod = \"{method}\n"));
        let folder = Folder::with_table(&Table::of(rows)).policy(&text);
        let ran = folder.run();
        assert_eq!(
            ran.code,
            Some(code),
            "{method} {}{}",
            ran.stdout,
            ran.stderr
        );
        ran.fails(code, message);
        assert!(ran.stderr.contains("help: "), "{}", ran.stderr);
    }
}
