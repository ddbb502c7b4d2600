//! Sets of items in whole runs: what leaves is counted again by hand, changed files are found,
//! and what does not go with items is refused.

use moretta::io::ReadOptions;
use moretta::pipeline::{self, Options, Progress};
use moretta::policy::{Policy, Root};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const TREE: &str =
    "a1;a;x;*\na2;a;x;*\nb1;b;x;*\nb2;b;x;*\nc1;c;y;*\nc2;c;y;*\nd1;d;y;*\nd2;d;y;*\n";

/// The leaves below a label.
fn below(label: &str) -> BTreeSet<&'static str> {
    let chains = TREE.lines().map(|line| line.split(';').collect::<Vec<_>>());
    chains
        .filter(|chain| chain.contains(&label))
        .map(|chain| chain[0])
        .collect()
}

const ROWS: &str = "person = { role = \"subject\", action = \"keep\" }\n\
                    item = { role = \"items\", hierarchy = { file = \"tree.csv\" } }\n";
const LISTS: &str = "person = { role = \"subject\", action = \"keep\" }\n\
     item = { role = \"items\", separator = \";\", hierarchy = { file = \"tree.csv\" } }\n";

fn policy(columns: &str, promise: &str, more: &str) -> String {
    format!(
        "version = 1\n[source]\npath = \"in.csv\"\n[columns]\n{columns}[guarantee]\n{promise}\n\
         [[protect]]\nmethod = \"km-anonymity\"\n{more}\n[sink]\npath = \"out.csv\"\n[report]\npath = \"report.json\"\n"
    )
}

fn folder(csv: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("in.csv"), csv).expect("written");
    fs::write(folder.path().join("tree.csv"), TREE).expect("written");
    folder
}

fn read(folder: &Path, text: &str) -> moretta::Result<Policy> {
    let root = Root::of_policy(&folder.join("policy.toml"), None)?;
    Policy::parse(text, &root)
}

/// The rows that a run releases, as person and cell, and the report.
fn run(folder: &Path, text: &str) -> moretta::Result<(Vec<(String, String)>, String)> {
    let policy = read(folder, text)?;
    pipeline::run(
        &policy,
        &Options {
            command: "moretta run policy.toml".to_owned(),
            date: None,
            force: true,
            strict: false,
            render: &|_| String::new(),
            progress: &Progress::default(),
        },
    )?;
    let release = fs::read_to_string(folder.join("out.csv")).expect("a release");
    let report = fs::read_to_string(folder.join("report.json")).expect("a report");
    let rows = release.lines().skip(1).map(|line| {
        let (person, cell) = line.split_once(',').expect("two cells");
        (person.to_owned(), cell.to_owned())
    });
    Ok((rows.collect(), report))
}

/// The fewest persons with a set of at most `m` labels, by looking at every set.
fn rarest(sets: &BTreeMap<String, Vec<String>>, m: usize) -> Option<usize> {
    let labels: BTreeSet<&String> = sets.values().flatten().collect();
    let labels: Vec<&String> = labels.into_iter().collect();
    let mut fewest = None;
    for set in 1_u32..1 << labels.len() {
        if set.count_ones() as usize > m {
            continue;
        }
        let members: Vec<&&String> = (labels.iter().enumerate())
            .filter(|(place, _)| set >> place & 1 == 1)
            .map(|(_, label)| label)
            .collect();
        let shows = |shown: &&Vec<String>| members.iter().all(|label| shown.contains(label));
        let persons = sets.values().filter(shows).count();
        if persons > 0 {
            fewest = Some(fewest.map_or(persons, |least: usize| least.min(persons)));
        }
    }
    fewest
}

/// Whether the labels of each person are true: over all their items, each over one of them, none
/// twice.
fn is_true(items: &BTreeMap<String, Vec<String>>, shown: &BTreeMap<String, Vec<String>>) -> bool {
    items.iter().all(|(person, items)| {
        // Nothing of a person who was suppressed is shown.
        let Some(labels) = shown.get(person) else {
            return true;
        };
        let distinct: BTreeSet<&String> = labels.iter().collect();
        let covered = |item: &String| labels.iter().any(|label| below(label).contains(&**item));
        let covers = |label: &String| items.iter().any(|item| below(label).contains(&**item));
        distinct.len() == labels.len() && items.iter().all(covered) && labels.iter().all(covers)
    })
}

