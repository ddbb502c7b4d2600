//! Several methods in one policy: each promise holds of what leaves at last, and a promise
//! that a later method would break is refused before a row is read.

mod support;

use std::collections::BTreeMap;
use support::{Folder, Table, policy_with, replaced};

const ONE: &str = "[[protect]]\nmethod = \"mondrian\"\n";
const MONDRIAN: &str = "method = \"mondrian\"";
const GENERALIZATION: &str = "method = \"generalization\"\nlevels = { zip = 4, admission = 2 }";
const GENERALIZATION_OF_DATES: &str =
    "method = \"generalization\"\nlevels = { admission = 2 }\nsuppress = 0.9";
const NOISE: &str = "method = \"noise\"\ncolumns = [\"cost\"]";
const SWAPS: &str = "method = \"rank-swapping\"\ncolumns = [\"cost\"]";
const PRIVATE: &str = "method = \"local-dp\"\ncolumns.cost = { mechanism = \"laplace\", epsilon = 1, bounds = [0, 9000] }";
const GROUPS: &str = "method = \"microaggregation\"\nk = 50\ncolumns = [\"age\"]";
const RECODING: &str =
    "method = \"recoding\"\nlevels = { zip = 2 }\nround = { age = 5 }\ntop = { age = 60 }";
const INSIDE: &str =
    "method = \"rank-swapping\"\ncolumns = [\"cost\"]\ninside = \"classes\"\nwithin = \"100%\"";
const SHUFFLING: &str = "method = \"shuffling\"\ncolumns = [\"cost\"]\ngiven = [\"age\"]";
const ROWS: usize = 400;

fn policy(methods: &[&str]) -> String {
    let tables = methods
        .iter()
        .map(|method| format!("[[protect]]\n{method}\n"));
    policy_with(ONE, &tables.collect::<String>())
        .replace("version = 1", "version = 1\nseed = 5")
        .replace(
            "admission = { role = \"quasi\" }",
            "admission = { role = \"quasi\", hierarchy = { dates = [\"month\", \"year\"] } }",
        )
        .replace(
            "{ role = \"plain\" }",
            "{ role = \"plain\", type = \"number\" }",
        )
}

fn folder(methods: &[&str]) -> Folder {
    Folder::with_table(&Table::of(ROWS)).policy(&policy(methods))
}

/// The cells of these columns, row by row.
fn cells(release: &str, names: &[&str]) -> Vec<Vec<String>> {
    let mut lines = release.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let place = |name: &&str| header.iter().position(|n| n == name).expect("a column");
    let places: Vec<usize> = names.iter().map(place).collect();
    lines
        .map(|line| {
            let row: Vec<&str> = line.split(',').collect();
            places.iter().map(|&place| row[place].to_owned()).collect()
        })
        .collect()
}

fn sorted(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    rows.sort();
    rows
}

const QUASI: [&str; 4] = ["age", "sex", "zip", "admission"];

#[test]
fn k_holds_of_what_leaves_whatever_the_methods() {
    for methods in [
        &[NOISE, MONDRIAN][..],
        &[MONDRIAN, NOISE],
        &[SWAPS, MONDRIAN],
        &[MONDRIAN, SWAPS],
        &[PRIVATE, MONDRIAN],
        &[GROUPS, GENERALIZATION],
        &["method = \"noise\"\ncolumns = [\"age\"]", MONDRIAN],
        &[NOISE, SWAPS, MONDRIAN],
        &[GROUPS, NOISE, MONDRIAN],
        &[RECODING, MONDRIAN],
        &[RECODING, GENERALIZATION_OF_DATES],
        &[NOISE, RECODING, MONDRIAN, SWAPS],
        &[MONDRIAN, INSIDE],
        &[SHUFFLING, MONDRIAN],
        &["method = \"sampling\"\nfraction = 0.5", SHUFFLING, MONDRIAN],
        &[RECODING, MONDRIAN, INSIDE],
        &[GENERALIZATION, INSIDE],
    ] {
        let folder = folder(methods);
        folder.run().succeeds();
        let release = folder.text("out/release.csv");
        let mut classes: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        for row in cells(&release, &QUASI) {
            *classes.entry(row).or_default() += 1;
        }
        let smallest = classes.values().min().copied();
        assert!(smallest >= Some(5), "{methods:?}: {smallest:?}");
        let report = folder.report();
        assert_eq!(report["verdict"]["passed"], true, "{methods:?}");
        let verified = folder.moretta(&["verify", "out/release.csv", "--policy", "policy.toml"]);
        assert_eq!(verified.code, Some(0), "{methods:?}: {}", verified.stderr);
    }
}

