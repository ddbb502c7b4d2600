//! Samples from the command line: alone, before methods that make them coarser or mask them, and
//! what a policy may not ask of them.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use support::{Folder, replaced};

const POLICY: &str = r#"version = 1
seed = 11
[source]
path = "admissions.csv"
[columns]
who    = { role = "identifier" }
age    = { role = "quasi", type = "number" }
zip    = { role = "quasi", type = "category", hierarchy = { mask = "right" } }
team   = { role = "quasi", type = "category" }
region = { role = "drop", type = "category" }
cost   = { role = "sensitive", type = "number" }
row    = { role = "plain" }
[guarantee]
k = 4
[[protect]]
method = "sampling"
SAMPLE
[[protect]]
method = "mondrian"
[sink]
path = "out/release.csv"
[report]
path = "out/report.html"
"#;

const MONDRIAN: &str = "[[protect]]\nmethod = \"mondrian\"\n";
const PROMISE: &str = "[guarantee]\nk = 4\n";
const HEADER: &str = "who,age,zip,team,region,cost,row\n";
const ROWS: usize = 400;

/// Some teams are of few, so that a set of teams tells who was drawn.
fn row(i: usize) -> String {
    let team = match i % 50 {
        0 => format!("rare{i}"),
        _ => format!("t{}", i % 3),
    };
    let region = ["north", "south", "west", "east"][i * i % 7 % 4];
    let (age, zip, cost) = (20 + i * 7 % 60, 4000 + i * 11 % 97, i * 13 % 1009);
    format!("p{i},{age},{zip},{team},{region},{cost},{i}\n")
}

fn table() -> String {
    let rows: String = (0..ROWS).map(row).collect();
    format!("{HEADER}{rows}")
}

fn policy(sample: &str) -> String {
    replaced(POLICY, "SAMPLE", sample)
}

fn folder(policy: &str) -> Folder {
    Folder::new().policy(policy).data(table())
}

/// The rows of the source that were released.
fn drawn(folder: &Folder) -> BTreeSet<usize> {
    let release = folder.text("out/release.csv");
    let rows = release.lines().skip(1);
    let number = |line: &str| line.rsplit(',').next().and_then(|row| row.parse().ok());
    rows.map(|line| number(line).expect("a row")).collect()
}

#[test]
fn what_leaves_follows_from_the_rows_that_were_drawn_alone() {
    for (sample, second) in [
        ("fraction = 0.3", "method = \"mondrian\""),
        (
            "size = 90\nstrata = [\"region\"]",
            "method = \"mondrian\"\nsuppress = 0.1",
        ),
        ("fraction = 0.4", "method = \"lattice\"\nsuppress = 0.9"),
        ("fraction = 0.5", "method = \"datafly\"\nsuppress = 0.9"),
    ] {
        let chained = replaced(&policy(sample), "method = \"mondrian\"", second);
        let first = folder(&chained);
        first.run().succeeds();
        // Rows that were drawn and then suppressed are not seen in the release.
        let alone = replaced(&policy(sample), MONDRIAN, "");
        let alone = folder(&replaced(&alone, PROMISE, ""));
        alone.run().succeeds();
        let rows: String = drawn(&alone).into_iter().map(row).collect();
        assert!(drawn(&first).is_subset(&drawn(&alone)), "{sample}");
        let sampled = format!("[[protect]]\nmethod = \"sampling\"\n{sample}\n");
        let again = Folder::new().data(format!("{HEADER}{rows}"));
        let again = again.policy(&replaced(&chained, &sampled, ""));
        again.run().succeeds();
        let text = |folder: &Folder| folder.text("out/release.csv");
        assert_eq!(text(&first), text(&again), "{sample} {second}");
        // Rows that were not drawn are neither lost nor suppressed.
        let (report, expected) = (first.report(), again.report());
        assert_eq!(
            report["measures"], expected["measures"],
            "{sample} {second}"
        );
        assert_eq!(report["rows"]["suppressed"], expected["rows"]["suppressed"]);
        let left_out = report["rows"]["left_out"].as_u64().expect("a bound");
        let exact = (ROWS - drawn(&alone).len()) as u64;
        assert!(
            exact <= left_out && left_out < exact + 10,
            "{exact} {left_out}"
        );
        assert_eq!(report["rows"]["read_is_bound"], true);
        let verified = first.moretta(&["verify", "out/release.csv", "--policy", "policy.toml"]);
        assert_eq!(verified.code, Some(0), "{}", verified.stderr);
    }
}

