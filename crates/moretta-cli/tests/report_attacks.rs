//! What an attacker who has a release, its report and its policy learns of rows that were
//! not released: nothing but bounds that many tables share.
//!
//! Two kinds of attack. *Solving*: every figure of the report is a formula with the range of
//! a column or the number of suppressed rows in it, and is solved for them. *Comparing*: two
//! tables that differ in suppressed rows alone must have the same report, to the byte.

mod support;

use moretta::protect::Family;
use serde_json::Value;
use support::{Folder, replaced};

/// Every column that loses something, and one method that suppresses.
const POLICY: &str = r#"version = 1
[source]
path = "admissions.csv"
[columns]
name      = { role = "identifier" }
person    = { role = "subject" }
age       = { role = "quasi" }
stay      = { role = "quasi", hierarchy = { intervals = [10, 50] } }
zip       = { role = "quasi", type = "category", hierarchy = { mask = "right" } }
team      = { role = "quasi" }
day       = { role = "quasi", hierarchy = { dates = ["month", "year"] } }
diagnosis = { role = "sensitive" }
outcome   = { role = "class" }
ward      = { role = "plain" }
[guarantee]
k = 5
l = { value = 2, on = ["diagnosis"] }
METHOD
[measure]
report = ["gcp", "accuracy_loss"]
fail_above = { gcp = 0.9 }
population = 5000
[sink]
path = "out/release.csv"
[report]
path = "out/report.html"
"#;

const HEADER: &str = "name,person,age,stay,zip,team,day,diagnosis,outcome,ward\n";

/// A policy for each method on tables that can suppress; a new one needs a line here. Items of
/// persons are looked at in `tests/items.rs` of the library.
fn methods() -> Vec<(&'static str, String)> {
    let tables = moretta::protect::METHODS.iter().filter(|info| {
        let suppresses = |parameter: &moretta::config::Parameter| parameter.name == "suppress";
        info.family == Family::Table && info.parameters.iter().any(suppresses)
    });
    tables
        .map(|info| {
            let parameters = match info.name {
                "generalization" => "levels = { stay = 2, zip = 3, day = 2 }\nsuppress = 0.1",
                "datafly" | "lattice" => "suppress = 0.1",
                "mondrian" => "suppress = 0.05",
                other => panic!("how does {other} suppress?"),
            };
            let method = format!("[[protect]]\nmethod = \"{}\"\n{parameters}", info.name);
            (info.name, replaced(POLICY, "METHOD", &method))
        })
        .collect()
}

/// A method that decides by classes alone, so that suppressed rows do not change what others show.
fn by_classes() -> String {
    let mut methods = methods().into_iter();
    let method = methods.find(|(name, _)| *name == "generalization");
    method.expect("it is among the methods").1
}

/// 320 persons in crowds of 40; ages 30 and 50, so that the least and the largest are known.
fn crowd() -> String {
    let row = |i: usize| {
        let group = i / 40;
        format!(
            "n{i},p{i},{},{},47{}1{},{},2024-0{}-1{},{},{},{}\n",
            30 + 20 * (group % 2),
            60 + i % 9,
            group / 4,
            i % 3,
            ["red", "blue"][group / 2 % 2],
            1 + i % 4,
            i % 10,
            ["flu", "cold", "asthma"][i % 3],
            ["well", "ill"][i % 2],
            ["east", "west"][i % 2],
        )
    };
    (0..320).map(row).collect()
}

/// Rows that no class can hold, and that hold what nobody else does.
fn outliers(count: usize, age: usize, word: &str) -> String {
    let row = |i: usize| {
        let day = ["1931-05-07", "2024-01-30", "1999-12-31"][(age + i) % 3];
        let team = if i % 2 == 1 { "" } else { word };
        let (stay, zip) = (1_000 + age * i, 90_000 + age + i);
        let person = format!("{word}{i}");
        let age = age + i;
        format!("{person},{person},{age},{stay},{zip},{team},{day},{word},{word},{word}\n")
    };
    (0..count).map(row).collect()
}

struct Published {
    release: String,
    report: Value,
    /// The files as they are.
    json: String,
    page: String,
}

fn run(policy: &str, rows: &str) -> Published {
    let folder = Folder::new().policy(policy).data(format!("{HEADER}{rows}"));
    folder.run().succeeds();
    Published {
        release: folder.text("out/release.csv"),
        report: folder.report(),
        json: folder.text("out/report.json"),
        page: folder.text("out/report.html"),
    }
}

