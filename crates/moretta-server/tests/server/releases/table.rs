//! Pages and counts against a slow and obvious reference, over random released tables.

use moretta_server::release::csv::{Cell, Format};
use moretta_server::release::{Table, index};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Cursor;

type Row = Vec<Cell>;

fn cells() -> impl Strategy<Value = Cell> {
    prop_oneof![
        1 => Just(None),
        3 => (0_u8..30).prop_map(|n| Some(n.to_string())),
        3 => (0_u8..30, 0_u8..9).prop_map(|(low, more)| Some(format!("{low}..{}", low + more))),
        1 => Just(Some("*".to_owned())),
        1 => Just(Some("{3|5|7}".to_owned())),
        1 => Just(Some("1*".to_owned())),
        2 => "[a;\"\n ]{1,4}".prop_map(Some),
    ]
}

fn tables() -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec(proptest::collection::vec(cells(), 3), 0..300)
}

fn columns() -> Vec<String> {
    ["a", "b;", "c\"d"].map(str::to_owned).to_vec()
}

fn format() -> Format {
    Format {
        delimiter: ';',
        missing: "NA".to_owned(),
        header: true,
    }
}

fn written(rows: &[Row]) -> String {
    let quoted = |cell: &str| match cell.contains([';', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    };
    let line = |cells: Vec<String>| cells.join(";") + "\n";
    let mut text = line(columns().iter().map(|name| quoted(name)).collect());
    for row in rows {
        text += &line(
            row.iter()
                .map(|cell| quoted(cell.as_deref().unwrap_or("NA")))
                .collect(),
        );
    }
    text
}

fn open(rows: &[Row]) -> Table<Cursor<Vec<u8>>> {
    let text = written(rows).into_bytes();
    let mut index = Vec::new();
    let head = index::make(&*text, format(), &columns(), &mut index).expect("an index");
    assert_eq!(head.rows, rows.len() as u64);
    Table::open(Cursor::new(text), Cursor::new(index)).expect("a table")
}

/// The whole numbers from 0 to 99 that a cell may stand for; none where it is a text.
fn stands_for(cell: &str) -> Option<Vec<u32>> {
    let all = 0..100;
    if cell == "*" {
        return Some(all.collect());
    }
    if let Some(list) = cell.strip_prefix('{') {
        let list = list.trim_end_matches('}').split('|');
        return list.map(|n| n.parse().ok()).collect();
    }
    if cell == "1*" {
        return Some((10..20).collect());
    }
    if let Some((low, high)) = cell.split_once("..") {
        return Some((low.parse().ok()?..=high.parse().ok()?).collect());
    }
    cell.parse().ok().map(|n| vec![n])
}

fn meets(cell: &Cell, is: &str, values: &[Cell]) -> bool {
    values.iter().any(|value| match (is, cell, value) {
        ("=" | "in", cell, value) => cell == value,
        (_, Some(cell), Some(value)) => {
            cell == value
                || match (stands_for(cell), stands_for(value)) {
                    (Some(own), Some(other)) => own.iter().any(|n| other.contains(n)),
                    _ => cell == "*",
                }
        }
        (_, None, None) => true,
        _ => false,
    })
}

fn runner() -> TestRunner {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[15; 32]);
    TestRunner::new_with_rng(Config::with_cases(200), rng)
}

fn comparisons() -> impl Strategy<Value = (&'static str, Vec<Cell>)> {
    let number = || (0_u8..40).prop_map(|n| Some(n.to_string()));
    prop_oneof![
        cells().prop_map(|cell| ("=", vec![cell])),
        proptest::collection::vec(cells(), 1..4).prop_map(|cells| ("in", cells)),
        number().prop_map(|number| ("contains", vec![number])),
        (0_u8..30, 0_u8..9)
            .prop_map(|(low, more)| ("overlaps", vec![Some(format!("{low}..{}", low + more))])),
    ]
}

#[test]
fn pages_together_are_the_rows_that_meet_the_conditions_in_their_order() {
    let cases = (tables(), comparisons(), 0_usize..3, 1_usize..60);
    let checked = runner().run(&cases, |(rows, (is, values), column, limit)| {
        let mut table = open(&rows);
        let conditions = json!([{ "column": columns()[column], "is": is, "values": values }]);
        let conditions = conditions.to_string();
        for conditions in [None, Some(&*conditions)] {
            let expected: Vec<&Row> = rows
                .iter()
                .filter(|row| conditions.is_none() || meets(&row[column], is, &values))
                .collect();
            let (mut found, mut from) = (Vec::new(), 0);
            loop {
                let page = table.page(conditions, from, limit).expect("a page");
                prop_assert!(page.rows.len() <= limit);
                found.extend(page.rows);
                match page.next {
                    Some(next) => {
                        prop_assert!(next > from);
                        from = next;
                    }
                    None => break,
                }
            }
            prop_assert_eq!(found.iter().collect::<Vec<_>>(), expected);
        }
        Ok(())
    });
    checked.expect("the same rows");
}

#[test]
fn counts_are_those_of_whoever_has_the_download() {
    let cases = (tables(), comparisons(), 0_usize..3, 0_usize..4);
    let checked = runner().run(&cases, |(rows, (is, values), column, by)| {
        let mut table = open(&rows);
        let conditions = json!([{ "column": columns()[column], "is": is, "values": values }]);
        let counts = table.counts(Some(&conditions.to_string()), &columns()[..by]);
        let mut expected: BTreeMap<Row, u64> = BTreeMap::new();
        for row in rows.iter().filter(|row| meets(&row[column], is, &values)) {
            *expected.entry(row[..by].to_vec()).or_default() += 1;
        }
        prop_assert_eq!(counts.expect("counts"), expected);
        Ok(())
    });
    checked.expect("the same counts");
}

#[test]
fn what_is_asked_for_wrongly_is_refused() {
    let mut table = open(&[vec![None, None, None]]);
    let four = ["a", "b;", "c\"d", "a"].map(str::to_owned);
    assert_eq!(table.counts(None, &four).expect_err("four").status, 422);
    let other = ["x".to_owned()];
    assert_eq!(table.counts(None, &other).expect_err("none").status, 422);
    for conditions in [
        "",
        "{}",
        "[{\"column\": \"x\", \"is\": \"=\", \"values\": [\"1\"]}]",
        "[{\"column\": \"a\", \"is\": \"like\", \"values\": [\"1\"]}]",
        "[{\"column\": \"a\", \"is\": \"=\", \"values\": []}]",
        "[{\"column\": \"a\", \"is\": \"=\", \"values\": [\"1\", \"2\"]}]",
    ] {
        let refused = table.page(Some(conditions), 0, 10).expect_err(conditions);
        assert_eq!(refused.status, 422);
    }
    let past = table.page(None, u64::MAX, 10).expect("a page");
    assert_eq!((past.rows.len(), past.next), (0, None));
}
