//! `moretta attack`: counts and errors come out, values do not, and nothing is written.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};

const POLICY: &str = r#"version = 1
seed = 3

[source]
path = "readings.csv"

[columns]
a = { role = "quasi", type = "number" }
b = { role = "quasi", type = "number" }
c = { role = "quasi", type = "number" }
class = { role = "class" }

[[protect]]
method = "random-projection"
noise = "none"

[sink]
path = "out.csv"
"#;

/// A folder with a policy and so many rows that no two are alike.
fn folder(policy: &str, rows: u64) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut table = "a,b,c,class\n".to_owned();
    for row in 1..=rows {
        let cell = |factor: u64| 70_000_000 + row * factor % 9_973;
        let (a, b, c) = (cell(7_919), cell(104_729), cell(1_299_709));
        let _ = writeln!(table, "{a},{b},{c},{}", row % 2);
    }
    std::fs::write(folder.path().join("readings.csv"), table).expect("written");
    std::fs::write(folder.path().join("policy.toml"), policy).expect("written");
    folder
}

fn attack(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_moretta"))
        .current_dir(folder)
        .args(["attack", "policy.toml", "--attacks", "20"])
        .args(arguments)
        .output()
        .expect("the program starts")
}

#[test]
fn as_many_known_records_as_features_tell_the_others_and_no_value_is_shown() {
    let folder = folder(POLICY, 60);
    let arguments = ["--known", "3", "--accuracy", "0.8", "--json"];
    let output = attack(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let attacks = json["attacks"].as_array().expect("a list");
    let known = attacks
        .iter()
        .find(|one| one["attack"] == "known matrix")
        .expect("tried");
    assert_eq!(known["breach"], 1.0);
    // 0.2² + 1²
    let magnitude = known["magnitude"].as_f64().expect("a number");
    assert!((magnitude - 1.04).abs() < 1e-12);
    assert!(!text.contains("7000"), "{text}");
    assert_eq!(
        std::fs::read_dir(folder.path()).expect("a folder").count(),
        2
    );
}

#[test]
fn the_same_seeds_give_the_same_counts() {
    let policy = POLICY.replace("noise = \"none\"", "noise = \"cumulative\"\nsigma = 0.01");
    let folder = folder(&policy, 60);
    let breaches = || {
        let output = attack(folder.path(), &["--known", "2"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            text.contains("A-RPCN-1") && text.contains("marginal"),
            "{text}"
        );
        let lines = text.lines().skip_while(|line| !line.starts_with("median"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let first = breaches();
    assert!(first.len() > 6 && first == breaches());
}

#[test]
fn what_cannot_be_attacked_is_told() {
    let noise = POLICY.replace("random-projection", "noise");
    let noise = noise.replace("noise = \"none\"", "");
    let measured = POLICY.replace("[sink]", "[measure]\nreport = [\"sse\"]\n[sink]");
    for (policy, rows, command, code, told) in [
        (noise.as_str(), 60, "attack", 3, "only random projections"),
        (POLICY, 3, "attack", 4, "complete records"),
        (
            measured.as_str(),
            60,
            "run",
            3,
            "compares values with their originals",
        ),
    ] {
        let folder = folder(policy, rows);
        let output = Command::new(env!("CARGO_BIN_EXE_moretta"))
            .current_dir(folder.path())
            .args([command, "policy.toml"])
            .output()
            .expect("the program starts");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(text.contains(told), "{text}");
    }
}