fn by_person(rows: &[(String, String)]) -> BTreeMap<String, Vec<String>> {
    let mut sets: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (person, cell) in rows {
        let items = cell.split(';').filter(|item| !item.is_empty());
        sets.entry(person.clone())
            .or_default()
            .extend(items.map(str::to_owned));
    }
    sets
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn rows_and_lists_keep_the_promise_and_are_true(
        baskets in prop::collection::vec(prop::collection::vec(0_usize..8, 0..5), 8..30),
        k in 2_u32..5,
        m in 1_u32..4,
    ) {
        let items: Vec<&str> = TREE.lines().map(|line| line.split(';').next().expect("a leaf")).collect();
        let promise = format!("km = {{ k = {k}, m = {m} }}");
        let suppress = format!("suppress = {}", [0.0, 0.3][baskets.len() % 2]);
        let (mut rows, mut lists) = (Vec::new(), Vec::new());
        for (person, basket) in baskets.iter().enumerate() {
            let of_person = basket.iter().map(|&item| (format!("p{person}"), items[item].to_owned()));
            rows.extend(of_person);
            let list: Vec<&str> = basket.iter().map(|&item| items[item]).collect();
            lists.push((format!("p{person}"), list.join(";")));
        }
        let with_items = baskets.iter().filter(|basket| !basket.is_empty()).count();
        for (columns, table) in [(ROWS, &rows), (LISTS, &lists)] {
            let lines: String = table.iter().map(|(person, cell)| format!("{person},{cell}\n")).collect();
            let folder = folder(&format!("person,item\n{lines}"));
            let text = policy(columns, &promise, &suppress);
            let released = run(folder.path(), &text);
            if with_items > 0 && with_items < k as usize {
                prop_assert_eq!(released.err().map(|error| error.exit_code()), Some(1));
                continue;
            }
            let (released, _) = released.expect("released");
            let shown = by_person(&released);
            prop_assert!(rarest(&shown, m as usize).is_none_or(|persons| persons >= k as usize));
            let items = by_person(table);
            prop_assert!(is_true(&items, &shown));
            let gone = items.keys().filter(|person| !shown.contains_key(*person));
            let gone: usize = gone.map(|person| table.iter().filter(|row| row.0 == **person).count()).sum();
            prop_assert!(gone as f64 <= 0.3 * table.len() as f64 && (gone == 0 || suppress.ends_with('3')));
            // The order of rows says nothing.
            let turned: String = table.iter().rev().map(|(person, cell)| format!("{person},{cell}\n")).collect();
            fs::write(folder.path().join("in.csv"), format!("person,item\n{turned}")).expect("written");
            let (again, _) = run(folder.path(), &text).expect("released");
            prop_assert_eq!(released, again);
        }
    }
}

/// Twelve persons, of whom one has a rare pair.
fn twelve() -> String {
    let lists = ["a1;b1", "a1;b1", "a1;c1", "a2;c1", "a2;c2", "d1"];
    let rows = (0..12).map(|i| format!("p{i:02},{}\n", lists[i % 6]));
    format!("person,item\n{}", rows.collect::<String>())
}

#[test]
fn a_file_that_was_changed_is_found() {
    let folder = folder(&twelve());
    let text = policy(LISTS, "km = { k = 2, m = 2 }", "");
    let (rows, report) = run(folder.path(), &text).expect("released");
    assert!(!report.contains("p01"), "no person is in a report");
    let verify = |rows: &[(String, String)]| {
        let lines: String = rows.iter().map(|(a, b)| format!("{a},{b}\n")).collect();
        let file = folder.path().join("changed.csv");
        fs::write(&file, format!("person,item\n{lines}")).expect("written");
        let policy = read(folder.path(), &text).expect("read");
        let found = pipeline::verify(
            &policy,
            &file,
            &ReadOptions::default(),
            &Progress::default(),
        );
        found.expect("verified").verdict.passed
    };
    assert!(verify(&rows));
    let changed = |row: usize, cell: &str| {
        let mut rows = rows.clone();
        rows[row].1 = cell.to_owned();
        rows
    };
    assert!(!verify(&changed(0, "a1;d1")), "a pair of one person");
    assert!(
        !verify(&changed(0, "d1;d1;d1")),
        "one shows a label three times"
    );
    assert!(!verify(&changed(0, "b2")), "an item of one person");
    // One row more or less of a frequent set changes nothing.
    assert!(verify(&rows[1..]));
}

