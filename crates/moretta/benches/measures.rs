//! Loss, risk and histograms of a release of Mondrian.

mod tables;

use divan::Bencher;
use divan::counter::ItemsCount;
use moretta::data::Batch;
use moretta::measure::{HistogramBuilder, Measures};
use moretta::protect::mondrian::Mode;
use tables::{HOSPITAL, domains, release, setting, table};

const ROWS: usize = 500_000;

fn main() {
    divan::main();
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn observe(bencher: Bencher<'_, '_>) {
    let (original, released) = pair();
    let domains = domains(&original).quasi(original.schema());
    bencher.counter(ItemsCount::new(ROWS)).bench_local(|| {
        let mut measures = Measures::new(original.schema(), &domains, 10);
        measures.observe(&original, &released).expect("pairs");
        measures
    });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn values(bencher: Bencher<'_, '_>) {
    let (original, released) = pair();
    let domains = domains(&original).quasi(original.schema());
    let mut measures = Measures::new(original.schema(), &domains, 10);
    measures.observe(&original, &released).expect("pairs");
    bencher
        .counter(ItemsCount::new(ROWS))
        .bench_local(|| measures.values());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn histograms(bencher: Bencher<'_, '_>) {
    let (original, released) = pair();
    let domains = domains(&original).quasi(original.schema());
    bencher.counter(ItemsCount::new(ROWS)).bench_local(|| {
        for (name, domain) in &domains {
            let mut histogram = HistogramBuilder::new(domain);
            histogram.observe_released(released.column_named(name).expect("a column"));
            let rows: Vec<u64> = released.rows().iter().collect();
            let original = original.column_named(name).expect("a column");
            divan::black_box(histogram.finish(original, &rows));
        }
    });
}

fn pair() -> (Batch, Batch) {
    let original = table(ROWS, &HOSPITAL);
    let released = release(&original, &setting(&original), Mode::Strict);
    (original, released)
}
