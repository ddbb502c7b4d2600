//! Reading and writing CSV: rows per second on a generated table.

use divan::Bencher;
use divan::counter::ItemsCount;
use moretta::data::{Batch, Role};
use moretta::io::{ColumnPlan, ReadAs, ReadOptions, WriteOptions, create, open};
use std::path::{Path, PathBuf};

const ROWS: usize = 2_000_000;

fn main() {
    divan::main();
}

#[divan::bench(args = [1, 2], sample_count = 5, sample_size = 1)]
fn read(bencher: Bencher<'_, '_>, threads: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = generate(folder.path());
    let pool = pool(threads);
    bencher
        .counter(ItemsCount::new(ROWS))
        .bench_local(|| pool.install(|| read_whole(&path)));
}

#[divan::bench(args = [1, 2], sample_count = 5, sample_size = 1)]
fn write(bencher: Bencher<'_, '_>, threads: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let batch = read_whole(&generate(folder.path()));
    let path = folder.path().join("out.csv");
    let pool = pool(threads);
    bencher
        .counter(ItemsCount::new(ROWS))
        .bench_local(|| pool.install(|| write_whole(&path, &batch)));
}

fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("threads")
}

fn read_whole(path: &Path) -> Batch {
    let mut source = open(path, &ReadOptions::default(), &plans()).expect("opens");
    source.next().expect("one batch").expect("reads")
}

fn write_whole(path: &Path, batch: &Batch) {
    let mut sink = create(path, &WriteOptions::default(), batch.schema()).expect("creates");
    sink.write(batch).expect("writes");
    sink.close().expect("closes");
}

fn plans() -> Vec<ColumnPlan> {
    ["age", "sex", "zip", "education", "diagnosis"]
        .map(|name| ColumnPlan {
            name: name.to_owned(),
            role: Role::Quasi,
            read: ReadAs::Infer,
        })
        .to_vec()
}

/// Rows like `34,M,10117,Bachelors,flu`.
fn generate(folder: &Path) -> PathBuf {
    let education = [
        "Bachelors",
        "HS-grad",
        "11th",
        "Masters",
        "Some-college",
        "Doctorate",
    ];
    let diagnosis = [
        "flu", "cold", "asthma", "diabetes", "fracture", "migraine", "angina",
    ];
    let mut text = "age,sex,zip,education,diagnosis\n".to_owned();
    let mut state = 42u64;
    for _ in 0..ROWS {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let r = (state >> 33) as usize;
        let (age, zip) = (17 + r % 74, 10_000 + (r >> 7) % 4_000);
        let sex = if r & 1 == 0 { "M" } else { "F" };
        let (e, d) = (education[(r >> 3) % 6], diagnosis[(r >> 5) % 7]);
        text += &format!("{age},{sex},{zip},{e},{d}\n");
    }
    let path = folder.join("table.csv");
    std::fs::write(&path, text).expect("writes");
    path
}
