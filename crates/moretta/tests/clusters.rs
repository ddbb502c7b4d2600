//! Tables that are divided into clusters of near rows, each protected by itself.

use moretta::data::{Batch, Column};
use moretta::engine::Cancel;
use moretta::io::{self, ColumnPlan, ReadAs, ReadOptions};
use moretta::pipeline::{self, ComparisonSettings, Options, Progress};
use moretta::policy::{Policy, Root};
use moretta::protect::{Setting, clusters};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// Three kinds of persons, mixed.
fn table(rows: usize) -> String {
    let row = |i: usize| {
        let (age, grade, town) = match i % 3 {
            0 => (
                20 + i * 7 % 11,
                ["low", "middle"][i / 3 % 2],
                ["parma", "siena"][i / 7 % 2],
            ),
            1 => (
                45 + i * 5 % 13,
                ["middle", "high"][i / 3 % 2],
                ["siena", "roma"][i / 5 % 2],
            ),
            _ => (
                70 + i * 3 % 17,
                "high",
                ["roma", "parma", "lodi"][i / 4 % 3],
            ),
        };
        format!("{age},{grade},{town},{}\n", i % 5)
    };
    let rows: String = (0..rows).map(row).collect();
    format!("age,grade,town,illness\n{rows}")
}

fn policy(head: &str, guarantee: &str, method: &str) -> String {
    format!(
        "version = 1\n{head}\n[source]\npath = \"in.csv\"\n[columns]\n\
         age = {{ role = \"quasi\", type = \"number\", hierarchy = {{ intervals = [10, 50] }} }}\n\
         grade = {{ role = \"quasi\", order = [\"low\", \"middle\", \"high\"] }}\n\
         town = {{ role = \"quasi\", type = \"category\" }}\n\
         illness = {{ role = \"sensitive\", type = \"category\" }}\n{guarantee}\n\
         [[protect]]\n{method}\n[sink]\npath = \"out.csv\"\n"
    )
}

fn parsed(folder: &Path, text: &str) -> moretta::Result<Policy> {
    let root = Root::of_policy(&folder.join("policy.toml"), None).expect("a folder");
    Policy::parse(text, &root)
}

fn run(folder: &Path, text: &str) -> moretta::Result<String> {
    let policy = parsed(folder, text)?;
    let options = Options {
        command: "moretta run policy.toml".to_owned(),
        date: None,
        force: true,
        strict: false,
        render: &|_| String::new(),
        progress: &Progress::default(),
    };
    pipeline::run(&policy, &options)?;
    if text.contains("k = ") {
        let (file, options) = (folder.join("out.csv"), ReadOptions::default());
        pipeline::verify(&policy, &file, &options, &Progress::default())?;
    }
    Ok(fs::read_to_string(folder.join("out.csv")).expect("a release"))
}

/// How many rows show each combination of quasi-identifiers.
fn sizes(release: &str) -> BTreeMap<String, usize> {
    let mut sizes = BTreeMap::new();
    for line in release.lines().skip(1) {
        let (quasi, _) = line.rsplit_once(',').expect("four columns");
        *sizes.entry(quasi.to_owned()).or_default() += 1;
    }
    sizes
}

#[test]
fn every_method_keeps_its_promise_in_clusters_and_no_row_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("in.csv"), table(300)).expect("written");
    for (method, promises) in [
        ("method = \"mondrian\"", true),
        ("method = \"mondrian\"\noutput = \"median-or-mode\"", true),
        ("method = \"mondrian\"\nsuppress = 0.1", true),
        ("method = \"generalization\"\nsuppress = 1", true),
        ("method = \"lattice\"\nsuppress = 0.2", true),
        ("method = \"datafly\"\nsuppress = 0.5", true),
        ("method = \"suppression\"", true),
        ("method = \"microaggregation\"\nk = 5", true),
        (
            "method = \"microaggregation\"\nk = 5\ndistance = \"sum\"",
            true,
        ),
        ("method = \"rank-swapping\"", false),
        ("method = \"noise\"\ncolumns = [\"age\"]", false),
        (
            "method = \"shuffling\"\ncolumns = [\"age\", \"grade\"]",
            false,
        ),
        ("method = \"resampling\"\ncolumns = [\"age\"]", false),
    ] {
        let guarantee = match promises && !method.contains("microaggregation") {
            true => "[guarantee]\nk = 5",
            false => "",
        };
        for clusters in [2, 3, 40] {
            let text = policy(
                &format!("clusters = {clusters}\nseed = 3"),
                guarantee,
                method,
            );
            let release = run(folder.path(), &text);
            let release = release.unwrap_or_else(|error| panic!("{method} {clusters}: {error}"));
            if !method.contains("suppress") {
                assert_eq!(release.lines().count(), 301, "{method}");
            }
            if promises && method != "method = \"suppression\"" {
                assert!(sizes(&release).values().all(|&size| size >= 5), "{method}");
            }
        }
    }
}

