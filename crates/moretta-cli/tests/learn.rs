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
    assert!(text.contains("KiB"), "memory is told\n{text}");
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
    for (place, side, tested) in [(1, "protected", "protected"), (2, "protected", "original")] {
        let learned = &studies[0]["learners"][place];
        assert_eq!(
            (&learned["side"], &learned["tested"]),
            (&side.into(), &tested.into())
        );
    }
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

/// What a call says, with its exit code.
fn told(folder: &Path, arguments: &[&str], code: i32) -> (String, String) {
    let output = learn(folder, arguments);
    let (out, error) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert_eq!(
        output.status.code(),
        Some(code),
        "{arguments:?}\n{out}{error}"
    );
    (out, error)
}

/// The rows in two files; the second has its columns and rows in another order.
fn two_days(folder: &Path) {
    let rows = std::fs::read_to_string(folder.join("rows.csv")).expect("rows");
    let mut lines = rows.lines();
    let head = lines.next().expect("a head").to_owned() + "\n";
    let rows: Vec<&str> = lines.collect();
    let monday = head + &rows[..200].join("\n");
    let mut tuesday = "kind,colour,x,name\n".to_owned();
    for row in rows[200..].iter().rev() {
        let mut cells: Vec<&str> = row.split(',').collect();
        cells.reverse();
        tuesday += &(cells.join(",") + "\n");
    }
    std::fs::write(folder.join("monday.csv"), monday).expect("written");
    std::fs::write(folder.join("tuesday.csv"), tuesday).expect("written");
}

#[test]
fn a_model_of_today_goes_on_tomorrow() {
    let folder = folder();
    two_days(folder.path());
    let monday = ["monday.csv", "--class", "kind"];
    let first = [&monday[..], &["--learner", "nb", "--save-model", "m.model"]].concat();
    let (out, error) = told(folder.path(), &first, 0);
    assert!(out.contains("model: m.model"), "{out}");
    let warned: Vec<&str> = error
        .lines()
        .filter(|line| line.contains("persons"))
        .collect();
    assert_eq!(warned.len(), 1, "{error}");
    let accuracy = |arguments: &[&str]| {
        let arguments = [arguments, &["--json"]].concat();
        let (out, _) = told(folder.path(), &arguments, 0);
        let studies: serde_json::Value = serde_json::from_str(&out).expect("JSON");
        let learned = &studies[0]["learners"][0];
        assert_eq!(learned["learner"], "nb");
        learned["whole"]["accuracy"].as_f64().expect("a number")
    };
    let known = accuracy(&["tuesday.csv", "--model", "m.model", "--hold-out", "1", "0"]);
    let fresh = accuracy(&["tuesday.csv", "--class", "kind", "--learner", "nb"]);
    assert!(known > 0.9 && known > fresh, "{known} {fresh}");
    let again = ["--model", "m.model", "--save-model", "m.model", "--force"];
    told(folder.path(), &[&["tuesday.csv"], &again[..]].concat(), 0);
    let (_, error) = told(
        folder.path(),
        &[
            "policy.toml",
            "--compare",
            "protected",
            "--learner",
            "ht",
            "--save-model",
            "p.model",
        ],
        0,
    );
    assert!(!error.contains("persons"), "{error}");
    // What has seen originals once tells about them for ever.
    for (side, places) in [
        (
            "original",
            &["--learner", "nb", "--save-model", "o.model"][..],
        ),
        (
            "protected",
            &["--model", "o.model", "--save-model", "q.model"],
        ),
        (
            "protected",
            &["--model", "q.model", "--save-model", "r.model"],
        ),
    ] {
        let arguments = [&["policy.toml", "--compare", side], places].concat();
        let (_, error) = told(folder.path(), &arguments, 0);
        assert!(error.contains("persons"), "{arguments:?}\n{error}");
    }
}

#[test]
fn a_model_of_a_release_that_may_not_leave_is_not_saved() {
    let folder = folder();
    let policy = std::fs::read_to_string(folder.path().join("policy.toml")).expect("a policy");
    let strict = format!("{policy}\n[measure]\nfail_above = {{ sse_ratio = 0.0001 }}\n");
    std::fs::write(folder.path().join("strict.toml"), strict).expect("written");
    let save = |side| {
        let save = ["--learner", "ht", "--save-model", "m.model"];
        [&["strict.toml", "--compare", side], &save[..]].concat()
    };
    let (_, error) = told(folder.path(), &save("protected"), 6);
    assert!(error.contains("sse_ratio"), "{error}");
    assert!(!folder.path().join("m.model").exists());
    // Nothing of the release is in a model of originals, nor is a study kept.
    told(folder.path(), &save("original"), 0);
    told(folder.path(), &["strict.toml", "--learner", "ht"], 0);
}