impl Published {
    fn rows(&self) -> Vec<Vec<&str>> {
        let lines = self.release.lines().skip(1);
        lines.map(|line| line.split(',').collect()).collect()
    }

    fn place(&self, column: &str) -> usize {
        let header = self.release.lines().next().expect("a header");
        let place = header.split(',').position(|name| name == column);
        place.expect("a column")
    }

    fn released(&self) -> f64 {
        self.rows().len() as f64
    }

    fn measure(&self, name: &str) -> f64 {
        let measures = self.report["measures"].as_array().expect("measures");
        let found = measures.iter().find(|measure| measure["name"] == name);
        found.expect("a measure")["after"]
            .as_f64()
            .expect("a number")
    }

    /// The mean losses of the quasi-identifiers.
    fn losses(&self) -> Vec<(String, f64)> {
        let columns = self.report["columns"].as_array().expect("columns");
        let lossy = columns.iter().filter(|column| column["role"] == "quasi");
        lossy
            .map(|column| {
                let name = column["name"].as_str().expect("a name").to_owned();
                (name, column["loss"].as_f64().expect("a loss"))
            })
            .collect()
    }

    /// Released rows by class of equal quasi-identifiers.
    fn classes(&self) -> Vec<f64> {
        let mut sizes = std::collections::BTreeMap::new();
        let quasi: Vec<usize> = (self.losses().iter())
            .map(|(name, _)| self.place(name))
            .collect();
        for row in self.rows() {
            let key: Vec<&str> = quasi.iter().map(|&place| row[place]).collect();
            *sizes.entry(key.join("\t")).or_insert(0.0) += 1.0;
        }
        sizes.into_values().collect()
    }

    /// The bound for suppressed rows that the report tells.
    fn bound(&self) -> f64 {
        let reasons = self.report["rows"]["suppressed"].as_array();
        let bounds = reasons.expect("reasons").iter();
        bounds
            .map(|r| r["at_most"].as_f64().expect("a bound"))
            .sum()
    }

    /// The number of suppressed rows, by every formula that has it.
    fn solved(&self) -> Vec<(&'static str, f64)> {
        let released = self.released();
        let classes = self.classes();
        let losses = self.losses();
        let kept: f64 = losses.iter().map(|(_, loss)| loss).sum::<f64>() * released;
        let columns = losses.len() as f64;
        let gcp = self.measure("gcp");
        let squares: f64 = classes.iter().map(|size| size * size).sum();
        let discernibility = self.measure("discernibility");
        vec![
            (
                "average_class_size",
                self.measure("average_class_size") * classes.len() as f64 * 5.0 - released,
            ),
            ("ncp", (self.measure("ncp") - kept) / columns),
            // gcp = (kept + s·columns) / ((released + s)·columns)
            (
                "gcp",
                (gcp * released * columns - kept) / (columns * (1.0 - gcp)),
            ),
            // dm = squares + s·(released + s)
            (
                "discernibility",
                ((released * released + 4.0 * (discernibility - squares)).sqrt() - released) / 2.0,
            ),
            (
                "rows",
                self.report["rows"]["read"].as_f64().expect("rows") - released,
            ),
            (
                "source",
                self.report["source"]["rows"].as_f64().expect("rows") - released,
            ),
        ]
    }
}

#[test]
fn the_range_of_a_column_with_a_suppressed_person_does_not_follow_from_its_loss() {
    for (name, policy) in methods() {
        // Ages of the crowd are shown as an interval, so that they lose something.
        let mixed = crowd().replace(",50,", ",40,");
        let rows = format!("{mixed}{}", outliers(1, 113, "x"));
        let published = run(&policy, &rows);
        assert_eq!(
            published.released(),
            320.0,
            "{name}: the person is suppressed"
        );
        let place = published.place("age");
        let (mut widths, mut ends) = (0.0, (f64::INFINITY, f64::NEG_INFINITY));
        for row in published.rows() {
            let (low, high) = row[place]
                .split_once("..")
                .unwrap_or((row[place], row[place]));
            let number = |text: &str| text.parse::<f64>().expect("a number");
            let (low, high) = (number(low), number(high));
            widths += high - low;
            ends = (ends.0.min(low), ends.1.max(high));
        }
        assert_eq!(ends, (30.0, 40.0), "{name}");
        let losses = published.losses();
        let (_, loss) = losses.iter().find(|(name, _)| name == "age").expect("age");
        // loss = widths / (rows · range)
        if widths > 0.0 {
            let range = widths / (published.released() * loss);
            assert!((range - 10.0).abs() < 1e-6, "{name}: {range}");
        }
    }
}

