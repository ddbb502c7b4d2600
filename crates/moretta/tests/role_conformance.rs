//! What names a person is not released unless the policy says so, and rules between columns are
//! not broken silently: one rule for every method. A new method gets a line in [`METHOD_LINES`]
//! and nothing else.

use moretta::pipeline::{self, Options, Progress};
use moretta::policy::{Policy, Root};
use moretta::protect::{Family, METHODS, MethodInfo};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The least that each method needs.
const METHOD_LINES: &[(&str, &str)] = &[
    ("mondrian", ""),
    ("generalization", "suppress = 1"),
    ("datafly", "suppress = 1"),
    ("semantic-grouping", ""),
    ("mu-argus", "k = 2"),
    ("suppression", ""),
    ("recoding", "round = { x = 2, y = 2 }"),
    ("km-anonymity", ""),
    ("sampling", "fraction = 0.5"),
    ("massc", "weight = \"y\"\ncolumns = [\"x\"]"),
    ("z-anonymity", "z = 2\nwindow = \"1h\""),
    ("noise", "buffer = 5"),
    ("microaggregation", "k = 3\nbuffer = 20"),
    ("rank-swapping", "within = 5"),
    ("resampling", "buffer = 10"),
    ("shuffling", ""),
    ("merging", "rare = { grade = 2 }"),
    ("pram", "columns = [\"grade\"]"),
    ("lattice", ""),
    ("random-projection", "noise = \"none\""),
    (
        "dp-microaggregation",
        "k = 3\nepsilon = 1\nbuffer = 20\nbounds = { x = [0, 10], y = [0, 10] }",
    ),
    (
        "local-dp",
        "columns = { x = { mechanism = \"laplace\", epsilon = 1, bounds = [0, 10] }, \
         y = { mechanism = \"laplace\", epsilon = 1, bounds = [0, 10] } }",
    ),
];

/// The roles that name a person.
const NAMING: [&str; 3] = ["identifier", "subject", "key"];

/// Rows whose names are marked, so that they can be looked for in any file.
fn source() -> String {
    let row = |i: usize| {
        let (x, y) = (i % 5, i % 3);
        format!("{},marked-{}-{i},{x}.5,{y}.5,{}\n", 1000 + i, i % 20, i % 2)
    };
    let rows: String = (0..60).map(row).collect();
    format!("t,who,x,y,grade\n{rows}")
}

fn policy(method: &MethodInfo, role: &str, action: &str) -> String {
    let parameters = METHOD_LINES.iter().find(|(name, _)| *name == method.name);
    let parameters = parameters.expect("a line for every method").1;
    let guarantee = match method.family {
        // Its k is of combinations.
        Family::Table if method.name == "mu-argus" => "",
        Family::Table => "[guarantee]\nk = 3\n",
        Family::Items => "[guarantee]\nkm = { k = 3, m = 2 }\n",
        _ => "",
    };
    // A stream counts persons, so it has a subject beside what is looked at.
    let (time, grade) = match (method.family, role) {
        (Family::Stream, "subject") => ("time", "{ role = \"plain\" }"),
        (Family::Stream, _) => ("time", "{ role = \"subject\" }"),
        _ => ("plain", "{ role = \"plain\", type = \"category\" }"),
    };
    let (x, y) = match method.family {
        Family::Items => (
            "{ role = \"items\", separator = \";\", hierarchy = { mask = \"right\" } }",
            "{ role = \"plain\" }",
        ),
        _ => (
            "{ role = \"quasi\", type = \"number\" }",
            "{ role = \"quasi\", type = \"number\" }",
        ),
    };
    format!(
        "version = 1\nseed = 7\n[source]\npath = \"in.csv\"\n[columns]\nt = {{ role = \"{time}\" }}\n\
         who = {{ role = \"{role}\"{action} }}\n\
         x = {x}\ny = {y}\n\
         grade = {grade}\n{guarantee}[[protect]]\nmethod = \"{}\"\n{parameters}\n\
         [sink]\npath = \"out.csv\"\n[report]\npath = \"report.json\"\n",
        method.name
    )
}

/// The release and its report, or the exit code of a refusal.
fn release(folder: &Path, text: &str) -> Result<[String; 2], u8> {
    let root = Root::of_policy(&folder.join("policy.toml"), None).expect("a folder");
    let options = Options {
        command: "moretta run policy.toml".to_owned(),
        date: None,
        force: true,
        strict: false,
        render: &|_| String::new(),
        progress: &Progress::default(),
    };
    Policy::parse(text, &root)
        .and_then(|policy| pipeline::run(&policy, &options))
        .map_err(|error| error.exit_code())?;
    Ok(["out.csv", "report.json"]
        .map(|name| fs::read_to_string(folder.join(name)).expect("a file")))
}