#[test]
fn methods_on_different_columns_do_what_each_does_alone() {
    let release = |methods: &[&str]| {
        let folder = folder(methods);
        folder.run().succeeds();
        folder.text("out/release.csv")
    };
    let coarse = release(&[MONDRIAN]);
    let alone = policy(&[NOISE]).replace("[guarantee]\nk = 5\n", "");
    let alone = Folder::with_table(&Table::of(ROWS)).policy(&alone);
    alone.run().succeeds();
    let noisy = alone.text("out/release.csv");
    for methods in [[NOISE, MONDRIAN], [MONDRIAN, NOISE]] {
        let both = release(&methods);
        let kept = sorted(cells(&both, &QUASI)) == sorted(cells(&coarse, &QUASI));
        assert!(kept, "{methods:?}");
        let masked = sorted(cells(&both, &["cost"]));
        assert_ne!(masked, sorted(cells(&coarse, &["cost"])), "{methods:?}");
        // The second method of a chain draws by a seed of its own.
        let same = masked == sorted(cells(&noisy, &["cost"]));
        assert_eq!(same, methods[0] == NOISE, "{methods:?}");
    }
}

#[test]
fn the_report_tells_of_each_column_what_was_done_to_it() {
    let folder = folder(&[PRIVATE, MONDRIAN]);
    folder.run().succeeds();
    let report = folder.report();
    let columns = report["columns"].as_array().expect("columns");
    let treatment = |name: &str| {
        let column = columns.iter().find(|column| column["name"] == name);
        column.expect("a column")["treatment"].clone()
    };
    assert_eq!(treatment("age"), "generalised");
    assert_eq!(treatment("cost"), "masked");
    assert_eq!(treatment("diagnosis"), "kept");
    let cost = columns.iter().find(|column| column["name"] == "cost");
    assert!(cost.expect("a column")["histogram"].is_null());
    let claims = report["verdict"]["claims"].as_array().expect("claims");
    let names: Vec<&str> = claims.iter().filter_map(|c| c["name"].as_str()).collect();
    assert_eq!(
        names,
        ["k-anonymity", "differential privacy of the masked columns"]
    );
    assert!(report["pairs"].is_null(), "measures would break ε");
    let folder = self::folder(&[NOISE, MONDRIAN]);
    folder.run().succeeds();
    assert!(!folder.report()["pairs"].is_null());
}