#[test]
fn the_number_of_suppressed_rows_does_not_follow_from_any_figure() {
    for (name, policy) in methods() {
        for count in [1, 4, 9, 13] {
            let published = run(&policy, &format!("{}{}", crowd(), outliers(count, 90, "y")));
            let gone = 320.0 + count as f64 - published.released();
            assert!(gone > 0.0, "{name}: some of {count} are suppressed");
            let bound = 10.0 * (gone / 10.0).ceil();
            assert_eq!(published.bound(), bound, "{name}: {gone} are suppressed");
            for (figure, solved) in published.solved() {
                assert!(
                    (solved - bound).abs() < 1e-6,
                    "{name}: {figure} tells {solved} of {gone}, bound {bound}"
                );
            }
        }
    }
}

#[test]
fn tables_that_differ_in_suppressed_rows_alone_have_one_report() {
    let policy = by_classes();
    let others = [
        outliers(1, 113, "x"),
        outliers(1, 7, "rare"),
        outliers(7, 90, "unseen"),
        outliers(10, 200, "zzz"),
    ];
    let first = run(&policy, &format!("{}{}", crowd(), others[0]));
    for rows in &others[1..] {
        // Where they stand must not matter either.
        let other = run(&policy, &format!("{rows}{}", crowd()));
        assert_eq!(first.release, other.release);
        for (line, other) in first.json.lines().zip(other.json.lines()) {
            assert_eq!(line, other);
        }
        assert!(first.json == other.json && first.page == other.page);
    }
    let more = run(&policy, &format!("{}{}", crowd(), outliers(11, 90, "x")));
    assert_eq!(first.release, more.release);
    assert_ne!(first.json, more.json, "another bound is another report");
}

/// Three of five columns lose all and 12 of 332 rows are suppressed: gcp is 0.614, and 0.624
/// if they were 20, which is the bound. 30 of 350 are too many.
#[test]
fn a_limit_is_held_against_what_was_really_lost() {
    let policy = replaced(&by_classes(), "gcp = 0.9", "gcp = 0.62");
    let published = run(&policy, &format!("{}{}", crowd(), outliers(12, 90, "x")));
    assert_eq!(published.measure("gcp"), 0.62);
    let rows = format!("{HEADER}{}{}", crowd(), outliers(30, 90, "x"));
    let folder = Folder::new().policy(&policy).data(rows);
    folder
        .run()
        .fails(6, "gcp is 0.6343, above the limit of 0.62");
}

/// A sum of the source confirms a guess at it, so only whoever has the key gets one.
#[test]
fn a_guess_at_the_source_cannot_be_confirmed() {
    let (_, policy) = methods().swap_remove(0);
    let open = run(&policy, &crowd());
    let source = &open.report["source"];
    for told in ["sha256", "bytes", "hmac_sha256"] {
        assert!(source[told].is_null(), "{told}");
    }
    let keyed = replaced(
        &policy,
        "path = \"out/report.html\"",
        "path = \"out/report.html\"\nkey = \"file:key\"",
    );
    let sum = |key: &str, rows: &str| {
        let folder = Folder::new().policy(&keyed).file("key", key);
        let folder = folder.data(format!("{HEADER}{rows}"));
        folder.run().succeeds().hides(key);
        let source = folder.report()["source"].clone();
        assert!(source["sha256"].is_null());
        source["hmac_sha256"].as_str().expect("a sum").to_owned()
    };
    let (one, other) = ("0123456789abcdef", "fedcba9876543210");
    assert_eq!(sum(one, &crowd()), sum(one, &crowd()));
    assert_ne!(sum(one, &crowd()), sum(other, &crowd()));
    let changed = crowd().replacen("flu", "cold", 1);
    assert_ne!(sum(one, &crowd()), sum(one, &changed));
}

