//! Deciding a stream on one core, batches in memory: rows per second of
//! z-anonymity alone, without reading, checking, measuring and writing.

use divan::Bencher;
use divan::counter::ItemsCount;
use moretta::data::Batch;
use moretta::data::hierarchy::{HierarchySpec, Texts};
use moretta::protect::Operator;
use moretta::protect::z_anonymity::{Search, Stream, Tune, ZAnonymity};
use moretta_generate::{Events, domains, ecommerce, positions};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROWS: usize = 1_000_000;

const SHAPES: [Shape; 3] = [Shape::Domains, Shape::Ecommerce, Shape::Positions];

#[derive(Clone, Copy, Debug)]
enum Shape {
    Domains,
    Ecommerce,
    Positions,
}

fn main() {
    divan::main();
}

#[divan::bench(args = SHAPES, consts = [5, 20, 100], sample_count = 7, sample_size = 1)]
fn fixed<const Z: u32>(bencher: Bencher<'_, '_>, shape: Shape) {
    measure(bencher, shape, &config(Z, None));
}

#[divan::bench(args = SHAPES, sample_count = 7, sample_size = 1)]
fn tuned(bencher: Bencher<'_, '_>, shape: Shape) {
    let tune = Tune {
        at_least: 1,
        goal: 0.8,
        k: 2,
        every: 1_800_000,
        search: Search::MinZ,
    };
    measure(bencher, shape, &config(10, Some(tune)));
}

fn measure(bencher: Bencher<'_, '_>, shape: Shape, config: &ZAnonymity) {
    let batches: Vec<Batch> = events(shape).map(|batch| batch.expect("rows")).collect();
    let ladder = HierarchySpec::Path("*".to_owned())
        .ladder("attribute", Texts::Category)
        .expect("a ladder");
    let schema = batches[0].schema();
    bencher.counter(ItemsCount::new(ROWS)).bench_local(|| {
        let stream = Stream::new(config, schema, |_| ladder.clone(), None, 1);
        let mut stream = stream.expect("a time, a subject and an attribute");
        for batch in &batches {
            divan::black_box(stream.push(batch.clone()).expect("releases"));
        }
    });
}

fn events(shape: Shape) -> Events {
    let events = match shape {
        Shape::Domains => domains(ROWS, 1),
        Shape::Ecommerce => ecommerce(ROWS, 1),
        Shape::Positions => positions(ROWS, 1),
    };
    // As many rows as the reader makes one batch of.
    events.in_batches_of(24_000)
}

fn config(z: u32, tune: Option<Tune>) -> ZAnonymity {
    ZAnonymity {
        tune,
        ..ZAnonymity::fixed(z, 3_600_000)
    }
}
