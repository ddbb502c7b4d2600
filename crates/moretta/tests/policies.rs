//! Whole policies on small files, run by the library: what must work, and what must be refused and how.

use moretta::io::ReadOptions;
use moretta::pipeline::{self, Options, Outcome, Progress};
use moretta::policy::{Policy, Root};
use moretta::protect::{Family, METHODS};
use moretta::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use tempfile::TempDir;

/// A folder with one table of 60 rows: person, age, born, job, grade, diagnosis, pay, label, note.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let mut csv = String::from("person,age,born,job,grade,diagnosis,pay,label,note\n");
    for i in 0..60 {
        let _ = writeln!(
            csv,
            "p{},{},19{:02}-0{}-01,{},{},{},{},{},n{i}",
            i / 2,
            20 + i * 7 % 31,
            50 + i * 3 % 40,
            1 + i % 9,
            ["nurse", "clerk", "cook"][i % 3],
            ["low", "mid", "high"][i / 3 % 3],
            ["flu", "cold", "gout", "mumps"][i * 5 % 4],
            i * 11 % 7,
            i % 2,
        );
    }
    std::fs::write(folder.path().join("in.csv"), csv).expect("written");
    folder
}

/// The lines of `[columns]` that a test does not speak of.
const COLUMNS: [(&str, &str); 9] = [
    ("person", "{ role = \"subject\" }"),
    ("age", "{ role = \"quasi\" }"),
    (
        "born",
        "{ role = \"quasi\", hierarchy = { dates = [\"month\", \"year\", \"decade\"] } }",
    ),
    ("job", "{ role = \"quasi\" }"),
    (
        "grade",
        "{ role = \"quasi\", order = [\"low\", \"mid\", \"high\", \"top\"] }",
    ),
    ("diagnosis", "{ role = \"sensitive\" }"),
    ("pay", "{ role = \"sensitive\" }"),
    ("label", "{ role = \"class\" }"),
    ("note", "{ role = \"identifier\" }"),
];

fn policy(changed: &[(&str, &str)], guarantee: &str, method: &str) -> String {
    let mut text = String::from("version = 1\n[source]\npath = \"in.csv\"\n[columns]\n");
    for (name, line) in COLUMNS {
        let line = changed
            .iter()
            .find(|(n, _)| *n == name)
            .map_or(line, |c| c.1);
        let _ = writeln!(text, "{name} = {line}");
    }
    let _ = writeln!(
        text,
        "[guarantee]\n{guarantee}\n[[protect]]\n{method}\n[sink]\npath = \"out.csv\""
    );
    text
}

fn run(folder: &Path, text: &str) -> Result<Outcome> {
    let place = folder.join("policy.toml");
    std::fs::write(&place, text).expect("written");
    let policy = Policy::load(&place, &Root::of_policy(&place, None)?)?;
    pipeline::check(&policy)?;
    pipeline::run(
        &policy,
        &Options {
            command: String::new(),
            date: None,
            force: false,
            strict: false,
            render: &|_| String::new(),
            progress: &Progress::default(),
        },
    )
}

fn runs(changed: &[(&str, &str)], guarantee: &str, method: &str) -> String {
    let folder = folder();
    let text = policy(changed, guarantee, method);
    if let Err(error) = run(folder.path(), &text) {
        panic!("{error}\n{text}");
    }
    std::fs::read_to_string(folder.path().join("out.csv")).expect("a release")
}

fn refused(changed: &[(&str, &str)], guarantee: &str, method: &str) -> Error {
    let folder = folder();
    let text = policy(changed, guarantee, method);
    let error = run(folder.path(), &text).expect_err("refused");
    assert!(!folder.path().join("out.csv").exists());
    error
}

const MONDRIAN: &str = "method = \"mondrian\"";

