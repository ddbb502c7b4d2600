//! Nested releases of one table, held against each other by code that knows neither methods nor
//! checks: whoever has all levels still sees everybody among the k of the finest.

use moretta::Error;
use moretta::data::{Batch, Categories, Column, Field, Kind, Numbers, Role, RowIds, Schema};
use moretta::engine::ledger::History;
use moretta::engine::{Conflict, Context, LedgerPlan, Plan, Session};
use moretta::protect::identifiers::Key;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const LEVELS: [(&str, usize); 3] = [("near", 2), ("far", 4), ("all", 9)];

/// Every method that nests, in the forms that differ in how.
const METHODS: &[&str] = &[
    "method = \"mondrian\"",
    "method = \"mondrian\"\nsuppress = 0.2",
    "method = \"mondrian\"\nbounds = \"exact\"",
    "method = \"mondrian\"\noutput = { x = \"median\" }",
    "method = \"mondrian\"\nrefuse = 0.3",
    "method = \"lattice\"",
    "method = \"lattice\"\nsuppress = 0.3",
    "method = \"lattice\"\nsuppress = 0.2\nmetric = \"discernibility\"",
];

const GROUPINGS: &[&str] = &["mdav", "v-mdav", "projection", "mu-approx"];

fn columns(more: &str) -> String {
    format!(
        "[columns]\nperson = {{ role = \"subject\" }}\ntag = {{ role = \"plain\" }}\n\
         ill = {{ role = \"sensitive\" }}\n\
         x = {{ role = \"quasi\"{more} }}\ny = {{ role = \"quasi\"{more} }}\n\
         c = {{ role = \"quasi\" }}\n"
    )
}

fn levels() -> String {
    let lines = LEVELS.map(|(name, k)| format!("{name} = {{ k = {k} }}\n"));
    format!("[levels]\n{}", lines.concat())
}

/// A plan that makes values coarser, with further promises.
fn plan(method: &str, promises: &str) -> Plan {
    let columns = columns(", hierarchy = { intervals = [5, 20] }");
    let text = format!(
        "seed = 5\n{columns}[guarantee]\nk = 2\n{promises}\n{}[[protect]]\n{method}\n",
        levels()
    );
    Plan::parse(&text).unwrap_or_else(|e| panic!("{e}"))
}

/// A plan that groups numbers and categories.
fn grouped(grouping: &str) -> Plan {
    let mut columns = columns("");
    if grouping == "projection" {
        columns = columns.replace("c = { role = \"quasi\" }", "c = { role = \"plain\" }");
    }
    let method = format!("method = \"microaggregation\"\nk = 2\ngrouping = \"{grouping}\"");
    let text = format!("{columns}{}[[protect]]\n{method}\n", levels());
    Plan::parse(&text).unwrap_or_else(|e| panic!("{e}"))
}

type Row = (u32, u32, u32, u32);

fn table(rows: &[Row], several: bool, missing: u8) -> Batch {
    let number = Kind::Number { integer: true };
    let category = Kind::Category { ordered: false };
    let fields = [
        ("person", &category),
        ("tag", &category),
        ("ill", &category),
        ("x", &number),
        ("y", &number),
        ("c", &category),
    ];
    let fields = fields.map(|(name, kind)| Field::new(name, Role::Plain, kind.clone()));
    // Some cells are missing.
    let numbers = |of: fn(&Row) -> u32| -> Column {
        let cell =
            |row: &Row| Some(f64::from(of(row))).filter(|n| missing == 0 || *n % 11.0 != 5.0);
        let numbers: Numbers = rows.iter().map(cell).collect();
        Column::Number(numbers)
    };
    let words = |of: &dyn Fn(usize) -> String| -> Column {
        let words =
            (0..rows.len()).map(|row| Some(of(row)).filter(|word| word != "c1" || missing < 2));
        let words: Categories = words.collect();
        Column::Category(words)
    };
    let person = |row: usize| if several { row - row % 5 / 4 } else { row };
    let columns = vec![
        words(&|row| format!("p{}", person(row))),
        words(&|row| format!("t{row}")),
        words(&|row| format!("i{}", rows[row].3)),
        numbers(|row| row.0),
        numbers(|row| row.1),
        words(&|row| format!("c{}", rows[row].2)),
    ];
    let schema = Arc::new(Schema::new(fields.to_vec()).expect("names differ"));
    let len = rows.len();
    Batch::new(schema, RowIds::Range { start: 0, len }, columns).expect("fits")
}