#[test]
fn each_stratum_gets_its_share_and_the_column_that_makes_strata_is_not_released() {
    let folder = folder(&policy("fraction = 0.25\nstrata = [\"region\"]"));
    folder.run().succeeds();
    let header = folder.text("out/release.csv");
    assert!(!header.lines().next().expect("a header").contains("region"));
    let region = |row: usize| row * row % 7 % 4;
    let count = |rows: &mut dyn Iterator<Item = usize>| {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        rows.for_each(|row| *counts.entry(region(row)).or_default() += 1);
        counts
    };
    let (all, drawn) = (
        count(&mut (0..ROWS)),
        count(&mut drawn(&folder).into_iter()),
    );
    assert_eq!(drawn.values().sum::<usize>(), ROWS / 4);
    for (region, rows) in all {
        let share = rows as f64 / 4.0;
        let found = drawn[&region] as f64;
        assert!(
            found == share.floor() || found == share.ceil(),
            "{share} {found}"
        );
    }
}

#[test]
fn without_a_seed_nobody_knows_who_was_drawn() {
    let secret = replaced(&policy("fraction = 0.3"), "seed = 11\n", "");
    let runs = [0, 1].map(|_| {
        let folder = folder(&secret);
        folder.run().succeeds();
        assert!(!folder.report().to_string().contains("seed"));
        drawn(&folder)
    });
    assert_ne!(runs[0], runs[1]);
    let seeded = folder(&policy("fraction = 0.3"));
    seeded.run().succeeds();
    let warnings = seeded.report()["warnings"].to_string();
    assert!(warnings.contains("can tell who was drawn"), "{warnings}");
    assert!(!seeded.report()["policy"].to_string().contains("seed = 11"));
}

#[test]
fn a_sample_alone_tells_its_risk_and_that_it_promises_nothing() {
    let alone = replaced(&policy("fraction = 0.3"), MONDRIAN, "");
    let folder = folder(&replaced(&alone, PROMISE, ""));
    let run = folder.run();
    run.succeeds();
    let report = folder.report();
    let warnings = report["warnings"].to_string();
    let open = "quasi-identifiers of the sample are released as they are: `age`, `zip`, `team`";
    assert!(warnings.contains(open), "{warnings}");
    assert_eq!(report["rows"]["released"], 120);
    let measures = report["measures"].as_array().expect("measures");
    let risk = measures.iter().find(|m| m["name"] == "prosecutor_risk");
    assert_eq!(risk.expect("a risk")["after"], 1.0);
    assert!(
        report["verdict"]["claims"]
            .as_array()
            .expect("claims")
            .is_empty()
    );
    let columns = report["columns"].as_array().expect("columns");
    assert!(
        columns
            .iter()
            .all(|c| c["treatment"] == "kept" || c["treatment"] == "dropped")
    );
    let limited = format!(
        "{}[measure]\nfail_above = {{ uniques = 0.01 }}\n",
        folder.text("policy.toml")
    );
    let folder = self::folder(&limited);
    folder.run().fails(6, "uniques is");
}

#[test]
fn promises_about_a_population_hold_a_sample_against_the_whole_table() {
    let mapped = "[guarantee]\nk_map = { k = 4, population = \"people.csv\" }\n";
    let mapped = replaced(&policy("fraction = 0.3"), PROMISE, mapped);
    let mapped = replaced(&mapped, "method = \"mondrian\"", "method = \"lattice\"");
    // With k of the sample itself, more must be given up.
    let k = replaced(
        &policy("fraction = 0.3"),
        "method = \"mondrian\"",
        "method = \"lattice\"",
    );
    let losses = [mapped, k].map(|policy| {
        let policy = replaced(&policy, "team   = { role = \"quasi\", type = \"category\" }", "team = { role = \"drop\" }");
        let policy = replaced(&policy, "age    = { role = \"quasi\", type = \"number\" }",
            "age = { role = \"quasi\", type = \"number\", hierarchy = { intervals = [5, 10, 20, 40] } }");
        let folder = folder(&policy).file("people.csv", table());
        folder.run().succeeds();
        let report = folder.report();
        let measures = report["measures"].as_array().expect("measures").clone();
        let gcp = measures.iter().find(|m| m["name"] == "gcp").expect("a loss");
        gcp["after"].as_f64().expect("a number")
    });
    assert!(losses[0] < losses[1], "{losses:?}");
}