#[test]
fn models_that_cannot_be_saved_or_do_not_fit_are_refused_with_a_way_out() {
    let folder = folder();
    let check = |arguments: &[&str], code: i32, expected: &[&str]| {
        let (_, error) = told(folder.path(), arguments, code);
        for expected in expected {
            assert!(error.contains(expected), "{arguments:?}\n{error}");
        }
    };
    let save = ["--save-model", "m.model"];
    let file = ["rows.csv", "--class", "kind"];
    check(&[&file[..], &save].concat(), 2, &["--learner ht"]);
    let ht = [&file[..], &save, &["--learner", "ht"]].concat();
    check(
        &["policy.toml", "--learner", "ht", save[0], save[1]],
        2,
        &["--compare original"],
    );
    check(&[&["policy.toml"], &ht[..]].concat(), 2, &["one policy"]);
    check(
        &[
            &file[..],
            &["--learner", "ht", "--save-model", "rows.csv", "--force"],
        ]
        .concat(),
        2,
        &["is an input"],
    );
    check(&ht, 0, &[]);
    check(&ht, 2, &["--force"]);
    check(
        &["rows.csv", "--model", "m.model", "--learner", "nb"],
        2,
        &["`ht`"],
    );
    let place = folder.path().join("m.model");
    let bytes = std::fs::read(&place).expect("a model");
    let damaged = |bytes: &[u8], expected: &str| {
        std::fs::write(&place, bytes).expect("written");
        check(
            &["rows.csv", "--model", "m.model"],
            4,
            &["m.model", expected, "learn the model again"],
        );
    };
    damaged(&bytes[..bytes.len() / 2], "cut short");
    let mut changed = bytes.clone();
    changed[bytes.len() / 2] ^= 4;
    damaged(&changed, "changed");
    std::fs::write(&place, &bytes).expect("written");
    let rows = std::fs::read_to_string(folder.path().join("rows.csv")).expect("rows");
    let other = |rows: String, expected: &[&str]| {
        std::fs::write(folder.path().join("other.csv"), rows).expect("written");
        check(&["other.csv", "--model", "m.model"], 4, expected);
    };
    other(rows.replace("x,colour", "y,colour"), &["`x`"]);
    other(
        rows.replace(&format!("{CANARY}-b\n"), &format!("{CANARY}-c\n")),
        &["1 of 2 classes", "kind"],
    );
}

#[test]
fn a_run_reports_the_loss_that_learn_tells_whatever_the_method() {
    let folder = folder();
    let place = |name: &str| folder.path().join(name);
    let run = |policy: &str| {
        std::fs::write(place("policy.toml"), policy).expect("written");
        let run = Command::new(PROGRAM)
            .current_dir(folder.path())
            .args(["run", "policy.toml", "--force"])
            .output();
        run.expect("the program runs").status.code()
    };
    let measure = "[measure]\nreport = [\"accuracy_loss\"]\n[report]\npath = \"report.json\"\n";
    let mondrian = POLICY.replace(
        "method = \"noise\"\namount = 1.0\n",
        "method = \"mondrian\"\n[guarantee]\nk = 40\n",
    );
    let policy = format!("{mondrian}{measure}");
    assert_eq!(run(&policy), Some(0));
    let report = std::fs::read_to_string(place("report.json")).expect("a report");
    assert!(!report.contains(CANARY_NUMBER));
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let first = &report["measures"][0];
    assert_eq!(
        (&first["name"], &first["percent"]),
        (&"accuracy_loss".into(), &true.into())
    );
    let lost = first["after"].as_f64().expect("a number");
    let output = learn(folder.path(), &["policy.toml", "--learner", "nb", "--json"]);
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let accuracy = |arm: usize| told[0]["learners"][arm]["whole"]["accuracy"].as_f64();
    let expected = accuracy(0).expect("original") - accuracy(2).expect("applied");
    assert!((lost - expected).abs() < 1e-12, "{lost} {expected}");
    let limited = format!("{mondrian}[measure]\nfail_above = {{ accuracy_loss = -0.5 }}\n");
    assert_eq!(run(&limited), Some(6));
    let unlabelled = policy.replace("role = \"class\"", "role = \"sensitive\"");
    assert_eq!(run(&unlabelled), Some(3));
    let projected = POLICY.replace(
        "method = \"noise\"\namount = 1.0\n",
        "method = \"random-projection\"\ncolumns = [\"x\"]\n",
    );
    assert_eq!(run(&format!("{projected}{measure}")), Some(0));
    let report = std::fs::read_to_string(place("report.json")).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let measured = report["pairs"]["measures"].as_array().expect("measures");
    assert_eq!(measured.len(), 1);
    assert_eq!(measured[0]["name"], "accuracy_loss");
    assert!(measured[0]["value"].is_number());
}