/// One person is said to be 10,000 years old.
#[test]
fn an_absurd_value_does_not_hide_what_is_lost() {
    let policy = r#"version = 1
[source]
path = "admissions.csv"
[columns]
age = { role = "quasi" }
weight = { role = "quasi" }
[guarantee]
k = 10
[[protect]]
method = "mondrian"
[sink]
path = "out/release.csv"
[report]
path = "out/report.html"
"#;
    let row = |i: usize| format!("{},{}\n", 20 + i * 37 % 61, 50 + i * 53 % 47);
    let usual: String = (0..600).map(row).collect();
    let absurd = format!("{usual}10000,70\n");
    let gcp = |policy: &str, rows: &str| {
        let folder = Folder::new()
            .policy(policy)
            .data(format!("age,weight\n{rows}"));
        folder.run().succeeds();
        let report = folder.report();
        let measures = report["measures"].as_array().expect("measures").iter();
        let gcp = measures.clone().find(|m| m["name"] == "gcp").expect("gcp");
        let warned = report["warnings"].to_string().contains("stretch the range");
        (gcp["after"].as_f64().expect("a number"), warned)
    };
    let (expected, warned) = gcp(policy, &usual);
    assert!(!warned);
    let (found, warned) = gcp(policy, &absurd);
    assert!(warned && found > 0.9 * expected, "{found} for {expected}");
    let declared = replaced(
        policy,
        "age = { role = \"quasi\" }",
        "age = { role = \"quasi\", range = [20, 80] }",
    );
    let (found, warned) = gcp(&declared, &absurd);
    assert!(!warned && found > 0.9 * expected, "{found} for {expected}");
    let limited = format!(
        "{policy}[measure]\nfail_above = {{ gcp = {} }}\n",
        0.8 * expected
    );
    let folder = Folder::new()
        .policy(&limited)
        .data(format!("age,weight\n{absurd}"));
    folder.run().fails(6, "gcp is");
}

/// Regions of every kind: labels of rules, exact and rounded intervals, sets, means.
const REGIONS: &str = r#"version = 1
[source]
path = "admissions.csv"
[columns]
age    = { role = "quasi"AGE }
zip    = { role = "quasi", type = "category", hierarchy = { mask = "right" } }
born   = { role = "quasi", type = "date", hierarchy = { dates = ["month", "year", "decade"] } }
team   = { role = "quasi" }
income = { role = "drop" }
floor  = { role = "plain" }
[guarantee]
k = 5
[[protect]]
METHOD
[sink]
path = "out/release.csv"
[report]
path = "out/report.html"
"#;

/// Policies whose releases do not tell an extreme value from another of its class.
fn regions() -> Vec<(&'static str, String)> {
    let tree = ", hierarchy = { intervals = [10, 50] }";
    let levels = "method = \"generalization\"\nlevels = { age = 2, zip = 3, born = 3 }";
    [
        ("labels", tree, levels),
        (
            "rounded",
            "",
            "method = \"mondrian\"\nbounds = { age = 25 }",
        ),
        ("labels of mondrian", tree, "method = \"mondrian\""),
        (
            "modes",
            "",
            "method = \"mondrian\"\nbounds = { age = 25 }\noutput = { team = \"mode\" }",
        ),
    ]
    .into_iter()
    .map(|(name, age, method)| {
        let policy = replaced(&replaced(REGIONS, "METHOD", method), "AGE", age);
        (name, policy)
    })
    .collect()
}

/// 400 persons, the last of whom is old, lives alone and was born long ago.
fn village(age: usize, zip: &str, born: &str) -> String {
    let row = |i: usize| {
        let year = 1990 + i % 10;
        format!(
            "{},ab{}c{},{year}-0{}-1{},{},euro{},{}\n",
            50 + i % 7,
            i % 4,
            i % 3,
            1 + i % 6,
            i % 10,
            ["red", "blue", "green"][i % 3],
            1_000 + i,
            i % 5
        )
    };
    let oldest = format!("{age},{zip},{born},red,euro7777,2\n");
    let rows: String = (0..399).map(row).collect();
    format!("age,zip,born,team,income,floor\n{rows}{oldest}")
}

fn run_table(policy: &str, table: &str) -> Published {
    let folder = Folder::new().policy(policy).data(table);
    folder.run().succeeds();
    Published {
        release: folder.text("out/release.csv"),
        report: folder.report(),
        json: folder.text("out/report.json"),
        page: folder.text("out/report.html"),
    }
}

impl Published {
    fn histogram(&self, column: &str) -> &Value {
        let columns = self.report["columns"].as_array().expect("columns");
        let found = columns.iter().find(|fact| fact["name"] == column);
        &found.expect("a column")["histogram"]
    }