#[test]
fn a_sample_is_masked_like_any_table() {
    for mask in [
        "method = \"noise\"\ncolumns = [\"cost\"]",
        "method = \"local-dp\"\ncolumns.cost = { mechanism = \"laplace\", epsilon = 1, bounds = [0, 1009] }",
    ] {
        let masked = replaced(&policy("fraction = 0.3"), "method = \"mondrian\"", mask);
        let masked = replaced(&masked, PROMISE, "");
        let masked = masked.replace("role = \"quasi\"", "role = \"plain\"");
        let masked = replaced(&masked, ", hierarchy = { mask = \"right\" }", "");
        let folder = folder(&masked);
        folder.run().succeeds();
        assert_eq!(drawn(&folder).len(), 120, "{mask}");
        assert_eq!(
            folder.report()["rows"]["suppressed"]
                .as_array()
                .map(Vec::len),
            Some(0)
        );
    }
}

#[test]
fn persons_are_drawn_whole_and_counted() {
    let persons = replaced(
        &policy("fraction = 0.5"),
        "who    = { role = \"identifier\" }",
        "who = { role = \"subject\" }",
    );
    // Five rows a person.
    let rows = (0..ROWS).map(|i| row(i).replacen(&format!("p{i},"), &format!("p{},", i / 5), 1));
    let table = format!("{HEADER}{}", rows.collect::<String>());
    let folder = Folder::new().policy(&persons).data(&table);
    folder.run().succeeds();
    let drawn = drawn(&folder);
    assert_eq!(drawn.len(), ROWS / 2);
    let persons: BTreeSet<usize> = drawn.iter().map(|row| row / 5).collect();
    assert_eq!(persons.len(), ROWS / 10);
    let torn = replaced(
        &folder.text("policy.toml"),
        "0.5",
        "0.5\nstrata = [\"region\"]",
    );
    let folder = Folder::new().policy(&torn).data(&table);
    folder.run().fails(4, "persons have rows in several strata");
}

#[test]
fn what_a_sample_cannot_be_is_refused() {
    let private = "method = \"local-dp\"\ncolumns.cost = { mechanism = \"laplace\", epsilon = 1, bounds = [0, 1009] }";
    let half = policy("fraction = 0.5");
    let stratified = policy("fraction = 0.5\nstrata = [\"region\"]");
    let sampling = "[[protect]]\nmethod = \"sampling\"\nfraction = 0.5\n";
    let last = replaced(&half, sampling, "");
    let last = replaced(&last, MONDRIAN, &format!("{MONDRIAN}{sampling}"));
    let plain = "region = { role = \"drop\", type = \"category\" }";
    for (policy, code, message) in [
        (policy(""), 3, "nothing says how much is drawn"),
        (
            policy("fraction = 0.5\nsize = 3"),
            3,
            "`fraction` and `size` both say how much is drawn",
        ),
        (policy("fraction = 1"), 3, "`fraction` must"),
        (
            policy("fraction = 0.5\nstrata = [\"land\"]"),
            3,
            "sampling looks at `land`, which is not under [columns]",
        ),
        (
            replaced(&stratified, plain, "region = { role = \"plain\" }"),
            3,
            "sampling looks at `region`, which only passes through",
        ),
        (policy("size = 400"), 1, "the sample would hold all rows"),
        (
            policy("fraction = 0.001"),
            1,
            "too few rows to draw any of them",
        ),
        (
            last,
            3,
            "sampling would draw from rows of which mondrian has used those that are not drawn",
        ),
        (
            replaced(&half, MONDRIAN, ""),
            3,
            "sampling cannot promise k",
        ),
        (
            replaced(
                &replaced(&stratified, "method = \"mondrian\"", private),
                PROMISE,
                "",
            ),
            3,
            "local-dp promises ε, and sampling has used its values before it",
        ),
    ] {
        folder(&policy).run().fails(code, message);
    }
}
