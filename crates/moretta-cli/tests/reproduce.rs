//! What a report says of its run: the command that makes the release again, the day, the purpose.

mod support;

use std::process::Stdio;
use support::{Folder, replaced};

const POLICY: &str = r#"version = 1
[source]
path = "admissions.csv"
[columns]
age  = { role = "quasi" }
ward = { role = "plain" }
[guarantee]
k = 5
[[protect]]
method = "mondrian"
[sink]
path = "out/release.csv"
[report]
path = "out/report.html"
"#;

fn rows() -> String {
    let row = |i: usize| format!("{},{}\n", 20 + i % 50, ["east", "west"][i % 2]);
    let rows: String = (0..200).map(row).collect();
    format!("age,ward\n{rows}")
}

/// What a user copies from the page into a shell.
fn pasted(folder: &Folder, command: &str, input: Option<&str>) -> bool {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_moretta"));
    let places = std::env::var("PATH").unwrap_or_default();
    let place = program.parent().expect("a folder").display();
    let mut shell = folder.command("sh");
    shell.env("PATH", format!("{place}:{places}"));
    if let Some(name) = input {
        let file = std::fs::File::open(folder.path(name)).expect("the table");
        shell.stdin(Stdio::from(file));
    }
    let output = shell.args(["-c", command]).output();
    output.expect("a shell").status.success()
}

#[test]
fn quiet_leaves_progress_and_hints_out_and_warnings_in() {
    let bill = |i: usize| format!("{},{}.{:02}\n", 20 + i % 50, 100 + i, i % 100);
    let rows: String = (0..200).map(bill).collect();
    let policy = replaced(
        POLICY,
        "ward = { role = \"plain\" }",
        "bill = { role = \"plain\" }",
    );
    let folder = Folder::new()
        .policy(&policy)
        .data(format!("age,bill\n{rows}"));
    let quiet = folder.moretta(&["run", "policy.toml", "--quiet"]);
    quiet.succeeds().says("single rows out").says("`bill`");
    let lines = quiet.stderr.lines();
    assert!(
        lines.clone().all(|line| line.starts_with("warning: ")),
        "{}",
        quiet.stderr
    );
}

#[test]
fn the_command_of_a_report_makes_the_same_files_again() {
    for arguments in [
        &["run", "policy.toml"][..],
        &["run", "policy.toml", "--strict"],
        &["run", "the policy's copy.toml", "--root", "."],
    ] {
        let folder = Folder::new().policy(POLICY).data(rows());
        let folder = folder.file("the policy's copy.toml", POLICY);
        folder.moretta(arguments).succeeds();
        let made = ["out/release.csv", "out/report.html", "out/report.json"];
        let before = made.map(|name| folder.text(name));
        let report = folder.report();
        let command = report["command"].as_str().expect("a command");
        assert!(pasted(&folder, command, None), "{command}");
        assert_eq!(made.map(|name| folder.text(name)), before, "{command}");
    }
}

/// The command is not told to replace what is not there.
#[test]
fn nothing_is_forced_where_nothing_is_written() {
    let policy = replaced(POLICY, "\"out/release.csv\"", "\"-\"");
    let policy = replaced(&policy, "[report]\npath = \"out/report.html\"\n", "");
    let folder = Folder::new().policy(&policy).data(rows());
    let mut program = folder.command(env!("CARGO_BIN_EXE_moretta"));
    let output = program.args(["run", "policy.toml", "--json"]).output();
    let told = String::from_utf8(output.expect("a run").stderr).expect("a report");
    assert!(
        told.contains("\"command\": \"moretta run policy.toml\""),
        "{told}"
    );
}

#[test]
fn rows_from_standard_input_are_asked_for_again() {
    let policy = replaced(POLICY, "\"admissions.csv\"", "\"-\"");
    let folder = Folder::new().policy(&policy).data(rows());
    assert!(pasted(
        &folder,
        "moretta run policy.toml",
        Some("admissions.csv")
    ));
    let (release, report) = (folder.text("out/release.csv"), folder.report());
    let command = report["command"].as_str().expect("a command");
    assert!(
        pasted(&folder, command, Some("admissions.csv")),
        "{command}"
    );
    assert_eq!(folder.text("out/release.csv"), release);
    let page = folder.text("out/report.html");
    assert!(page.contains("Rows came from standard input and must come again."));
}

#[test]
fn a_report_tells_its_day_and_its_purpose() {
    let purpose = "Bed days by age, for the <ethics> board";
    let policy = format!("{POLICY}purpose = \"{purpose}\"\n");
    let folder = Folder::new().policy(&policy).data(rows());
    folder.run().succeeds();
    let report = folder.report();
    assert_eq!(report["date"], "2024-03-01");
    assert_eq!(report["purpose"], purpose);
    let page = folder.text("out/report.html");
    assert!(page.contains("2024-03-01"));
    assert!(page.contains("Purpose: Bed days by age, for the &lt;ethics&gt; board"));
    let folder = Folder::new().policy(POLICY).data(rows());
    folder.run().succeeds();
    assert!(folder.report()["purpose"].is_null());
    assert!(!folder.text("out/report.html").contains("Purpose"));
}
