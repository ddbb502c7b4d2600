//! Whole runs compared with what they gave before: policy and table in, release, report and summary out.
//!
//! Each folder below `tests/golden` holds a policy, its data and, in
//! `expected`, what a run writes and prints. A run in a copy must give the same
//! release byte for byte, and the same report but for the program's
//! version and the last digits of numbers. To accept a change, run
//!
//! ```sh
//! MORETTA_REFRESH=1 cargo test -p moretta-cli --test golden
//! ```
//!
//! and read the difference line by line before committing it.

use serde_json::{Number, Value};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What pseudonyms are made with here; whoever reads this file can undo them.
const KEY: &str = "a key for golden tests, not a secret";

#[test]
fn runs_give_what_they_gave_before() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let refresh = std::env::var_os("MORETTA_REFRESH").is_some();
    let cases = folders(&golden);
    assert!(cases.len() >= 7, "only {} golden runs", cases.len());
    let mut differences = Vec::new();
    for case in cases {
        let made = run(&case);
        let expected = case.join("expected");
        if refresh {
            fs::create_dir_all(&expected).expect("a folder for what is expected");
        }
        for (name, text) in made {
            let place = expected.join(&name);
            if refresh {
                fs::write(&place, text).expect("a file to refresh");
            } else if fs::read_to_string(&place).unwrap_or_default() != text {
                differences.push(difference(&place, &text));
            }
        }
    }
    assert!(
        differences.is_empty(),
        "{}\nif this is right, refresh with MORETTA_REFRESH=1",
        differences.join("\n")
    );
}

fn folders(parent: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(parent)
        .expect("the folder of golden runs")
        .map(|entry| entry.expect("a readable entry").path())
        .filter(|path| path.join("policy.toml").exists())
        .collect();
    folders.sort();
    folders
}

/// Runs the policy of a folder in a copy and gives the files it made, by name.
fn run(case: &Path) -> Vec<(String, String)> {
    let copy = tempfile::tempdir().expect("a temporary folder");
    for entry in fs::read_dir(case).expect("a golden run") {
        let path = entry.expect("a readable entry").path();
        if path.is_file() {
            let name = path.file_name().expect("a file has a name");
            fs::copy(&path, copy.path().join(name)).expect("a copy");
        }
    }
    let output = Command::new(env!("CARGO_BIN_EXE_moretta"))
        .args(["run", "policy.toml"])
        .current_dir(copy.path())
        .env("MORETTA_KEY", KEY)
        .env("SOURCE_DATE_EPOCH", "1709251200")
        .output()
        .expect("the program starts");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {told}", case.display());
    let mut made = vec![(
        "printed.txt".to_owned(),
        format!("{told}{}", String::from_utf8_lossy(&output.stdout)),
    )];
    for entry in fs::read_dir(copy.path().join("out")).expect("what the run wrote") {
        let path = entry.expect("a readable entry").path();
        verify(copy.path(), &path);
        let name = path.file_name().expect("a file has a name");
        let name = name.to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("text");
        match name.as_str() {
            // The page is drawn from the report and has tests of its own.
            name if name.ends_with(".html") => {}
            "report.json" => made.push((name, normalised(&text))),
            _ if name.starts_with("report-") => made.push((name, normalised(&text))),
            _ => made.push((name, text)),
        }
    }
    made.sort();
    made
}

/// What a run released passes as a release of its policy, unless that promises nothing.
fn verify(folder: &Path, file: &Path) {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    // One of several levels has its name behind a dash.
    let level = stem.strip_prefix("release-");
    if stem != "release" && level.is_none() {
        return;
    }
    let level = level.map_or_else(Vec::new, |level| vec!["--level", level]);
    let output = Command::new(env!("CARGO_BIN_EXE_moretta"))
        .arg("verify")
        .arg(file)
        .args(["--policy", "policy.toml"])
        .args(level)
        .current_dir(folder)
        .env("MORETTA_KEY", KEY)
        .output()
        .expect("the program starts");
    let told = String::from_utf8_lossy(&output.stderr);
    let promises = !told.contains("promises nothing that could be seen");
    assert!(
        output.status.success() || !promises,
        "{told}{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

/// The report without what differs from run to run, version to version or machine to machine.
fn normalised(report: &str) -> String {
    let mut report: Value = serde_json::from_str(report).expect("a report is JSON");
    report["program"] = "moretta".into();
    assert_eq!(report.get("stages"), None, "seconds differ from run to run");
    round(&mut report);
    let text = serde_json::to_string_pretty(&report).expect("JSON");
    format!("{text}\n")
}

/// Rounds to nine decimals: the last digits of a logarithm are the machine's.
fn round(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let exact = number.as_f64().unwrap_or_default();
            let rounded = Number::from_f64((exact * 1e9).round() / 1e9);
            *number = rounded.expect("a finite number stays finite");
        }
        Value::Array(items) => items.iter_mut().for_each(round),
        Value::Object(fields) => fields.values_mut().for_each(round),
        _ => {}
    }
}

/// The first line that differs.
fn difference(place: &Path, made: &str) -> String {
    let expected = fs::read_to_string(place).unwrap_or_default();
    let line = made
        .lines()
        .zip(expected.lines())
        .take_while(|(a, b)| a == b)
        .count();
    format!(
        "{} differs on line {}\n  expected: {}\n  made:     {}",
        place.display(),
        line + 1,
        expected.lines().nth(line).unwrap_or("(nothing)"),
        made.lines().nth(line).unwrap_or("(nothing)")
    )
}
