//! Nested releases of one table: one run, a file for each level, all of them or none, and a proof
//! from the files alone.

mod support;

use serde_json::Value;
use std::collections::BTreeMap;
use support::{Folder, PROGRAM};

/// 80 persons, with two who are like nobody.
fn rows() -> String {
    let row = |n: u32| {
        let age = if n < 2 { 100 + 9 * n } else { 20 + n * 7 % 50 };
        let ill = ["flu", "cough", "asthma"][(n * 5 % 3) as usize];
        format!(
            "p{n},{age},{},{},{ill}\n",
            1000 + n * 13 % 40,
            ["f", "m"][n as usize % 2]
        )
    };
    format!(
        "person,age,zip,sex,ill\n{}",
        (0..80).map(row).collect::<String>()
    )
}

fn policy(method: &str, more: &str) -> String {
    format!(
        "version = 1\nname = \"levels\"\n[source]\npath = \"admissions.csv\"\n[columns]\n\
         person = {{ role = \"subject\" }}\n\
         age = {{ role = \"quasi\", hierarchy = {{ intervals = [10, 30] }} }}\n\
         zip = {{ role = \"quasi\", type = \"category\", hierarchy = {{ mask = \"right\" }} }}\n\
         sex = {{ role = \"quasi\" }}\nill = {{ role = \"sensitive\" }}\n\
         [guarantee]\nk = 3\nl = 2\n\
         [levels]\nstaff = {{ k = 3 }}\npartner = {{ k = 6 }}\nweb = {{ k = 12 }}\n\
         [[protect]]\n{method}\n[sink]\npath = \"out/release.csv\"\n\
         [report]\npath = \"out/report.html\"\n{more}"
    )
}

fn folder(method: &str, more: &str) -> Folder {
    Folder::new()
        .data(rows())
        .file("ledger.key", "a key for tests, not a secret")
        .file("policy.toml", policy(method, more))
}

const FILES: [&str; 3] = [
    "out/release-staff.csv",
    "out/release-partner.csv",
    "out/release-web.csv",
];

fn verify(folder: &Folder, files: &[&str]) -> (Option<i32>, Value) {
    let output = { folder.command(PROGRAM) }
        .arg("verify")
        .args(files)
        .args(["--policy", "policy.toml", "--json"])
        .output()
        .expect("the program starts");
    let json = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code(), json)
}

/// The classes of a file, as how often each combination of the first three columns stands there.
fn classes(folder: &Folder, file: &str) -> BTreeMap<String, usize> {
    let text = std::fs::read_to_string(folder.path(file)).expect("a release");
    let mut classes = BTreeMap::new();
    for line in text.lines().skip(1) {
        let (quasi, _) = line.rsplit_once(',').expect("cells");
        *classes.entry(quasi.to_owned()).or_insert(0) += 1;
    }
    classes
}

const METHODS: [&str; 4] = [
    "method = \"mondrian\"",
    "method = \"mondrian\"\nsuppress = 0.1",
    "method = \"lattice\"",
    "method = \"lattice\"\nsuppress = 0.1",
];

#[test]
fn one_run_writes_every_level_and_its_files_prove_that_they_are_nested() {
    for method in METHODS {
        let folder = folder(method, "");
        let ran = folder.moretta(&["run", "policy.toml"]);
        assert_eq!(ran.code, Some(0), "{method}: {}{}", ran.stdout, ran.stderr);
        let rows = FILES.map(|file| classes(&folder, file));
        for (classes, k) in rows.iter().zip([3, 6, 12]) {
            assert!(classes.values().all(|&size| size >= k), "{method} k = {k}");
            let sum = |classes: &BTreeMap<String, usize>| classes.values().sum::<usize>();
            assert_eq!(sum(classes), sum(&rows[0]));
        }
        assert!(rows[0].len() > rows[2].len(), "{method}");
        let (code, found) = verify(&folder, &FILES);
        assert_eq!(code, Some(0), "{method}: {found:#}");
        assert_eq!(found["nested"].as_array().map(Vec::len), Some(2));
        for name in ["staff", "partner", "web"] {
            let report = folder.path(&format!("out/report-{name}.json"));
            let report = std::fs::read_to_string(report).expect("a report");
            let report: Value = serde_json::from_str(&report).expect("JSON");
            assert_eq!(report["levels"]["level"], name);
            assert!(folder.path(&format!("out/report-{name}.html")).exists());
            let file = format!("out/release-{name}.csv");
            let one = ["verify", &file, "--policy", "policy.toml", "--level", name];
            assert_eq!(folder.moretta(&one).code, Some(0));
        }
    }
}