#[test]
fn every_promise_can_be_made_of_persons() {
    for guarantee in [
        "k = 3",
        "k = 3\nl = 2",
        "k = 3\nl = { value = 1.8, kind = \"entropy\", on = [\"diagnosis\"] }",
        "k = 3\nl = { value = 2, kind = \"recursive\", c = 3, on = [\"diagnosis\"] }",
        "k = 3\nt = { value = 0.4, on = [\"diagnosis\"] }",
        "k = 3\nt = { value = 0.4, distance = \"ordered\", on = [\"pay\"] }",
        "k = 3\np = { value = 2, on = [\"pay\"] }",
    ] {
        for mode in ["strict", "relaxed", "balanced"] {
            let release = runs(&[], guarantee, &format!("{MONDRIAN}\nmode = \"{mode}\""));
            assert_eq!(release.lines().count(), 61, "{guarantee}");
            assert!(!release.contains("p1"), "persons are dropped");
        }
    }
}

/// How many distinct cells of the column at `place` each class shows; a class is told by
/// the columns at `quasi`.
fn distinct_in_classes(release: &str, place: usize, quasi: &[usize]) -> Vec<usize> {
    let mut classes: BTreeMap<Vec<&str>, BTreeSet<&str>> = BTreeMap::new();
    for line in release.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let class = quasi.iter().map(|&i| cells[i]).collect();
        classes.entry(class).or_default().insert(cells[place]);
    }
    classes.values().map(BTreeSet::len).collect()
}