fn release(plan: &Plan, rows: &Batch) -> Result<Vec<Batch>, Error> {
    let (plan, schema) = (Arc::new(plan.clone()), Arc::clone(rows.schema()));
    let mut session = Session::open(&plan, &schema, Context::default())?;
    session.push(rows.clone())?;
    let levels = session.finish_levels()?;
    Ok(levels
        .into_iter()
        .map(|(rows, _)| rows.rows().clone())
        .collect())
}

/// What each row, known by the tag that is released, shows in its quasi-identifiers.
fn shown(release: &Batch) -> BTreeMap<String, Vec<String>> {
    let text = |column: &Column, row: usize| match column {
        Column::Category(cells) => format!("{:?}", cells.get(row)),
        Column::Number(numbers) => format!("{:?}", numbers.get(row)),
        Column::Plain(_) => panic!("no plain columns"),
    };
    let column = |name: &str| release.column_named(name).expect("released");
    let tags = column("tag").as_categories().expect("tags").clone();
    let row = |row: usize| {
        let quasi = ["x", "y", "c"].map(|name| text(column(name), row));
        (tags.get(row).expect("a tag").to_owned(), quasi.to_vec())
    };
    (0..release.len()).map(row).collect()
}

/// What every release must keep: k of each level, the same rows, and all cells of k persons.
fn check(rows: &Batch, releases: &[Batch], strictly: bool) {
    let persons = rows.column_named("person").expect("persons");
    let persons = persons.as_categories().expect("texts");
    let person = |tag: &str| persons.get(tag[1..].parse::<usize>().expect("a number"));
    let releases: Vec<_> = releases.iter().map(shown).collect();
    for (release, (name, k)) in releases.iter().zip(LEVELS) {
        let tags: Vec<&String> = release.keys().collect();
        assert_eq!(
            tags,
            releases[0].keys().collect::<Vec<_>>(),
            "{name} shows other rows"
        );
        let mut classes: BTreeMap<&Vec<String>, BTreeSet<Option<&str>>> = BTreeMap::new();
        for (tag, shows) in release {
            classes.entry(shows).or_default().insert(person(tag));
        }
        let smallest = classes.values().map(BTreeSet::len).min();
        assert!(
            smallest.is_none_or(|size| size >= k),
            "{name} has {smallest:?}"
        );
    }
    let mut cells: BTreeMap<Vec<&Vec<String>>, BTreeSet<Option<&str>>> = BTreeMap::new();
    for tag in releases[0].keys() {
        let cell = releases.iter().map(|release| &release[tag]).collect();
        cells.entry(cell).or_default().insert(person(tag));
    }
    let smallest = cells.values().map(BTreeSet::len).min();
    assert!(
        smallest.is_none_or(|size| size >= LEVELS[0].1),
        "a cell has {smallest:?}"
    );
    if strictly {
        let mut above: BTreeMap<&Vec<String>, &Vec<String>> = BTreeMap::new();
        for pair in releases.windows(2) {
            above.clear();
            for (tag, shows) in &pair[0] {
                let coarser = &pair[1][tag];
                assert_eq!(
                    *above.entry(shows).or_insert(coarser),
                    coarser,
                    "not nested"
                );
            }
        }
    }
}

