//! `[goal]` and `moretta compare-methods`: what is chosen keeps the limits, nothing else that was
//! tried is better, and nothing is written but what was asked for.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};

const COLUMNS: &str = r#"version = 1
seed = 3

[source]
path = "readings.csv"

[columns]
a = { role = "quasi", hierarchy = { intervals = [10, 50] } }
b = { role = "quasi", hierarchy = { intervals = [10, 50] } }
class = { role = "class" }

[sink]
path = "out.csv"

[report]
path = "report.json"
"#;

fn folder(rest: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut table = "a,b,class\n".to_owned();
    for row in 0..400 {
        let (a, b) = (row * 37 % 101, row * 53 % 97);
        let _ = writeln!(table, "{a},{b},{}", u32::from(a < 50));
    }
    std::fs::write(folder.path().join("readings.csv"), table).expect("written");
    let policy = format!("{COLUMNS}\n{rest}");
    std::fs::write(folder.path().join("policy.toml"), policy).expect("written");
    folder
}

fn moretta(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_moretta"))
        .current_dir(folder)
        .args(arguments)
        .output()
        .expect("the program starts")
}

fn json(output: &Output) -> serde_json::Value {
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    serde_json::from_str(&text).unwrap_or_else(|_| panic!("no JSON: {text}"))
}

fn written(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).expect("a folder");
    let names = names.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

const GOAL: &str = "[goal]\nminimize = \"gcp\"\nsubject_to = { prosecutor_risk = 0.1 }\n";

#[test]
fn the_least_loss_that_keeps_the_limit_is_chosen_and_released() {
    let folder = folder(GOAL);
    let plan = json(&moretta(folder.path(), &["plan", "policy.toml", "--json"]));
    assert_eq!(written(folder.path()), ["policy.toml", "readings.csv"]);
    let found = &plan["goal"];
    let tried = found["tried"].as_array().expect("points");
    let chosen = &tried[found["chosen"].as_u64().expect("a choice") as usize];
    let gcp = |point: &serde_json::Value| point["measures"][0].as_f64();
    let risk = |point: &serde_json::Value| point["measures"][1].as_f64();
    assert!(risk(chosen).is_some_and(|risk| risk <= 0.1));
    for point in tried {
        let keeps = risk(point).is_some_and(|risk| risk <= 0.1);
        assert_eq!(point["meets"], keeps, "{point}");
        assert!(!keeps || gcp(point) >= gcp(chosen), "{point}");
        let beaten = tried.iter().any(|other| {
            let smaller = gcp(other) <= gcp(point) && risk(other) <= risk(point);
            smaller && (gcp(other) < gcp(point) || risk(other) < risk(point))
        });
        assert!(!(beaten && point["on_front"] == true), "{point}");
    }
    let methods = |name: &str| tried.iter().any(|point| point["method"] == name);
    assert!(methods("mondrian") && methods("lattice"));
    let report = json(&moretta(folder.path(), &["run", "policy.toml", "--json"]));
    let measures = report["measures"].as_array().expect("measures");
    let released = measures.iter().find(|m| m["name"] == "gcp").expect("gcp");
    let (released, planned) = (released["after"].as_f64(), gcp(chosen));
    assert!((released.expect("a figure") - planned.expect("a figure")).abs() < 1e-9);
    assert_eq!(
        report["verdict"]["claims"][0]["promised_value"],
        chosen["value"]
    );
    assert!(
        report["chosen"]
            .as_str()
            .is_some_and(|why| why.contains("has the least gcp"))
    );
}

#[test]
fn what_needs_a_method_refuses_a_goal_instead_of_checking_nothing() {
    let folder = folder(GOAL);
    assert_eq!(
        moretta(folder.path(), &["check", "policy.toml"])
            .status
            .code(),
        Some(0)
    );
    assert_eq!(
        moretta(folder.path(), &["run", "policy.toml"])
            .status
            .code(),
        Some(0)
    );
    for arguments in [
        &["verify", "out.csv", "--policy", "policy.toml"][..],
        &["verify", "readings.csv", "--policy", "policy.toml"],
        &["attack", "policy.toml"],
        &["attack", "out.csv", "--policy", "policy.toml"],
        &["compare-methods", "policy.toml"],
        &["compare", "out.csv", "out.csv", "--policy", "policy.toml"],
        &["learn", "policy.toml"],
        &[
            "tune",
            "policy.toml",
            "--vary",
            "k=2..9",
            "--goal",
            "gcp=0.5",
        ],
    ] {
        let output = moretta(folder.path(), arguments);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {errors}");
        assert!(errors.contains("leaves them to"), "{arguments:?}: {errors}");
    }
}

#[test]
fn limits_of_a_goal_are_limits_of_its_release() {
    let folder = folder(
        "[goal]\nminimize = \"sse_ratio\"\nsubject_to = { record_linkage = 0.3 }\nmethods = [\"noise\"]\n",
    );
    let policy = folder.path().join("policy.toml");
    let text = std::fs::read_to_string(&policy).expect("a policy");
    std::fs::write(&policy, text.replace("seed = 3\n", "")).expect("written");
    for _ in 0..5 {
        let output = moretta(folder.path(), &["run", "policy.toml", "--force", "--json"]);
        let kept = match output.status.code() {
            Some(6) => continue,
            _ => json(&output)["pairs"]["measures"].clone(),
        };
        let kept = kept.as_array().expect("measures").iter();
        let linkage = kept.filter(|measure| measure["name"] == "record_linkage");
        let linkage: Vec<f64> = linkage
            .filter_map(|measure| measure["value"].as_f64())
            .collect();
        assert!(linkage.iter().all(|&linkage| linkage <= 0.3), "{linkage:?}");
        assert_eq!(linkage.len(), 1);
    }
}