#[test]
fn what_does_not_go_with_items_is_refused_with_a_reason() {
    let folder = folder(&twelve());
    let refused = |columns: &str, promise: &str, more: &str| {
        let error = run(folder.path(), &policy(columns, promise, more)).expect_err("refused");
        assert_eq!(error.exit_code(), 3, "{error}");
        error.to_string()
    };
    let km = "km = { k = 2, m = 2 }";
    let told = refused(LISTS, "k = 2", "");
    assert!(told.contains("nothing protects the items"), "{told}");
    let told = refused(LISTS, &format!("{km}\nk = 2"), "");
    assert!(told.contains("no other promise"), "{told}");
    let told = refused(
        "person = { role = \"quasi\" }\nitem = { role = \"plain\" }\n",
        km,
        "",
    );
    assert!(told.contains("no column has that role"), "{told}");
    let quasi = LISTS.replace("\"subject\", action = \"keep\"", "\"quasi\"");
    assert!(refused(&quasi, km, "").contains("nothing protects `person`"));
    let nobody = ROWS.replace("\"subject\", action = \"keep\"", "\"plain\"");
    assert!(refused(&nobody, km, "").contains("whose it is"));
    let bare = LISTS.replace(", hierarchy = { file = \"tree.csv\" }", "");
    assert!(refused(&bare, km, "").contains("no hierarchy"));
    let told = refused(
        LISTS,
        km,
        "[[protect]]\nmethod = \"noise\"\ncolumns = [\"person\"]",
    );
    assert!(told.contains("stands alone"), "{told}");
}

#[test]
fn items_that_the_hierarchy_does_not_know_are_counted_and_not_shown() {
    let folder = folder("person,item\np,secret-item;a1\nq,a1\n");
    let error = run(folder.path(), &policy(LISTS, "km = { k = 2, m = 1 }", ""));
    let error = error.expect_err("unknown");
    assert!(!error.to_string().contains("secret-item"), "{error}");
    assert!(matches!(error.exit_code(), 3 | 4), "{error}");
}

#[test]
fn tables_that_differ_in_suppressed_persons_have_one_release_and_one_report() {
    let frequent = ["a1;b1", "a1;b1;c1", "a2;c1", "c1;d1"];
    let crowd: String = (0..60)
        .map(|i| format!("p{i:02},{}\n", frequent[i % 4]))
        .collect();
    for (columns, as_rows) in [(LISTS, false), (ROWS, true)] {
        let text = policy(columns, "km = { k = 5, m = 2 }", "suppress = 0.2");
        let mut seen = Vec::new();
        for outliers in [
            "x1,a2;b2;d2\nx2,b2;c2\n",
            "y1,b2;c2;d2;a1\n",
            "z1,d2\nz2,b2\nz3,c2\n",
        ] {
            let lists = crowd.clone() + outliers;
            let table = match as_rows {
                false => lists,
                true => {
                    let lines = lists.lines().flat_map(|line| {
                        let (person, list) = line.split_once(',').expect("two cells");
                        list.split(';')
                            .map(move |item| format!("{person},{item}\n"))
                    });
                    lines.collect()
                }
            };
            let folder = folder(&format!("person,item\n{table}"));
            let (rows, report) = run(folder.path(), &text).expect("released");
            assert!(
                rows.iter().all(|(person, _)| person.starts_with('p')),
                "{columns}"
            );
            seen.push((rows, report));
        }
        for pair in seen.windows(2) {
            assert_eq!(pair[0].0, pair[1].0, "{columns}");
            for (a, b) in pair[0].1.lines().zip(pair[1].1.lines()) {
                assert_eq!(a, b, "{columns}");
            }
        }
    }
}

#[test]
fn labels_that_hold_the_separator_are_refused() {
    let folder = folder("person,item\np,a1*a2\nq,a1\n");
    let columns = LISTS.replace("separator = \";\"", "separator = \"*\"");
    let error = run(
        folder.path(),
        &policy(&columns, "km = { k = 2, m = 1 }", ""),
    );
    let error = error.expect_err("the top is called so");
    assert_eq!(error.exit_code(), 3, "{error}");
    assert!(error.to_string().contains("`separator`"), "{error}");
}

#[test]
fn items_are_compared_one_by_one() {
    let folder = folder(&twelve());
    let text = policy(LISTS, "km = { k = 3, m = 2 }", "");
    run(folder.path(), &text).expect("released");
    let files = ["in.csv", "out.csv"].map(|name| folder.path().join(name));
    let policy = read(folder.path(), &text).expect("read");
    let files = [files[0].as_path(), files[1].as_path()];
    let options = ReadOptions::default();
    let found = pipeline::compare(&policy, files, &options, &Progress::default());
    let found = found.expect("compared").measures;
    let of = |name: &str| {
        let found = found.iter().find(|standing| standing.name == name);
        found.map(|standing| (standing.a, standing.b)).expect(name)
    };
    assert_eq!(of("gcp").0, 0.0);
    assert!(of("gcp").1 > 0.0);
    assert!(of("prosecutor_risk").0 > of("prosecutor_risk").1);
}