#[test]
fn files_that_are_not_nested_are_found() {
    let folder = folder(METHODS[0], "");
    assert_eq!(folder.moretta(&["run", "policy.toml"]).code, Some(0));
    // A release of another run, with the k of a level.
    let alone = policy("method = \"mondrian\"\nbounds = { age = 7 }", "")
        .replace("staff = { k = 3 }\npartner = { k = 6 }\n", "")
        .replace(
            "age = { role = \"quasi\", hierarchy = { intervals = [10, 30] } }",
            "age = { role = \"quasi\" }",
        )
        .replace("out/", "other/");
    std::fs::write(folder.path("alone.toml"), alone).expect("written");
    let ran = folder.moretta(&["run", "alone.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let (code, found) = verify(&folder, &[FILES[0], FILES[1], "other/release-web.csv"]);
    assert_eq!((code, &found["passed"]), (Some(1), &Value::Bool(false)));
    assert_eq!(found["nested"][1]["proven"], false);
    // Levels in the wrong order, a row that is gone, and one that holds something else.
    assert_eq!(verify(&folder, &[FILES[2], FILES[1], FILES[0]]).0, Some(1));
    let text = std::fs::read_to_string(folder.path(FILES[1])).expect("a release");
    let cut: Vec<&str> = text.lines().take(text.lines().count() - 1).collect();
    std::fs::write(folder.path(FILES[1]), cut.join("\n") + "\n").expect("written");
    let (code, found) = verify(&folder, &FILES);
    assert_eq!((code, &found["same_rows"]), (Some(1), &Value::Bool(false)));
    let swapped = text.replacen(",flu", ",cough", 1);
    std::fs::write(folder.path(FILES[1]), swapped).expect("written");
    let (code, found) = verify(&folder, &FILES);
    assert_eq!(
        (code, &found["nested"][0]["unequal"]),
        (Some(1), &Value::from(1))
    );
}

#[test]
fn groups_of_records_have_levels_too() {
    let text = policy("method = \"microaggregation\"\nk = 3", "")
        .replace("[guarantee]\nk = 3\nl = 2\n", "")
        .replace(
            ", hierarchy = { intervals = [10, 30] }",
            ", type = \"number\"",
        );
    let folder = Folder::new().data(rows()).file("policy.toml", text);
    let ran = folder.moretta(&["run", "policy.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for (file, k) in FILES.iter().zip([3, 6, 12]) {
        assert!(
            classes(&folder, file).values().all(|&size| size >= k),
            "{file}"
        );
    }
    let (code, found) = verify(&folder, &FILES);
    assert_eq!(
        (code, &found["nested"]),
        (Some(0), &Value::Null),
        "{found:#}"
    );
}

#[test]
fn a_level_that_cannot_be_made_leaves_no_other_behind() {
    let folder = folder(METHODS[0], "");
    let text = policy(METHODS[0], "").replace("web = { k = 12 }", "web = { k = 100 }");
    std::fs::write(folder.path("policy.toml"), text).expect("written");
    folder.moretta(&["run", "policy.toml"]).fails(1, "100");
    // A file in the place of one level keeps all others away.
    let folder = self::folder(METHODS[0], "").file("out/release-web.csv", "somebody's");
    folder
        .moretta(&["run", "policy.toml"])
        .fails(2, "release-web.csv exists already");
}

#[test]
fn tables_that_differ_in_rows_that_are_left_out_have_the_same_levels() {
    for method in [
        "method = \"mondrian\"\nsuppress = 0.1",
        "method = \"lattice\"\nsuppress = 0.1",
    ] {
        let release = |data: &str| {
            let folder = folder(method, "").data(data);
            let ran = folder.moretta(&["run", "policy.toml"]);
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            FILES.map(|file| std::fs::read_to_string(folder.path(file)).expect("a release"))
        };
        let (rows, other) = (rows(), rows().replace("p0,100,1000,f", "p0,113,1000,f"));
        assert_ne!(rows, other);
        assert_eq!(release(&rows), release(&other), "{method}");
    }
}

#[test]
fn a_ledger_and_manifests_tell_the_levels_apart() {
    let more = "[ledger]\npath = \"data.ledger\"\nkey = \"file:ledger.key\"\n\
                [manifest]\npath = \"out/manifest.json\"\nkey = \"file:steward.key\"\n";
    let folder = folder(METHODS[0], more);
    assert_eq!(folder.moretta(&["key", "new", "steward.key"]).code, Some(0));
    let ran = folder.moretta(&["run", "policy.toml"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let output = { folder.command(PROGRAM) }
        .args(["ledger", "list", "policy.toml", "--json"])
        .output()
        .expect("the program starts");
    let listed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let levels: Vec<&Value> = { listed["releases"].as_array().expect("releases").iter() }
        .map(|release| &release["level"])
        .collect();
    assert_eq!(levels, ["web", "partner", "staff"]);
    for (file, name) in FILES.iter().zip(["staff", "partner", "web"]) {
        let manifest = format!("out/manifest-{name}.json");
        let text = std::fs::read_to_string(folder.path(&manifest)).expect("a manifest");
        let text: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(text["manifest"]["level"], name);
        let ran = folder.moretta(&["verify", file, "--manifest", &manifest]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    }
    let manifest = "out/manifest-web.json";
    let ran = folder.moretta(&["verify", FILES[0], "--manifest", manifest]);
    assert_eq!(ran.code, Some(1), "a file of another level");
    // The same levels tell nothing new; one that cuts across them does.
    assert_eq!(
        folder.moretta(&["run", "policy.toml", "--force"]).code,
        Some(0)
    );
    let other = policy("method = \"mondrian\"\noutput = \"interval\"", more);
    std::fs::write(folder.path("policy.toml"), other).expect("written");
    let ran = folder.moretta(&["run", "policy.toml", "--force"]);
    ran.fails(7, "with earlier releases in hand");
}

#[test]
fn commands_that_look_at_one_release_say_so() {
    let folder = folder(METHODS[0], "");
    for command in ["attack", "compare-methods", "learn"] {
        folder
            .moretta(&[command, "policy.toml"])
            .fails(3, "looks at one release");
    }
    folder
        .moretta(&[
            "verify",
            "admissions.csv",
            "--policy",
            "policy.toml",
            "--level",
            "none",
        ])
        .fails(2, "the policy has no level `none`");
    folder
        .moretta(&["verify", "admissions.csv", "--policy", "policy.toml"])
        .fails(2, "1 files were given, and the policy has 3 levels");
    assert_eq!(folder.moretta(&["run", "policy.toml"]).code, Some(0));
    let ran = folder.moretta(&["compare", FILES[0], FILES[2], "--policy", "policy.toml"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let ran = folder.moretta(&[
        "attack",
        FILES[0],
        FILES[1],
        FILES[2],
        "--policy",
        "policy.toml",
    ]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
}
