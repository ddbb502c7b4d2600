//! Mondrian with k = 10 on tables in memory: coding, partitioning and recoding.

mod tables;

use divan::Bencher;
use divan::counter::ItemsCount;
use moretta::data::{Batch, Role};
use moretta::io::{ColumnPlan, ReadAs, ReadOptions, names, open};
use moretta::protect::mondrian::Mode;
use std::path::{Path, PathBuf};
use tables::{HOSPITAL, release, setting, table};

/// Distinct values of age, workclass, education-num, marital-status, occupation,
/// race, sex and native-country in Adult.
const ADULT: [u64; 8] = [72, 7, 16, 7, 14, 5, 2, 41];

const MODES: [Mode; 3] = [Mode::Strict, Mode::Relaxed, Mode::Balanced];

fn main() {
    divan::main();
}

/// As many rows and values as Adult has, made up.
#[divan::bench(args = MODES, sample_count = 50, sample_size = 1)]
fn like_adult(bencher: Bencher<'_, '_>, mode: Mode) {
    run(bencher, &table(30_162, &ADULT), mode);
}

/// The real one, when the public data is there.
#[divan::bench(args = modes_on_adult(), sample_count = 50, sample_size = 1)]
fn adult(bencher: Bencher<'_, '_>, mode: Mode) {
    run(bencher, &read_adult(), mode);
}

#[divan::bench(args = MODES, sample_count = 3, sample_size = 1)]
fn million_rows_of_a_hospital(bencher: Bencher<'_, '_>, mode: Mode) {
    run(bencher, &table(1_000_000, &HOSPITAL), mode);
}

fn run(bencher: Bencher<'_, '_>, table: &Batch, mode: Mode) {
    let setting = setting(table);
    bencher
        .counter(ItemsCount::new(table.len()))
        .bench_local(|| release(table, &setting, mode));
}

fn modes_on_adult() -> Vec<Mode> {
    let there = adult_path().exists();
    MODES.into_iter().filter(|_| there).collect()
}

fn adult_path() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    folder.join("adult-uci/adult-uci.csv")
}

/// The eight quasi-identifiers of the rows that know them all.
fn read_adult() -> Batch {
    let quasi = [
        "age",
        "workclass",
        "education-num",
        "marital-status",
        "occupation",
        "race",
        "sex",
        "native-country",
    ];
    let options = ReadOptions {
        missing: vec!["?".to_owned()],
        ..ReadOptions::default()
    };
    let plans: Vec<ColumnPlan> = names(&adult_path(), &options)
        .expect("a header")
        .into_iter()
        .map(|name| ColumnPlan {
            read: match quasi.contains(&name.as_str()) {
                true => ReadAs::Infer,
                false => ReadAs::Skip,
            },
            name,
            role: Role::Quasi,
        })
        .collect();
    let mut source = open(&adult_path(), &options, &plans).expect("opens");
    let whole = source.next().expect("one batch").expect("reads");
    let known = |row: usize| {
        let mut categories = whole.columns().iter().filter_map(|c| c.as_categories());
        categories.all(|c| !c.is_missing(row))
    };
    let rows: Vec<u32> = (0..whole.len() as u32)
        .filter(|&row| known(row as usize))
        .collect();
    whole.take(&rows).expect("rows of the table")
}