    fn section_of_columns(&self) -> &str {
        let start = self.page.find("<section id=\"columns\">").expect("columns");
        let end = self.page[start..].find("</section>").expect("its end");
        &self.page[start..start + end]
    }
}

#[test]
fn an_extreme_value_does_not_move_the_bins() {
    for (name, policy) in regions() {
        let first = run_table(&policy, &village(71, "ab0d5", "1990-07-19"));
        for (age, zip, born) in [
            (74, "ab0d5", "1990-07-19"),
            (71, "ab0d9", "1990-07-19"),
            (71, "ab0d5", "1990-07-31"),
        ] {
            let other = run_table(&policy, &village(age, zip, born));
            assert_eq!(first.release, other.release, "{name}: {age} {zip} {born}");
            for column in ["age", "zip", "born", "team", "floor"] {
                let (one, two) = (first.histogram(column), other.histogram(column));
                assert_eq!(one, two, "{name}: {column} with {age} {zip} {born}");
            }
            assert_eq!(first.section_of_columns(), other.section_of_columns());
        }
    }
}

#[test]
fn a_value_that_the_release_does_not_show_is_not_in_the_report() {
    for (name, policy) in regions() {
        let table = village(71, "ab0d5", "1990-07-19");
        let published = run_table(&policy, &table);
        let mut withheld = 0;
        for row in table.lines().skip(1) {
            let cells: Vec<&str> = row.split(',').collect();
            for cell in [cells[1], cells[2], cells[4]] {
                // As a whole cell, a member of a set or an end of an interval.
                let shown = published.release.split([',', '|', '{', '}', '\n', '.']);
                if shown.clone().any(|text| text == cell) {
                    continue;
                }
                withheld += 1;
                for text in [&published.json, &published.page] {
                    let found = text.match_indices(cell).any(|(at, _)| {
                        let after = text[at + cell.len()..].chars().next();
                        let before = text[..at].chars().next_back();
                        let apart = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
                        apart(before) && apart(after)
                    });
                    assert!(!found, "{name}: {cell}");
                }
            }
        }
        assert!(withheld > 400, "{name}: {withheld}");
        assert!(published.histogram("income").is_null(), "{name}: dropped");
        assert!(published.histogram("floor").is_object(), "{name}: plain");
    }
}

/// Unless the release says that nobody is in a bin, more than ten are.
#[test]
fn no_bin_tells_that_few_or_none_are_in_it() {
    let people = |oldest: usize| village(oldest, "ab0d5", "1990-07-19");
    for (name, policy) in regions() {
        let published = run_table(&policy, &people(74));
        let mut told = 0;
        for column in ["age", "zip", "born", "team", "floor"] {
            let bins = published.histogram(column)["bins"].as_array();
            for bin in bins.into_iter().flatten() {
                let (Some(before), Some(after)) = (bin["before"].as_f64(), bin["after"].as_f64())
                else {
                    continue;
                };
                assert!(
                    before > 10.0 || (before == 0.0 && after == 0.0),
                    "{name}: {column} {bin}"
                );
                told += 1;
            }
        }
        assert!(told > 10, "{name}: {told}");
    }
}

/// Whoever has the release counts the same, so the table adds nothing to it.
#[test]
fn the_risk_of_each_column_follows_from_the_release() {
    for (name, policy) in regions() {
        let published = run_table(&policy, &village(71, "ab0d5", "1990-07-19"));
        let rows = published.rows();
        let mean = |places: &[usize]| {
            let mut classes: Vec<Vec<&str>> = (rows.iter())
                .map(|row| places.iter().map(|&place| row[place]).collect())
                .collect();
            classes.sort();
            classes.dedup();
            classes.len() as f64 / rows.len() as f64
        };
        let quasi = ["age", "zip", "born", "team"].map(|column| published.place(column));
        let risk = &published.report["risk_by_column"];
        let told = |value: &Value| value["mean"].as_f64().expect("a mean");
        assert_eq!(told(&risk["all"]), mean(&quasi), "{name}");
        for column in risk["columns"].as_array().expect("columns") {
            let place = published.place(column["name"].as_str().expect("a name"));
            let others: Vec<usize> = quasi.into_iter().filter(|&p| p != place).collect();
            assert_eq!(told(&column["alone"]), mean(&[place]), "{name}");
            assert_eq!(told(&column["without"]), mean(&others), "{name}");
        }
    }
}
