//! The worked examples, a slow reference, and what is always kept.

use super::*;
use crate::data::{Domain, Domains, Field, Kind, RowIds};
use proptest::prelude::*;
use std::collections::HashMap;

fn batch(rows: &[Vec<String>]) -> (Batch, Arc<Domains>) {
    let width = rows.first().map_or(3, Vec::len);
    let fields: Vec<Field> = (0..width)
        .map(|i| Field::new(NAMES[i], Role::Quasi, Kind::Category { ordered: false }))
        .collect();
    let cell = |text: &String| (text != "?").then(|| text.clone());
    let column = |i: usize| Column::Category(rows.iter().map(|row| cell(&row[i])).collect());
    let columns: Vec<Column> = (0..width).map(column).collect();
    let domains = fields.iter().zip(&columns).map(|(field, column)| {
        let domain = Domain::of(field, column, None).expect("categories");
        (field.name.to_string(), domain)
    });
    let domains = Arc::new(Domains::new(domains.collect::<Vec<_>>()));
    let schema = Arc::new(Schema::new(fields).expect("names differ"));
    let len = rows.len();
    let batch = Batch::new(schema, RowIds::Range { start: 0, len }, columns);
    (batch.expect("fits"), domains)
}

const NAMES: [&str; 4] = ["region", "age", "sex", "job"];

fn released(rows: &[Vec<String>], config: &MuArgus) -> Vec<Vec<String>> {
    let (batch, domains) = batch(rows);
    let setting = Setting {
        domains,
        ..Setting::default()
    };
    let table = config.table(&setting).expect("a function on tables");
    let release = table.release(&batch).expect("released").batch;
    let cell = |column: &Column, row| match column {
        Column::Category(texts) => texts.get(row).expect("a text").to_owned(),
        _ => String::new(),
    };
    let line = |row| {
        release
            .columns()
            .iter()
            .map(|column| cell(column, row))
            .collect()
    };
    (0..release.len()).map(line).collect()
}

fn split(rows: &[&str]) -> Vec<Vec<String>> {
    let line = |row: &&str| row.split(' ').map(str::to_owned).collect();
    rows.iter().map(line).collect()
}

#[test]
fn cells_are_emptied_as_in_the_worked_example() {
    let rows = split(&[
        "N 20s F", "N 20s F", "N 30s F", "N 30s M", "S 30s M", "S 30s M", "S 20s M", "S 20s F",
    ]);
    let expected = split(&[
        "N 20s F", "N 20s F", "N * F", "* 30s M", "S 30s M", "S 30s M", "S * M", "* 20s F",
    ]);
    assert_eq!(released(&rows, &MuArgus::default()), expected);
}

#[test]
fn a_missing_cell_does_not_stand_out_among_emptied_ones() {
    let rows = split(&["a m", "a m", "b m", "b m", "? m", "c m"]);
    let expected = split(&["a m", "a m", "b m", "b m", "* m", "* m"]);
    let config = MuArgus {
        size: 1,
        recode_until: 1.0,
        ..MuArgus::default()
    };
    assert_eq!(released(&rows, &config), expected);
}

#[test]
fn levels_of_identification_make_the_combinations_that_were_worked_out() {
    let config = MuArgus {
        identification: [("a", 1), ("b", 2), ("c", 2), ("d", 3)]
            .map(|(name, level)| (name.to_owned(), level))
            .into(),
        ..MuArgus::default()
    };
    let sets = sets::combinations(&config, &["a", "b", "c", "d"]).expect("levels");
    let sets: Vec<String> = sets.iter().map(|set| set.columns.concat()).collect();
    assert_eq!(sets, ["abc", "abd", "acd"]);
    let unknown = MuArgus {
        weights: [("x".to_owned(), 2.0)].into(),
        ..MuArgus::default()
    };
    assert!(sets::combinations(&unknown, &["a"]).is_err());
}

#[test]
fn all_pairs_may_be_safe_where_every_row_is_unique() {
    let bit = |n: usize, place: usize| (n >> place & 1).to_string();
    let cube: Vec<Vec<String>> = (0..8)
        .map(|n| vec![bit(n, 0), bit(n, 1), bit(n, 2)])
        .collect();
    assert_eq!(released(&cube, &MuArgus::default()), cube);
}

/// What a set of columns shows, if no cell of it says nothing.
fn shown(row: &[String], set: &[usize]) -> Option<Vec<String>> {
    let cells = set.iter().map(|&column| row[column].clone());
    cells.map(|cell| (cell != "*").then_some(cell)).collect()
}

proptest! {
    #[test]
    fn what_is_shown_is_shown_k_times_and_cells_are_as_they_were_or_empty(
        values in prop::collection::vec(0..4_u8, 0..160),
        k in 2..4_u32,
        size in 1..4_usize,
    ) {
        let rows: Vec<Vec<String>> = values
            .chunks_exact(4)
            .map(|row| row.iter().map(u8::to_string).collect())
            .collect();
        prop_assume!(rows.len() >= k as usize);
        let config = MuArgus { k: vec![k], size, ..MuArgus::default() };
        let release = released(&rows, &config);
        for (row, original) in release.iter().zip(&rows) {
            prop_assert!(row.iter().zip(original).all(|(a, b)| a == b || a == "*"));
        }
        for bits in 1..16_usize {
            let set: Vec<usize> = (0..4).filter(|place| bits >> place & 1 == 1).collect();
            if set.len() > size {
                continue;
            }
            let mut counts: HashMap<Vec<String>, u32> = HashMap::new();
            release.iter().filter_map(|row| shown(row, &set)).for_each(|cells| {
                *counts.entry(cells).or_default() += 1;
            });
            prop_assert!(counts.values().all(|&count| count >= k));
        }
    }
}

#[test]
fn a_list_of_k_says_it_for_every_size() {
    let read = |lines: &str| {
        let columns =
            "a = { role = \"quasi\" }\nb = { role = \"quasi\" }\nc = { role = \"quasi\" }\n";
        let text = format!("[columns]\n{columns}[[protect]]\nmethod = \"mu-argus\"\n{lines}\n");
        crate::engine::Plan::parse(&text)
    };
    for sound in [
        "k = 3\nsize = 3",
        "k = [3]\nsize = 3",
        "k = [3, 2]",
        "k = [4, 3, 2]\nsize = 3",
        "k = [4, 3, 2]",
        "k = [3, 2]\nidentification = { a = 1, b = 3 }",
    ] {
        assert!(read(sound).is_ok(), "{sound}");
    }
    for short in [
        "k = [3, 2]\nsize = 3",
        "k = [3, 2]\nidentification = { a = 1, b = 2, c = 3 }",
    ] {
        let error = read(short).expect_err(short);
        assert!(
            error.to_string().contains("combinations have up to"),
            "{error}"
        );
    }
}