/// Names and bytes of the files in a folder; pipes and folders have none.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let bytes = match path.is_file() {
                true => std::fs::read(&path).expect("a file"),
                false => Vec::new(),
            };
            (path.display().to_string(), bytes)
        })
        .collect();
    files.sort();
    files
}

const SAVE: [&str; 4] = ["--learner", "nb", "--compare", "original"];

#[test]
fn what_is_read_is_never_written_over() {
    let folder = folder();
    let save = |place: &'static str| [&SAVE[..], &["--save-model", place]].concat();
    let first = [&["policy.toml"], &save("m.model")[..]].concat();
    told(folder.path(), &first, 0);
    std::fs::hard_link(folder.path().join("rows.csv"), folder.path().join("alias")).expect("alias");
    let before = files(folder.path());
    let file = ["rows.csv", "--class", "kind"];
    for (input, places, expected) in [
        (&["policy.toml"][..], save("rows.csv"), "is an input"),
        (&["policy.toml"], save("alias"), "is an input"),
        (&["policy.toml"], save("./policy.toml"), "is an input"),
        (
            &["policy.toml"],
            vec!["--output", "rows.csv"],
            "is an input",
        ),
        (
            &["policy.toml"],
            vec!["--output", "policy.toml"],
            "is an input",
        ),
        (&file, vec!["--output", "rows.csv"], "is an input"),
        (
            &file,
            vec!["--model", "m.model", "--output", "m.model"],
            "is an input",
        ),
        (
            &["policy.toml"],
            [&save("new")[..], &["--output", "./new"]].concat(),
            "would be written twice",
        ),
    ] {
        let call = [input, &places, &["--force"]].concat();
        let (_, error) = told(folder.path(), &call, 2);
        assert!(error.contains(expected), "{call:?}\n{error}");
        assert!(files(folder.path()) == before, "{call:?}");
    }
}

#[cfg(unix)]
#[test]
fn pipes_and_folders_are_never_replaced() {
    let folder = folder();
    let made = Command::new("mkfifo")
        .arg(folder.path().join("pipe"))
        .status();
    assert!(made.expect("mkfifo").success());
    std::fs::create_dir(folder.path().join("inner")).expect("a folder");
    let before = files(folder.path());
    for (place, expected) in [("pipe", "a pipe, not a file"), ("inner", "is a folder")] {
        for option in ["--save-model", "--output"] {
            let call = [&["policy.toml"], &SAVE[..], &[option, place, "--force"]].concat();
            let (_, error) = told(folder.path(), &call, 2);
            assert!(error.contains(expected), "{call:?}\n{error}");
            assert!(files(folder.path()) == before, "{call:?}");
        }
        for call in [
            &["init", "rows.csv", "--force", "--output", place][..],
            &[
                "hierarchy",
                "new",
                "rows.csv",
                "--column",
                "x",
                "--force",
                "--output",
                place,
            ],
        ] {
            let output = Command::new(PROGRAM)
                .current_dir(folder.path())
                .args(call)
                .output();
            let output = output.expect("the program runs");
            assert_eq!(output.status.code(), Some(2), "{call:?}");
            assert!(files(folder.path()) == before, "{call:?}");
        }
    }
}

