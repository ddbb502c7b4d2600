//! `moretta learn` tells, draws and writes, and shows no cell.

mod support;

use std::path::Path;
use std::process::{Command, Output};
use support::{CANARY, CANARY_NUMBER, PROGRAM};

const POLICY: &str = r#"version = 1
seed = 5
[source]
path = "rows.csv"
[columns]
name = { role = "identifier" }
x = { role = "quasi" }
colour = { role = "quasi" }
kind = { role = "class" }
[[protect]]
method = "noise"
amount = 1.0
[sink]
path = "out.csv"
"#;

/// Names, colours and classes bear the mark; the class is told by the number.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rows = "name,x,colour,kind\n".to_owned();
    for n in 0..400 {
        let x = n * 37 % 101;
        let kind = if x < 50 { "a" } else { "b" };
        rows += &format!(
            "{CANARY}-{n},{}{CANARY_NUMBER},{CANARY}-{},{CANARY}-{kind}\n",
            x + 1,
            n % 3
        );
    }
    std::fs::write(folder.path().join("rows.csv"), rows).expect("written");
    std::fs::write(folder.path().join("policy.toml"), POLICY).expect("written");
    folder
}

fn learn(folder: &Path, arguments: &[&str]) -> Output {
    let output = Command::new(PROGRAM)
        .current_dir(folder)
        .arg("learn")
        .args(arguments)
        .output()
        .expect("the program runs");
    for shown in [&output.stdout, &output.stderr] {
        let shown = String::from_utf8_lossy(shown);
        assert!(
            !shown.contains(CANARY) && !shown.contains(CANARY_NUMBER),
            "{shown}"
        );
    }
    output
}

#[test]
fn both_sides_are_told_drawn_and_written_without_a_cell() {
    let folder = folder();
    let arguments = [
        "policy.toml",
        "--learner",
        "knn,nb",
        "--output",
        "page.html",
    ];
    let output = learn(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stdout);
    for (learner, side) in [
        ("knn", "original"),
        ("knn", "protected"),
        ("nb", "protected"),
    ] {
        let told = |line: &str| line.starts_with(learner) && line.contains(side);
        assert!(text.lines().any(told), "{learner} {side}\n{text}");
    }
    let page = std::fs::read_to_string(folder.path().join("page.html")).expect("a page");
    assert!(page.contains("<svg") && !page.contains(CANARY) && !page.contains(CANARY_NUMBER));
    assert!(
        !folder.path().join("out.csv").exists(),
        "nothing is released"
    );
    assert_eq!(
        learn(folder.path(), &arguments).status.code(),
        Some(2),
        "the page is there"
    );
}

#[test]
fn learning_from_noise_loses_accuracy_and_json_tells_how_much() {
    let folder = folder();
    let output = learn(folder.path(), &["policy.toml", "--learner", "nb", "--json"]);
    let studies: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let accuracy = |place: usize| {
        let learned = &studies[0]["learners"][place];
        learned["whole"]["accuracy"].as_f64().expect("a number")
    };
    assert!(
        accuracy(0) > 0.9 && accuracy(0) > accuracy(1) + 0.05,
        "{studies}"
    );
    assert_eq!(studies[0]["learners"][1]["side"], "protected");
    assert_eq!(studies[0]["records"], 400);
}

#[test]
fn schedules_files_and_what_is_wrong_with_a_call() {
    let folder = folder();
    let check = |arguments: &[&str], code: i32, told: &str| {
        let output = learn(folder.path(), arguments);
        let shown = [output.stdout, output.stderr].concat();
        let shown = String::from_utf8_lossy(&shown);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{shown}");
        assert!(shown.contains(told), "{arguments:?}\n{shown}");
    };
    let file = ["rows.csv", "--class", "kind"];
    check(&[&file[..], &["--chunks", "50"]].concat(), 0, "400 records");
    check(
        &[&file[..], &["--hold-out", "10", "90"]].concat(),
        0,
        "400 records",
    );
    check(&["rows.csv"], 2, "--class");
    check(
        &[&file[..], &["--compare", "protected"]].concat(),
        2,
        "policy",
    );
    check(&[&file[..], &["--learner", "oracle"]].concat(), 2, "arf");
    check(&["policy.toml", "--class", "size"], 2, "`size`");
    check(&["policy.toml", "--fading", "2"], 2, "fading");
}