#[test]
fn what_does_not_survive_is_refused_before_a_row_is_read() {
    let quasi = "method = \"noise\"\ncolumns = [\"age\"]";
    let stream = "method = \"z-anonymity\"\nz = 3\nwindow = \"1h\"";
    let buffered = "method = \"noise\"\ncolumns = [\"cost\"]\nbuffer = 10";
    let projected = "method = \"random-projection\"\ncolumns = [\"cost\"]";
    for (methods, message) in [
        (
            &[MONDRIAN, quasi][..],
            "what mondrian promises of `age` does not survive noise",
        ),
        (
            &[NOISE, PRIVATE, MONDRIAN],
            "local-dp promises ε, and noise has used its values before it",
        ),
        (
            &[MONDRIAN, PRIVATE],
            "local-dp promises ε, and mondrian has used its values before it",
        ),
        (
            &[MONDRIAN, GENERALIZATION],
            "a second method would generalise what the first one releases",
        ),
        (&[stream, NOISE], "waits for the whole table"),
        (
            &[buffered, stream],
            "z-anonymity counts events as they were and stands first",
        ),
        (&[stream, MONDRIAN], "mondrian does not go with events"),
        (&[buffered, MONDRIAN], "waits for the whole table"),
        (
            &[projected, NOISE],
            "random-projection replaces columns and stands alone",
        ),
        (
            &["method = \"noise\"\ncolumns = [\"patient\"]", MONDRIAN],
            "noise masks `patient`, by which persons are counted",
        ),
        (
            &[
                PRIVATE,
                "method = \"dp-microaggregation\"\nk = 5\nepsilon = 1\nbounds = { age = [0, 99] }",
                MONDRIAN,
            ],
            "two private methods would add up what each lets a record lose",
        ),
        (
            &[SWAPS, "method = \"mondrian\"\nsuppress = 0.1"],
            "mondrian may suppress rows that rank-swapping has mixed into others before",
        ),
        (
            &["method = \"noise\"\ncolumns = [\"diagnosis\"]", MONDRIAN],
            "l, t and p of `diagnosis` would count values that noise has made different",
        ),
        (
            &[
                MONDRIAN,
                "method = \"rank-swapping\"\ncolumns = [\"diagnosis\"]",
            ],
            "what mondrian promises of `diagnosis` does not survive rank-swapping",
        ),
        (
            &[
                MONDRIAN,
                "method = \"rank-swapping\"\ncolumns = [\"age\"]\ninside = \"classes\"",
            ],
            "what mondrian promises of `age` does not survive rank-swapping",
        ),
        (
            &[
                MONDRIAN,
                "method = \"rank-swapping\"\ncolumns = [\"diagnosis\"]\ninside = \"classes\"",
            ],
            "l, t and p of `diagnosis` count the persons of `patient`",
        ),
        (
            &[INSIDE, MONDRIAN],
            "rank-swapping swaps inside classes, and nothing before it makes any",
        ),
        (
            &[
                "method = \"rank-swapping\"\ncolumns = [\"cost\"]\ninside = \"classes\"\nbuffer = 10",
            ],
            "a stream with a `buffer` has no classes to swap inside",
        ),
        (
            &[MONDRIAN, RECODING],
            "recoding would recode what another method has made coarser",
        ),
        (
            &[RECODING, RECODING, MONDRIAN],
            "recoding would recode what another method has made coarser",
        ),
        (
            &[RECODING, NOISE, MONDRIAN],
            "noise stands between recoding and mondrian",
        ),
        (
            &[RECODING, PRIVATE],
            "local-dp promises ε, and recoding has used its values before it",
        ),
        (
            &[RECODING, GENERALIZATION],
            "recoding and generalization both have a level for `zip`",
        ),
        (
            &["method = \"recoding\"\nround = { admission = 7 }", MONDRIAN],
            "`round` names `admission`, which has a hierarchy",
        ),
        (
            &["method = \"recoding\"\ntop = { patient = 7 }", MONDRIAN],
            "`top` names `patient`, which is",
        ),
        (
            &["method = \"recoding\"\ntop = { height = 7 }", MONDRIAN],
            "`top` names `height`, and there is no such column",
        ),
        (
            &["method = \"recoding\"", MONDRIAN],
            "recoding names no column",
        ),
        (
            &[MONDRIAN, SHUFFLING],
            "shuffling looks at `age`, which mondrian shows as text",
        ),
        (
            &[
                "method = \"shuffling\"\ncolumns = [\"age\"]\ngiven = [\"cost\"]",
                PRIVATE,
                MONDRIAN,
            ],
            "local-dp promises ε, and shuffling has used its values before it",
        ),
        (
            &[
                "method = \"shuffling\"\ncolumns = [\"cost\"]\ngiven = [\"height\"]",
                MONDRIAN,
            ],
            "shuffling looks at `height`, which is not under [columns]",
        ),
    ] {
        let diverse = policy(methods)
            .replace("k = 5\n\n", "k = 5\nl = 2\n\n")
            .replace(
                "{ role = \"subject\" }",
                "{ role = \"subject\", action = \"keep\" }",
            );
        let folder = Folder::new().policy(&diverse);
        folder.run().fails(3, message);
        folder.moretta(&["check", "policy.toml"]).fails(3, message);
    }
}

