//! `moretta tune`: a line for the policy comes out, values do not, and nothing is written.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};

const POLICY: &str = r#"version = 1
seed = 3

[source]
path = "readings.csv"

[columns]
a = { role = "quasi" }
b = { role = "quasi" }
class = { role = "class" }

[guarantee]
k = 2

[[protect]]
method = "mondrian"

[sink]
path = "out.csv"
"#;

fn projection() -> String {
    POLICY
        .replace("[guarantee]\nk = 2\n", "")
        .replace("mondrian", "random-projection")
}

/// A folder with a policy and 300 rows whose class is told by `a`.
fn folder(policy: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut table = "a,b,class\n".to_owned();
    for row in 0..300 {
        let (a, b) = (7_000_000 + row * 37 % 101, 7_000_000 + row * 53 % 97);
        let _ = writeln!(table, "{a},{b},{}", u32::from(a < 7_000_050));
    }
    std::fs::write(folder.path().join("readings.csv"), table).expect("written");
    std::fs::write(folder.path().join("policy.toml"), policy).expect("written");
    folder
}

fn tune(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_moretta"))
        .current_dir(folder)
        .args(["tune", "policy.toml"])
        .args(arguments)
        .output()
        .expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_line_for_the_policy_makes_a_run_that_keeps_the_goal() {
    let folder = folder(POLICY);
    let output = tune(folder.path(), &["--vary", "k=2..100", "--goal", "gcp=0.2"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    assert!(!stdout.contains("7000"), "{stdout}");
    let (_, line) = stdout.split_once("[guarantee]\n").expect("a line");
    let files = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(files, 2, "nothing is written");
    let k: u32 = line
        .trim()
        .rsplit(' ')
        .next()
        .and_then(|k| k.parse().ok())
        .expect("k = …");
    for (k, code) in [(k, 0), (k + 1, 6)] {
        let policy = POLICY.replace("k = 2", &format!("k = {k}"));
        let policy = policy.replace("[sink]", "[measure]\nfail_above = { gcp = 0.2 }\n[sink]");
        std::fs::write(folder.path().join("policy.toml"), policy).expect("written");
        let run = Command::new(env!("CARGO_BIN_EXE_moretta"))
            .current_dir(folder.path())
            .args(["run", "policy.toml", "--force"])
            .output()
            .expect("the program starts");
        assert_eq!(run.status.code(), Some(code), "k = {k}");
    }
}

#[test]
fn json_tells_every_value_that_was_tried() {
    let folder = folder(&projection());
    let arguments = [
        "--json",
        "--vary",
        "sigma=0.001..10",
        "--goal",
        "accuracy_loss=0.1",
        "--steps",
        "5",
        "--bisections",
        "3",
    ];
    let output = tune(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let tried = json["tried"].as_array().expect("a list");
    assert_eq!((tried.len(), &json["section"]), (8, &"[[protect]]".into()));
    let caution = json["caution"].as_str().expect("a caution");
    assert!(caution.contains("--seed") && json["draws"] == 1);
    let best = json["best"].as_f64().expect("a value");
    for one in tried {
        let lost = one["measures"][0]["value"].as_f64().expect("a number");
        assert_eq!(one["meets"], lost <= 0.1);
        assert!(one["meets"] == false || one["value"].as_f64() <= Some(best));
    }
}

#[test]
fn no_value_that_meets_is_exit_code_6_with_the_nearest() {
    let folder = folder(&projection());
    let arguments = ["--vary", "sigma=5..10", "--goal", "accuracy_loss=0.01"];
    let output = tune(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(6));
    assert!(text(&output.stdout).contains("missed"));
    let told = text(&output.stderr);
    assert!(told.contains("each figure is of one draw"), "{told}");
    let mean = tune(folder.path(), &[&arguments[..], &["--draws", "2"]].concat());
    assert!(!text(&mean.stderr).contains("one draw"));
    assert!(told.contains("the nearest is sigma ="), "{told}");
}

#[test]
fn mistakes_have_their_exit_codes() {
    let folder = folder(POLICY);
    for (arguments, code, told) in [
        (&["--vary", "k=2..9"][..], 2, "--goal"),
        (&["--vary", "k=9", "--goal", "gcp=0.2"], 2, "sigma=0.01..1"),
        (
            &["--vary", "k=9..2", "--goal", "gcp=0.2"],
            2,
            "the smaller comes first: --vary k=2..9",
        ),
        (
            &["--vary", "k=9..9", "--goal", "gcp=0.2"],
            2,
            "--vary k=9..9: there is nothing between",
        ),
        (
            &["--vary", "k=1..9", "--goal", "gcp=0.2"],
            2,
            "--vary k=1..9: `k`",
        ),
        (
            &["--vary", "z=2..9", "--goal", "gcp=0.2"],
            2,
            "--vary z: `z` of mondrian cannot be varied",
        ),
        (
            &["--vary", "k=2..9", "--goal", "gpc=0.2"],
            2,
            "--goal gpc=0.2: there is no measure `gpc`",
        ),
        (
            &["--vary", "k=2..9", "--goal", "gpc=0.2"],
            2,
            "did you mean `gcp`",
        ),
        (
            &["--vary", "k=2..9", "--goal", "gcp=0.2", "--prefer", "most"],
            2,
            "high",
        ),
    ] {
        let output = tune(folder.path(), arguments);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{stderr}");
        assert!(stderr.contains(told), "{arguments:?}\n{stderr}");
        assert!(!stderr.contains("policy.toml:"), "{arguments:?}\n{stderr}");
    }
}
