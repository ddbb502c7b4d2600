//! Reading and writing a stream on one core: rows per second of each step.
//!
//! The streams look like requests to web sites: `t,user,attribute`, with a few
//! thousand sites that come again and again, or with a new path in every row.

use divan::Bencher;
use divan::counter::ItemsCount;
use moretta::data::{Batch, LevelsBuilder, Role};
use moretta::io::{ColumnPlan, ReadAs, ReadOptions, WriteOptions, create, open};
use std::fmt::Write;
use std::path::Path;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROWS: usize = 2_000_000;
const USERS: u64 = 800;
const SITES: u64 = 2_400;

/// Rows of which the reader makes one batch, with a dictionary of its own.
const BATCH_ROWS: usize = 24_000;

#[derive(Clone, Copy, Debug)]
enum Shape {
    Domains,
    Paths,
}

const SHAPES: [Shape; 2] = [Shape::Domains, Shape::Paths];

fn main() {
    divan::main();
}

#[divan::bench(args = SHAPES, sample_count = 7, sample_size = 1)]
fn parse(bencher: Bencher<'_, '_>, shape: Shape) {
    let file = stream_file(shape);
    let core = one_core();
    bencher.counter(ItemsCount::new(ROWS)).bench_local(|| {
        let count = || batches(file.path()).map(|batch| batch.len()).sum::<usize>();
        assert_eq!(core.install(count), ROWS);
    });
}

#[divan::bench(args = SHAPES, sample_count = 7, sample_size = 1)]
fn intern(bencher: Bencher<'_, '_>, shape: Shape) {
    let text = stream(shape);
    let attributes: Vec<&str> = text
        .lines()
        .skip(1)
        .filter_map(|line| line.rsplit(',').next())
        .collect();
    bencher.counter(ItemsCount::new(ROWS)).bench_local(|| {
        let batches = attributes.chunks(BATCH_ROWS).map(|batch| {
            let mut levels = LevelsBuilder::default();
            let codes: Vec<u32> = batch.iter().map(|text| levels.intern(text)).collect();
            (codes, levels.finish())
        });
        batches.for_each(|batch| drop(divan::black_box(batch)));
    });
}

/// The bytes go nowhere, so that the disk is not measured.
#[cfg(unix)]
#[divan::bench(args = SHAPES, sample_count = 7, sample_size = 1)]
fn write(bencher: Bencher<'_, '_>, shape: Shape) {
    let file = stream_file(shape);
    let batches: Vec<Batch> = batches(file.path()).collect();
    let options = WriteOptions {
        format: Some(moretta::io::Format::Csv),
        ..WriteOptions::default()
    };
    let core = one_core();
    let write = || {
        let nowhere = Path::new("/dev/null");
        let mut sink = create(nowhere, &options, batches[0].schema()).expect("opens");
        for batch in &batches {
            sink.write(batch).expect("writes");
        }
        sink.close().expect("closes");
    };
    bencher
        .counter(ItemsCount::new(ROWS))
        .bench_local(|| core.install(write));
}

fn one_core() -> rayon::ThreadPool {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.expect("a thread")
}

fn batches(path: &Path) -> impl Iterator<Item = Batch> {
    let options = ReadOptions {
        stream: true,
        ..ReadOptions::default()
    };
    let plan = |name: &str, role, read| ColumnPlan {
        name: name.to_owned(),
        role,
        read,
    };
    let plans = [
        plan("t", Role::Time, ReadAs::Plain),
        plan("user", Role::Subject, ReadAs::Category),
        plan("attribute", Role::Quasi, ReadAs::Category),
    ];
    let source = open(path, &options, &plans).expect("opens");
    source.map(|batch| batch.expect("reads"))
}

fn stream_file(shape: Shape) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().suffix(".csv").tempfile();
    let file = file.expect("a file");
    std::fs::write(file.path(), stream(shape)).expect("writes");
    file
}

/// Rows like `1494809707.045,10.161.47.9,cat06*d34.com`.
fn stream(shape: Shape) -> String {
    let mut text = "t,user,attribute\n".to_owned();
    let mut state = 42u64;
    for row in 0..ROWS as u64 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let (second, user) = (1_494_809_707 + row / 30, (state >> 33) % USERS);
        // The square of a uniform number makes a few sites the frequent ones.
        let place = (state >> 48) * (state >> 48) / (1 << 16);
        let site = place * SITES / (1 << 16);
        let (a, b) = (user / 200, user % 200);
        let (milli, category) = (state >> 40 & 511, site % 23);
        let written = match shape {
            Shape::Domains => writeln!(
                text,
                "{second}.{milli:03},10.161.{a}.{b},cat{category:02}*d{site}.com"
            ),
            Shape::Paths => writeln!(
                text,
                "{second}.{milli:03},10.161.{a}.{b},cat{category:02}*d{site}.com*p{row}"
            ),
        };
        written.expect("a string takes everything");
    }
    text
}
