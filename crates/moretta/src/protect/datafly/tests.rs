//! The worked table, refusals, and what a level tells.

use super::*;
use crate::config::{Placed, Value};
use crate::data::hierarchy::Hierarchy;
use crate::data::{Domain, Domains, RowIds};
use crate::data::{Field, Kind};
use crate::guarantee::Guarantee;
use std::sync::Arc;

/// Ages and sexes with their hierarchies: ages of 20 to 39 in fives, in tens, and all.
fn table(rows: &[(f64, &str)]) -> (Batch, Arc<Domains>) {
    let fields = vec![
        Field::new("age", Role::Quasi, Kind::Number { integer: true }),
        Field::new("sex", Role::Quasi, Kind::Category { ordered: false }),
    ];
    let columns = vec![
        Column::Number(rows.iter().map(|row| Some(row.0)).collect()),
        Column::Category(rows.iter().map(|row| Some(row.1)).collect()),
    ];
    let ages: Vec<Vec<String>> = (20..40)
        .map(|age| {
            let five = age / 5 * 5;
            let fives = format!("{five} to {}", five + 4);
            vec![
                age.to_string(),
                fives,
                format!("{}0s", age / 10),
                "*".to_owned(),
            ]
        })
        .collect();
    let sexes = ["F", "M"].map(|sex| vec![sex.to_owned(), "*".to_owned()]);
    let trees = [
        Hierarchy::from_chains(&ages).expect("a tree"),
        Hierarchy::from_chains(&sexes).expect("a tree"),
    ];
    let domains = fields
        .iter()
        .zip(&columns)
        .zip(trees)
        .map(|((field, column), tree)| {
            let domain = Domain::of(field, column, Some(Arc::new(tree)));
            (field.name.to_string(), domain.expect("values"))
        });
    let domains = Domains::new(domains.collect::<Vec<_>>());
    let schema = Arc::new(Schema::new(fields).expect("names differ"));
    let len = rows.len();
    let batch = Batch::new(schema, RowIds::Range { start: 0, len }, columns).expect("fits");
    (batch, Arc::new(domains))
}

const T8: [(f64, &str); 8] = [
    (21.0, "F"),
    (23.0, "F"),
    (25.0, "M"),
    (28.0, "M"),
    (32.0, "F"),
    (34.0, "M"),
    (36.0, "M"),
    (39.0, "F"),
];

/// What each released row shows.
fn released(rows: &[(f64, &str)], k: u32, config: &Datafly) -> Result<Vec<String>> {
    let (batch, domains) = table(rows);
    let setting = Setting {
        guarantee: Guarantee {
            k: Some(k),
            ..Guarantee::default()
        },
        domains,
        ..Setting::default()
    };
    let table = config.table(&setting).expect("a function on tables");
    let release = table.release(&batch)?.batch;
    let texts = |row: usize| {
        let texts = release.columns().iter().map(|column| match column {
            Column::Category(texts) => texts.get(row).unwrap_or("").to_owned(),
            _ => String::new(),
        });
        texts.collect::<Vec<_>>().join(", ")
    };
    Ok((0..release.len()).map(texts).collect())
}

fn share(suppress: f64) -> Datafly {
    Datafly {
        suppress,
        ..Datafly::default()
    }
}

#[test]
fn the_worked_table_goes_two_levels_up_in_age_and_loses_no_row() {
    let shown = released(&T8, 2, &share(0.25)).expect("released");
    let expected = [
        "20s, F", "20s, F", "20s, M", "20s, M", "30s, F", "30s, M", "30s, M", "30s, F",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn what_stands_out_within_the_budget_is_suppressed() {
    // At fives four of eight rows stand out.
    let shown = released(&T8, 2, &share(0.5)).expect("released");
    assert_eq!(
        shown,
        ["20 to 24, F", "20 to 24, F", "25 to 29, M", "25 to 29, M"]
    );
    // k rows may go: 34 and 39 of those that differ in sex, too.
    let k_rows = Datafly {
        budget: Budget::K,
        ..Datafly::default()
    };
    assert_eq!(released(&T8[..6], 2, &k_rows).expect("released").len(), 4);
}

#[test]
fn of_columns_with_as_many_values_the_first_goes_up() {
    // Both show two values: age goes up first, and then sex is not touched.
    let rows = [(20.0, "F"), (21.0, "F"), (20.0, "M"), (21.0, "M")];
    let shown = released(&rows, 2, &share(0.0)).expect("released");
    assert_eq!(
        shown,
        ["20 to 24, F", "20 to 24, F", "20 to 24, M", "20 to 24, M"]
    );
}

#[test]
fn more_than_the_budget_at_the_top_is_refused() {
    let error = released(&T8, 9, &share(0.0)).expect_err("eight rows");
    assert_eq!(error.exit_code(), 1);
}

#[test]
fn a_share_and_k_rows_exclude_each_other() {
    let mut section = Section::new("[[protect]]", 0..1);
    let value = Value::Text("k".to_owned());
    section.insert("budget", 0..1, Placed { value, span: 0..1 });
    let read = Datafly::read(&mut section.clone()).expect("k rows");
    assert_eq!(read.budget, Budget::K);
    for (key, value) in [
        ("budget", Value::Text("k".to_owned())),
        ("suppress", Value::Number(0.1)),
    ] {
        section.insert(key, 0..1, Placed { value, span: 0..1 });
    }
    assert!(Datafly::read(&mut section).is_err());
}
