//! The worked example, slow counts, and what another program empties of public data.

use super::*;
use crate::data::{Column, Domain, Domains, Field, Kind, RowIds};
use crate::guarantee::{Guarantee, wild_claims};
use proptest::prelude::*;
use std::collections::HashMap;
use std::path::Path;

fn batch(rows: &[Vec<String>]) -> (Batch, Arc<Domains>) {
    let width = rows.first().map_or(1, Vec::len);
    let fields: Vec<Field> = (0..width)
        .map(|i| {
            Field::new(
                format!("q{i}"),
                Role::Quasi,
                Kind::Category { ordered: false },
            )
        })
        .collect();
    let column = |i: usize| Column::Category(rows.iter().map(|row| Some(&row[i])).collect());
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

fn release(rows: &[Vec<String>], k: u32, missing: Reading, ignore_attacker: bool) -> Batch {
    let (batch, domains) = batch(rows);
    let setting = Setting {
        guarantee: Guarantee {
            k: Some(k),
            ..Guarantee::default()
        },
        domains,
        ..Setting::default()
    };
    let config = Suppression {
        missing,
        ignore_attacker,
        ..Suppression::default()
    };
    let table = config.table(&setting).expect("a function on tables");
    table.release(&batch).expect("released").batch
}

fn lines(release: &Batch) -> Vec<Vec<String>> {
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

fn emptied(lines: &[Vec<String>]) -> usize {
    lines.iter().flatten().filter(|cell| *cell == "*").count()
}

fn split(rows: &[&str]) -> Vec<Vec<String>> {
    let line = |row: &&str| row.split(' ').map(str::to_owned).collect();
    rows.iter().map(line).collect()
}

/// How many released rows match some values, empty cells being anything.
fn matching(released: &[Vec<String>], values: &[String]) -> usize {
    let fits = |row: &&Vec<String>| {
        let pairs = row.iter().zip(values);
        pairs
            .into_iter()
            .all(|(a, b)| a == b || a == "*" || b == "*")
    };
    released.iter().filter(fits).count()
}

const EXAMPLE: [&str; 6] = ["a x", "a x", "a y", "b y", "b y", "b z"];

#[test]
fn the_worked_example_loses_two_cells_or_six() {
    let rows = split(&EXAMPLE);
    let own = lines(&release(&rows, 3, Reading::Own, false));
    assert_eq!(own, split(&["a *", "a *", "a *", "b *", "b *", "b *"]));
    let ignoring = release(&rows, 3, Reading::Wild, true);
    let wild = lines(&ignoring);
    assert_eq!(wild, split(&["a x", "a x", "a *", "b y", "b y", "b *"]));
    let counts: Vec<usize> = rows.iter().map(|row| matching(&wild, row)).collect();
    assert_eq!(counts, [3, 3, 1, 3, 3, 1]);
    let counting = lines(&release(&rows, 3, Reading::Wild, false));
    assert!(rows.iter().all(|row| matching(&counting, row) >= 3));
    // The checker finds the same: three match each row, and one the true values of some.
    let names = ["q0".to_owned(), "q1".to_owned()];
    let (originals, _) = batch(&rows);
    for (ignore_attacker, kept) in [(true, [true, true]), (false, [true, false])] {
        let claims = wild_claims(&ignoring, Some(&originals), &names, 3, ignore_attacker);
        let claims = claims.expect("counted");
        let found: Vec<Option<f64>> = claims.iter().map(|claim| claim.found).collect();
        assert_eq!(found, [Some(3.0), Some(1.0)]);
        assert_eq!([claims[0].holds, claims[1].holds], kept);
    }
}

proptest! {
    #[test]
    fn cells_are_as_they_were_or_empty_and_k_holds_as_it_is_read(
        values in prop::collection::vec(0..4_u8, 0..120),
        k in 2..5_u32,
    ) {
        let rows: Vec<Vec<String>> = values
            .chunks_exact(3)
            .map(|row| row.iter().map(u8::to_string).collect())
            .collect();
        prop_assume!(rows.len() >= k as usize);
        let own = lines(&release(&rows, k, Reading::Own, false));
        let wild = lines(&release(&rows, k, Reading::Wild, true));
        let counting = lines(&release(&rows, k, Reading::Wild, false));
        for released in [&own, &wild, &counting] {
            for (row, original) in released.iter().zip(&rows) {
                prop_assert!(row.iter().zip(original).all(|(a, b)| a == b || a == "*"));
            }
        }
        let mut classes: HashMap<&Vec<String>, u32> = HashMap::new();
        own.iter().for_each(|row| *classes.entry(row).or_default() += 1);
        prop_assert!(classes.values().all(|&count| count >= k));
        prop_assert!(wild.iter().all(|row| matching(&wild, row) >= k as usize));
        prop_assert!(rows.iter().all(|row| matching(&counting, row) >= k as usize));
        // The checker counts as the slow loop does.
        let names: Vec<String> = (0..3).map(|i| format!("q{i}")).collect();
        let (originals, _) = batch(&rows);
        let (released, _) = batch(&wild);
        let claims = wild_claims(&released, Some(&originals), &names, k, true).expect("counted");
        let least = |tuples: &[Vec<String>]| {
            tuples.iter().map(|row| matching(&wild, row)).min().map(|least| least as f64)
        };
        prop_assert_eq!(claims[0].found, least(&wild));
        prop_assert_eq!(claims[1].found, least(&rows));
    }
}

#[test]
fn no_more_cells_are_emptied_than_by_another_program() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = data.join("testdata/testdata.csv");
    if !path.exists() {
        let ci = std::env::var_os("CI").is_some();
        assert!(!ci, "CI needs the shared data: testdata");
        return;
    }
    let text = std::fs::read_to_string(path).expect("a file");
    // urbrur, roof, walls, water, electcon, relat, sex: the first seven columns.
    let line = |line: &str| line.split(',').take(7).map(str::to_owned).collect();
    let rows: Vec<Vec<String>> = text.lines().skip(1).map(line).collect();
    assert_eq!(rows.len(), 4580);
    for (k, theirs) in [(2, 157), (3, 293), (5, 500)] {
        let wild = lines(&release(&rows, k, Reading::Wild, true));
        let found = emptied(&wild);
        assert!(found <= theirs, "k = {k}: {found} of {theirs}");
    }
}