/// A reader counts the pseudonyms that a class shows, so every method must.
#[test]
fn a_released_pseudonym_is_the_person_that_every_method_of_tables_counts() {
    let pseudonym =
        |role: &str| format!("{{ role = \"{role}\", action = \"pseudonym\", key = \"file:key\" }}");
    let kept = "{ role = \"subject\", action = \"keep\" }".to_owned();
    let lines = ["identifier", "subject", "key"].map(pseudonym);
    // One promises k of combinations only.
    let tables = METHODS
        .iter()
        .filter(|info| info.family == Family::Table && info.name != "mu-argus");
    let method = |name: &str| match name {
        "recoding" => "method = \"recoding\"\ntop = { grade = \"mid\" }\n\
             [[protect]]\nmethod = \"generalization\"\nsuppress = 1.0"
            .to_owned(),
        "suppression" | "semantic-grouping" => format!("method = \"{name}\""),
        name => format!("method = \"{name}\"\nsuppress = 1.0"),
    };
    for method in tables.map(|info| method(info.name)) {
        for line in lines.iter().chain([&kept]) {
            let folder = folder();
            std::fs::write(folder.path().join("key"), "0123456789abcdef".repeat(4))
                .expect("written");
            // Few values, so that there is something to release without hierarchies too.
            let changed = [
                ("person", line.as_str()),
                ("age", "{ role = \"plain\" }"),
                ("born", "{ role = \"plain\" }"),
            ];
            let text = policy(&changed, "k = 5", &method);
            let outcome =
                run(folder.path(), &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            let release =
                std::fs::read_to_string(folder.path().join("out.csv")).expect("a release");
            let persons = distinct_in_classes(&release, 0, &[3, 4]);
            assert!(!persons.is_empty(), "{text}");
            assert!(
                persons.iter().all(|&persons| persons >= 5),
                "{persons:?}\n{text}"
            );
            let policy = Policy::parse(
                &text,
                &Root::of_policy(&folder.path().join("p"), None).expect("a root"),
            );
            let verified = pipeline::verify(
                &policy.expect("valid"),
                &folder.path().join("out.csv"),
                &ReadOptions::default(),
                &Progress::default(),
            );
            let smallest = verified.expect("verified").findings.smallest_class;
            assert_eq!(
                smallest,
                persons.iter().min().map(|&least| least as u64),
                "{text}"
            );
            assert!(outcome.report.verdict.passed);
        }
    }
}

#[test]
fn pseudonyms_that_cannot_be_counted_are_refused() {
    // Any file is a key.
    let pseudonym = "{ role = \"identifier\", action = \"pseudonym\", key = \"file:in.csv\" }";
    let number = "{ role = \"quasi\", type = \"number\" }";
    let plain = "{ role = \"plain\" }";
    let masked = [
        ("person", pseudonym),
        ("age", number),
        ("born", plain),
        ("job", plain),
        ("grade", plain),
    ];
    let mask = "method = \"microaggregation\"\nk = 3\nbuffer = 20";
    for (changed, method, words) in [
        (
            &[("note", pseudonym)][..],
            MONDRIAN,
            "`note` is released as a pseudonym and persons are counted by `person`: a class may show fewer pseudonyms than k",
        ),
        (
            &[("person", pseudonym), ("note", pseudonym)],
            MONDRIAN,
            "`note` is released as a pseudonym and persons are counted by `person`: a class may show fewer pseudonyms than k",
        ),
        (
            &masked,
            mask,
            "the groups count rows and not the persons of `person`",
        ),
    ] {
        let guarantee = if method == mask { "" } else { "k = 3" };
        let error = refused(changed, guarantee, method);
        assert_eq!((error.exit_code(), error.to_string().as_str()), (3, words));
    }
}

#[test]
fn microaggregation_of_a_table_counts_persons() {
    let number = "{ role = \"quasi\", type = \"number\" }";
    let plain = "{ role = \"plain\" }";
    let changed = [
        ("age", number),
        ("born", plain),
        ("job", plain),
        ("grade", plain),
    ];
    for k in [2, 5, 9] {
        let folder = folder();
        let method = format!("method = \"microaggregation\"\nk = {k}");
        let outcome = run(folder.path(), &policy(&changed, "", &method)).expect("released");
        let verdict = &outcome.report.verdict;
        assert_eq!((verdict.passed, verdict.unit.as_str()), (true, "persons"));
        let source = std::fs::read_to_string(folder.path().join("in.csv")).expect("rows");
        let release = std::fs::read_to_string(folder.path().join("out.csv")).expect("a release");
        // Dates of birth are of single rows, so they tell which person a released row is of.
        let cells = |text: &str, name: &str| -> Vec<String> {
            let place = text
                .lines()
                .next()
                .and_then(|h| h.split(',').position(|n| n == name));
            let place = place.expect("a column");
            let lines = text.lines().skip(1);
            lines
                .map(|line| line.split(',').nth(place).expect("a cell").to_owned())
                .collect()
        };
        let persons: BTreeMap<String, String> = cells(&source, "born")
            .into_iter()
            .zip(cells(&source, "person"))
            .collect();
        assert_eq!(persons.len(), 60);
        let mut crowds: BTreeMap<String, BTreeSet<&String>> = BTreeMap::new();
        for (age, born) in cells(&release, "age")
            .into_iter()
            .zip(cells(&release, "born"))
        {
            crowds.entry(age).or_default().insert(&persons[&born]);
        }
        assert!(crowds.values().all(|crowd| crowd.len() >= k), "{crowds:?}");
    }
}

#[test]
fn a_cell_that_is_changed_in_a_release_is_found_whatever_is_promised() {
    let plain = "{ role = \"plain\" }";
    let number = "{ role = \"quasi\", type = \"number\" }";
    let person = ("person", "{ role = \"identifier\" }");
    let words = [person, ("age", plain), ("born", plain)];
    let numbers = [
        person,
        ("age", number),
        ("born", plain),
        ("job", "{ role = \"quasi\" }"),
        ("grade", plain),
    ];
    let cases = [
        (&words[..], "", "method = \"mu-argus\"\nk = 3\nsize = 2"),
        (&words[..], "k = 3", "method = \"suppression\""),
        (
            &words[..],
            "k = 3",
            "method = \"suppression\"\nmissing = \"wild\"\nattacker = \"ignore\"",
        ),
        (&words[..], "k = 3", "method = \"datafly\"\nsuppress = 0.9"),
        (
            &numbers[..],
            "",
            "method = \"microaggregation\"\nk = 3\ngroups = [[\"age\"], [\"job\"]]",
        ),
    ];
    for (changed, guarantee, method) in cases {
        let folder = folder();
        let text = policy(changed, guarantee, method);
        let out = folder.path().join("out.csv");
        run(folder.path(), &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let verified = || {
            let root = Root::of_policy(&folder.path().join("p"), None).expect("a root");
            let policy = Policy::parse(&text, &root).expect("valid");
            let options = ReadOptions::default();
            let found = pipeline::verify(&policy, &out, &options, &Progress::default());
            found.expect("it can be read").findings.passed()
        };
        assert!(verified(), "{text}");
        let release = std::fs::read_to_string(&out).expect("a release");
        let lines: Vec<&str> = release.lines().collect();
        let place = lines[0]
            .split(',')
            .position(|name| name == "job")
            .expect("a column");
        let mut cells: Vec<&str> = lines[1].split(',').collect();
        cells[place] = "pilot";
        let planted = [lines[0], &cells.join(",")].join("\n") + "\n" + &lines[2..].join("\n");
        std::fs::write(&out, planted).expect("written");
        assert!(!verified(), "{text}");
    }
}

#[test]
fn sensitive_columns_of_every_kind_are_counted() {
    let cases: [(&str, &str, &str); 5] = [
        (
            "diagnosis",
            "{ role = \"sensitive\", order = [\"flu\", \"cold\", \"mumps\", \"gout\", \"pox\"] }",
            "ordered",
        ),
        (
            "pay",
            "{ role = \"sensitive\", order = [\"6\", \"5\", \"4\", \"0\", \"1\", \"2\", \"3\", \"9\"] }",
            "ordered",
        ),
        (
            "pay",
            "{ role = \"sensitive\", hierarchy = { intervals = [2, 4] } }",
            "hierarchical",
        ),
        (
            "born",
            "{ role = \"sensitive\", hierarchy = { dates = [\"year\", \"decade\"] } }",
            "hierarchical",
        ),
        ("born", "{ role = \"sensitive\" }", "ordered"),
    ];
    for (name, line, distance) in cases {
        let guarantee =
            format!("k = 4\nt = {{ value = 0.3, distance = \"{distance}\", on = [\"{name}\"] }}");
        runs(&[(name, line)], &guarantee, MONDRIAN);
    }
}

#[test]
fn classes_and_quasi_identifiers_may_be_numbers_dates_or_words() {
    for line in [
        "{ role = \"class\" }",
        "{ role = \"class\", type = \"integer\" }",
        "{ role = \"class\", type = \"category\" }",
    ] {
        runs(
            &[
                ("label", line),
                ("pay", line),
                ("job", "{ role = \"quasi\" }"),
            ],
            "k = 3",
            MONDRIAN,
        );
    }
    for name in ["pay", "label", "diagnosis", "born", "note", "age"] {
        runs(&[(name, "{ role = \"quasi\" }")], "k = 3", MONDRIAN);
    }
}

#[test]
fn a_protected_column_cannot_be_a_text_that_passes_through() {
    for role in ["quasi", "sensitive", "class"] {
        let line = format!("{{ role = \"{role}\", type = \"text\" }}");
        let error = refused(&[("job", &line)], "k = 3", MONDRIAN);
        assert_eq!(error.exit_code(), 3, "{role}: {error}");
    }
    runs(
        &[("job", "{ role = \"plain\", type = \"text\" }")],
        "k = 3",
        MONDRIAN,
    );
    runs(
        &[("person", "{ role = \"subject\", type = \"text\" }")],
        "k = 3",
        MONDRIAN,
    );
}

#[test]
fn what_cannot_be_reached_is_refused_with_exit_code_1() {
    for (guarantee, words) in [
        ("k = 31", "30 persons; k=31 needs at least 31 persons"),
        (
            "k = 2\nl = { value = 5, on = [\"diagnosis\"] }",
            "`diagnosis` has 4 values, l=5 impossible",
        ),
        (
            "k = 2\np = { value = 9, on = [\"pay\"] }",
            "`pay` has 7 values, l=9 impossible",
        ),
    ] {
        let error = refused(&[], guarantee, MONDRIAN);
        assert_eq!((error.exit_code(), error.to_string().as_str()), (1, words));
    }
    let error = refused(&[], "k = 3", "method = \"generalization\"");
    assert_eq!(error.exit_code(), 1);
    assert!(
        error
            .to_string()
            .starts_with("k=3 not reachable within 0 % suppression"),
        "{error}"
    );
}

#[test]
fn columns_and_policy_must_match_both_ways() {
    let folder = folder();
    let text = policy(&[], "k = 3", MONDRIAN);
    for (from, to, words) in [
        (
            "note = { role = \"identifier\" }\n",
            "",
            "the data has columns without a role: note",
        ),
        (
            "[columns]\n",
            "[columns]\nward = { role = \"plain\" }\n",
            "column `ward` is not in the data",
        ),
    ] {
        let error = run(folder.path(), &text.replace(from, to)).expect_err("refused");
        assert_eq!((error.exit_code(), error.to_string().as_str()), (3, words));
    }
}

#[test]
fn what_a_method_says_of_a_column_must_fit_it() {
    for (method, words) in [
        (
            "output = { nobody = \"mean\" }",
            "`output` names `nobody`, which is no quasi-identifier",
        ),
        (
            "output = { pay = \"mean\" }",
            "`output` names `pay`, which is no quasi-identifier",
        ),
        (
            "bounds = { pay = \"exact\" }",
            "`bounds` names `pay`, which is no quasi-identifier",
        ),
        ("bounds = \"round\"", "`bounds` cannot be `round`"),
        (
            "bounds = \"hierarchy\"",
            "column `age` has no hierarchy to take its bounds from",
        ),
        ("bounds = 0", "`bounds` must be above 0"),
        (
            "bounds = { job = 5 }",
            "`bounds` names `job`, which has no numbers or dates",
        ),
        (
            "output = { job = \"mean\" }",
            "column `job` cannot be shown as its mean",
        ),
        (
            "output = { job = \"median\" }",
            "column `job` cannot be shown as its median",
        ),
        (
            "output = { age = \"label\" }",
            "column `age` cannot be shown as its label",
        ),
    ] {
        let error = refused(&[], "k = 3", &format!("{MONDRIAN}\n{method}"));
        assert_eq!((error.exit_code(), error.to_string().as_str()), (3, words));
    }
    for (levels, words) in [
        (
            "{ pay = 1 }",
            "`levels` names `pay`, which is no quasi-identifier",
        ),
        ("{ job = 1 }", "column `job` has a level but no hierarchy"),
        ("{ born = 5 }", "column `born` has levels 0 to 4, not 5"),
    ] {
        let method = format!("method = \"generalization\"\nlevels = {levels}");
        let error = refused(&[], "k = 3", &method);
        assert_eq!((error.exit_code(), error.to_string().as_str()), (3, words));
    }
}

#[test]
fn representatives_stand_for_missing_values_too() {
    let folder = folder();
    let place = folder.path().join("in.csv");
    let csv = std::fs::read_to_string(&place).expect("written");
    let holes = csv.lines().enumerate().map(|(i, line)| {
        let mut cells: Vec<&str> = line.split(',').collect();
        if i % 4 == 1 {
            cells[1] = "";
        }
        cells.join(",") + "\n"
    });
    std::fs::write(&place, holes.collect::<String>()).expect("written");
    for output in ["mean", "median", "mode"] {
        let method = format!("{MONDRIAN}\noutput = {{ age = \"{output}\", born = \"{output}\" }}");
        let text = policy(&[], "k = 6", &method);
        if let Err(error) = run(folder.path(), &text) {
            panic!("{output}: {error}");
        }
        std::fs::remove_file(folder.path().join("out.csv")).expect("it was there");
    }
}

/// What Mondrian with these keys shows of one quasi-identifier with these values.
fn shown(values: &[&str], column: &str, keys: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(
        folder.path().join("in.csv"),
        format!("q\n{}\n", values.join("\n")),
    )
    .expect("written");
    let text = format!(
        "version = 1\n[source]\npath = \"in.csv\"\n[columns]\nq = {column}\n[guarantee]\nk = 3\n\
         [[protect]]\nmethod = \"mondrian\"\n{keys}\n[sink]\npath = \"out.csv\"\n"
    );
    if let Err(error) = run(folder.path(), &text) {
        panic!("{error}: {values:?}");
    }
    let release = std::fs::read_to_string(folder.path().join("out.csv")).expect("a release");
    release.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn bounds_may_be_told_by_column() {
    let ages: Vec<String> = (20..60).map(|age| age.to_string()).collect();
    let ages: Vec<&str> = ages.iter().map(String::as_str).collect();
    let free = "{ role = \"quasi\" }";
    let tree = "{ role = \"quasi\", hierarchy = { intervals = [20, 40] } }";
    for (column, bounds, first) in [
        (free, "\"rounded\"", "20..23"),
        (free, "\"exact\"", "20..24"),
        (free, "{ q = 10 }", "20..29"),
        (tree, "\"hierarchy\"", "20..39"),
    ] {
        let keys = format!("output = \"interval\"\nbounds = {bounds}");
        let mut cells = shown(&ages, column, &keys);
        cells.sort();
        assert_eq!(cells[0], first, "{bounds}");
    }
}

#[test]
fn a_mean_does_not_leave_the_values_by_rounding() {
    let quasi = "{ role = \"quasi\" }";
    assert_eq!(shown(&["0.1"; 3], quasi, "output = \"mean\""), ["0.1"; 3]);
    assert_eq!(
        shown(
            &["1.1", "1.1", "1.1", "1.1", "1.1", "1.1"],
            quasi,
            "output = \"mean\""
        ),
        ["1.1"; 6]
    );
    let largest = "1.7e308";
    assert_eq!(shown(&[largest; 3], quasi, "output = \"mean\"").len(), 3);
    let dates = shown(
        &["1969-12-30", "1969-12-31", "1969-12-31"],
        quasi,
        "output = \"mean\"",
    );
    assert_eq!(dates, ["1969-12-30"; 3]);
}

#[test]
fn a_mode_may_be_the_beginning_of_another_path() {
    let paths = "{ role = \"quasi\", hierarchy = { path = \"/\" } }";
    assert_eq!(
        shown(&["a", "a", "a/b"], paths, "output = \"mode\""),
        ["a"; 3]
    );
    assert_eq!(
        shown(
            &["a", "a", "a", "a/b", "a/b", "a/b"],
            paths,
            "output = \"auto\""
        )
        .len(),
        6
    );
}

/// The jobs of 20 rows each are too small for k, so nothing is left to release.
#[test]
fn a_release_without_rows_is_one_in_every_format() {
    let plain = "{ role = \"plain\" }";
    let changed = [
        ("person", "{ role = \"identifier\" }"),
        ("age", plain),
        ("born", plain),
        ("grade", plain),
    ];
    let method = "method = \"generalization\"\nsuppress = 1.0";
    for ending in [
        "csv",
        "csv.gz",
        "jsonl",
        "jsonl.zst",
        "arff",
        "graphml",
        "parquet",
        "arrow",
        "arrows",
    ] {
        let folder = folder();
        let text = policy(&changed, "k = 25", method).replace("out.csv", &format!("out.{ending}"));
        let outcome = run(folder.path(), &text).unwrap_or_else(|e| panic!("{ending}: {e}"));
        assert!(outcome.report.verdict.passed, "{ending}");
        let file = folder.path().join(format!("out.{ending}"));
        let root = Root::of_policy(&folder.path().join("policy.toml"), None).expect("a root");
        let policy = Policy::parse(&text, &root).expect("valid");
        let verified = pipeline::verify(
            &policy,
            &file,
            &ReadOptions::default(),
            &Progress::default(),
        );
        assert_eq!(verified.expect(ending).findings.rows, 0);
    }
}

#[test]
fn a_refusal_names_the_promise_that_cannot_be_reached() {
    let plain = "{ role = \"plain\" }";
    let changed = [("age", plain), ("born", plain)];
    for (guarantee, words) in [
        (
            "k = 2\nt = { value = 0.01, on = [\"diagnosis\"] }",
            "t=0.01 of `diagnosis` not reachable within 0 % suppression; best 100 %",
        ),
        (
            "k = 2\nl = { value = 3.9, kind = \"entropy\", on = [\"diagnosis\"] }",
            "l=3.9 of `diagnosis` not reachable within 0 % suppression; best ",
        ),
        (
            "k = 20",
            "k=20 not reachable within 0 % suppression; best 100 %",
        ),
    ] {
        let error = refused(&changed, guarantee, "method = \"generalization\"");
        assert_eq!(error.exit_code(), 1);
        assert!(error.to_string().starts_with(words), "{error}");
    }
}

/// The table of [`folder`] in three parts of 20 rows.
fn parts(folder: &Path) {
    let csv = std::fs::read_to_string(folder.join("in.csv")).expect("read");
    let lines: Vec<&str> = csv.lines().collect();
    std::fs::create_dir(folder.join("parts")).expect("a folder");
    for (i, rows) in lines[1..].chunks(20).enumerate() {
        let text = format!("{}\n{}\n", lines[0], rows.join("\n"));
        let name = format!("parts/part-{i}.csv");
        std::fs::write(folder.join(name), text).expect("written");
    }
    std::fs::write(folder.join("parts/notes.md"), "no table").expect("written");
    std::fs::write(folder.join("parts/.hidden.csv"), "no,table\n").expect("written");
}

#[test]
fn a_list_a_pattern_and_a_folder_are_one_table() {
    let released = |source: &str| {
        let folder = folder();
        parts(folder.path());
        let text = policy(&[], "k = 4", "method = \"mondrian\"");
        let text = text.replacen("path = \"in.csv\"", &format!("path = {source}"), 1);
        run(folder.path(), &text).unwrap_or_else(|error| panic!("{source}: {error}"));
        std::fs::read(folder.path().join("out.csv")).expect("a release")
    };
    let whole = released("\"in.csv\"");
    for source in [
        "[\"parts/part-0.csv\", \"parts/part-1.csv\", \"parts/part-2.csv\"]",
        "\"parts/*.csv\"",
        "\"parts/part-?.csv\"",
        "\"parts/\"",
        "\"parts\"",
    ] {
        assert!(
            released(source) == whole,
            "{source} releases something else"
        );
    }
}

#[test]
fn files_that_are_no_table_together_are_refused() {
    let folder = folder();
    parts(folder.path());
    std::fs::write(folder.path().join("other.csv"), "person,age\np1,30\n").expect("written");
    for (source, code, what) in [
        (
            "[\"in.csv\", \"other.csv\"]",
            4,
            "the columns are not those of",
        ),
        ("[\"in.csv\", \"in.csv\"]", 3, "twice"),
        ("\"parts/*.parquet\"", 3, "means no file"),
        ("[]", 3, "names no file"),
        ("[\"in.csv\", \"-\"]", 3, "standard input is no part"),
        ("\"../*.csv\"", 3, "outside the policy's folder"),
    ] {
        let text = policy(&[], "k = 4", "method = \"mondrian\"");
        let text = text.replacen("path = \"in.csv\"", &format!("path = {source}"), 1);
        let error = run(folder.path(), &text).expect_err(source);
        assert!(error.to_string().contains(what), "{source}: {error}");
        assert_eq!(error.exit_code(), code, "{source}");
        let root = Root::of_policy(&folder.path().join("p.toml"), None).expect("a folder");
        let checked = Policy::parse(&text, &root).and_then(|policy| pipeline::check(&policy));
        assert!(
            checked.is_err(),
            "check finds it without the rows: {source}"
        );
    }
}

#[test]
fn a_column_can_be_left_out() {
    let folder = folder();
    let changed = [
        ("pay", "{ role = \"drop\" }"),
        ("job", "{ role = \"drop\" }"),
    ];
    let text = policy(&changed, "k = 4", "method = \"mondrian\"");
    run(folder.path(), &text).expect("runs");
    let release = std::fs::read_to_string(folder.path().join("out.csv")).expect("a release");
    let header = release.lines().next().expect("a header");
    assert_eq!(header, "age,born,grade,diagnosis,label");
}

#[test]
fn a_column_that_weighs_more_loses_less_and_counts_more() {
    let report = |weight: &str| {
        let folder = folder();
        let age = format!("{{ role = \"quasi\"{weight} }}");
        let text = policy(&[("age", &age)], "k = 4", MONDRIAN);
        run(folder.path(), &text).expect("runs").report
    };
    let loss = |report: &pipeline::Report, name: &str| {
        let column = report.columns.iter().find(|column| column.name == name);
        column.and_then(|column| column.loss).expect("a loss")
    };
    let (even, heavy) = (report(""), report(", weight = 20"));
    assert!(
        loss(&heavy, "age") < loss(&even, "age"),
        "{} {}",
        loss(&heavy, "age"),
        loss(&even, "age")
    );
    let gcp = |report: &pipeline::Report| {
        let measure = report.measures.iter().find(|measure| measure.name == "gcp");
        measure.expect("gcp").after
    };
    let others = ["born", "job", "grade"].map(|name| loss(&heavy, name));
    let expected = (20.0 * loss(&heavy, "age") + others.iter().sum::<f64>()) / 23.0;
    assert!(
        (gcp(&heavy) - expected).abs() < 1e-9,
        "{} {expected}",
        gcp(&heavy)
    );
}