#[test]
fn a_call_that_cannot_write_its_page_leaves_no_model() {
    let folder = folder();
    let before = files(folder.path());
    let save = [&["policy.toml"], &SAVE[..], &["--save-model", "ok.model"]].concat();
    let page = ["--output", "rows.csv/page.html"];
    told(folder.path(), &[&save[..], &page].concat(), 5);
    assert!(files(folder.path()) == before);
    let page = ["--output", "pages/page.html"];
    told(folder.path(), &[&save[..], &page].concat(), 0);
    assert!(folder.path().join("pages/page.html").exists());
    assert!(folder.path().join("ok.model").exists());
    let (out, error) = told(folder.path(), &["policy.toml", "--output", "-"], 0);
    assert!(
        out.starts_with("<!") && error.contains("400 records"),
        "{error}"
    );
}

#[test]
fn standard_input_is_read_once_or_the_call_is_refused() {
    use std::process::Stdio;
    let folder = folder();
    let piped = POLICY.replace("\"rows.csv\"", "\"-\"\nformat = \"csv\"");
    for name in ["one.toml", "two.toml"] {
        std::fs::write(folder.path().join(name), &piped).expect("written");
    }
    for (call, code, expected) in [
        (
            &["-", "--class", "kind"][..],
            2,
            "standard input can be read once",
        ),
        (
            &["one.toml", "two.toml"],
            2,
            "2 policies read standard input",
        ),
        (&["one.toml", "policy.toml"], 0, ""),
    ] {
        let rows = std::fs::File::open(folder.path().join("rows.csv")).expect("rows");
        let output = Command::new(PROGRAM)
            .current_dir(folder.path())
            .arg("learn")
            .args(call)
            .stdin(Stdio::from(rows))
            .output()
            .expect("the program runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{call:?}\n{error}");
        assert!(error.contains(expected), "{call:?}\n{error}");
    }
}

#[test]
fn a_terminal_obeys_no_name_of_a_column() {
    let folder = folder();
    let name = "x\x1b[2J\u{9b}31m";
    let rows = std::fs::read_to_string(folder.path().join("rows.csv")).expect("rows");
    let rows = rows.replacen("name,x,", &format!("name,{name},"), 1);
    std::fs::write(folder.path().join("rows.csv"), rows).expect("written");
    let broken = format!("version = 1\n[source]\npath = {name}\n");
    std::fs::write(folder.path().join("broken.toml"), broken).expect("written");
    for call in [
        &["learn", "policy.toml"][..],
        &["learn", "rows.csv", "--class", "kinds"],
        &["learn", "rows.csv", "--class", name],
        &["learn", "rows.csv", "--class", name, "--json"],
        &["check", "policy.toml"],
        &["check", "policy.toml", "--json"],
        &["check", "broken.toml"],
        &["init", "rows.csv", "--output", "new.toml"],
        &[
            "init", "rows.csv", "--output", "new.toml", "--force", "--json",
        ],
        &["check", "new.toml"],
        &["plan", "new.toml"],
        &["plan", "new.toml", "--json"],
    ] {
        let output = Command::new(PROGRAM)
            .current_dir(folder.path())
            .args(call)
            .output()
            .expect("the program runs");
        for shown in [output.stdout, output.stderr] {
            let shown = String::from_utf8_lossy(&shown);
            let obeyed = |c: char| c.is_control() && c != '\n' && c != '\t';
            assert!(!shown.contains(obeyed), "{call:?}\n{shown:?}");
        }
    }
}

#[test]
fn one_record_is_no_plural() {
    let folder = folder();
    let place = |name: &str| folder.path().join(name);
    for (name, rows) in [
        ("one.csv", "x,kind\n1,a\n"),
        ("two.csv", "x,kind\n1,a\n2,b\n"),
        ("gap.csv", "x,kind\n1,a\n2,\n3,b\n"),
    ] {
        std::fs::write(place(name), rows).expect("written");
    }
    for (name, records, note) in [
        ("one.csv", "one.csv: 1 record\n", ""),
        ("two.csv", "two.csv: 2 records\n", ""),
        (
            "gap.csv",
            "gap.csv: 2 records\n",
            "1 row without a class is left out",
        ),
    ] {
        let call = [name, "--class", "kind", "--output", "page.html", "--force"];
        let (out, error) = told(folder.path(), &call, 0);
        assert!(
            out.contains(records) && error.contains(note),
            "{out}{error}"
        );
        let page = std::fs::read_to_string(place("page.html")).expect("a page");
        assert!(!page.contains(">1 records") && !page.contains(" 1 records"));
    }
}
