//! Every method that releases a sample of a table against every promise. A new method gets lines
//! in [`CASES`] and nothing else.

#[path = "support/order.rs"]
mod order;

use moretta::data::{Batch, Column, Field, Kind, Role, RowIds, Schema};
use moretta::policy::{Policy, Root};
use moretta::protect::{Effect, Family, METHODS, Method, Setting};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// A method and the ways in which it is tried.
const CASES: &[(&str, &[&str])] = &[(
    "sampling",
    &[
        "fraction = 0.5",
        "fraction = 0.3\nstrata = [\"region\"]",
        "size = 7",
        "size = 12\nstrata = [\"region\", \"sex\"]",
    ],
)];

const COLUMNS: &str = "who = { role = \"subject\" }\nregion = { role = \"plain\", type = \"category\" }\n\
     sex = { role = \"quasi\", type = \"category\" }\nage = { role = \"quasi\", type = \"number\" }\n\
     cost = { role = \"sensitive\", type = \"number\" }\nweight = { role = \"plain\", type = \"number\" }\n";

fn method(name: &str, configuration: &str) -> Method {
    let text = format!(
        "version = 1\n[source]\npath = \"a.csv\"\n[columns]\n{COLUMNS}\
         [[protect]]\nmethod = \"{name}\"\n{configuration}\n"
    );
    let root = Root::of_policy(Path::new("policy.toml"), None).expect("a folder");
    let policy = Policy::parse(&text, &root).unwrap_or_else(|error| panic!("{error}\n{text}"));
    policy.plan.protect[0].clone()
}

fn every_method(promise: impl Fn(&Method)) {
    for (name, configurations) in CASES {
        for configuration in *configurations {
            promise(&method(name, configuration));
        }
    }
}

/// A person lives in one region and is of one sex.
#[derive(Clone, Debug)]
struct Row {
    who: u8,
    age: Option<u8>,
    cost: Option<f64>,
}