fn tables() -> impl Strategy<Value = Vec<Row>> {
    prop_oneof![
        // Few values, so that many rows are alike.
        proptest::collection::vec((0u32..6, 0u32..3, 0u32..2, 0u32..3), 9..60),
        proptest::collection::vec((0u32..90, 0u32..40, 0u32..4, 0u32..4), 9..60),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn levels_show_the_same_rows_in_nested_classes(rows in tables(), several in any::<bool>(), missing in 0u8..3) {
        let table = table(&rows, several, missing);
        for method in METHODS {
            match release(&plan(method, ""), &table) {
                Ok(releases) => {
                    check(&table, &releases, true);
                }
                // Persons with several rows are too few for the strictest level.
                Err(Error::Guarantee(_)) if several => {}
                Err(error) => panic!("{method}: {error}"),
            }
        }
    }

    #[test]
    fn groups_lie_in_groups(rows in tables(), several in any::<bool>(), missing in 0u8..3) {
        let table = table(&rows, several, missing);
        for grouping in GROUPINGS {
            match release(&grouped(grouping), &table) {
                Ok(releases) if *grouping == "projection" => {
                    // There the category is no quasi-identifier.
                    prop_assert!(releases.iter().all(|release| release.len() == table.len()));
                }
                Ok(releases) => check(&table, &releases, false),
                Err(Error::Guarantee(_)) if several => {}
                Err(error) => panic!("{grouping}: {error}"),
            }
        }
    }

    #[test]
    fn every_level_keeps_the_promises_of_sensitive_values(rows in tables(), missing in 0u8..3) {
        let table = table(&rows, false, missing);
        let promises = [
            "l = { value = 2, on = [\"ill\"] }",
            "l = { value = 1.5, kind = \"entropy\", on = [\"ill\"] }",
            "t = { value = 0.5, on = [\"ill\"] }",
        ];
        for method in METHODS {
            for promise in promises {
                // The session checks the promises of each level; here they are nested still.
                match release(&plan(method, promise), &table) {
                    Ok(releases) => check(&table, &releases, true),
                    Err(Error::Guarantee(_)) => {}
                    Err(error) => panic!("{method} {promise}: {error}"),
                }
            }
        }
    }
}

/// Rows that lie in two clouds, with few that stand apart.
fn clouds() -> Vec<Row> {
    let row = |n: u32| (n * 37 % 23 + n % 2 * 60, n * 53 % 17, n % 3, n % 4);
    (0..120).map(row).collect()
}

#[test]
fn the_strictest_level_is_the_release_of_its_k_alone() {
    let rows = table(&clouds(), false, 0);
    for method in ["method = \"mondrian\"", "method = \"lattice\""] {
        let levels = plan(method, "");
        let mut alone = levels.clone();
        alone.levels.clear();
        alone.guarantee.k = Some(9);
        let session = Session::open(&Arc::new(alone), rows.schema(), Context::default());
        let mut session = session.expect("a plan");
        session.push(rows.clone()).expect("taken");
        let (alone, _) = session.finish().expect("released");
        let strictest = release(&levels, &rows).expect("released");
        assert_eq!(shown(&strictest[2]), shown(alone.rows()), "{method}");
    }
}

#[test]
fn finer_levels_lose_less() {
    let rows = table(&clouds(), false, 0);
    for method in METHODS {
        let releases = release(&plan(method, ""), &rows).expect("released");
        let classes = releases.iter().map(|release| {
            let shown: BTreeSet<Vec<String>> = shown(release).into_values().collect();
            shown.len()
        });
        let classes: Vec<usize> = classes.collect();
        assert!(
            classes[0] > classes[1] && classes[1] >= classes[2],
            "{method}: {classes:?}"
        );
    }
}

#[test]
fn what_all_levels_leave_out_stays_below_the_share() {
    let mut rows = clouds();
    // Persons who are like nobody.
    rows.extend((0..6).map(|n| (200 + 40 * n, 300 - 30 * n, n % 3, 0)));
    let table = table(&rows, false, 0);
    for (method, most) in [
        ("method = \"lattice\"\nsuppress = 0.1", 12),
        ("method = \"mondrian\"\nsuppress = 0.1", 12),
        ("method = \"lattice\"", 0),
    ] {
        let releases = release(&plan(method, ""), &table).expect("released");
        let gone = rows.len() - releases[0].len();
        assert!(gone <= most, "{method} leaves out {gone}");
        assert!(gone > 0 || most == 0, "{method} leaves nobody out");
        check(&table, &releases, true);
    }
}

#[test]
fn leave_to_suppress_everything_does_not_empty_the_levels() {
    // Ten persons, of whom no nine are alike but all together.
    let rows: Vec<Row> = (0..10).map(|n| (n * 9, n * 4, n % 4, n % 3)).collect();
    let table = table(&rows, false, 0);
    for method in ["mondrian", "lattice"] {
        let method = format!("method = \"{method}\"\nsuppress = 1");
        let releases = release(&plan(&method, ""), &table).expect("released");
        assert!(!releases[0].is_empty(), "{method}");
        check(&table, &releases, true);
    }
}

#[test]
fn a_ledger_has_every_level_and_holds_the_next_release_against_all() {
    let rows = table(&clouds(), false, 0);
    let mut plan = plan("method = \"mondrian\"", "");
    plan.ledger = Some(LedgerPlan {
        on_conflict: Conflict::Refuse,
        growth: false,
    });
    let mut history =
        History::new(Key::new(b"a key for tests, not a secret".to_vec()).expect("a key"));
    let run = |plan: &Plan, history: &History| {
        let context = Context {
            ledger: Some(Arc::new(history.clone())),
            ..Context::default()
        };
        let mut session = Session::open(&Arc::new(plan.clone()), rows.schema(), context)?;
        session.push(rows.clone())?;
        session.finish_levels()
    };
    let levels = run(&plan, &history).expect("released");
    let recorded = levels
        .iter()
        .rev()
        .map(|(_, outcome)| outcome.recorded.as_ref());
    for recorded in recorded {
        history.add(recorded.expect("recorded"));
    }
    // The same levels again tell nothing new; other classes would.
    assert!(run(&plan, &history).is_ok());
    let other = self::plan("method = \"mondrian\"\noutput = \"interval\"", "");
    plan.protect = other.protect;
    let refused = run(&plan, &history);
    assert!(
        matches!(refused, Err(Error::Budget(_))),
        "{:?}",
        refused.map(|l| l.len())
    );
}

#[test]
fn plans_that_nobody_can_nest_are_refused() {
    let columns = columns("");
    let rest = levels();
    for (protect, what) in [
        ("method = \"generalization\"", "can make finer classes"),
        ("method = \"datafly\"", "can make finer classes"),
        (
            "method = \"mondrian\"\nmode = \"relaxed\"",
            "can make finer classes",
        ),
        (
            "method = \"lattice\"\nsearch = \"cuts\"",
            "can make finer classes",
        ),
        ("method = \"rank-swapping\"", "no [levels]"),
        (
            "method = \"microaggregation\"\nk = 2\nbuffer = 9",
            "no [levels]",
        ),
        ("method = \"microaggregation\"\nk = 3", "less than the k=3"),
        (
            "method = \"mondrian\"\n[[protect]]\nmethod = \"noise\"\namount = 0.1\ncolumns = [\"ill\"]",
            "can make finer classes",
        ),
    ] {
        let promise = match protect.contains("k = ") || protect.contains("swapping") {
            true => "",
            false => "[guarantee]\nk = 2\n",
        };
        let text = format!("{columns}{promise}{rest}[[protect]]\n{protect}\n");
        let refused =
            Plan::parse(&text).and_then(|plan| release(&plan, &table(&clouds(), false, 0)));
        let refused = refused.expect_err(protect).to_string();
        assert!(refused.contains(what), "{protect}: {refused}");
    }
}