#[test]
fn nothing_is_swapped_inside_classes_that_nobody_made() {
    let alone = replaced(&policy(&[INSIDE]), "[guarantee]\nk = 5\n", "");
    let folder = Folder::new().policy(&alone);
    let message = "rank-swapping swaps inside classes, and nothing before it makes any";
    folder.run().fails(3, message);
}

#[test]
fn a_limit_that_cannot_be_measured_is_missed() {
    let swapped = "method = \"rank-swapping\"\ncolumns = [\"age\"]";
    let limit = "\n[measure]\nfail_above = { sse_ratio = 0.9 }\n";
    let folder = Folder::with_table(&Table::of(ROWS));
    let folder = folder.policy(&(policy(&[swapped, MONDRIAN]) + limit));
    folder.run().fails(6, "sse_ratio could not be measured");
    // Of a column that leaves as it was masked it is.
    let folder = folder.policy(&(policy(&[SWAPS, MONDRIAN]) + limit));
    folder.run().succeeds();
    let limit = limit.replace("0.9", "0.00001");
    let folder = Folder::with_table(&Table::of(ROWS));
    let folder = folder.policy(&(policy(&[SWAPS, MONDRIAN]) + &limit));
    folder.run().fails(6, "sse_ratio is");
}

/// One person of 401 is alone and is suppressed.
#[test]
fn rows_may_be_suppressed_before_a_mask_and_after_a_private_one() {
    let suppressing = format!("{GENERALIZATION}\nsuppress = 0.5");
    let table = Table::of(ROWS + 1).with(ROWS + 2, "age", "115");
    for methods in [[&*suppressing, NOISE], [PRIVATE, &*suppressing]] {
        let folder = Folder::with_table(&table).policy(&policy(&methods));
        folder.run().succeeds();
        let release = folder.text("out/release.csv");
        assert_eq!(release.lines().count(), 1 + ROWS, "{methods:?}");
    }
    // What is measured of the masked column does not tell what the suppressed row held.
    let told = |cost: &str| {
        let table = table.clone().with(ROWS + 2, "cost", cost);
        let folder = Folder::with_table(&table).policy(&policy(&[&suppressing, NOISE]));
        folder.run().succeeds();
        (folder.text("out/release.csv"), folder.report())
    };
    assert!(!told("500").1["pairs"].is_null());
    assert_eq!(told("500"), told("88888"));
}

#[test]
fn groups_of_rows_are_not_called_k_where_persons_are_counted() {
    let grouped = "method = \"microaggregation\"\nk = 10\ncolumns = [\"cost\"]";
    let folder = folder(&[grouped, MONDRIAN]);
    folder.run().succeeds();
    let report = folder.report();
    let claims = report["verdict"]["claims"].as_array().expect("claims");
    assert_eq!(claims.len(), 1, "{claims:?}");
    assert_eq!(claims[0]["name"], "k-anonymity");
    assert_eq!(report["verdict"]["unit"], "persons");
}

#[test]
fn learning_and_attacking_see_the_whole_chain() {
    let classed = policy(&[NOISE, MONDRIAN]).replace(
        "diagnosis = { role = \"sensitive\" }",
        "diagnosis = { role = \"class\" }",
    );
    let folder = Folder::with_table(&Table::of(ROWS)).policy(&classed);
    let learnt = folder.moretta(&["learn", "policy.toml", "--learner", "nb"]);
    assert_eq!(learnt.code, Some(0), "{}", learnt.stderr);
    let attacked = folder.moretta(&["attack", "policy.toml"]);
    assert_eq!(attacked.code, Some(0), "{}", attacked.stderr);
    let folder = folder.policy(&policy(&[GROUPS, MONDRIAN]));
    let attacked = folder.moretta(&["attack", "policy.toml"]);
    attacked.fails(3, "`age` is made coarser after it was masked");
}