fn batch(folder: &Path) -> Batch {
    let ordered = ["low", "middle", "high"].map(str::to_owned).to_vec();
    let plan = |name: &str, read: ReadAs| ColumnPlan {
        name: name.to_owned(),
        role: moretta::data::Role::Quasi,
        read,
    };
    let plans = [
        plan("age", ReadAs::Number),
        plan("grade", ReadAs::Ordered(ordered)),
        plan("town", ReadAs::Category),
        plan("illness", ReadAs::Skip),
    ];
    let source = io::open(&folder.join("in.csv"), &ReadOptions::default(), &plans);
    let source = source.expect("a table");
    let schema = Arc::clone(source.schema());
    let parts = source.collect::<moretta::Result<Vec<_>>>().expect("rows");
    Batch::concat(&schema, parts).expect("one schema")
}

#[test]
fn each_cluster_is_protected_as_a_table_of_its_own_and_rows_keep_their_places() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("in.csv"), table(200)).expect("written");
    let method = "method = \"microaggregation\"\nk = 5\ndistance = \"sum\"";
    let text = policy("clusters = 4", "", method);
    let text = text.replace("[sink]\n", "[sink]\norder = \"input\"\n");
    let found = run(folder.path(), &text).expect("released");
    let plan = parsed(folder.path(), &text).expect("a policy").plan;
    let rows = batch(folder.path());
    // Nothing is drawn, so the seed is 0.
    let divided = clusters(&rows, &[0, 1, 2], (4, 5), 0, &Cancel::default()).expect("clusters");
    assert!(divided.len() > 1);
    let mut expected = vec![String::new(); rows.len()];
    for of in divided {
        let part = rows.take(&of).expect("rows");
        let mut operator = plan.protect[0]
            .build(part.schema(), &Setting::default())
            .expect("built");
        operator.push(part).expect("taken");
        let released = operator.finish().expect("released");
        for (place, &row) in of.iter().enumerate() {
            let cell = |column: &Column| match column {
                Column::Number(numbers) => numbers.get(place).expect("a number").to_string(),
                Column::Category(words) => words.get(place).expect("a word").to_owned(),
                Column::Plain(_) => String::new(),
            };
            let cells: Vec<String> = released.columns().iter().take(3).map(cell).collect();
            expected[row as usize] = cells.join(",");
        }
    }
    let found: Vec<&str> = found
        .lines()
        .skip(1)
        .map(|line| line.rsplit_once(',').expect("four columns").0)
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn a_table_turned_round_has_the_same_release() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = table(150);
    let mut lines: Vec<&str> = text.lines().collect();
    let head = lines.remove(0);
    for method in [
        "method = \"mondrian\"",
        "method = \"datafly\"\nsuppress = 1",
    ] {
        let text = policy("clusters = 3", "[guarantee]\nk = 4", method);
        let mut release = || {
            lines.reverse();
            let turned = format!("{head}\n{}\n", lines.join("\n"));
            fs::write(folder.path().join("in.csv"), turned).expect("written");
            run(folder.path(), &text).expect("released")
        };
        let first = release();
        assert_eq!(first, release(), "{method}");
    }
}

#[test]
fn what_cannot_be_divided_is_refused_with_the_way_out() {
    let folder = tempfile::tempdir().expect("a folder");
    for (method, guarantee, what) in [
        (
            "method = \"noise\"\nbuffer = 10\ncolumns = [\"age\"]",
            "",
            "is for tables",
        ),
        (
            "method = \"pram\"\ncolumns = [\"town\"]",
            "",
            "means nothing here",
        ),
        (
            "method = \"sampling\"\nfraction = 0.5",
            "",
            "means nothing here",
        ),
        (
            "method = \"local-dp\"\ncolumns.age = { mechanism = \"laplace\", epsilon = 1, bounds = [0, 99] }",
            "",
            "means nothing here",
        ),
        (
            "method = \"mondrian\"",
            "[guarantee]\nk = 2\n[levels]\na = { k = 2 }\nb = { k = 5 }",
            "[levels]",
        ),
    ] {
        let text = policy("clusters = 4", guarantee, method).replace("\"sensitive\"", "\"plain\"");
        let text = match method.contains("local-dp") {
            true => text
                .replace("grade = { role = \"quasi\"", "grade = { role = \"plain\"")
                .replace("town = { role = \"quasi\"", "town = { role = \"plain\""),
            false => text,
        };
        let error = parsed(folder.path(), &text).expect_err(what);
        assert!(error.to_string().contains(what), "{method}: {error}");
    }
}

#[test]
fn methods_are_compared_with_and_without_clusters() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("in.csv"), table(200)).expect("written");
    let text = policy("", "[guarantee]\nk = 5", "method = \"mondrian\"");
    let policy = parsed(folder.path(), &text).expect("a policy");
    let settings = ComparisonSettings {
        methods: vec![("mondrian".to_owned(), policy.plan.protect[0].clone())],
        k: Vec::new(),
        clusters: vec![2, 4],
        risk: "marketer_risk".to_owned(),
        loss: "gcp".to_owned(),
    };
    let compared = pipeline::compare_methods(&policy, &settings, &Progress::default());
    let tried = compared.expect("compared").tried;
    let names: Vec<&str> = tried.iter().map(|tried| tried.method.as_str()).collect();
    assert_eq!(
        names,
        ["mondrian", "mondrian, 2 clusters", "mondrian, 4 clusters"]
    );
    for one in &tried {
        assert_eq!((one.released, &one.refused), (200, &None), "{}", one.method);
        assert!(
            one.values[1].is_some_and(|loss| loss > 0.0),
            "{}",
            one.method
        );
    }
    assert_ne!(tried[0].values, tried[2].values);
}
