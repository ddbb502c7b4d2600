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
    shows_no_value(&text);
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
        // What follows tells times, too.
        let lines = text.lines().skip_while(|line| !line.starts_with("median"));
        let lines = lines.take_while(|line| !line.starts_with("within"));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let first = breaches();
    assert!(first.len() > 6 && first == breaches());
}

/// All numbers of the data are a little above 70,000,000.
fn shows_no_value(text: &str) {
    let words = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    let mut numbers = words.filter_map(|word| word.parse::<f64>().ok());
    assert!(!numbers.any(|n| (6.9e7..7.1e7).contains(&n)), "{text}");
}

/// The policy with another method, of these lines.
fn with(lines: &str) -> String {
    let method = "method = \"random-projection\"\nnoise = \"none\"";
    assert!(POLICY.contains(method));
    POLICY.replace(method, lines)
}

/// The result as JSON, in which no number of the data is.
fn json(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    let output = attack(folder, &[arguments, &["--json"]].concat());
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    shows_no_value(&text);
    serde_json::from_str(&text).expect("JSON")
}

/// The entries of a list by their names.
fn names<'a>(json: &'a serde_json::Value, list: &str, name: &str) -> Vec<&'a str> {
    let entries = json[list].as_array().expect("a list").iter();
    entries.filter_map(|entry| entry[name].as_str()).collect()
}

fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().expect("a number")
}

#[test]
fn noise_is_filtered_and_intervals_stand_beside_chance() {
    for kind in [
        "uncorrelated",
        "correlated",
        "transformed",
        "multiplicative",
        "log-normal",
    ] {
        let lines = format!("method = \"noise\"\nkind = \"{kind}\"\namount = 0.2");
        let folder = folder(&with(&lines), 400);
        let json = json(folder.path(), &["--accuracy", "0.5"]);
        assert_eq!(json["method"], "noise");
        let filters = ["spectral filter", "principal components", "linear Bayes"];
        let attacks = names(&json, "attacks", "attack");
        assert_eq!(attacks, [&["release as it is"], &filters[..]].concat());
        for attack in json["attacks"].as_array().expect("a list") {
            assert_eq!(attack["records"], 400, "{kind}");
            let magnitude = 0.25 + number(&attack["breach"]).powi(2);
            assert!((number(&attack["magnitude"]) - magnitude).abs() < 1e-12);
            assert!(number(&attack["seconds"]) >= 0.0);
        }
        let guesses = names(&json, "intervals", "guess");
        assert_eq!(guesses.len(), 8, "{guesses:?}");
        let release = &json["intervals"][0];
        assert_eq!(
            (&release["interval"], &release["guess"]),
            (&"rank".into(), &"release as it is".into())
        );
        assert_eq!(release["by_width"].as_array().expect("widths").len(), 10);
        // Factors of a fifth move numbers around 70,000,000 by far more than these differ.
        let far = ["multiplicative", "log-normal"].contains(&kind);
        let more = number(&release["values"]) > 1.2 * number(&release["values_by_chance"]);
        assert_eq!(more, !far, "{kind}: {release}");
    }
}

#[test]
fn neighbours_take_noise_off_where_rows_leave_in_their_order() {
    // Three slow waves, with noise of half their spread.
    let noise = with("method = \"noise\"\namount = 0.5");
    let in_order = noise.replace(
        "path = \"out.csv\"",
        "path = \"out.csv\"\norder = \"input\"",
    );
    let stream = with("method = \"noise\"\namount = 0.5\nbuffer = 100");
    for (policy, is_ordered) in [(&noise, false), (&in_order, true), (&stream, true)] {
        let folder = folder(policy, 1);
        let mut table = "a,b,c,class\n".to_owned();
        for row in 0..1200 {
            let wave = |rows: f64| 70_000_000.0 + 1e4 * (f64::from(row) / rows).sin();
            let (a, b, c) = (wave(9.0), wave(14.0), wave(31.0));
            let _ = writeln!(table, "{a:.0},{b:.0},{c:.0},{}", row % 2);
        }
        std::fs::write(folder.path().join("readings.csv"), table).expect("written");
        let json = json(folder.path(), &[]);
        let strongest = &json["strongest"];
        let name = "linear Bayes over neighbours";
        assert_eq!(strongest["attack"] == name, is_ordered, "{strongest}");
        let attacks = names(&json, "attacks", "attack");
        assert_eq!(attacks.contains(&name), is_ordered);
        let breach = |place: usize| number(&json["attacks"][place]["breach"]);
        let knows = names(&json, "attacks", "knows");
        if is_ordered {
            assert!(breach(4) > 2.0 * breach(3), "{} {}", breach(4), breach(3));
            assert!(knows[4].contains("in the order"), "{knows:?}");
        }
    }
}