#[test]
fn masks_are_searched_by_their_own_number() {
    let folder = folder(
        "[goal]\nminimize = \"sse_ratio\"\nsubject_to = { record_linkage = 0.3 }\nmethods = [\"microaggregation\", \"rank-swapping\"]\n",
    );
    let plan = json(&moretta(folder.path(), &["plan", "policy.toml", "--json"]));
    let found = &plan["goal"];
    let chosen = found["chosen"].as_u64().expect("a choice") as usize;
    assert!(
        found["tried"][chosen]["measures"][1]
            .as_f64()
            .is_some_and(|risk| risk <= 0.3)
    );
    let tried = found["tried"].as_array().expect("points");
    let parameters = |name: &str| tried.iter().any(|point| point["parameter"] == name);
    assert!(parameters("k") && parameters("within"), "{tried:?}");
}

#[test]
fn a_goal_that_cannot_be_reached_writes_nothing_and_tells_what_comes_nearest() {
    let goal = GOAL.replace("0.1 }", "0.1, gcp = 0.0001 }");
    let folder = folder(&goal);
    let output = moretta(folder.path(), &["run", "policy.toml"]);
    assert_eq!(output.status.code(), Some(6));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("nearest is"), "{errors}");
    assert_eq!(written(folder.path()), ["policy.toml", "readings.csv"]);
}

#[test]
fn goals_that_mean_nothing_are_refused_with_their_place() {
    for (goal, what) in [
        (
            "[goal]\nminimize = \"gcp\"\nsubject_to = {}\n",
            "has no limit",
        ),
        (
            "[goal]\nminimize = \"gcp\"\nsubject_to = { record_linkage = 0.1 }\n",
            "measures of classes and measures of records",
        ),
        (
            "[goal]\nminimize = \"gcp\"\nsubject_to = { uniques = 0.1 }\nmethods = [\"noise\"]\n",
            "`noise` cannot be searched",
        ),
        (
            "[goal]\nminimize = \"gcp\"\nsubject_to = { uniques = 0.1 }\nmethods = [\"noise\"]\n",
            "can be searched: mondrian, lattice,",
        ),
        (
            "[goal]\nminimize = \"gcp\"\nsubject_to = { uniquex = 0.1 }\n",
            "policy.toml:20",
        ),
        (
            "[goal]\nminimize = \"gcp\"\nsubject_to = { uniques = 0.1 }\nmethods = [\"noise\"]\n",
            "policy.toml:21",
        ),
        (
            "[goal]\nminimize = \"gcp\"\nsubject_to = { uniques = 0.1 }\n[[protect]]\nmethod = \"mondrian\"\n",
            "[[protect]] or [goal]",
        ),
    ] {
        let folder = folder(goal);
        let output = moretta(folder.path(), &["check", "policy.toml"]);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{errors}");
        assert!(errors.contains(what), "{errors}");
    }
}

#[test]
fn methods_are_compared_with_each_k_and_only_the_page_is_written() {
    let folder = folder("[guarantee]\nk = 5\n[[protect]]\nmethod = \"mondrian\"\nsuppress = 0.1\n");
    let arguments = [
        "compare-methods",
        "policy.toml",
        "--k",
        "4,8",
        "--output",
        "page.html",
        "--json",
    ];
    let compared = json(&moretta(folder.path(), &arguments));
    assert_eq!(
        written(folder.path()),
        ["page.html", "policy.toml", "readings.csv"]
    );
    let tried = compared["tried"].as_array().expect("methods");
    for name in ["mondrian", "lattice", "datafly", "mu-argus"] {
        let ks = tried.iter().filter(|one| one["method"] == name);
        let ks: Vec<_> = ks.map(|one| one["k"].as_u64()).collect();
        assert_eq!(ks, [Some(4), Some(8)], "{name}");
    }
    for one in tried {
        assert_eq!(one["refused"], serde_json::Value::Null);
        let of_few = one["method"] == "mu-argus";
        assert_eq!(one["promises_less"].is_string(), of_few, "{one}");
        assert!(
            one["released"].as_u64().is_some_and(|rows| rows >= 360),
            "{one}"
        );
    }
    assert!(tried.iter().any(|one| one["on_front"] == true));
    let again = moretta(folder.path(), &arguments);
    assert_eq!(again.status.code(), Some(2), "the page is there");
}

#[test]
fn methods_of_which_none_keeps_the_promises_end_with_exit_code_1() {
    let folder = folder("[guarantee]\nk = 401\n[[protect]]\nmethod = \"mondrian\"\n");
    let output = moretta(folder.path(), &["compare-methods", "policy.toml"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("401 persons"), "{text}");
}

#[test]
fn a_policy_that_keeps_no_promise_has_nothing_to_compare() {
    let folder = folder("[[protect]]\nmethod = \"noise\"\n");
    let output = moretta(folder.path(), &["compare-methods", "policy.toml"]);
    assert_eq!(output.status.code(), Some(3));
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("policy keeps one"), "{errors}");
}