#[test]
fn every_method_of_the_list_is_tried() {
    let listed: BTreeSet<&str> = METHODS.iter().map(|info| info.name).collect();
    let tried: BTreeSet<&str> = METHOD_LINES.iter().map(|(name, _)| *name).collect();
    assert_eq!(listed, tried);
}

#[test]
fn what_names_a_person_is_released_only_when_the_policy_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("in.csv"), source()).expect("written");
    fs::write(folder.path().join("key.txt"), "0123456789abcdef").expect("written");
    let pseudonym = ", action = \"pseudonym\", key = \"file:key.txt\"";
    for method in METHODS {
        for role in NAMING {
            for (action, column, marked) in [
                ("", false, false),
                (", action = \"drop\"", false, false),
                (pseudonym, true, false),
                (", action = \"keep\"", true, true),
            ] {
                let case = format!("{}, {role}{action}", method.name);
                let released = release(folder.path(), &policy(method, role, action));
                // Records are counted where k is promised of them, so what tells persons is
                // refused there.
                let persons = role == "subject" || action == pseudonym;
                let refused =
                    persons && method.name == "microaggregation" || role == "identifier" && marked;
                if refused {
                    assert_eq!(released.err(), Some(3), "{case}");
                    continue;
                }
                let [rows, report] = released.unwrap_or_else(|code| panic!("{case}: {code}"));
                assert!(rows.lines().count() > 20, "{case}: {rows}");
                let header = rows.lines().next().unwrap_or_default();
                assert_eq!(
                    header.split(',').any(|name| name == "who"),
                    column,
                    "{case}"
                );
                assert_eq!(rows.contains("marked-"), marked, "{case}");
                assert!(!report.contains("marked-"), "{case}");
            }
        }
    }
}

/// Rows in which y is never less than x.
fn ruled_source() -> String {
    let row = |i: usize| {
        let (x, y) = (i % 5, i % 5 + i % 3);
        format!("{},p-{},{x}.5,{y}.5,{}\n", 1000 + i, i % 20, i % 2)
    };
    let rows: String = (0..60).map(row).collect();
    format!("t,who,x,y,grade\n{rows}")
}

/// The least and the largest number that a released cell can stand for, by hand.
fn ends(cell: &str) -> (f64, f64) {
    let number = |text: &str, open: f64| match text {
        "" => open,
        text => text.parse().expect("a number"),
    };
    let all = (f64::NEG_INFINITY, f64::INFINITY);
    match cell.split_once("..") {
        _ if cell.is_empty() || cell == "*" => all,
        Some((low, high)) => (number(low, all.0), number(high, all.1)),
        None => (number(cell, all.0), number(cell, all.1)),
    }
}

/// Rows of a release that cannot be made to keep `y >= x`.
fn breaking(rows: &str) -> usize {
    let mut lines = rows.lines().map(|line| line.split(','));
    let header: Vec<&str> = lines.next().expect("a header").collect();
    let place = |name: &str| {
        header
            .iter()
            .position(|column| *column == name)
            .expect(name)
    };
    let (x, y) = (place("x"), place("y"));
    lines
        .filter(|line| {
            let cells: Vec<&str> = line.clone().collect();
            ends(cells[y]).1 < ends(cells[x]).0
        })
        .count()
}

#[test]
fn no_method_breaks_a_rule_between_columns_silently() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("in.csv"), ruled_source()).expect("written");
    let (mut kept, mut refused) = (0, 0);
    for method in METHODS {
        let rule = |release: &str| {
            let rule = "[[rules]]\nname = \"ordered\"\nrequire = \"y >= x\"\n";
            policy(method, "key", "") + rule + &format!("release = \"{release}\"\n")
        };
        let name = method.name;
        let warned = release(folder.path(), &rule("warn"));
        let released = release(folder.path(), &rule("refuse"));
        if matches!(name, "z-anonymity" | "random-projection" | "km-anonymity") {
            assert_eq!((warned.err(), released.err()), (Some(3), Some(3)), "{name}");
            continue;
        }
        let [rows, report] = warned.unwrap_or_else(|code| panic!("{name}: {code}"));
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
        let broken = report["rules"][0]["broken"].as_u64().expect("a count");
        assert_eq!(broken, breaking(&rows) as u64, "{name}: {rows}");
        // Noise that is a secret is another one each time.
        match released {
            Ok([rows, _]) => {
                assert_eq!(breaking(&rows), 0, "{name}");
                kept += 1;
            }
            Err(code) => {
                assert_eq!(code, 1, "{name}");
                refused += 1;
            }
        }
    }
    assert!(kept >= 5 && refused >= 2, "{kept} kept, {refused} refused");
}