#[test]
fn swapped_records_are_found_again_by_intersection() {
    let lines = "method = \"rank-swapping\"\nwithin = \"15%\"";
    let folder = folder(&with(lines), 400);
    let found = json(folder.path(), &[]);
    let attacks = names(&found, "links", "attack");
    assert_eq!(attacks, ["nearest record", "rank intersection"]);
    let linked = |place: usize| number(&found["links"][place]["linked"]);
    assert!(linked(1) > linked(0), "{} {}", linked(0), linked(1));
    let output = attack(folder.path(), &[]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(found["strongest_link"]["attack"], "rank intersection");
    let headline = "strongest: rank intersection finds again";
    assert!(text.contains(headline), "{text}");
    assert!(
        text.contains("the originals, on all masked columns"),
        "{text}"
    );
    // In a stream nobody sees the ranks that counted.
    let stream = with(&format!("{lines}\nbuffer = 50"));
    std::fs::write(folder.path().join("policy.toml"), stream).expect("written");
    let found = json(folder.path(), &[]);
    assert_eq!(names(&found, "links", "attack"), ["nearest record"]);
    assert!(found["notes"].to_string().contains("rank intersection"));
}

#[test]
fn other_masks_are_taken_as_they_are_and_by_intervals() {
    let local = "method = \"local-dp\"\ncolumns.a = { mechanism = \"laplace\", epsilon = 1.0, bounds = [70000000, 70010000] }";
    for lines in [
        "method = \"microaggregation\"\nk = 4",
        "method = \"rank-swapping\"\nwithin = \"5%\"",
        local,
    ] {
        let is_private = lines == local;
        // What a private method does not mask is published knowingly.
        let open = |policy: String| {
            let quasi = ["b", "c"].map(|name| format!("{name} = {{ role = \"quasi\""));
            let plain =
                |text: String, from: &String| text.replace(from, &from.replace("quasi", "plain"));
            quasi.iter().fold(policy, plain)
        };
        let policy = match is_private {
            true => open(with(lines)),
            false => with(lines),
        };
        let folder = folder(&policy, 300);
        let json = json(folder.path(), &[]);
        assert_eq!(names(&json, "attacks", "attack"), ["release as it is"]);
        assert!(json["attacks"][0]["interval"].is_null(), "all at once");
        assert_eq!(json["notes"].to_string().contains("no ε"), is_private);
        assert_eq!(names(&json, "intervals", "interval"), ["rank", "deviation"]);
        let output = attack(folder.path(), &[]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            text.contains("by chance") && text.contains("release as it is"),
            "{text}"
        );
    }
}

#[test]
fn columns_that_attacks_pass_over_are_told() {
    let policy = with("method = \"rank-swapping\"\nwithin = \"5%\"");
    let policy = policy.replace(
        "c = { role = \"quasi\", type = \"number\" }",
        "c = { role = \"quasi\", type = \"category\" }\nd = { role = \"quasi\", type = \"number\" }",
    );
    let folder = folder(&policy, 60);
    let place = folder.path().join("readings.csv");
    let table = std::fs::read_to_string(&place).expect("a table");
    let table: Vec<String> = table.lines().map(|line| format!("{line},5")).collect();
    let table = table.join("\n").replacen("class,5", "class,d", 1);
    std::fs::write(&place, table).expect("written");
    let json = json(folder.path(), &[]);
    let notes = json["notes"].as_array().expect("notes");
    for (note, why) in notes.iter().zip(["category: 1", "vary: 1"]) {
        assert!(note.as_str().expect("a text").contains(why), "{note}");
    }
    assert_eq!(notes.len(), 2);
}

#[test]
fn components_of_a_sample_need_as_many_numbers_as_features_and_a_fit_does_not() {
    let by_sample = [
        "known sample, independent components",
        "known sample, principal components",
        "mean of the sample",
    ];
    let folder = folder(POLICY, 200);
    let arguments = ["--known", "2", "--sample", "80"];
    let json = json(folder.path(), &arguments);
    let attacks = names(&json, "attacks", "attack");
    assert!(
        by_sample.iter().all(|name| attacks.contains(name)),
        "{attacks:?}"
    );
    let mean = attacks.iter().position(|name| *name == by_sample[2]);
    let mean = &json["attacks"][mean.expect("tried")];
    assert_eq!(mean["records"], 120);
    let fits = [
        "fitted matrix, known by sample",
        "fitted matrix",
        "fitted matrix, linked first",
        "mean of the class",
    ];
    assert!(attacks.ends_with(&fits), "{attacks:?}");
    let knows = names(&json, "attacks", "knows");
    let known = [
        "no released record, 80 other records, the classes",
        "2 records and the rows they became, 80 other records, the classes",
        "2 records, not the rows they became, 80 other records, the classes",
        "no released record, 80 other records, the classes",
    ];
    assert!(knows.ends_with(&known), "{knows:?}");
    assert_eq!(json["sample"], 80);
    let guesses = names(&json, "intervals", "guess");
    assert!(
        guesses.contains(&"marginal") && guesses.contains(&by_sample[0]),
        "{guesses:?}"
    );
    assert!(!guesses.contains(&by_sample[2]));
    let fewer = POLICY.replace("noise = \"none\"", "noise = \"none\"\nk = 2");
    std::fs::write(folder.path().join("policy.toml"), fewer).expect("written");
    let output = attack(folder.path(), &["--known", "2"]);
    let (out, told) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(
        !out.contains("components") && told.contains("k = m"),
        "{out}{told}"
    );
    assert!(out.contains("fitted matrix, linked first"), "{out}");
}

#[test]
fn a_learner_on_the_release_fills_the_magnitude() {
    let noise = "method = \"noise\"\namount = 0.5";
    for (policy, learner) in [(POLICY.to_owned(), "nb"), (with(noise), "ht")] {
        let folder = folder(&policy, 200);
        let json = json(folder.path(), &["--known", "2", "--learner", learner]);
        let accuracy = number(&json["accuracy"]);
        assert!((0.3..1.0).contains(&accuracy), "{accuracy}");
        assert_eq!(json["learner"], learner);
        for attack in json["attacks"].as_array().expect("a list") {
            let magnitude = (1.0 - accuracy).powi(2) + number(&attack["breach"]).powi(2);
            assert!((number(&attack["magnitude"]) - magnitude).abs() < 1e-12);
        }
        let output = attack(folder.path(), &["--known", "2", "--learner", learner]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains(&format!("accuracy of {learner}")), "{text}");
    }
}

#[test]
fn the_accuracy_is_that_of_learn() {
    let folder = folder(POLICY, 300);
    // A stream is projected in the order of its rows, by both commands.
    let policy = POLICY.replace("noise = \"none\"", "noise = \"cumulative\"\nbuffer = 50");
    std::fs::write(folder.path().join("policy.toml"), policy).expect("written");
    let measured = json(folder.path(), &["--known", "2", "--learner", "knn"]);
    let output = Command::new(env!("CARGO_BIN_EXE_moretta"))
        .current_dir(folder.path())
        .args([
            "learn",
            "policy.toml",
            "--learner",
            "knn",
            "--compare",
            "protected",
            "--json",
        ])
        .output()
        .expect("the program starts");
    let learnt: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let accuracy = &learnt[0]["learners"][0]["whole"]["accuracy"];
    assert_eq!(&measured["accuracy"], accuracy, "{learnt}");
}

#[test]
fn what_cannot_be_attacked_is_told() {
    let events = "version = 1\n[source]\npath = \"rows.csv\"\n[columns]\n\
        t = { role = \"time\", unit = \"s\" }\nuser = { role = \"subject\" }\n\
        place = { role = \"quasi\" }\n[[protect]]\nmethod = \"z-anonymity\"\nz = 4\nwindow = \"1h\"\n";
    let words = with("method = \"noise\"").replace("type = \"number\"", "type = \"category\"");
    let measured = POLICY.replace("[sink]", "[measure]\nreport = [\"sse\"]\n[sink]");
    for (policy, rows, command, code, told) in [
        (events, 60, "attack", 3, "random-projection"),
        (events, 60, "attack", 3, "mondrian"),
        (
            words.as_str(),
            60,
            "attack",
            0,
            "no masked column is a number",
        ),
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

#[test]
fn wrong_calls_are_told() {
    let folder = folder(POLICY, 60);
    for (arguments, code, told) in [
        (&["--learner", "oracle"][..], 2, "arf"),
        (&["--learner", "nb", "--accuracy", "0.5"], 2, "--accuracy"),
        (&["--learner", "nb", "--class", "size"], 2, "`size`"),
        (&["--class", "class"], 2, "--learner"),
        (&["--sample", "58"], 4, "--sample"),
    ] {
        let output = attack(folder.path(), arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?} {text}");
        assert!(text.contains(told), "{arguments:?} {text}");
    }
}