/// A table in which each person has one row, so that rows are counted, and costs are few
/// enough to be promised something of.
fn costs(methods: &[&str]) -> Folder {
    let promised = replaced(
        &policy(methods),
        "{ role = \"subject\" }",
        "{ role = \"drop\" }",
    );
    let promised = replaced(
        &promised,
        "{ role = \"plain\", type = \"number\" }",
        "{ role = \"sensitive\", type = \"number\" }",
    );
    let promised = replaced(
        &promised,
        "k = 5\n",
        "k = 5\nl = { value = 2, on = [\"cost\"] }\np = { value = 2, on = [\"cost\"] }\n\
         t = { value = 0.6, on = [\"cost\"] }\n",
    );
    let table = Table::of(ROWS)
        .with_each("cost", |row| (1000 + row * 37 % 11 * 100).to_string())
        .with_each("diagnosis", |row| format!("d{}", row / 60 % 3));
    Folder::with_table(&table).policy(&promised)
}

/// The values of one column in each class, sorted.
fn by_class(release: &str, name: &str) -> BTreeMap<Vec<String>, Vec<String>> {
    let mut classes: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    for (class, value) in cells(release, &QUASI)
        .into_iter()
        .zip(cells(release, &[name]))
    {
        classes.entry(class).or_default().push(value.concat());
    }
    classes.values_mut().for_each(|values| values.sort());
    classes
}

#[test]
fn swaps_inside_classes_keep_what_is_counted_in_them() {
    let release = |methods: &[&str]| {
        let folder = costs(methods);
        folder.run().succeeds();
        assert_eq!(folder.report()["verdict"]["passed"], true);
        folder.text("out/release.csv")
    };
    let (before, after) = (release(&[MONDRIAN]), release(&[MONDRIAN, INSIDE]));
    assert_eq!(by_class(&before, "cost"), by_class(&after, "cost"));
    // Beside other columns the values have moved.
    let rows = |release: &str| {
        let names = ["age", "sex", "zip", "admission", "diagnosis", "cost"];
        sorted(cells(release, &names))
    };
    assert_ne!(rows(&before), rows(&after));
}

#[test]
fn what_is_recoded_covers_the_originals_and_rounds_what_is_sensitive() {
    let recoding =
        "method = \"recoding\"\nround = { age = 5, cost = 500 }\ntop = { age = 60, cost = 1500 }";
    let folder = costs(&[recoding, MONDRIAN]);
    folder.run().succeeds();
    let release = folder.text("out/release.csv");
    let costs = cells(&release, &["cost"]);
    assert!(
        costs
            .iter()
            .all(|cost| ["1000", "1500"].contains(&&*cost[0])),
        "{costs:?}"
    );
    let ages = cells(&release, &["age"]);
    let is_step = |age: &str| match age.split_once("..") {
        None => age == "*",
        Some((low, high)) => {
            let low = low.parse::<i64>().is_ok_and(|low| low % 5 == 0);
            low && (high.is_empty() || high.parse::<i64>().is_ok_and(|high| high % 5 == 4))
        }
    };
    assert!(ages.iter().all(|age| is_step(&age[0])), "{ages:?}");
    assert!(ages.iter().any(|age| age[0].ends_with("..")), "{ages:?}");
    let report = folder.report();
    let columns = report["columns"].as_array().expect("columns");
    let cost = columns
        .iter()
        .find(|column| column["name"] == "cost")
        .expect("a column");
    assert_eq!(cost["treatment"], "recoded");
    assert!(cost["histogram"].is_null(), "it would tell the originals");
    let verified = folder.moretta(&["verify", "out/release.csv", "--policy", "policy.toml"]);
    assert_eq!(verified.code, Some(0), "{}", verified.stderr);
}

#[test]
fn recoding_alone_must_keep_what_is_promised() {
    let coarse = "method = \"recoding\"\nlevels = { zip = 5, admission = 3 }\ntop = { age = 1 }";
    let folder = folder(&[coarse]);
    folder.run().succeeds();
    let release = folder.text("out/release.csv");
    assert!(cells(&release, &["age"]).iter().all(|age| age[0] == "1.."));
    let fine = Folder::with_table(&Table::of(ROWS)).policy(&policy(&[RECODING]));
    fine.run().fails(1, "k=5 not reachable");
    let nothing = policy(&[coarse]).replace("[guarantee]\nk = 5\n", "");
    let folder = Folder::with_table(&Table::of(ROWS)).policy(&nothing);
    folder.run().fails(3, "the policy promises no k");
}