fn any_rows(rows: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Row>> {
    let row = (
        0..60_u8,
        prop::option::weighted(0.9, 18..90_u8),
        prop::option::weighted(0.9, -5.0..5.0_f64),
    );
    let row = row.prop_map(|(who, age, cost)| Row { who, age, cost });
    prop::collection::vec(row, rows)
}

fn schema(person: Role) -> Arc<Schema> {
    let category = || Kind::Category { ordered: false };
    let number = || Kind::Number { integer: false };
    let fields = vec![
        Field::new("who", person, category()),
        Field::new("region", Role::Plain, category()),
        Field::new("sex", Role::Quasi, category()),
        Field::new("age", Role::Quasi, number()),
        Field::new("cost", Role::Sensitive, number()),
        Field::new("weight", Role::Plain, number()),
    ];
    Arc::new(Schema::new(fields).expect("names differ"))
}

fn batch(rows: &[Row], person: Role) -> Batch {
    let region =
        |row: &Row| [Some("north"), Some("south"), Some("west"), None][row.who as usize % 4];
    let sex = |row: &Row| ["f", "m"][row.who as usize / 4 % 2];
    let columns = vec![
        Column::Category(
            rows.iter()
                .map(|row| Some(format!("p{}", row.who)))
                .collect(),
        ),
        Column::Category(rows.iter().map(region).collect()),
        Column::Category(rows.iter().map(|row| Some(sex(row))).collect()),
        Column::Number(rows.iter().map(|row| row.age.map(f64::from)).collect()),
        Column::Number(rows.iter().map(|row| row.cost).collect()),
        Column::Number(
            rows.iter()
                .map(|row| Some(1.0 + f64::from(row.who % 3)))
                .collect(),
        ),
    ];
    let ids = RowIds::Range {
        start: 0,
        len: rows.len(),
    };
    Batch::new(schema(person), ids, columns).expect("fits")
}

/// The sample of a table that comes so many rows at a time, and how many rows are not in it.
fn sample(method: &Method, table: &Batch, size: usize, seed: u64) -> moretta::Result<(Batch, u64)> {
    let setting = Setting {
        seed,
        ..Setting::default()
    };
    let mut operator = method.build(table.schema(), &setting).expect("built");
    for start in (0..table.len()).step_by(size) {
        let part = table.slice(start, size.min(table.len() - start));
        assert!(
            operator.push(part)?.is_empty(),
            "a sample is of the whole table"
        );
    }
    let released = operator.finish()?;
    let gone: u64 = operator.suppressed().iter().map(|(_, rows)| rows).sum();
    assert_eq!(gone, 0, "what is not drawn is not suppressed");
    Ok((released, operator.left_out()))
}

fn cell(column: &Column, row: usize) -> Option<String> {
    match column {
        Column::Number(numbers) => numbers.get(row).map(|number| number.to_string()),
        Column::Category(categories) => categories.get(row).map(str::to_owned),
        Column::Plain(_) => None,
    }
}

fn lines(batch: &Batch) -> Vec<(u64, Vec<Option<String>>)> {
    let line = |(row, id)| {
        (
            id,
            batch
                .columns()
                .iter()
                .map(|column| cell(column, row))
                .collect(),
        )
    };
    batch.rows().iter().enumerate().map(line).collect()
}

#[test]
fn every_method_of_the_list_is_tried() {
    let samples = METHODS.iter().filter(|info| info.family == Family::Sample);
    let listed: BTreeSet<&str> = samples.map(|info| info.name).collect();
    let tried: BTreeSet<&str> = CASES.iter().map(|(name, _)| *name).collect();
    assert_eq!(listed, tried);
    every_method(|method| {
        assert!(method.samples() && method.is_random() && !method.keeps_guarantee());
    });
}

#[test]
fn no_row_and_one_row_are_refused() {
    let one = Row {
        who: 1,
        age: None,
        cost: None,
    };
    every_method(|method| {
        for rows in [&[][..], std::slice::from_ref(&one)] {
            let refused = sample(method, &batch(rows, Role::Subject), 1, 7);
            assert_eq!(refused.expect_err("too few").exit_code(), 1, "{method:?}");
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_sample_holds_some_rows_once_and_counts_the_others(rows in any_rows(40..150), seed: u64) {
        every_method(|method| {
            let table = batch(&rows, Role::Plain);
            let (released, left_out) = sample(method, &table, 50, seed).expect("drawn");
            let ids: BTreeSet<u64> = released.rows().iter().collect();
            assert_eq!(ids.len(), released.len(), "{method:?}: a row came out twice");
            assert!(ids.iter().all(|&id| id < rows.len() as u64));
            assert_eq!(released.len() as u64 + left_out, rows.len() as u64);
            assert!(left_out > 0 && !ids.is_empty(), "{method:?}");
        });
    }

    #[test]
    fn cells_are_as_they_were_unless_the_method_says_that_it_masks_them(
        rows in any_rows(40..150), seed: u64,
    ) {
        every_method(|method| {
            let table = batch(&rows, Role::Plain);
            let effects = method.effects(table.schema()).expect("effects");
            let (released, _) = sample(method, &table, 50, seed).expect("drawn");
            let original = lines(&table);
            for (id, line) in lines(&released) {
                let cells = line.iter().zip(&original[id as usize].1).zip(&effects);
                for ((released, original), effect) in cells {
                    match effect {
                        Effect::Kept => assert_eq!(released, original, "{method:?}"),
                        effect => assert_eq!(*effect, Effect::Masked, "{method:?}"),
                    }
                    assert_eq!(released.is_none(), original.is_none(), "{method:?}");
                }
            }
        });
    }

    #[test]
    fn persons_leave_with_all_rows_or_with_none(rows in any_rows(40..150), seed: u64) {
        prop_assume!(rows.iter().map(|row| row.who).collect::<BTreeSet<_>>().len() > 14);
        every_method(|method| {
            let table = batch(&rows, Role::Subject);
            let (released, _) = sample(method, &table, 50, seed).expect("drawn");
            let count = |ids: &mut dyn Iterator<Item = u64>| {
                let mut counts: BTreeMap<u8, u32> = BTreeMap::new();
                ids.for_each(|id| *counts.entry(rows[id as usize].who).or_default() += 1);
                counts
            };
            let (all, drawn) = (count(&mut table.rows().iter()), count(&mut released.rows().iter()));
            assert!(drawn.len() < all.len());
            assert!(drawn.iter().all(|(who, rows)| all[who] == *rows), "{method:?}");
        });
    }

    #[test]
    fn neither_batches_nor_time_change_a_sample_and_another_seed_does(
        rows in any_rows(60..150), size in 1..50_usize, seed: u64,
    ) {
        every_method(|method| {
            let table = batch(&rows, Role::Plain);
            let draw = |size, seed| lines(&sample(method, &table, size, seed).expect("drawn").0);
            assert_eq!(draw(usize::MAX, seed), draw(size, seed), "{method:?}");
            let others = (1..9).map(|more| draw(usize::MAX, seed.wrapping_add(more)));
            let whole = draw(usize::MAX, seed);
            assert!(others.into_iter().any(|other| other != whole), "{method:?}");
        });
    }
}

/// A table of which every kind of column is released, for whole runs.
fn whole_table() -> String {
    let mut csv = "who,region,sex,age,cost,weight,note,anchor\n".to_owned();
    for i in 0..200 {
        let (region, sex) = (["north", "south", "west"][i % 3], ["f", "m"][i / 3 % 2]);
        let (age, cost) = (18 + i * 7 % 60, i * 13 % 101);
        csv += &format!(
            "p{i},{region},{sex},{age},{cost},{},note {cost},{cost}.5\n",
            1 + i % 3
        );
    }
    csv
}

#[test]
fn the_order_of_rows_is_a_function_of_the_released_rows() {
    let folder = order::folder(&whole_table());
    let text = format!(
        "version = 1\n[source]\npath = \"in.csv\"\n[columns]\n{COLUMNS}\
         note = {{ role = \"plain\" }}\nanchor = {{ role = \"plain\", type = \"number\" }}\n\
         [[protect]]\nmethod = \"sampling\"\nfraction = 0.5\n[sink]\npath = \"out.csv\"\n"
    );
    let column = |name: &str| match name {
        "note" => "{ role = \"plain\" }",
        "region" | "sex" => "{ role = \"plain\", type = \"category\" }",
        _ => "{ role = \"plain\", type = \"number\" }",
    };
    let mut tried = 0;
    every_method(|method| {
        let why = format!("{method:?}");
        let released = order::release(folder.path(), &text, Some(method.clone())).expect(&why);
        if released.lines().count() > 21 {
            order::assert_order_is_of_release(&released, column, &why);
        }
    });
    for (name, configurations) in CASES {
        let large = configurations
            .iter()
            .filter(|text| text.contains("fraction"));
        tried += large.count();
        assert!(tried > 0, "{name} releases too few rows to see an order");
    }
}
